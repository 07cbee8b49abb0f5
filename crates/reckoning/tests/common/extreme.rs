//! Anything finite, with a taste for the ends of the range.

use std::time::Duration;

use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
use proptest::prelude::*;
use reckoning::ghost::Pace;
use reckoning::model::{Ballistic, Landing, PathRide};
use reckoning::{
    AngleThreshold, Blend, BlendSpan, Curve, CurveBasis, DQuat, DVec3, DelayedConfig, GhostConfig,
    Kinematics, Model, PublisherConfig, Quantiser, SimTime, Threshold, Timing, Update, UpdateKind,
};

use super::model;

/// Any finite number, the largest and smallest more often than chance has it.
pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO,
        4 => -100.0..100.0,
        1 => prop::sample::select(vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 0.0, 1e154]),
    ]
}

pub fn vector() -> impl Strategy<Value = DVec3> {
    prop_oneof![
        2 => [number(), number(), number()].prop_map(DVec3::from_array),
        1 => number().prop_map(DVec3::splat),
        1 => Just(DVec3::ZERO),
    ]
}

pub fn time() -> impl Strategy<Value = SimTime> {
    let edges = vec![SimTime::MIN, SimTime::MAX, SimTime::ZERO, SimTime::from_micros(-1)];
    prop_oneof![
        any::<i64>().prop_map(SimTime::from_micros),
        (-3_000_000..3_000_000_i64).prop_map(SimTime::from_micros),
        prop::sample::select(edges),
    ]
}

/// Any span, zero and the longest more often.
pub fn any_span() -> impl Strategy<Value = Duration> {
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

pub fn span() -> impl Strategy<Value = Duration> {
    any_span().prop_map(|span| span.max(Duration::from_nanos(1)))
}

pub fn orientation() -> impl Strategy<Value = DQuat> {
    (super::orientation(), 0.991..1.009).prop_map(|(q, length)| q * length)
}

pub fn kinematics() -> impl Strategy<Value = Kinematics> {
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

pub fn basis() -> impl Strategy<Value = CurveBasis> {
    prop_oneof![
        super::basis(),
        Just(CurveBasis::new(&[1e-6, 2e-6, 1e9]).unwrap()),
        Just(CurveBasis::new(&[1e-6, 1.0, 9e8, 1e9]).unwrap()),
    ]
}

pub fn extreme_model() -> impl Strategy<Value = Model> {
    let curve = (basis(), prop::array::uniform4(vector())).prop_map(|(basis, coefficients)| {
        let terms = basis.tau_s().len();
        Model::Curve(Curve::new(basis, &coefficients[..terms]).unwrap())
    });
    let landing = prop_oneof![Just(Landing::Stop), Just(Landing::Run)];
    let fall = (number(), number(), landing).prop_map(|(gravity_mps2, floor_m, landing)| {
        Model::Ballistic(Ballistic::new(gravity_mps2, floor_m, landing).unwrap())
    });
    let ride = (0..2_usize, number(), number()).prop_map(|(path, progress_m, rate_mps)| {
        Model::Path(PathRide { path: super::paths()[path], progress_m, rate_mps })
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

pub fn update() -> impl Strategy<Value = Update> {
    let kind = prop::sample::select(vec![
        UpdateKind::Partial,
        UpdateKind::Full,
        UpdateKind::Teleport,
        UpdateKind::Partial,
    ]);
    (kinematics(), extreme_model(), kind)
        .prop_map(|(seen, model, kind)| Update::new(seen, model, kind).unwrap())
}

pub fn ghost_config() -> impl Strategy<Value = GhostConfig> {
    let span = prop_oneof![
        span().prop_map(BlendSpan::Fixed),
        (span(), span())
            .prop_map(|(a, b)| BlendSpan::FromArrivals { min: a.min(b), max: a.max(b) }),
        (span(), span(), any_span()).prop_map(|(a, b, at_metre)| BlendSpan::ByErrorRoot {
            min: a.min(b),
            max: a.max(b),
            at_metre
        }),
    ];
    let timing = prop_oneof![
        Just(Timing::Synchronised),
        any_span().prop_map(|delay| Timing::OnArrival { delay }),
    ];
    let pace = (1e-300..1e300, self::span())
        .prop_map(|(max_speed_mps, max_span)| Pace { max_speed_mps, max_span });
    let shown = (span, prop::option::of(pace), any::<bool>());
    (prop::sample::select(&Blend::ALL[..]), shown, self::span(), timing).prop_map(
        |(blend, (span, pace, hedged), max_extrapolation, timing)| {
            let mut config = GhostConfig::default();
            (config.pace, config.hedged) = (pace, hedged);
            (config.blend, config.span) = (blend, span);
            (config.max_extrapolation, config.timing) = (max_extrapolation, timing);
            config
        },
    )
}

pub fn delayed_config() -> impl Strategy<Value = DelayedConfig> {
    (any_span(), any_span(), span(), span()).prop_map(|(a, b, max_extrapolation, span)| {
        let mut config = DelayedConfig::default();
        (config.min_delay, config.max_delay) = (a.min(b), a.max(b));
        (config.max_extrapolation, config.span) = (max_extrapolation, span);
        config
    })
}

pub fn step() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), number().prop_map(f64::abs), 1e-4..0.01]
}

pub fn quantiser() -> impl Strategy<Value = Quantiser> {
    prop::array::uniform5(step()).prop_map(|[p, v, a, w, q]| Quantiser {
        position_m: p,
        velocity_mps: v,
        acceleration_mps2: a,
        angular_velocity_radps: w,
        orientation: q,
    })
}

/// Settings that need not fit each other; a publisher may refuse them but not panic.
pub fn publisher_config() -> impl Strategy<Value = PublisherConfig> {
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
