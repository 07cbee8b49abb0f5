//! Who sees how much error: one body on a random walk, listeners at 200, 500 and 800 ms, and
//! the delivery policies of THESIS over the same ten minutes.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::{
    Budget, ConfigError, DVec3, Fairness, FairnessConfig, Kinematics, Leftover, ListenerId, Policy,
    Publisher, PublisherConfig, SimTime, Weights,
};

const DELAYS: [Duration; 3] = [200, 500, 800].map(Duration::from_millis);

/// A tank that takes a new speed and turn rate once a second or so.
fn walk() -> Vec<Kinematics> {
    let mut seed = 1_u64;
    let mut roll = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1_u64 << 31) as f64
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
    for (id, delay) in (0..).map(ListenerId).zip(DELAYS) {
        fairness.add_listener(id, first.at());
        fairness.handle_delay(id, delay);
    }
    fairness.handle_export(first, first.at());
    let mut acknowledgements = BTreeSet::new();
    for truth in walk {
        while let Some(&(due, to, export, arrival)) = acknowledgements.first()
            && due <= truth.at
        {
            acknowledgements.pop_first();
            fairness.handle_acknowledgement(to, export, arrival, due);
        }
        if let Some(update) = publisher.observe(truth) {
            fairness.handle_export(update, truth.at);
        }
        while let Some(sent) = fairness.poll_delivery(truth.at) {
            let delay = DELAYS[sent.to.0 as usize]; // here your network carries it
            let arrival = truth.at + delay;
            acknowledgements.insert((arrival + delay, sent.to, sent.update.at(), arrival));
        }
    }
    let end = SimTime::from_tick(36_000, 60);
    let errors = Vec::from_iter(fairness.accounts().map(|(_, account)| account.total_at(end)));
    let mean = errors.iter().sum::<f64>() / 3.0;
    let deviation = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    let sent = fairness.stats().sent;
    println!("{name:<26}{sent:>7}{mean:>8.0}{deviation:>11.0}    {errors:>7.0?}");
    Ok(())
}

fn main() -> Result<(), ConfigError> {
    let walk = walk();
    let horizon = PublisherConfig::default().heartbeat;
    let (budget, k) = (Budget::ONE, NonZeroU32::MIN.saturating_add(2));
    println!("policy                    updates    mean  deviation   at 200, 500 and 800 ms (m s)");
    run("base", Policy::Base, &walk)?;
    run("scheduling #1", Policy::Scheduled { leftover: Leftover::Dropped, horizon }, &walk)?;
    run("scheduling #2", Policy::Scheduled { leftover: Leftover::Flushed, horizon }, &walk)?;
    run("1/3 base", Policy::EveryKth { k }, &walk)?;
    for (name, weights) in [("accumulated", Weights::ACCUMULATED), ("recent", Weights::RECENT)] {
        run(&format!("probabilistic {name}"), Policy::Probabilistic { budget, weights }, &walk)?;
    }
    let weights = Weights::ACCUMULATED;
    run("deterministic accumulated", Policy::Deterministic { budget, weights }, &walk)
}
