//! LI: the interest scheme, its hybrid, and what a player likes.

use reckoning::DVec3;
use reckoning_predict::{
    Behaviour, Interest, InterestConfig, InterestHybrid, Item, KnownBody, Preference,
    PreferenceLearner, Restores, Scene,
};

use crate::{Scatter, assert_near, at, player, roll};

fn scheme(percent: f64) -> Interest {
    let mut config = InterestConfig::default();
    config.preference = Preference::new(percent).unwrap();
    Interest::new(config).unwrap()
}

fn item(x: f64, y: f64) -> Item {
    Item { position: at(x, y), restores: Restores::Health, worth: 50.0 }
}

/// LI's figure 1: tank B (body 0, weak) drives along x, tank A (strong) stands ahead to its
/// left, object C lies to its right.
fn figure_1() -> ([KnownBody; 2], [Item; 1]) {
    let mut b = player(0, 0, at(0.0, 0.0), at(40.0, 0.0));
    let a = player(1, 1, at(30.0, 30.0), DVec3::ZERO);
    (b.health, b.ammo) = (40.0, 5.0);
    ([b, a], [item(30.0, -30.0)])
}

fn end_of(interest: Interest, bodies: &[KnownBody], items: &[Item]) -> DVec3 {
    roll(&Behaviour::Interest(interest), &Scene::new(bodies, items), &[1.0])[0]
}

#[test]
fn the_weak_tank_turns_from_the_strong_one_to_the_object() {
    let (bodies, items) = figure_1();
    let end = end_of(scheme(0.0), &bodies, &items);
    assert!(end.y < -10.0, "path 3 of figure 1: {end}");

    let end = end_of(scheme(0.0), &bodies, &[]);
    assert!(end.y < -10.0, "flees even without an object: {end}");
    let (mut bodies, _) = figure_1();
    (bodies[0].health, bodies[1].health) = (100.0, 40.0);
    let end = end_of(scheme(0.0), &bodies, &[]);
    assert!(end.y > 10.0, "the stronger hunts: {end}");
}

#[test]
fn a_fighter_goes_for_the_tank_first() {
    let (bodies, items) = figure_1();
    let end = end_of(scheme(100.0), &bodies, &items);
    assert!(end.y > 10.0, "path 4 of figure 1: {end}");
}

#[test]
fn the_force_on_the_second_slice_is_as_worked_out_by_hand() {
    // 95 px to the enemy: m = ceil(9.5) = 10, so slice 1 is a tenth of the way over.
    // States 110 and 55 of 110: I = 0.5. After slice 0 the body is at (10, 0).
    let mut bodies =
        [player(0, 0, at(0.0, 0.0), at(40.0, 0.0)), player(1, 1, at(0.0, 95.0), at(20.0, 0.0))];
    (bodies[1].health, bodies[1].ammo) = (50.0, 5.0);
    let scene = Scene::new(&bodies, &[]);

    let got = roll(&Behaviour::Interest(scheme(0.0)), &scene, &[0.25, 0.375, 0.5]);

    let way = at(-10.0, 95.0);
    let aim = way + at(20.0, 0.0) * (0.356 * way.length() / 40.0);
    let pull = aim / aim.length() * (4165.0 * 0.5 / way.length_squared());
    let force = at(1.0, 0.0) * 0.9 + pull * 0.1;
    let velocity = force / force.length() * 40.0;
    assert_near(got[0], at(10.0, 0.0), 1e-12);
    assert_near(got[1], at(10.0, 0.0) + velocity * 0.125, 1e-9);
    assert_near(got[2], at(10.0, 0.0) + velocity * 0.25, 1e-9);
}

#[test]
fn an_object_is_worth_what_one_can_still_use_of_it() {
    // Against an enemy of like strength only the object counts.
    let turn = |health: f32, worth: f32| {
        let mut bodies =
            [player(0, 0, at(0.0, 0.0), at(40.0, 0.0)), player(1, 1, at(-20.0, 0.0), DVec3::ZERO)];
        bodies[0].health = health;
        bodies[1].health = health;
        let items = [Item { worth, ..item(0.0, 40.0) }];
        end_of(scheme(0.0), &bodies, &items).y
    };
    assert_eq!(turn(100.0, 50.0), 0.0, "nothing lacks");
    assert_eq!(turn(70.0, 50.0), turn(70.0, 30.0), "30 lack");
    assert!(turn(70.0, 20.0) < turn(70.0, 30.0) && turn(70.0, 20.0) > 0.0);
}

#[test]
fn half_a_preference_turns_half_the_angle() {
    // The object pulls along y, the enemy pushes along x.
    let mut bodies =
        [player(0, 0, at(0.0, 0.0), at(40.0, 0.0)), player(1, 1, at(-5.0, 0.0), DVec3::ZERO)];
    bodies[0].health = 60.0;
    bodies[1].health = 60.05; // a breath stronger: repels along x
    let items = [item(0.0, 1000.0)];
    let heading = |percent: f64| {
        let horizons_s = [0.25, 0.5];
        let scene = Scene::new(&bodies, &items);
        let path = roll(&Behaviour::Interest(scheme(percent)), &scene, &horizons_s);
        let way = path[1] - path[0];
        way.y.atan2(way.x)
    };
    let (none, half, full) = (heading(0.0), heading(-50.0), heading(-100.0));
    assert!((half - (none + full) * 0.5).abs() < 1e-9, "{none} {half} {full}");
    assert!(full > 1.5 && none < 1.0, "{none} {full}");
}

#[test]
fn speed_stays_as_it_was() {
    let mut random = Scatter::new(11);
    for scene in 0..50 {
        let bodies = random.players(12, 400.0);
        let items: Vec<Item> =
            (0..5).map(|_| item(random.unit() * 400.0, random.unit() * 400.0)).collect();
        let horizons_s: Vec<f64> = (0..=12).map(|slice| f64::from(slice) * 0.25).collect();
        let scene_ = Scene::new(&bodies, &items);
        let path = roll(&Behaviour::Interest(scheme(30.0)), &scene_, &horizons_s);
        let speed = bodies[0].kinematics.velocity.length();
        for (slice, pair) in path.windows(2).enumerate() {
            let got = pair[0].distance(pair[1]) / 0.25;
            assert!((got - speed).abs() < 1e-9, "scene {scene}, slice {slice}: {got} for {speed}");
        }
    }
}

#[test]
fn with_nobody_about_a_tank_drives_straight_on() {
    let bodies =
        [player(0, 0, at(1.0, 2.0), at(40.0, 0.0)), player(1, 0, at(5.0, 9.0), at(3.0, 3.0))];
    let end = roll(&Behaviour::Interest(scheme(0.0)), &Scene::new(&bodies, &[]), &[3.1])[0];
    assert_near(end, at(1.0 + 40.0 * 3.1, 2.0), 1e-9);
}

#[test]
fn the_hybrid_is_straight_up_to_500_ms_and_the_scheme_from_there() {
    let (mut bodies, items) = figure_1();
    let horizons_s = [0.1, 0.5, 0.6, 1.7];
    let hybrid = Behaviour::InterestHybrid(InterestHybrid::new(scheme(20.0)));
    let got = roll(&hybrid, &Scene::new(&bodies, &items), &horizons_s);
    assert_near(got[0], at(4.0, 0.0), 1e-12);
    assert_near(got[1], at(20.0, 0.0), 1e-12);

    bodies[0].kinematics.position = at(20.0, 0.0);
    let scene = Scene::new(&bodies, &items);
    let after = roll(&Behaviour::Interest(scheme(20.0)), &scene, &[0.6 - 0.5, 1.7 - 0.5]);
    assert_eq!(got[2..], after[..]);
}

#[test]
fn habits_are_learned_from_where_a_player_goes() {
    let learned = |y: f64| {
        let (mut bodies, items) = figure_1();
        let mut learner = PreferenceLearner::default();
        for _ in 0..180 {
            bodies[0].kinematics.velocity = at(20.0, y);
            learner.observe(&scheme(0.0), &Scene::new(&bodies, &items), 0);
        }
        learner.preference().percent()
    };
    assert_eq!(learned(20.0), 90.0); // 180 of 180, shrunk by twenty doubts
    assert_eq!(learned(-20.0), -90.0);
    assert_eq!(learned(0.0), 0.0, "between the two nothing is learned");
    assert!(Preference::new(100.5).is_err() && Preference::new(f64::NAN).is_err());
}
