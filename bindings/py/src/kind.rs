//! Kinds: how a sort of body is published and shown, said once.

use std::time::Duration;

use pyo3::prelude::*;
use reckoning::joints::{JointPublisher, JointPublisherConfig};
use reckoning::{
    AngleThreshold, Blend, BlendSpan, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Kinematics,
    Model, Publisher, PublisherConfig, SimTime, Threshold, Update, UpdateKind,
};

use crate::refused;

const BLENDS: [&str; 8] = [
    "snap",
    "linear",
    "fade",
    "projective_velocity",
    "projective_velocity_printed",
    "bezier",
    "hermite",
    "catmull_rom",
];

/// A span of seconds.
fn span(name: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| refused(format!("{name} is {seconds}; it must be seconds, 0 or more")))
}

/// A part that turns on bodies of a kind.
#[pyclass(frozen, from_py_object)]
#[derive(Clone)]
pub struct Joint {
    config: JointPublisherConfig,
    blend: Duration,
}

#[pymethods]
impl Joint {
    #[new]
    #[pyo3(signature = (*, threshold_rad=None, heartbeat_s=5.0, min_interval_s=0.05, blend_s=0.2))]
    fn new(
        threshold_rad: Option<f64>,
        heartbeat_s: f64,
        min_interval_s: f64,
        blend_s: f64,
    ) -> PyResult<Self> {
        let mut config = JointPublisherConfig::default();
        config.threshold_rad = threshold_rad.unwrap_or(config.threshold_rad);
        config.heartbeat = span("heartbeat_s", heartbeat_s)?;
        config.min_interval = span("min_interval_s", min_interval_s)?;
        JointPublisher::start(config.clone(), reckoning::Joint::default()).map_err(refused)?;
        Ok(Self { config, blend: span("blend_s", blend_s)? })
    }
}

#[derive(Clone, Copy)]
pub enum ShowConfig {
    Reckoned(GhostConfig),
    Delayed(DelayedConfig),
}

/// How a sort of body is published and shown: say it once, for owners and onlookers.
#[pyclass(frozen)]
pub struct Kind {
    pub publisher: PublisherConfig,
    pub show: ShowConfig,
    pub joints: Vec<(JointPublisherConfig, Duration)>,
}

#[pymethods]
impl Kind {
    /// Everything is checked here, each setting by itself and with the others.
    #[new]
    #[pyo3(signature = (*, threshold_m=0.25, angle_threshold_rad=None, heartbeat_s=0.5,
        full_interval_s=10.0, heartbeat_spread=0.0, seed=0, min_interval_s=0.0, stop_repeat_s=0.1,
        export_stops=true, judge_ahead_s=None, model="linear", model_s=1.0, delayed=false,
        blend="projective_velocity", span_s=None, close_width_m=None, max_extrapolation_s=None,
        min_delay_s=0.1, max_delay_s=0.5, hedged=false, joints=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "each is a setting with a name")]
    fn new(
        threshold_m: f64,
        angle_threshold_rad: Option<f64>,
        heartbeat_s: f64,
        full_interval_s: f64,
        heartbeat_spread: f64,
        seed: u64,
        min_interval_s: f64,
        stop_repeat_s: f64,
        export_stops: bool,
        judge_ahead_s: Option<f64>,
        model: &str,
        model_s: f64,
        delayed: bool,
        blend: &str,
        span_s: Option<f64>,
        close_width_m: Option<f64>,
        max_extrapolation_s: Option<f64>,
        min_delay_s: f64,
        max_delay_s: f64,
        hedged: bool,
        joints: Vec<Joint>,
    ) -> PyResult<Self> {
        let mut publisher = PublisherConfig::default();
        publisher.threshold = Threshold::metres(threshold_m).map_err(refused)?;
        if let Some(got) = angle_threshold_rad {
            let threshold = AngleThreshold::radians(got).map_err(refused);
            publisher.angle_threshold = if got == 0.0 { None } else { Some(threshold?) };
        }
        publisher.heartbeat = span("heartbeat_s", heartbeat_s)?;
        publisher.full_interval = span("full_interval_s", full_interval_s)?;
        (publisher.heartbeat_spread, publisher.seed) = (heartbeat_spread, seed);
        publisher.min_interval = span("min_interval_s", min_interval_s)?;
        publisher.stop_repeat = span("stop_repeat_s", stop_repeat_s)?;
        publisher.export_stops = export_stops;
        publisher.judge_ahead = judge_ahead_s.map(|it| span("judge_ahead_s", it)).transpose()?;
        publisher.model = model_of(model, span("model_s", model_s)?)?;
        let most = max_extrapolation_s.map(|it| span("max_extrapolation_s", it)).transpose()?;
        let blend_span = span_s.map(|it| span("span_s", it)).transpose()?;
        let show = if delayed {
            let mut config = DelayedConfig::default();
            config.min_delay = span("min_delay_s", min_delay_s)?;
            config.max_delay = span("max_delay_s", max_delay_s)?;
            config.max_extrapolation = most.unwrap_or(config.max_extrapolation);
            config.span = blend_span.unwrap_or(config.span);
            ShowConfig::Delayed(config)
        } else {
            let mut config = GhostConfig::default();
            config.blend = blend_of(blend)?;
            config.span = blend_span.map_or(config.span, BlendSpan::Fixed);
            if let Some(width) = close_width_m {
                config.span = close(width)?;
            }
            config.max_extrapolation = most.unwrap_or(config.max_extrapolation);
            config.hedged = hedged;
            ShowConfig::Reckoned(config)
        };
        let joints = joints.into_iter().map(|it| (it.config, it.blend)).collect();
        let kind = Self { publisher, show, joints };
        kind.validate()?;
        Ok(kind)
    }
}

fn close(width_m: f64) -> PyResult<BlendSpan> {
    if width_m > 0.0 && width_m.is_finite() {
        return Ok(BlendSpan::close(width_m));
    }
    Err(refused(format!("close_width_m is {width_m}; it must be above 0 and finite")))
}

fn model_of(name: &str, constant: Duration) -> PyResult<Model> {
    Ok(match name {
        "hold" => Model::Hold,
        "linear" => Model::Linear,
        "accelerating" => Model::Accelerating { trust: constant },
        "damped" => Model::Damped { fade: constant },
        "decaying" => Model::Decaying { fade: constant },
        "arc" => Model::Arc,
        _ => {
            let known = "hold, linear, accelerating, damped, decaying, arc";
            return Err(refused(format!("there is no model {name:?}; there are {known}")));
        }
    })
}

fn blend_of(name: &str) -> PyResult<Blend> {
    let place = BLENDS.iter().position(|it| *it == name);
    let known = || refused(format!("there is no blend {name:?}; there are {}", BLENDS.join(", ")));
    place.and_then(|it| Blend::ALL.get(it)).copied().ok_or_else(known)
}

impl Kind {
    fn validate(&self) -> PyResult<()> {
        let rest = Kinematics::default();
        Publisher::start(self.publisher.clone(), &rest).map_err(refused)?;
        let first = Update::new(rest, Model::Hold, UpdateKind::Full).map_err(refused)?;
        match self.show {
            ShowConfig::Reckoned(it) => {
                Ghost::with_config(it, first, SimTime::ZERO).map_err(refused)?;
            }
            ShowConfig::Delayed(it) => {
                DelayedGhost::with_config(it, first, SimTime::ZERO).map_err(refused)?;
            }
        }
        Ok(())
    }
}
