//! What policies promise each peer: its share, its distance class, its moment, and the operator's
//! budget.

use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime, Threshold};
use reckoning_net::{
    Budget, EntityId, HostConfig, Leftover, Owner, PeerId, Policy, SessionConfig, Viewpoint,
    Weights, ZoneClass,
};

use crate::linear_format::format;
use crate::world::{FRAME, World, curving};

/// One body of the host and those who watch it, at these delays.
struct Watched {
    world: World,
    body: EntityId,
    seed: u64,
}

fn nobody(_: usize, at: SimTime) -> Kinematics {
    Kinematics::at_rest(at, DVec3::ZERO)
}

impl Watched {
    fn new(config: HostConfig, delays_ms: &[u32], views: &[Viewpoint], seed: u64) -> Self {
        let mut world = World::new(config);
        world.spawns = false;
        for (n, delay) in delays_ms.iter().enumerate() {
            let link = format!("delay={delay},jitter=5,seed={}", seed * 100 + n as u64);
            let mut session = SessionConfig::default();
            session.ghost.blend = reckoning::Blend::Snap;
            world.connect(session, link.parse().unwrap());
        }
        world.run(Duration::from_secs(5), &nobody);
        for (client, view) in world.clients.iter().zip(views) {
            world.host.set_viewpoint(client.peer, *view);
        }
        let start = curving(seed)(0, world.now);
        let body = world.host.spawn(world.now, Owner::Host, b"", &start).unwrap();
        Self { world, body, seed }
    }

    fn truth(&self) -> Kinematics {
        curving(self.seed)(0, self.world.now)
    }

    fn step(&mut self) {
        let truth = self.truth();
        self.world.host.observe(self.body, &truth);
        self.world.step(&nobody);
    }

    fn run(&mut self, seconds: u32) {
        for _ in 0..100 * seconds {
            self.step();
        }
    }

    fn updates_to(&self, client: usize) -> u64 {
        let peer = self.world.clients[client].peer;
        self.world.host.peer_stats(peer).unwrap().updates_out
    }

    fn updates(&self) -> u64 {
        self.world.host.stats().traffic.updates_out
    }

    /// How far the body is from where a client shows it.
    fn error_m(&self, client: usize) -> f64 {
        let client = &self.world.clients[client];
        let shown = client.session.shown(self.body, client.local(self.world.now)).unwrap();
        shown.position.distance(self.truth().position)
    }
}

fn config(policy: Policy, cost: Option<f64>) -> HostConfig {
    let mut config = HostConfig::new(format(true));
    (config.fairness, config.fairness_cost) = (policy, cost);
    config.zones.classes[0].threshold = Threshold::metres(0.4).unwrap();
    config
}

fn turns(budget: Budget) -> Policy {
    Policy::Deterministic { budget, weights: Weights::default() }
}

fn all_policies() -> [Policy; 6] {
    let horizon = Duration::from_secs(1);
    let (budget, weights) = (Budget::THIRD, Weights::default());
    [
        Policy::Base,
        Policy::EveryKth { k: NonZeroU32::new(3).unwrap() },
        Policy::Scheduled { leftover: Leftover::Dropped, horizon },
        Policy::Scheduled { leftover: Leftover::Flushed, horizon },
        Policy::Probabilistic { budget, weights },
        Policy::Deterministic { budget, weights },
    ]
}

#[test]
fn everyone_keeps_its_share_of_the_updates_when_more_join() {
    let each = [3, 24].map(|count: usize| {
        let delays_ms: Vec<u32> = (0..count).map(|n| 30 + 20 * (n % 3) as u32).collect();
        let mut watched = Watched::new(config(turns(Budget::THIRD), None), &delays_ms, &[], 1);
        watched.run(60);
        watched.updates() as f64 / count as f64
    });
    println!("updates to each of 3 and of 24: {each:.1?}");
    assert!((each[1] / each[0] - 1.0).abs() < 0.1, "{each:?}");
}

#[test]
fn a_budget_costs_what_the_operator_allows_of_base() {
    let delays_ms = [200, 500, 800];
    let spent = |policy, cost| {
        let mut watched = Watched::new(config(policy, cost), &delays_ms, &[], 2);
        watched.run(60); // to find the threshold
        let (before, mut errors_m) = (watched.updates(), [0.0; 3]);
        for _ in 0..18_000 {
            watched.step();
            for (client, sum) in errors_m.iter_mut().enumerate() {
                *sum += watched.error_m(client) / 18_000.0;
            }
        }
        let scale = watched.world.host.threshold_scale();
        (watched.updates() - before, errors_m, scale)
    };
    let unfairness_m = |errors_m: [f64; 3]| errors_m[2] - errors_m[0];
    let (base, base_m, _) = spent(Policy::Base, None);
    let drawn = Policy::Probabilistic { budget: Budget::THIRD, weights: Weights::default() };
    for (policy, cost) in [(turns(Budget::THIRD), 1.0), (turns(Budget::THIRD), 0.6), (drawn, 1.0)] {
        let (sent, errors_m, scale) = spent(policy, Some(cost));
        let share = sent as f64 / base as f64;
        println!("allowed {cost}: {sent} of {base} updates, scale {scale:.3}");
        println!("errors {errors_m:.3?} m against {base_m:.3?} m");
        assert!((share / cost - 1.0).abs() < 0.08, "{share} of base, allowed {cost}");
        assert!(scale < 0.8, "lowered to {scale}");
        assert!(unfairness_m(errors_m) < 0.8 * unfairness_m(base_m), "{errors_m:?} {base_m:?}");
    }
    let (sent, _, scale) = spent(turns(Budget::THIRD), None);
    assert!(scale == 1.0 && sent * 2 < base, "{sent} of {base} with the threshold left alone");
}

#[test]
fn under_every_policy_a_far_peer_is_served_no_more_often_than_its_class_says() {
    let min_interval = Duration::from_millis(400);
    let views = [0.0, 0.0, 500.0, 500.0].map(|x| Viewpoint::Place(DVec3::X * x));
    let far_updates = all_policies().map(|policy| {
        let mut config = config(policy, Some(1.0));
        config.zones.classes[0].radius_m = 100.0;
        config.zones.classes[0].threshold = Threshold::metres(0.1).unwrap();
        let mut far = ZoneClass::default();
        far.heartbeat = Duration::from_secs(3);
        far.threshold = Threshold::metres(1.5).unwrap();
        far.min_interval = min_interval;
        config.zones.classes.push(far);
        let mut watched = Watched::new(config, &[50, 300, 50, 300], &views, 3);
        watched.run(5);
        let mut last = [None; 4];
        let before = watched.updates_to(2) + watched.updates_to(3);
        for _ in 0..6_000 {
            let sent = [0, 1, 2, 3].map(|client| watched.updates_to(client));
            watched.step();
            for client in [2, 3] {
                if watched.updates_to(client) > sent[client] {
                    let now = watched.world.now;
                    let gap = last[client].replace(now).map(|at| now.saturating_since(at));
                    assert!(gap.is_none_or(|gap| gap >= min_interval), "{policy:?}: {gap:?}");
                }
            }
        }
        let near = watched.updates_to(0) + watched.updates_to(1);
        let far = watched.updates_to(2) + watched.updates_to(3) - before;
        println!("{far} far, {near} near, {policy:?}");
        assert!(far > 0 && far * 2 < near, "{policy:?}");
        far
    });
    let base = far_updates[0];
    assert!(far_updates.iter().all(|far| *far <= base + base / 20), "{far_updates:?}");
}

#[test]
fn what_a_policy_planned_between_two_ticks_is_sent_at_that_moment() {
    let horizon = Duration::from_secs(1);
    for leftover in [Leftover::Dropped, Leftover::Flushed] {
        let policy = Policy::Scheduled { leftover, horizon };
        let mut watched = Watched::new(config(policy, None), &[50, 300, 600], &[], 4);
        let tick_us = watched.world.host.config().tick.as_micros() as i64;
        let phase = watched.world.host.next_wakeup().unwrap().as_micros() % tick_us;
        let (mut between, mut late) = (0, 0);
        for _ in 0..3_000 {
            let due = watched.world.host.next_wakeup().unwrap();
            let sent = watched.updates();
            watched.step();
            let now = watched.world.now;
            let on_tick = (due.as_micros() - phase) % tick_us == 0;
            if due <= now && !on_tick {
                between += 1;
                assert!(now.saturating_since(due) < FRAME, "planned for {due:?}, now {now:?}");
                late += u64::from(watched.updates() == sent);
            }
        }
        println!("{leftover:?}: {between} wake-ups between ticks, {late} without an update");
        assert!(between > 50 && late * 10 < between, "{between} {late}");
    }
}

#[test]
fn the_host_tells_the_error_of_each_peer() {
    let delays_ms = [100, 400, 800];
    for policy in [Policy::Base, turns(Budget::THIRD)] {
        let mut config = config(policy, None);
        config.accounts = true;
        config.zones.classes[0].threshold = Threshold::metres(0.05).unwrap();
        let mut watched = Watched::new(config, &delays_ms, &[], 5);
        watched.run(5);
        let now = watched.world.now;
        let before = watched.world.host.listener_errors(now);
        let mut shown = [0.0; 3];
        for _ in 0..12_000 {
            watched.step();
            for (client, sum) in shown.iter_mut().enumerate() {
                *sum += watched.error_m(client) * FRAME.as_secs_f64();
            }
        }
        let told = watched.world.host.listener_errors(watched.world.now);
        assert_eq!(told.len(), 3);
        for (client, (after, before)) in told.iter().zip(&before).enumerate() {
            assert_eq!((after.peer, after.entities), (PeerId(client as u32 + 1), 1));
            let grown = after.accumulated() - before.accumulated();
            println!("{policy:?}: told {grown:.1} m s, shown {:.1} m s", shown[client]);
            // What the threshold allows between exports is not on the account.
            let off = shown[client] - grown;
            assert!(off > -0.1 * grown && off < 0.05 * 120.0 + 0.1 * grown, "{client}: {off} m s");
            assert!(after.confirmed > 0.9 * after.accumulated(), "{after:?}");
        }
    }
    let mut plain = Watched::new(config(Policy::Base, None), &delays_ms, &[], 5);
    plain.run(2);
    assert!(plain.world.host.listener_errors(plain.world.now).is_empty(), "nobody asked for it");
}
