//! The bodies of one server: which it owns, which are under way, and what it keeps for others.
//!
//! ```text
//!   A owns -- OFFER(v+1) --> B prepared
//!          <-- ACCEPT -----
//!   A has a tombstone -- COMMIT(v+1) --> B owns, gives its shadow a copy
//!          <-- ACK --------                       once that is confirmed
//!   A forgets, and releases its own shadow
//! ```
//!
//! A body is owned by one life of one server, at one version. Others rely on these properties, which
//! the model checker in this crate's tests holds against loss, repetition, any order, crashes and
//! pauses:
//! - no two servers whose leases hold own the same body;
//! - a body whose owner died is owned again once a successor has recovered it, unless it is known to
//!   have gone on to a server that lives;
//! - a version never comes back: what was offered and taken back is burnt.
//!
//! There is no time in here. Who may act at all is decided by the lease
//! ([`MeshServer`](crate::MeshServer)), which also calls [`resend`](BodyTable::resend) while something is
//! unanswered.

mod handover;
mod recovery;
mod shadow;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::grid::CellId;
use crate::ids::{BodyId, Epoch, Incarnation, ServerId, Version};
use crate::message::{BodyState, Envelope, Message, Payload};
use crate::safeguards::Safeguards;

pub use recovery::RecoveryPhase;

/// Something the game has to know of a body.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum BodyEvent {
    /// It is ours now: simulate it.
    Owned {
        /// Which body.
        body: BodyId,
        /// The version it has with us.
        version: Version,
        /// How it was.
        state: BodyState,
        /// Where it comes from.
        from: Origin,
    },
    /// The next owner is prepared and the body is committed to it: stop simulating it, and send its
    /// player after it with a ticket.
    HandedOver {
        /// Which body.
        body: BodyId,
        /// The version it has there.
        version: Version,
        /// Who owns it next.
        to: Incarnation,
    },
    /// The next owner has it, and its shadow too.
    Settled {
        /// Which body.
        body: BodyId,
    },
    /// The other server would not have it; it stays ours.
    Refused {
        /// Which body.
        body: BodyId,
        /// Who refused it.
        by: Incarnation,
    },
}

/// Where a body that is ours comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Another server handed it over.
    Handover(Incarnation),
    /// Its owner died, and we revived it.
    Revived(Incarnation),
}

/// Counters of a [`BodyTable`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyStats {
    /// Bodies passed on.
    pub handed_over: u64,
    /// Bodies taken over.
    pub taken_over: u64,
    /// Bodies revived after a crash.
    pub revived: u64,
    /// Offers taken back.
    pub cancelled: u64,
    /// Messages of fenced lives of servers, refused.
    pub refused_stale: u64,
    /// Messages sent again.
    pub resent: u64,
}

impl BodyStats {
    /// Adds those of another life.
    pub(crate) fn add(&mut self, other: &Self) {
        self.handed_over += other.handed_over;
        self.taken_over += other.taken_over;
        self.revived += other.revived;
        self.cancelled += other.cancelled;
        self.refused_stale += other.refused_stale;
        self.resent += other.resent;
    }
}

/// A body that is ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Owned {
    version: Version,
    /// The highest version offered so far, burnt ones included.
    issued: Version,
    state: BodyState,
    /// Who should keep a copy; `None` while there is nobody else.
    holder: Option<Incarnation>,
    /// The first stamp that was sent to it: it may have dropped earlier copies.
    held_since: u64,
    /// The stamp of the copy the holder has confirmed.
    confirmed: Option<u64>,
    /// Those who may have older copies, released once the holder has one.
    former: BTreeSet<Incarnation>,
    offer: Option<Offer>,
    /// Who waits to hear that it is safe here, and by which version it came.
    owes_ack: Option<(Incarnation, Version)>,
}

impl Owned {
    fn holders(&self) -> impl Iterator<Item = Incarnation> + '_ {
        self.former.iter().copied().chain(self.holder)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Offer {
    to: Incarnation,
    version: Version,
    cell: CellId,
    cell_epoch: Epoch,
}

/// A body that was offered to us.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Prepared {
    from: Incarnation,
    version: Version,
    state: BodyState,
    age: u8,
}

/// A body that we passed on and whose next owner has not yet said that it is safe.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Tombstone {
    to: Incarnation,
    state: BodyState,
    holders: BTreeSet<Incarnation>,
}

/// A copy that a holder should drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Release {
    version: Version,
    stamp: u64,
}

/// What we keep, or kept, of another server's body.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct ShadowCopy {
    version: Version,
    stamp: u64,
    /// `None` once it was released: late copies must not bring it back.
    payload: Option<Payload>,
    age: u8,
}

/// A version, and how many times [`BodyTable::age`] passed since it was heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Memory {
    version: Version,
    age: u8,
}

/// All that one life of a server knows of bodies.
#[derive(Clone, Debug)]
pub struct BodyTable {
    me: Incarnation,
    safeguards: Safeguards,
    owned: BTreeMap<BodyId, Owned>,
    prepared: BTreeMap<BodyId, Prepared>,
    tombstones: BTreeMap<(BodyId, Version), Tombstone>,
    cancels: BTreeMap<(BodyId, Version), Incarnation>,
    releases: BTreeMap<(BodyId, Incarnation), Release>,
    /// Bodies that are safe here, and whose former owners have not yet said that they know.
    acks: BTreeMap<(BodyId, Version), Incarnation>,
    /// By body and owner.
    shadows: BTreeMap<(BodyId, Incarnation), ShadowCopy>,
    /// The highest version at which a body certainly had an owner.
    seen: BTreeMap<BodyId, Memory>,
    /// Versions that will never have an owner.
    burnt: BTreeMap<BodyId, Memory>,
    /// The lowest epoch of each server that is believed.
    floors: BTreeMap<ServerId, Epoch>,
    /// Who keeps a copy of bodies that are new here.
    default_holder: Option<Incarnation>,
    recovery: Option<recovery::Recovery>,
    outbox: VecDeque<Envelope>,
    events: VecDeque<BodyEvent>,
    stats: BodyStats,
}

impl BodyTable {
    /// A server without bodies.
    #[must_use]
    pub fn new(me: Incarnation) -> Self {
        Self::with_safeguards(me, Safeguards::default())
    }

    /// The same with parts of the protocol switched off, for a model checker.
    #[doc(hidden)]
    #[must_use]
    pub fn with_safeguards(me: Incarnation, safeguards: Safeguards) -> Self {
        Self {
            me,
            safeguards,
            owned: BTreeMap::new(),
            prepared: BTreeMap::new(),
            tombstones: BTreeMap::new(),
            cancels: BTreeMap::new(),
            releases: BTreeMap::new(),
            acks: BTreeMap::new(),
            shadows: BTreeMap::new(),
            seen: BTreeMap::new(),
            burnt: BTreeMap::new(),
            floors: BTreeMap::new(),
            default_holder: None,
            recovery: None,
            outbox: VecDeque::new(),
            events: VecDeque::new(),
            stats: BodyStats::default(),
        }
    }

    /// Which life of which server this is.
    #[must_use]
    pub const fn me(&self) -> Incarnation {
        self.me
    }

    /// A new body of ours.
    pub fn spawn(&mut self, body: BodyId, payload: Payload) {
        let state = BodyState { stamp: 1, payload };
        self.own(body, Version::default(), state, None);
    }

    /// What the body is now; told to its holder by [`send_shadows`](Self::send_shadows). Bodies that
    /// are not ours are left alone.
    pub fn update(&mut self, body: BodyId, payload: Payload) {
        if let Some(owned) = self.owned.get_mut(&body)
            && owned.state.payload != payload
        {
            owned.state = BodyState { stamp: owned.state.stamp + 1, payload };
        }
    }

    /// Ends a body of ours. A crash before its holder has heard of that brings it back.
    pub fn retire(&mut self, body: BodyId) {
        let Some(owned) = self.owned.remove(&body) else { return };
        self.take_back_offer(body, &owned);
        let gone = owned.issued.next_step();
        self.remember(body, gone);
        let holders: Vec<_> = owned.holders().collect();
        self.release(body, gone, owned.state.stamp, holders);
        if let Some((to, version)) = owned.owes_ack {
            self.acknowledge(to, body, version);
        }
    }

    /// Bodies of ours, in order.
    pub fn owned(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.owned.keys().copied()
    }

    /// Whether the body is ours.
    #[must_use]
    pub fn owns(&self, body: BodyId) -> bool {
        self.owned.contains_key(&body)
    }

    /// The version the body has with us, if it is ours.
    #[must_use]
    pub fn version(&self, body: BodyId) -> Option<Version> {
        self.owned.get(&body).map(|it| it.version)
    }

    /// The payload of a body of ours.
    #[must_use]
    pub fn payload(&self, body: BodyId) -> Option<&Payload> {
        self.owned.get(&body).map(|it| &it.state.payload)
    }

    /// Whether the body was offered to us at that version and is not ours yet; a ticket for it is good.
    #[must_use]
    pub fn is_prepared(&self, body: BodyId, version: Version) -> bool {
        self.prepared.get(&body).is_some_and(|it| it.version == version)
    }

    /// The highest version at which the body certainly had an owner, as far as we know.
    #[must_use]
    pub fn seen(&self, body: BodyId) -> Option<Version> {
        self.seen.get(&body).map(|it| it.version)
    }

    /// The lowest epoch of that server that is believed.
    #[must_use]
    pub fn floor(&self, server: ServerId) -> Epoch {
        self.floors.get(&server).copied().unwrap_or_default()
    }

    /// Whether nothing of ours waits for anybody: no body, no tombstone, no copy to be dropped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.owned.is_empty()
            && self.tombstones.is_empty()
            && self.releases.is_empty()
            && self.cancels.is_empty()
            && self.acks.is_empty()
            && self.recovery.is_none()
    }

    /// Bodies that were passed on and are not yet known to be safe.
    #[must_use]
    pub fn tombstones(&self) -> usize {
        self.tombstones.len()
    }

    /// Copies kept for others.
    #[must_use]
    pub fn shadows(&self) -> usize {
        self.shadows.values().filter(|it| it.payload.is_some()).count()
    }

    /// Counters.
    #[must_use]
    pub const fn stats(&self) -> &BodyStats {
        &self.stats
    }

    /// The next message to send; call until `None`.
    pub fn poll_message(&mut self) -> Option<Envelope> {
        self.outbox.pop_front()
    }

    /// The next thing the game has to know; call until `None`.
    pub fn poll_event(&mut self) -> Option<BodyEvent> {
        self.events.pop_front()
    }

    /// Takes in what another server says. `takes` tells whether that cell is ours at that epoch and
    /// we want more bodies.
    pub fn handle_message(
        &mut self,
        envelope: Envelope,
        takes: impl FnOnce(CellId, Epoch) -> bool,
    ) {
        let Envelope { from, to, message } = envelope;
        if to != self.me || !self.believes(from) {
            return;
        }
        match message {
            Message::Offer { body, version, cell, cell_epoch, state } => {
                let willing = takes(cell, cell_epoch);
                self.handle_offer(from, body, version, state, willing);
            }
            Message::Accept { body, version } => self.handle_accept(from, body, version),
            Message::Refuse { body, version } => self.handle_refuse(from, body, version),
            Message::Commit { body, version, state } => {
                self.handle_commit(from, body, version, state);
            }
            Message::Ack { body, version } => self.handle_ack(from, body, version),
            Message::Closed { body, version } => drop(self.acks.remove(&(body, version))),
            Message::Cancel { body, version } => self.handle_cancel(from, body, version),
            Message::CancelAck { body, version } => drop(self.cancels.remove(&(body, version))),
            Message::Shadow { body, version, state } => {
                self.handle_shadow(from, body, version, state);
            }
            Message::ShadowAck { body, version, stamp } => {
                self.handle_shadow_ack(from, body, version, stamp);
            }
            Message::Release { body, version, stamp } => {
                self.handle_release(from, body, version, stamp);
            }
            Message::ReleaseAck { body, version } => {
                self.handle_release_ack(from, body, version);
            }
            Message::Recover { dead } => self.handle_recover(from, dead),
            Message::Report { dead, claims } => self.handle_report(from, dead, claims),
        }
    }

    /// Sends again what was not answered.
    pub fn resend(&mut self) {
        let before = self.outbox.len();
        self.resend_handovers();
        self.resend_shadows();
        self.ask_for_reports();
        self.stats.resent += (self.outbox.len() - before) as u64;
    }

    /// Forgets versions that were not heard of between this call and the last one but one. No message
    /// may be under way for longer than between two calls.
    pub fn age(&mut self) {
        // A commit that was never closed may be repeated at any time.
        let mut pinned: BTreeSet<BodyId> = self.acks.keys().map(|it| it.0).collect();
        pinned.extend(self.owned.keys());
        for memories in [&mut self.seen, &mut self.burnt] {
            memories.retain(|body, it| {
                it.age = it.age.saturating_add(1);
                it.age < 2 || pinned.contains(body)
            });
        }
        self.prepared.retain(|_, it| {
            it.age += 1;
            it.age < 2
        });
        self.shadows.retain(|_, it| {
            it.age += u8::from(it.payload.is_none());
            it.age < 2
        });
    }

    /// Whether that life of that server is not fenced, as far as we know. A later life of a server
    /// ends its earlier ones.
    fn believes(&mut self, from: Incarnation) -> bool {
        let stale = from.epoch < self.floor(from.server);
        if stale {
            self.stats.refused_stale += 1;
        } else {
            self.floors.insert(from.server, from.epoch);
        }
        !stale || !self.safeguards.epochs
    }

    fn own(&mut self, body: BodyId, version: Version, state: BodyState, from: Option<Origin>) {
        self.prepared.remove(&body);
        self.remember(body, version);
        let owes_ack = match from {
            Some(Origin::Handover(previous)) => Some((previous, version)),
            _ => None,
        };
        let holder = self.default_holder;
        let owned = Owned {
            version,
            issued: version,
            held_since: state.stamp,
            state: state.clone(),
            holder,
            confirmed: None,
            former: BTreeSet::new(),
            offer: None,
            owes_ack,
        };
        self.owned.insert(body, owned);
        if let Some(from) = from {
            self.events.push_back(BodyEvent::Owned { body, version, state, from });
        }
        self.send_shadow(body);
        self.acknowledge_if_safe(body);
    }

    /// The body certainly had an owner at that version.
    fn remember(&mut self, body: BodyId, version: Version) {
        raise(&mut self.seen, body, version);
        self.prepared.retain(|it, prepared| *it != body || prepared.version > version);
        // What others gave us to keep is out of date.
        for ((_, _), copy) in self.shadows.range_mut((body, LOWEST)..=(body, HIGHEST)) {
            if copy.version < version {
                copy.payload = None;
            }
        }
    }

    fn send(&mut self, to: Incarnation, message: Message) {
        self.outbox.push_back(Envelope { from: self.me, to, message });
    }
}

const LOWEST: Incarnation = Incarnation::new(ServerId(0), Epoch(0));
const HIGHEST: Incarnation = Incarnation::new(ServerId(u16::MAX), Epoch(u32::MAX));

fn raise(memories: &mut BTreeMap<BodyId, Memory>, body: BodyId, version: Version) {
    let memory = memories.entry(body).or_insert(Memory { version, age: 0 });
    memory.version = memory.version.max(version);
    memory.age = 0;
}

/// For model checkers: everything that decides what happens next, and nothing else.
impl std::hash::Hash for BodyTable {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        (self.me, &self.owned, &self.prepared, &self.tombstones, &self.cancels).hash(hasher);
        (&self.releases, &self.acks, &self.shadows, &self.seen, &self.burnt, &self.floors)
            .hash(hasher);
        (&self.default_holder, &self.recovery).hash(hasher);
    }
}
