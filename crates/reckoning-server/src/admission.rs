//! Admission of connections, shared by the sockets.
//!
//! Checks the limits of the address, the handshakes under way and the places left, numbers the
//! connection and reports it to the tick loop. Where strangers are too many, those give way whose
//! networks have most ([`places`](crate::places)); those who play have places that nobody takes over.

use std::net::IpAddr;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::HeaderMap;
use reckoning::{SimTime, TokenBucket};
use reckoning_net::PeerId;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::clock::Clock;
use crate::connection::{Conduct, Connection, Sink};
use crate::health::Health;
use crate::limits::{AddressLimiter, Permit};
use crate::metrics::{Metrics, RejectReason};
use crate::origin;
use crate::peer_ids::PeerIds;
use crate::places::{Place, Places};
use crate::settings::{Limits, Proxies, Settings, Shutdown};
use crate::token::TokenPolicy;

/// A connection opened or closed, or the operator changed something, for the tick loop. Never
/// dropped; open connections bound how many wait.
pub(crate) enum ConnectionEvent {
    Opened(Arc<Connection>),
    Closed(PeerId),
    Reloaded(Reload),
}

/// What the tick loop takes over while it runs.
pub(crate) struct Reload {
    pub(crate) shutdown: Shutdown,
}

/// State that all sockets share.
pub(crate) struct Admission {
    pub(crate) clock: Clock,
    pub(crate) limits: Arc<Limits>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Arc<Health>,
    pub(crate) proxies: Proxies,
    pub(crate) origins: Vec<String>,
    /// Whether it is for this machine only.
    pub(crate) is_local: bool,
    /// Which tokens are taken; `None` lets everyone in.
    pub(crate) tokens: Option<Arc<TokenPolicy>>,
    limiter: AddressLimiter,
    /// How many more connections may come now: by QUIC, by HTTP.
    pace: [Mutex<TokenBucket>; 2],
    /// Handshakes from addresses that may be forged.
    unproven: Arc<Semaphore>,
    handshakes: Places,
    requests: Places,
    proxied: Arc<Semaphore>,
    /// Connections that have not joined yet.
    waiting: Places,
    peer_ids: PeerIds,
    events: Mutex<Sender<ConnectionEvent>>,
}

impl Admission {
    pub(crate) fn new(
        clock: Clock,
        settings: &Settings,
        metrics: Arc<Metrics>,
        health: Arc<Health>,
        tokens: Option<Arc<TokenPolicy>>,
        events: Sender<ConnectionEvent>,
    ) -> Self {
        let limits = Arc::new(settings.limits.clone());
        let pending = limits.pending_handshakes;
        let per_s = f64::from(limits.connects_per_s);
        let pace = || Mutex::new(TokenBucket::new(SimTime::ZERO, per_s, per_s));
        Self {
            clock,
            proxies: settings.proxies.clone(),
            origins: settings.origins.clone(),
            // A proxy on this machine may be asked from anywhere.
            is_local: settings.listen.ip().is_loopback() && settings.proxies.trusted.is_empty(),
            tokens,
            limiter: AddressLimiter::new(limits.clone()),
            pace: [pace(), pace()],
            unproven: Arc::new(Semaphore::new(pending.div_ceil(2))),
            handshakes: Places::new(pending),
            requests: Places::new(limits.http_connections),
            // A proxy shares out what it has by itself, and keeps connections that rest.
            proxied: Arc::new(Semaphore::new(2 * limits.http_connections)),
            waiting: Places::new(pending),
            peer_ids: PeerIds::beginning_at(1),
            events: Mutex::new(events),
            limits,
            metrics,
            health,
        }
    }

    /// Admits a connection from an address, or counts why not.
    pub(crate) fn admit(&self, door: Door, address: IpAddr) -> Option<Arc<Permit>> {
        let pressure = self.is_crowded(door);
        let permit = self.limiter.enter(self.clock.now(), address, pressure);
        let permit = permit.map_err(|reason| self.metrics.count_reject(reason)).ok()?;
        self.pace(door).take(1.0);
        Some(Arc::new(permit))
    }

    /// Whether connections come faster than they are thought to.
    fn is_crowded(&self, door: Door) -> bool {
        let half = f64::from(self.limits.connects_per_s) / 2.0;
        self.pace(door).level(self.clock.now()) < half
    }

    fn pace(&self, door: Door) -> MutexGuard<'_, TokenBucket> {
        self.pace[door as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the address flooded us a short while ago, which is counted.
    pub(crate) fn reject_banned(&self, address: IpAddr) -> bool {
        let banned = self.limiter.is_banned(self.clock.now(), address);
        if banned {
            self.metrics.count_reject(RejectReason::Banned);
        }
        banned
    }

    /// A place for a handshake with an address that is proven.
    pub(crate) fn proven_handshake(&self, address: IpAddr) -> Option<HandshakePlace> {
        let place = self.handshakes.take(self.clock.now(), address);
        let proven = Some(self.counted(place, RejectReason::Handshakes)?);
        Some(HandshakePlace { _unproven: None, proven })
    }

    /// A place for a handshake with an address that may be forged.
    pub(crate) fn unproven_handshake(&self) -> Option<HandshakePlace> {
        let place = self.unproven.clone().try_acquire_owned().ok();
        let unproven = Some(self.counted(place, RejectReason::Handshakes)?);
        Some(HandshakePlace { _unproven: unproven, proven: None })
    }

    /// A place for requests of an address.
    pub(crate) fn request(&self, address: IpAddr) -> Option<Place> {
        let place = self.requests.take(self.clock.now(), address);
        self.counted(place, RejectReason::HttpConnections)
    }

    /// A place for requests of a proxy.
    pub(crate) fn proxied(&self) -> Option<OwnedSemaphorePermit> {
        self.counted(self.proxied.clone().try_acquire_owned().ok(), RejectReason::HttpConnections)
    }

    fn counted<T>(&self, place: Option<T>, reason: RejectReason) -> Option<T> {
        if place.is_none() {
            self.metrics.count_reject(reason);
        }
        place
    }

    /// Whether new clients must prove their address first.
    pub(crate) fn is_busy(&self) -> bool {
        self.unproven.available_permits() == 0 || self.is_crowded(Door::Quic)
    }

    /// Whether a page may connect, going by what its browser tells of it.
    pub(crate) fn allows_origin(&self, headers: &HeaderMap, host: &str) -> bool {
        origin::is_allowed(headers, host, &self.origins, self.is_local)
    }

    /// Whether nobody is let in any more because the server is about to stop, which is counted.
    pub(crate) fn reject_draining(&self) -> bool {
        let draining = self.health.is_draining();
        if draining {
            self.metrics.count_reject(RejectReason::Draining);
        }
        draining
    }

    pub(crate) fn drain(&self) {
        self.health.drain();
    }

    /// A place for a connection that has not joined yet; `None` when too many wait.
    pub(crate) fn waiting_place(&self, permit: &Permit) -> Option<Place> {
        let place = self.waiting.take(self.clock.now(), permit.address());
        self.counted(place, RejectReason::Full)
    }

    /// Makes a connection known to the tick loop, in the place that it waited in so far.
    pub(crate) fn open(
        self: &Arc<Self>,
        permit: Arc<Permit>,
        sink: Sink,
        place: Place,
    ) -> OpenConnection {
        let now = self.clock.now();
        let displaced = place.displaced();
        let peer = self.peer_ids.take();
        let (limits, metrics) = (self.limits.clone(), self.metrics.clone());
        let connection = Connection::new(peer, now, permit, sink, limits, metrics);
        connection.wait_in(place);
        let connection = Arc::new(connection);
        self.notify(ConnectionEvent::Opened(connection.clone()));
        OpenConnection { connection, admission: self.clone(), displaced }
    }

    /// Hands settings that changed to the tick loop.
    pub(crate) fn reload(&self, reload: Reload) {
        self.notify(ConnectionEvent::Reloaded(reload));
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
    displaced: Arc<Notify>,
}

/// The way in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Door {
    Quic,
    Http,
}

/// What a handshake holds.
pub(crate) struct HandshakePlace {
    _unproven: Option<OwnedSemaphorePermit>,
    proven: Option<Place>,
}

impl HandshakePlace {
    /// Waits until the place was given to someone else, which may be never.
    pub(crate) async fn displaced(&self) {
        match &self.proven {
            Some(place) => place.displaced().notified().await,
            None => std::future::pending().await,
        }
    }
}

impl OpenConnection {
    /// Waits until the place was given to someone else: never, once it has joined.
    pub(crate) async fn displaced(&self) {
        self.displaced.notified().await;
        self.admission.metrics.count_reject(RejectReason::Displaced);
    }

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
        self.admission.peer_ids.give_back(self.connection.peer);
        self.admission.notify(ConnectionEvent::Closed(self.connection.peer));
    }
}
