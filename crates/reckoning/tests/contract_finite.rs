//! No input that is finite makes the engine panic, or answer with an infinity or a NaN, and
//! input that is not finite is refused by name.

mod common;

use common::extreme::{
    delayed_config, ghost_config, kinematics, number, orientation, publisher_config, quantiser,
    step, time, update, vector,
};
use common::ghosts::AnyGhost;
use common::{Delivery, cases, model};
use proptest::prelude::*;
use reckoning::{
    Curve, DQuat, DVec3, DelayedGhost, Ghost, Kinematics, Model, Publisher, PublisherConfig,
    Sampler, SamplerConfig, SimTime, Threshold, Update, UpdateKind,
};

fn unit(q: DQuat) -> bool {
    (q.length() - 1.0).abs() < 0.02
}

/// A ghost shows numbers after each of the updates, and its delay is sound.
fn numbers<G: AnyGhost>(
    config: G::Config,
    updates: &[(Update, SimTime)],
    asked: &[SimTime],
    delay_is_sound: impl Fn(&G, SimTime) -> bool,
) -> Result<(), TestCaseError> {
    let (update, now) = updates[0];
    let mut ghost = G::born(config, Delivery { update, now });
    for &(update, now) in updates {
        ghost.take(Delivery { update, now });
        for at in asked.iter().copied().chain([now]) {
            prop_assert!(ghost.shown_position(at).is_finite());
            prop_assert!(ghost.shown_velocity(at).is_finite());
            prop_assert!(unit(ghost.shown_orientation(at)), "{}", ghost.shown_orientation(at));
            prop_assert!(ghost.shown_angular_velocity(at).is_finite());
            prop_assert!(unit(ghost.shown_heading(at)), "{}", ghost.shown_heading(at));
            prop_assert!(delay_is_sound(&ghost, at));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn models_answer_with_numbers(update in update(), at in time()) {
        prop_assert!(update.position_at(at).is_finite());
        prop_assert!(update.velocity_at(at).is_finite());
        prop_assert!(unit(update.orientation_at(at)), "{}", update.orientation_at(at));
    }

    #[test]
    fn ghosts_answer_with_numbers(
        config in ghost_config(),
        updates in prop::collection::vec((update(), time()), 1..6),
        asked in prop::collection::vec(time(), 1..6),
    ) {
        numbers(config, &updates, &asked, |ghost: &Ghost, _| ghost.delay_s().is_finite())?;
    }

    #[test]
    fn delayed_ghosts_answer_with_numbers(
        config in delayed_config(),
        updates in prop::collection::vec((update(), time()), 1..6),
        asked in prop::collection::vec(time(), 1..6),
    ) {
        numbers(config, &updates, &asked, |ghost: &DelayedGhost, at| {
            ghost.delay_at(at).as_secs_f64() <= config.max_delay.as_secs_f64()
        })?;
    }

    #[test]
    fn publishers_export_numbers(
        config in publisher_config(),
        truths in prop::collection::vec(kinematics(), 1..8),
        threshold in number(),
    ) {
        if let Ok((mut publisher, first)) = Publisher::start(config, &truths[0]) {
            prop_assert_eq!(sound(&first), Ok(()));
            for truth in &truths {
                let exported = publisher.observe(truth);
                prop_assert_eq!(exported.as_ref().map_or(Ok(()), sound), Ok(()));
                let exported = publisher.teleport(truth);
                prop_assert_eq!(exported.as_ref().map_or(Ok(()), sound), Ok(()));
                if let Ok(threshold) = Threshold::metres(threshold) {
                    publisher.set_threshold(threshold);
                }
                prop_assert!(publisher.config().threshold.max_error_m().is_finite());
            }
        }
    }

    #[test]
    fn samplers_measure_numbers(
        frames in 1..=3_u8,
        tiny in step(),
        vertical in any::<bool>(),
        poses in prop::collection::vec((time(), vector(), orientation()), 1..12),
    ) {
        let mut config = SamplerConfig::default();
        (config.frames, config.vertical_acceleration) = (frames, vertical);
        config.tiny_velocity_mps = tiny;
        let mut sampler = Sampler::new(config).unwrap();
        for (at, position, orientation) in poses {
            let seen = sampler.observe(at, position, orientation);
            prop_assert_eq!(seen.validate(), Ok(()));
        }
    }

    #[test]
    fn rounding_yields_numbers(quantiser in quantiser(), update in update()) {
        let rounded = quantiser.kinematics(update.kinematics());
        prop_assert_eq!(rounded.validate(), Ok(()));
        let model = quantiser.model(*update.model());
        prop_assert!(Update::new(rounded, model, update.kind()).is_ok());
    }

    #[test]
    fn thresholds_judge_any_distance(max_error_m in number(), error in vector()) {
        if let Ok(threshold) = Threshold::metres(max_error_m.abs()) {
            let largest_m = error.abs().max_element();
            prop_assert!(largest_m <= max_error_m.abs() || threshold.is_crossed_by(error));
            let small = largest_m * 2.0 < max_error_m.abs() * 0.99;
            prop_assert!(!small || !threshold.is_crossed_by(error));
        }
    }

    #[test]
    fn what_is_not_finite_is_refused_by_name(
        seen in kinematics(),
        model in model(),
        field in 0..4_usize,
        axis in 0..3_usize,
        bad in prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
    ) {
        let mut broken = seen;
        let (name, vector) = match field {
            0 => ("position", &mut broken.position),
            1 => ("velocity", &mut broken.velocity),
            2 => ("acceleration", &mut broken.acceleration),
            _ => ("angular velocity", &mut broken.angular_velocity),
        };
        vector[axis] = bad;
        let named = |error: reckoning::ConfigError| {
            error.to_string().starts_with(&format!("{name} ["))
        };
        let update = Update::new(broken, model, UpdateKind::Full);
        prop_assert!(named(update.unwrap_err()));
        let publisher = Publisher::start(PublisherConfig::default(), &broken);
        prop_assert!(named(publisher.unwrap_err()));

        let sane = Kinematics { at: SimTime::MIN, ..seen };
        let (mut publisher, _) = Publisher::start(PublisherConfig::default(), &sane).unwrap();
        broken.at = SimTime::ZERO;
        prop_assert_eq!(publisher.observe(&broken), None);
        prop_assert_eq!(publisher.teleport(&broken), None);
        prop_assert_eq!(publisher.stats().refused, 2);
    }
}

/// Whether listeners would take the update.
fn sound(exported: &Update) -> Result<(), reckoning::ConfigError> {
    if let Model::Curve(curve) = exported.model() {
        Curve::new(*curve.basis(), curve.coefficients())?;
    }
    Update::new(*exported.kinematics(), *exported.model(), exported.kind()).map(|_| ())
}

#[test]
fn a_sampler_forgets_the_frames_that_a_clock_set_back_made_the_future() {
    let mut config = SamplerConfig::default();
    config.frames = 1;
    let mut sampler = Sampler::new(config).unwrap();
    let mut observe = |ms: i64, x_m: f64| {
        sampler.observe(SimTime::from_millis(ms), DVec3::X * x_m, DQuat::IDENTITY).velocity.x
    };
    observe(0, 0.0);
    observe(20, 1.0);
    observe(40, 2.0);
    assert!((observe(20, 3.0) - 150.0).abs() < 1e-9); // three metres since the frame at 0 ms
    assert!((observe(10, 3.0) - 300.0).abs() < 1e-9);
}

#[test]
fn an_orientation_that_is_no_rotation_is_refused() {
    for length in [0.0, 0.5, 2.0, f64::NAN, f64::INFINITY] {
        let orientation = DQuat::from_xyzw(0.0, 0.0, 0.0, length);
        let broken = Kinematics { orientation, ..Kinematics::default() };
        let error = Update::new(broken, Model::Linear, UpdateKind::Full).unwrap_err();
        assert!(error.to_string().starts_with(&format!("orientation has length {length}")));
    }
}
