//! Contract of aimed lines and of errors that are judged ahead.

mod common;

use std::time::Duration;

use common::{cases, vector};
use proptest::prelude::*;
use reckoning::aim::{Aim, AimConfig, AimedPlanner};
use reckoning::guard::{Envelope, GuardConfig, Offence, Verdict};
use reckoning::{
    Curve, CurveBasis, DVec3, ExportReason, Guard, Kinematics, Model, Planner, Publisher,
    PublisherConfig, SimTime, Threshold, Update, UpdateKind,
};

const BOUND_M: f64 = 0.25;
const TICK_US: i64 = 16_667;

fn at(tick: i64) -> SimTime {
    SimTime::from_micros(tick * TICK_US)
}

/// Round a circle of two metres at four metres per second.
fn circling(now: SimTime) -> Kinematics {
    let (sin, cos) = libm::sincos(2.0 * now.as_secs_f64());
    Kinematics {
        acceleration: DVec3::new(cos, sin, 0.0) * -8.0,
        angular_velocity: DVec3::Z * 2.0,
        ..Kinematics::moving(now, DVec3::new(cos, sin, 0.0) * 2.0, DVec3::new(-sin, cos, 0.0) * 4.0)
    }
}

/// Foresees the circle; counts how often it is asked.
#[derive(Default)]
struct Seer {
    forecasts: u32,
    is_blind: bool,
}

impl Planner<()> for Seer {
    fn plan(&mut self, _: &Kinematics, (): &(), _: ExportReason) -> Model {
        Model::Arc
    }

    fn forecast(&mut self, _: &Kinematics, (): &()) -> Option<Model> {
        self.forecasts += 1;
        (!self.is_blind).then_some(Model::Arc)
    }
}

fn config(judge_ahead: Option<Duration>) -> PublisherConfig {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(BOUND_M).unwrap();
    (config.angle_threshold, config.judge_ahead) = (None, judge_ahead);
    (config.heartbeat, config.full_interval) = (Duration::from_mins(10), Duration::from_mins(10));
    config
}

const AHEAD: Option<Duration> = Some(Duration::from_millis(200));

/// Ten seconds round the circle: all updates, and the largest error without a delay.
fn published(config: PublisherConfig, planner: &mut impl Planner<()>) -> (Vec<Update>, f64) {
    let (mut publisher, first) = Publisher::start(config, &circling(at(0))).unwrap();
    let (mut updates, mut worst_m) = (vec![first], 0.0_f64);
    for tick in 1..600 {
        let truth = circling(at(tick));
        updates.extend(publisher.observe_planned(&truth, planner, &()));
        let guess = publisher.last_update().position_at(truth.at);
        worst_m = worst_m.max(guess.distance(truth.position));
    }
    (updates, worst_m)
}

#[test]
fn bodies_are_foreseen_twenty_times_a_second_and_errors_stay_within_twice_the_threshold() {
    let mut planner = AimedPlanner::new(Seer::default(), lines(), BOUND_M).unwrap();
    let (updates, worst_m) = published(config(AHEAD), &mut planner);
    assert!(updates.len() > 10 && worst_m <= 2.0 * BOUND_M, "{} {worst_m}", updates.len());
    let forecasts = planner.inner().forecasts;
    assert!((140..=200).contains(&forecasts), "{forecasts} forecasts in ten seconds");
}

#[test]
fn a_planner_that_cannot_tell_is_judged_by_the_error_of_now() {
    let mut blind = Seer { is_blind: true, ..Seer::default() };
    let (ahead, _) = published(config(AHEAD), &mut blind);
    let (now, worst_m) = published(config(None), &mut blind);
    assert_eq!(ahead, now);
    assert!(worst_m <= BOUND_M, "{worst_m}");
}

fn lines() -> AimConfig {
    let mut lines = AimConfig::default();
    lines.curve_bytes = f64::INFINITY;
    lines
}

/// A body that is foreseen to stop is heard of before it is off: it brakes half a second later.
#[test]
fn a_stop_that_is_foreseen_leaves_before_listeners_are_off() {
    struct Stops;
    impl Planner<()> for Stops {
        fn plan(&mut self, _: &Kinematics, (): &(), _: ExportReason) -> Model {
            Model::Damped { fade: Duration::from_millis(100) }
        }
        fn forecast(&mut self, truth: &Kinematics, (): &()) -> Option<Model> {
            let brakes = truth.at >= SimTime::from_millis(1_000);
            Some(if brakes { self.plan(truth, &(), ExportReason::Position) } else { Model::Linear })
        }
    }
    let straight = |tick| {
        let now = at(tick);
        Kinematics::moving(now, DVec3::X * 5.0 * now.as_secs_f64(), DVec3::X * 5.0)
    };
    let (mut publisher, _) = Publisher::start(config(AHEAD), &straight(0)).unwrap();
    let first = (1..90).find_map(|tick| {
        let truth = straight(tick);
        publisher.observe_planned(&truth, &mut Stops, &()).map(|update| (tick, update))
    });
    let (tick, update) = first.expect("it is foreseen to stop");
    assert!((60..64).contains(&tick), "{tick}"); // within a forecast of a second
    assert_eq!(update.kinematics().position, straight(tick).position, "nobody was off");
}

#[test]
fn a_body_at_rest_is_published_where_it_is_and_at_rest() {
    let mut planner = AimedPlanner::new(Seer::default(), lines(), BOUND_M).unwrap();
    let (mut publisher, _) = Publisher::start(config(AHEAD), &circling(at(0))).unwrap();
    let mut sent = Vec::new();
    for tick in 1..600 {
        let place = circling(at(tick.min(200)));
        let truth = if tick < 200 { place } else { Kinematics::at_rest(at(tick), place.position) };
        sent.extend(publisher.observe_planned(&truth, &mut planner, &()).map(|it| (tick, it)));
    }
    let stopped: Vec<_> = sent.iter().filter(|(tick, _)| *tick >= 200).collect();
    // The stop, and its repetition; after that nothing until the heartbeat.
    assert_eq!(stopped.len(), 2, "{stopped:?}");
    for (_, update) in stopped {
        assert_eq!(update.velocity_at(at(900)), DVec3::ZERO);
        assert_eq!(update.kinematics().position, circling(at(200)).position);
    }
}

#[test]
fn headers_decide_between_lines_and_curves() {
    let favours_lines = |overhead_bytes: f64| {
        let mut config = AimConfig::default();
        config.overhead_bytes = overhead_bytes;
        AimedPlanner::new(Seer::default(), config, BOUND_M).unwrap().publishes_lines()
    };
    assert!(favours_lines(0.0) && favours_lines(5.0), "they share a datagram");
    assert!(!favours_lines(40.0) && !favours_lines(80.0), "a datagram each");
}

/// Whether lines are published of a body that is foreseen so, after half a minute. It has a new
/// course every second, which nobody foresees, and turns at a rate that everybody does.
fn lines_after_a_while(turn_radps: f64, overhead_bytes: f64) -> bool {
    let mut config = AimConfig::default();
    config.overhead_bytes = overhead_bytes;
    let mut aim = Aim::new(config, BOUND_M).unwrap();
    let (step_s, mut place) = (0.05, DVec3::ZERO);
    for step in 0..600 {
        let turned_rad = turn_radps * step_s * f64::from(step) + 2.0 * f64::from(step / 20);
        let (sin, cos) = libm::sincos(turned_rad);
        let (way, across) = (DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0));
        place += way * (4.0 * step_s);
        let truth = Kinematics {
            angular_velocity: DVec3::Z * turn_radps,
            acceleration: across * (4.0 * turn_radps),
            ..Kinematics::moving(SimTime::from_millis(50 * i64::from(step)), place, way * 4.0)
        };
        aim.observe(&truth, &Model::Arc);
    }
    aim.publishes_lines()
}

/// Curves are worth their bytes for bodies that bend, and never for those that go straight.
#[test]
fn what_lines_and_curves_last_is_learnt_from_the_body() {
    assert!(lines_after_a_while(0.0, 40.0), "straight on a line is as good as a curve");
    assert!(!lines_after_a_while(2.0, 40.0), "round a bend it has to be renewed again and again");
    assert!(lines_after_a_while(0.4, 0.0), "which costs little where only the body counts");
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// Whatever is foreseen, a line begins near the truth, and is no faster than the path ahead
    /// unless it had to be brought nearer.
    #[test]
    fn lines_begin_near_the_truth(
        coefficients in prop::array::uniform4(vector(40.0)),
        velocity in vector(20.0),
        max_offset in 0.0..1.0,
        bound_m in 0.01..5.0,
    ) {
        let truth = Kinematics::moving(at(7), DVec3::new(3.0, -2.0, 1.0), velocity);
        let curve = Model::Curve(Curve::new(CurveBasis::FOUR, &coefficients).unwrap());
        let mut config = lines();
        config.max_offset = max_offset;
        let (seen, model) = Aim::new(config, bound_m).unwrap().published(&truth, curve);
        prop_assert_eq!(model, Model::Linear);
        let off_m = seen.position.distance(truth.position);
        prop_assert!(off_m <= max_offset * bound_m + 1e-9, "{} m", off_m);
        let speed = |ms: i64| curve.velocity_at(&truth, truth.at + Duration::from_millis(ms as u64)).length();
        let fastest = (200..=500).map(speed).fold(0.0, f64::max);
        let is_free = off_m < max_offset * bound_m * 0.999;
        prop_assert!(!is_free || seen.velocity.length() <= fastest + 1e-6, "{}", seen.velocity);
    }

    /// A guard that allows for the foresight finds nothing wrong with the lines of a body that keeps
    /// to the envelope.
    #[test]
    fn a_guard_takes_no_honest_line_for_a_cheat(turns in turns()) {
        for (offence, tick) in judged(&turns, 0.0) {
            prop_assert_eq!(offence, None, "tick {}", tick);
        }
    }

    /// Where lines begin beside the truth, and the tolerance is as much wider at both ends, nobody is
    /// corrected either.
    #[test]
    fn lines_that_begin_beside_the_truth_are_not_corrected(turns in turns()) {
        prop_assert!(!judged(&turns, 0.5).is_empty());
    }
}

fn turns() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-6.0..6.0_f64, 8)
}

/// What a guard says of the lines of a body that turns so, a second each. Nothing is corrected.
fn judged(turns: &[f64], max_offset: f64) -> Vec<(Option<Offence>, i64)> {
    let envelope = Envelope { kick_mps: 0.5, ..Envelope::of_speed(4.0, 26.0) };
    let mut guard_config = GuardConfig::new(envelope, BOUND_M * (1.0 + 2.0 * max_offset));
    guard_config.foresight = AimConfig::default().to;
    let mut aim = lines();
    aim.max_offset = max_offset;
    let tick_s = TICK_US as f64 * 1e-6;
    let mut truth = Kinematics::moving(at(0), DVec3::ZERO, DVec3::X * 3.9);
    let mut guard = Guard::start(guard_config, &truth).unwrap();
    let mut planner = AimedPlanner::new(Model::Arc, aim, BOUND_M).unwrap();
    let (mut publisher, _) = Publisher::start(config(AHEAD), &truth).unwrap();
    let mut offences = Vec::new();
    for tick in 1..480 {
        let turn_radps = turns[(tick / 60) as usize];
        let velocity = reckoning::math::rotation(DVec3::Z * turn_radps * tick_s) * truth.velocity;
        truth = Kinematics {
            angular_velocity: DVec3::Z * turn_radps,
            acceleration: DVec3::Z.cross(velocity) * turn_radps,
            ..Kinematics::moving(at(tick), truth.position + velocity * tick_s, velocity)
        };
        let Some(update) = publisher.observe_planned(&truth, &mut planner, &()) else { continue };
        let verdict = guard.judge(&update, None, truth.at + Duration::from_millis(60));
        assert_eq!(verdict, Verdict::Accept, "tick {tick}: {:?}", guard.offence());
        offences.push((guard.offence(), tick));
    }
    offences
}

#[test]
fn wrong_settings_are_refused_by_name() {
    let refused = |change: fn(&mut AimConfig), name: &str| {
        let mut config = AimConfig::default();
        change(&mut config);
        let error = format!("{}", Aim::new(config, BOUND_M).unwrap_err());
        assert!(error.contains(name), "{error}");
    };
    refused(|it| it.from = it.to, "aim window");
    refused(|it| it.max_offset = 1.1, "max_offset");
    refused(|it| it.overhead_bytes = -1.0, "overhead_bytes");
    refused(|it| it.line_bytes = 0.0, "line_bytes");
    refused(|it| it.curve_bytes = f64::NAN, "curve_bytes");
    let zero = config(Some(Duration::ZERO));
    let error = Publisher::start(zero, &circling(at(0))).unwrap_err();
    assert!(format!("{error}").contains("judge_ahead"), "{error}");
    assert_eq!(
        UpdateKind::Full,
        Publisher::start(config(AHEAD), &circling(at(0))).unwrap().1.kind()
    );
}

/// Whoever is behind a delay sees a line from then on, until the next arrives.
#[test]
fn lines_are_best_behind_the_delay_that_they_are_aimed_for() {
    const DELAYS_MS: [u64; 4] = [50, 100, 200, 350];
    let truth = circling(SimTime::ZERO);
    let line = |delay_ms: u64| {
        let mut config = AimConfig::for_delay(Duration::from_millis(delay_ms));
        config.curve_bytes = f64::INFINITY;
        let aim = Aim::new(config, BOUND_M).unwrap();
        let (seen, model) = aim.published(&truth, Model::Arc);
        Update::new(seen, model, UpdateKind::Full).unwrap()
    };
    for behind_ms in DELAYS_MS {
        let seen = |aimed_ms: u64| -> f64 {
            let line = line(aimed_ms);
            let off = |step: u64| {
                let then = SimTime::from_millis((behind_ms + 10 * step).cast_signed());
                line.position_at(then).distance(circling(then).position)
            };
            (0..=30).map(off).sum::<f64>() / 31.0
        };
        let best = DELAYS_MS.into_iter().min_by(|a, b| seen(*a).total_cmp(&seen(*b))).unwrap();
        assert_eq!(best, behind_ms);
    }
}

#[test]
fn the_aim_for_a_delay_is_judged_in_the_middle_of_its_window() {
    let ms = Duration::from_millis;
    for (delay, from) in [(0, 50), (50, 50), (123, 123), (400, 400), (5_000, 400)] {
        let aim = AimConfig::for_delay(ms(delay));
        assert_eq!(
            (aim.from, aim.to, aim.judge_ahead()),
            (ms(from), ms(from + 300), ms(from + 150))
        );
        aim.validate().unwrap();
    }
}
