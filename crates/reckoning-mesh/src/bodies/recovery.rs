//! What happens to the bodies of a server that died.
//!
//! One server, the recoverer, fences the dead one in the store and then asks every server that lives
//! what it knows. Whoever answers refuses the dead from that moment on, so nothing that it may still
//! have under way counts. The recoverer takes the highest version of each body that the dead may have
//! owned; where somebody knows that the body had a later owner it leaves it alone: "I passed it on"
//! beats a shadow. A revived body starts a new term, above all that the dead may have offered.
//!
//! Recoveries run one after the other over the whole mesh, in the order of the store: two at once could
//! revive one body twice, one from the shadow of an owner, the other from that of its successor.

use std::collections::{BTreeMap, BTreeSet};

use super::{BodyTable, Origin};
use crate::ids::{BodyId, Incarnation, Version};
use crate::message::{BodyState, Claim, Ground, Message};

/// How far a recovery is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecoveryPhase {
    /// Others have not answered yet.
    Asking,
    /// The bodies are ours; not all have a shadow yet.
    Sheltering,
    /// Others may forget what they keep of the dead.
    Complete,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Recovery {
    dead: Incarnation,
    waiting: BTreeSet<Incarnation>,
    found: BTreeMap<BodyId, Found>,
    /// The bodies revived, once all have answered.
    revived: Option<BTreeSet<BodyId>>,
}

/// What is known of one body.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Found {
    /// The highest version that somebody certainly owned.
    seen: Option<Version>,
    /// The highest version at which the dead may have owned it, or passed it on to nobody.
    candidate: Option<Version>,
    /// The latest state there is.
    state: Option<BodyState>,
}

impl Found {
    fn add(&mut self, claim: Claim) {
        let state = match claim.ground {
            Ground::Seen => {
                self.seen = self.seen.max(Some(claim.version));
                return;
            }
            Ground::Shadow(state) | Ground::Passed(state) | Ground::Prepared(state) => state,
        };
        self.candidate = self.candidate.max(Some(claim.version));
        let stamp = |it: &BodyState| it.stamp;
        if self.state.as_ref().map(stamp) < Some(stamp(&state)) {
            self.state = Some(state);
        }
    }

    /// The version and state to revive it with, unless it had a later owner.
    fn revived(self) -> Option<(Version, BodyState)> {
        let candidate = self.candidate?;
        let went_on = self.seen.is_some_and(|seen| seen > candidate);
        if went_on { None } else { Some((candidate.next_term(), self.state?)) }
    }
}

impl BodyTable {
    /// That life of a server is fenced: refuse it, offer it nothing, and shelter elsewhere. What it
    /// said before is kept until its bodies are recovered.
    pub fn handle_fenced(&mut self, dead: Incarnation) {
        self.refuse(dead);
        let is_dead = |it: Incarnation| ends(dead, it);
        for owned in self.owned.values_mut() {
            owned.offer = owned.offer.filter(|it| !is_dead(it.to));
            if owned.holder.is_some_and(is_dead) {
                owned.holder = None;
                owned.confirmed = None;
            }
            owned.former.retain(|it| !is_dead(*it));
            owned.owes_ack = owned.owes_ack.filter(|it| !is_dead(it.0));
        }
        self.default_holder = self.default_holder.filter(|it| !is_dead(*it));
        for tombstone in self.tombstones.values_mut() {
            tombstone.holders.retain(|it| !is_dead(*it));
        }
        self.cancels.retain(|_, to| !is_dead(*to));
        self.acks.retain(|_, to| !is_dead(*to));
        self.releases.retain(|(_, holder), _| !is_dead(*holder));
        if let Some(recovery) = &mut self.recovery {
            recovery.waiting.retain(|it| !is_dead(*it));
        }
        self.revive_if_all_answered();
    }

    /// The bodies of that life of a server are recovered: forget what it left here.
    pub fn handle_recovered(&mut self, dead: Incarnation) {
        self.handle_fenced(dead);
        let is_dead = |it: Incarnation| ends(dead, it);
        self.tombstones.retain(|_, it| !is_dead(it.to));
        self.prepared.retain(|_, it| !is_dead(it.from));
        self.shadows.retain(|(_, owner), _| !is_dead(*owner));
        if self.recovery.as_ref().is_some_and(|it| it.dead == dead) {
            self.recovery = None;
        }
    }

    /// Recovers the bodies of a fenced life of a server. `peers` are all that live by the store, as it
    /// was read after the fence.
    pub fn begin_recovery(&mut self, dead: Incarnation, peers: BTreeSet<Incarnation>) {
        self.handle_fenced(dead);
        let waiting = peers.into_iter().filter(|it| *it != self.me && *it != dead).collect();
        let mut found = BTreeMap::new();
        collect(&mut found, self.claims(dead));
        self.recovery = Some(Recovery { dead, waiting, found, revived: None });
        self.ask_for_reports();
        self.revive_if_all_answered();
    }

    /// Whose bodies we recover, and how far that is.
    #[must_use]
    pub fn recovery(&self) -> Option<(Incarnation, RecoveryPhase)> {
        let recovery = self.recovery.as_ref()?;
        let phase = match &recovery.revived {
            None => RecoveryPhase::Asking,
            Some(bodies) if bodies.iter().all(|it| !self.owns(*it) || self.is_safe(*it)) => {
                RecoveryPhase::Complete
            }
            Some(_) => RecoveryPhase::Sheltering,
        };
        Some((recovery.dead, phase))
    }

    pub(super) fn ask_for_reports(&mut self) {
        let Some(recovery) = &self.recovery else { return };
        let (dead, waiting) = (recovery.dead, recovery.waiting.clone());
        for peer in waiting {
            self.send(peer, Message::Recover { dead });
        }
    }

    pub(super) fn handle_recover(&mut self, from: Incarnation, dead: Incarnation) {
        if dead == self.me {
            return; // the store will tell
        }
        self.handle_fenced(dead);
        let claims = self.claims(dead);
        self.send(from, Message::Report { dead, claims });
    }

    pub(super) fn handle_report(
        &mut self,
        from: Incarnation,
        dead: Incarnation,
        claims: Vec<Claim>,
    ) {
        let Some(recovery) = &mut self.recovery else { return };
        if recovery.dead != dead || !recovery.waiting.remove(&from) {
            return;
        }
        collect(&mut recovery.found, claims);
        self.revive_if_all_answered();
    }

    fn refuse(&mut self, dead: Incarnation) {
        let floor = self.floors.entry(dead.server).or_default();
        *floor = (*floor).max(dead.epoch.next());
    }

    /// What we know that matters for the bodies of the dead: what it may have owned, and of every
    /// other body here how far it has got.
    fn claims(&self, dead: Incarnation) -> Vec<Claim> {
        let seen = self.seen.iter().map(|(body, it)| (*body, it.version));
        let passed = self.tombstones.keys().copied();
        let kept = self.shadows.iter().filter(|it| it.1.payload.is_some());
        let kept = kept.map(|((body, _), it)| (*body, it.version));
        let certain: BTreeSet<_> = seen.chain(passed).chain(kept).collect();
        let certain = certain.into_iter().map(|(body, version)| (body, version, Ground::Seen));

        let shadows = self.shadows.iter().filter(|it| it.0.1 == dead).filter_map(|(key, it)| {
            let state = BodyState { stamp: it.stamp, payload: it.payload.clone()? };
            Some((key.0, it.version, Ground::Shadow(state)))
        });
        let passed = self.tombstones.iter().filter(|it| it.1.to == dead);
        let passed = passed.map(|(key, it)| (key.0, key.1, Ground::Passed(it.state.clone())));
        let prepared = self.prepared.iter().filter(|it| it.1.from == dead);
        let prepared =
            prepared.map(|(body, it)| (*body, it.version, Ground::Prepared(it.state.clone())));

        let claims = certain.chain(shadows).chain(passed).chain(prepared);
        claims.map(|(body, version, ground)| Claim { body, version, ground }).collect()
    }

    fn revive_if_all_answered(&mut self) {
        let Some(recovery) = &mut self.recovery else { return };
        if !recovery.waiting.is_empty() || recovery.revived.is_some() {
            return;
        }
        let (dead, found) = (recovery.dead, std::mem::take(&mut recovery.found));
        let revived: BTreeMap<BodyId, _> =
            found.into_iter().filter_map(|(body, it)| Some((body, it.revived()?))).collect();
        recovery.revived = Some(revived.keys().copied().collect());
        for (body, (version, state)) in revived {
            if self.seen.get(&body).is_none_or(|it| it.version < version) {
                self.stats.revived += 1;
                self.own(body, version, state, Some(Origin::Revived(dead)));
            }
        }
    }
}

fn collect(found: &mut BTreeMap<BodyId, Found>, claims: Vec<Claim>) {
    for claim in claims {
        found.entry(claim.body).or_default().add(claim);
    }
}

/// Whether the end of one life of a server means that of another: of itself and those before.
fn ends(dead: Incarnation, it: Incarnation) -> bool {
    it.server == dead.server && it.epoch <= dead.epoch
}
