//! Joining, renewing, fencing others, leaving: all that is asked of the store.

use reckoning::SimTime;

use super::{InFlight, MeshEvent, MeshServer, Purpose};
use crate::bodies::{BodyTable, RecoveryPhase};
use crate::ids::{Epoch, Incarnation};
use crate::lease::Lease;
use crate::store::{
    Entry, Key, Record, RequestId, Revision, ServerRecord, Standing, StoreReply, StoreRequest,
};

/// A write, and why.
pub(super) struct Change {
    pub purpose: Purpose,
    pub key: Key,
    pub expected: Revision,
    pub record: Record,
}

impl MeshServer {
    /// The next request to the store, one at a time: `None` until the last was answered or is given up.
    pub fn poll_store_request(&mut self, now: SimTime) -> Option<(RequestId, StoreRequest)> {
        if let Some(it) = &self.in_flight {
            if now < it.sent_at + self.config.store_timeout {
                return None;
            }
            // It may have been applied: read how things stand.
            self.in_flight = None;
            self.stats.store_timeouts += 1;
            self.list_due = now;
        }
        if self.has_left || now < self.not_before {
            return None;
        }
        let (purpose, request) = self.next_store_request(now)?;
        let id = RequestId(self.next_request);
        self.next_request += 1;
        self.stats.store_requests += 1;
        let request_kept = request.clone();
        self.in_flight = Some(InFlight { id, sent_at: now, purpose, request: request_kept });
        Some((id, request))
    }

    /// Takes in what the store answered. Answers to requests that were given up are left alone.
    pub fn handle_store_reply(&mut self, now: SimTime, id: RequestId, reply: StoreReply) {
        let Some(it) = self.in_flight.take_if(|it| it.id == id) else { return };
        match reply {
            StoreReply::Listed(entries) => {
                self.list_due = now + self.config.poll_every;
                let usual = self.config.poll_every * 2 + self.config.store_timeout * 3 / 2;
                self.view.note_read(now, it.sent_at, usual);
                for entry in entries {
                    self.apply(now, entry);
                }
            }
            StoreReply::Swapped { revision } => self.handle_written(now, it, revision),
            StoreReply::Conflict { current: Some(entry) } => {
                // It may show a fence of ours whose answer was lost: who lives is read after that.
                (self.fenced_at, self.list_due) = (now, now);
                self.apply(now, entry);
            }
            StoreReply::Conflict { current: None } => self.list_due = now,
            StoreReply::Unavailable => {
                self.list_due = now;
                self.not_before = now + self.config.poll_every / 2;
            }
        }
        self.has_looked_at_cells = false;
        self.advance_recovery();
    }

    pub(super) fn store_due(&self) -> SimTime {
        let due = self.lease.as_ref().map_or(self.list_due, |it| it.renew_due.min(self.list_due));
        due.max(self.not_before)
    }

    fn next_store_request(&mut self, now: SimTime) -> Option<(Purpose, StoreRequest)> {
        let Some(lease) = &self.lease else {
            if now >= self.list_due {
                return Some((Purpose::List, StoreRequest::List));
            }
            return self.join(now).map(request);
        };
        if now >= lease.renew_due {
            let (expected, renewals) = (lease.revision, lease.renewals + 1);
            let record = Record::Server(self.own_record(lease.epoch, renewals));
            let key = Key::Server(self.identity.server);
            return Some(request(Change { purpose: Purpose::Renew, key, expected, record }));
        }
        if now >= self.list_due {
            return Some((Purpose::List, StoreRequest::List));
        }
        if !lease.holds(now) {
            return None;
        }
        let change = self.next_change(now)?;
        self.note_release(now, &change);
        Some(request(change))
    }

    fn own_record(&self, epoch: Epoch, renewals: u64) -> ServerRecord {
        ServerRecord {
            epoch,
            nonce: self.identity.nonce,
            renewals,
            standing: if self.is_draining { Standing::Draining } else { Standing::Live },
            address: self.identity.address.clone(),
            load: self.places.len() as u32,
        }
    }

    /// The write by which we join, once nothing of an earlier life is left.
    fn join(&self, now: SimTime) -> Option<Change> {
        let server = self.identity.server;
        let (epoch, expected) = match self.view.servers.get(&server) {
            None => (Epoch(1), Revision::default()),
            Some(it) if it.record.standing == Standing::Gone => {
                (it.record.epoch.next(), it.revision)
            }
            // Others fence and recover our earlier life; if none is there, nobody has anything of it.
            Some(it) if self.is_alone(now) => (it.record.epoch.next(), it.revision),
            Some(_) => return None,
        };
        let record = Record::Server(self.own_record(epoch, 0));
        Some(Change { purpose: Purpose::Join, key: Key::Server(server), expected, record })
    }

    /// Whether no lease was renewed for so long that all of them ended.
    fn is_alone(&self, now: SimTime) -> bool {
        let is_old =
            |since: SimTime| now >= since.max(self.view.unbroken_since) + self.config.fence_after();
        self.view.servers.values().all(|it| is_old(it.since))
    }

    fn next_change(&mut self, now: SimTime) -> Option<Change> {
        if let Some(change) = self.fence(now).or_else(|| self.bury()) {
            return Some(change);
        }
        // Once for each answer: it looks at all bodies.
        if std::mem::replace(&mut self.has_looked_at_cells, true) {
            return None;
        }
        self.next_cell_change(now).or_else(|| self.leave())
    }

    /// Fences a server whose lease ended, or takes over from one that died while it recovered another.
    fn fence(&self, now: SimTime) -> Option<Change> {
        let (me, lease) = (self.life()?, self.lease.as_ref()?);
        self.view.servers.iter().filter(|it| *it.0 != me.server).find_map(|(server, it)| {
            let ended = it.since.max(lease.unbroken_since) + self.config.fence_after();
            let is_due = match it.record.standing {
                Standing::Live | Standing::Draining => now >= ended,
                Standing::Fenced { by } => by != me && self.view.is_over(by),
                Standing::Gone => false,
            };
            let standing = Standing::Fenced { by: me };
            let record = Record::Server(ServerRecord { standing, ..it.record.clone() });
            let (key, expected) = (Key::Server(*server), it.revision);
            is_due.then_some(Change { purpose: Purpose::Fence, key, expected, record })
        })
    }

    /// Says that the bodies of a dead server are recovered and have shadows again.
    fn bury(&self) -> Option<Change> {
        let (dead, RecoveryPhase::Complete) = self.bodies.as_ref()?.recovery()? else {
            return None;
        };
        let it = self.view.servers.get(&dead.server).filter(|it| it.record.epoch == dead.epoch)?;
        let by_us = it.record.standing == Standing::Fenced { by: self.life()? };
        let record = ServerRecord { standing: Standing::Gone, ..it.record.clone() };
        by_us.then_some(Change {
            purpose: Purpose::Bury,
            key: Key::Server(dead.server),
            expected: it.revision,
            record: Record::Server(record),
        })
    }

    /// Gives the lease back once nothing is left here.
    fn leave(&self) -> Option<Change> {
        let (me, lease) = (self.life()?, self.lease.as_ref()?);
        let has_cells = self.cells().any(|it| it.owner == me);
        let keeps = self.bodies.as_ref().is_some_and(|it| !it.is_empty() || it.shadows() > 0);
        let is_needed = self.view.live().count() > 1 && keeps;
        if !self.is_draining || has_cells || is_needed || !self.places.is_empty() {
            return None;
        }
        let record = self.own_record(lease.epoch, lease.renewals + 1);
        let record = Record::Server(ServerRecord { standing: Standing::Gone, ..record });
        let key = Key::Server(self.identity.server);
        Some(Change { purpose: Purpose::Leave, key, expected: lease.revision, record })
    }

    fn handle_written(&mut self, now: SimTime, it: InFlight, revision: Revision) {
        let StoreRequest::Swap { key, record, .. } = it.request else { return };
        match it.purpose {
            Purpose::Renew => {
                if let Some(lease) = &mut self.lease {
                    lease.renewed(now, it.sent_at, revision, &self.config);
                }
            }
            Purpose::Join => self.granted(&record, revision, it.sent_at),
            Purpose::Fence => {
                self.stats.fences += 1;
                (self.fenced_at, self.list_due) = (now, now);
            }
            Purpose::Leave => self.left(now),
            Purpose::Claim { cells } => self.stats.cells_claimed += u64::from(cells),
            Purpose::Move => self.stats.cells_moved += 1,
            Purpose::Split => self.stats.splits += 1,
            Purpose::Merge => self.stats.merges += 1,
            Purpose::List | Purpose::Bury => {}
        }
        self.apply(now, Entry { key, revision, record });
    }

    fn granted(&mut self, record: &Record, revision: Revision, sent_at: SimTime) {
        let Record::Server(record) = record else { return };
        let lease = Lease::granted(record.epoch, revision, record.renewals, sent_at, &self.config);
        let life = Incarnation::new(self.identity.server, record.epoch);
        self.lease = Some(lease);
        self.bodies = Some(BodyTable::with_safeguards(life, self.safeguards));
        self.born = 0;
        // What happened before we were there, such as who is fenced, is told to the new table.
        for (server, it) in &self.view.servers {
            tell_standing(
                self.bodies.as_mut(),
                Incarnation::new(*server, it.record.epoch),
                it.record.standing,
            );
        }
        self.events.push_back(MeshEvent::Joined { life });
    }

    /// Takes in how something stands in the store.
    fn apply(&mut self, now: SimTime, entry: Entry) {
        let (key, revision) = (entry.key, entry.revision);
        if !self.view.apply(entry, now) {
            return;
        }
        match key {
            Key::Server(server) if server == self.identity.server => self.apply_own(now, revision),
            Key::Server(server) => {
                let it = &self.view.servers[&server].record;
                let life = Incarnation::new(server, it.epoch);
                tell_standing(self.bodies.as_mut(), life, it.standing);
            }
            Key::Region { .. } => {
                self.releasing.retain(|cell, (expected, _)| {
                    let region = self.view.regions.get(&cell.region_of());
                    region.is_some_and(|it| it.1 == *expected)
                });
            }
        }
    }

    /// Our own record: is it still ours, and did a write go through whose answer was lost?
    fn apply_own(&mut self, now: SimTime, revision: Revision) {
        let record = self.view.servers[&self.identity.server].record.clone();
        let is_ours = record.nonce == self.identity.nonce && record.standing.is_live();
        match &mut self.lease {
            Some(lease) if is_ours && record.epoch == lease.epoch => {
                lease.adopt(now, revision, &record);
            }
            Some(lease) => {
                let life = Incarnation::new(self.identity.server, lease.epoch);
                let we_left = record.nonce == self.identity.nonce
                    && record.standing == Standing::Gone
                    && self.is_draining;
                if we_left {
                    return self.left(now);
                }
                self.stats.fenced += 1;
                self.events.push_back(MeshEvent::Fenced { life });
                self.lose_lease(now);
            }
            None if is_ours && !self.has_left => {
                // We joined without knowing. The lease counts from a renewal that is answered.
                let ended =
                    SimTime::from_micros(now.as_micros() - self.config.ttl.as_micros() as i64);
                self.granted(&Record::Server(record), revision, ended);
            }
            None => {}
        }
    }

    fn left(&mut self, now: SimTime) {
        self.lose_lease(now);
        self.has_left = true;
        self.events.push_back(MeshEvent::Left);
    }

    fn lose_lease(&mut self, now: SimTime) {
        if let Some(bodies) = self.bodies.take() {
            self.earlier_bodies.add(bodies.stats());
        }
        self.lease = None;
        self.places.clear();
        self.releasing.clear();
        self.list_due = now;
    }

    /// Begins a recovery that is ours and next, once we have read who lives after the fence.
    pub(super) fn advance_recovery(&mut self) {
        let (Some(me), Some(bodies)) = (self.life(), &mut self.bodies) else { return };
        let Some((dead, by, _)) = self.view.next_recovery() else { return };
        let has_read = self.view.read_at.is_some_and(|it| it >= self.fenced_at);
        if by == me && has_read && bodies.recovery().is_none() {
            bodies.begin_recovery(dead, self.view.live().map(|it| it.0).collect());
        }
    }
}

fn tell_standing(bodies: Option<&mut BodyTable>, life: Incarnation, standing: Standing) {
    let Some(bodies) = bodies.filter(|it| it.me().server != life.server) else { return };
    let before = Incarnation::new(life.server, Epoch(life.epoch.0.saturating_sub(1)));
    match standing {
        Standing::Live | Standing::Draining => bodies.handle_recovered(before),
        Standing::Fenced { .. } => {
            bodies.handle_recovered(before);
            bodies.handle_fenced(life);
        }
        Standing::Gone => bodies.handle_recovered(life),
    }
}

fn request(change: Change) -> (Purpose, StoreRequest) {
    let Change { purpose, key, expected, record } = change;
    (purpose, StoreRequest::Swap { key, expected, record })
}
