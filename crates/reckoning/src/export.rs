//! The export decision: whether an update is due, and for which reason.
//!
//! A [`Publisher`](crate::Publisher) asks an [`ExportRule`] once for all its listeners. Take one
//! yourself to decide per receiver, as a host does that sends distant receivers less. There is
//! one order of reasons:
//!
//! ```text
//! teleport, stop | min_interval | position, orientation, requested, full, heartbeat
//!   at any time  '-- not before --------------------------------------------------
//! ```
//!
//! ```
//! use core::time::Duration;
//! use reckoning::export::{Due, Sight};
//! use reckoning::{
//!     DVec3, ExportReason, Kinematics, Model, PublisherConfig, SimTime, Update, UpdateKind,
//! };
//!
//! let rule = PublisherConfig::default().rule(); // 0.25 m
//! let seen = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X);
//! let last_sent = Update::new(seen, Model::Linear, UpdateKind::Full)?;
//! let turned = Kinematics::moving(SimTime::from_millis(400), DVec3::X * 0.1, DVec3::Y);
//! let deviation = rule.deviation(&Sight::from(&turned), &last_sent); // 0.3 m off
//! let reason = rule.reason(deviation, Duration::from_millis(400), Due::default());
//! assert_eq!(reason, Some(ExportReason::Position));
//! # Ok::<(), reckoning::ConfigError>(())
//! ```

use core::time::Duration;

use glam::{DQuat, DVec3};

use crate::{AngleThreshold, Kinematics, SimTime, Threshold, Update};

/// Where errors are judged ahead, the error of now counts by this share.
const NOW_SHARE: f64 = 0.5;

/// Why an update is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportReason {
    /// The guessed position is too far off.
    Position,
    /// The guessed orientation is too far off.
    Orientation,
    /// The body came to rest.
    Stop,
    /// It was silent for long enough.
    Heartbeat,
    /// The full state is due.
    Full,
    /// The body is somewhere else now, without having moved there.
    Teleport,
    /// It was requested: the last one sent was lost, or the owner exported one for everyone.
    Requested,
}

/// When listeners need an update: the settings of one export decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExportRule {
    /// Export once the guess is this far off.
    pub threshold: Threshold,
    /// Export once the guess is turned this far; `None` leaves orientation alone.
    pub angle_threshold: Option<AngleThreshold>,
    /// Never export more often than this, except for stops and teleports.
    pub min_interval: Duration,
    /// Never export for the sake of orientation more often than this.
    pub angle_min_interval: Duration,
    /// Export at once when the body has come to rest while listeners still see it move.
    pub export_stops: bool,
}

/// What the rule looks at of a true state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sight {
    /// The moment it is about.
    pub at: SimTime,
    /// Position of the body.
    pub position: DVec3,
    /// Orientation of the body.
    pub orientation: DQuat,
    /// Whether it stands still.
    pub at_rest: bool,
}

impl From<&Kinematics> for Sight {
    fn from(truth: &Kinematics) -> Self {
        let (at, position, orientation) = (truth.at, truth.position, truth.orientation);
        Self { at, position, orientation, at_rest: truth.velocity == DVec3::ZERO }
    }
}

/// How a guess differs from the truth by the measure of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reason of its own")]
pub struct Deviation {
    /// The body is somewhere else without having moved there.
    pub teleported: bool,
    /// The guess moves and the body stands.
    pub misses_stop: bool,
    /// The guessed position has crossed the threshold.
    pub position: bool,
    /// The guessed orientation has crossed its threshold.
    pub orientation: bool,
}

/// What is due besides what a [`Deviation`] asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// What was sent last is to be sent again, or passed on.
    pub requested: bool,
    /// The full state.
    pub full: bool,
    /// A sign of life.
    pub heartbeat: bool,
}

impl ExportRule {
    /// How far listeners that guess from `guess` are off the truth.
    #[must_use]
    #[inline]
    pub fn deviation(&self, truth: &Sight, guess: &Update) -> Deviation {
        let error = truth.position - guess.position_at(truth.at);
        Deviation {
            teleported: false,
            misses_stop: truth.at_rest && guess.velocity_at(truth.at) != DVec3::ZERO,
            position: self.threshold.is_crossed_by(error),
            orientation: self.angle_threshold.is_some_and(|threshold| {
                threshold.is_crossed_between(guess.orientation_at(truth.at), truth.orientation)
            }),
        }
    }

    /// Whether a position has to be corrected where errors are judged ahead: by the error that is
    /// foreseen for `then`, if it was looked at, or by that of `now`, which may be twice the
    /// threshold as long as it is foreseen to shrink.
    #[must_use]
    #[inline]
    pub fn is_crossed_ahead(&self, now: DVec3, then: Option<DVec3>) -> bool {
        then.is_some_and(|then| self.threshold.is_crossed_by(then))
            || self.threshold.is_crossed_by(now * NOW_SHARE)
    }

    /// Why listeners need an update after a `silence` of that length, if they do.
    #[must_use]
    #[inline]
    pub fn reason(
        &self,
        deviation: Deviation,
        silence: Duration,
        due: Due,
    ) -> Option<ExportReason> {
        if deviation.teleported {
            return Some(ExportReason::Teleport);
        }
        if self.export_stops && deviation.misses_stop {
            return Some(ExportReason::Stop);
        }
        if silence < self.min_interval {
            return None;
        }
        let turned = deviation.orientation && silence >= self.angle_min_interval;
        [
            (deviation.position, ExportReason::Position),
            (turned, ExportReason::Orientation),
            (due.requested, ExportReason::Requested),
            (due.full, ExportReason::Full),
            (due.heartbeat, ExportReason::Heartbeat),
        ]
        .into_iter()
        .find_map(|(holds, reason)| holds.then_some(reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: ExportRule = ExportRule {
        threshold: Threshold::QUARTER_METRE,
        angle_threshold: None,
        min_interval: Duration::from_millis(100),
        angle_min_interval: Duration::from_millis(200),
        export_stops: true,
    };

    fn after_ms(deviation: Deviation, ms: u64, due: Due) -> Option<ExportReason> {
        RULE.reason(deviation, Duration::from_millis(ms), due)
    }

    #[test]
    fn judged_ahead_the_error_of_now_may_be_twice_the_threshold() {
        let off = |metres: f64| DVec3::X * metres;
        assert!(RULE.is_crossed_ahead(off(0.0), Some(off(0.26))));
        assert!(!RULE.is_crossed_ahead(off(0.49), Some(off(0.24))));
        assert!(RULE.is_crossed_ahead(off(0.51), Some(off(0.0))));
        assert!(!RULE.is_crossed_ahead(off(0.49), None) && RULE.is_crossed_ahead(off(0.51), None));
    }

    #[test]
    fn stops_and_teleports_do_not_wait() {
        let stop = Deviation { misses_stop: true, position: true, ..Deviation::default() };
        let teleport = Deviation { teleported: true, ..stop };
        assert_eq!(after_ms(stop, 0, Due::default()), Some(ExportReason::Stop));
        assert_eq!(after_ms(teleport, 0, Due::default()), Some(ExportReason::Teleport));
        let silent = ExportRule { export_stops: false, ..RULE };
        assert_eq!(silent.reason(stop, Duration::ZERO, Due::default()), None);
    }

    #[test]
    fn everything_else_waits_for_the_interval_in_the_order_of_reasons() {
        let off = Deviation { position: true, orientation: true, ..Deviation::default() };
        let all = Due { requested: true, full: true, heartbeat: true };
        assert_eq!(after_ms(off, 99, all), None);
        assert_eq!(after_ms(off, 100, all), Some(ExportReason::Position));
        let turned = Deviation { orientation: true, ..Deviation::default() };
        assert_eq!(after_ms(turned, 199, Due::default()), None);
        assert_eq!(after_ms(turned, 200, all), Some(ExportReason::Orientation));
        let none = Deviation::default();
        assert_eq!(after_ms(none, 100, all), Some(ExportReason::Requested));
        let due = Due { requested: false, ..all };
        assert_eq!(after_ms(none, 100, due), Some(ExportReason::Full));
        assert_eq!(after_ms(none, 100, Due { full: false, ..due }), Some(ExportReason::Heartbeat));
        assert_eq!(after_ms(none, 1_000, Due::default()), None);
    }
}
