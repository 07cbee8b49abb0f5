//! Publishing of a session: entities of its own, from their truth to what is sent of them.
//!
//! The publisher decides when an update is due; what it guesses from is what the host's format
//! makes of the update, the very bits that everyone else has.

use reckoning::{ConfigError, Kinematics, Planner, Publisher, PublisherConfig, Quantiser, Update};

use super::Session;
use crate::wire::EntityId;

impl Session {
    /// Observes the truth of an entity of ours at `truth.at` by our clock; each frame. Returns
    /// whether it is ours, its state was received and the host's clock is known, so that it can be
    /// published.
    pub fn observe(&mut self, entity: EntityId, truth: &Kinematics) -> bool {
        self.publish(entity, truth, 0, Publisher::observe)
    }

    /// As [`observe`](Self::observe), with the model that `planner` chooses for each update from
    /// what is `around` the entity; see [`Publisher::observe_planned`]. The first update carries
    /// the model of the session's settings.
    pub fn observe_planned<S: ?Sized>(
        &mut self,
        entity: EntityId,
        truth: &Kinematics,
        planner: &mut impl Planner<S>,
        around: &S,
    ) -> bool {
        self.publish(entity, truth, 0, |publisher, truth| {
            publisher.observe_planned(truth, planner, around)
        })
    }

    /// Teleports an entity of ours. The host's guard may correct that unless the game allowed it:
    /// [`Host::allow_teleport`](crate::Host::allow_teleport). Everyone learns of it, whatever is
    /// lost on the way: all later updates say so too.
    pub fn teleport(&mut self, entity: EntityId, truth: &Kinematics) -> bool {
        self.publish(entity, truth, 1, Publisher::teleport)
    }

    /// What was exported last of an entity of ours: the bits that the host decodes and everyone
    /// else's ghost is led by, unless a coarser distance class rounds them further.
    #[must_use]
    pub fn published(&self, entity: EntityId) -> Option<&Update> {
        self.owned.get(&entity)?.publisher.as_ref().map(Publisher::last_update)
    }

    /// `teleports` is how many times the body did not move to where it is.
    fn publish(
        &mut self,
        entity: EntityId,
        truth: &Kinematics,
        teleports: u32,
        export: impl FnOnce(&mut Publisher, &Kinematics) -> Option<Update>,
    ) -> bool {
        let (Some(at), Some(format)) = (self.timeline_at(truth.at), &self.format) else {
            return false;
        };
        let Some(owned) = self.owned.get_mut(&entity) else { return false };
        let Some(known) = owned.teleports else { return false };
        let last = owned.publisher.as_ref().map(|publisher| publisher.last_update().at());
        let at = match last.map(|last| (last, format.round_time(at))) {
            // The stamp of what was exported last: listeners would take this for the same.
            Some((last, rounded)) if rounded == last && teleports == 0 => return true,
            Some((last, rounded)) if rounded == last => format.next_time(last),
            _ => at,
        };
        let truth = Kinematics { at, ..format.sayable(truth) };
        let update = if let Some(publisher) = &mut owned.publisher {
            export(publisher, &truth)
        } else if let Ok((publisher, first)) =
            start(&self.config.publisher, &truth, known.wrapping_add(teleports))
        {
            owned.publisher = Some(publisher);
            Some(first)
        } else {
            None
        };
        if let (Some(update), Some(publisher)) = (update, &mut owned.publisher) {
            let rounded = format.round(&update);
            publisher.handle_sent(rounded);
            owned.export(rounded);
        }
        true
    }

    /// Exports entities of ours by these settings from their next observation on, which is
    /// exported in full.
    ///
    /// # Errors
    /// Names the first setting that is out of range; nothing changes then.
    pub fn set_publisher(&mut self, publisher: PublisherConfig) -> Result<(), ConfigError> {
        Publisher::start(publisher.clone(), &Kinematics::default())?;
        self.config.publisher = publisher;
        for owned in self.owned.values_mut() {
            owned.publisher = None;
        }
        Ok(())
    }
}

/// Starts to publish. The host's format does all the rounding.
fn start(
    config: &PublisherConfig,
    truth: &Kinematics,
    teleports: u32,
) -> Result<(Publisher, Update), ConfigError> {
    let mut exact = config.clone();
    exact.quantiser = Quantiser::EXACT;
    Publisher::start_again(exact, truth, teleports)
}
