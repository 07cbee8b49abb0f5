//! Settings: plain structs that a function fills with what suits a person or a car in a game at 60 Hz.

use std::time::Duration;

use reckoning::ghost::Pace;
use reckoning::joints::JointPublisherConfig;
use reckoning::model::{Ballistic, Landing};
use reckoning::{
    AngleThreshold, Blend, BlendSpan, DelayedConfig, GhostConfig, Model, PublisherConfig,
    Threshold, Timing,
};

use crate::result::{ReckField, ReckStatus, Refusal};
use crate::types::Choice;

/// How a body is carried on between updates.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ReckModel {
    /// Stays where it was last seen.
    Hold = 0,
    /// Keeps its velocity.
    Linear = 1,
    /// Keeps its acceleration for model_s, then its velocity.
    Accelerating = 2,
    /// Loses its velocity, to a third within model_s: right for players.
    Damped = 3,
    /// Loses its acceleration, to a third within model_s: right for vehicles.
    Decaying = 4,
    /// Keeps its speed and its turning.
    Arc = 5,
    /// Falls with gravity_mps2 and stays where it meets floor_m.
    BallisticStop = 6,
    /// Falls with gravity_mps2 and runs on along floor_m.
    BallisticRun = 7,
}

/// How a ghost sheds its error when an update arrives.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ReckBlend {
    /// Jumps to the believed path at once.
    Snap = 0,
    /// Straight to where the body will be at the end of the span.
    Linear = 1,
    /// Lays the error over the believed path and lets it fade.
    Fade = 2,
    /// Projective velocity blending without its jumps in velocity; the best for most.
    ProjectiveVelocity = 3,
    /// Projective velocity blending as Murphy prints it.
    ProjectiveVelocityPrinted = 4,
    /// A cubic Bezier curve.
    Bezier = 5,
    /// A quintic Hermite curve over the believed path.
    Hermite = 6,
    /// A Catmull-Rom curve.
    CatmullRom = 7,
}

/// How long a blend takes.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ReckSpan {
    /// Always span_s.
    Fixed = 0,
    /// The running average of the time between arrivals, from min_span_s to max_span_s.
    FromArrivals = 1,
    /// The longer the further off the picture is: the closest to the truth. By width_m.
    Close = 2,
}

/// How bodies of a kind are shown.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ReckShow {
    /// As they must be now, by the ghost def.
    Reckoned = 0,
    /// As they were a moment ago, by the delayed def.
    Delayed = 1,
}

/// When the owner of a body sends an update. Take it from reck_publisher_def_default().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReckPublisherDef {
    /// Set by reck_publisher_def_default().
    pub struct_size: u32,
    /// 1: the threshold holds for each axis, as in DIS. Default: 0, for the distance.
    pub threshold_per_axis: u8,
    /// 1: sends an update at once when the body came to rest and listeners see it move. Default: 1.
    pub export_stops: u8,
    /// 1: sends less acceleration the less it agrees with the one sent last. Default: 0.
    pub damp_acceleration: u8,
    /// Nothing yet: 0.
    pub reserved: u8,
    /// Sends an update once the listeners' guess is off by more than this. Default: 0.25. Above 0.
    pub threshold_m: f64,
    /// And once it is turned by more than this; 0 leaves orientation alone. Default: 5 degrees.
    pub angle_threshold_rad: f64,
    /// Sends an update at least this often. Default: 0.5. At least min_interval_s.
    pub heartbeat_s: f64,
    /// Sends a full update at least this often; 0 makes every update full. Default: 10.
    pub full_interval_s: f64,
    /// Varies heartbeats by up to this share, so that bodies do not send together. Default: 0. To 0.5.
    pub heartbeat_spread: f64,
    /// Seeds that; give each body its own. Default: 0.
    pub seed: u64,
    /// Never sends more often than this, except for stops and teleports. Default: 0.
    pub min_interval_s: f64,
    /// Never sends for the sake of orientation more often than this. Default: 0.
    pub angle_min_interval_s: f64,
    /// Repeats a stop once after this long; 0 does not. Default: 0.1.
    pub stop_repeat_s: f64,
    /// Judges positions this far ahead; 0 judges the error of now. Default: 0.
    pub judge_ahead_s: f64,
    /// How listeners carry the body on. Default: RECK_MODEL_LINEAR.
    pub model: Choice<ReckModel>,
    /// Nothing yet: 0.
    pub reserved2: u32,
    /// The time constant of the model, where it has one. Default: 1.
    pub model_s: f64,
    /// The fall of a ballistic model. Default: 9.81.
    pub gravity_mps2: f64,
    /// The height at which that ends. Default: 0.
    pub floor_m: f64,
}

/// How a ghost is shown as it must be now. Take it from reck_ghost_def_default().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReckGhostDef {
    /// Set by reck_ghost_def_default().
    pub struct_size: u32,
    /// 1: updates count from when they arrive, less delay_s, for want of a common clock. Default: 0.
    pub on_arrival: u8,
    /// 1: chooses between carrying on, damping and holding by what each would have shown. Default: 0.
    pub hedged: u8,
    /// Nothing yet: 0.
    pub reserved: u16,
    /// How to get from what is shown to what is believed. Default: RECK_BLEND_PROJECTIVE_VELOCITY.
    pub blend: Choice<ReckBlend>,
    /// How long that takes. Default: RECK_SPAN_FIXED.
    pub span: Choice<ReckSpan>,
    /// The length of a fixed span. Default: 0.333. Above 0.
    pub span_s: f64,
    /// The shortest span from arrivals. Default: 0.05. Above 0.
    pub min_span_s: f64,
    /// The longest span from arrivals, or for the sake of max_speed_mps. Default: 0.333.
    pub max_span_s: f64,
    /// How wide bodies are, for a close span. Default: 1. Above 0.
    pub width_m: f64,
    /// How far past an update its model is followed before the ghost rests. Default: 4. Above 0.
    pub max_extrapolation_s: f64,
    /// The estimated time on the way, for on_arrival. Default: 0.
    pub delay_s: f64,
    /// Slower than this a body keeps its heading. Default: 0.5. At least 0.
    pub min_heading_speed_mps: f64,
    /// Lengthens blends, to max_span_s at most, so that none is shown faster; 0 does not. Default: 0.
    pub max_speed_mps: f64,
}

/// How a ghost is shown as it was a moment ago. Take it from reck_delayed_def_default().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReckDelayedDef {
    /// Set by reck_delayed_def_default().
    pub struct_size: u32,
    /// Nothing yet: 0.
    pub reserved: u32,
    /// The delay to start with and never go below. Default: 0.1.
    pub min_delay_s: f64,
    /// The delay never to exceed. Default: 0.5. At least min_delay_s.
    pub max_delay_s: f64,
    /// How far past the newest update its model is followed. Default: 0.25. Above 0.
    pub max_extrapolation_s: f64,
    /// How long it takes to shed the error of that. Default: 0.2. Above 0.
    pub span_s: f64,
    /// Slower than this a body keeps its heading. Default: 0.5. At least 0.
    pub min_heading_speed_mps: f64,
}

/// A part that turns on a body. Take it from reck_joint_def_default().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReckJointDef {
    /// Set by reck_joint_def_default().
    pub struct_size: u32,
    /// Nothing yet: 0.
    pub reserved: u32,
    /// Sends an update once the listeners' guess is off by more than this. Default: 3 degrees. Above 0.
    pub threshold_rad: f64,
    /// Sends an update at least this often. Default: 5. At least min_interval_s.
    pub heartbeat_s: f64,
    /// Never sends more often than this. Default: 0.05.
    pub min_interval_s: f64,
    /// How long listeners take to fade an error away; 0 jumps. Default: 0.2.
    pub blend_s: f64,
}

/// How many joints a kind can have.
pub const RECK_MAX_JOINTS: usize = 8;

/// How bodies of one kind are published and shown: said once for all ends. Take it from
/// reck_kind_def_default().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReckKindDef {
    /// Set by reck_kind_def_default().
    pub struct_size: u32,
    /// How they are shown. Default: RECK_SHOW_RECKONED.
    pub show: Choice<ReckShow>,
    /// When their owners send.
    pub publisher: ReckPublisherDef,
    /// How they are shown, reckoned.
    pub ghost: ReckGhostDef,
    /// How they are shown, delayed.
    pub delayed: ReckDelayedDef,
    /// How many of the joints count. Default: 0.
    pub joint_count: u32,
    /// Nothing yet: 0.
    pub reserved: u32,
    /// Parts that turn on them.
    pub joints: [ReckJointDef; RECK_MAX_JOINTS],
}

const fn size_of_def<T>() -> u32 {
    size_of::<T>() as u32
}

/// The default: a person or a car in a game at 60 Hz, in metres.
#[unsafe(no_mangle)]
pub extern "C" fn reck_publisher_def_default() -> ReckPublisherDef {
    let config = PublisherConfig::default();
    ReckPublisherDef {
        struct_size: size_of_def::<ReckPublisherDef>(),
        threshold_per_axis: 0,
        export_stops: u8::from(config.export_stops),
        damp_acceleration: u8::from(config.damp_acceleration),
        reserved: 0,
        threshold_m: config.threshold.max_error_m(),
        angle_threshold_rad: config.angle_threshold.map_or(0.0, |it| it.max_error_rad()),
        heartbeat_s: config.heartbeat.as_secs_f64(),
        full_interval_s: config.full_interval.as_secs_f64(),
        heartbeat_spread: config.heartbeat_spread,
        seed: config.seed,
        min_interval_s: config.min_interval.as_secs_f64(),
        angle_min_interval_s: config.angle_min_interval.as_secs_f64(),
        stop_repeat_s: config.stop_repeat.as_secs_f64(),
        judge_ahead_s: 0.0,
        model: Choice::of(ReckModel::Linear as i32),
        reserved2: 0,
        model_s: 1.0,
        gravity_mps2: 9.81,
        floor_m: 0.0,
    }
}

/// The default: three updates a second and a common clock.
#[unsafe(no_mangle)]
pub extern "C" fn reck_ghost_def_default() -> ReckGhostDef {
    let config = GhostConfig::default();
    let span_s = config.span.longest().as_secs_f64();
    ReckGhostDef {
        struct_size: size_of_def::<ReckGhostDef>(),
        on_arrival: 0,
        hedged: u8::from(config.hedged),
        reserved: 0,
        blend: Choice::of(ReckBlend::ProjectiveVelocity as i32),
        span: Choice::of(ReckSpan::Fixed as i32),
        span_s,
        min_span_s: 0.05,
        max_span_s: span_s,
        width_m: 1.0,
        max_extrapolation_s: config.max_extrapolation.as_secs_f64(),
        delay_s: 0.0,
        min_heading_speed_mps: config.min_heading_speed_mps,
        max_speed_mps: 0.0,
    }
}

/// The default: a tenth of a second late, and up to half a second on a bad link.
#[unsafe(no_mangle)]
pub extern "C" fn reck_delayed_def_default() -> ReckDelayedDef {
    let config = DelayedConfig::default();
    ReckDelayedDef {
        struct_size: size_of_def::<ReckDelayedDef>(),
        reserved: 0,
        min_delay_s: config.min_delay.as_secs_f64(),
        max_delay_s: config.max_delay.as_secs_f64(),
        max_extrapolation_s: config.max_extrapolation.as_secs_f64(),
        span_s: config.span.as_secs_f64(),
        min_heading_speed_mps: config.min_heading_speed_mps,
    }
}

/// The default: the turret of a tank.
#[unsafe(no_mangle)]
pub extern "C" fn reck_joint_def_default() -> ReckJointDef {
    let config = JointPublisherConfig::default();
    ReckJointDef {
        struct_size: size_of_def::<ReckJointDef>(),
        reserved: 0,
        threshold_rad: config.threshold_rad,
        heartbeat_s: config.heartbeat.as_secs_f64(),
        min_interval_s: config.min_interval.as_secs_f64(),
        blend_s: 0.2,
    }
}

/// The default: published and shown by the defaults, without joints.
#[unsafe(no_mangle)]
pub extern "C" fn reck_kind_def_default() -> ReckKindDef {
    ReckKindDef {
        struct_size: size_of_def::<ReckKindDef>(),
        show: Choice::of(ReckShow::Reckoned as i32),
        publisher: reck_publisher_def_default(),
        ghost: reck_ghost_def_default(),
        delayed: reck_delayed_def_default(),
        joint_count: 0,
        reserved: 0,
        joints: [reck_joint_def_default(); RECK_MAX_JOINTS],
    }
}

/// Refuses a def of another version of this library.
pub fn check_size<T>(struct_size: u32) -> Result<(), Refusal> {
    if struct_size == size_of_def::<T>() {
        return Ok(());
    }
    Err(Refusal::new(ReckStatus::StructSize, ReckField::Def, f64::from(struct_size)))
}

/// A span of so many seconds, zero or more.
pub fn span(seconds: f64, field: ReckField) -> Result<Duration, Refusal> {
    Duration::try_from_secs_f64(seconds).map_err(|_| Refusal::number(field, seconds))
}

fn flag(value: u8) -> Result<bool, Refusal> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Refusal::new(ReckStatus::OutOfRange, ReckField::Setting, f64::from(value))),
    }
}

fn not_a_choice(field: ReckField, got: i32) -> Refusal {
    Refusal::new(ReckStatus::OutOfRange, field, f64::from(got))
}

impl ReckPublisherDef {
    pub fn config(&self) -> Result<PublisherConfig, Refusal> {
        check_size::<Self>(self.struct_size)?;
        let mut config = PublisherConfig::default();
        config.threshold = if flag(self.threshold_per_axis)? {
            Threshold::metres_per_axis(self.threshold_m)?
        } else {
            Threshold::metres(self.threshold_m)?
        };
        config.angle_threshold = if self.angle_threshold_rad == 0.0 {
            None
        } else {
            Some(AngleThreshold::radians(self.angle_threshold_rad)?)
        };
        config.heartbeat = span(self.heartbeat_s, ReckField::Heartbeat)?;
        config.full_interval = span(self.full_interval_s, ReckField::FullInterval)?;
        config.heartbeat_spread = self.heartbeat_spread;
        config.seed = self.seed;
        config.min_interval = span(self.min_interval_s, ReckField::MinInterval)?;
        config.angle_min_interval = span(self.angle_min_interval_s, ReckField::AngleMinInterval)?;
        config.stop_repeat = span(self.stop_repeat_s, ReckField::StopRepeat)?;
        let ahead = span(self.judge_ahead_s, ReckField::JudgeAhead)?;
        config.judge_ahead = (!ahead.is_zero()).then_some(ahead);
        config.export_stops = flag(self.export_stops)?;
        config.damp_acceleration = flag(self.damp_acceleration)?;
        config.model = self.model()?;
        Ok(config)
    }

    fn model(&self) -> Result<Model, Refusal> {
        let constant = || span(self.model_s, ReckField::ModelSpan);
        let falling = |landing| {
            for (field, got) in
                [(ReckField::Gravity, self.gravity_mps2), (ReckField::Floor, self.floor_m)]
            {
                if !got.is_finite() {
                    return Err(Refusal::number(field, got));
                }
            }
            Ballistic::new(self.gravity_mps2, self.floor_m, landing)
                .map(Model::Ballistic)
                .map_err(|error| reckoning::ConfigError::from(error).into())
        };
        Ok(match self.model.0 {
            0 => Model::Hold,
            1 => Model::Linear,
            2 => Model::Accelerating { trust: constant()? },
            3 => Model::Damped { fade: constant()? },
            4 => Model::Decaying { fade: constant()? },
            5 => Model::Arc,
            6 => falling(Landing::Stop)?,
            7 => falling(Landing::Run)?,
            got => return Err(not_a_choice(ReckField::Model, got)),
        })
    }
}

impl ReckGhostDef {
    pub fn config(&self) -> Result<GhostConfig, Refusal> {
        check_size::<Self>(self.struct_size)?;
        let mut config = GhostConfig::default();
        let blend = usize::try_from(self.blend.0).ok().and_then(|it| Blend::ALL.get(it));
        config.blend = *blend.ok_or(not_a_choice(ReckField::Blend, self.blend.0))?;
        config.span = self.span()?;
        config.max_extrapolation = span(self.max_extrapolation_s, ReckField::MaxExtrapolation)?;
        if flag(self.on_arrival)? {
            config.timing = Timing::OnArrival { delay: span(self.delay_s, ReckField::Delay)? };
        }
        config.min_heading_speed_mps = self.min_heading_speed_mps;
        if self.max_speed_mps != 0.0 {
            let max_span = span(self.max_span_s, ReckField::SpanBounds)?;
            config.pace = Some(Pace { max_speed_mps: self.max_speed_mps, max_span });
        }
        config.hedged = flag(self.hedged)?;
        Ok(config)
    }

    fn span(&self) -> Result<BlendSpan, Refusal> {
        Ok(match self.span.0 {
            0 => BlendSpan::Fixed(span(self.span_s, ReckField::SpanLength)?),
            1 => BlendSpan::FromArrivals {
                min: span(self.min_span_s, ReckField::SpanBounds)?,
                max: span(self.max_span_s, ReckField::SpanBounds)?,
            },
            2 if self.width_m > 0.0 && self.width_m.is_finite() => BlendSpan::close(self.width_m),
            2 => return Err(Refusal::number(ReckField::Width, self.width_m)),
            got => return Err(not_a_choice(ReckField::Span, got)),
        })
    }
}

impl ReckDelayedDef {
    pub fn config(&self) -> Result<DelayedConfig, Refusal> {
        check_size::<Self>(self.struct_size)?;
        let mut config = DelayedConfig::default();
        config.min_delay = span(self.min_delay_s, ReckField::Delay)?;
        config.max_delay = span(self.max_delay_s, ReckField::Delay)?;
        config.max_extrapolation = span(self.max_extrapolation_s, ReckField::MaxExtrapolation)?;
        config.span = span(self.span_s, ReckField::SpanLength)?;
        config.min_heading_speed_mps = self.min_heading_speed_mps;
        Ok(config)
    }
}

impl ReckJointDef {
    pub fn config(&self) -> Result<(JointPublisherConfig, Duration), Refusal> {
        check_size::<Self>(self.struct_size)?;
        let mut config = JointPublisherConfig::default();
        config.threshold_rad = self.threshold_rad;
        config.heartbeat = span(self.heartbeat_s, ReckField::Heartbeat)?;
        config.min_interval = span(self.min_interval_s, ReckField::MinInterval)?;
        Ok((config, span(self.blend_s, ReckField::JointBlend)?))
    }
}
