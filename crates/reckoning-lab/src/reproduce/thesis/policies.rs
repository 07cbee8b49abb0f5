//! Chapter 3 of THESIS: one sender, three receivers at 200, 500 and 800 ms, and the policies
//! that decide which receiver gets which update.
//!
//! As in the document all policies see the same triggers, and an update that two of them send
//! to the same receiver has the same delay.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::fairness::{Budget, FairnessConfig, Leftover, ListenerId, Policy, Weights};
use reckoning::random::SplitMix64;
use reckoning::{
    Fairness, Kinematics, Model, Publisher, PublisherConfig, SimTime, Threshold, Update,
};

use super::tank::TankDrive;
use crate::TICK_HZ;
use crate::reproduce::Effort;
use crate::stats::Spread;

/// Mean delay of each receiver.
pub(super) const DELAYS_MS: [u32; 3] = [200, 500, 800];
/// How far single delays may lie from the mean: the three settings of the document.
pub(super) const VARIATIONS_MS: [u32; 3] = [0, 100, 180];
/// The longest time between triggers, and one that never decides.
const HEARTBEAT: Duration = Duration::from_millis(500);
const SELDOM: Duration = Duration::from_secs(10);
/// Seeds up to here were looked at while tolerances were chosen.
const UNSEEN_SEEDS: u64 = 1000;
/// The five weight cases of section 3.4.1.4, by what makes the claim.
pub(super) const WEIGHTS: [(&str, Weights); 5] = [
    ("accumulated", Weights::ACCUMULATED),
    ("instantaneous", Weights::RECENT),
    ("last time", Weights::WAITING),
    ("thirds", Weights::THIRDS),
    ("halves", Weights::ERRORS),
];

/// What decides, by name.
#[derive(Clone, Copy, Debug)]
pub(super) enum PolicyRule {
    /// A policy that sees all receivers.
    Together(Policy),
    /// Each receiver gets each update by a chance of one third: the check of figure 3.18.
    Lottery,
}

/// Every rule of the chapter, in the order of the tables.
fn rules(horizon: Duration) -> Vec<(String, PolicyRule)> {
    let scheduled = |leftover| PolicyRule::Together(Policy::Scheduled { leftover, horizon });
    let k = NonZeroU32::MIN.saturating_add(2);
    let mut rules = vec![
        ("base".to_owned(), PolicyRule::Together(Policy::Base)),
        ("scheduling #1".to_owned(), scheduled(Leftover::Dropped)),
        ("scheduling #2".to_owned(), scheduled(Leftover::Flushed)),
        ("1/3 base".to_owned(), PolicyRule::Together(Policy::EveryKth { k })),
        ("1/3 by lot".to_owned(), PolicyRule::Lottery),
    ];
    let budget = Budget::ONE;
    for (name, weights) in WEIGHTS {
        let policy = Policy::Probabilistic { budget, weights };
        rules.push((format!("probabilistic, {name}"), PolicyRule::Together(policy)));
    }
    for (name, weights) in WEIGHTS {
        let policy = Policy::Deterministic { budget, weights };
        rules.push((format!("deterministic, {name}"), PolicyRule::Together(policy)));
    }
    rules
}

/// What one run came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolicyOutcome {
    /// The accumulated export error of each receiver over the length of the run, in metres.
    pub(super) errors_m: [f64; 3],
    /// Updates sent to all of them.
    pub(super) packets: u64,
}

impl PolicyOutcome {
    pub(super) fn mean_m(&self) -> f64 {
        Spread::from_values(&self.errors_m).mean
    }

    pub(super) fn deviation_m(&self) -> f64 {
        Spread::from_values(&self.errors_m).deviation
    }

    pub(super) fn worst_m(&self) -> f64 {
        self.errors_m.into_iter().fold(0.0, f64::max)
    }
}

/// One rule under one variation of delay, once for each seed.
#[derive(Clone, Debug)]
pub(super) struct PolicySeries {
    pub(super) name: String,
    pub(super) variation_ms: u32,
    pub(super) outcomes: Vec<PolicyOutcome>,
}

impl PolicySeries {
    /// Mean and spread over seeds of one number.
    pub(super) fn spread(&self, number: impl Fn(&PolicyOutcome) -> f64) -> Spread {
        Spread::from_values(&self.outcomes.iter().map(number).collect::<Vec<_>>())
    }

    /// What one number is to the same number of another rule in the same run, seed by seed.
    pub(super) fn ratios(&self, other: &Self, number: impl Fn(&PolicyOutcome) -> f64) -> Vec<f64> {
        let pairs = self.outcomes.iter().zip(&other.outcomes);
        pairs.map(|(a, b)| number(a) / number(b)).collect()
    }

    /// The mean of the [`ratios`](Self::ratios).
    pub(super) fn ratio(&self, other: &Self, number: impl Fn(&PolicyOutcome) -> f64) -> f64 {
        Spread::from_values(&self.ratios(other, number)).mean
    }
}

/// Runs every rule under every variation.
pub(super) fn series(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Vec<PolicySeries> {
    run_all(effort, HEARTBEAT, &rules(HEARTBEAT), progress)
}

/// Base and the two schedules, without heartbeats.
pub(super) fn quiet_series(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Vec<PolicySeries> {
    let mut schedules = rules(SELDOM);
    schedules.truncate(3);
    run_all(effort, SELDOM, &schedules, progress)
}

fn run_all(
    effort: Effort,
    heartbeat: Duration,
    rules: &[(String, PolicyRule)],
    progress: &(dyn Fn(&str) + Sync),
) -> Vec<PolicySeries> {
    let trips = trips(effort, Threshold::QUARTER_METRE, heartbeat);
    let mut all = Vec::new();
    for variation_ms in VARIATIONS_MS {
        for (name, rule) in rules.iter().cloned() {
            progress(&format!("thesis: {name}, delays +-{variation_ms} ms"));
            let outcomes = trips.iter().map(|trip| trip.run(rule, variation_ms)).collect();
            all.push(PolicySeries { name, variation_ms, outcomes });
        }
    }
    all
}

/// How a threshold is lowered at equal packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowering {
    /// The measure that it is for.
    pub(super) measure: &'static str,
    pub(super) heartbeat: Duration,
    /// How many updates each trigger of the coarsest threshold pays for.
    pub(super) updates: u32,
}

impl Lowering {
    /// As THESIS says, then without heartbeats, then with a third of the packets, then both.
    pub(super) const ALL: [Self; 4] = [
        Self { measure: "thresholds", heartbeat: HEARTBEAT, updates: 3 },
        Self { measure: "thresholds without heartbeats", heartbeat: SELDOM, updates: 3 },
        Self { measure: "thresholds with a third", heartbeat: HEARTBEAT, updates: 1 },
        Self {
            measure: "thresholds without heartbeats with a third",
            heartbeat: SELDOM,
            updates: 1,
        },
    ];
}

/// The share of triggers that came because nothing had been sent for a heartbeat.
pub(super) fn heartbeats(effort: Effort, threshold_m: f64) -> f64 {
    let threshold = Threshold::metres(threshold_m).expect("thresholds are positive");
    let (mut silent, mut gaps) = (0, 0);
    for trip in trips(effort, threshold, HEARTBEAT) {
        let waited = trip.exports.windows(2).map(|pair| pair[1].at().secs_since(pair[0].at()));
        silent += waited.clone().filter(|&gap_s| gap_s >= HEARTBEAT.as_secs_f64() - 1e-6).count();
        gaps += waited.count();
    }
    silent as f64 / gaps as f64
}

/// Accumulated error by turns with the same packets at each of these thresholds (in metres),
/// which a lower threshold spreads over more triggers.
pub(super) fn by_threshold(
    effort: Effort,
    thresholds_m: [f64; 3],
    lowering: Lowering,
) -> [PolicySeries; 3] {
    let Lowering { heartbeat, updates, .. } = lowering;
    let threshold = |m: f64| Threshold::metres(m).expect("thresholds are positive");
    let coarse = trips(effort, threshold(thresholds_m[0]), heartbeat);
    thresholds_m.map(|threshold_m| {
        let trips = trips(effort, threshold(threshold_m), heartbeat);
        let outcomes = trips.iter().zip(&coarse).map(|(trip, coarse)| {
            let triggers = |trip: &TankTrip| trip.exports.len() as f64;
            let budget = Budget::matching(updates, triggers(coarse), triggers(trip));
            let budget = budget.expect("every trip exports something");
            let policy = Policy::Deterministic { budget, weights: Weights::ACCUMULATED };
            trip.run(PolicyRule::Together(policy), 0)
        });
        let outcomes = outcomes.collect();
        PolicySeries { name: format!("{threshold_m} m"), variation_ms: 0, outcomes }
    })
}

/// What the owner exported on one drive.
struct TankTrip {
    seed: u64,
    ticks: i64,
    exports: Vec<Update>,
}

fn trips(effort: Effort, threshold: Threshold, heartbeat: Duration) -> Vec<TankTrip> {
    let seeds = (1..=u64::from(effort.seeds)).map(|number| UNSEEN_SEEDS + number);
    seeds.map(|seed| trip(effort, threshold, heartbeat, seed)).collect()
}

/// A random drive, with straight updates.
fn trip(effort: Effort, threshold: Threshold, heartbeat: Duration, seed: u64) -> TankTrip {
    let track: Vec<Kinematics> = TankDrive::Random.track(effort.seconds, seed);
    let mut config = PublisherConfig::default();
    config.model = Model::Linear;
    config.threshold = threshold;
    config.heartbeat = heartbeat;
    config.angle_threshold = None;
    let started = Publisher::start(config, &track[0]);
    let (mut publisher, first) = started.expect("the settings are sound and tanks are finite");
    let later = track[1..].iter().filter_map(|truth| publisher.observe(truth));
    let exports = std::iter::once(first).chain(later).collect();
    TankTrip { seed, ticks: i64::from(effort.seconds * TICK_HZ), exports }
}

impl TankTrip {
    fn run(&self, rule: PolicyRule, variation_ms: u32) -> PolicyOutcome {
        match rule {
            PolicyRule::Together(policy) => self.run_for(policy, &[0, 1, 2], variation_ms),
            PolicyRule::Lottery => {
                // With one listener the whole budget is its frequency.
                let budget = Budget::per_trigger(1.0 / 3.0).expect("a third is positive");
                let policy = Policy::Probabilistic { budget, weights: Weights::WAITING };
                let alone = [0, 1, 2].map(|who| self.run_for(policy, &[who], variation_ms));
                PolicyOutcome {
                    errors_m: [0, 1, 2].map(|who| alone[who].errors_m[who]),
                    packets: alone.iter().map(|outcome| outcome.packets).sum(),
                }
            }
        }
    }

    fn run_for(&self, policy: Policy, listeners: &[u32], variation_ms: u32) -> PolicyOutcome {
        let mut run = PolicyRun::new(self.fairness(policy, listeners), self.seed, variation_ms);
        let mut exports = self.exports.iter().peekable();
        for tick in 0..=self.ticks {
            let now = SimTime::from_tick(tick, TICK_HZ);
            run.hear(now);
            if let Some(update) = exports.next_if(|update| update.at() <= now) {
                run.fairness.handle_export(*update, now);
            }
            run.send(now);
        }
        run.outcome(SimTime::from_tick(self.ticks, TICK_HZ))
    }

    fn fairness(&self, policy: Policy, listeners: &[u32]) -> Fairness {
        let mut config = FairnessConfig::default();
        config.policy = policy;
        // A listener of its own draws lots of its own.
        config.seed = self.seed * 8 + u64::from(listeners[0]);
        let mut fairness = Fairness::new(config).expect("the horizon is not zero");
        for &who in listeners {
            fairness.add_listener(ListenerId(who), SimTime::ZERO);
            let delay = Duration::from_millis(u64::from(DELAYS_MS[who as usize]));
            fairness.handle_delay(ListenerId(who), delay);
        }
        fairness
    }
}

/// One policy at work.
struct PolicyRun {
    fairness: Fairness,
    luck: SplitMix64,
    variation_ms: f64,
    /// By the moment they are heard; whose, of which export, and the arrival they report.
    acks: BTreeMap<(SimTime, ListenerId, SimTime), SimTime>,
}

impl PolicyRun {
    fn new(fairness: Fairness, seed: u64, variation_ms: u32) -> Self {
        let variation_ms = f64::from(variation_ms);
        Self { fairness, luck: SplitMix64::new(seed).fork(99), variation_ms, acks: BTreeMap::new() }
    }

    fn hear(&mut self, now: SimTime) {
        while let Some(ack) = self.acks.first_entry().filter(|ack| ack.key().0 <= now) {
            let ((due, from, export), arrival) = ack.remove_entry();
            self.fairness.handle_acknowledgement(from, export, arrival, due);
        }
    }

    fn send(&mut self, now: SimTime) {
        while let Some(delivery) = self.fairness.poll_delivery(now) {
            let (to, export) = (delivery.to, delivery.update.at());
            let arrival = now + self.way(to, export, 0);
            self.acks.insert((arrival + self.way(to, export, 1), to, export), arrival);
        }
    }

    /// How long an update, or its acknowledgement, is on the way: evenly spread about the
    /// mean, and the same whichever policy sends it.
    fn way(&self, listener: ListenerId, export: SimTime, leg: u64) -> Duration {
        let purpose = 2 * u64::from(listener.0) + leg;
        let mut random = self.luck.fork(purpose).fork(export.as_micros().unsigned_abs());
        let off_ms = random.between(-self.variation_ms, self.variation_ms);
        let way_ms = f64::from(DELAYS_MS[listener.0 as usize]) + off_ms;
        Duration::from_micros((1_000.0 * way_ms) as u64)
    }

    fn outcome(&self, end: SimTime) -> PolicyOutcome {
        let mut errors_m = [0.0; 3];
        for (id, account) in self.fairness.accounts() {
            errors_m[id.0 as usize] = account.total_at(end) / end.as_secs_f64();
        }
        PolicyOutcome { errors_m, packets: self.fairness.stats().sent }
    }
}
