//! SHI: play patterns and their hybrid.

use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_predict::{
    Behaviour, Outline, Patterns, PatternsConfig, PatternsHybrid, Routes, RoutesConfig, Scene,
    SteadyTracker, Wall, Walls,
};

use crate::{Scatter, assert_near, at, ekb, oaekb, player, reference, roll, ticks};

#[test]
fn the_first_tick_in_battle_is_as_worked_out_by_hand() {
    // Own influence 2, the friend's 1.5, the enemy's 1: (0.4 * 1.5 + 2 - 1) / 2.6 of 200 is
    // 123.08 before the friends' middle. The friend is nearest, at 100: m = 10.
    let mut bodies = [
        player(0, 0, at(0.0, 100.0), at(60.0, 0.0)),
        player(1, 0, at(0.0, 0.0), DVec3::ZERO),
        player(2, 1, at(400.0, 0.0), DVec3::ZERO),
    ];
    bodies[1].ammo = 5.0;
    bodies[2].health = 0.0;
    let scene = Scene::new(&bodies, &[]);

    let first = ticks(&Behaviour::Patterns(ekb()), &scene, 1)[0];

    let way = at(200.0 * 1.6 / 2.6, -100.0);
    let bravery = way / way.length() * 240.0;
    let pulled = at(0.0, -240.0) * 0.5 + bravery * 0.5;
    let velocity = at(60.0, 0.0) * 0.9 + pulled * 0.1;
    assert_near(first, at(0.0, 100.0) + velocity / 60.0, 1e-12);
    assert_near(first, at(1.055, 99.674), 1e-3);
}

#[test]
fn the_weaker_side_falls_back_behind_its_friends() {
    let mut bodies = vec![
        player(0, 0, at(0.0, 0.0), DVec3::ZERO),
        player(1, 0, at(0.0, 0.0), DVec3::ZERO),
        player(2, 1, at(500.0, 0.0), DVec3::ZERO),
    ];
    let scene = Scene::new(&bodies, &[]);
    let strong = ticks(&Behaviour::Patterns(ekb()), &scene, 60)[59];
    assert!(strong.x > 1.0, "2.8 against 2 advances: {strong}");

    bodies.push(player(3, 1, at(500.0, 0.0), DVec3::ZERO));
    let scene = Scene::new(&bodies, &[]);
    let weak = ticks(&Behaviour::Patterns(ekb()), &scene, 60)[59];
    assert!(weak.x < -1.0, "2.8 against 4 falls back: {weak}");
}

#[test]
fn a_friend_at_half_the_span_counts_half_for_alignment() {
    // 530 is halfway from 60 to 1000; m is 53 ticks. Follow pulls along x, alignment along y.
    let bodies =
        [player(0, 0, at(0.0, 0.0), DVec3::ZERO), player(1, 0, at(530.0, 0.0), at(0.0, 120.0))];
    let scene = Scene::new(&bodies, &[]);

    let first = ticks(&Behaviour::Patterns(ekb()), &scene, 1)[0];

    let pulled = at(240.0 * 0.6, 120.0 * 0.5 * 0.4);
    assert_near(first, pulled / 53.0 / 60.0, 1e-12);
}

#[test]
fn the_second_tick_looks_anew_from_where_the_first_has_led() {
    // The friend is 300 away: m = 30; he stands, so alignment adds nothing. Nobody fights.
    // Tick 1: pulled 0.6 * (240, 0) = (144, 0); V = 29/30 (0, 120) + 1/30 (144, 0)
    //   = (4.8, 116), to (0.08, 1.93333).
    // Tick 2: the way is (299.92, -1.93333), 299.92623 long; pulled 0.6 * 240 * way / length
    //   = (143.99701, -0.92823); V = 28/30 (0, 120) + 2/30 pulled = (9.59980, 111.93812), to
    //   (0.08 + 9.59980/60, 1.93333 + 111.93812/60) = (0.23999668, 3.79896863).
    let bodies =
        [player(0, 0, at(0.0, 0.0), at(0.0, 120.0)), player(1, 0, at(300.0, 0.0), DVec3::ZERO)];
    let path = ticks(&Behaviour::Patterns(ekb()), &Scene::new(&bodies, &[]), 2);
    assert_near(path[0], at(0.08, 116.0 / 60.0), 1e-12);
    assert_near(path[1], at(0.239_996_68, 3.798_968_63), 1e-8);
}

#[test]
fn a_weak_player_alone_backs_away_from_his_enemy() {
    // Own influence 50/100 + 0 = 0.5, the enemy's 2: (0.5 - 2) / 2 of 200 is 150 back from
    // where he stands, so bravery is (-240, 0); his old velocity stands in for follow. The
    // enemy is 400 away: m = 40. Pulled 0.5 (0, 60) + 0.5 (-240, 0) = (-120, 30);
    // V = 39/40 (0, 60) + 1/40 (-120, 30) = (-3, 59.25), to (-0.05, 0.9875).
    let mut bodies =
        [player(0, 0, at(0.0, 0.0), at(0.0, 60.0)), player(1, 1, at(400.0, 0.0), DVec3::ZERO)];
    (bodies[0].health, bodies[0].ammo) = (50.0, 0.0);
    let first = ticks(&Behaviour::Patterns(ekb()), &Scene::new(&bodies, &[]), 1)[0];
    assert_near(first, at(-0.05, 0.9875), 1e-12);
}

#[test]
fn a_step_round_a_wall_leads_to_the_next_node_instead_of_the_friend() {
    let wall = Outline::Line(at(0.0, -100.0), at(0.0, 400.0));
    let walls = Walls::new([Wall::from(wall)]).unwrap();
    let mut config = RoutesConfig::default();
    (config.cell_m, config.clearance_m) = (20.0, 10.0);
    let routes = Routes::new(walls.clone(), config).unwrap();
    let (here, friend) = (at(-150.0, 0.0), at(150.0, 0.0));
    let bodies = [player(0, 0, here, at(0.0, 120.0)), player(1, 0, friend, DVec3::ZERO)];
    let mut scene = Scene::new(&bodies, &[]);
    (scene.walls, scene.routes) = (Some(&walls), Some(&routes));

    // m = 30. Straight at the friend: V = 29/30 (0, 120) + 1/30 * 0.6 (240, 0) = (4.8, 116).
    let through = ticks(&Behaviour::Patterns(ekb()), &scene, 1)[0];
    assert_near(through, here + at(4.8, 116.0) / 60.0, 1e-12);

    // The node before the wall's lower end is (-20, -120). The way there is (130, -120),
    // 176.91806 long: pulled 0.6 * 240 * way / length = (105.81164, -97.67228), so
    // V = (3.52705, 116 - 3.25574), to (-150 + 0.05878423, 1.87907093).
    assert_eq!(routes.next_step(here, friend), at(-20.0, -120.0));
    let round = ticks(&Behaviour::Patterns(oaekb()), &scene, 1)[0];
    assert_near(round, at(-149.941_215_77, 1.879_070_93), 1e-7);
}

#[test]
fn the_transition_is_over_after_m_ticks_and_never_longer_than_a_second() {
    for (distance, m) in [(95.0, 10), (300.0, 30), (1000.0, 60)] {
        let bodies = [
            player(0, 0, at(0.0, 0.0), at(0.0, -240.0)),
            player(1, 0, at(distance, 0.0), DVec3::ZERO),
        ];
        let scene = Scene::new(&bodies, &[]);
        let path = ticks(&Behaviour::Patterns(ekb()), &scene, 70);
        // The old velocity points down; the pull never does while the friend is above.
        let old = |tick: usize| {
            let from = if tick == 0 { DVec3::ZERO } else { path[tick - 1] };
            (path[tick] - from).y < 0.0
        };
        assert!(old(0), "{distance}");
        if m < 60 {
            let turned = (0..70).position(|tick| !old(tick)).unwrap();
            assert!(turned < m, "{distance}: {turned}");
        }
        let at_m = path[m - 1] - path[m - 2];
        assert!(at_m.y >= -1e-9 || m == 60, "{distance}: {at_m}");
    }
}

#[test]
fn whoever_is_off_the_screen_does_not_count() {
    let straight = |friend: DVec3| {
        let bodies = [player(0, 0, at(0.0, 0.0), at(0.0, 60.0)), player(1, 0, friend, DVec3::ZERO)];
        let end = ticks(&Behaviour::Patterns(ekb()), &Scene::new(&bodies, &[]), 30)[29];
        end.distance(at(0.0, 30.0)) < 1e-9
    };
    assert!(straight(at(1281.0, 0.0)) && !straight(at(1279.0, 0.0)));
    assert!(straight(at(0.0, -961.0)) && !straight(at(0.0, -900.0)));
}

#[test]
fn a_lone_player_simply_carries_on() {
    let bodies = [player(0, 0, at(10.0, 20.0), at(30.0, -40.0))];
    let end = ticks(&Behaviour::Patterns(ekb()), &Scene::new(&bodies, &[]), 126)[125];
    assert_near(end, at(10.0, 20.0) + at(30.0, -40.0) * 2.1, 1e-9);
}

#[test]
fn the_quick_sums_are_the_slow_sums() {
    let mut random = Scatter::new(3);
    for (count, extent) in [
        (2, 500.0),
        (10, 2000.0),
        (15, 5000.0),
        (15, 900.0),
        (150, 5000.0),
        (600, 5000.0), // more at the edge of the window than are kept apart
    ] {
        for scene in 0..12 {
            let bodies = random.players(count, extent);
            let quick = ticks(&Behaviour::Patterns(ekb()), &Scene::new(&bodies, &[]), 126);
            let slow = reference::ekb(&bodies, 126);
            for (tick, (quick, slow)) in quick.iter().zip(&slow).enumerate() {
                let off = quick.distance(*slow);
                assert!(off < 1e-6, "{count} players, scene {scene}, tick {tick}: {off}");
            }
        }
    }
}

#[test]
fn another_scale_is_the_same_game() {
    let mut bodies = Scatter::new(8).players(12, 2000.0);
    let pixels = ticks(&Behaviour::Patterns(ekb()), &Scene::new(&bodies, &[]), 60)[59];
    for body in &mut bodies {
        body.kinematics.position *= 0.01;
        body.kinematics.velocity *= 0.01;
        body.top_speed_mps *= 0.01;
    }
    let metric = Patterns::new(PatternsConfig::default().scaled(0.01)).unwrap();
    let metres = ticks(&Behaviour::Patterns(metric), &Scene::new(&bodies, &[]), 60)[59];
    assert_near(metres * 100.0, pixels, 1e-6);
}

#[test]
fn the_hybrid_is_patterns_up_to_350_ms_and_then_as_the_player_was_steady() {
    let mut bodies = Scatter::new(5).players(8, 1200.0);
    bodies[0].steady = Duration::from_secs(1);
    let scene = Scene::new(&bodies, &[]);
    let horizons_s = [0.3, 0.35, 0.36, 0.9, 1.0, 1.01, 2.1];
    let hybrid = Behaviour::PatternsHybrid(PatternsHybrid::new(ekb()));

    let got = roll(&hybrid, &scene, &horizons_s);

    let patterns = roll(&Behaviour::Patterns(ekb()), &scene, &horizons_s);
    let straight = roll(&Behaviour::Straight, &scene, &horizons_s);
    assert_eq!(got[..2], patterns[..2], "up to x");
    assert_eq!(got[2..5], straight[2..5], "steady for as long");
    assert_eq!(got[5..], patterns[5..], "turned within Q");
}

#[test]
fn steadiness_looks_back_to_the_last_turn_of_more_than_forty_degrees() {
    let mut tracker = SteadyTracker::default();
    let steady_ms = |tracker: &SteadyTracker| tracker.steady().as_millis();
    for (ms, degrees) in [(0, 0.0_f64), (100, 39.0), (200, 70.0), (300, 45.0), (400, 90.0)] {
        let heading = degrees.to_radians();
        let velocity = at(libm::cos(heading), libm::sin(heading)) * 5.0;
        tracker.observe(&Kinematics::moving(SimTime::from_millis(ms), DVec3::ZERO, velocity));
    }
    // 45 degrees is a turn against 90.
    assert_eq!(steady_ms(&tracker), 0);
    let velocity = at(0.0, 5.0);
    tracker.observe(&Kinematics::moving(SimTime::from_millis(500), DVec3::ZERO, velocity));
    assert_eq!(steady_ms(&tracker), 100);
    tracker.observe(&Kinematics::at_rest(SimTime::from_millis(600), DVec3::ZERO));
    assert_eq!(steady_ms(&tracker), 0, "to stop is to turn");
    tracker.observe(&Kinematics::at_rest(SimTime::from_millis(700), DVec3::ZERO));
    assert_eq!(steady_ms(&tracker), 100, "to stand is not");
}

#[test]
fn settings_out_of_range_do_not_construct() {
    let refused = |change: fn(&mut PatternsConfig)| {
        let mut config = PatternsConfig::default();
        change(&mut config);
        format!("{}", Patterns::new(config).unwrap_err())
    };
    assert_eq!(
        refused(|c| c.follow_in_battle = 1.5),
        "follow_in_battle is 1.5; it must be from 0 to 1"
    );
    assert!(refused(|c| c.battle_m = f64::NAN).starts_with("battle_m is NaN"));
    assert!(refused(|c| c.align_far_m = 60.0).starts_with("align_far_m is 60"));
    assert!(refused(|c| c.tick_hz = 0).starts_with("tick_hz is 0"));
}
