//! One server of a mesh: its lease, its cells, its bodies.
//!
//! ```text
//!   shell:  requests to the store <-- poll_store_request   handle_store_reply --> replies
//!           messages to servers   <-- poll_message         handle_message     --> messages
//!           the game              <-- poll_event           observe_body       --> where bodies are
//! ```
//!
//! Whatever the shell does, and however late, a server whose lease ended says nothing, accepts nothing
//! and owns nothing. A shell asks [`is_unfenced`](MeshServer::is_unfenced) right before each thing it does in the
//! name of the mesh; between that and the network a process can still be stopped, which is why receivers
//! refuse the fenced as well.

mod cells;
mod membership;
mod places;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use reckoning::SimTime;

use crate::bodies::{BodyEvent, BodyStats, BodyTable};
use crate::config::{MeshConfig, MeshConfigError};
use crate::grid::{CellId, WorldGrid};
use crate::ids::{BodyId, Epoch, Incarnation, ServerId, Version};
use crate::lease::Lease;
use crate::message::{Envelope, Payload};
use crate::safeguards::Safeguards;
use crate::store::{Leaf, RequestId, Revision, StoreRequest};
use crate::view::View;

/// Who a server is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerIdentity {
    /// Its number, one of its own in the mesh.
    pub server: ServerId,
    /// Where others reach it.
    pub address: String,
    /// A number that no other process has: drawn at random when the process starts.
    pub nonce: u64,
}

/// Something the shell has to know.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MeshEvent {
    /// We have a lease.
    Joined {
        /// Which life of this server it is.
        life: Incarnation,
    },
    /// Others took over what was ours: drop all bodies. The server joins again by itself.
    Fenced {
        /// The life that ended.
        life: Incarnation,
    },
    /// We gave everything away and our lease back.
    Left,
    /// A body came, went or was refused.
    Body(BodyEvent),
    /// A body of ours is near a border: the other server needs its updates.
    Watch {
        /// Which body.
        body: BodyId,
        /// Who needs them.
        by: Incarnation,
    },
    /// It is not near that border any longer.
    Unwatch {
        /// Which body.
        body: BodyId,
        /// Who needed them.
        by: Incarnation,
    },
}

/// Counters of a [`MeshServer`], over all its lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshStats {
    /// Requests to the store.
    pub store_requests: u64,
    /// Of those, unanswered in time.
    pub store_timeouts: u64,
    /// How often this server was fenced.
    pub fenced: u64,
    /// How often it fenced another.
    pub fences: u64,
    /// Cells claimed that had no owner.
    pub cells_claimed: u64,
    /// Cells given to other servers.
    pub cells_moved: u64,
    /// Cells split.
    pub splits: u64,
    /// Cells merged.
    pub merges: u64,
    /// Messages that came or were due while no lease held, dropped.
    pub dropped_unleased: u64,
}

/// Where a body of ours is.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    at: [f64; 2],
    /// When an offer was made, or when the next may be.
    offered_at: Option<SimTime>,
    not_before: SimTime,
    watchers: BTreeSet<Incarnation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct InFlight {
    id: RequestId,
    sent_at: SimTime,
    purpose: Purpose,
    request: StoreRequest,
}

/// Why a request was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Purpose {
    List,
    Join,
    Renew,
    Fence,
    /// The dead is recovered.
    Bury,
    Claim {
        cells: u32,
    },
    Move,
    Split,
    Merge,
    Leave,
}

/// One server of a mesh.
#[derive(Clone, Debug)]
pub struct MeshServer {
    config: MeshConfig,
    grid: WorldGrid,
    identity: ServerIdentity,
    safeguards: Safeguards,
    is_draining: bool,
    has_left: bool,
    lease: Option<Lease>,
    view: View,
    bodies: Option<BodyTable>,
    places: BTreeMap<BodyId, Place>,
    /// Cells that we gave away, or tried to: at which revision, and to whom. Until the store shows
    /// another revision the write may still be applied, so they are not ours whatever we read.
    releasing: BTreeMap<CellId, (Revision, Incarnation)>,
    in_flight: Option<InFlight>,
    /// Whether there was nothing to change about cells since the last answer.
    has_looked_at_cells: bool,
    next_request: u64,
    not_before: SimTime,
    list_due: SimTime,
    /// When we fenced somebody last: who lives is read after that.
    fenced_at: SimTime,
    resend_due: SimTime,
    shadows_due: SimTime,
    age_due: SimTime,
    rebalance_due: SimTime,
    born: u32,
    events: VecDeque<MeshEvent>,
    stats: MeshStats,
    earlier_bodies: BodyStats,
}

impl MeshServer {
    /// A server that has not joined yet.
    ///
    /// # Errors
    /// When the settings cannot work, or the number is too high.
    pub fn new(
        config: MeshConfig,
        grid: WorldGrid,
        identity: ServerIdentity,
    ) -> Result<Self, MeshConfigError> {
        config.validate()?;
        if identity.server > ServerId::MAX {
            return Err(MeshConfigError::ServerNumber { got: identity.server.0 });
        }
        Ok(Self {
            config,
            grid,
            identity,
            safeguards: Safeguards::default(),
            is_draining: false,
            has_left: false,
            lease: None,
            view: View::default(),
            bodies: None,
            places: BTreeMap::new(),
            releasing: BTreeMap::new(),
            in_flight: None,
            has_looked_at_cells: false,
            next_request: 0,
            not_before: SimTime::MIN,
            list_due: SimTime::MIN,
            fenced_at: SimTime::MIN,
            resend_due: SimTime::MIN,
            shadows_due: SimTime::MIN,
            age_due: SimTime::MIN,
            rebalance_due: SimTime::MIN,
            born: 0,
            events: VecDeque::new(),
            stats: MeshStats::default(),
            earlier_bodies: BodyStats::default(),
        })
    }

    /// Switches parts of the protocol off, for a model checker.
    #[doc(hidden)]
    pub fn set_safeguards(&mut self, safeguards: Safeguards) {
        self.safeguards = safeguards;
    }

    /// Which life of this server it is, while it has a lease, held or lapsed.
    #[must_use]
    pub fn life(&self) -> Option<Incarnation> {
        let lease = self.lease.as_ref()?;
        Some(Incarnation::new(self.identity.server, lease.epoch))
    }

    /// Whether the lease holds: nobody else owns what we own.
    #[must_use]
    pub fn is_unfenced(&self, now: SimTime) -> bool {
        self.lease.as_ref().is_some_and(|it| it.holds(now))
    }

    /// Whether the cell is ours now.
    #[must_use]
    pub fn owns_cell(&self, now: SimTime, cell: CellId) -> bool {
        self.is_unfenced(now)
            && !self.releasing.contains_key(&cell)
            && self.view.leaf(cell).map(|it| it.owner) == self.life()
    }

    /// The cells of the world and their owners, as last read: for routing, and for pictures.
    pub fn cells(&self) -> impl Iterator<Item = &Leaf> {
        self.view.regions.values().flat_map(|it| &it.0.leaves)
    }

    /// The servers that live, as last read, and where they are reached.
    pub fn peers(&self) -> impl Iterator<Item = (Incarnation, &str)> {
        let me = self.life();
        let others = self.view.live().filter(move |it| Some(it.0) != me);
        others.map(|(life, record)| (life, record.address.as_str()))
    }

    /// Whose place that is, as last read.
    #[must_use]
    pub fn owner_at(&self, at: [f64; 2]) -> Option<Incarnation> {
        self.view.leaf_at(&self.grid, at).map(|it| it.owner)
    }

    /// The epoch of a cell, as last read.
    #[must_use]
    pub fn cell_epoch(&self, cell: CellId) -> Option<Epoch> {
        self.view.leaf(cell).map(|it| it.epoch)
    }

    /// Bodies of ours; none while the lease does not hold.
    pub fn bodies(&self, now: SimTime) -> impl Iterator<Item = BodyId> + '_ {
        let bodies = self.bodies.as_ref().filter(|_| self.is_unfenced(now));
        bodies.into_iter().flat_map(BodyTable::owned)
    }

    /// The version of a body of ours, while the lease holds.
    #[must_use]
    pub fn body_version(&self, now: SimTime, body: BodyId) -> Option<Version> {
        self.bodies.as_ref().filter(|_| self.is_unfenced(now))?.version(body)
    }

    /// What a body of ours was last observed with.
    #[must_use]
    pub fn payload(&self, body: BodyId) -> Option<&Payload> {
        self.bodies.as_ref()?.payload(body)
    }

    /// Whether a client with a ticket for that body at that version may come in: the body is ours at that
    /// version, or was offered to us at it.
    #[must_use]
    pub fn expects(&self, now: SimTime, body: BodyId, version: Version) -> bool {
        self.is_unfenced(now)
            && self.bodies.as_ref().is_some_and(|it| {
                it.version(body) == Some(version) || it.is_prepared(body, version)
            })
    }

    /// What the mesh knows of bodies here, while there is a lease.
    #[must_use]
    pub const fn body_table(&self) -> Option<&BodyTable> {
        self.bodies.as_ref()
    }

    /// Counters.
    #[must_use]
    pub const fn stats(&self) -> &MeshStats {
        &self.stats
    }

    /// Counters of bodies, over all lives of this server.
    #[must_use]
    pub fn body_stats(&self) -> BodyStats {
        let mut sum = self.earlier_bodies;
        if let Some(bodies) = &self.bodies {
            sum.add(bodies.stats());
        }
        sum
    }

    /// Gives all cells and bodies away, then the lease back; [`MeshEvent::Left`] says when.
    pub fn drain(&mut self, now: SimTime) {
        self.is_draining = true;
        if let Some(lease) = &mut self.lease {
            lease.renew_due = now;
        }
    }

    /// Whether we gave everything away and left.
    #[must_use]
    pub const fn has_left(&self) -> bool {
        self.has_left
    }

    /// The next event; call until `None`.
    pub fn poll_event(&mut self, now: SimTime) -> Option<MeshEvent> {
        self.collect_body_events(now);
        self.events.pop_front()
    }

    /// Takes in what another server says; nothing while no lease holds.
    pub fn handle_message(&mut self, now: SimTime, envelope: Envelope) {
        if !self.is_unfenced(now) {
            self.stats.dropped_unleased += 1;
            return;
        }
        let Some(mut bodies) = self.bodies.take() else { return };
        bodies.handle_message(envelope, |cell, epoch| {
            !self.is_draining && self.owns_cell(now, cell) && self.cell_epoch(cell) == Some(epoch)
        });
        self.bodies = Some(bodies);
        self.collect_body_events(now);
    }

    /// The next message to another server; call until `None`. Nothing while no lease holds.
    pub fn poll_message(&mut self, now: SimTime) -> Option<Envelope> {
        let holds = self.is_unfenced(now);
        let bodies = self.bodies.as_mut()?;
        while let Some(envelope) = bodies.poll_message() {
            if holds {
                return Some(envelope);
            }
            self.stats.dropped_unleased += 1;
        }
        None
    }

    /// Whatever is due by now.
    pub fn handle_timeout(&mut self, now: SimTime) {
        if !self.is_unfenced(now) {
            return;
        }
        if now >= self.shadows_due {
            self.shadows_due = now + self.config.shadow_every;
            self.place_bodies(now);
        }
        self.advance_recovery();
        let Some(bodies) = &mut self.bodies else { return };
        if now >= self.resend_due {
            self.resend_due = now + self.config.resend_every;
            bodies.resend();
        }
        if now >= self.age_due {
            bodies.age();
            self.age_due = now + self.config.memory;
        }
        self.collect_body_events(now);
    }

    /// When [`handle_timeout`](Self::handle_timeout) or
    /// [`poll_store_request`](Self::poll_store_request) has something to do next.
    #[must_use]
    pub fn next_wakeup(&self) -> SimTime {
        let store = match &self.in_flight {
            Some(it) => it.sent_at + self.config.store_timeout,
            None => self.store_due(),
        };
        let timers = self.resend_due.min(self.shadows_due).min(self.age_due);
        if self.lease.is_some() { store.min(timers) } else { store }
    }

    fn collect_body_events(&mut self, now: SimTime) {
        let Some(bodies) = &mut self.bodies else { return };
        while let Some(event) = bodies.poll_event() {
            match &event {
                BodyEvent::HandedOver { body, .. } => drop(self.places.remove(body)),
                BodyEvent::Refused { body, .. } => {
                    if let Some(place) = self.places.get_mut(body) {
                        place.offered_at = None;
                        // By then we have read whose cell it is.
                        place.not_before = now + self.config.poll_every * 2;
                    }
                }
                BodyEvent::Owned { .. } | BodyEvent::Settled { .. } => {}
            }
            self.events.push_back(MeshEvent::Body(event));
        }
    }
}

/// The number of a request matters to its answer alone.
#[doc(hidden)]
impl std::hash::Hash for InFlight {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        (self.sent_at, self.purpose, &self.request).hash(hasher);
    }
}

/// For model checkers: everything that decides what happens next but places and settings.
#[doc(hidden)]
impl std::hash::Hash for MeshServer {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        (&self.identity, self.is_draining, self.has_left, &self.lease, &self.view).hash(hasher);
        (&self.bodies, &self.releasing, &self.in_flight, self.has_looked_at_cells).hash(hasher);
        (self.not_before, self.list_due, self.fenced_at, self.born).hash(hasher);
        (self.resend_due, self.shadows_due, self.age_due, self.rebalance_due).hash(hasher);
    }
}
