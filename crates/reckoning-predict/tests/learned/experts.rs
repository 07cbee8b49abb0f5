//! Publishing with a learned predictor and its fallbacks.

use std::time::Duration;

use reckoning::{
    DVec3, ExportReason, Kinematics, Model, Planner, Publisher, PublisherConfig, SimTime, Threshold,
};
use reckoning_predict::Surroundings;
use reckoning_predict::learned::{Expert, LearnedConfig, LearnedModel, LearnedPlanner};

use crate::made::model;

const BOUND_M: f64 = 0.25;

fn publishing() -> PublisherConfig {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(BOUND_M).unwrap();
    (config.heartbeat, config.full_interval) = (Duration::from_hours(1), Duration::from_hours(1));
    config.export_stops = false;
    config
}

fn planner(learned: &LearnedModel, choose: bool, seed: u64) -> LearnedPlanner<&LearnedModel> {
    let mut config = LearnedConfig::default();
    (config.bound_m, config.choose, config.seed) = (BOUND_M, choose, seed);
    LearnedPlanner::new(learned, config)
}

/// Updates it takes to publish a motion, and the planner at the end.
fn updates<'m>(
    mut planner: LearnedPlanner<&'m LearnedModel>,
    motion: &dyn Fn(i64) -> Kinematics,
) -> (u64, LearnedPlanner<&'m LearnedModel>) {
    let around = Surroundings::default();
    let (mut publisher, _) = Publisher::start(publishing(), &motion(0)).unwrap();
    for tick in 1..TICKS {
        let truth = motion(tick);
        publisher.observe_planned(&truth, &mut planner, &around);
    }
    (publisher.stats().exported, planner)
}

fn updates_of(model: Model, motion: &dyn Fn(i64) -> Kinematics) -> u64 {
    let mut config = publishing();
    config.model = model;
    let (mut publisher, _) = Publisher::start(config, &motion(0)).unwrap();
    for tick in 1..TICKS {
        publisher.observe(&motion(tick));
    }
    publisher.stats().exported
}

const TICKS: i64 = 60 * 300;

/// Along a line, by its distance and speed at a time.
fn along(tick: i64, at: impl Fn(f64) -> f64) -> Kinematics {
    let now = SimTime::from_tick(tick, 60);
    let t_s = now.as_secs_f64();
    let h = 1e-4;
    let speed = (at(t_s + h) - at(t_s - h)) / (2.0 * h);
    Kinematics::moving(now, DVec3::X * at(t_s), DVec3::X * speed)
}

/// Motions that are kind to one expert or to none, and one that changes sides.
fn motions() -> Vec<Box<dyn Fn(i64) -> Kinematics>> {
    let dashes = |t_s: f64| {
        // Starts at four metres a second each second and dies away: what `Damped` thinks.
        let (whole, part) = (t_s.floor(), t_s.fract());
        4.0 * (whole * (1.0 - libm::exp(-1.0)) + 1.0 - libm::exp(-part))
    };
    vec![
        Box::new(|tick| along(tick, |t_s| 3.0 * t_s)),
        Box::new(|tick| along(tick, |t_s| 3.0 * t_s + 2.0 * libm::sin(1.7 * t_s))),
        Box::new(move |tick| along(tick, dashes)),
        Box::new(|tick| {
            along(
                tick,
                |t_s| if (t_s / 20.0) as i64 % 2 == 0 { libm::sin(9.0 * t_s) } else { 2.0 * t_s },
            )
        }),
    ]
}

#[test]
fn a_bad_model_costs_little_more_than_the_best_fallback() {
    // It thinks that everyone turns round at once.
    let bad = model(-2.0, 0.0);
    for (number, motion) in motions().iter().enumerate() {
        let plain = [
            updates(planner(&bad, false, 0), motion).0,
            updates_of(Model::Damped { fade: bad.fade() }, motion),
            updates_of(Model::Linear, motion),
        ];
        let best = plain.into_iter().min().unwrap() as f64;
        let seeds = 12;
        let sum: u64 = (0..seeds).map(|seed| updates(planner(&bad, true, seed), motion).0).sum();
        let own = sum as f64 / seeds as f64;
        // The bound of the experts with the fallbacks' prior of a fortieth, and a change of
        // expert may cost an update more.
        let allowed = 1.08 * best + 7.2 * 40.0_f64.ln() + 0.0036 * TICKS as f64 + 6.0;
        assert!(own <= allowed, "motion {number}: {own}, alone {plain:?}, allowed {allowed}");
    }
}

#[test]
fn a_good_model_stays_in_force() {
    let good = model(1.0, 0.0);
    let motion = |tick: i64| along(tick, |t_s| 3.0 * t_s + 2.0 * libm::sin(1.7 * t_s));
    let (_, planner) = updates(planner(&good, true, 1), &motion);
    let trust = planner.trust();
    assert!(trust[0].1 > trust[1].1, "{trust:?}");
}

#[test]
fn what_training_never_saw_is_left_to_the_damped_model() {
    let learned = model(1.0, 0.1);
    let mut planner = planner(&learned, false, 0);
    let at = SimTime::from_millis(16);
    let fast = Kinematics::moving(at, DVec3::ZERO, DVec3::X * 51.0);
    planner.observe(&fast, &Surroundings::default());
    let plan = planner.plan(&fast, &Surroundings::default(), ExportReason::Position);
    assert_eq!(plan, Model::Damped { fade: learned.fade() });
    assert_eq!(planner.expert(), Expert::Learned);

    let usual = Kinematics { at: SimTime::from_millis(32), velocity: DVec3::X * 4.0, ..fast };
    planner.observe(&usual, &Surroundings::default());
    assert!(matches!(
        planner.plan(&usual, &Surroundings::default(), ExportReason::Position),
        Model::Curve(_)
    ));
}

#[test]
fn the_same_truths_give_the_same_plans() {
    let learned = model(0.9, 0.3);
    for motion in motions() {
        let once = updates(planner(&learned, true, 5), &motion);
        let twice = updates(planner(&learned, true, 5), &motion);
        assert_eq!(once.0, twice.0);
        assert_eq!(once.1.trust(), twice.1.trust());
    }
}

#[test]
fn a_truth_that_is_not_finite_changes_nothing() {
    let learned = model(0.9, 0.3);
    let mut planner = planner(&learned, true, 0);
    let broken = Kinematics::moving(SimTime::ZERO, DVec3::splat(f64::NAN), DVec3::X);
    planner.observe(&broken, &Surroundings::default());
    let truth = Kinematics::moving(SimTime::from_millis(5), DVec3::ZERO, DVec3::X);
    planner.observe(&truth, &Surroundings::default());
    let Model::Curve(curve) =
        planner.plan(&truth, &Surroundings::default(), ExportReason::Position)
    else {
        return; // another expert is in force, which never saw the broken one either
    };
    assert!(curve.coefficients().iter().all(|c| c.is_finite()));
}
