//! What the sockets share: who may come in, which number a client gets, who is told.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clock::Clock;
use crate::limits::{Door, TurnedAway, Visit};
use crate::link::{Conduct, Link, Outlet};
use crate::metrics::{Metrics, Refused};
use crate::settings::Limits;
use reckoning_net::PeerId;

/// What the sockets tell the tick loop. Never dropped; open connections bound how many wait.
pub(crate) enum Arrival {
    Opened(Arc<Link>),
    Closed(PeerId),
}

/// What all sockets share.
pub(crate) struct Entrance {
    pub(crate) clock: Clock,
    pub(crate) limits: Arc<Limits>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) handshakes: Arc<Semaphore>,
    door: Door,
    places: Arc<Semaphore>,
    next_peer: AtomicU32,
    draining: AtomicBool,
    arrivals: Mutex<Sender<Arrival>>,
}

impl Entrance {
    pub(crate) fn new(
        clock: Clock,
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
        arrivals: Sender<Arrival>,
    ) -> Self {
        // Those who have not joined yet must not keep out those who play.
        let places = limits.peers + limits.pending_handshakes;
        Self {
            clock,
            door: Door::new(limits.clone()),
            handshakes: Arc::new(Semaphore::new(limits.pending_handshakes)),
            places: Arc::new(Semaphore::new(places)),
            next_peer: AtomicU32::new(1),
            draining: AtomicBool::new(false),
            arrivals: Mutex::new(arrivals),
            limits,
            metrics,
        }
    }

    /// Lets an address in, or counts why not.
    pub(crate) fn visit(&self, address: IpAddr) -> Option<Arc<Visit>> {
        let visit = self.door.enter(self.clock.now(), address);
        let refusal = |cause| match cause {
            TurnedAway::TooManyConnections => Refused::AddressConnections,
            TurnedAway::TooOften => Refused::AddressRate,
            TurnedAway::BookFull => Refused::Addresses,
            TurnedAway::Banned => Refused::Banned,
        };
        visit.map(Arc::new).map_err(|cause| self.metrics.refused(refusal(cause))).ok()
    }

    /// Whether the address flooded us a short while ago, which is counted.
    pub(crate) fn turns_away(&self, address: IpAddr) -> bool {
        let banned = self.door.is_banned(self.clock.now(), address);
        if banned {
            self.metrics.refused(Refused::Banned);
        }
        banned
    }

    /// A place for one more handshake, or none.
    pub(crate) fn handshake(&self) -> Option<OwnedSemaphorePermit> {
        let permit = self.handshakes.clone().try_acquire_owned().ok();
        if permit.is_none() {
            self.metrics.refused(Refused::Handshakes);
        }
        permit
    }

    /// Whether so many handshakes are under way that strangers must prove their address.
    pub(crate) fn is_busy(&self) -> bool {
        self.handshakes.available_permits() < self.limits.pending_handshakes.div_ceil(2)
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Makes a connection known to the tick loop; `None` when the server is full.
    pub(crate) fn open(self: &Arc<Self>, visit: Arc<Visit>, outlet: Outlet) -> Option<OpenLink> {
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            self.metrics.refused(Refused::Full);
            return None;
        };
        let peer = PeerId(self.next_peer.fetch_add(1, Ordering::Relaxed));
        let (limits, metrics) = (self.limits.clone(), self.metrics.clone());
        let link = Link::new(peer, self.clock.now(), visit, outlet, limits, metrics);
        let link = Arc::new(link);
        self.tell(Arrival::Opened(link.clone()));
        Some(OpenLink { link, entrance: self.clone(), _place: place })
    }

    fn tell(&self, arrival: Arrival) {
        // The loop may be gone already at shutdown.
        let _ = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).send(arrival);
    }
}

/// A connection the tick loop knows of; dropping it tells the loop that it closed.
pub(crate) struct OpenLink {
    link: Arc<Link>,
    entrance: Arc<Entrance>,
    _place: OwnedSemaphorePermit,
}

impl OpenLink {
    /// Takes in what came; false when the connection must end.
    pub(crate) fn receive(&self, bytes: bytes::Bytes) -> bool {
        let fine = self.link.receive(self.entrance.clock.now(), bytes) == Conduct::Fine;
        if !fine {
            self.entrance.metrics.refused(Refused::Flood);
            tracing::warn!(peer = self.link.peer.0, "flood, disconnected");
        }
        fine
    }
}

impl Drop for OpenLink {
    fn drop(&mut self) {
        self.link.close("closed");
        self.entrance.tell(Arrival::Closed(self.link.peer));
    }
}
