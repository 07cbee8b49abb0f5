//! Who sees how much error: one body on a random walk, listeners at 200, 500 and 800 ms, and
//! the delivery policies of THESIS over the same ten minutes.

use std::{collections::BTreeMap, num::NonZeroU32, time::Duration};

use reckoning::fairness::{Budget, FairnessConfig, Leftover, ListenerId, Policy, Weights};
use reckoning::{ConfigError, DVec3, Fairness, Kinematics, Publisher, PublisherConfig, SimTime};

const DELAYS_MS: [u64; 3] = [200, 500, 800];

/// A tank that takes a new speed and turn rate once a second or so.
fn walk() -> Vec<Kinematics> {
    let mut seed = 1_u64;
    let mut roll = || {
        seed = seed * 48_271 % 2_147_483_647; // the generator MINSTD
        seed as f64 / 2_147_483_647.0
    };
    let (mut place, mut heading, mut speed, mut turn) = (DVec3::ZERO, 0.0, 10.0, 0.0);
    let step = |tick| {
        if roll() < 1.0 / 60.0 {
            (speed, turn) = (25.0 * roll(), 3.0 * (roll() - 0.5));
        }
        heading += turn / 60.0;
        let velocity = DVec3::new(libm::cos(heading), libm::sin(heading), 0.0) * speed;
        place += velocity / 60.0;
        Kinematics::moving(SimTime::from_tick(tick, 60), place, velocity)
    };
    (0..36_000).map(step).collect()
}

/// Prints the accumulated error of each listener in metre-seconds, and the updates sent.
fn run(name: &str, policy: Policy, walk: &[Kinematics]) -> Result<(), ConfigError> {
    let mut config = FairnessConfig::default();
    config.policy = policy;
    let mut fairness = Fairness::new(config)?;
    let (mut publisher, first) = Publisher::start(PublisherConfig::default(), &walk[0])?;
    for (id, delay_ms) in (0..).map(ListenerId).zip(DELAYS_MS) {
        fairness.add_listener(id, first.at());
        fairness.handle_delay(id, Duration::from_millis(delay_ms));
    }
    fairness.handle_export(first, first.at());
    let mut acks = BTreeMap::<(SimTime, ListenerId, SimTime), SimTime>::new();
    for truth in walk {
        while let Some(answer) = acks.first_entry().filter(|answer| answer.key().0 <= truth.at) {
            let ((due, to, export), arrival) = answer.remove_entry();
            fairness.handle_acknowledgement(to, export, arrival, due);
        }
        if let Some(update) = publisher.observe(truth) {
            fairness.handle_export(update, truth.at);
        }
        while let Some(sent) = fairness.poll_delivery(truth.at) {
            let delay = Duration::from_millis(DELAYS_MS[sent.to.0 as usize]);
            let arrival = truth.at + delay; // here your network carries it, and the answer
            acks.insert((arrival + delay, sent.to, sent.update.at()), arrival);
        }
    }
    let end = walk[walk.len() - 1].at;
    let errors: Vec<f64> = fairness.accounts().map(|(_, it)| it.total_at(end)).collect();
    let mean = errors.iter().sum::<f64>() / 3.0;
    let deviation = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    println!("{name:<18}{:>7}{mean:>8.0}{deviation:>11.0}   {errors:>6.0?}", fairness.stats().sent);
    Ok(())
}

fn main() -> Result<(), ConfigError> {
    let walk = walk();
    let (budget, k) = (Budget::THIRD, NonZeroU32::MIN.saturating_add(2));
    let (horizon, weights) = (PublisherConfig::default().heartbeat, Weights::default());
    println!("policy            updates   mean  deviation   at 200, 500 and 800 ms (m s)");
    run("base", Policy::Base, &walk)?;
    run("scheduling #1", Policy::Scheduled { leftover: Leftover::Dropped, horizon }, &walk)?;
    run("scheduling #2", Policy::Scheduled { leftover: Leftover::Flushed, horizon }, &walk)?;
    run("1/3 base", Policy::EveryKth { k }, &walk)?;
    run("probabilistic", Policy::Probabilistic { budget, weights }, &walk)?;
    run("deterministic", Policy::Deterministic { budget, weights }, &walk)
}
