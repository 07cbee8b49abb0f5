//! Contract of a [`Publisher`]: listeners never guess worse than they were promised.

mod common;

use std::time::Duration;

use common::{bits, cases, kinematics, model, orientation, vector};
use proptest::prelude::*;
use reckoning::dis::quat_from_euler;
use reckoning::math::angle_between;
use reckoning::{
    AngleThreshold, Blend, DVec3, Ghost, Kinematics, Publisher, PublisherConfig, Quantiser,
    SimTime, Threshold, Update, UpdateKind,
};

const HZ: u32 = 60;

/// A body that goes a smooth way: a few swings along each axis, turning as it likes.
fn smooth_truths() -> impl Strategy<Value = Vec<Kinematics>> {
    let swings = prop::collection::vec((vector(5.0), 0.2..4.0_f64, 0.0..6.0_f64), 1..4);
    (swings, vector(15.0), vector(1.5)).prop_map(|(swings, drift, turn)| {
        (0..120).map(|tick| swinging(&swings, drift, turn, SimTime::from_tick(tick, HZ))).collect()
    })
}

fn swinging(swings: &[(DVec3, f64, f64)], drift: DVec3, turn: DVec3, at: SimTime) -> Kinematics {
    let t_s = at.as_secs_f64();
    let mut seen = Kinematics::moving(at, drift * t_s, drift);
    for &(size, rate, phase) in swings {
        let (sine, cosine) = (libm::sin(rate * t_s + phase), libm::cos(rate * t_s + phase));
        seen.position += size * sine;
        seen.velocity += size * (rate * cosine);
        seen.acceleration -= size * (rate * rate * sine);
    }
    let angles = turn * libm::sin(t_s);
    seen.orientation = quat_from_euler(angles.x, angles.y, angles.z);
    seen
}

/// A body that jumps about, and whose velocity has nothing to do with it.
fn jagged_truths() -> impl Strategy<Value = Vec<Kinematics>> {
    let step = prop_oneof![3 => vector(0.05), 1 => Just(DVec3::ZERO), 1 => vector(3.0)];
    prop::collection::vec((kinematics(), step, 0.992..1.008), 2..80).prop_map(|ticks| {
        let mut position = DVec3::ZERO;
        (0..)
            .zip(ticks)
            .map(|(tick, (seen, step, length))| {
                position += step;
                let orientation = seen.orientation * length;
                Kinematics { at: SimTime::from_tick(tick, HZ), position, orientation, ..seen }
            })
            .collect()
    })
}

fn truths() -> impl Strategy<Value = Vec<Kinematics>> {
    prop_oneof![smooth_truths(), jagged_truths()]
}

fn quantiser(threshold_m: f64, threshold_rad: f64) -> impl Strategy<Value = Quantiser> {
    let steps = (0.0..1.1 * threshold_m, 0.0..0.5, 0.0..1.0, 0.0..0.1, 0.0..0.28 * threshold_rad);
    let rounded = steps.prop_map(|(position_m, velocity_mps, push, spin, orientation)| Quantiser {
        position_m,
        velocity_mps,
        acceleration_mps2: push,
        angular_velocity_radps: spin,
        orientation,
    });
    prop_oneof![Just(Quantiser::EXACT), rounded]
}

/// Any settings that let a publisher speak on every tick.
fn config() -> impl Strategy<Value = PublisherConfig> {
    (0.02..2.0, 0.01..0.6).prop_flat_map(|(max_m, max_rad)| {
        let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
        (quantiser(max_m, max_rad), model(), flags, 0.0..0.5).prop_map(
            move |(quantiser, model, (per_axis, stops, damped, exact), spread)| {
                let mut config = PublisherConfig::default();
                config.threshold = if per_axis {
                    Threshold::metres_per_axis(max_m).unwrap()
                } else {
                    Threshold::metres(max_m).unwrap()
                };
                config.angle_threshold = AngleThreshold::radians(max_rad).ok();
                config.quantiser = if exact { Quantiser::EXACT } else { quantiser };
                (config.model, config.heartbeat_spread) = (model, spread);
                (config.export_stops, config.damp_acceleration) = (stops, damped);
                config
            },
        )
    })
}

fn replay(config: &PublisherConfig, truths: &[Kinematics]) -> Vec<Update> {
    let (mut publisher, first) = Publisher::start(config.clone(), &truths[0]).unwrap();
    let later = truths[1..].iter().filter_map(|truth| publisher.observe(truth));
    std::iter::once(first).chain(later).collect()
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn without_latency_no_tick_shows_an_error_above_the_threshold(
        config in config(),
        truths in truths(),
    ) {
        let (mut publisher, first) = Publisher::start(config.clone(), &truths[0]).unwrap();
        let mut ghost = Ghost::new(first, Blend::Snap);
        for truth in &truths[1..] {
            if let Some(update) = publisher.observe(truth) {
                ghost.accept(update, truth.at);
            }
            let off = ghost.position_at(truth.at) - truth.position;
            let most_m = config.threshold.max_error_m() * (1.0 + 1e-12);
            let off_m =
                if config.threshold.is_per_axis() { off.abs().max_element() } else { off.length() };
            prop_assert!(off_m <= most_m, "{off_m} of {most_m} m at {}", truth.at);
            let turned = angle_between(ghost.orientation_at(truth.at), truth.orientation);
            let most_rad = config.angle_threshold.unwrap().max_error_rad() * (1.0 + 1e-9);
            prop_assert!(turned <= most_rad, "{turned} of {most_rad} rad at {}", truth.at);
        }
    }

    #[test]
    fn what_keeps_to_the_model_is_left_alone(config in config(), truths in jagged_truths()) {
        let (mut publisher, first) = Publisher::start(config.clone(), &truths[0]).unwrap();
        let stops = |at| config.export_stops && first.velocity_at(at) == DVec3::ZERO;
        for tick in (1..14).map(|tick| SimTime::from_tick(tick, HZ)) {
            let truth = Kinematics {
                at: tick,
                position: first.position_at(tick),
                velocity: first.velocity_at(tick),
                orientation: first.orientation_at(tick),
                ..truths[0]
            };
            prop_assert!(stops(tick) || publisher.observe(&truth).is_none(), "at {tick}");
        }
    }

    #[test]
    fn a_replay_exports_the_same_bits(config in config(), truths in truths()) {
        let (one, two) = (replay(&config, &truths), replay(&config, &truths));
        prop_assert_eq!(&one, &two);
        for (one, two) in one.iter().zip(&two) {
            prop_assert_eq!(bits(one.kinematics().position), bits(two.kinematics().position));
            prop_assert_eq!(bits(one.kinematics().velocity), bits(two.kinematics().velocity));
        }
    }

    #[test]
    fn a_copy_goes_on_like_the_original(config in config(), truths in truths()) {
        let (mut publisher, _) = Publisher::start(config, &truths[0]).unwrap();
        let (past, future) = truths.split_at(truths.len() / 2);
        for truth in past {
            publisher.observe(truth);
        }
        let mut copy = publisher.clone();
        for truth in future {
            prop_assert_eq!(publisher.observe(truth), copy.observe(truth));
        }
    }

    #[test]
    fn an_update_carries_the_rounded_truth_of_its_tick(config in config(), truths in truths()) {
        for update in replay(&config, &truths) {
            let truth = truths.iter().find(|truth| truth.at == update.at()).unwrap();
            let rounded = config.quantiser.kinematics(truth);
            prop_assert_eq!(update.kinematics().position, rounded.position);
            prop_assert_eq!(update.kinematics().velocity, rounded.velocity);
            prop_assert_eq!(update.kinematics().orientation, rounded.orientation);
        }
    }

    #[test]
    fn rounding_keeps_its_word_and_is_done_once(
        quantiser in quantiser(1.0, 0.5),
        seen in kinematics(),
        orientation in orientation(),
    ) {
        let seen = Kinematics { orientation, ..seen };
        let once = quantiser.kinematics(&seen);
        let off_m = (once.position - seen.position).length();
        prop_assert!(off_m <= quantiser.worst_position_m() * (1.0 + 1e-9) + 1e-12, "{off_m} m");
        let turned = angle_between(once.orientation, seen.orientation);
        let worst_rad = quantiser.worst_orientation_rad();
        prop_assert!(turned <= worst_rad + 1e-7, "{turned} of {worst_rad} rad");
        let twice = quantiser.kinematics(&once);
        prop_assert_eq!(bits(once.position), bits(twice.position));
        prop_assert_eq!(bits(once.velocity), bits(twice.velocity));
        let more = angle_between(once.orientation, twice.orientation);
        prop_assert!(more < 1e-7, "turned {more} rad more");
    }

    #[test]
    fn the_shortest_interval_is_kept_but_for_stops(
        config in config(),
        truths in truths(),
        min_ms in 1..250_u64,
    ) {
        let mut config = config;
        config.min_interval = Duration::from_millis(min_ms);
        config.heartbeat_spread = 0.0;
        let updates = replay(&config, &truths);
        for pair in updates.windows(2) {
            let silence = pair[1].at().saturating_since(pair[0].at());
            let stop = config.export_stops && pair[1].kinematics().velocity == DVec3::ZERO;
            prop_assert!(stop || silence >= config.min_interval, "{silence:?}");
        }
    }

    #[test]
    fn heartbeats_spread_within_bounds(seed in any::<u64>(), spread in 0.01..0.5) {
        let beats = beats(seed, spread);
        let tick_s = 1.0 / f64::from(HZ);
        let bounds = 0.5 * (1.0 - spread) - 1e-6..=0.5 * (1.0 + spread) + tick_s + 1e-6;
        for pair in beats.windows(2) {
            let silence_s = pair[1].secs_since(pair[0]);
            prop_assert!(bounds.contains(&silence_s), "{silence_s} not in {bounds:?}");
        }
        prop_assert_eq!(&beats, &self::beats(seed, spread));
    }

    #[test]
    fn full_updates_come_in_time(
        config in config(),
        truths in truths(),
        full_ms in 100..1_500_u64,
    ) {
        let mut config = config;
        config.full_interval = Duration::from_millis(full_ms);
        let updates = replay(&config, &truths);
        let full = |update: &&Update| update.kind() == UpdateKind::Full;
        let mut times: Vec<SimTime> = updates.iter().filter(full).map(Update::at).collect();
        times.push(truths.last().unwrap().at);
        let most_s = 1e-3 * full_ms as f64 * (1.0 + config.heartbeat_spread) + 0.0167;
        for pair in times.windows(2) {
            prop_assert!(pair[1].secs_since(pair[0]) <= most_s, "{pair:?}");
        }
    }
}

fn beats(seed: u64, spread: f64) -> Vec<SimTime> {
    let mut config = PublisherConfig::default();
    (config.seed, config.heartbeat_spread) = (seed, spread);
    let still: Vec<Kinematics> = (0..600).map(at_rest).collect();
    replay(&config, &still).iter().map(Update::at).collect()
}

fn at_rest(tick: i64) -> Kinematics {
    Kinematics::at_rest(SimTime::from_tick(tick, HZ), DVec3::ZERO)
}

#[test]
fn bodies_born_together_do_not_speak_together() {
    let different = (1..50).filter(|&seed| beats(seed, 0.2) != beats(0, 0.2)).count();
    assert_eq!(different, 49);
}
