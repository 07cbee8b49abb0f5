//! Each peer is judged by what it holds: through loss, after it, and without any.

use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{EntityId, HostConfig, Owner, SessionConfig, Viewpoint};

use crate::linear_format::format;
use crate::world::{World, wandering};

fn nobody(_: usize, at: SimTime) -> Kinematics {
    Kinematics::at_rest(at, DVec3::ZERO)
}

const STOPS: SimTime = SimTime::from_millis(62_000);

/// Ten bodies that wander for a minute, watched over such a link.
struct Watched {
    world: World,
    bodies: Vec<EntityId>,
    seed: u64,
    error_sum_m: f64,
    looks: u32,
}

impl Watched {
    fn new(link: &str, judge_held: bool, seed: u64) -> Self {
        let mut config = HostConfig::new(format(true));
        config.judge_held = judge_held;
        let mut world = World::new(config);
        world.spawns = false;
        world.connect(SessionConfig::default(), format!("{link},seed={seed}").parse().unwrap());
        world.run(Duration::from_secs(2), &nobody);
        world.host.set_viewpoint(world.clients[0].peer, Viewpoint::Everywhere);
        let start = world.now;
        let bodies = (0..10).map(|n| {
            let truth = wandering(seed, STOPS)(n, start);
            world.host.spawn(start, Owner::Host, b"", &truth).unwrap()
        });
        let bodies = bodies.collect();
        Self { world, bodies, seed, error_sum_m: 0.0, looks: 0 }
    }

    fn run_until(&mut self, end: SimTime) {
        let truth = wandering(self.seed, STOPS);
        while self.world.now < end {
            let now = self.world.now;
            for (n, body) in self.bodies.iter().enumerate() {
                self.world.host.observe(*body, &truth(n, now));
            }
            self.world.step(&nobody);
            for error_m in self.errors_m() {
                self.error_sum_m += error_m;
                self.looks += 1;
            }
        }
    }

    /// How far from the truth each body is drawn that is.
    fn errors_m(&self) -> Vec<f64> {
        let (client, truth) = (&self.world.clients[0], wandering(self.seed, STOPS));
        let local = client.local(self.world.now);
        let shown = |body| Some(client.session.shown(body, local)?.position);
        let of = |(n, body): (usize, &EntityId)| {
            Some(shown(*body)?.distance(truth(n, self.world.now).position))
        };
        self.bodies.iter().enumerate().filter_map(of).collect()
    }

    fn updates(&self) -> u64 {
        self.world.host.stats().traffic.updates_out
    }
}

/// At the same threshold it takes more updates: `testdata/loss.txt` compares at equal ones.
#[test]
fn where_half_is_lost_far_less_error_is_shown() {
    let run = |judge_held| {
        let mut watched = Watched::new("delay=100,loss=0.5", judge_held, 3);
        watched.run_until(STOPS);
        (watched.error_sum_m / f64::from(watched.looks), watched.updates())
    };
    let ((held_m, held), (resent_m, resent)) = (run(true), run(false));
    assert!(held_m < 0.75 * resent_m, "{held_m} m beside {resent_m} m");
    assert!(held < resent * 4, "{held} updates beside {resent}"); // 3.1 times, as measured
}

#[test]
fn where_nothing_is_lost_nothing_changes() {
    let run = |judge_held| {
        let mut watched = Watched::new("delay=100", judge_held, 4);
        watched.run_until(STOPS);
        (watched.world.clients[0].hash, watched.updates())
    };
    assert_eq!(run(true), run(false));
}

/// Whatever was lost, and whoever lost it.
#[test]
fn what_stands_still_is_shown_where_it_stands_and_costs_nothing_from_then_on() {
    for (seed, link) in (1..).zip([
        "delay=100,loss=0.5",
        "delay=100,loss=0.12,burst=4",
        "delay=40,jitter=30,loss=0.3",
        "delay=200,loss=0.2,dup=0.1",
    ]) {
        let mut watched = Watched::new(link, true, seed);
        watched.run_until(STOPS + Duration::from_secs(10));
        let errors_m = watched.errors_m();
        assert_eq!(errors_m.len(), watched.bodies.len(), "{link}: all are shown");
        assert!(errors_m.iter().all(|error_m| *error_m < 0.02), "{link}: {errors_m:?}");
        let before = watched.updates();
        watched.run_until(STOPS + Duration::from_secs(30));
        assert_eq!(watched.updates(), before, "{link}: nothing is due any more");
    }
}
