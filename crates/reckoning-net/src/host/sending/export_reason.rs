//! Export decision of a host: why an update is due, and how urgent that is.
//!
//! The decision is the engine's [`ExportRule`](reckoning::export::ExportRule), which publishers
//! ask too, by the settings of a peer's distance class. A host adds what only it knows, because it
//! sends to many and learns what arrived: an [`ExportState`]. There are three questions:
//! [`reason_for_peer`] where each peer is served for itself, [`reason_for_chosen_peer`] where a
//! fairness policy chooses the peers, and [`reason_for_everybody`] for what that policy shares out.

use core::time::Duration;

use reckoning::ExportReason;
use reckoning::export::{Deviation, Due};

use super::PredictionError;
use crate::zones::ZoneClass;

/// What is known when the decision is made.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct ExportState {
    /// Since the last update was sent.
    pub(super) silence: Duration,
    /// How far the prediction from what the peer holds is off; `None` when it holds nothing or that
    /// is no longer known.
    pub(super) error: Option<PredictionError>,
    /// So long that a heartbeat is due.
    pub(super) silent: bool,
    /// The body teleported since the last update sent.
    pub(super) teleported: bool,
    /// What was sent last was lost and is sent again, or is coarser than the peer's class wants, or the fairness
    /// policy chose this peer.
    pub(super) due: bool,
    /// Something was lost since the last acknowledgement.
    pub(super) lost: bool,
    /// The entity is moved by a peer, and near: what its owner exports is passed on.
    pub(super) relays: bool,
}

/// Why one peer is due an update, by its distance class, if it is.
pub(super) fn reason_for_peer(class: &ZoneClass, state: &ExportState) -> Option<ExportReason> {
    if state.teleported {
        let teleport = Deviation { teleported: true, ..Deviation::default() };
        return class.export_rule().reason(teleport, state.silence, Due::default());
    }
    let Some(error) = state.error else { return Some(ExportReason::Full) };
    let outdated = !error.is_newest;
    let due = Due {
        // An owner exports because the others need it; nearby that is not judged twice.
        requested: state.due || (state.relays && outdated && error.apart),
        full: false,
        // A body at rest costs nothing once the peer has it.
        heartbeat: state.silent && outdated && (error.apart || error.moves),
    };
    class.export_rule().reason(error.deviation, state.silence, due)
}

/// The same where a fairness policy chooses the peers: only those, and those who have to be
/// repaired because they lost something or show a body that stands in the wrong place. Whom the
/// policy chose too soon for its distance class waits.
pub(super) fn reason_for_chosen_peer(
    class: &ZoneClass,
    state: &ExportState,
) -> Option<ExportReason> {
    if state.teleported {
        return Some(ExportReason::Teleport);
    }
    let Some(error) = state.error else { return Some(ExportReason::Full) };
    if state.due {
        let stop = Deviation { misses_stop: error.deviation.misses_stop, ..Deviation::default() };
        let due = Due { requested: true, ..Due::default() };
        return class.export_rule().reason(stop, state.silence, due);
    }
    let stands_elsewhere = !error.moves && !error.is_newest && error.apart;
    let repair = state.silent && (stands_elsewhere || state.lost);
    repair.then_some(ExportReason::Heartbeat)
}

/// Why an update is due that a fairness policy then shares out among a class's peers, if one is.
pub(super) fn reason_for_everybody(class: &ZoneClass, state: &ExportState) -> Option<ExportReason> {
    if let (Some(error), false) = (state.error, state.teleported)
        && (error.is_newest || (state.silence < class.min_interval && !error.deviation.misses_stop))
    {
        return None;
    }
    reason_for_peer(class, state)
}

const TELEPORT_URGENCY: f32 = 1e4;
const STOP_URGENCY: f32 = 1e2;

/// What makes one error weigh more than another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    /// How much the peer sees of the error, where the game says what it looks at.
    pub(super) visible: Option<f32>,
    pub(super) importance: f32,
}

/// How urgent an update to a peer is: the larger, the sooner it is sent when the budget is short.
/// Errors that grow steadily add up, from one update to the next, to what error times age says. What
/// a fairness policy `chose` is equally urgent for all but for its importance.
pub(super) fn urgency(
    reason: ExportReason,
    state: &ExportState,
    silence_s: f32,
    weight: Weight,
    chose: bool,
) -> f32 {
    let share = state.error.map_or(0.0, |error| error.share);
    let urgency = match reason {
        ExportReason::Teleport => return TELEPORT_URGENCY + silence_s,
        ExportReason::Stop if !chose => return STOP_URGENCY + silence_s,
        ExportReason::Full => 1.0,
        _ if chose => 1.0,
        ExportReason::Heartbeat => 0.5,
        _ => weight.visible.unwrap_or(share) * (1.0 + silence_s),
    };
    (urgency + silence_s) * weight.importance
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
            silent: millis >= 1_000,
            error: Some(error),
            teleported: false,
            due: false,
            lost: false,
            relays: false,
        }
    }

    const MOVING: PredictionError = PredictionError {
        deviation: Deviation {
            teleported: false,
            misses_stop: false,
            position: false,
            orientation: false,
        },
        share: 0.5,
        per_axis: false,
        apart: true,
        moves: true,
        is_newest: false,
    };

    fn off(position: bool, orientation: bool, misses_stop: bool) -> PredictionError {
        let deviation = Deviation { position, orientation, misses_stop, ..MOVING.deviation };
        PredictionError { deviation, ..MOVING }
    }

    #[test]
    fn a_peer_is_due_what_a_publisher_would_export() {
        let reason = |state: ExportState| reason_for_peer(&class(), &state);
        assert_eq!(reason(after(500, MOVING)), None);
        let far = off(true, true, false);
        assert_eq!(reason(after(500, far)), Some(ExportReason::Position));
        let turned = off(false, true, false);
        assert_eq!(reason(after(500, turned)), Some(ExportReason::Orientation));
        assert_eq!(reason(after(99, far)), None, "the minimum interval holds");
        assert_eq!(reason(after(1000, MOVING)), Some(ExportReason::Heartbeat));
        let stop = off(true, false, true);
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
    fn a_stop_that_a_policy_shares_out_does_not_wait_either() {
        let reason = |state| reason_for_everybody(&class(), &state);
        assert_eq!(reason(after(99, off(true, false, false))), None, "the minimum interval holds");
        assert_eq!(reason(after(0, off(true, false, true))), Some(ExportReason::Stop));
    }

    #[test]
    fn only_whom_the_policy_chose_is_due_and_who_lost_something() {
        let far = off(true, false, true);
        let reason = |state: &ExportState| reason_for_chosen_peer(&class(), state);
        assert_eq!(reason(&after(5000, far)), None);
        let due = |millis, error| ExportState { due: true, ..after(millis, error) };
        assert_eq!(reason(&due(100, MOVING)), Some(ExportReason::Requested));
        assert_eq!(reason(&due(99, MOVING)), None, "the minimum interval holds");
        assert_eq!(reason(&due(0, far)), Some(ExportReason::Stop), "at once");
        let lost = ExportState { lost: true, ..after(1000, far) };
        assert_eq!(reason(&lost), Some(ExportReason::Heartbeat));
    }

    #[test]
    fn urgency_follows_the_reason_then_the_error_then_the_silence() {
        let state = after(0, MOVING);
        let plain = Weight { visible: None, importance: 1.0 };
        let urgency_of = |reason, weight| urgency(reason, &state, 1.0, weight, false);
        let urgency = |reason| urgency_of(reason, plain);
        let falling = [
            ExportReason::Teleport,
            ExportReason::Stop,
            ExportReason::Full,
            ExportReason::Heartbeat,
        ]
        .map(urgency);
        assert!(falling.is_sorted_by(|a, b| a > b), "{falling:?}");
        assert_eq!(urgency(ExportReason::Position), 0.5 * 2.0 + 1.0);
        let twice = Weight { importance: 2.0, ..plain };
        assert_eq!(urgency_of(ExportReason::Position, twice), 4.0);
        let seen = Weight { visible: Some(7.0), ..plain };
        assert_eq!(urgency_of(ExportReason::Position, seen), 7.0 * 2.0 + 1.0);
    }
}
