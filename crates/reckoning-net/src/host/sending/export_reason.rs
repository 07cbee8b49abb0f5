//! Export decision of a host: why an update is due, and how urgent that is.
//!
//! The reasons are the publisher's, in its words ([`reckoning::Publisher`]), with the host's
//! distance class in place of the publisher's settings; beside them stand the few that only a
//! host has, because it sends to many and learns what arrived. The decision is a pure function of
//! an [`ExportState`]: [`reason_for_peer`] where each peer is served for itself,
//! [`reason_for_chosen_peer`] where a fairness policy says whose turn it is, and
//! [`reason_for_everybody`] for what that policy shares out.

use core::time::Duration;

use super::PredictionError;
use crate::zones::ZoneClass;

/// Reason for which an update is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportReason {
    /// The predicted position is too far off.
    Position,
    /// The predicted orientation is too far off.
    Orientation,
    /// The body came to rest, and the prediction moves on.
    Stop,
    /// Nothing was sent for long enough.
    Heartbeat,
    /// Nothing was sent yet, or what was sent is too long ago to be predicted from.
    Full,
    /// The body is somewhere else now, without having moved there.
    Teleport,
    /// What was sent last was lost, or is coarser than the peer's distance class wants.
    Resend,
    /// The owner exported it, and the peer is near.
    Relay,
    /// The fairness policy chose this peer.
    Chosen,
    /// The policy did not choose this peer for long, and it lost something or sees a body stand
    /// in the wrong place.
    Repair,
}

/// What is known when the decision is made.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct ExportState {
    /// Since the last update was sent.
    pub(super) silence: Duration,
    /// How far the prediction from the last update sent is off; `None` when nothing was sent or
    /// it is no longer known.
    pub(super) error: Option<PredictionError>,
    /// The body teleported since the last update sent.
    pub(super) teleported: bool,
    /// What was sent last has to be sent again, or the fairness policy chose this peer.
    pub(super) due: bool,
    /// Something was lost since the last acknowledgement.
    pub(super) lost: bool,
    /// The entity is moved by a peer, and near: what its owner exports is passed on.
    pub(super) relays: bool,
}

/// Whether one peer is due an update, by its distance class.
pub(super) fn reason_for_peer(class: &ZoneClass, state: &ExportState) -> Option<ExportReason> {
    let error = match prediction_from(state) {
        Ok(error) => error,
        Err(reason) => return Some(reason),
    };
    if error.missed_stop {
        return Some(ExportReason::Stop);
    }
    if state.silence < class.min_interval {
        return None;
    }
    if error.crosses {
        return Some(ExportReason::Position);
    }
    if error.turned {
        return Some(ExportReason::Orientation);
    }
    if state.due {
        return Some(ExportReason::Resend);
    }
    // An owner exports because the others need it; nearby that is not judged twice.
    if state.relays && error.is_outdated() && error.apart {
        return Some(ExportReason::Relay);
    }
    let unsettled = error.is_outdated() && (error.apart || error.moves);
    (state.silence >= class.heartbeat && unsettled).then_some(ExportReason::Heartbeat)
}

/// The same where a fairness policy chooses the peers: only what it chose, and repair.
pub(super) fn reason_for_chosen_peer(
    class: &ZoneClass,
    state: &ExportState,
) -> Option<ExportReason> {
    let error = match prediction_from(state) {
        Ok(error) => error,
        Err(reason) => return Some(reason),
    };
    if state.due {
        return Some(ExportReason::Chosen);
    }
    let stands_elsewhere = !error.moves && error.is_outdated() && error.apart;
    let repair = state.silence >= class.heartbeat && (stands_elsewhere || state.lost);
    repair.then_some(ExportReason::Repair)
}

/// Whether an update is due that a fairness policy then shares out, by the nearest class.
pub(super) fn reason_for_everybody(class: &ZoneClass, state: &ExportState) -> Option<ExportReason> {
    let error = match prediction_from(state) {
        Ok(error) => error,
        Err(reason) => return Some(reason),
    };
    // Unlike for a single peer, a stop keeps the minimum interval here.
    if !error.is_outdated() || state.silence < class.min_interval {
        return None;
    }
    reason_for_peer(class, state)
}

/// The error to judge, or the reason for which there is nothing to judge.
fn prediction_from(state: &ExportState) -> Result<PredictionError, ExportReason> {
    if state.teleported {
        return Err(ExportReason::Teleport);
    }
    state.error.ok_or(ExportReason::Full)
}

const TELEPORT_URGENCY: f32 = 1e4;
const STOP_URGENCY: f32 = 1e2;

impl ExportReason {
    /// How urgent it is: the larger, the sooner it is sent when the budget is short.
    pub(super) fn urgency(self, state: &ExportState, silence_s: f32) -> f32 {
        let share = state.error.map_or(0.0, |error| error.share);
        let urgency = match self {
            Self::Teleport => TELEPORT_URGENCY,
            Self::Stop => STOP_URGENCY,
            Self::Position | Self::Orientation | Self::Resend | Self::Relay => {
                share * (1.0 + silence_s)
            }
            Self::Full | Self::Chosen | Self::Repair => 1.0,
            Self::Heartbeat => 0.5,
        };
        urgency + silence_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class() -> ZoneClass {
        ZoneClass { min_interval: Duration::from_millis(100), ..ZoneClass::default() }
    }

    fn after(millis: u64, error: PredictionError) -> ExportState {
        ExportState {
            silence: Duration::from_millis(millis),
            error: Some(error),
            teleported: false,
            due: false,
            lost: false,
            relays: false,
        }
    }

    const MOVING: PredictionError = PredictionError {
        share: 0.5,
        crosses: false,
        turned: false,
        apart: true,
        missed_stop: false,
        moves: true,
        is_newest: false,
    };

    #[test]
    fn a_peer_is_due_what_a_publisher_would_export() {
        let reason = |state: ExportState| reason_for_peer(&class(), &state);
        assert_eq!(reason(after(500, MOVING)), None);
        let off = PredictionError { crosses: true, turned: true, ..MOVING };
        assert_eq!(reason(after(500, off)), Some(ExportReason::Position));
        let turned = PredictionError { turned: true, ..MOVING };
        assert_eq!(reason(after(500, turned)), Some(ExportReason::Orientation));
        assert_eq!(reason(after(99, off)), None, "the minimum interval holds");
        assert_eq!(reason(after(1000, MOVING)), Some(ExportReason::Heartbeat));
        let stop = PredictionError { missed_stop: true, ..MOVING };
        assert_eq!(reason(after(0, stop)), Some(ExportReason::Stop), "at once");
        let teleported = ExportState { teleported: true, ..after(0, stop) };
        assert_eq!(reason(teleported), Some(ExportReason::Teleport));
        let unsent = ExportState { error: None, ..after(0, stop) };
        assert_eq!(reason(unsent), Some(ExportReason::Full));
    }

    #[test]
    fn a_body_at_rest_costs_nothing_once_it_is_known() {
        let known = PredictionError { apart: false, moves: false, is_newest: true, ..MOVING };
        assert_eq!(reason_for_peer(&class(), &after(60_000, known)), None);
        assert_eq!(reason_for_chosen_peer(&class(), &after(60_000, known)), None);
        assert_eq!(reason_for_everybody(&class(), &after(60_000, known)), None);
    }

    #[test]
    fn only_whom_the_policy_chose_is_due_and_who_lost_something() {
        let off = PredictionError { crosses: true, missed_stop: true, ..MOVING };
        let reason = |state: &ExportState| reason_for_chosen_peer(&class(), state);
        assert_eq!(reason(&after(5000, off)), None);
        let due = ExportState { due: true, ..after(0, off) };
        assert_eq!(reason(&due), Some(ExportReason::Chosen));
        let lost = ExportState { lost: true, ..after(1000, off) };
        assert_eq!(reason(&lost), Some(ExportReason::Repair));
    }

    #[test]
    fn urgency_follows_the_reason_then_the_error_then_the_silence() {
        let state = after(0, MOVING);
        let urgency = |reason: ExportReason| reason.urgency(&state, 1.0);
        let falling = [
            ExportReason::Teleport,
            ExportReason::Stop,
            ExportReason::Full,
            ExportReason::Heartbeat,
        ]
        .map(urgency);
        assert!(falling.is_sorted_by(|a, b| a > b), "{falling:?}");
        assert_eq!(urgency(ExportReason::Position), 0.5 * 2.0 + 1.0);
    }
}
