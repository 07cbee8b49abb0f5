//! What an owner guesses from, what the host knows and what ghosts are led by are the same bits,
//! whatever the format, the model and the motion.

mod shared;

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::{DQuat, DVec3, Kinematics, Model, SimTime, Update, UpdateKind};
use reckoning_net::wire::Format;
use reckoning_net::{
    EntityId, Host, HostConfig, HostEvent, Owner, PeerId, Session, SessionConfig, Viewpoint,
};

use shared::{STEPS, assert_same, listed, models, registry};

const FRAME: Duration = Duration::from_millis(17);
const OWNER: PeerId = PeerId(1);
const ONLOOKER: PeerId = PeerId(2);

/// An owner, a host and an onlooker over a wire that loses nothing and takes a frame.
struct Chain {
    host: Host,
    sessions: [Session; 2],
    to_host: Vec<(PeerId, Vec<u8>)>,
    to_sessions: Vec<(PeerId, Vec<u8>)>,
    now: SimTime,
}

impl Chain {
    fn new(format: &Format, coarser_log2: u8, model: Model) -> Self {
        let mut config = HostConfig::new(format.clone());
        let class = &mut config.zones.classes[0];
        class.coarser_log2 = coarser_log2;
        class.threshold = reckoning::Threshold::metres(1.0).unwrap();
        class.angle_threshold = None;
        config.max_datagrams_per_s = 10_000;
        let mut host = Host::new(config).unwrap();
        let session = || {
            let mut config = SessionConfig::default();
            config.registry = registry();
            config.publisher.model = model;
            Session::new(config).unwrap()
        };
        host.connect(SimTime::ZERO, OWNER);
        host.connect(SimTime::ZERO, ONLOOKER);
        let (to_host, to_sessions) = (Vec::new(), Vec::new());
        let sessions = [session(), session()];
        Self { host, sessions, to_host, to_sessions, now: SimTime::ZERO }
    }

    fn step(&mut self) {
        self.now += FRAME;
        let (now, mut buf) = (self.now, [0; 1000]);
        for (peer, bytes) in self.to_host.drain(..) {
            self.host.handle_datagram(now, peer, &bytes);
        }
        for (peer, bytes) in self.to_sessions.drain(..) {
            self.sessions[peer.0 as usize - 1].handle_datagram(now, &bytes);
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
                self.host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
        }
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buf) {
            self.to_sessions.push((peer, buf[..length].to_vec()));
        }
        for (session, peer) in self.sessions.iter_mut().zip([OWNER, ONLOOKER]) {
            session.handle_timeout(now);
            while let Some(length) = session.poll_datagram(now, &mut buf) {
                self.to_host.push((peer, buf[..length].to_vec()));
            }
            while session.poll_event().is_some() {}
        }
    }
}

/// A body that runs, leaps, tumbles and spins, with or without turning.
fn wild(random: &mut SplitMix64, at: SimTime, turns: bool) -> Kinematics {
    let mut vector = |reach: f64| {
        DVec3::new(
            random.between(-reach, reach),
            random.between(-reach, reach),
            random.between(-reach, reach),
        )
    };
    let mut truth = Kinematics {
        acceleration: vector(5.0),
        ..Kinematics::moving(at, vector(300.0), vector(9.0))
    };
    if turns {
        truth.orientation = DQuat::from_scaled_axis(vector(3.0));
        truth.angular_velocity = vector(4.0);
    }
    truth
}

fn plain(update: &Update) -> Update {
    update.with_kind(UpdateKind::Partial)
}

/// Runs a body through the chain and compares everything that anyone holds of it.
fn check(format: &Format, coarser_log2: u8, model: Model, turns: bool, seed: u64) -> usize {
    let mut chain = Chain::new(format, coarser_log2, model);
    let mut random = SplitMix64::new(seed);
    for _ in 0..30 {
        chain.step();
    }
    let start = wild(&mut random, chain.now, turns);
    let body = chain.host.spawn(chain.now, Owner::Peer(OWNER), b"", &start).unwrap();
    // What the host spawned it with has a stamp of its own.
    for _ in 0..20 {
        chain.step();
    }
    let coarse = format.coarser(coarser_log2);
    let mut published: BTreeMap<SimTime, Update> = BTreeMap::new();
    let (mut known, mut shown) = (0, 0);
    for frame in 0..60 {
        chain.step();
        let truth = wild(&mut random, chain.now, turns);
        if frame == 40 {
            chain.sessions[0].teleport(body, &truth);
        } else {
            chain.sessions[0].observe(body, &truth);
        }
        if let Some(last) = chain.sessions[0].published(body) {
            published.insert(last.at(), *last);
        }
        known += compare_host(&chain.host, body, &published);
        shown += compare_ghost(&chain.sessions[1], body, &coarse, &published);
    }
    assert!(known > 20 && shown > 5, "{known} known, {shown} shown of {}", published.len());
    published.len()
}

fn compare_host(host: &Host, body: EntityId, published: &BTreeMap<SimTime, Update>) -> usize {
    let (_, _, known) = host.entities().find(|(id, ..)| *id == body).unwrap();
    let Some(owners) = published.get(&known.at()) else { return 0 };
    assert_same(&plain(known), &plain(owners));
    1
}

fn compare_ghost(
    session: &Session,
    body: EntityId,
    coarse: &Format,
    published: &BTreeMap<SimTime, Update>,
) -> usize {
    let Some((_, remote)) = session.ghosts().find(|(id, _)| *id == body) else { return 0 };
    let shown = remote.ghost().update();
    let same = |owners: &&Update| coarse.round_time(owners.at()) == shown.at();
    let Some(owners) = published.values().find(same) else { return 0 };
    assert_same(&plain(shown), &plain(&coarse.round(owners)));
    1
}

#[test]
fn owner_host_and_ghost_hold_the_same_bits_in_every_format() {
    let mut seed = 0;
    for model in models() {
        for flat in [false, true] {
            for (stamp_hz, coarser_log2, turns) in
                [(1_000, 0, true), (1_000, 0, false), (60, 1, true), (90, 3, true), (7, 0, true)]
            {
                seed += 1;
                let format = Format::new(flat, stamp_hz, STEPS, &listed(), registry()).unwrap();
                check(&format, coarser_log2, model, turns, seed);
            }
        }
    }
}

/// Through a session, a body that turns in a flat world strays no further than its threshold.
#[test]
fn a_flat_worlds_heading_stays_within_its_threshold() {
    let limit_rad = 5_f64.to_radians();
    for orientation in [0.004, 0.01, 0.02] {
        let steps = reckoning::Quantiser { orientation, ..STEPS };
        let format = Format::new(true, 1_000, steps, &listed(), registry()).unwrap();
        let mut chain = Chain::new(&format, 0, Model::Linear);
        for _ in 0..30 {
            chain.step();
        }
        let turned = |at: SimTime| {
            let yaw = 2.5 * libm::sin(1.3 * at.as_secs_f64());
            let orientation = DQuat::from_rotation_z(yaw);
            Kinematics { orientation, ..Kinematics::at_rest(at, DVec3::ZERO) }
        };
        let owner = Owner::Peer(OWNER);
        let body = chain.host.spawn(chain.now, owner, b"", &turned(chain.now)).unwrap();
        let mut worst_rad: f64 = 0.0;
        for _ in 0..3_000 {
            chain.step();
            chain.sessions[0].observe(body, &turned(chain.now));
            let Some(published) = chain.sessions[0].published(body) else { continue };
            let (_, _, known) = chain.host.entities().find(|(id, ..)| *id == body).unwrap();
            if known.at() < published.at() {
                continue; // still under way
            }
            let guess = known.orientation_at(chain.now);
            worst_rad = worst_rad.max(guess.angle_between(turned(chain.now).orientation));
        }
        assert!(worst_rad <= limit_rad, "{:.3} degrees off", worst_rad.to_degrees());
    }
}
