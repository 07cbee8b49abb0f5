//! Contract of a change of owner: neither place nor velocity jumps on any screen.

mod common;

use std::time::Duration;

use common::ghosts::{AnyGhost, told};
use common::{Delivery, after, cases, deliveries, kinematics, millis, motion, same_place, update};
use proptest::prelude::*;
use reckoning::ghost::Accepted;
use reckoning::math::angle_between;
use reckoning::{
    Blend, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Handover, Kinematics, SimTime,
    UpdateKind,
};

/// What is wrong when the first update of another owner comes, by a clock that is `skew_ms` ahead.
fn jump_at_handover<G: AnyGhost>(
    config: G::Config,
    deliveries: &[Delivery],
    motion: (Kinematics, reckoning::Model),
    skew_ms: i64,
) -> Option<String> {
    let mut ghost: G = told(config, deliveries);
    let last = deliveries.iter().map(|it| it.update.at()).max().unwrap();
    let now = deliveries.last().unwrap().now.max(last);
    let at = after(last, skew_ms as f64 * 1e-3);
    let before = ghost.clone();
    let taken = ghost.handed_over(Delivery { update: update(at, motion, UpdateKind::Full), now });
    let place = same_place(before.shown_position(now), ghost.shown_position(now));
    let velocity = same_place(before.shown_velocity(now), ghost.shown_velocity(now));
    let turned = angle_between(before.shown_orientation(now), ghost.shown_orientation(now));
    let heading = angle_between(before.shown_heading(now), ghost.shown_heading(now));
    let well = place && velocity && turned < 1e-7 && heading < 1e-7 && taken == Accepted::Newest;
    (!well).then(|| format!("{taken:?}: {place} {velocity} {turned} {heading}"))
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn whoever_watches_takes_the_first_update_of_another_owner_without_a_jump(
        deliveries in deliveries(),
        motion in motion(),
        skew_ms in -200..200_i64,
    ) {
        let ghost = GhostConfig::default();
        prop_assert_eq!(jump_at_handover::<Ghost>(ghost, &deliveries, motion, skew_ms), None);
        let delayed = DelayedConfig::default();
        // A delayed ghost that has played past a stamp takes it only as another owner's.
        let skew_ms = skew_ms.min(-1);
        prop_assert_eq!(jump_at_handover::<DelayedGhost>(delayed, &deliveries, motion, skew_ms), None);
    }

    #[test]
    fn whoever_was_the_owner_gets_a_ghost_that_sets_out_from_the_truth(
        truth in kinematics(),
        known in motion(),
        late in millis(0..400),
    ) {
        let now = SimTime::from_millis(500);
        let first = update(now - late, known, UpdateKind::Full);
        let config = GhostConfig::default();
        let ghost = Ghost::from_shown(config, first, &truth, now).unwrap();
        prop_assert!(same_place(ghost.position_at(now), truth.position));
        prop_assert!(same_place(ghost.velocity_at(now), truth.velocity));
        prop_assert!(angle_between(ghost.orientation_at(now), truth.orientation) < 1e-7);
        let plain = Ghost::with_config(config, first, now).unwrap();
        let later = now + Duration::from_millis(334);
        prop_assert_eq!(ghost.position_at(later), plain.position_at(later));
        prop_assert_eq!(ghost.orientation_at(later), plain.orientation_at(later));
    }

    #[test]
    fn whoever_becomes_the_owner_glides_to_the_truth(
        shown in kinematics(),
        truth in kinematics(),
        span in millis(1..900),
        share in 0.0..1.0_f64,
    ) {
        let moved = |t_s: f64| Kinematics {
            at: after(truth.at, t_s),
            position: truth.position + truth.velocity * t_s,
            ..truth
        };
        let handover = Handover::start(&shown, &truth, span);
        let first = handover.shown(&truth);
        prop_assert!(same_place(first.position, shown.position));
        prop_assert!(same_place(first.velocity, shown.velocity));
        prop_assert!(angle_between(first.orientation, shown.orientation) < 1e-7);
        let (t_s, h_s) = (share * span.as_secs_f64(), 1e-5);
        let slope = handover.shown(&moved(t_s + h_s)).position - handover.shown(&moved(t_s)).position;
        let off = slope / h_s - handover.shown(&moved(t_s + 0.5 * h_s)).velocity;
        let size = 1.0 + (shown.position - truth.position).length() / span.as_secs_f64();
        if t_s + h_s < span.as_secs_f64() {
            prop_assert!(off.length() < 0.05 * (size + shown.velocity.length()), "{off}");
        }
        prop_assert_eq!(handover.shown(&moved(span.as_secs_f64())), moved(span.as_secs_f64()));
    }
}

#[test]
fn after_a_change_of_owner_updates_are_old_or_new_by_the_new_owners_stamps() {
    let at = |ms| {
        let seen = Kinematics { at: SimTime::from_millis(ms), ..Kinematics::default() };
        reckoning::Update::new(seen, reckoning::Model::Linear, UpdateKind::Full).unwrap()
    };
    let now = SimTime::from_millis(1_050);
    let mut ghost = Ghost::new(at(1_000), Blend::ProjectiveVelocity);
    assert_eq!(ghost.accept(at(950), now), Accepted::Stale);
    assert_eq!(ghost.hand_over(at(950), now), Accepted::Newest);
    assert_eq!(ghost.accept(at(940), now), Accepted::Stale);
    assert_eq!(ghost.accept(at(960), now), Accepted::Newest);
}

#[test]
fn what_teleported_with_its_change_of_owner_is_shown_there_at_once() {
    let seen = |ms, x: f64| {
        let seen = Kinematics::at_rest(SimTime::from_millis(ms), reckoning::DVec3::X * x);
        reckoning::Update::new(seen, reckoning::Model::Linear, UpdateKind::Full).unwrap()
    };
    let now = SimTime::from_millis(1_050);
    let mut ghost = Ghost::new(seen(1_000, 0.0), Blend::ProjectiveVelocity);
    ghost.hand_over(seen(950, 80.0).with_teleports(1), now);
    assert_eq!(ghost.position_at(now).x, 80.0);
}
