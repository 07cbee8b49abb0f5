//! How watchers find out which way bodies of a kind are turned.

use reckoning::ConfigError;
use reckoning::error::SettingError;
use serde::{Deserialize, Serialize};

/// Which way bodies are turned. What is derived need not be sent: no update is due because of an
/// orientation then, and owners may leave that of their truths as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Facing {
    /// As their owner says.
    #[default]
    Sent,
    /// The way they go over ground, level: people, cars.
    Heading {
        /// Below this speed they stay turned as they are. From 0.
        min_speed_mps: f64,
    },
    /// The way they go, also up and down: aeroplanes, missiles.
    HeadingAndPitch {
        /// Below this speed they stay turned as they are. From 0.
        min_speed_mps: f64,
    },
    /// From a back end, dragged after the front like a trailer, to the front, which is where the
    /// body is shown: lorries, wagons, snakes. Does not turn on the spot.
    TwoPoint {
        /// From the back to the front. Above 0.
        length_m: f64,
    },
}

impl Facing {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        match *self {
            Self::Sent => {}
            Self::Heading { min_speed_mps } | Self::HeadingAndPitch { min_speed_mps } => {
                SettingError::in_range("facing min_speed_mps", min_speed_mps, 0.0, 1e6)?;
            }
            Self::TwoPoint { length_m } => {
                SettingError::in_range("facing length_m", length_m, 1e-3, 1e6)?;
            }
        }
        Ok(())
    }

    /// Whether watchers derive it.
    pub(crate) const fn is_derived(&self) -> bool {
        !matches!(self, Self::Sent)
    }
}
