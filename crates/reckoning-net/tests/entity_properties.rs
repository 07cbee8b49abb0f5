//! Properties of entities through host and sessions over links that lose, reorder and duplicate.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning_net::wire::{Header, Message, PacketReader, PacketWriter, VERSION};
use reckoning_net::{
    DVec3, EntityId, Format, Host, HostConfig, HostEvent, Kinds, Kinematics, Model, Owner, PeerId,
    Property, PropertyError, PropertyId, PropertyType, PropertyValue, Quantiser, Registry, Seen,
    Session, SessionConfig, SessionEvent, SimTime, Viewpoint, Writer,
};

/// Nobody is given up for gone, however much is lost.
const PATIENCE: Duration = Duration::from_mins(10);

/// What the properties of these tests are.
#[derive(Clone, Copy)]
struct Declared {
    health: PropertyId,
    secret: PropertyId,
    orders: PropertyId,
    name: PropertyId,
    slow: PropertyId,
}

fn declared() -> (Kinds, Declared) {
    let mut kinds = Kinds::default();
    let health = kinds.property("health", PropertyType::U8, Seen::ByAll).unwrap();
    let secret = kinds.property("secret", PropertyType::Text, Seen::ByOwner).unwrap();
    let orders = kinds.property("orders", PropertyType::Bytes, Seen::ByTeam).unwrap();
    let mut name = Property::new(PropertyType::Text, Seen::ByAll);
    name.writer = Writer::Owner;
    let name = kinds.add_property("name", name).unwrap();
    let mut slow = Property::new(PropertyType::U32, Seen::ByAll);
    slow.min_interval = Duration::from_millis(500);
    let slow = kinds.add_property("slow", slow).unwrap();
    (kinds, Declared { health, secret, orders, name, slow })
}

fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(true, 1_000, steps, &[Model::Linear], Registry::default()).unwrap()
}

/// A link: datagrams are lost, come twice and overtake each other.
#[derive(Default)]
struct Link {
    under_way: BTreeMap<(SimTime, u64), Vec<u8>>,
    count: u64,
}

struct World {
    host: Host,
    sessions: Vec<Session>,
    down: Vec<Link>,
    up: Vec<Link>,
    now: SimTime,
    luck: u64,
    /// Of a hundred datagrams so many are lost, and as many come twice.
    loss: u64,
    events: Vec<Vec<SessionEvent>>,
    host_events: Vec<HostEvent>,
    /// Everything that each peer was sent, with the owners of its moment.
    sent: Vec<(PeerId, Vec<u8>, BTreeMap<EntityId, Owner>)>,
}

impl World {
    fn new(kinds: Kinds, peers: u32, loss: u64, seed: u64) -> Self {
        let mut config = HostConfig::new(format());
        config.kinds = kinds;
        (config.timeout, config.join_within) = (PATIENCE, PATIENCE);
        let mut host = Host::new(config).unwrap();
        (1..=peers).for_each(|peer| host.connect(SimTime::ZERO, PeerId(peer)));
        let mut config = SessionConfig::default();
        config.timeout = PATIENCE;
        let sessions = (0..peers).map(|_| Session::new(config.clone()).unwrap());
        let mut world = Self {
            host,
            sessions: sessions.collect(),
            down: (0..peers).map(|_| Link::default()).collect(),
            up: (0..peers).map(|_| Link::default()).collect(),
            now: SimTime::ZERO,
            luck: seed,
            loss,
            events: (0..peers).map(|_| Vec::new()).collect(),
            host_events: Vec::new(),
            sent: Vec::new(),
        };
        world.run(if loss > 0 { 500 } else { 50 });
        assert!(world.sessions.iter().all(|it| it.peer().is_some()), "all have joined");
        world
    }

    fn random(&mut self, below: u64) -> u64 {
        self.luck = self.luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.luck >> 33) % below
    }

    fn carry(&mut self, place: usize, is_down: bool, bytes: &[u8]) {
        let lost = self.random(100) < self.loss;
        let copies = if lost { 0 } else { 1 + u64::from(self.random(100) < self.loss) };
        for _ in 0..copies {
            let spread = if self.loss == 0 { 1 } else { 120 };
            let delay = Duration::from_millis(10 + self.random(spread));
            let link = if is_down { &mut self.down[place] } else { &mut self.up[place] };
            link.count += 1;
            link.under_way.insert((self.now + delay, link.count), bytes.to_vec());
        }
    }

    fn step(&mut self) {
        let mut buf = [0; 1000];
        self.now += Duration::from_millis(20);
        let now = self.now;
        for place in 0..self.sessions.len() {
            let arrived = |link: &mut Link| {
                let later = link.under_way.split_off(&(now, u64::MAX));
                std::mem::replace(&mut link.under_way, later)
            };
            for bytes in arrived(&mut self.down[place]).values() {
                self.sessions[place].handle_datagram(now, bytes);
            }
            for bytes in arrived(&mut self.up[place]).values() {
                self.host.handle_datagram(now, PeerId(place as u32 + 1), bytes);
            }
            self.sessions[place].handle_timeout(now);
            while let Some(length) = self.sessions[place].poll_datagram(now, &mut buf) {
                self.carry(place, false, &buf[..length]);
            }
            let session = &mut self.sessions[place];
            self.events[place].extend(std::iter::from_fn(|| session.poll_event()));
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
                self.host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
            self.host_events.push(event);
        }
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buf) {
            let owners = self.host.entities().map(|(id, owner, _)| (id, owner)).collect();
            self.sent.push((peer, buf[..length].to_vec(), owners));
            self.carry(peer.0 as usize - 1, true, &buf[..length]);
        }
    }

    fn run(&mut self, steps: u32) {
        (0..steps).for_each(|_| self.step());
    }

    fn spawn(&mut self, owner: Owner) -> EntityId {
        let place = Kinematics::at_rest(self.now, DVec3::ZERO);
        self.host.spawn(self.now, owner, b"", &place).unwrap()
    }

    /// Messages with values that a peer was sent since the beginning of `sent`: of which entity,
    /// and their bytes.
    fn values_to(&self, peer: PeerId) -> Vec<(EntityId, Vec<u8>)> {
        let sent = self.sent.iter().filter(|(to, ..)| *to == peer);
        sent.flat_map(|(_, bytes, _)| values_in(bytes)).collect()
    }
}

fn values_in(datagram: &[u8]) -> Vec<(EntityId, Vec<u8>)> {
    let mut reader = PacketReader::new(datagram).unwrap();
    let mut values = Vec::new();
    while let Some(message) = reader.next_message(Some(&format())).unwrap() {
        if let Message::Values { entity, bytes } = message {
            values.push((entity, bytes.to_vec()));
        }
    }
    values
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// The first difference between what the host has, as far as a peer may see it, and what the peer
/// has.
fn difference(world: &World, all: Declared, teams: &[Option<u8>]) -> Option<String> {
    for (id, owner, _) in world.host.entities() {
        for (place, session) in world.sessions.iter().enumerate() {
            let owns = owner == Owner::Peer(PeerId(place as u32 + 1));
            if session.owned().any(|it| it == id) != owns {
                return Some(format!("the owner of {id:?} at {place}"));
            }
            let of_team = owns || teams[place] == Some((id.0 % 2) as u8);
            for (property, seen) in [
                (all.health, true),
                (all.secret, owns),
                (all.orders, of_team),
                (all.name, true),
                (all.slow, true),
            ] {
                let expected = world.host.get(id, property).filter(|_| seen);
                let got = session.property(id, property);
                if got != expected {
                    let what = format!("{property:?} of {id:?} at {place}");
                    return Some(format!("{what}: {got:?}, not {expected:?}"));
                }
            }
        }
    }
    None
}

/// Neither masks nor bytes of what a peer may not see are in anything it was sent.
fn assert_secret(world: &World, all: Declared, teams: &[Option<u8>]) {
    for (peer, bytes, owners) in &world.sent {
        for (entity, values) in values_in(bytes) {
            let owns = owners.get(&entity) == Some(&Owner::Peer(*peer));
            let of_team = teams[peer.0 as usize - 1] == Some((entity.0 % 2) as u8);
            let has = |property: PropertyId| values[0] & 1 << property.number() != 0;
            assert!(owns || !has(all.secret), "a secret of {entity:?} to {peer:?}");
            assert!(owns || of_team || !has(all.orders), "orders of {entity:?} to {peer:?}");
        }
        for (id, _) in owners.iter().filter(|(_, owner)| **owner != Owner::Peer(*peer)) {
            let secret = format!("secret of {}.", id.0);
            assert!(!contains(bytes, &secret), "{secret} to {peer:?}");
        }
    }
}

fn stir(world: &mut World, all: Declared, bodies: &mut Vec<EntityId>) {
    let body = bodies[world.random(bodies.len() as u64) as usize];
    let number = world.random(1_000);
    let (now, peer) = (world.now, PeerId(1 + world.random(3) as u32));
    match world.random(14) {
        0..=3 => drop(world.host.set(body, all.health, number as u8)),
        4 | 5 => {
            let secret = format!("secret of {}. {number}", body.0);
            world.host.set(body, all.secret, secret.as_str()).unwrap();
        }
        6 => {
            let orders = vec![number as u8; number as usize % 256];
            world.host.set(body, all.orders, orders.as_slice()).unwrap();
        }
        7 => drop(world.host.set(body, all.slow, number as u32).unwrap()),
        8 => drop(world.host.set(body, all.name, format!("host {number}").as_str())),
        9 | 10 => {
            let session = &mut world.sessions[peer.0 as usize - 1];
            let own = session.owned().next();
            if let Some(own) = own {
                session.set(own, all.name, format!("own {number}").as_str()).unwrap();
            }
        }
        11 => {
            let everywhere = world.random(2) == 0;
            let viewpoint = if everywhere { Viewpoint::Everywhere } else { Viewpoint::Nowhere };
            world.host.set_viewpoint(peer, viewpoint);
        }
        12 if number.is_multiple_of(2) => drop(world.host.grant(now, body, peer)),
        12 => world.host.revoke(body),
        _ if number.is_multiple_of(4) => {
            world.host.despawn(body);
            let id = world.spawn(Owner::Host);
            world.host.set_entity_team(id, Some((id.0 % 2) as u8));
            bodies.retain(|it| *it != body);
            bodies.push(id);
        }
        _ => {}
    }
}

#[test]
fn everyone_ends_with_what_they_may_see_and_is_never_sent_more() {
    let teams = [Some(0), Some(1), None];
    for seed in 1..=120_u64 {
        let (kinds, all) = declared();
        let loss = [0, 10, 30, 45][seed as usize % 4];
        let mut world = World::new(kinds, 3, loss, seed);
        for (peer, team) in (1..).zip(teams) {
            world.host.set_team(PeerId(peer), team);
        }
        let mut bodies: Vec<_> = (0..6).map(|_| world.spawn(Owner::Host)).collect();
        for id in &bodies {
            world.host.set_entity_team(*id, Some((id.0 % 2) as u8));
        }
        for _ in 0..3 {
            for _ in 0..400 {
                stir(&mut world, all, &mut bodies);
                world.step();
            }
            for peer in 1..=3 {
                world.host.set_viewpoint(PeerId(peer), Viewpoint::Everywhere);
            }
            // Where nothing else is sent a loss is noticed after up to two seconds.
            for _ in 0..100 {
                world.run(50);
                if difference(&world, all, &teams).is_none() {
                    break;
                }
            }
            assert_eq!(difference(&world, all, &teams), None, "seed {seed}");
            world.run(100);
            assert_eq!(difference(&world, all, &teams), None, "later, seed {seed}");
        }
        assert_secret(&world, all, &teams);
        let stats = world.host.stats();
        assert_eq!(stats.traffic.values_refused, 0);
        assert!(world.sessions.iter().all(|session| session.stats().malformed == 0));
    }
}

#[test]
fn values_come_with_the_entry_and_after_its_event() {
    let (kinds, all) = declared();
    let mut world = World::new(kinds, 1, 0, 1);
    let body = world.spawn(Owner::Host);
    world.host.set(body, all.health, 77_u8).unwrap();
    world.host.set(body, all.name, "Ada").unwrap();
    world.events[0].clear();
    world.run(20);
    let told: Vec<_> = world.events[0].iter().collect();
    assert!(matches!(told[0], SessionEvent::Entered { entity, .. } if *entity == body));
    let changed = |property| SessionEvent::Changed { entity: body, property };
    assert_eq!(told[1..], [&changed(all.health), &changed(all.name)]);
    let (_, first, _) = world.sent.iter().find(|(_, it, _)| !values_in(it).is_empty()).unwrap();
    let mut reader = PacketReader::new(first).unwrap();
    let entry = reader.next_message(Some(&format())).unwrap();
    assert!(matches!(entry, Some(Message::Enter { .. })), "{entry:?}");
    let values = world.sessions[0].property(body, all.health);
    assert_eq!(values, Some(&PropertyValue::U8(77)));
}

#[test]
fn what_does_not_change_costs_nothing_and_a_change_costs_its_bytes() {
    let (kinds, all) = declared();
    let mut world = World::new(kinds, 2, 0, 1);
    let body = world.spawn(Owner::Host);
    world.host.set(body, all.health, 1_u8).unwrap();
    world.host.set(body, all.name, "a rather long name").unwrap();
    world.run(50);
    world.sent.clear();
    assert_eq!(world.host.set(body, all.health, 1_u8), Ok(false));
    world.run(50);
    assert_eq!(world.values_to(PeerId(1)), []);
    assert_eq!(world.host.set(body, all.health, 2_u8), Ok(true));
    world.run(50);
    // A mask of five bits and a byte.
    let expected = vec![(body, vec![0b0100_0001, 0])];
    assert_eq!([1, 2].map(|peer| world.values_to(PeerId(peer))), [expected.clone(), expected]);
}

#[test]
fn a_slow_property_is_sent_no_more_often_than_it_says_and_ends_at_its_newest_value() {
    let (kinds, all) = declared();
    let mut world = World::new(kinds, 1, 0, 1);
    let body = world.spawn(Owner::Host);
    world.run(20);
    world.sent.clear();
    for number in 1..=150_u32 {
        world.host.set(body, all.slow, number).unwrap();
        world.step();
    }
    world.run(60);
    let count = world.values_to(PeerId(1)).len();
    assert!((5..=8).contains(&count), "{count} in four seconds, one each half second");
    assert_eq!(world.sessions[0].property(body, all.slow), Some(&PropertyValue::U32(150)));
}

#[test]
fn owners_set_what_is_theirs_to_set_and_nothing_else() {
    let (kinds, all) = declared();
    let mut world = World::new(kinds, 2, 20, 3);
    let body = world.spawn(Owner::Peer(PeerId(1)));
    world.run(100);
    let session = &mut world.sessions[0];
    assert_eq!(session.set(body, all.name, "mine"), Ok(true));
    assert_eq!(session.set(body, all.name, "mine"), Ok(false));
    let refused = session.set(body, all.health, 255_u8);
    assert_eq!(refused, Err(PropertyError::HostOnly { property: all.health }));
    assert!(session.set(body, all.name, 1_u8).is_err());
    assert!(session.set(body, all.name, "x".repeat(256).as_str()).is_err());
    let refused = world.sessions[1].set(body, all.name, "not mine");
    assert_eq!(refused, Err(PropertyError::NotOwner { entity: body }));
    world.run(100);
    let mine = PropertyValue::from("mine");
    assert_eq!(world.host.get(body, all.name), Some(&mine));
    assert_eq!(world.sessions[1].property(body, all.name), Some(&mine));
    let told = HostEvent::Changed { peer: PeerId(1), entity: body, property: all.name };
    assert_eq!(world.host_events.iter().filter(|it| **it == told).count(), 1);
    world.host.set(body, all.name, "yours").unwrap();
    world.run(100);
    let yours = PropertyValue::from("yours");
    assert!(world.sessions.iter().all(|it| it.property(body, all.name) == Some(&yours)));
}

#[test]
fn everything_is_sent_again_to_whoever_asks_for_it() {
    let (kinds, all) = declared();
    let mut world = World::new(kinds, 1, 0, 1);
    let body = world.spawn(Owner::Host);
    world.host.set(body, all.health, 9_u8).unwrap();
    world.host.set(body, all.slow, 9_u32).unwrap();
    world.run(50);
    world.sent.clear();
    assert!(world.sessions[0].request_full(body));
    assert!(!world.sessions[0].request_full(EntityId(99)));
    world.run(50);
    let sent = world.values_to(PeerId(1));
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].1[0] & 0b11111, 0b10001);
}

/// Sends messages as a peer that follows no rules.
fn say(host: &mut Host, now: SimTime, sequence: u16, messages: &[Message]) {
    let mut buf = [0; 1000];
    let header = Header { sequence, sent_ms: 0, ack: None };
    let mut packet = PacketWriter::new(&mut buf, &header);
    assert!(messages.iter().all(|message| packet.push(None, message)));
    let length = packet.finish().unwrap();
    host.handle_datagram(now, PeerId(1), &buf[..length]);
}

#[test]
fn what_a_peer_may_not_say_is_counted_and_changes_nothing() {
    let (kinds, all) = declared();
    let mut config = HostConfig::new(format());
    config.kinds = kinds;
    let mut host = Host::new(config).unwrap();
    let now = SimTime::ZERO;
    host.connect(now, PeerId(1));
    say(&mut host, now, 0, &[Message::Join { version: VERSION, token: b"" }]);
    host.admit(now, PeerId(1));
    let place = Kinematics::at_rest(now, DVec3::ZERO);
    let own = host.spawn(now, Owner::Peer(PeerId(1)), b"", &place).unwrap();
    let other = host.spawn(now, Owner::Host, b"", &place).unwrap();
    let health = [0b0100_0001_u8, 0];
    let name = [0b0010_1000_u8, 0, b'x'];
    say(&mut host, now, 1, &[Message::Values { entity: own, bytes: &health }]);
    say(&mut host, now, 2, &[Message::Values { entity: other, bytes: &name }]);
    say(&mut host, now, 3, &[Message::Values { entity: EntityId(9), bytes: &name }]);
    for cut in [&name[..2], &[0b1000, 0xff], &[]] {
        say(&mut host, now, 4, &[Message::Values { entity: own, bytes: cut }]);
    }
    let stats = *host.peer_stats(PeerId(1)).unwrap();
    assert_eq!((stats.values_refused, stats.not_owner, stats.unknown_entity), (1, 1, 1));
    assert!(stats.malformed >= 1);
    assert_eq!((host.get(own, all.health), host.get(other, all.name)), (None, None));
    // A length of one, which crosses into the second byte.
    say(&mut host, now, 9, &[Message::Values { entity: own, bytes: &name }]);
    assert_eq!(host.get(own, all.name), Some(&PropertyValue::from("x")));
    let late = [0b0010_1000_u8, 0, b'y'];
    say(&mut host, now, 8, &[Message::Values { entity: own, bytes: &late }]);
    assert_eq!(host.get(own, all.name), Some(&PropertyValue::from("x")), "an older datagram");
    let asks = vec![Message::Ask { entity: own }; 40];
    say(&mut host, now, 10, &asks);
    let flooded = host.peer_stats(PeerId(1)).unwrap().flooded;
    assert!(flooded >= 20, "{flooded} of 40 requests at once were refused");
}
