//! Contract of every [`Model`].

mod common;

use std::time::Duration;

use common::{after, cases, flows, kinematics, model, motion, same_place, slope, update};
use proptest::prelude::*;
use reckoning::{Model, SimTime, Update, UpdateKind};

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_body_is_where_and_as_it_was_seen(motion in motion()) {
        let exported = update(SimTime::ZERO, motion, UpdateKind::Full);
        prop_assert!(same_place(exported.position_at(SimTime::ZERO), motion.0.position));
        let turned =
            reckoning::math::angle_between(exported.orientation_at(SimTime::ZERO), motion.0.orientation);
        prop_assert!(turned < 1e-7, "turned {turned} rad");
    }

    #[test]
    fn a_body_never_jumps(motion in motion(), t_s in -2.0..10.0) {
        let exported = update(SimTime::ZERO, motion, UpdateKind::Full);
        for now in [SimTime::ZERO, after(SimTime::ZERO, t_s)] {
            let flows = flows(|t| exported.position_at(t), |t| exported.velocity_at(t), now, 1e-6);
            prop_assert!(flows, "jumps at {now}");
        }
    }

    #[test]
    fn before_it_was_seen_it_came_straight(motion in motion(), t_s in 0.0..5.0_f64) {
        let exported = update(SimTime::ZERO, motion, UpdateKind::Full);
        let (now, before) = (SimTime::ZERO, after(SimTime::ZERO, -t_s));
        let way = exported.velocity_at(now) * before.secs_since(now);
        prop_assert!(same_place(exported.position_at(before), motion.0.position + way));
    }

    #[test]
    fn the_longer_the_fade_the_closer_to_none(
        seen in kinematics(),
        years in prop_oneof![1..1_000_u64, Just(u64::MAX / 31_536_000)],
        t_s in 0.0..10.0,
    ) {
        let fade = Duration::from_secs(years * 31_536_000);
        let now = after(SimTime::ZERO, t_s);
        let unfaded = seen.position + seen.velocity * t_s;
        let got = Model::Damped { fade }.position_at(&seen, now);
        prop_assert!((got - unfaded).length() < 1e-3, "damped {got}, not {unfaded}");
        let unfaded = unfaded + seen.acceleration * (0.5 * t_s * t_s);
        let got = Model::Decaying { fade }.position_at(&seen, now);
        prop_assert!((got - unfaded).length() < 1e-3, "decaying {got}, not {unfaded}");
    }

    #[test]
    fn a_model_moves_as_fast_as_it_says((seen, model) in (kinematics(), model()), t_s in 0.0..3.0) {
        let exported = Update::new(seen, model, UpdateKind::Partial).unwrap();
        let now = after(SimTime::ZERO, t_s);
        let says = exported.velocity_at(now);
        let forwards = slope(|t| exported.position_at(t), now, 10);
        let backwards = slope(|t| exported.position_at(t), now, -10);
        // At a corner one of the two is the velocity of the other side.
        let off = (forwards - says).length().min((backwards - says).length());
        prop_assert!(off < 1e-3 * (1.0 + says.length()), "{says}, not {forwards}");
    }
}
