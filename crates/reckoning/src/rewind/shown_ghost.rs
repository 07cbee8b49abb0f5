//! The ghost of a shooter's screen, of whichever kind it shows.

use core::time::Duration;

use crate::error::SettingError;
use crate::ground::Pose;
use crate::{DelayedConfig, DelayedGhost, Ghost, GhostConfig, SimTime, Update};

/// How a shooter shows other bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RewindView {
    /// With a [`Ghost`](crate::Ghost): as it must be now.
    Now(GhostConfig),
    /// With a [`DelayedGhost`](crate::DelayedGhost): as it was a moment ago.
    Delayed(DelayedConfig),
}

impl RewindView {
    /// The longest blend and the longest delay it can have.
    pub(super) fn longest(&self) -> (Duration, Duration) {
        match self {
            Self::Now(config) => (config.longest_blend(), Duration::ZERO),
            Self::Delayed(config) => (config.span, config.max_delay),
        }
    }
}

/// A ghost of either kind. Shooters mostly use one kind, so a box would only add a hop.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(super) enum ShownGhost {
    Now(Ghost),
    Delayed(DelayedGhost),
}

impl ShownGhost {
    pub(super) fn validate(view: &RewindView) -> Result<(), SettingError> {
        let nothing = Update::from_checked(
            crate::Kinematics::default(),
            crate::Model::Hold,
            crate::UpdateKind::Full,
        );
        Self::born(view, nothing, SimTime::ZERO).map(|_| ())
    }

    pub(super) fn born(
        view: &RewindView,
        first: Update,
        arrived: SimTime,
    ) -> Result<Self, SettingError> {
        match *view {
            RewindView::Now(config) => Ghost::with_config(config, first, arrived).map(Self::Now),
            RewindView::Delayed(config) => {
                DelayedGhost::with_config(config, first, arrived).map(Self::Delayed)
            }
        }
    }

    pub(super) fn accept(&mut self, update: Update, arrived: SimTime) {
        match self {
            Self::Now(ghost) => ghost.accept(update, arrived),
            Self::Delayed(ghost) => ghost.accept(update, arrived),
        };
    }

    /// Shows by other settings from `at` on. Another kind of ghost begins with the newest update.
    pub(super) fn set_view(&mut self, view: &RewindView, at: SimTime) {
        if let (Self::Now(ghost), RewindView::Now(config)) = (&mut *self, view) {
            // Views are validated before they get here.
            let _ = ghost.set_config(*config, at);
        } else if let Ok(ghost) = Self::born(view, *self.update(), at) {
            *self = ghost;
        }
    }

    fn update(&self) -> &Update {
        match self {
            Self::Now(ghost) => ghost.update(),
            Self::Delayed(ghost) => ghost.update(),
        }
    }

    pub(super) fn pose_at(&self, at: SimTime) -> Pose {
        match self {
            Self::Now(ghost) => ghost.pose_at(at),
            Self::Delayed(ghost) => ghost.pose_at(at),
        }
    }

    /// How far in the past it shows the body.
    pub(super) fn delay_at(&self, at: SimTime) -> Duration {
        match self {
            Self::Now(_) => Duration::ZERO,
            Self::Delayed(ghost) => ghost.delay_at(at),
        }
    }
}
