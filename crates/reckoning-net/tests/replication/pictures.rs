//! What the host rebuilds of a peer's picture is what was on that peer's screen.

use std::collections::VecDeque;
use std::time::Duration;

use reckoning::rewind::{RewindConfig, ShownAs};
use reckoning::{Blend, BlendSpan, DVec3, GhostConfig, Kinematics, SimTime};
use reckoning_net::wire::{decode_shown, encode_shown};
use reckoning_net::{
    EntityId, HostConfig, Owner, PeerId, Pose, SessionConfig, Viewpoint, ZoneClass,
};

use crate::linear_format::format;
use crate::world::{FRAME, World, curving};

/// One look at a screen, under way to the host.
struct Look {
    peer: PeerId,
    entity: EntityId,
    pose: Pose,
    reference: Vec<u8>,
    arrives: SimTime,
}

/// How many looks were rebuilt, and how far off.
#[derive(Debug, Default)]
struct Outcome {
    looks: u32,
    exact: u32,
    refused: u32,
    /// Shown there and in no picture here.
    missing: u32,
    off_m: f64,
    teleports: u32,
}

/// Bodies that curve, leap, come near, go far and leave; peers that show them each in its own way.
struct Scene {
    world: World,
    bodies: Vec<EntityId>,
    courses: Box<dyn Fn(usize, SimTime) -> Kinematics>,
    /// How far each body was moved by its leaps.
    leapt: Vec<DVec3>,
    looks: VecDeque<Look>,
    outcome: Outcome,
}

fn views() -> [GhostConfig; 3] {
    let mut configs = [GhostConfig::default(); 3];
    configs[1].blend = Blend::Bezier;
    configs[1].span = BlendSpan::Fixed(Duration::from_millis(150));
    configs[2].blend = Blend::Snap;
    configs
}

impl Scene {
    fn new(rewind: RewindConfig, link: &str, seed: u64) -> Self {
        let mut config = HostConfig::new(format(false));
        let (mut near, mut far) = (ZoneClass::default(), ZoneClass::default());
        (near.radius_m, far.radius_m, far.coarser_log2) = (6.0, 12.0, 3);
        far.angle_threshold = reckoning::AngleThreshold::degrees(20.0).ok();
        // All bodies at once, so that leaps, classes and heartbeats coincide.
        (near.heartbeat_spread, far.heartbeat_spread) = (0.0, 0.0);
        config.zones.classes = vec![near, far];
        config.rewind = Some(rewind);
        config.rewind_classes = 2;
        let mut world = World::new(config);
        world.spawns = false;
        for (n, ghost) in (0..).zip(views()) {
            let mut session = SessionConfig::default();
            session.ghost = ghost;
            let link = format!("{link},seed={}", seed * 31 + n).parse().unwrap();
            let client = world.connect(session, link);
            let peer = world.clients[client].peer;
            world.host.set_viewpoint(peer, Viewpoint::Place(DVec3::ZERO));
        }
        let (courses, leapt) = (Box::new(curving(seed)), vec![DVec3::ZERO; 4]);
        let at = SimTime::ZERO;
        let spawn = |n: usize| world.host.spawn(at, Owner::Host, b"", &courses(n, at)).unwrap();
        let bodies = (0..leapt.len()).map(spawn).collect();
        Self { world, bodies, courses, leapt, looks: VecDeque::new(), outcome: Outcome::default() }
    }

    fn step(&mut self, frame: u32) {
        let at = self.world.now + FRAME;
        for (n, body) in self.bodies.iter().enumerate() {
            // Each leaps once in some seconds, some of them out of reach and back.
            let leaps = frame % 170 == 40 * n as u32 + 7;
            if leaps {
                let away = [DVec3::Y * 5.0, DVec3::X * 20.0, DVec3::NEG_Y * 3.0, DVec3::ZERO];
                self.leapt[n] = away[(frame / 170 + n as u32) as usize % away.len()];
                self.outcome.teleports += 1;
            }
            let mut truth = (self.courses)(n, at);
            truth.position += self.leapt[n];
            let host = &mut self.world.host;
            let _ =
                if leaps { host.teleport(at, *body, &truth) } else { host.observe(*body, &truth) };
        }
        self.world.step(&curving(0));
        self.check();
        self.look(frame);
    }

    /// What is on some screens now, and what is said of it as with a shot.
    fn look(&mut self, frame: u32) {
        for client in &self.world.clients {
            let local = client.local(self.world.now);
            for (entity, _) in client.session.ghosts() {
                if !(frame + entity.0 * 3 + client.peer.0 * 5).is_multiple_of(11) {
                    continue;
                }
                let pose = client.session.shown(entity, local).unwrap();
                let mut reference = Vec::new();
                encode_shown(&client.session.shown_as(entity, local).unwrap(), &mut reference);
                let arrives = self.world.now + Duration::from_millis(70);
                self.looks.push_back(Look { peer: client.peer, entity, pose, reference, arrives });
            }
        }
    }

    fn check(&mut self) {
        let now = self.world.now;
        while let Some(look) = self.looks.pop_front_if(|look| look.arrives <= now) {
            let (shown, length): (ShownAs, usize) = decode_shown(&look.reference).unwrap();
            assert_eq!(length, look.reference.len());
            let host = &mut self.world.host;
            let taken = host.handle_reference(now, look.peer, look.entity, &shown).unwrap();
            let rewind = host.rewind().unwrap();
            let pose = rewind.shown_at(look.peer, look.entity, shown.shown_at);
            self.outcome.looks += 1;
            self.outcome.refused += u32::from(taken.is_err());
            self.outcome.exact += u32::from(pose == Some(look.pose));
            self.outcome.missing += u32::from(pose.is_none());
            let off_m = pose.map_or(0.0, |it| it.position.distance(look.pose.position));
            self.outcome.off_m = self.outcome.off_m.max(off_m);
        }
    }
}

fn play(rewind: RewindConfig, link: &str, seed: u64) -> Outcome {
    let mut scene = Scene::new(rewind, link, seed);
    (0..2_000).for_each(|frame| scene.step(frame));
    scene.outcome
}

#[test]
fn a_referred_picture_is_rebuilt_to_the_last_bit_over_bad_networks() {
    let mut trusting = RewindConfig::default();
    trusting.max_past = Duration::from_secs(4);
    trusting.margin = Duration::from_secs(4);
    for (seed, link) in ["delay=40", "delay=60,jitter=15,loss=0.1", "delay=90,jitter=40,loss=0.02"]
        .into_iter()
        .enumerate()
    {
        let outcome = play(trusting, link, seed as u64);
        println!("{link}: {outcome:?}");
        assert!(outcome.looks > 500 && outcome.teleports > 20, "{link}: {outcome:?}");
        assert_eq!(outcome.exact, outcome.looks, "{link}: {outcome:?}");
    }
}

#[test]
fn within_the_bounds_of_trust_nearly_all_pictures_are_exact() {
    for (link, least) in [
        ("delay=40", 1.0),
        ("delay=60,jitter=15,loss=0.02", 0.98),
        ("delay=60,jitter=15,loss=0.1", 0.9),
    ] {
        let outcome = play(RewindConfig::default(), link, 5);
        println!("{link}: {outcome:?}");
        let share = f64::from(outcome.exact) / f64::from(outcome.looks);
        assert!(share >= least, "{link}: {outcome:?}");
    }
}
