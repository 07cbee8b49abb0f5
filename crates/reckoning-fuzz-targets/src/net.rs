//! Hosts and sessions against any peer: inputs are sequences of datagrams and pauses.

use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig};
use reckoning::rewind::RewindConfig;
use reckoning::{DVec3, Kinematics, Model, Quantiser, SimTime};
use reckoning_net::wire::{Header, MAX_DATAGRAM_BYTES, Message, PacketWriter, VERSION};
use reckoning_net::{
    ClockMode, DisconnectReason, Format, Host, HostConfig, HostEvent, Kind, Kinds,
    MAX_SESSION_EVENTS, MAX_VALUE_BYTES, Owner, PeerId, Property, PropertyType, PropertyValue,
    Registry, Seen, Session, SessionConfig, Writer,
};

/// Whatever a host says, and whenever: a session neither panics nor grows.
pub fn net_session(input: &[u8]) {
    session_hears(input, ClockMode::Synchronised);
}

/// The same without a shared timeline: stamps are ages, and every hop measures its own way.
pub fn net_session_per_hop(input: &[u8]) {
    session_hears(input, ClockMode::PerHop);
}

fn session_hears(input: &[u8], clock: ClockMode) {
    let mut session = Session::new(SessionConfig::default()).expect("defaults are sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; MAX_DATAGRAM_BYTES]);
    for datagram in welcome(&format(), clock) {
        session.handle_datagram(now, &datagram);
    }
    assert!(session.peer().is_some(), "the welcome is sound");
    for step in steps(input) {
        match step {
            InputStep::Wait(millis) => now += Duration::from_millis(millis),
            InputStep::Datagram(bytes) => session.handle_datagram(now, bytes),
        }
        session.handle_timeout(now);
        for entity in session.owned().collect::<Vec<_>>() {
            session.observe(entity, &Kinematics::at_rest(now, DVec3::ONE));
            let own = session.kinds().property_named("own").expect("declared");
            session.set(entity, own, now.as_micros() as u16).expect("ours to set");
        }
        while session.poll_datagram(now, &mut buf).is_some() {}
        for (id, _) in session.ghosts() {
            assert!(session.shown(id, now).is_none_or(|pose| pose.is_finite()));
            let properties = session.kinds().properties().map(|(property, ..)| property);
            assert!(properties.filter_map(|it| session.property(id, it)).all(is_sound));
        }
        assert!(session.ghosts().count() <= SessionConfig::default().max_ghosts);
    }
    assert!(std::iter::from_fn(|| session.poll_event()).count() <= MAX_SESSION_EVENTS);
}

/// Whatever a client that is in says, and whenever: a host neither panics nor grows.
pub fn net_host(input: &[u8]) {
    host_hears(input, ClockMode::Synchronised);
}

/// The same without a shared timeline: stamps are ages, and every hop measures its own way.
pub fn net_host_per_hop(input: &[u8]) {
    host_hears(input, ClockMode::PerHop);
}

fn host_hears(input: &[u8], clock: ClockMode) {
    let peer = PeerId(1);
    let mut config = HostConfig::new(format());
    config.kinds = kinds();
    config.clock_mode = clock;
    config.guard = Some(GuardConfig::new(Envelope::of_speed(10.0, 50.0), 0.5));
    config.rewind = Some(RewindConfig::default());
    let mut host = Host::new(config).expect("sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; MAX_DATAGRAM_BYTES]);
    let place = Kinematics::at_rest(now, DVec3::ONE);
    host.spawn(now, Owner::Host, b"rock", &place).expect("room");
    admitted(&mut host, peer);
    let own = host.spawn(now, Owner::Peer(peer), b"own", &place).expect("admitted");
    let properties: Vec<_> = kinds().properties().map(|(property, ..)| property).collect();
    host.set(own, properties[0], "a name").expect("declared so");
    for step in steps(input) {
        match step {
            InputStep::Wait(millis) => now += Duration::from_millis(millis),
            InputStep::Datagram(bytes) => host.handle_datagram(now, peer, bytes),
        }
        host.handle_timeout(now);
        while host.poll_datagram(now, &mut buf).is_some() {}
        assert!(host.entities().count() <= 2);
        assert!(host.entities().all(|(_, _, known)| known.position_at(now).is_finite()));
        assert!(properties.iter().filter_map(|it| host.get(own, *it)).all(is_sound));
    }
    while let Some(event) = host.poll_event() {
        assert!(!matches!(event, HostEvent::Joined { before: Some(_), .. }), "nobody was away");
    }
}

/// Whatever strangers say before they are in: nobody gets in without being admitted.
pub fn net_join(input: &[u8]) {
    let mut host = Host::new(HostConfig::new(format())).expect("sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; MAX_DATAGRAM_BYTES]);
    for n in 0..4 {
        host.connect(now, PeerId(n));
    }
    for (turn, step) in steps(input).enumerate() {
        let peer = PeerId(turn as u32 % 5);
        match step {
            InputStep::Wait(millis) => now += Duration::from_millis(millis),
            InputStep::Datagram(bytes) => host.handle_datagram(now, peer, bytes),
        }
        host.handle_timeout(now);
        while let Some(event) = host.poll_event() {
            match event {
                // Peers with odd numbers are not welcome.
                HostEvent::JoinRequested { peer, .. } if peer.0 % 2 == 1 => {
                    host.refuse(now, peer, DisconnectReason::Token);
                }
                // It may have left in the same datagram.
                HostEvent::JoinRequested { peer, .. } => {
                    host.admit(now, peer);
                }
                HostEvent::Joined { peer, .. } => assert_eq!(peer.0 % 2, 0),
                _ => {}
            }
        }
        assert!(host.peers().all(|peer| peer.0 % 2 == 0));
        while host.poll_datagram(now, &mut buf).is_some() {}
    }
}

/// A peer connects at the beginning of time and is let in.
pub(crate) fn admitted(host: &mut Host, peer: PeerId) {
    host.connect(SimTime::ZERO, peer);
    host.handle_datagram(SimTime::ZERO, peer, &join(b"token"));
    host.admit(SimTime::ZERO, peer);
}

/// One turn of an input.
pub(crate) enum InputStep<'a> {
    Wait(u64),
    Datagram(&'a [u8]),
}

/// The longest datagram of an input: what a link may carry.
const LONGEST_BYTES: usize = 1_200;

/// A zero and a byte is a pause of so many times 20 ms. A byte of 255 and two more are the length
/// of a long datagram, any other byte that of a short one; it follows.
pub(crate) fn steps(input: &[u8]) -> impl Iterator<Item = InputStep<'_>> {
    let mut rest = input;
    std::iter::from_fn(move || {
        let (&first, tail) = rest.split_first()?;
        if first == 0 {
            let (&pause, tail) = tail.split_first()?;
            rest = tail;
            return Some(InputStep::Wait(u64::from(pause) * 20));
        }
        let (length, tail) = match (first, tail.split_first_chunk::<2>()) {
            (255, Some((length, tail))) => (usize::from(u16::from_le_bytes(*length)), tail),
            _ => (usize::from(first), tail),
        };
        let (bytes, tail) = tail.split_at(length.min(LONGEST_BYTES).min(tail.len()));
        rest = tail;
        Some(InputStep::Datagram(bytes))
    })
}

fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(false, 1000, steps, &[Model::Linear], Registry::default()).expect("sound")
}

fn datagram(message: &Message) -> Vec<u8> {
    let mut buf = [0; MAX_DATAGRAM_BYTES];
    let mut out = PacketWriter::new(&mut buf, &Header { sequence: 0, sent_ms: 0, ack: None });
    out.push(None, message);
    let length = out.finish().expect("it fits");
    buf[..length].to_vec()
}

/// What a host with the kinds of this target sends first.
fn welcome(format: &Format, clock: ClockMode) -> Vec<Vec<u8>> {
    let mut config = HostConfig::new(format.clone());
    (config.clock_mode, config.kinds) = (clock, kinds());
    let mut host = Host::new(config).expect("sound");
    admitted(&mut host, PeerId(1));
    let mut buf = [0; MAX_DATAGRAM_BYTES];
    let mut sent = Vec::new();
    while let Some((_, length)) = host.poll_datagram(SimTime::ZERO, &mut buf) {
        sent.push(buf[..length].to_vec());
    }
    sent
}

/// A kind, and properties of every sort.
fn kinds() -> Kinds {
    let mut kinds = Kinds::default();
    kinds.add("thing", Kind::default()).expect("sound");
    let mut name = Property::new(PropertyType::Text, Seen::ByAll);
    name.writer = Writer::Owner;
    kinds.add_property("name", name).expect("room");
    let mut own = Property::new(PropertyType::U16, Seen::ByAll);
    (own.writer, own.min_interval) = (Writer::Owner, Duration::from_millis(100));
    kinds.add_property("own", own).expect("room");
    for (name, value, seen) in [
        ("alive", PropertyType::Bool, Seen::ByAll),
        ("health", PropertyType::U8, Seen::ByTeam),
        ("aim", PropertyType::F32, Seen::ByOwner),
        ("bag", PropertyType::Bytes, Seen::ByOwner),
        ("debt", PropertyType::I32, Seen::ByAll),
        ("coins", PropertyType::U32, Seen::ByAll),
    ] {
        kinds.property(name, value, seen).expect("room");
    }
    kinds
}

fn is_sound(value: &PropertyValue) -> bool {
    match value {
        PropertyValue::F32(number) => number.is_finite(),
        PropertyValue::Text(text) => text.len() <= MAX_VALUE_BYTES,
        PropertyValue::Bytes(bytes) => bytes.len() <= MAX_VALUE_BYTES,
        _ => true,
    }
}

fn join(token: &[u8]) -> Vec<u8> {
    datagram(&Message::Join { version: VERSION, token })
}
