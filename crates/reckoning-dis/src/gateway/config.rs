//! Settings of a gateway.

use core::fmt;
use core::time::Duration;

use reckoning::ConfigError;
use reckoning::Threshold;

use crate::mapping::Mapping;
use crate::place::TangentFrame;

/// How a gateway takes part in an exercise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GatewayConfig {
    /// The exercise, 1 to 255.
    pub exercise: u8,
    /// Our site, 1 to 65534.
    pub site: u16,
    /// Our application there, 1 to 65534.
    pub application: u16,
    /// The version of what we send: 5, 6 or 7. Default: 7.
    pub version: u8,
    /// Which entities are of which kinds. Default: [`Mapping::default`].
    pub mapping: Mapping,
    /// Where the server's world is on earth.
    pub frame: TangentFrame,
    /// Sends an entity once the exercise's guess is this far off. Default: 0.7 m, which with a quarter
    /// of a metre that a body may be off on the server stays within the metre of the standard.
    pub threshold: Threshold,
    /// Or turned this far, degrees. Default: 3.
    pub angle_deg: f64,
    /// Sends an entity at least this often, a tenth more or less. Default: 5 s.
    pub heartbeat: Duration,
    /// Says each change of motion again after this, since nothing in DIS repairs a loss: one in twenty
    /// lost leaves one in four hundred. `None` says it once. Default: 200 ms.
    pub repeat_after: Option<Duration>,
    /// An entity that is silent for so many heartbeats is gone. Default: 2.4.
    pub timeout_heartbeats: f64,
    /// Seconds past the hour, UTC, at [`SimTime::ZERO`](reckoning::SimTime::ZERO), by which we stamp and
    /// judge absolute timestamps; `None` stamps relative ones. Default: `None`.
    pub utc_past_hour_s: Option<f64>,
    /// Entities of others at most. Default: 10,000.
    pub max_entities: usize,
}

impl GatewayConfig {
    /// The usual settings.
    #[must_use]
    pub fn new(exercise: u8, site: u16, application: u16, frame: TangentFrame) -> Self {
        Self {
            exercise,
            site,
            application,
            version: 7,
            mapping: Mapping::default(),
            frame,
            threshold: Threshold::metres(0.7).unwrap_or(Threshold::QUARTER_METRE),
            angle_deg: 3.0,
            heartbeat: Duration::from_secs(5),
            repeat_after: Some(Duration::from_millis(200)),
            timeout_heartbeats: 2.4,
            utc_past_hour_s: None,
            max_entities: 10_000,
        }
    }

    pub(super) fn validate(&self) -> Result<(), GatewayError> {
        let whole = [
            ("exercise", u32::from(self.exercise), 1, 255),
            ("site", u32::from(self.site), 1, 65_534),
            ("application", u32::from(self.application), 1, 65_534),
            ("version", u32::from(self.version), 5, 7),
        ];
        for (name, got, min, max) in whole {
            if !(min..=max).contains(&got) {
                return Err(GatewayError::OutOfRange { name, got, min, max });
            }
        }
        let beats = self.timeout_heartbeats;
        if !(1.0..=1_000.0).contains(&beats) {
            return Err(GatewayError::Timeout { got: beats });
        }
        Ok(())
    }
}

/// Why a gateway was not made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each says itself what it is")]
pub enum GatewayError {
    /// A number is out of its range.
    OutOfRange { name: &'static str, got: u32, min: u32, max: u32 },
    /// The time-out is 1 to 1000 heartbeats.
    Timeout { got: f64 },
    /// A threshold or the heartbeat is not usable.
    Publishing(ConfigError),
}

impl fmt::Display for GatewayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { name, got, min, max } => {
                write!(f, "{name} {got} is out of range; give {min} to {max}")
            }
            Self::Timeout { got } => {
                write!(f, "a time-out of {got} heartbeats is out of range; give 1 to 1000")
            }
            Self::Publishing(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for GatewayError {}
