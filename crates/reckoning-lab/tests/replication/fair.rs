//! Fairness over live acknowledgements: three receivers at 200, 500 and 800 ms.

use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::{Budget, Leftover, Policy, SimTime, Weights};
use reckoning_net::{HostConfig, Owner, SessionConfig};

use crate::world::{World, format, wandering};

const DELAYS_MS: [u32; 3] = [200, 500, 800];

/// The mean export error of each receiver over two minutes, in metres, and the updates sent.
fn errors(policy: Policy, seed: u64) -> ([f64; 3], u64) {
    let mut config = HostConfig::new(format());
    config.fairness = policy;
    config.seed = seed;
    let mut world = World::new(config);
    world.spawns = false;
    let nobody = |_: usize, at: SimTime| reckoning::Kinematics::at_rest(at, reckoning::DVec3::ZERO);
    for (n, delay) in DELAYS_MS.iter().enumerate() {
        let link =
            format!("delay={delay},jitter=10,seed={}", seed * 10 + n as u64).parse().unwrap();
        let mut session = SessionConfig::default();
        session.ghost.blend = reckoning::Blend::Snap;
        world.connect(session, link);
    }
    world.run(Duration::from_secs(5), &nobody);
    let truth = wandering(seed, SimTime::MAX);
    let body = world.host.spawn(world.now, Owner::Host, b"", &truth(0, world.now)).unwrap();
    let mut sums = [0.0; 3];
    let mut frames = 0;
    for step in 0..12_000 {
        world.host.observe(body, &truth(0, world.now));
        world.step(&nobody);
        if step < 500 {
            continue;
        }
        frames += 1;
        for (sum, client) in sums.iter_mut().zip(&world.clients) {
            let shown = client.session.shown(body, client.local(world.now)).expect("in sight");
            *sum += shown.position.distance(truth(0, world.now).position);
        }
    }
    let sent = world.host.stats().traffic.updates_out;
    (sums.map(|sum| sum / f64::from(frames)), sent)
}

fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len() as f64
}

fn deviation(errors: &[f64]) -> f64 {
    let mean = mean(errors);
    let squares: f64 = errors.iter().map(|error| (error - mean) * (error - mean)).sum();
    libm::sqrt(squares / errors.len() as f64)
}

fn every_third() -> Policy {
    Policy::EveryKth { k: NonZeroU32::new(3).unwrap() }
}

#[test]
fn taking_turns_levels_the_errors_without_raising_the_mean() {
    let deterministic =
        Policy::Deterministic { budget: Budget::ONE, weights: Weights::ACCUMULATED };
    let (mut fair, mut base) = (Vec::new(), Vec::new());
    for seed in [1, 2, 3] {
        fair.push(errors(deterministic, seed).0);
        base.push(errors(every_third(), seed).0);
    }
    let of = |all: &[[f64; 3]], what: fn(&[f64]) -> f64| {
        mean(&all.iter().map(|one| what(one)).collect::<Vec<_>>())
    };
    let (fair_mean, base_mean) = (of(&fair, mean), of(&base, mean));
    let (fair_deviation, base_deviation) = (of(&fair, deviation), of(&base, deviation));
    println!("deterministic {fair_mean:.3} m, deviation {fair_deviation:.3} m: {fair:.3?}");
    println!("1/3 base      {base_mean:.3} m, deviation {base_deviation:.3} m: {base:.3?}");
    assert!(fair_deviation < base_deviation, "{fair_deviation} m against {base_deviation} m");
    assert!(fair_mean < base_mean * 1.05, "{fair_mean} m against {base_mean} m");
}

#[test]
fn every_policy_keeps_all_receivers_in_the_picture() {
    let horizon = Duration::from_secs(1);
    let policies = [
        Policy::Base,
        every_third(),
        Policy::Scheduled { leftover: Leftover::Dropped, horizon },
        Policy::Scheduled { leftover: Leftover::Flushed, horizon },
        Policy::Probabilistic { budget: Budget::ONE, weights: Weights::ACCUMULATED },
    ];
    let all: Vec<_> = policies.into_iter().map(|policy| errors(policy, 1)).collect();
    println!("{all:.3?}");
    let (base, sent) = all[0];
    for (place, (each, updates)) in all.iter().enumerate().skip(1) {
        assert!(*updates < sent, "policy {place} sends less than everything");
        assert!(mean(each) > mean(&base) && mean(each) < 8.0 * mean(&base), "{place}: {each:?}");
    }
}
