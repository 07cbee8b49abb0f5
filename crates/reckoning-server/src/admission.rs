//! Admission of connections, shared by the sockets.
//!
//! Checks the limits of the address, the handshakes under way and the places left, numbers the
//! connection and reports it to the tick loop.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use reckoning_net::PeerId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clock::Clock;
use crate::connection::{Conduct, Connection, Sink};
use crate::health::Health;
use crate::limits::{AddressLimiter, Permit};
use crate::metrics::{Metrics, RejectReason};
use crate::settings::Limits;

/// A connection opened or closed, for the tick loop. Never dropped; open connections bound how
/// many wait.
pub(crate) enum ConnectionEvent {
    Opened(Arc<Connection>),
    Closed(PeerId),
}

/// State that all sockets share.
pub(crate) struct Admission {
    pub(crate) clock: Clock,
    pub(crate) limits: Arc<Limits>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Arc<Health>,
    pub(crate) handshakes: Arc<Semaphore>,
    limiter: AddressLimiter,
    places: Arc<Semaphore>,
    next_peer: AtomicU32,
    events: Mutex<Sender<ConnectionEvent>>,
}

impl Admission {
    pub(crate) fn new(
        clock: Clock,
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
        health: Arc<Health>,
        events: Sender<ConnectionEvent>,
    ) -> Self {
        // Those who have not joined yet must not keep out those who play.
        let places = limits.peers + limits.pending_handshakes;
        Self {
            clock,
            limiter: AddressLimiter::new(limits.clone()),
            handshakes: Arc::new(Semaphore::new(limits.pending_handshakes)),
            places: Arc::new(Semaphore::new(places)),
            next_peer: AtomicU32::new(1),
            events: Mutex::new(events),
            limits,
            metrics,
            health,
        }
    }

    /// Admits a connection from an address, or counts why not.
    pub(crate) fn admit(&self, address: IpAddr) -> Option<Arc<Permit>> {
        let permit = self.limiter.enter(self.clock.now(), address);
        permit.map(Arc::new).map_err(|reason| self.metrics.count_reject(reason)).ok()
    }

    /// Whether the address flooded us a short while ago, which is counted.
    pub(crate) fn reject_banned(&self, address: IpAddr) -> bool {
        let banned = self.limiter.is_banned(self.clock.now(), address);
        if banned {
            self.metrics.count_reject(RejectReason::Banned);
        }
        banned
    }

    /// A place for one more handshake, or none.
    pub(crate) fn handshake(&self) -> Option<OwnedSemaphorePermit> {
        let place = self.handshakes.clone().try_acquire_owned().ok();
        if place.is_none() {
            self.metrics.count_reject(RejectReason::Handshakes);
        }
        place
    }

    /// Whether so many handshakes are under way that new clients must prove their address first.
    pub(crate) fn is_busy(&self) -> bool {
        self.handshakes.available_permits() < self.limits.pending_handshakes.div_ceil(2)
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.health.is_draining()
    }

    pub(crate) fn drain(&self) {
        self.health.drain();
    }

    /// Makes a connection known to the tick loop; `None` when the server is full.
    pub(crate) fn open(
        self: &Arc<Self>,
        permit: Arc<Permit>,
        sink: Sink,
    ) -> Option<OpenConnection> {
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            self.metrics.count_reject(RejectReason::Full);
            return None;
        };
        let peer = PeerId(self.next_peer.fetch_add(1, Ordering::Relaxed));
        let (limits, metrics) = (self.limits.clone(), self.metrics.clone());
        let connection = Connection::new(peer, self.clock.now(), permit, sink, limits, metrics);
        let connection = Arc::new(connection);
        self.notify(ConnectionEvent::Opened(connection.clone()));
        Some(OpenConnection { connection, admission: self.clone(), _place: place })
    }

    fn notify(&self, event: ConnectionEvent) {
        // The loop may be gone already at shutdown.
        let _ = self.events.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}

/// A connection the tick loop knows of; dropping it tells the loop that it closed.
pub(crate) struct OpenConnection {
    connection: Arc<Connection>,
    admission: Arc<Admission>,
    _place: OwnedSemaphorePermit,
}

impl OpenConnection {
    /// Queues a received datagram; false when the connection must end.
    pub(crate) fn receive(&self, bytes: bytes::Bytes) -> bool {
        let fine = self.connection.receive(self.admission.clock.now(), bytes) == Conduct::Fine;
        if !fine {
            self.admission.metrics.count_reject(RejectReason::Flood);
            tracing::warn!(peer = self.connection.peer.0, "flood, disconnected");
        }
        fine
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connection.close("closed");
        self.admission.notify(ConnectionEvent::Closed(self.connection.peer));
    }
}
