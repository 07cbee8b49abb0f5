//! One receiver's sight of one entity: what it was sent, what it has, what it needs.

use reckoning::SimTime;

use crate::ack_window::ahead;
use crate::host::entities::{BaselineRef, ClassFormat, Entity};
use crate::wire::{EntityId, Owner, UpdateSeq};
use crate::zones::ZoneClass;

/// After so many losses in a row an update is coded on its own: the receiver may not have the
/// baseline we think it has.
const MAX_LOSSES_WITH_BASELINE: u8 = 2;

/// How far a stay in a receiver's zone has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InterestStage {
    /// It must be told of the entity; `sent` while that is under way.
    Enter { sent: bool },
    /// It knows the entity.
    Shown,
    /// It must be told that the entity is gone.
    Exit { sent: bool },
    /// It knows that, too.
    Gone,
}

/// One receiver's sight of one entity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerEntityState {
    pub(crate) entity: EntityId,
    /// The entity's place in the host's table.
    pub(crate) slot: u32,
    pub(crate) class: u8,
    pub(crate) stage: InterestStage,
    /// Tells this stay in the zone from earlier ones.
    pub(crate) epoch: u16,
    /// What was sent last.
    sent: Option<BaselineRef>,
    sent_at: SimTime,
    /// The newest that it has.
    has: Option<BaselineRef>,
    /// Losses since it last had something.
    losses: u8,
    /// What was sent last was lost, or a policy chose it.
    due: bool,
    /// What the policy chose, if not the newest.
    chosen: Option<u16>,
}

/// Why, and how urgently, something is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Need {
    pub(crate) urgency: f32,
}

const ENTER_URGENCY: f32 = 1e6;
const EXIT_URGENCY: f32 = 1e5;
const TELEPORT_URGENCY: f32 = 1e4;
const STOP_URGENCY: f32 = 1e2;

impl PeerEntityState {
    pub(crate) fn new(entity: EntityId, slot: u32, class: u8, epoch: u16, now: SimTime) -> Self {
        Self {
            entity,
            slot,
            class,
            stage: InterestStage::Enter { sent: false },
            epoch,
            sent: None,
            sent_at: now,
            has: None,
            losses: 0,
            due: false,
            chosen: None,
        }
    }

    /// The entity came into the zone again before the receiver knew that it had left.
    pub(crate) fn begin_again(&mut self, class: u8, epoch: u16, now: SimTime) {
        *self = Self::new(self.entity, self.slot, class, epoch, now);
    }

    /// The entity left the zone. Returns whether the receiver has to be told.
    pub(crate) fn end(&mut self) -> bool {
        let told = self.sent.is_some();
        if !matches!(self.stage, InterestStage::Exit { .. } | InterestStage::Gone) {
            self.stage = InterestStage::Exit { sent: false };
        }
        told
    }

    pub(crate) const fn is_shown(&self) -> bool {
        matches!(self.stage, InterestStage::Shown | InterestStage::Enter { .. })
    }

    /// Asks for an update in the next tick: of that number, or of what is newest then.
    pub(crate) fn choose(&mut self, number: Option<u16>) {
        self.due = true;
        self.chosen = number;
    }

    /// What the next tick should send, if anything. With a policy at work, only what it chose.
    pub(crate) fn need(
        &self,
        entity: &mut Entity,
        class: &ZoneClass,
        classes: &[ClassFormat],
        now: SimTime,
    ) -> Option<Need> {
        let waited_s = now.secs_since(self.sent_at) as f32;
        let need = |urgency: f32| Some(Need { urgency: urgency + waited_s });
        match self.stage {
            InterestStage::Enter { sent: false } => return need(ENTER_URGENCY),
            InterestStage::Exit { sent: false } => return need(EXIT_URGENCY),
            InterestStage::Exit { sent: true } | InterestStage::Gone => return None,
            InterestStage::Enter { sent: true } | InterestStage::Shown => {}
        }
        let Some(sent) = self.sent else { return need(1.0) };
        if entity.teleported_since(sent.number) {
            return need(TELEPORT_URGENCY);
        }
        let rules = (self.class, class);
        let Some(prediction_error) = entity.prediction_error(classes, sent, rules, now) else {
            return need(1.0);
        };
        let waited = now.saturating_since(self.sent_at);
        if entity.fairness.is_some() {
            let settles =
                !prediction_error.moves && !prediction_error.is_newest && prediction_error.apart;
            let healed = waited >= class.heartbeat && (settles || self.losses > 0);
            return if self.due || healed { need(1.0) } else { None };
        }
        if prediction_error.misses_stop {
            return need(STOP_URGENCY);
        }
        if waited < class.min_interval {
            return None;
        }
        let differs = !prediction_error.is_newest && prediction_error.apart;
        // An owner exports because the others need it; nearby nobody is the judge of that twice.
        let relayed = self.class == 0 && differs && entity.owner != Owner::Host;
        if self.due || prediction_error.turned || relayed || prediction_error.crosses {
            return need(prediction_error.share * (1.0 + waited_s));
        }
        let restless = differs || (!prediction_error.is_newest && prediction_error.moves);
        if waited >= class.heartbeat && restless { need(0.5) } else { None }
    }

    /// The same for an entity that is no more.
    pub(crate) fn need_without(&self, now: SimTime) -> Option<Need> {
        let exits = self.stage == InterestStage::Exit { sent: false };
        exits.then(|| Need { urgency: EXIT_URGENCY + now.secs_since(self.sent_at) as f32 })
    }

    /// The number to send, and what it can be coded off.
    pub(crate) fn form(&self, newest: u16, entity: &Entity) -> (u16, Option<BaselineRef>) {
        let wanted = self.chosen.filter(|number| entity.has_number(*number));
        // Never backwards: the receiver would drop it.
        let wanted = wanted.filter(|n| self.sent.is_none_or(|sent| ahead(*n, sent.number) > 0));
        let number = wanted.unwrap_or(newest);
        let base = self.has.filter(|has| {
            self.losses < MAX_LOSSES_WITH_BASELINE
                && matches!(self.stage, InterestStage::Shown)
                && UpdateSeq::delta(has.number, number).is_some()
                && entity.has_number(has.number)
        });
        (number, base)
    }

    /// Whether what it has is from before the body went elsewhere.
    pub(crate) fn needs_teleport(&self, entity: &Entity) -> bool {
        self.has.is_some_and(|has| entity.teleported_since(has.number))
    }

    /// Whether it has that number already.
    pub(crate) fn has_number(&self, number: u16) -> bool {
        self.has.is_some_and(|has| has.number == number)
    }

    /// Nothing newer is to be said.
    pub(crate) fn rest(&mut self) {
        self.due = false;
        self.chosen = None;
    }

    pub(crate) fn sent(&mut self, number: u16, now: SimTime) {
        self.sent = Some(BaselineRef { number, class: self.class });
        self.sent_at = now;
        self.rest();
    }

    /// An update or an entry arrived.
    pub(crate) fn arrived(&mut self, held: BaselineRef) {
        if self.has.is_none_or(|has| ahead(held.number, has.number) > 0) {
            self.has = Some(held);
        }
        self.losses = 0;
    }

    /// An update or an entry seems lost.
    pub(crate) fn lost(&mut self, number: u16) {
        self.losses = self.losses.saturating_add(1);
        // If something newer is under way, that heals it.
        self.due |= self.sent.is_some_and(|sent| sent.number == number) && !self.has_number(number);
    }
}
