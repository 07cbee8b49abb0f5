//! State of one entity for one peer: what was sent, what was acknowledged, what is due.

use reckoning::SimTime;
use reckoning::random::SplitMix64;

use super::export_reason::{ExportState, Weight, reason_for_chosen_peer, reason_for_peer, urgency};
use super::held_updates::{HeldUpdates, LEAST_LOSS};
use crate::ack_window::Sequence;
use crate::history::delta;
use crate::host::entities::{BaselineRef, ClassFormat, Entity};
use crate::host::interest::Camera;
use crate::host::joints::SentJoints;
use crate::kinds::KindId;
use crate::wire::{EntityId, ExitReason, Owner};
use crate::zones::ZoneClass;

/// After this many losses in a row an update is coded without a baseline: the peer may not have
/// the one we think it has.
const MAX_LOSSES_WITH_BASELINE: u8 = 2;
/// The same for a body on a path, of which an update without a baseline takes three times as much.
const MAX_LOSSES_ON_A_PATH: u8 = 8;

const ENTER_URGENCY: f32 = 1e6;
const EXIT_URGENCY: f32 = 1e5;

/// How far an entity's stay in a peer's interest set has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InterestStage {
    /// An entry is due; `sent` while it is in flight.
    Enter { sent: bool },
    /// The entry was acknowledged.
    Shown,
    /// An exit is due; `sent` while it is in flight. Why it left is fixed then: what becomes of it
    /// out of sight is not told.
    Exit { sent: bool, why: ExitReason },
    /// The exit was acknowledged, or the peer never heard of it.
    Gone,
}

/// What was sent of an entity to a peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentUpdate {
    pub(crate) number: Sequence,
    pub(crate) teleports: u32,
    /// Of the peer's heartbeats.
    pub(crate) seed: u64,
}

/// What only an entry tells of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryHeader {
    pub(crate) owner: Owner,
    pub(crate) kind: KindId,
}

impl Default for EntryHeader {
    fn default() -> Self {
        Self { owner: Owner::Host, kind: KindId::NONE }
    }
}

/// What a peer looks at, and how much of what it is sent gets lost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct View<'a> {
    pub(crate) camera: Option<&'a Camera>,
    /// `None` where what was sent last counts as held.
    pub(crate) loss: Option<f32>,
}

/// One entity for one peer, from its entry into the interest set until its exit is acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerEntityState {
    pub(crate) entity: EntityId,
    /// The entity's slot in the host's table.
    pub(crate) slot: u32,
    /// Its distance class.
    pub(crate) class: u8,
    pub(crate) stage: InterestStage,
    /// Tells this stay in the interest set from earlier ones.
    pub(crate) epoch: u32,
    /// What the entry names.
    pub(crate) header: EntryHeader,
    /// The peer may have it from an earlier stay: its exit was not acknowledged.
    may_be_known: bool,
    /// What was sent, and what of it the peer holds.
    updates: HeldUpdates,
    /// The count of teleports that the one sent last said, and the first number that said it.
    sent_teleports: u32,
    leapt: Sequence,
    sent_at: SimTime,
    /// When a heartbeat is due, if nothing is sent before.
    heartbeat_at: SimTime,
    /// Counts what was sent.
    count: u32,
    /// When the newest that was acknowledged arrived.
    heard_at: SimTime,
    /// Losses since the last acknowledgement.
    losses: u8,
    /// Ticks since something was sent in which something was due and others went first.
    pub(crate) passed_over: u16,
    /// What was sent last was lost, or a policy chose this peer.
    due: bool,
    /// The number that the policy chose, if not the newest.
    chosen: Option<Sequence>,
    /// The peer has it as another kind: what overtakes the entry would be read by the old one.
    pub(crate) waits_for_entry: bool,
    pub(crate) joints: SentJoints,
    /// A bit for each property whose value, if there is one and the peer may see it, is neither in
    /// flight nor known to have arrived.
    pub(crate) unsent_values: u32,
}

impl PeerEntityState {
    /// An entity enters the interest set.
    pub(crate) fn new(
        (entity, slot): (EntityId, u32),
        header: EntryHeader,
        class: u8,
        epoch: u32,
        now: SimTime,
    ) -> Self {
        Self {
            entity,
            slot,
            class,
            stage: InterestStage::Enter { sent: false },
            epoch,
            header,
            may_be_known: false,
            updates: HeldUpdates::default(),
            sent_teleports: 0,
            leapt: Sequence::default(),
            sent_at: now,
            heartbeat_at: SimTime::MAX,
            count: 0,
            heard_at: now,
            losses: 0,
            passed_over: 0,
            due: false,
            chosen: None,
            waits_for_entry: false,
            joints: SentJoints::default(),
            unsent_values: u32::MAX,
        }
    }

    /// The entity enters the interest set again: before its exit was acknowledged, or with another
    /// owner or kind.
    pub(crate) fn enter_again(&mut self, header: EntryHeader, class: u8, epoch: u32, now: SimTime) {
        let may_be_known = self.may_be_known() && self.stage != InterestStage::Gone;
        *self = Self::new((self.entity, self.slot), header, class, epoch, now);
        self.may_be_known = may_be_known;
    }

    /// The entity leaves the interest set: an exit is due if the peer may have heard of it.
    pub(crate) fn exit(&mut self, why: ExitReason) {
        if self.is_shown() {
            let known = self.may_be_known();
            self.stage =
                if known { InterestStage::Exit { sent: false, why } } else { InterestStage::Gone };
        }
    }

    const fn may_be_known(&self) -> bool {
        self.updates.sent().is_some() || self.may_be_known
    }

    /// Whether the entity is in the interest set.
    pub(crate) const fn is_shown(&self) -> bool {
        matches!(self.stage, InterestStage::Shown | InterestStage::Enter { .. })
    }

    /// Whether its entry is due.
    pub(crate) fn is_entering(&self) -> bool {
        self.stage == InterestStage::Enter { sent: false }
    }

    /// Makes an update due in the next tick: of that number, or of what is newest then.
    pub(crate) fn choose(&mut self, number: Option<Sequence>) {
        self.due = true;
        self.chosen = number;
    }

    /// Whether an update can be written for it, be it due or not.
    pub(super) const fn can_be_updated(&self) -> bool {
        match self.stage {
            InterestStage::Enter { sent } => !sent || !self.waits_for_entry,
            InterestStage::Shown => true,
            InterestStage::Exit { .. } | InterestStage::Gone => false,
        }
    }

    /// How urgently something has to be sent in this tick, to such a peer; `None` when nothing has
    /// to.
    pub(crate) fn urgency(
        &self,
        entity: &mut Entity,
        classes: &[ClassFormat],
        view: View<'_>,
        now: SimTime,
    ) -> Option<f32> {
        if self.header.kind != entity.kind {
            return self.urgency_of_exit(now); // else it enters again first
        }
        let class = &classes.get(usize::from(self.class))?.rules;
        let silence_s = now.secs_since(self.sent_at) as f32;
        match self.stage {
            InterestStage::Enter { sent: false } => {
                Some(ENTER_URGENCY + silence_s + entity.interest.importance as f32)
            }
            InterestStage::Exit { sent: false, .. } => Some(EXIT_URGENCY + silence_s),
            InterestStage::Exit { sent: true, .. } | InterestStage::Gone => None,
            InterestStage::Enter { sent: true } if self.waits_for_entry => None,
            InterestStage::Enter { sent: true } | InterestStage::Shown => {
                let state = self.export_state(entity, class, classes, view.loss, now);
                let policy_chooses = entity.fairness.is_some();
                let reason = if policy_chooses {
                    reason_for_chosen_peer(class, &state)
                } else {
                    reason_for_peer(class, &state)
                };
                let reason = reason?;
                let visible = view.camera.and_then(|camera| {
                    let error_m = f64::from(state.error?.share) * class.threshold.max_error_m();
                    Some(camera.visible_error(entity.position_at(now), error_m))
                });
                let weight = Weight { visible, importance: entity.interest.importance as f32 };
                Some(urgency(reason, &state, silence_s, weight, policy_chooses))
            }
        }
    }

    /// The same where nothing but its exit can be due: it was despawned, or is of another kind.
    pub(super) fn urgency_of_exit(&self, now: SimTime) -> Option<f32> {
        let exits = matches!(self.stage, InterestStage::Exit { sent: false, .. });
        exits.then(|| EXIT_URGENCY + now.secs_since(self.sent_at) as f32)
    }

    /// What is known when an update's reason is asked for.
    fn export_state(
        &self,
        entity: &mut Entity,
        class: &ZoneClass,
        classes: &[ClassFormat],
        loss: Option<f32>,
        now: SimTime,
    ) -> ExportState {
        let held = if loss.is_some() { self.updates.newest() } else { self.updates.sent() };
        let teleported = self.updates.sent().is_some()
            && (self.sent_teleports != entity.teleports()
                || held.is_some_and(|held| held.number < self.leapt));
        let rules = (self.class, class);
        let held = held.filter(|_| !teleported);
        let mut error = held.and_then(|held| entity.prediction_error(classes, held, rules, now));
        if let (Some(error), Some(loss)) = (&mut error, loss.filter(|it| *it >= LEAST_LOSS)) {
            let expected = self.expected_share(entity, classes, rules, (loss, error.share), now);
            error.judge(expected);
        }
        ExportState {
            silence: now.saturating_since(self.sent_at),
            silent: now >= self.heartbeat_at,
            error,
            teleported,
            due: self.due,
            lost: self.losses > 0,
            relays: self.class == 0 && entity.owner != Owner::Host,
        }
    }

    /// The position's error as a share of the threshold, in expectation of what the peer holds; that
    /// of the newest is `newest`.
    #[inline]
    fn expected_share(
        &self,
        entity: &mut Entity,
        classes: &[ClassFormat],
        rules: (u8, &ZoneClass),
        (loss, newest): (f32, f32),
        now: SimTime,
    ) -> Option<f32> {
        let mut sum = None;
        let mut share = newest;
        for (held, chance) in self.updates.chances(loss) {
            // One that is too old to be known is taken to be off like the one after it.
            let error = entity.prediction_error(classes, held, rules, now);
            share = error.map_or(share, |error| error.share);
            sum = Some(sum.unwrap_or(0.0) + chance * share);
        }
        sum
    }

    /// The number to send, and the baseline to code it against.
    pub(super) fn choose_update(
        &self,
        newest: Sequence,
        entity: &Entity,
    ) -> (Sequence, Option<BaselineRef>) {
        let wanted = self.chosen.filter(|number| {
            let chosen = entity.numbered(*number);
            chosen.is_some_and(|chosen| chosen.teleports() == entity.teleports())
        });
        // Never backwards: the peer would drop it.
        let wanted = wanted.filter(|n| self.updates.sent().is_none_or(|sent| *n > sent.number));
        let number = wanted.unwrap_or(newest);
        let most_losses =
            if entity.rides() { MAX_LOSSES_ON_A_PATH } else { MAX_LOSSES_WITH_BASELINE };
        let baseline = self.updates.acknowledged().filter(|acknowledged| {
            self.losses < most_losses
                && matches!(self.stage, InterestStage::Shown)
                && delta(acknowledged.number, number).is_some()
                && entity.has_number(acknowledged.number)
        });
        (number, baseline)
    }

    /// Whether that number is the newest acknowledged.
    pub(super) fn has_number(&self, number: Sequence) -> bool {
        self.updates.acknowledged().is_some_and(|newest| newest.number == number)
    }

    /// Whether that number was sent last, but as another class writes it. A number stands for the
    /// same bits at both ends, so what is written otherwise needs another one.
    pub(super) fn was_sent_in_other_class(&self, number: Sequence) -> bool {
        let sent = self.updates.sent();
        sent.is_some_and(|sent| sent.number == number && sent.class != self.class)
    }

    /// Nothing is due any more.
    pub(crate) fn rest(&mut self) {
        self.due = false;
        self.chosen = None;
    }

    /// An update or an entry was sent; the next heartbeat is due at a moment of this pair's own.
    pub(crate) fn sent(&mut self, update: SentUpdate, class: &ZoneClass, now: SimTime) {
        let SentUpdate { number, teleports, seed } = update;
        let first = self.stage == InterestStage::Enter { sent: false };
        self.count = self.count.wrapping_add(1);
        let seed = seed ^ u64::from(self.entity.0) << 32 ^ u64::from(self.count);
        self.heartbeat_at = class.heartbeat_at(now, first, SplitMix64::new(seed).unit());
        if teleports != self.sent_teleports {
            (self.sent_teleports, self.leapt) = (teleports, number);
        }
        self.updates.handle_sent(BaselineRef { number, class: self.class });
        self.sent_at = now;
        self.passed_over = 0;
        self.rest();
    }

    /// An update or an entry was acknowledged, which arrived then.
    pub(crate) fn acknowledged(&mut self, update: BaselineRef, at: SimTime) {
        self.updates.handle_acknowledged(update);
        self.heard_at = self.heard_at.max(at);
        self.losses = 0;
    }

    /// An update or an entry was given up. What is sent for it is newer than that, and only sent if
    /// what the peer holds is not good enough; or at once, if losses are `resent`.
    pub(crate) fn lost(&mut self, number: Sequence, missed: bool, resent: bool) {
        self.losses = self.losses.saturating_add(1);
        if resent {
            self.due |= self.is_last(number);
            self.updates.handle_lost(number);
            return;
        }
        // An owner exports because the others need it; nearby that is not judged twice.
        let relays = self.class == 0 && self.header.owner != Owner::Host;
        self.due |= relays && self.is_last(number);
        if missed {
            self.missed(number);
        } else {
            self.updates.handle_doubt(number);
        }
    }

    /// Whether it was sent last and is not known to have arrived: if something newer is in flight,
    /// that repairs it.
    fn is_last(&self, number: Sequence) -> bool {
        let is_last = self.updates.sent().is_some_and(|sent| sent.number == number);
        is_last && !self.has_number(number)
    }

    /// An update or an entry did not arrive.
    pub(crate) fn missed(&mut self, number: Sequence) {
        self.updates.handle_lost(number);
        if !self.is_last(number) {
            return;
        }
        let held = self.updates.newest();
        // It may have been to make the peer's picture finer.
        self.due |= held.is_none_or(|held| held.class != self.class);
        if held == self.updates.acknowledged() {
            // The peer has been without a sign of life for longer than since this one was sent.
            self.heartbeat_at -= self.sent_at.saturating_since(self.heard_at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its first exit may have been lost; the entry that would have made up for that was never sent.
    #[test]
    fn what_leaves_again_before_it_entered_again_exits_again() {
        let (header, class) = (EntryHeader::default(), ZoneClass::default());
        let mut state = PeerEntityState::new((EntityId(1), 0), header, 0, 1, SimTime::ZERO);
        state.exit(ExitReason::Left);
        assert_eq!(state.stage, InterestStage::Gone, "nobody heard of it");
        state.enter_again(header, 0, 2, SimTime::ZERO);
        let said = SentUpdate { number: Sequence::default(), teleports: 0, seed: 0 };
        state.sent(said, &class, SimTime::ZERO);
        state.exit(ExitReason::Left);
        state.enter_again(header, 0, 3, SimTime::ZERO);
        state.exit(ExitReason::Despawned);
        let exits = InterestStage::Exit { sent: false, why: ExitReason::Despawned };
        assert_eq!(state.stage, exits);
    }
}
