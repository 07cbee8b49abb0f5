//! Entities of a session: those of others, as ghosts, and those it owns, as it publishes them.

use alloc::boxed::Box;
use core::time::Duration;

use reckoning::export::{Deviation, Sight};
use reckoning::ghost::Accepted;
use reckoning::ground::Pose;
use reckoning::rewind::{ShownAs, ShownUpdate};
use reckoning::{
    Blend, DVec3, GhostConfig, GroundClamp, Kinematics, Model, Publisher, SimTime, Update,
    UpdateKind,
};

use super::facing::FacingState;
use super::handover::OwnPicture;
use super::joints::{OwnedJoints, WatchedJoints};
use super::remote_ghost::RemoteGhost;
use crate::ack_window::Sequence;
use crate::history::{UpdateHistory, delta};
use crate::kinds::{BodyPlanner, KindId, Show};
use crate::wire::{Owner, UpdateSeq};

/// After this many losses in a row an update is coded without a baseline, as on the host.
const MAX_LOSSES_WITH_BASELINE: u8 = 2;
const MAX_LOSSES_ON_A_PATH: u8 = 8;

/// An entity in the interest set, moved by its owner elsewhere.
#[derive(Clone, Debug)]
pub struct RemoteEntity {
    pub(crate) owner: Owner,
    pub(crate) kind: KindId,
    /// Its distance class at the host, among those of its kind.
    pub(crate) class: u8,
    pub(crate) tag: Box<[u8]>,
    pub(crate) ghost: RemoteGhost,
    pub(crate) history: UpdateHistory,
    /// Sequence number of the datagram with its entry.
    pub(crate) entered: Sequence,
    /// Sequence number of the newest datagram about it.
    pub(crate) sequence: Sequence,
    /// What the ghost accepted last.
    pub(crate) accepted: AcceptedUpdates,
    pub(crate) joints: WatchedJoints,
    pub(crate) facing: FacingState,
    /// What sets it onto the ground, once it was drawn there.
    pub(crate) ground: Option<GroundClamp>,
}

impl RemoteEntity {
    /// Shows an update that arrives at `arrived`. It becomes a teleport, for whoever looks, if the
    /// body teleported since what was shown until now.
    pub(crate) fn show(&mut self, update: Update, arrived: SimTime, sequence: Sequence) {
        let leaps = update.teleported_since(self.ghost.update());
        let shown = if leaps { update.with_kind(UpdateKind::Teleport) } else { update };
        if self.ghost.accept(shown, arrived) == Accepted::Newest {
            self.accepted.push(sequence, arrived, leaps);
        }
        if leaps {
            self.facing.put(self.ghost.position_at(arrived));
            self.ground = None;
        }
    }

    /// Shows the first update of another owner. Without a common clock its stamp may lie before the
    /// former owner's last.
    pub(crate) fn hand_over(&mut self, update: Update, arrived: SimTime, sequence: Sequence) {
        if update.at() >= self.ghost.update().at() {
            self.show(update, arrived, sequence);
        } else if self.ghost.hand_over(update, arrived) == Accepted::Newest {
            self.accepted.push(sequence, arrived, false);
        }
    }

    /// Shows it by these settings from `arrived` on, without a jump.
    pub(crate) fn set_show(&mut self, show: Show, arrived: SimTime) {
        if self.ghost.show() != show {
            // The settings of kinds were taken before.
            let _ = self.ghost.set_show(show, arrived);
        }
    }

    /// Where and how to draw it, on the session's timeline: as its ghost says, or turned by its way
    /// where its kind has that ([`Kind::facing`](crate::Kind::facing)).
    #[must_use]
    pub fn pose_at(&self, at: SimTime) -> Pose {
        self.facing.pose_at(&self.ghost, at)
    }

    /// The end that moves it.
    #[must_use]
    pub const fn owner(&self) -> Owner {
        self.owner
    }

    /// Its kind: see [`Session::kinds`](crate::Session::kinds).
    #[must_use]
    pub const fn kind(&self) -> KindId {
        self.kind
    }

    /// The distance class by which the host sends it to us: 0 for the nearest of its kind.
    #[must_use]
    pub const fn class(&self) -> u8 {
        self.class
    }

    /// The game's own bytes about it.
    #[must_use]
    pub fn tag(&self) -> &[u8] {
        &self.tag
    }

    /// The ghost that shows it, on the session's timeline:
    /// [`Session::timeline_at`](crate::Session::timeline_at).
    #[must_use]
    pub const fn ghost(&self) -> &RemoteGhost {
        &self.ghost
    }
}

/// The last updates that a ghost accepted, so that a shot can say of what its picture was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcceptedUpdates {
    /// The newest first.
    kept: [AcceptedUpdate; ShownAs::MAX_UPDATES],
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct AcceptedUpdate {
    update: ShownUpdate,
    /// It was shown at once, whatever was shown before.
    jumps: bool,
    /// It was shown from where the entity was drawn when it was ours.
    glides: bool,
}

impl AcceptedUpdates {
    /// A ghost was born.
    pub(crate) fn born(sequence: Sequence, arrived: SimTime) -> Self {
        let mut this = Self { kept: Default::default(), count: 0 };
        this.push(sequence, arrived, true);
        this
    }

    /// A ghost accepted an update as the newest.
    pub(crate) fn push(&mut self, sequence: Sequence, arrived: SimTime, jumps: bool) {
        self.kept.rotate_right(1);
        let update = ShownUpdate { key: u64::from(sequence.low()), arrived };
        self.kept[0] = AcceptedUpdate { update, jumps, glides: false };
        self.count = (self.count + 1).min(self.kept.len());
    }

    /// The newest is shown from where the entity was drawn when it was ours, from `at` on.
    pub(crate) fn glide(&mut self, at: SimTime) {
        self.kept[0].glides = true;
        self.kept[0].update.arrived = at;
    }

    /// What a picture at `shown_at` is made of: the newest update and, where its blend was not
    /// over by then, those before it, back to one that was shown without a blend. `None` when the
    /// blend began with what only we know.
    pub(crate) fn shown_at(&self, shown_at: SimTime, config: &GhostConfig) -> Option<ShownAs> {
        let snaps = config.blend == Blend::Snap;
        let span = if snaps { Duration::ZERO } else { config.longest_blend() };
        let mut named = [ShownUpdate::default(); ShownAs::MAX_UPDATES];
        let (mut until, mut count, mut jumped) = (shown_at, 0, false);
        for accepted in &self.kept[..self.count] {
            let arrived = accepted.update.arrived;
            named[count] = accepted.update;
            count += 1;
            // A blend lasts through the very moment of its end. From what a body jumped does not
            // matter, but that nothing else was shown between does.
            if jumped || until.saturating_since(arrived) > span {
                break;
            }
            if accepted.glides {
                return None;
            }
            (until, jumped) = (arrived, accepted.jumps);
        }
        named[..count].reverse();
        Some(ShownAs::new(shown_at, &named[..count]))
    }

    /// What a picture with a delay is made of: some of the updates before the newest, and its delay
    /// follows from when they came. `None` when it began with what only we know.
    pub(crate) fn shown_late(&self, shown_at: SimTime) -> Option<ShownAs> {
        let kept = &self.kept[..self.count];
        if kept.iter().any(|accepted| accepted.glides) {
            return None;
        }
        let mut named = self.kept.map(|accepted| accepted.update);
        named[..self.count].reverse();
        Some(ShownAs::new(shown_at, &named[..self.count]))
    }
}

/// An entity that this session owns.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnedEntity {
    pub(crate) publisher: Option<Publisher>,
    /// Plans for it, if its kind asks for more than a model.
    pub(crate) planner: Option<Box<BodyPlanner>>,
    pub(crate) kind: KindId,
    pub(crate) joints: OwnedJoints,
    history: UpdateHistory,
    /// Sequence number of the datagram that granted it.
    pub(crate) granted: Sequence,
    /// Sequence number of the newest datagram that corrected it.
    pub(crate) corrected: Option<Sequence>,
    /// The serial of the newest correction.
    pub(crate) correction: Option<u16>,
    /// How often the body has teleported, as the host counts and we go on; `None` until its state
    /// was received.
    pub(crate) teleports: Option<u32>,
    /// The newest number when it was corrected: what was exported until then is void.
    void: Option<Sequence>,
    pending: Option<Update>,
    /// The newest number that was acknowledged.
    acknowledged: Option<Sequence>,
    losses: u8,
    lost: bool,
    pub(crate) picture: OwnPicture,
}

impl OwnedEntity {
    pub(crate) fn granted(sequence: Sequence, kind: KindId) -> Self {
        Self { granted: sequence, kind, ..Self::default() }
    }

    /// Queues an export, already on the grid; it replaces an older one that was not sent.
    pub(crate) fn export(&mut self, update: Update) {
        self.teleports = Some(update.teleports());
        self.pending = Some(update);
    }

    /// The host corrects it: what was exported and is not known to have arrived is void.
    pub(crate) fn correct(&mut self, sequence: Sequence, teleports: u32) {
        self.corrected = Some(sequence);
        self.teleports = Some(teleports);
        self.publisher = None;
        self.pending = None;
        self.lost = false;
        self.void = self.history.newest();
    }

    /// Whether the body stands where the host is known to have it, so that nothing need be said.
    pub(crate) fn is_dormant(&self, truth: &Kinematics) -> bool {
        let Some(publisher) = &self.publisher else { return false };
        let known = self.acknowledged.is_some() && self.acknowledged == self.history.newest();
        let last = publisher.last_update();
        let rests = truth.velocity == DVec3::ZERO
            && truth.angular_velocity == DVec3::ZERO
            && last.velocity_at(truth.at) == DVec3::ZERO;
        known
            && rests
            && !self.needs_sending()
            && publisher.config().rule().deviation(&Sight::from(truth), last)
                == Deviation::default()
    }

    pub(crate) const fn needs_sending(&self) -> bool {
        self.pending.is_some() || self.lost
    }

    /// What to send: the number as it travels, the number, the update, and its baseline.
    pub(crate) fn next_update(&self) -> Option<(UpdateSeq, Sequence, Update, Option<&Update>)> {
        let newest = self.history.newest();
        let (number, update) = match self.pending {
            Some(update) => (newest.map_or_else(Sequence::default, Sequence::next), update),
            None => newest.and_then(|newest| Some((newest, *self.history.get(newest)?)))?,
        };
        let rides = matches!(update.model(), Model::Path(_));
        let most_losses = if rides { MAX_LOSSES_ON_A_PATH } else { MAX_LOSSES_WITH_BASELINE };
        let baseline = self.acknowledged.filter(|_| self.losses < most_losses);
        let coded = baseline
            .and_then(|baseline| Some((delta(baseline, number)?, self.history.get(baseline)?)));
        match coded {
            Some((seq, baseline)) => Some((seq, number, update, Some(baseline))),
            None => Some((UpdateSeq::Full(number.low()), number, update, None)),
        }
    }

    pub(crate) fn sent(&mut self, number: Sequence) {
        if let Some(update) = self.pending.take() {
            self.history.put(number, update);
            self.void = None;
        }
        self.lost = false;
    }

    pub(crate) fn acknowledged(&mut self, number: Sequence) {
        // What an earlier ownership exported bears numbers of its own.
        let ours = self.history.has(number);
        if ours && self.acknowledged.is_none_or(|newest| number > newest) {
            self.acknowledged = Some(number);
        }
        self.losses = 0;
    }

    pub(crate) fn lost(&mut self, number: Sequence) {
        self.losses = self.losses.saturating_add(1);
        let newest = self.history.newest() == Some(number) && self.void != Some(number);
        self.lost |= newest && self.acknowledged != Some(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_ownership_exported_is_no_baseline() {
        let exported = |owned: &mut OwnedEntity, ms| {
            let seen = Kinematics { at: SimTime::from_millis(ms), ..Kinematics::default() };
            owned.export(Update::new(seen, Model::Hold, UpdateKind::Partial).unwrap());
            let (_, number, _, baseline) = owned.next_update().unwrap();
            let has_baseline = baseline.is_some();
            owned.sent(number);
            (number, has_baseline)
        };
        let mut earlier = OwnedEntity::default();
        let late = (1..50).map(|ms| exported(&mut earlier, ms).0).last().unwrap();
        let mut owned = OwnedEntity::default();
        let (first, _) = exported(&mut owned, 100);
        owned.acknowledged(late); // of what was sent before it was revoked and granted again
        owned.acknowledged(first);
        assert!(exported(&mut owned, 101).1, "coded off what was acknowledged");
    }
}
