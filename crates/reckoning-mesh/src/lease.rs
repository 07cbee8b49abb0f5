//! The lease of one server: until when it may act.
//!
//! A lease is a record that its server keeps writing over. It holds until a TTL after the moment *before*
//! the last renewal that succeeded was sent; others count the TTL, and a twentieth more, from when they saw
//! that renewal, which is later. So the holder always stops first, whatever is slow, and no two clocks are ever
//! compared. A lease that ended and that nobody fenced can be renewed: nothing has happened meanwhile.

use reckoning::SimTime;

use crate::config::MeshConfig;
use crate::ids::Epoch;
use crate::store::{Revision, ServerRecord};

/// A server's lease, while it has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lease {
    pub epoch: Epoch,
    pub revision: Revision,
    pub renewals: u64,
    /// Until when it holds.
    pub deadline: SimTime,
    /// When the last renewal that succeeded was sent.
    pub renewed_at: SimTime,
    /// Since when renewals have come without a gap: others are fenced only on observations made since
    /// then. After an outage of the store, even one that no lease ended in, everyone gets the time to renew;
    /// else a body's owner and the holder of its copy would be fenced together.
    pub unbroken_since: SimTime,
    pub renew_due: SimTime,
}

impl Lease {
    /// A lease that was written by a request sent then.
    pub fn granted(
        epoch: Epoch,
        revision: Revision,
        renewals: u64,
        sent_at: SimTime,
        config: &MeshConfig,
    ) -> Self {
        Self {
            epoch,
            revision,
            renewals,
            deadline: sent_at + config.ttl,
            renewed_at: sent_at,
            unbroken_since: sent_at,
            renew_due: sent_at + config.renew_every,
        }
    }

    /// A renewal sent then is written, as is known now.
    pub fn renewed(
        &mut self,
        now: SimTime,
        sent_at: SimTime,
        revision: Revision,
        config: &MeshConfig,
    ) {
        // A renewal and one repetition of it are no reason; longer, the store was away, and for others too.
        let usual = config.renew_every + config.store_timeout * 3 / 2;
        if sent_at > self.renewed_at + usual {
            self.unbroken_since = now;
        }
        self.renewed_at = sent_at;
        self.revision = revision;
        self.renewals += 1;
        self.deadline = self.deadline.max(sent_at + config.ttl);
        self.renew_due = sent_at + config.renew_every;
    }

    /// A renewal whose answer was lost stands in the store; when it was sent is not known any more.
    pub fn adopt(&mut self, now: SimTime, revision: Revision, record: &ServerRecord) {
        if revision > self.revision {
            (self.revision, self.renewals) = (revision, record.renewals);
            self.renew_due = now;
        }
    }

    /// Whether it holds.
    pub fn holds(&self, now: SimTime) -> bool {
        now < self.deadline
    }
}
