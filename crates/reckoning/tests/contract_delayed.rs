//! Contract of a [`DelayedGhost`].

mod common;

use std::time::Duration;

use common::ghosts::{AnyGhost, changes, shown, told, told_and_watched, velocity_jump};
use common::{
    Delivery, Picture, after, cases, deliveries, deliveries_of, flows, millis, motion, same_place,
    smooth_model, update,
};
use proptest::prelude::*;
use reckoning::ghost::Accepted;
use reckoning::{
    DVec3, DelayedConfig, DelayedGhost, Kinematics, Model, SimTime, Update, UpdateKind,
};

fn config() -> impl Strategy<Value = DelayedConfig> {
    (millis(0..300), millis(0..400), millis(50..600), millis(50..500)).prop_map(
        |(min_delay, room, max_extrapolation, span)| {
            let mut config = DelayedConfig::default();
            (config.min_delay, config.max_delay) = (min_delay, min_delay + room);
            (config.max_extrapolation, config.span) = (max_extrapolation, span);
            config
        },
    )
}

fn shown_for_six_seconds(ghost: &DelayedGhost, from: SimTime) -> Vec<Picture> {
    (-10..60).map(|tenth| shown(ghost, after(from, f64::from(tenth) * 0.1))).collect()
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn no_update_makes_the_picture_jump(config in config(), deliveries in deliveries()) {
        for (before, after, now) in changes::<DelayedGhost>(config, &deliveries) {
            let (from, to) = (before.position_at(now), after.position_at(now));
            prop_assert!(same_place(from, to), "{from} to {to} at {now}");
            let (from, to) = (before.velocity_at(now), after.velocity_at(now));
            prop_assert!(same_place(from, to), "velocity {from} to {to} at {now}");
            let (from, to) = (before.orientation_at(now), after.orientation_at(now));
            prop_assert!(reckoning::math::angle_between(from, to) < 1e-7, "{from} to {to} at {now}");
        }
    }

    #[test]
    fn the_eye_sees_the_velocity_kept(
        config in config(),
        deliveries in deliveries_of(smooth_model()),
    ) {
        // A fixed delay: one that slides moves in whole microseconds, too coarse to difference.
        let config = { let mut fixed = config; fixed.max_delay = config.min_delay; fixed };
        prop_assert_eq!(velocity_jump::<DelayedGhost>(config, &deliveries, 2e-3), None);
    }

    #[test]
    fn the_picture_flows_at_every_moment(config in config(), deliveries in deliveries()) {
        let ghost: DelayedGhost = told(config, &deliveries);
        let last = deliveries.last().unwrap().now;
        let newest = ghost.update().at() + ghost.delay_at(last);
        let seams = [newest, newest + config.max_extrapolation, last + config.span];
        let frames = (1..60).map(|frame| after(last, f64::from(frame) * 0.0171));
        for now in seams.into_iter().filter(|&t| t > last).chain(frames) {
            // Playback moves in whole microseconds, in which the fastest go two millimetres.
            let flows = flows(|t| ghost.position_at(t), |t| ghost.velocity_at(t), now, 2e-3);
            prop_assert!(flows, "jumps at {now}, last arrival {last}");
        }
    }

    #[test]
    fn a_silent_ghost_holds_still_at_the_cap_for_ever(
        config in config(),
        deliveries in deliveries(),
        later_us in 1..i64::MAX / 4,
    ) {
        let ghost: DelayedGhost = told(config, &deliveries);
        let last = deliveries.last().unwrap().now.max(ghost.update().at());
        // The delay slides by a tenth of the time that passes.
        let slid = last + config.max_delay * 10;
        let rest = slid + config.max_delay + config.max_extrapolation + config.span;
        let newest = ghost.update();
        let at_the_cap = newest.position_at(newest.at() + config.max_extrapolation);
        for now in [rest, SimTime::from_micros(rest.as_micros() + later_us), SimTime::MAX] {
            prop_assert_eq!(ghost.position_at(now), at_the_cap);
            prop_assert_eq!(ghost.velocity_at(now), DVec3::ZERO);
        }
    }

    #[test]
    fn with_updates_in_time_each_is_passed_exactly(
        config in config(),
        motions in prop::collection::vec(motion(), 3..8),
    ) {
        // All are there before the first of them is played, so that nothing is guessed.
        let mut config = config;
        config.min_delay += Duration::from_secs(1);
        config.max_delay = config.min_delay;
        let deliveries: Vec<Delivery> = (0..).zip(motions).map(|(k, motion)| {
            let at = SimTime::from_millis(100 * k);
            Delivery { update: update(at, motion, UpdateKind::Partial), now: at }
        }).collect();
        let ghost: DelayedGhost = told(config, &deliveries);
        for Delivery { update, now } in &deliveries[1..] {
            let played = *now + config.min_delay;
            prop_assert!(same_place(ghost.position_at(played), update.kinematics().position));
        }
    }

    #[test]
    fn neither_the_order_nor_the_number_of_questions_matters(
        config in config(),
        deliveries in deliveries(),
        frame_us in 1_000..50_000_i64,
    ) {
        let unwatched: DelayedGhost = told(config, &deliveries);
        let watched: DelayedGhost = told_and_watched(config, &deliveries, frame_us);
        let from = deliveries[0].now;
        let mut backwards: Vec<Picture> =
            (-10..60).rev().map(|t| shown(&watched, after(from, f64::from(t) * 0.1))).collect();
        backwards.reverse();
        prop_assert_eq!(backwards, shown_for_six_seconds(&unwatched, from));
    }

    #[test]
    fn duplicates_are_as_if_they_had_been_lost(config in config(), deliveries in deliveries()) {
        let mut once: Vec<Delivery> = Vec::new();
        for &delivery in &deliveries {
            if once.iter().all(|known| known.update.at() != delivery.update.at()) {
                once.push(delivery);
            }
        }
        let from = deliveries[0].now;
        let twice: DelayedGhost = told(config, &deliveries);
        let once: DelayedGhost = told(config, &once);
        prop_assert_eq!(shown_for_six_seconds(&twice, from), shown_for_six_seconds(&once, from));
    }

    #[test]
    fn what_playback_is_past_changes_nothing(
        config in config(),
        deliveries in deliveries(),
        motion in motion(),
        wait_ms in 0..400_u64,
        before_us in 1..900_000_i64,
    ) {
        let mut ghost: DelayedGhost = told(config, &deliveries);
        let last = deliveries.last().unwrap().now + Duration::from_millis(wait_ms);
        let playhead = last - ghost.delay_at(last);
        let played = deliveries.iter().map(|d| d.update.at()).filter(|&at| at <= playhead).max();
        if let Some(played) = played {
            let at = SimTime::from_micros(played.as_micros() - before_us);
            let untold = ghost.clone();
            let accepted = ghost.accept(update(at, motion, UpdateKind::Partial), last);
            prop_assert_eq!(accepted, Accepted::Stale);
            let pictures = shown_for_six_seconds(&ghost, last);
            prop_assert_eq!(pictures, shown_for_six_seconds(&untold, last));
        }
    }

    #[test]
    fn the_delay_keeps_within_its_bounds(config in config(), deliveries in deliveries()) {
        let mut ghost = DelayedGhost::born(config, deliveries[0]);
        for delivery in &deliveries[1..] {
            ghost.accept(delivery.update, delivery.now);
            for later_ms in [0, 100, 10_000] {
                let delay = ghost.delay_at(delivery.now + Duration::from_millis(later_ms));
                prop_assert!((config.min_delay..=config.max_delay).contains(&delay), "{delay:?}");
            }
        }
    }

    #[test]
    fn a_teleport_already_played_is_shown_at_once(
        config in config(),
        deliveries in deliveries(),
        motion in motion(),
    ) {
        let mut ghost: DelayedGhost = told(config, &deliveries);
        let at = ghost.update().at() + Duration::from_millis(1);
        let now = deliveries.last().unwrap().now.max(at) + config.max_delay;
        let teleport = update(at, motion, UpdateKind::Teleport);
        ghost.accept(teleport, now);
        let played = (now - ghost.delay_at(now)).min(at + config.max_extrapolation);
        prop_assert!(same_place(ghost.position_at(now), teleport.position_at(played)));
    }
}

fn at_rest(at_ms: i64, x_m: f64, kind: UpdateKind) -> Update {
    let seen = Kinematics::at_rest(SimTime::from_millis(at_ms), DVec3::X * x_m);
    Update::new(seen, Model::Linear, kind).unwrap()
}

#[test]
fn an_update_that_fills_a_gap_ahead_of_playback_is_used() {
    let still = |at_ms, x_m| at_rest(at_ms, x_m, UpdateKind::Partial);
    let mut ghost =
        DelayedGhost::with_config(DelayedConfig::default(), still(0, 0.0), SimTime::ZERO).unwrap();
    ghost.accept(still(80, 0.0), SimTime::from_millis(80));
    let filled = ghost.accept(still(40, 5.0), SimTime::from_millis(85));
    assert_eq!(filled, Accepted::Filled);
    assert!((ghost.position_at(SimTime::from_millis(140)).x - 5.0).abs() < 1e-9);
}

#[test]
fn a_teleport_ahead_lets_nothing_run_on_past_the_cap() {
    let moving = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X);
    let first = Update::new(moving, Model::Linear, UpdateKind::Full).unwrap();
    let mut config = DelayedConfig::default();
    config.min_delay = Duration::from_secs(3);
    config.max_delay = config.min_delay;
    let mut ghost = DelayedGhost::with_config(config, first, SimTime::ZERO).unwrap();
    ghost.accept(at_rest(2_000, 50.0, UpdateKind::Teleport), SimTime::from_millis(2_000));
    let just_before = ghost.position_at(SimTime::from_millis(4_999)).x;
    assert!(just_before <= 0.25, "ran on to {just_before}");
    assert_eq!(ghost.position_at(SimTime::from_millis(5_000)).x, 50.0);
}

#[test]
fn a_teleport_takes_no_error_along() {
    let still = |at_ms, x_m| at_rest(at_ms, x_m, UpdateKind::Partial);
    let mut ghost =
        DelayedGhost::with_config(DelayedConfig::default(), still(0, 0.0), SimTime::ZERO).unwrap();
    // Comes so late that the picture is ten metres off, and then there is a teleport.
    ghost.accept(still(100, 10.0), SimTime::from_millis(200));
    ghost.accept(at_rest(150, 99.0, UpdateKind::Teleport), SimTime::from_millis(210));
    let arrives = (210_000..900_000).map(SimTime::from_micros);
    let shown = arrives.map(|now| ghost.position_at(now).x).find(|&x_m| x_m > 20.0);
    assert_eq!(shown, Some(99.0));
}

#[test]
fn it_turns_and_moves_before_the_simulation_began() {
    let at = SimTime::from_millis(-1_000);
    let moving = Kinematics::moving(at, DVec3::ZERO, DVec3::X);
    let first = Update::new(moving, Model::Linear, UpdateKind::Full).unwrap();
    let ghost = DelayedGhost::with_config(DelayedConfig::default(), first, at).unwrap();
    let now = SimTime::from_millis(-800);
    assert_eq!(ghost.velocity_at(now), DVec3::X);
    assert!(ghost.orientation_at(now).is_finite());
}
