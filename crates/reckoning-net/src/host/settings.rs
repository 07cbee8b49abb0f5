//! Settings of a host that a game may change while it runs.

use core::num::NonZeroU32;

use reckoning::fairness::Policy;
use reckoning::{ConfigError, Model, SimTime, Threshold};

use super::Host;
use super::sending::{EntityFairness, finest_scale};
use crate::zones::ZoneConfig;

/// What a host leaves out while the machine it runs on cannot keep up. Default: nothing.
///
/// Everybody stays, and what is sent is as exact as ever: it is only sent less often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shedding {
    /// One in so many ticks is made. Default: 1, all of them.
    pub one_tick_in: NonZeroU32,
    /// In one in so many of those, entities of farther classes than the nearest are looked at.
    /// Default: 1, in all of them.
    pub farther_one_in: NonZeroU32,
}

impl Default for Shedding {
    fn default() -> Self {
        Self { one_tick_in: NonZeroU32::MIN, farther_one_in: NonZeroU32::MIN }
    }
}

impl Host {
    /// Leaves this out from the next tick on.
    pub fn set_shedding(&mut self, shedding: Shedding) {
        self.shedding = shedding;
    }

    /// Has entities of the host itself predicted with this model from their next observation on.
    ///
    /// # Errors
    /// When a number of the model is not finite; nothing changes then.
    pub fn set_model(&mut self, model: Model) -> Result<(), ConfigError> {
        model.validate()?;
        self.config.model = model;
        Ok(())
    }

    /// Sets the threshold of the nearest class from the next tick on. The other classes keep their
    /// ratio to it.
    ///
    /// # Errors
    /// When a class would get a threshold that is not valid, or finer than what the format rounds;
    /// nothing changes then.
    pub fn set_threshold(&mut self, threshold: Threshold) -> Result<(), ConfigError> {
        let mut classes = self.config.zones.classes.clone();
        let Some(nearest) = classes.first().map(|class| class.threshold.max_error_m()) else {
            return Ok(());
        };
        let ratio = threshold.max_error_m() / nearest;
        for (place, class) in classes.iter_mut().enumerate() {
            let farther = class.threshold.max_error_m() * ratio;
            class.threshold = match (place, class.threshold.is_per_axis()) {
                (0, _) => threshold,
                (_, true) => Threshold::metres_per_axis(farther)?,
                (_, false) => Threshold::metres(farther)?,
            };
        }
        let zones = ZoneConfig { classes: classes.clone(), ..self.config.zones };
        zones.check_thresholds(&self.config.format)?;
        self.config.zones.classes.clone_from(&classes);
        self.entities.set_classes(&classes);
        self.bound_tuner();
        Ok(())
    }

    fn bound_tuner(&mut self) {
        if let (Some(tuner), Some(nearest)) = (&mut self.tuner, self.config.zones.classes.first()) {
            tuner.keep_above(finest_scale(&self.config.format, nearest));
        }
    }

    /// Chooses peers by this fairness policy from the next tick on. All accounts begin anew.
    pub fn set_fairness(&mut self, now: SimTime, policy: Policy) {
        if self.config.fairness == policy {
            return;
        }
        self.config.fairness = policy;
        self.entities.keeps_accounts = self.config.keeps_accounts();
        self.entities.resends = self.config.resends();
        for peer in self.peers.values_mut() {
            peer.channel.sent_packets.wait_long(self.config.resends());
        }
        (self.tuner, self.planned_at) = (self.config.tuner(), None);
        for entity in self.entities.slots.iter_mut().flatten() {
            entity.fairness = EntityFairness::new(&self.config, entity.kind, entity.id);
        }
        for peer in self.peers.values_mut() {
            for state in peer.entity_states.iter_mut().filter(|state| state.is_shown()) {
                state.rest(); // what the old policy chose
                if let Some(fairness) = self.entities.fairness_at(state.slot, state.entity) {
                    fairness.add(peer.id, state.class, now);
                }
            }
        }
    }
}
