//! No input that is finite makes the engine panic, or answer with an infinity or a NaN, and
//! input that is not finite is refused by name.

mod common;

use std::time::Duration;

use common::{cases, model};
use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
use proptest::prelude::*;
use reckoning::{
    AngleThreshold, Ballistic, Blend, BlendSpan, Curve, CurveBasis, DQuat, DVec3, DelayedConfig,
    DelayedGhost, Ghost, GhostConfig, Kinematics, Landing, Model, PathRide, Publisher,
    PublisherConfig, Quantiser, Sampler, SamplerConfig, SimTime, Threshold, Timing, Update,
    UpdateKind,
};

/// Any finite number, the largest and smallest more often than chance has it.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO,
        4 => -100.0..100.0,
        1 => prop::sample::select(vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 0.0, 1e154]),
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    prop_oneof![
        2 => [number(), number(), number()].prop_map(DVec3::from_array),
        1 => number().prop_map(DVec3::splat),
        1 => Just(DVec3::ZERO),
    ]
}

fn time() -> impl Strategy<Value = SimTime> {
    let edges = vec![SimTime::MIN, SimTime::MAX, SimTime::ZERO, SimTime::from_micros(-1)];
    prop_oneof![
        any::<i64>().prop_map(SimTime::from_micros),
        (-3_000_000..3_000_000_i64).prop_map(SimTime::from_micros),
        prop::sample::select(edges),
    ]
}

/// Any span, zero and the longest more often.
fn any_span() -> impl Strategy<Value = Duration> {
    let edges = vec![
        Duration::MAX,
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_micros(u64::MAX),
        Duration::from_secs(1 << 63),
    ];
    prop_oneof![
        any::<u64>().prop_map(Duration::from_nanos),
        any::<u64>().prop_map(Duration::from_secs),
        (0..3_000_u64).prop_map(Duration::from_millis),
        prop::sample::select(edges),
    ]
}

fn span() -> impl Strategy<Value = Duration> {
    any_span().prop_map(|span| span.max(Duration::from_nanos(1)))
}

fn orientation() -> impl Strategy<Value = DQuat> {
    (common::orientation(), 0.991..1.009).prop_map(|(q, length)| q * length)
}

fn kinematics() -> impl Strategy<Value = Kinematics> {
    (time(), vector(), vector(), vector(), orientation(), vector()).prop_map(
        |(at, position, velocity, acceleration, orientation, angular_velocity)| Kinematics {
            at,
            position,
            velocity,
            acceleration,
            orientation,
            angular_velocity,
        },
    )
}

fn basis() -> impl Strategy<Value = CurveBasis> {
    prop_oneof![
        common::basis(),
        Just(CurveBasis::new(&[1e-6, 2e-6, 1e9]).unwrap()),
        Just(CurveBasis::new(&[1e-6, 1.0, 9e8, 1e9]).unwrap()),
    ]
}

fn extreme_model() -> impl Strategy<Value = Model> {
    let curve = (basis(), prop::array::uniform4(vector())).prop_map(|(basis, coefficients)| {
        let terms = basis.tau_s().len();
        Model::Curve(Curve::new(basis, &coefficients[..terms]).unwrap())
    });
    let landing = prop_oneof![Just(Landing::Stop), Just(Landing::Run)];
    let fall = (number(), number(), landing).prop_map(|(gravity_mps2, floor_m, landing)| {
        Model::Ballistic(Ballistic::new(gravity_mps2, floor_m, landing).unwrap())
    });
    let ride = (0..2_usize, number(), number()).prop_map(|(path, progress_m, rate_mps)| {
        Model::Path(PathRide { path: common::paths()[path], progress_m, rate_mps })
    });
    prop_oneof![
        4 => model(),
        1 => any_span().prop_map(|trust| Model::Accelerating { trust }),
        1 => any_span().prop_map(|fade| Model::Damped { fade }),
        1 => any_span().prop_map(|fade| Model::Decaying { fade }),
        1 => curve,
        1 => fall,
        1 => ride,
    ]
}

fn update() -> impl Strategy<Value = Update> {
    let kind = prop::sample::select(vec![
        UpdateKind::Partial,
        UpdateKind::Full,
        UpdateKind::Teleport,
        UpdateKind::Partial,
    ]);
    (kinematics(), extreme_model(), kind)
        .prop_map(|(seen, model, kind)| Update::new(seen, model, kind).unwrap())
}

fn ghost_config() -> impl Strategy<Value = GhostConfig> {
    let span = prop_oneof![
        span().prop_map(BlendSpan::Fixed),
        (span(), span())
            .prop_map(|(a, b)| BlendSpan::FromArrivals { min: a.min(b), max: a.max(b) }),
    ];
    let timing = prop_oneof![
        Just(Timing::Synchronised),
        any_span().prop_map(|delay| Timing::OnArrival { delay }),
    ];
    (prop::sample::select(&Blend::ALL[..]), span, self::span(), timing).prop_map(
        |(blend, span, max_extrapolation, timing)| {
            let mut config = GhostConfig::default();
            (config.blend, config.span) = (blend, span);
            (config.max_extrapolation, config.timing) = (max_extrapolation, timing);
            config
        },
    )
}

fn delayed_config() -> impl Strategy<Value = DelayedConfig> {
    (any_span(), any_span(), span(), span()).prop_map(|(a, b, max_extrapolation, span)| {
        let mut config = DelayedConfig::default();
        (config.min_delay, config.max_delay) = (a.min(b), a.max(b));
        (config.max_extrapolation, config.span) = (max_extrapolation, span);
        config
    })
}

fn step() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), number().prop_map(f64::abs), 1e-4..0.01]
}

fn quantiser() -> impl Strategy<Value = Quantiser> {
    prop::array::uniform5(step()).prop_map(|[p, v, a, w, q]| Quantiser {
        position_m: p,
        velocity_mps: v,
        acceleration_mps2: a,
        angular_velocity_radps: w,
        orientation: q,
    })
}

/// Settings that need not fit each other; a publisher may refuse them but not panic.
fn publisher_config() -> impl Strategy<Value = PublisherConfig> {
    let spans = (any_span(), any_span(), any_span(), any_span());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), 0.0..0.5, any::<u64>());
    let numbers = (step(), quantiser(), 1e-9..3.1);
    (spans, flags, numbers, extreme_model()).prop_map(|(spans, flags, numbers, model)| {
        let mut config = PublisherConfig::default();
        config.heartbeat = spans.0.max(spans.1);
        config.min_interval = spans.0.min(spans.1) / 2;
        (config.full_interval, config.angle_min_interval) = (spans.2, spans.3);
        config.threshold = Threshold::metres(numbers.0.max(5e-324)).unwrap();
        config.quantiser = if flags.0 { numbers.1 } else { Quantiser::EXACT };
        config.angle_threshold = AngleThreshold::radians(numbers.2).ok();
        (config.export_stops, config.damp_acceleration) = (flags.1, flags.2);
        (config.heartbeat_spread, config.seed, config.model) = (flags.3, flags.4, model);
        config
    })
}

fn unit(q: DQuat) -> bool {
    (q.length() - 1.0).abs() < 0.02
}

proptest! {
    #![proptest_config(cases(2_000))]

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
        let mut ghost = Ghost::start(config, updates[0].0, updates[0].1).unwrap();
        for (update, now) in updates {
            ghost.accept(update, now);
            for at in asked.iter().copied().chain([now]) {
                prop_assert!(ghost.position_at(at).is_finite());
                prop_assert!(ghost.velocity_at(at).is_finite());
                prop_assert!(unit(ghost.orientation_at(at)), "{}", ghost.orientation_at(at));
                prop_assert!(ghost.delay_s().is_finite());
            }
        }
    }

    #[test]
    fn delayed_ghosts_answer_with_numbers(
        config in delayed_config(),
        updates in prop::collection::vec((update(), time()), 1..6),
        asked in prop::collection::vec(time(), 1..6),
    ) {
        let mut ghost = DelayedGhost::start(config, updates[0].0, updates[0].1).unwrap();
        for (update, now) in updates {
            ghost.accept(update, now);
            for at in asked.iter().copied().chain([now]) {
                prop_assert!(ghost.position_at(at).is_finite());
                prop_assert!(ghost.velocity_at(at).is_finite());
                prop_assert!(unit(ghost.orientation_at(at)), "{}", ghost.orientation_at(at));
                prop_assert!(ghost.delay_at(at).as_secs_f64() <= config.max_delay.as_secs_f64());
            }
        }
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
            prop_assert_eq!(seen.check(), Ok(()));
        }
    }

    #[test]
    fn rounding_yields_numbers(quantiser in quantiser(), update in update()) {
        let rounded = quantiser.kinematics(update.kinematics());
        prop_assert_eq!(rounded.check(), Ok(()));
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
