//! Dormancy: a body at rest sends nothing at all, and wakes at once everywhere.

use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig};
use reckoning_net::{
    DVec3, EntityId, HostEvent, Kind, Kinds, Kinematics, Owner, PeerId, SessionEvent, SimTime,
};

use crate::world::{FRAME, LOSSY, World, config};

struct Parked {
    world: World,
    /// Of an owner, and of the host.
    car: EntityId,
    crate_: EntityId,
}

impl Parked {
    fn new(dormant: bool, seed: u64) -> Self {
        let mut kinds = Kinds::default();
        let mut kind = Kind::default();
        kind.dormant = dormant;
        kind.guard = Some(GuardConfig::new(Envelope::of_speed(20.0, 100.0), 0.5));
        let kind = kinds.add("car", kind).unwrap();
        let mut config = config();
        config.kinds = kinds;
        let mut world = World::new(config, 3, LOSSY, seed);
        let owner = Owner::Peer(PeerId(1));
        let rest = Kinematics::at_rest(world.now, DVec3::ZERO);
        let car = world.host.spawn_kind(world.now, kind, owner, b"", &rest).unwrap();
        let crate_ = world.spawn_kind(kind, DVec3::Y * 9.0);
        Self { world, car, crate_ }
    }

    /// Both stand, or drive from `since` on.
    fn run(&mut self, span: Duration, since: Option<SimTime>) {
        let end = self.world.now + span;
        while self.world.now < end {
            let now = self.world.now;
            let truth = |place: DVec3| match since {
                Some(since) => {
                    let way = DVec3::X * (5.0 * now.secs_since(since));
                    Kinematics::moving(now, place + way, DVec3::X * 5.0)
                }
                None => Kinematics::at_rest(now, place),
            };
            self.world.clients[0].session.observe(self.car, &truth(DVec3::ZERO));
            self.world.host.observe(self.crate_, &truth(DVec3::Y * 9.0));
            self.world.run(FRAME);
        }
    }

    /// Updates that the owner sent, and that the others were sent.
    fn updates(&self) -> [u64; 3] {
        let out = |peer| self.world.host.peer_stats(PeerId(peer)).unwrap().updates_out;
        [self.world.clients[0].session.stats().updates_out, out(2), out(3)]
    }
}

#[test]
fn ten_silent_minutes_and_then_everyone_sees_it_go() {
    for seed in 0..3 {
        let mut parked = Parked::new(true, seed);
        parked.run(Duration::from_secs(10), None);
        let before = parked.updates();
        parked.run(Duration::from_mins(10), None);
        assert_eq!(parked.updates(), before, "seed {seed}: not a word");
        let woke = parked.world.now;
        // The first words may be lost, and are repaired within a second or so.
        parked.run(Duration::from_secs(3), Some(woke));
        let now = parked.world.now;
        let x_m = 5.0 * now.secs_since(woke);
        for client in &parked.world.clients[1..] {
            for body in [parked.car, parked.crate_] {
                let shown = client.session.shown(body, now).expect("in sight").position;
                assert!((shown.x - x_m).abs() < 1.5, "seed {seed}: {body:?} at {shown} of {x_m}");
            }
        }
        let ended = parked.world.clients.iter().flat_map(|client| &client.events);
        let ended = ended.filter(|it| {
            matches!(it, SessionEvent::Lost | SessionEvent::Disconnected(_))
                || matches!(it, SessionEvent::Exited { .. })
        });
        assert_eq!(ended.count(), 0, "seed {seed}: nobody was given up");
        let judged = parked.world.events.iter();
        let judged = judged.filter(|it| matches!(it, HostEvent::Judged { .. })).count();
        assert_eq!(judged, 0, "seed {seed}: the guard finds nothing wrong");
    }
}

/// Over a link that loses nothing: how long until the others have heard.
#[test]
fn it_wakes_with_the_first_observation_that_differs() {
    let mut parked = Parked::new(true, 9);
    for client in &mut parked.world.clients {
        client.up = reckoning_netsim::Link::new("delay=20".parse().unwrap()).unwrap();
        client.down = client.up.clone();
    }
    parked.run(Duration::from_mins(1), None);
    let before = parked.updates();
    let woke = parked.world.now;
    parked.run(Duration::from_millis(200), Some(woke));
    let after = parked.updates();
    assert!(
        after.iter().zip(before).all(|(after, before)| *after > before),
        "{before:?} {after:?}"
    );
}

#[test]
fn without_it_heartbeats_go_on() {
    let mut parked = Parked::new(false, 4);
    parked.run(Duration::from_secs(10), None);
    let before = parked.updates();
    parked.run(Duration::from_mins(1), None);
    let after = parked.updates();
    assert!(after[0] > before[0] + 100, "{before:?} {after:?}");
    assert_eq!(after[1..], before[1..], "those who have it are not told again");
}
