//! Export errors of all peers, as the accounts of fairness policies have them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use reckoning::SimTime;
use reckoning::fairness::ThresholdTuner;

use super::Host;
use super::sending::EntityFairness;
use crate::wire::PeerId;

/// What a host knows and guesses of one peer's export error, over all entities in its interest set
/// from when each entered its distance class. In metre-seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListenerError {
    /// Whose.
    pub peer: PeerId,
    /// Entities with an account.
    pub entities: usize,
    /// Until the latest arrivals that it acknowledged (CEE in THESIS).
    pub confirmed: f64,
    /// From there until now, as far as the host can guess (EEE).
    pub estimated: f64,
}

impl ListenerError {
    /// Both together (AEE): the number by which peers are compared.
    #[must_use]
    pub fn accumulated(&self) -> f64 {
        self.confirmed + self.estimated
    }
}

impl Host {
    /// The export error of each peer, in order of peer. Empty unless accounts are kept: see
    /// [`HostConfig::accounts`](crate::HostConfig::accounts) and
    /// [`HostConfig::fairness`](crate::HostConfig::fairness). It goes through all accounts; once
    /// a second is often enough for a page.
    #[must_use]
    pub fn listener_errors(&self, now: SimTime) -> Vec<ListenerError> {
        let mut found: BTreeMap<PeerId, ListenerError> = BTreeMap::new();
        let entities = self.entities.slots.iter().flatten();
        let accounts = entities.filter_map(|entity| entity.fairness.as_deref());
        for (peer, account) in accounts.flat_map(EntityFairness::accounts) {
            let none = ListenerError { peer, entities: 0, confirmed: 0.0, estimated: 0.0 };
            let sum = found.entry(peer).or_insert(none);
            sum.entities += 1;
            sum.confirmed += account.confirmed();
            sum.estimated += account.estimated_at(now);
        }
        found.into_values().collect()
    }

    /// The part of the nearest class's threshold by which a policy with a budget is triggered now:
    /// 1 where nothing lowers it. See
    /// [`HostConfig::fairness_cost`](crate::HostConfig::fairness_cost).
    #[must_use]
    pub fn threshold_scale(&self) -> f64 {
        self.tuner.as_ref().map_or(1.0, ThresholdTuner::scale)
    }
}
