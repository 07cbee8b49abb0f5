//! Occasions on which a [`Publisher`] exports, one by one.

use std::f64::consts::FRAC_PI_2;
use std::time::Duration;

use reckoning::dis::quat_from_euler;
use reckoning::{
    AngleThreshold, Blend, Curve, CurveBasis, DVec3, Ghost, Kinematics, Model, Publisher,
    PublisherConfig, SimTime, Threshold, Update, UpdateKind,
};

const HZ: u32 = 60;

fn time(tick: i64) -> SimTime {
    SimTime::from_tick(tick, HZ)
}

fn at_rest(tick: i64) -> Kinematics {
    Kinematics::at_rest(time(tick), DVec3::ZERO)
}

/// A body that drives ahead at ten metres a second until `stops`, and stands from then on.
fn drives_until(stops: i64, tick: i64) -> Kinematics {
    let place = DVec3::X * (10.0 * time(tick.min(stops)).as_secs_f64());
    let velocity = if tick < stops { DVec3::X * 10.0 } else { DVec3::ZERO };
    Kinematics::moving(time(tick), place, velocity)
}

/// A body that turns on the spot, so many radians a second, and does not say how fast.
fn spins(rate: f64, tick: i64) -> Kinematics {
    let orientation = quat_from_euler(rate * time(tick).as_secs_f64(), 0.0, 0.0);
    Kinematics { orientation, ..at_rest(tick) }
}

/// The ticks at which a body was exported, with what.
fn exports(
    config: PublisherConfig,
    ticks: i64,
    truth: impl Fn(i64) -> Kinematics,
) -> Vec<(i64, Update)> {
    let (mut publisher, _) = Publisher::start(config, &truth(0)).unwrap();
    (1..=ticks).filter_map(|tick| Some((tick, publisher.observe(&truth(tick))?))).collect()
}

fn ticks(exports: &[(i64, Update)]) -> Vec<i64> {
    exports.iter().map(|(tick, _)| *tick).collect()
}

#[test]
fn a_still_body_sends_only_heartbeats() {
    let sent = exports(PublisherConfig::default(), 120, at_rest);
    assert_eq!(ticks(&sent), [30, 60, 90, 120]); // two a second at 60 Hz
}

#[test]
fn what_was_lost_is_sent_again_at_once_unless_it_is_overtaken() {
    let mut config = PublisherConfig::default();
    config.min_interval = Duration::from_millis(100);
    let (mut publisher, first) = Publisher::start(config, &at_rest(0)).unwrap();
    publisher.handle_lost(first.at());
    let mut sent = Vec::new();
    for tick in 1..=70 {
        if tick == 10 {
            publisher.handle_lost(first.at()); // a newer one is under way
        }
        sent.extend(publisher.observe(&at_rest(tick)).map(|_| tick));
    }
    assert_eq!(sent, [6, 36, 66], "after the minimum interval, then heartbeats");
}

#[test]
fn a_steady_body_sends_only_heartbeats() {
    let sent = exports(PublisherConfig::default(), 120, |tick| drives_until(999, tick));
    assert_eq!(ticks(&sent), [30, 60, 90, 120]);
}

#[test]
fn a_stop_is_exported_at_once_and_only_once() {
    let mut config = PublisherConfig::default();
    config.stop_repeat = Duration::ZERO;
    let sent = exports(config, 60, |tick| drives_until(20, tick));
    assert_eq!(ticks(&sent), [20, 50]); // and a heartbeat, half a second later
}

#[test]
fn a_stop_that_may_be_lost_is_repeated_once() {
    let sent = exports(PublisherConfig::default(), 60, |tick| drives_until(20, tick));
    assert_eq!(ticks(&sent), [20, 26, 56]); // a tenth of a second later, then heartbeats
}

#[test]
fn a_stop_does_not_wait_for_the_shortest_interval() {
    let mut config = PublisherConfig::default();
    config.min_interval = Duration::from_millis(400);
    let sent = exports(config, 40, |tick| drives_until(5, tick));
    assert_eq!(ticks(&sent), [5, 29]); // its repetition does wait
}

#[test]
fn stops_are_no_occasion_when_switched_off() {
    let mut config = PublisherConfig::default();
    config.export_stops = false;
    // 10 m/s go past a quarter of a metre in the second tick.
    let sent = exports(config, 20, |tick| drives_until(5, tick));
    assert_eq!(ticks(&sent), [7]);
}

#[test]
fn no_model_carries_a_body_on_after_its_stop() {
    let braking = DVec3::X * -20.0;
    let models = [
        Model::Accelerating { trust: Duration::from_secs(1) },
        Model::Decaying { fade: Duration::from_secs(1) },
        Model::Curve(Curve::still(CurveBasis::FOUR)),
    ];
    for model in models {
        let mut config = PublisherConfig::default();
        config.model = model;
        let brakes = |tick| Kinematics { acceleration: braking, ..drives_until(1, tick) };
        let (_, stop) = exports(config, 1, brakes)[0];
        let later = time(20);
        assert_eq!(stop.position_at(later), stop.kinematics().position, "{model:?}");
    }
}

#[test]
fn turning_on_the_spot_is_noticed() {
    // 5 degrees at a quarter turn a second: every 3.3 ticks.
    let sent = exports(PublisherConfig::default(), 16, |tick| spins(FRAC_PI_2, tick));
    assert_eq!(ticks(&sent), [4, 8, 12, 16]);
}

#[test]
fn orientation_has_a_rate_of_its_own() {
    let mut config = PublisherConfig::default();
    config.angle_min_interval = Duration::from_millis(100);
    let sent = exports(config.clone(), 30, |tick| spins(3.0, tick));
    assert_eq!(ticks(&sent), [6, 12, 18, 24, 30]);

    let strays = |tick| Kinematics { position: DVec3::Y * tick as f64, ..spins(3.0, tick) };
    let sent = exports(config, 5, strays);
    assert_eq!(ticks(&sent), [1, 2, 3, 4, 5]); // position does not wait for it
}

#[test]
fn a_body_without_an_angle_threshold_may_turn_as_it_likes() {
    let mut config = PublisherConfig::default();
    config.angle_threshold = None;
    assert_eq!(ticks(&exports(config, 30, |tick| spins(3.0, tick))), [30]);
}

#[test]
fn motion_along_any_single_axis_is_motion() {
    for axis in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        let moves = |tick| Kinematics { position: axis * (0.1 * tick as f64), ..at_rest(tick) };
        assert_eq!(ticks(&exports(PublisherConfig::default(), 6, moves)), [3, 6], "{axis}");
        let stops = |tick| {
            let velocity = if tick < 2 { axis } else { DVec3::ZERO };
            Kinematics { velocity, ..at_rest(tick) }
        };
        assert_eq!(ticks(&exports(PublisherConfig::default(), 6, stops)), [2], "{axis}");
    }
}

#[test]
fn an_export_for_distance_puts_the_heartbeat_off() {
    let jumps = |tick| {
        let x_m = if tick < 20 { 0.0 } else { 1.0 };
        Kinematics { position: DVec3::X * x_m, ..at_rest(tick) }
    };
    assert_eq!(ticks(&exports(PublisherConfig::default(), 60, jumps)), [20, 50]);
}

#[test]
fn a_full_update_rides_on_an_export_in_the_last_tenth_of_its_interval() {
    let kind_when_heard_after = |tick_heard: i64| {
        let mut config = PublisherConfig::default();
        config.heartbeat = Duration::from_mins(1);
        let jumps = |tick| {
            let x_m = if tick < tick_heard { 0.0 } else { 1.0 };
            Kinematics { position: DVec3::X * x_m, ..at_rest(tick) }
        };
        exports(config, tick_heard, jumps)[0].1.kind()
    };
    assert_eq!(kind_when_heard_after(539), UpdateKind::Partial); // just under 9 of 10 s
    assert_eq!(kind_when_heard_after(540), UpdateKind::Full);
    assert_eq!(kind_when_heard_after(599), UpdateKind::Full);
}

#[test]
fn a_full_update_comes_when_nothing_else_is_due() {
    let mut config = PublisherConfig::default();
    config.heartbeat = Duration::from_mins(1);
    let sent = exports(config, 1_300, at_rest);
    assert_eq!(ticks(&sent), [600, 1_200]);
    assert!(sent.iter().all(|(_, update)| update.kind() == UpdateKind::Full));
}

#[test]
fn an_interval_of_for_ever_means_never_full_and_never_a_heartbeat() {
    let mut config = PublisherConfig::default();
    config.full_interval = Duration::MAX;
    let sent = exports(config.clone(), 90, at_rest);
    assert!(sent.iter().all(|(_, update)| update.kind() == UpdateKind::Partial));
    (config.heartbeat, config.heartbeat_spread) = (Duration::MAX, 0.3);
    assert_eq!(ticks(&exports(config, 1_000, at_rest)), []);
}

#[test]
fn every_update_is_full_when_full_ones_need_no_interval() {
    let sent = exports(PublisherConfig::dis(Model::Linear), 1_000, at_rest);
    assert!(sent.len() > 2);
    assert!(sent.iter().all(|(_, update)| update.kind() == UpdateKind::Full));
}

#[test]
fn a_teleport_says_so_and_is_shown_at_once() {
    let (mut publisher, first) = Publisher::start(PublisherConfig::default(), &at_rest(0)).unwrap();
    let mut ghost = Ghost::new(first, Blend::ProjectiveVelocity);
    let elsewhere = Kinematics { position: DVec3::X * 500.0, ..at_rest(1) };
    let update = publisher.teleport(&elsewhere).unwrap();
    assert_eq!(update.kind(), UpdateKind::Teleport);
    ghost.accept(update, time(1));
    assert_eq!(ghost.position_at(time(1)), elsewhere.position);
    assert_eq!(publisher.observe(&Kinematics { at: time(2), ..elsewhere }), None);
}

#[test]
fn a_new_threshold_holds_from_the_next_tick_on() {
    let (mut publisher, _) = Publisher::start(PublisherConfig::default(), &at_rest(0)).unwrap();
    let off = |tick| Kinematics { position: DVec3::X * 0.2, ..at_rest(tick) };
    assert_eq!(publisher.observe(&off(1)), None);
    publisher.set_threshold(Threshold::metres(0.1).unwrap());
    assert!(publisher.observe(&off(2)).is_some());
    publisher.set_threshold(Threshold::metres(5.0).unwrap());
    let far = Kinematics { position: DVec3::X * 4.0, ..at_rest(3) };
    assert_eq!(publisher.observe(&far), None);
}

#[test]
fn a_quaternion_a_little_too_long_or_short_is_no_turn_and_hides_none() {
    for length in [0.992, 1.008] {
        let scaled =
            |seen: Kinematics| Kinematics { orientation: seen.orientation * length, ..seen };
        assert_eq!(ticks(&exports(PublisherConfig::default(), 29, |t| scaled(at_rest(t)))), []);
        let mut config = PublisherConfig::default();
        config.angle_threshold = AngleThreshold::degrees(5.0).ok();
        let sent = exports(config, 16, |tick| scaled(spins(FRAC_PI_2, tick)));
        assert_eq!(ticks(&sent), [4, 8, 12, 16], "length {length}");
    }
}

#[test]
fn a_truth_that_is_not_later_than_the_last_export_is_refused_and_counted() {
    let (mut publisher, _) = Publisher::start(PublisherConfig::default(), &at_rest(5)).unwrap();
    for tick in [5, 4, -5] {
        assert_eq!(publisher.observe(&at_rest(tick)), None);
    }
    assert_eq!((publisher.stats().observed, publisher.stats().refused), (3, 3));
}
