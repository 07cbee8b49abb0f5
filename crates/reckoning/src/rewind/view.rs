//! One shooter's view of one entity, replayed.
//!
//! Ghosts depend on all updates they ever received, so the view keeps one ghost from just
//! before the span that can be asked about and what arrived since; asking replays that.

use alloc::collections::VecDeque;
use core::time::Duration;

use super::RewindView;
use crate::error::SettingError;
use crate::ground::Pose;
use crate::{DelayedConfig, DelayedGhost, Ghost, GhostConfig, SimTime, Update};

/// A ghost of either kind. Hosts use one kind, so a box would only add a hop.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
enum AnyGhost {
    Now(Ghost),
    Delayed(DelayedGhost),
}

impl AnyGhost {
    fn accept(&mut self, update: Update, arrived: SimTime) {
        match self {
            Self::Now(ghost) => ghost.accept(update, arrived),
            Self::Delayed(ghost) => ghost.accept(update, arrived),
        };
    }

    fn pose_at(&self, at: SimTime) -> Pose {
        match self {
            Self::Now(ghost) => ghost.pose_at(at),
            Self::Delayed(ghost) => ghost.pose_at(at),
        }
    }
}

/// What one shooter saw of one entity.
#[derive(Clone, Debug)]
pub(super) struct ShooterView {
    /// As it was after `heard`.
    past: AnyGhost,
    heard: SimTime,
    /// Oldest first.
    since: VecDeque<(SimTime, Update)>,
}

impl ShooterView {
    pub(super) fn validate(view: &RewindView) -> Result<(), SettingError> {
        let nothing = Update::from_checked(
            crate::Kinematics::default(),
            crate::Model::Hold,
            crate::UpdateKind::Full,
        );
        Self::start(view, nothing, SimTime::ZERO).map(|_| ())
    }

    pub(super) fn start(
        view: &RewindView,
        first: Update,
        arrived: SimTime,
    ) -> Result<Self, SettingError> {
        let past = Self::stand(view, first, arrived)?;
        Ok(Self { past, heard: arrived, since: VecDeque::new() })
    }

    fn stand(view: &RewindView, first: Update, arrived: SimTime) -> Result<AnyGhost, SettingError> {
        let now =
            |config: GhostConfig| Ghost::with_config(config, first, arrived).map(AnyGhost::Now);
        let delayed = |config: DelayedConfig| {
            DelayedGhost::with_config(config, first, arrived).map(AnyGhost::Delayed)
        };
        match *view {
            RewindView::Now(config) => now(config),
            RewindView::Delayed(config) => delayed(config),
        }
    }

    /// Puts an arrival in its place, also if it is reported out of turn. False when it is
    /// too late for that.
    pub(super) fn accept(
        &mut self,
        update: Update,
        arrived: SimTime,
        span: Duration,
        kept: usize,
    ) -> bool {
        if arrived < self.heard {
            return false;
        }
        let place = self.since.partition_point(|(at, _)| *at <= arrived);
        self.since.insert(place, (arrived, update));
        // Twice the span: requests reach back a span from when they come in, and the
        // acknowledgements before them were under way as well.
        let newest = self.since.back().map_or(arrived, |(at, _)| *at);
        let old = |since: &VecDeque<(SimTime, Update)>| {
            since.front().is_some_and(|(at, _)| *at + span * 2 < newest)
        };
        while self.since.len() > kept || old(&self.since) {
            let Some((at, update)) = self.since.pop_front() else { break };
            self.past.accept(update, at);
            self.heard = at;
        }
        true
    }

    /// What was shown then; `None` before the first thing remembered.
    pub(super) fn pose_at(&self, at: SimTime) -> Option<Pose> {
        if at < self.heard {
            return None;
        }
        let mut ghost = self.past.clone();
        for (arrived, update) in self.since.iter().take_while(|(arrived, _)| *arrived <= at) {
            ghost.accept(*update, *arrived);
        }
        Some(ghost.pose_at(at))
    }
}
