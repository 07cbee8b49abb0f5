//! What every function answers: whether it was done, and if not, which field had which value.

use std::ffi::c_char;

use reckoning::bytes::UpdateBytesError;
use reckoning::crowd::CrowdError;
use reckoning::error::{ModelError, PublisherError, SettingError, ThresholdError};
use reckoning::kinematics::{Field, KinematicsError};
use reckoning::{ConfigError, DVec3};

use crate::pointers;

/// What became of a call.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReckStatus {
    /// It was done.
    Ok = 0,
    /// A pointer is null that must not be.
    Null = 1,
    /// An id is all zero, or names something that was destroyed or never was.
    NoSuchId = 2,
    /// A struct_size is not that of this version: take the def from its reck_*_def_default().
    StructSize = 3,
    /// A number is NaN or infinite.
    NotFinite = 4,
    /// A number, a choice or a count is out of its range.
    OutOfRange = 5,
    /// An orientation has not the length 1.
    NotUnit = 6,
    /// Two settings contradict each other; the field is one of them.
    Contradiction = 7,
    /// Bytes are not what they should be; the value is the offset of the first that is not.
    BadBytes = 8,
    /// Another thread is within this world: use a world from one thread at a time.
    Busy = 9,
    /// There is no room for more; the value is how many there may be.
    Full = 10,
    /// A moment is not later than the one before it.
    NotLater = 11,
    /// A crowd does not know the model of this update: take a ghost.
    ModelUnknown = 12,
    /// An array is too short; the value is how many it must hold.
    TooShort = 13,
    /// A text is not UTF-8; the value is the offset of the first byte that is not.
    NotUtf8 = 14,
    /// A server could not be asked: its address cannot be used, or the system gave no thread.
    Connect = 15,
    /// The client has not joined, the entity is not its own, or the clock of the server is not known yet.
    NotJoined = 16,
    /// A mistake within Reckoning; the world can only be destroyed.
    Broken = 17,
}

/// Which argument or field a result is about.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReckField {
    /// None.
    None = 0,
    /// Of a ReckWorldId.
    World = 1,
    /// Of a ReckKindId.
    Kind = 2,
    /// Of a ReckPublisherId.
    Publisher = 3,
    /// Of a ReckGhostId.
    Ghost = 4,
    /// Of a ReckCrowdId.
    Crowd = 5,
    /// Of a ReckClockId.
    Clock = 6,
    /// Of a ReckLearnedId.
    Learned = 7,
    /// Of a ReckClientId.
    Client = 8,
    /// A pointer to what a function gives back.
    Output = 9,
    /// A pointer to a def, or its struct_size.
    Def = 10,
    /// A pointer to a truth.
    Truth = 11,
    /// An update.
    Update = 12,
    /// A list, its length, or the value's place in it.
    List = 13,
    /// at_us or now_us.
    At = 14,
    /// A position.
    Position = 15,
    /// A velocity.
    Velocity = 16,
    /// An acceleration.
    Acceleration = 17,
    /// An orientation.
    Orientation = 18,
    /// An angular velocity.
    AngularVelocity = 19,
    /// threshold_m.
    Threshold = 20,
    /// angle_threshold_rad.
    AngleThreshold = 21,
    /// heartbeat_s.
    Heartbeat = 22,
    /// full_interval_s.
    FullInterval = 23,
    /// heartbeat_spread.
    HeartbeatSpread = 24,
    /// min_interval_s.
    MinInterval = 25,
    /// angle_min_interval_s.
    AngleMinInterval = 26,
    /// model.
    Model = 27,
    /// model_s.
    ModelSpan = 28,
    /// gravity_mps2.
    Gravity = 29,
    /// floor_m.
    Floor = 30,
    /// stop_repeat_s.
    StopRepeat = 31,
    /// judge_ahead_s.
    JudgeAhead = 32,
    /// blend.
    Blend = 33,
    /// span.
    Span = 34,
    /// span_s.
    SpanLength = 35,
    /// min_span_s or max_span_s.
    SpanBounds = 36,
    /// max_extrapolation_s.
    MaxExtrapolation = 37,
    /// delay_s, min_delay_s or max_delay_s.
    Delay = 38,
    /// min_heading_speed_mps.
    MinHeadingSpeed = 39,
    /// max_speed_mps.
    MaxSpeed = 40,
    /// show.
    Show = 41,
    /// joint_count.
    JointCount = 42,
    /// The index of a joint.
    Joint = 43,
    /// angle_rad.
    Angle = 44,
    /// rate_radps.
    Rate = 45,
    /// threshold_rad.
    JointThreshold = 46,
    /// blend_s.
    JointBlend = 47,
    /// width_m.
    Width = 48,
    /// A setting of a clock.
    ClockSetting = 49,
    /// server.
    Server = 50,
    /// token.
    Token = 51,
    /// A message.
    Message = 52,
    /// delivery.
    Delivery = 53,
    /// An entity.
    Entity = 54,
    /// origin.
    Origin = 55,
    /// trust.
    Trust = 56,
    /// bound_m.
    Bound = 57,
    /// Another setting.
    Setting = 58,
}

/// What became of a call: the status, and if it is not RECK_STATUS_OK, which field is to blame and the
/// value it had. reck_result_message() says it in words.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReckResult {
    /// What became of it.
    pub status: ReckStatus,
    /// What it is about.
    pub field: ReckField,
    /// The value of that.
    pub value: f64,
}

/// Why something is not done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refusal {
    pub status: ReckStatus,
    pub field: ReckField,
    pub value: f64,
}

impl Refusal {
    pub const fn new(status: ReckStatus, field: ReckField, value: f64) -> Self {
        Self { status, field, value }
    }

    pub const fn null(field: ReckField) -> Self {
        Self::new(ReckStatus::Null, field, 0.0)
    }

    /// About an id.
    pub const fn stale(field: ReckField) -> Self {
        Self::new(ReckStatus::NoSuchId, field, 0.0)
    }

    /// About a number: not finite, or out of its range.
    pub fn number(field: ReckField, value: f64) -> Self {
        let finite = value.is_finite();
        let status = if finite { ReckStatus::OutOfRange } else { ReckStatus::NotFinite };
        Self::new(status, field, value)
    }

    fn vector(field: ReckField, got: DVec3) -> Self {
        let value = got.to_array().into_iter().find(|it| !it.is_finite()).unwrap_or_default();
        Self::number(field, value)
    }
}

impl From<Result<(), Refusal>> for ReckResult {
    fn from(outcome: Result<(), Refusal>) -> Self {
        match outcome {
            Ok(()) => Self { status: ReckStatus::Ok, field: ReckField::None, value: 0.0 },
            Err(Refusal { status, field, value }) => Self { status, field, value },
        }
    }
}

impl From<KinematicsError> for Refusal {
    fn from(error: KinematicsError) -> Self {
        match error {
            KinematicsError::NotFinite { field, got } => Self::vector(of_state(field), got),
            KinematicsError::OrientationNotUnit { length } => {
                Self::new(ReckStatus::NotUnit, ReckField::Orientation, length)
            }
            _ => Self::new(ReckStatus::OutOfRange, ReckField::Truth, 0.0),
        }
    }
}

fn of_state(field: Field) -> ReckField {
    match field {
        Field::Position => ReckField::Position,
        Field::Velocity => ReckField::Velocity,
        Field::Acceleration => ReckField::Acceleration,
        Field::AngularVelocity => ReckField::AngularVelocity,
        _ => ReckField::Truth,
    }
}

impl From<SettingError> for Refusal {
    fn from(error: SettingError) -> Self {
        let seconds = |it: std::time::Duration| it.as_secs_f64();
        match error {
            SettingError::OutOfRange { name, got, .. }
            | SettingError::TinyOutOfRange { name, got } => Self::number(named(name), got),
            SettingError::SpanZero { name } => Self::number(named(name), 0.0),
            SettingError::SpanTooShort { name, got, .. }
            | SettingError::SpanTooLong { name, got, .. } => {
                Self::number(named(name), seconds(got))
            }
            SettingError::RangeReversed { name, min, .. } => {
                Self::new(ReckStatus::Contradiction, named(name), seconds(min))
            }
            _ => Self::new(ReckStatus::OutOfRange, ReckField::Setting, 0.0),
        }
    }
}

/// The field that the engine calls so.
fn named(name: &str) -> ReckField {
    match name {
        "blend span" | "shortest blend span" => ReckField::SpanBounds,
        "span" => ReckField::SpanLength,
        "max_extrapolation" => ReckField::MaxExtrapolation,
        "delay" => ReckField::Delay,
        "judge_ahead" => ReckField::JudgeAhead,
        "pace.max_speed_mps" => ReckField::MaxSpeed,
        "pace.max_span" => ReckField::SpanBounds,
        "min_heading_speed_mps" => ReckField::MinHeadingSpeed,
        _ => ReckField::Setting,
    }
}

impl From<ThresholdError> for Refusal {
    fn from(error: ThresholdError) -> Self {
        match error {
            ThresholdError::NotPositive { got_m } => Self::number(ReckField::Threshold, got_m),
            ThresholdError::JointNotPositive { got_rad } => {
                Self::number(ReckField::JointThreshold, got_rad)
            }
            ThresholdError::AngleOutOfRange { got_rad } => {
                Self::number(ReckField::AngleThreshold, got_rad)
            }
            _ => Self::new(ReckStatus::OutOfRange, ReckField::Threshold, 0.0),
        }
    }
}

impl From<ConfigError> for Refusal {
    fn from(error: ConfigError) -> Self {
        match error {
            ConfigError::Setting(error) => error.into(),
            ConfigError::Threshold(error) => error.into(),
            ConfigError::Kinematics(error) => error.into(),
            ConfigError::Publisher(PublisherError::HeartbeatTooShort { heartbeat, .. }) => {
                let value = heartbeat.as_secs_f64();
                Self::new(ReckStatus::Contradiction, ReckField::Heartbeat, value)
            }
            ConfigError::Publisher(PublisherError::SpreadOutOfRange { got }) => {
                Self::number(ReckField::HeartbeatSpread, got)
            }
            ConfigError::Model(ModelError::NotFinite { got, .. }) => {
                Self::number(ReckField::Model, got)
            }
            ConfigError::Model(_) => Self::new(ReckStatus::OutOfRange, ReckField::Model, 0.0),
            _ => Self::new(ReckStatus::OutOfRange, ReckField::Setting, 0.0),
        }
    }
}

impl From<UpdateBytesError> for Refusal {
    fn from(error: UpdateBytesError) -> Self {
        let offset = match error {
            UpdateBytesError::TooShort { offset }
            | UpdateBytesError::TooLong { offset }
            | UpdateBytesError::Code { offset, .. } => offset,
            UpdateBytesError::UnknownPath { .. } | UpdateBytesError::UnknownCustom { .. } => 2,
            UpdateBytesError::Unusable(error) => return error.into(),
            _ => 0,
        };
        Self::new(ReckStatus::BadBytes, ReckField::Update, offset as f64)
    }
}

impl From<CrowdError> for Refusal {
    fn from(error: CrowdError) -> Self {
        match error {
            CrowdError::Removed => Self::stale(ReckField::Ghost),
            _ => Self::new(ReckStatus::ModelUnknown, ReckField::Update, 0.0),
        }
    }
}

impl ReckStatus {
    const fn words(self) -> &'static str {
        match self {
            Self::Ok => "it was done",
            Self::Null => "is a null pointer",
            Self::NoSuchId => "is zero, or was destroyed",
            Self::StructSize => "has another struct_size; take it from its reck_*_def_default()",
            Self::NotFinite => "is not finite",
            Self::OutOfRange => "is out of range",
            Self::NotUnit => "has not the length 1; normalise it",
            Self::Contradiction => "contradicts another setting",
            Self::BadBytes => "is not an update or a file of this version, from this byte on",
            Self::Busy => "is in use by another thread; use a world from one thread at a time",
            Self::Full => "has no room for more than this",
            Self::NotLater => "is not later than the one before",
            Self::ModelUnknown => "has a model that crowds do not know; take a ghost",
            Self::TooShort => "is too short; it must hold this many",
            Self::NotUtf8 => "is not UTF-8, from this byte on",
            Self::Connect => "cannot be connected to",
            Self::NotJoined => "is not ours, or the client has not joined",
            Self::Broken => "is broken by a mistake within Reckoning; destroy it and report it",
        }
    }
}

/// Says a result in words: "heartbeat_s: 0.01 contradicts another setting". Writes as much as fits with
/// a zero at its end, and returns how many bytes all has without that zero. The buffer may be null.
///
/// # Safety
/// A buffer that is not null has that capacity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_result_message(
    status: i32,
    field: i32,
    value: f64,
    buffer: *mut c_char,
    capacity: usize,
) -> usize {
    let text = message(status, field, value);
    // SAFETY: the caller vouches for the buffer and its capacity.
    unsafe { pointers::put_text(&text, buffer, capacity) }
}

fn message(status: i32, field: i32, value: f64) -> String {
    let Some(status) = ALL_STATUS.into_iter().find(|it| *it as i32 == status) else {
        return format!("{status} is no status");
    };
    let field = FIELD_NAMES.get(field as usize).copied().unwrap_or("an unknown field");
    match status {
        ReckStatus::Ok => status.words().to_owned(),
        ReckStatus::Null | ReckStatus::NoSuchId | ReckStatus::Busy | ReckStatus::Broken => {
            format!("{field} {}", status.words())
        }
        _ => format!("{field}: {value} {}", status.words()),
    }
}

const ALL_STATUS: [ReckStatus; 18] = [
    ReckStatus::Ok,
    ReckStatus::Null,
    ReckStatus::NoSuchId,
    ReckStatus::StructSize,
    ReckStatus::NotFinite,
    ReckStatus::OutOfRange,
    ReckStatus::NotUnit,
    ReckStatus::Contradiction,
    ReckStatus::BadBytes,
    ReckStatus::Busy,
    ReckStatus::Full,
    ReckStatus::NotLater,
    ReckStatus::ModelUnknown,
    ReckStatus::TooShort,
    ReckStatus::NotUtf8,
    ReckStatus::Connect,
    ReckStatus::NotJoined,
    ReckStatus::Broken,
];

/// By number.
const FIELD_NAMES: [&str; 59] = [
    "nothing",
    "world",
    "kind",
    "publisher",
    "ghost",
    "crowd",
    "clock",
    "learned",
    "client",
    "output",
    "def",
    "truth",
    "update",
    "list",
    "at_us",
    "position",
    "velocity",
    "acceleration",
    "orientation",
    "angular_velocity",
    "threshold_m",
    "angle_threshold_rad",
    "heartbeat_s",
    "full_interval_s",
    "heartbeat_spread",
    "min_interval_s",
    "angle_min_interval_s",
    "model",
    "model_s",
    "gravity_mps2",
    "floor_m",
    "stop_repeat_s",
    "judge_ahead_s",
    "blend",
    "span",
    "span_s",
    "min_span_s or max_span_s",
    "max_extrapolation_s",
    "delay_s",
    "min_heading_speed_mps",
    "max_speed_mps",
    "show",
    "joint_count",
    "joint",
    "angle_rad",
    "rate_radps",
    "threshold_rad",
    "blend_s",
    "width_m",
    "a setting of the clock",
    "server",
    "token",
    "message",
    "delivery",
    "entity",
    "origin",
    "trust",
    "bound_m",
    "a setting",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_name_at_its_number() {
        assert_eq!(FIELD_NAMES[ReckField::Heartbeat as usize], "heartbeat_s");
        assert_eq!(FIELD_NAMES[ReckField::Joint as usize], "joint");
        assert_eq!(FIELD_NAMES[ReckField::Setting as usize], "a setting");
        assert_eq!(ReckField::Setting as usize + 1, FIELD_NAMES.len());
    }

    #[test]
    fn a_result_is_said_in_words_whatever_the_numbers() {
        let text = message(ReckStatus::NotFinite as i32, ReckField::Threshold as i32, f64::NAN);
        assert_eq!(text, "threshold_m: NaN is not finite");
        assert_eq!(message(-7, 0, 0.0), "-7 is no status");
        assert_eq!(message(1, i32::MIN, 0.0), "an unknown field is a null pointer");
    }
}
