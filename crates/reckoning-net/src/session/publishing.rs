//! Publishing of a session: entities of its own, from their truth to what is sent of them.
//!
//! The publisher decides when an update is due; what it guesses from is what the host's format
//! makes of the update, the very bits that everyone else has.

use alloc::boxed::Box;
use alloc::vec::Vec;

use reckoning::random::SplitMix64;
use reckoning::{
    AngleThreshold, ConfigError, Kinematics, Planner, Publisher, PublisherConfig, Quantiser,
    Threshold, Update,
};
use reckoning_predict::Surroundings;

use super::Session;
use super::event::SessionEvent;
use crate::kinds::{BodyPlanner, KindId};
use crate::wire::{EntityId, Format, PeerId};

impl Session {
    /// Observes the truth of an entity of ours at `truth.at` by our clock; each frame. Returns
    /// whether it is ours, its state was received and the host's clock is known, so that it can be
    /// published.
    pub fn observe(&mut self, entity: EntityId, truth: &Kinematics) -> bool {
        self.observe_with(entity, truth, &Surroundings::default())
    }

    /// As [`observe`](Self::observe), with what is `around` the entity for the planner of its kind:
    /// see [`PlannerKind`](crate::PlannerKind). What the planner lacks is told by
    /// [`SessionEvent::PlannerMissing`]; the entity goes by the model of its kind then. The first
    /// update carries that model in any case.
    pub fn observe_with(
        &mut self,
        entity: EntityId,
        truth: &Kinematics,
        around: &Surroundings<'_>,
    ) -> bool {
        self.publish_by_kind(entity, truth, |publisher, planner, truth| match planner {
            Some(planner) => planner.observe(publisher, truth, around),
            None => publisher.observe(truth),
        })
    }

    /// As [`observe`](Self::observe), with the model that `planner` chooses for each update from
    /// what is `around` the entity, whatever its kind plans by; see [`Publisher::observe_planned`].
    /// The first update carries the model of its kind, or of the session's settings.
    pub fn observe_planned<S: ?Sized>(
        &mut self,
        entity: EntityId,
        truth: &Kinematics,
        planner: &mut impl Planner<S>,
        around: &S,
    ) -> bool {
        self.publish_by_kind(entity, truth, |publisher, of_kind, truth| {
            if let Some(of_kind) = of_kind {
                of_kind.fit_threshold(publisher, truth);
            }
            publisher.observe_planned(truth, planner, around)
        })
    }

    /// Teleports an entity of ours. The host's guard may correct that unless the game allowed it:
    /// [`Host::allow_teleport`](crate::Host::allow_teleport). Everyone learns of it, whatever is
    /// lost on the way: all later updates say so too.
    pub fn teleport(&mut self, entity: EntityId, truth: &Kinematics) -> bool {
        if let Some(planner) = self.owned.get_mut(&entity).and_then(|it| it.planner.as_mut()) {
            planner.forget();
        }
        self.publish(entity, truth, 1, Publisher::teleport)
    }

    /// What was exported last of an entity of ours: the bits that the host decodes and everyone
    /// else's ghost is led by, unless a coarser distance class rounds them further.
    #[must_use]
    pub fn published(&self, entity: EntityId) -> Option<&Update> {
        self.owned.get(&entity)?.publisher.as_ref().map(Publisher::last_update)
    }

    /// Publishes with the planner of the entity's kind, which is made when it is first needed.
    fn publish_by_kind(
        &mut self,
        entity: EntityId,
        truth: &Kinematics,
        export: impl FnOnce(&mut Publisher, Option<&mut BodyPlanner>, &Kinematics) -> Option<Update>,
    ) -> bool {
        let mut planner = self.take_planner(entity);
        let published = self.publish(entity, truth, 0, |publisher, truth| {
            export(publisher, planner.as_deref_mut(), truth)
        });
        if let (Some(mut planner), Some(owned)) = (planner, self.owned.get_mut(&entity)) {
            let (kind, missing) = (owned.kind, planner.take_missing());
            owned.planner = Some(planner);
            if let Some(needs) = missing {
                self.push_event(SessionEvent::PlannerMissing { entity, kind, needs });
            }
        }
        published
    }

    fn take_planner(&mut self, entity: EntityId) -> Option<Box<BodyPlanner>> {
        let seed = heartbeat_seed(entity, self.peer());
        let owned = self.owned.get_mut(&entity)?;
        let kind = self.kinds.get(owned.kind)?;
        let mut planner = match owned.planner.take() {
            Some(planner) => planner,
            None => BodyPlanner::new(kind, &self.config.planning, kind.publisher.seed ^ seed)?,
        };
        if owned.publisher.is_none() {
            planner.forget(); // it was corrected, or the clock was
        }
        Some(planner)
    }

    /// `teleports` is how many times the body did not move to where it is.
    fn publish(
        &mut self,
        entity: EntityId,
        truth: &Kinematics,
        teleports: u32,
        export: impl FnOnce(&mut Publisher, &Kinematics) -> Option<Update>,
    ) -> bool {
        self.draw_owned(entity, truth, teleports > 0);
        let (Some(at), Some(format)) = (self.timeline_at(truth.at), &self.format) else {
            return false;
        };
        let peer = self.peer();
        let Some(owned) = self.owned.get_mut(&entity) else { return false };
        let kind = self.kinds.get(owned.kind);
        let config = kind.map_or(&self.config.publisher, |kind| &kind.publisher);
        let seed = config.seed ^ heartbeat_seed(entity, peer);
        let Some(known) = owned.teleports else { return false };
        let last = owned.publisher.as_ref().map(Publisher::last_update);
        let at = match last.map(|last| (last, format.stamp_time(at, last.model()))) {
            // The stamp of what was exported last: listeners would take this for the same.
            Some((last, rounded)) if rounded == last.at() && teleports == 0 => return true,
            Some((last, rounded)) if rounded == last.at() => {
                format.next_stamp(last.at(), last.model())
            }
            _ => at,
        };
        let truth = Kinematics { at, ..format.sayable(truth) };
        if teleports == 0 && kind.is_some_and(|kind| kind.dormant) && owned.is_dormant(&truth) {
            return true;
        }
        let update = if let Some(publisher) = &mut owned.publisher {
            export(publisher, &truth)
        } else if let Ok((publisher, first)) =
            start(config, seed, &truth, known.wrapping_add(teleports))
        {
            owned.publisher = Some(publisher);
            Some(first)
        } else {
            None
        };
        if let (Some(update), Some(publisher)) = (update, &mut owned.publisher) {
            let turns_by_itself = kind.is_some_and(|kind| kind.facing.is_derived());
            let rounded =
                if turns_by_itself { format.round_along(&update) } else { format.round(&update) };
            publisher.handle_sent(rounded);
            owned.export(rounded);
        }
        true
    }

    /// Exports entities of ours that have no kind by these settings from their next observation on, which is
    /// exported in full.
    ///
    /// # Errors
    /// Names the first setting that is out of range, or finer than what the host's format rounds;
    /// nothing changes then.
    pub fn set_publisher(&mut self, publisher: PublisherConfig) -> Result<(), ConfigError> {
        start(&publisher, 0, &Kinematics::default(), 0)?;
        if let Some(format) = &self.format {
            format.check_thresholds(publisher.threshold, publisher.angle_threshold)?;
        }
        self.config.publisher = publisher;
        for owned in self.owned.values_mut().filter(|owned| owned.kind == KindId::NONE) {
            owned.publisher = None;
        }
        Ok(())
    }
}

impl Session {
    /// The host's format is known: thresholds that it would cross by rounding alone are raised,
    /// and the game is told.
    pub(super) fn fit_publisher(&mut self, format: &Format) {
        let publisher = &mut self.config.publisher;
        let mut raised = Vec::new();
        let (from, to) = (publisher.threshold.max_error_m(), format.finest_threshold_m());
        if let (true, Ok(threshold)) = (from < to, Threshold::metres(to)) {
            publisher.threshold = threshold;
            raised.push(SessionEvent::ThresholdRaised { name: "threshold_m", from, to });
        }
        let to = format.finest_threshold_rad();
        if let Some(from) = publisher.angle_threshold.map(|it| it.max_error_rad())
            && from < to
        {
            publisher.angle_threshold = AngleThreshold::radians(to).ok();
            raised.push(SessionEvent::ThresholdRaised { name: "angle_threshold_rad", from, to });
        }
        for event in raised {
            self.push_event(event);
        }
    }
}

/// Starts to publish. The host's format does all the rounding. Bodies that begin together fall due
/// at moments of their own.
fn start(
    config: &PublisherConfig,
    seed: u64,
    truth: &Kinematics,
    teleports: u32,
) -> Result<(Publisher, Update), ConfigError> {
    let mut exact = config.clone();
    exact.quantiser = Quantiser::EXACT;
    exact.seed = seed;
    let (mut publisher, first) = Publisher::start_again(exact, truth, teleports)?;
    publisher.shorten_heartbeat(SplitMix64::new(!seed).unit());
    Ok((publisher, first))
}

/// Another one for each entity of each peer.
fn heartbeat_seed(EntityId(entity): EntityId, peer: Option<PeerId>) -> u64 {
    let PeerId(peer) = peer.unwrap_or(PeerId(0));
    u64::from(peer) << 32 | u64::from(entity)
}
