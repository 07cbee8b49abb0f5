//! Settings that cannot be meant do not construct, and the message names the value.

use std::time::Duration;

use reckoning::model::{Ballistic, Landing, Path, PathRide};
use reckoning::{
    AngleThreshold, Blend, BlendSpan, ConfigError, Curve, CurveBasis, DVec3, DelayedConfig,
    DelayedGhost, Ghost, GhostConfig, Kinematics, Model, Publisher, PublisherConfig, Quantiser,
    Sampler, SamplerConfig, SimTime, Threshold, Update, UpdateKind,
};

const NONE: Duration = Duration::ZERO;
const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_millis(200);

type Refused = Result<(), ConfigError>;

fn publisher(change: impl Fn(&mut PublisherConfig)) -> Refused {
    let mut config = PublisherConfig::default();
    change(&mut config);
    Publisher::start(config, &Kinematics::default()).map(drop)
}

fn rounded(change: impl Fn(&mut Quantiser)) -> Refused {
    publisher(|config| change(&mut config.quantiser))
}

fn first() -> Update {
    Update::new(Kinematics::default(), Model::Linear, UpdateKind::Full).unwrap()
}

fn ghost(change: impl Fn(&mut GhostConfig)) -> Refused {
    let mut config = GhostConfig::default();
    change(&mut config);
    Ghost::with_config(config, first(), SimTime::ZERO).map(drop).map_err(Into::into)
}

fn span(min: Duration, max: Duration) -> Refused {
    ghost(|config| config.span = BlendSpan::FromArrivals { min, max })
}

fn delayed(change: impl Fn(&mut DelayedConfig)) -> Refused {
    let mut config = DelayedConfig::default();
    change(&mut config);
    DelayedGhost::with_config(config, first(), SimTime::ZERO).map(drop).map_err(Into::into)
}

fn sampler(change: impl Fn(&mut SamplerConfig)) -> Refused {
    let mut config = SamplerConfig::default();
    change(&mut config);
    Sampler::new(config).map(drop).map_err(Into::into)
}

fn ride(progress_m: f64, rate_mps: f64) -> Refused {
    let path = Path::polyline(1, &[DVec3::ZERO, DVec3::X], false)?.leak();
    let model = Model::Path(PathRide { path, progress_m, rate_mps });
    Update::new(Kinematics::default(), model, UpdateKind::Full).map(drop)
}

/// Each one refused, and the message says all of these.
fn expect(refused: &[(Refused, &[&str])]) {
    for (index, (result, words)) in refused.iter().enumerate() {
        let message = result.expect_err(&format!("row {index}, {words:?}")).to_string();
        for word in *words {
            assert!(message.contains(word), "row {index}: no {word:?} in {message:?}");
        }
    }
}

#[test]
fn thresholds_that_are_no_distances_or_angles() {
    let metres = |m| Threshold::metres(m).map(drop).map_err(Into::into);
    let per_axis = |m| Threshold::metres_per_axis(m).map(drop).map_err(Into::into);
    let degrees = |deg| AngleThreshold::degrees(deg).map(drop).map_err(Into::into);
    let radians = |rad| AngleThreshold::radians(rad).map(drop).map_err(Into::into);
    expect(&[
        (metres(0.0), &["threshold 0 m"]),
        (metres(-2.5), &["threshold -2.5 m"]),
        (metres(f64::NAN), &["threshold NaN m"]),
        (metres(f64::INFINITY), &["threshold inf m"]),
        (per_axis(-0.1), &["threshold -0.1 m"]),
        (radians(0.0), &["orientation threshold 0 rad"]),
        (radians(-1.0), &["orientation threshold -1 rad"]),
        (radians(3.2), &["orientation threshold 3.2 rad"]),
        (radians(f64::NAN), &["orientation threshold NaN rad"]),
        (degrees(181.0), &["orientation threshold 3.15"]),
    ]);
}

#[test]
fn publishers_whose_settings_contradict_each_other() {
    let beat = |heartbeat, min_interval| {
        publisher(|config| (config.heartbeat, config.min_interval) = (heartbeat, min_interval))
    };
    let spread = |share| publisher(|config| config.heartbeat_spread = share);
    let both = |config: &mut PublisherConfig| {
        (config.heartbeat, config.min_interval, config.heartbeat_spread) = (LONG, LONG, 0.25);
    };
    expect(&[
        (beat(SHORT, LONG), &["heartbeat 100ms", "min_interval 200ms"]),
        (beat(NONE, NONE), &["heartbeat 0ns"]),
        (publisher(both), &["heartbeat 150ms", "min_interval 200ms"]),
        (spread(-0.1), &["heartbeat_spread -0.1"]),
        (spread(0.51), &["heartbeat_spread 0.51"]),
        (spread(f64::NAN), &["heartbeat_spread NaN"]),
    ]);
}

#[test]
fn rounding_that_is_no_step_or_too_coarse() {
    expect(&[
        (rounded(|q| q.position_m = -0.01), &["position_m -0.01"]),
        (rounded(|q| q.velocity_mps = f64::NAN), &["velocity_mps NaN"]),
        (rounded(|q| q.acceleration_mps2 = f64::INFINITY), &["acceleration_mps2 inf"]),
        (rounded(|q| q.angular_velocity_radps = -1.0), &["angular_velocity_radps -1"]),
        (rounded(|q| q.orientation = -1e-9), &["orientation -0.000000001"]),
        (rounded(|q| q.position_m = 0.5), &["0.433", "threshold 0.25"]),
        (rounded(|q| q.orientation = 0.1), &["0.346", "threshold 0.087"]),
    ]);
}

#[test]
fn ghosts_without_time() {
    expect(&[
        (ghost(|config| config.max_extrapolation = NONE), &["max_extrapolation is zero"]),
        (ghost(|config| config.span = BlendSpan::Fixed(NONE)), &["blend span is zero"]),
        (span(NONE, SHORT), &["shortest blend span is zero"]),
        (span(LONG, SHORT), &["blend span", "200ms down to 100ms"]),
        (ghost(|it| it.min_heading_speed_mps = f64::NAN), &["min_heading_speed_mps NaN"]),
        (delayed(|it| it.min_heading_speed_mps = -1.0), &["min_heading_speed_mps -1"]),
        (
            ghost(|config| *config = GhostConfig::for_heartbeat(NONE)),
            &["max_extrapolation is zero"],
        ),
        (delayed(|config| config.max_extrapolation = NONE), &["max_extrapolation is zero"]),
        (delayed(|config| config.span = NONE), &["span is zero"]),
        (delayed(|c| (c.min_delay, c.max_delay) = (LONG, SHORT)), &["delay", "200ms", "100ms"]),
    ]);
}

#[test]
fn samplers_of_no_frames_or_too_many() {
    expect(&[
        (sampler(|config| config.frames = 0), &["1 to 3 frames, not 0"]),
        (sampler(|config| config.frames = 4), &["1 to 3 frames, not 4"]),
        (sampler(|c| c.tiny_velocity_mps = -1.0), &["tiny_velocity_mps -1"]),
        (sampler(|c| c.tiny_acceleration_mps2 = f64::NAN), &["tiny_acceleration_mps2 NaN"]),
        (sampler(|c| c.tiny_angular_velocity_radps = f64::INFINITY), &["radps inf"]),
    ]);
}

#[test]
fn models_with_wrong_constants() {
    let basis = |tau_s: &[f64]| CurveBasis::new(tau_s).map(drop).map_err(Into::into);
    let curve = |coefficients: &[DVec3]| {
        Curve::new(CurveBasis::THREE, coefficients).map(drop).map_err(Into::into)
    };
    let fall = |g, floor| Ballistic::new(g, floor, Landing::Run).map(drop).map_err(Into::into);
    let line = |points: &[DVec3]| Path::polyline(1, points, false).map(drop).map_err(Into::into);
    expect(&[
        (basis(&[0.1, 0.2]), &["3 or 4 terms, not 2"]),
        (basis(&[0.3, 0.2, 0.4]), &["time constant 1", "0.2 s"]),
        (basis(&[-0.3, 0.2, 0.4]), &["time constant 0", "-0.3 s"]),
        (basis(&[0.1, 0.2, f64::NAN]), &["time constant 2", "NaN s"]),
        (curve(&[DVec3::X]), &["3 or 4 terms, not 1"]),
        (curve(&[DVec3::X, DVec3::X, DVec3::NAN]), &["curve coefficient", "NaN"]),
        (fall(f64::NAN, 0.0), &["gravity", "NaN"]),
        (fall(9.8, f64::INFINITY), &["floor height", "inf"]),
        (ride(f64::NAN, 1.0), &["progress", "NaN"]),
        (ride(1.0, f64::INFINITY), &["rate", "inf"]),
        (line(&[DVec3::X]), &["at least 2 points, not 1"]),
        (line(&[DVec3::X, DVec3::X]), &["point 1", "[1, 0, 0]"]),
    ]);
}

#[test]
fn what_the_defaults_say_is_accepted() {
    assert_eq!(publisher(|_| ()), Ok(()));
    assert_eq!(publisher(|config| *config = PublisherConfig::dis(Model::Linear)), Ok(()));
    assert_eq!(ghost(|_| ()), Ok(()));
    assert_eq!(delayed(|_| ()), Ok(()));
    assert_eq!(sampler(|_| ()), Ok(()));
    for blend in Blend::ALL {
        assert_eq!(ghost(|config| config.blend = blend), Ok(()));
    }
}
