//! How watchers show bodies of a kind: reckoned to the present, or played back with a delay.

use core::time::Duration;

use reckoning::error::SettingError;
use reckoning::{
    Blend, ConfigError, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Kinematics, Model,
    SimTime, Update, UpdateKind,
};
use serde::{Deserialize, Serialize};

/// How far models are followed where a kind does not say: so many of its heartbeats, which rides out
/// a lost one and its delay,
const HEARTBEATS_FOLLOWED: u32 = 4;
/// and at least this long, for bodies whose distance classes are the host's.
const LEAST_FOLLOWED: Duration = Duration::from_secs(4);
/// With fewer heartbeats than this, ghosts slow down between those that arrive.
const LEAST_HEARTBEATS: u32 = 2;

/// How bodies of others are shown.
///
/// A `max_extrapolation` of zero is not set: it becomes four times the longest heartbeat by which
/// the body is sent, and four seconds at least. One that is shorter than two heartbeats is refused.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Show {
    /// As they must be now. With [`Blend::Snap`] every update is shown at once.
    Reckoned(GhostConfig),
    /// As they were a moment ago.
    Delayed(DelayedConfig),
    /// As each session shows what has no kind ([`SessionConfig::ghost`](crate::SessionConfig::ghost),
    /// [`Session::set_ghosts`](crate::Session::set_ghosts)), which it tells the host: where players
    /// choose for themselves.
    BySession,
}

impl Default for Show {
    fn default() -> Self {
        Self::reckoned(Blend::default())
    }
}

impl Show {
    /// As they must be now, by that blend.
    #[must_use]
    pub fn reckoned(blend: Blend) -> Self {
        let mut config = GhostConfig::default();
        (config.blend, config.max_extrapolation) = (blend, Duration::ZERO);
        Self::Reckoned(config)
    }

    /// As they were at least `min_delay` ago, and at most `max_delay` on a bad link.
    #[must_use]
    pub fn delayed(min_delay: Duration, max_delay: Duration) -> Self {
        let mut config = DelayedConfig::default();
        (config.min_delay, config.max_delay) = (min_delay, max_delay);
        config.max_extrapolation = Duration::ZERO;
        Self::Delayed(config)
    }

    /// How far past an update its model is followed; `None` where sessions say so themselves.
    #[must_use]
    pub const fn max_extrapolation(&self) -> Option<Duration> {
        match self {
            Self::Reckoned(config) => Some(config.max_extrapolation),
            Self::Delayed(config) => Some(config.max_extrapolation),
            Self::BySession => None,
        }
    }

    /// Whether every update is shown at once.
    pub(crate) fn snaps(&self) -> bool {
        matches!(self, Self::Reckoned(config) if config.blend == Blend::Snap)
    }

    /// Sets what is not set, for bodies that are sent at least this often.
    pub(super) fn settle(&mut self, heartbeat: Duration) {
        let cap = match self {
            Self::Reckoned(config) => &mut config.max_extrapolation,
            Self::Delayed(config) => &mut config.max_extrapolation,
            Self::BySession => return,
        };
        if cap.is_zero() {
            *cap = heartbeat.saturating_mul(HEARTBEATS_FOLLOWED).max(LEAST_FOLLOWED);
        }
    }

    /// With what is not set set, for bodies of which nobody knows how often they are sent.
    pub(crate) fn settled(mut self) -> Self {
        self.settle(Duration::ZERO);
        self
    }

    /// Refuses what ghosts refuse.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let still = Update::new(Kinematics::default(), Model::Hold, UpdateKind::Full)?;
        match *self {
            Self::Reckoned(config) => {
                Ghost::with_config(config, still, SimTime::ZERO)?;
            }
            Self::Delayed(config) => {
                DelayedGhost::with_config(config, still, SimTime::ZERO)?;
            }
            Self::BySession => {}
        }
        Ok(())
    }

    /// Refuses a picture that stands still between two heartbeats.
    pub(super) fn check_heartbeat(&self, heartbeat: Duration) -> Result<(), ConfigError> {
        let least = heartbeat.saturating_mul(LEAST_HEARTBEATS);
        match self.max_extrapolation() {
            Some(got) if got < least => {
                let name = "max_extrapolation of less than two heartbeats:";
                Err(SettingError::SpanTooShort { name, got, least }.into())
            }
            _ => Ok(()),
        }
    }
}
