//! Errors of callers: settings and values that the engine refuses.
//!
//! Each kind of setting has an error of its own; take [`ConfigError`], which is any of them,
//! to set up several things with one `?`. Bad traffic is never an error: it is counted.
//!
//! ```
//! use reckoning::error::ThresholdError;
//! use reckoning::{ConfigError, Threshold};
//!
//! let error = Threshold::metres(-1.0).unwrap_err();
//! assert_eq!(error, ThresholdError::NotPositive { got_m: -1.0 });
//! let error = ConfigError::from(error);
//! assert_eq!(error.to_string(), "threshold -1 m is not a positive, finite distance");
//! ```

mod fairness;
mod ground;
mod model;
mod publisher;
mod setting;
mod terrain;
mod threshold;

use core::fmt;

pub use fairness::FairnessError;
pub use ground::GroundError;
pub use model::ModelError;
pub use publisher::PublisherError;
pub use setting::SettingError;
pub use terrain::TerrainError;
pub use threshold::ThresholdError;

use crate::kinematics::KinematicsError;

/// Why a configuration was refused: which part of it, and there which value.
///
/// Settings are checked once, where they are handed over; the message names the value and
/// what to do about it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// A number or a span.
    Setting(SettingError),
    /// A threshold.
    Threshold(ThresholdError),
    /// A publisher or its quantiser.
    Publisher(PublisherError),
    /// A motion model.
    Model(ModelError),
    /// A fairness policy.
    Fairness(FairnessError),
    /// A height field, or a grid over the ground.
    Terrain(TerrainError),
    /// A ground clamp.
    Ground(GroundError),
    /// A state of a body.
    Kinematics(KinematicsError),
}

impl ConfigError {
    /// The part's own error.
    fn part(&self) -> &(dyn core::error::Error + 'static) {
        match self {
            Self::Setting(error) => error,
            Self::Threshold(error) => error,
            Self::Publisher(error) => error,
            Self::Model(error) => error,
            Self::Fairness(error) => error,
            Self::Terrain(error) => error,
            Self::Ground(error) => error,
            Self::Kinematics(error) => error,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.part(), f)
    }
}

impl core::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(self.part())
    }
}

macro_rules! parts {
    ($($variant:ident($error:ident)),* $(,)?) => {
        $(impl From<$error> for ConfigError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })*
    };
}

parts! {
    Setting(SettingError),
    Threshold(ThresholdError),
    Publisher(PublisherError),
    Model(ModelError),
    Fairness(FairnessError),
    Terrain(TerrainError),
    Ground(GroundError),
    Kinematics(KinematicsError),
}
