//! Fairness over live acknowledgements: three receivers at 200, 500 and 800 ms.

use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::SimTime;
use reckoning::fairness::{Budget, Leftover, Policy, Weights};
use reckoning_net::{HostConfig, Owner, SessionConfig};

use crate::linear_format::format;
use crate::world::{World, curving};

const DELAYS_MS: [u32; 3] = [200, 500, 800];

/// The mean export error of each receiver over two minutes, in metres, and the updates sent.
fn errors(policy: Policy, seed: u64) -> ([f64; 3], u64) {
    let mut config = HostConfig::new(format(true));
    config.fairness = policy;
    config.fairness_cost = None; // all with the same threshold, as the document compares them
    config.seed = seed;
    config.zones.classes[0].threshold = reckoning::Threshold::metres(0.1).unwrap();
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
    let truth = curving(seed);
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

/// Mean and deviation over twelve seeds, and the updates sent.
fn summary(policy: Policy) -> (f64, f64, u64) {
    let runs: [_; 12] = std::array::from_fn(|seed| errors(policy, seed as u64 + 1));
    let over = |what: fn(&[f64]) -> f64| mean(&runs.map(|(errors, _)| what(&errors)));
    (over(mean), over(deviation), runs.iter().map(|(_, sent)| sent).sum())
}

#[test]
fn taking_turns_levels_the_errors_and_hardly_raises_the_mean() {
    let turns = |weights| summary(Policy::Deterministic { budget: Budget::ONE, weights });
    let (base_mean, base_deviation, base_sent) = summary(every_third());
    println!(
        "1/3 base: mean {base_mean:.3} m, deviation {base_deviation:.3} m, {base_sent} updates"
    );
    // By the error alone the mean rises by about 5 %; with a quarter of the claim by waiting by
    // half of that, for 2 % more updates: turns of claims that change quickly are met less exactly.
    for (weights, most_rise, most_sent) in
        [(Weights::TEMPERED, 1.04, 1.03), (Weights::ACCUMULATED, 1.08, 1.01)]
    {
        let (mean, deviation, sent) = turns(weights);
        println!("{weights:?}: mean {mean:.3} m, deviation {deviation:.3} m, {sent} updates");
        assert!(deviation < 0.8 * base_deviation, "{deviation} m against {base_deviation} m");
        assert!(mean < most_rise * base_mean, "{mean} m against {base_mean} m");
        let share = sent as f64 / base_sent as f64;
        assert!(share < most_sent, "{sent} updates against {base_sent}");
    }
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
