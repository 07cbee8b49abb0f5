//! What may be relied on of the planner that chooses among five: its cost, and that it learns.

use std::time::Duration;

use reckoning::{
    DVec3, Kinematics, Model, Planner, Publisher, PublisherConfig, SimTime, Threshold,
};
use reckoning_predict::{
    Behaviour, ChooserConfig, ChooserExpert, ChooserPlanner, Interest, KnownBody, Patterns, Scene,
    Sighting, Surroundings, TrendMap, TrendMapConfig, Trended,
};

const TICKS: i64 = 7_200;
const BOUND_M: f64 = 0.25;
/// The choice is drawn; what it costs is expected over as many draws.
const SEEDS: u64 = 24;

fn config() -> ChooserConfig {
    ChooserConfig::default().scaled(0.01)
}

fn publishing() -> PublisherConfig {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(BOUND_M).unwrap();
    (config.heartbeat, config.full_interval) = (Duration::from_hours(1), Duration::from_hours(1));
    (config.export_stops, config.angle_threshold) = (false, None);
    config
}

/// How a body moves: where it is at a moment.
type Course = fn(f64) -> DVec3;

fn turning(t: f64) -> DVec3 {
    // Straight on, and round a corner every two seconds.
    let (legs, along) = ((t / 2.0).floor(), t % 2.0);
    let corner = |n: f64| DVec3::new((n / 2.0).ceil(), (n / 2.0).floor(), 0.0) * 6.0;
    corner(legs).lerp(corner(legs + 1.0), along / 2.0)
}

fn dashing(t: f64) -> DVec3 {
    let (dashes, along) = ((t / 2.0).floor(), t % 2.0);
    let gone = |s: f64| 5.0 * (1.0 - libm::exp(-s));
    DVec3::new(gone(2.0) * dashes + gone(along), 0.0, 0.0)
}

fn circling(t: f64) -> DVec3 {
    DVec3::new(libm::cos(0.9 * t), libm::sin(0.9 * t), 0.0) * 4.0
}

fn truth(course: Course, tick: i64) -> Kinematics {
    let at = SimTime::from_tick(tick, 60);
    let (now, before) = (course(at.as_secs_f64()), course(at.as_secs_f64() - 1.0 / 60.0));
    Kinematics::moving(at, now, (now - before) * 60.0)
}

fn trends(course: Course) -> TrendMap {
    let seen = (60..TICKS).step_by(5).map(|tick| {
        let [before, now] = [tick - 1, tick].map(|it| truth(course, it));
        let acceleration = (now.velocity - before.velocity) * 60.0;
        Sighting { position: now.position, velocity: now.velocity, acceleration }
    });
    TrendMap::new(&seen.collect::<Vec<_>>(), &TrendMapConfig::default()).unwrap()
}

/// Publishes a body by a planner; how many updates, and at how many ticks `also` said yes.
fn updates<P>(course: Course, planner: &mut P, map: &TrendMap) -> f64
where
    P: for<'a> Planner<Surroundings<'a>>,
{
    let mut count = 0.0;
    let (mut publisher, _) = Publisher::start(publishing(), &truth(course, 0)).unwrap();
    for tick in 1..TICKS {
        let own = truth(course, tick);
        let mut player = KnownBody::new(1, 0, own);
        player.top_speed_mps = 5.0;
        let friend = KnownBody::new(2, 0, Kinematics::at_rest(own.at, DVec3::ZERO));
        let bodies = [player, friend];
        let mut scene = Scene::new(&bodies, &[]);
        scene.trends = Some(map);
        let around = Surroundings { scene: Some(&scene), id: 1, ..Surroundings::default() };
        count += f64::from(u8::from(publisher.observe_planned(&own, planner, &around).is_some()));
    }
    count
}

/// What each expert would have sent alone.
fn alone(course: Course, map: &TrendMap) -> [f64; 5] {
    let config = config();
    let fade = config.fade;
    [
        updates(course, &mut Model::Linear, map),
        updates(course, &mut Model::Damped { fade }, map),
        updates(course, &mut Behaviour::Patterns(Patterns::new(config.patterns).unwrap()), map),
        updates(course, &mut Behaviour::Interest(Interest::new(config.interest).unwrap()), map),
        updates(course, &mut Behaviour::Trended(Trended::new(config.trend).unwrap()), map),
    ]
}

#[test]
fn whatever_a_body_does_the_choice_costs_no_more_than_its_bound() {
    for (name, course) in
        [("turning", turning as Course), ("dashing", dashing), ("circling", circling)]
    {
        let map = trends(course);
        let alone = alone(course, &map);
        let best = alone.into_iter().fold(f64::INFINITY, f64::min);
        let chosen = |seed| {
            let mut planner = ChooserPlanner::new(config(), BOUND_M, seed * 7_919).unwrap();
            updates(course, &mut planner, &map)
        };
        let mean = (0..SEEDS).map(chosen).sum::<f64>() / SEEDS as f64;
        // As the module says, with T at most all that any of them sent.
        let steps: f64 = alone.iter().sum();
        let allowed = 1.078 * best + 7.2 * libm::log(5.0) + 0.0036 * steps;
        println!("{name}: {mean} updates chosen, alone {alone:?}, allowed {allowed:.0}");
        assert!(mean <= allowed, "{name}: {mean} of {allowed}, alone {alone:?}");
        let worst = alone.into_iter().fold(0.0, f64::max);
        assert!(worst > 1.2 * allowed, "{name}: a bound that nobody could break: {alone:?}");
    }
}

#[test]
fn a_body_that_dashes_is_soon_damped_and_one_that_turns_is_not() {
    let in_force = |course: Course| {
        let mut planner = ChooserPlanner::new(config(), BOUND_M, 3).unwrap();
        updates(course, &mut planner, &trends(course));
        let trust = planner.trust();
        assert!((trust.iter().map(|it| it.1).sum::<f64>() - 1.0).abs() < 1e-9);
        (planner.expert(), trust)
    };
    let (dashing, trust) = in_force(dashing);
    assert_eq!(dashing, ChooserExpert::Damped, "{trust:?}");
    assert_ne!(in_force(turning).0, ChooserExpert::Damped);
}

#[test]
fn without_surroundings_those_who_look_around_go_straight_on() {
    let planner = ChooserPlanner::new(config(), BOUND_M, 0).unwrap();
    let (own, nothing) = (truth(turning, 60), Surroundings::default());
    for expert in [ChooserExpert::Patterns, ChooserExpert::Interest, ChooserExpert::Trend] {
        assert_eq!(planner.plan_of(expert, &own, &nothing), Model::Linear, "{expert:?}");
    }
}

#[test]
fn settings_that_are_out_of_range_are_refused_by_name() {
    let mut still = config();
    still.fade = Duration::ZERO;
    let refused = ChooserPlanner::new(still, BOUND_M, 0).unwrap_err().to_string();
    assert!(refused.contains("fade"), "{refused}");
    let mut wild = config();
    wild.patterns.follow_in_battle = 2.0;
    assert!(wild.validate().unwrap_err().to_string().contains("follow_in_battle"));
}
