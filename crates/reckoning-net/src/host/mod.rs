//! The host's side of replication: it knows every entity and tells each peer what it needs.
//!
//! A [`Host`] has no socket, thread or clock: datagrams go in and come out, time is an
//! argument. A shell carries the datagrams; the game spawns and observes entities.
//!
//! ```text
//!            connect, disconnect, handle_datagram           poll_datagram
//! transport -------------------------------------> Host ---------------------> transport
//!                 spawn, observe, despawn         ^  |        poll_event
//! game ------------------------------------------'   '-----------------------> game
//! ```
//!
//! Each tick, for every joined peer and every entity in its zone, the host asks: is what this
//! peer believes, the last update sent to it, further from what the host knows than the
//! entity's distance class allows? Those are the candidates; the most urgent are served within the
//! peer's budget of bytes, each update coded off the newest one the peer acknowledged.
//!
//! What others rely on:
//! - equal calls give equal datagrams, bit for bit;
//! - what a peer is shown depends on its own acknowledgements and budget, not on how slow or
//!   deaf another one is (but for what a fairness policy shares out); only the numbers that
//!   updates bear are common to all;
//! - no bytes make it panic, and everything a peer can make it keep has a named limit.

pub(crate) mod config;
mod connections;
mod delivery;
mod entities;
pub(crate) mod event;
mod interest;
mod receiving;
mod sending;
mod settings;
mod tick;

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::{ConfigError, HitRequest, HitVerdict, Rewind, SimTime};

use crate::stats::TrafficStats;
use crate::wire::{EntityId, Owner, PeerId};
use config::HostConfig;
use connections::{AbsentPeer, Peer};
use entities::EntityTable;
use event::HostEvent;
use interest::NearbyEntity;
use sending::{SendContext, clock_mode_byte};

pub use connections::Viewpoint;
pub use entities::SpawnError;

/// Events that wait to be polled at most.
pub const MAX_HOST_EVENTS: usize = 8192;

/// What a [`Host`] has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostStats {
    /// The traffic of all peers together, those that are gone included.
    pub traffic: TrafficStats,
    /// Datagrams dropped because nobody with that number is connected.
    pub unknown_peer: u64,
    /// Connections not taken because there were too many.
    pub peers_refused: u64,
    /// Events given up because nobody polled them.
    pub events_dropped: u64,
    /// Ticks made.
    pub ticks: u64,
}

/// Replicates entities to peers, without I/O and without a clock.
#[derive(Debug)]
pub struct Host {
    config: HostConfig,
    format_bytes: Vec<u8>,
    greeting: Vec<u8>,
    world: EntityTable,
    peers: BTreeMap<PeerId, Peer>,
    absent: Vec<AbsentPeer>,
    rewind: Option<Rewind<EntityId, PeerId>>,
    /// Peers that may have something to be sent.
    send_queue: VecDeque<PeerId>,
    events: VecDeque<HostEvent>,
    next_tick: Option<SimTime>,
    interest_updated_at: SimTime,
    departed_traffic: TrafficStats,
    stats: HostStats,
    found: Vec<NearbyEntity>,
    candidates: Vec<(f32, u32)>,
}

impl Host {
    /// A host without peers and entities.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn new(config: HostConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        let mut greeting = Vec::from([clock_mode_byte(config.clock_mode)]);
        greeting.extend_from_slice(&config.welcome);
        let rewind = match config.rewind {
            Some(settings) => Some(Rewind::new(settings)?),
            None => None,
        };
        Ok(Self {
            format_bytes: config.format.to_bytes(),
            greeting,
            world: EntityTable::new(&config),
            peers: BTreeMap::new(),
            absent: Vec::new(),
            rewind,
            send_queue: VecDeque::new(),
            events: VecDeque::new(),
            next_tick: None,
            interest_updated_at: SimTime::MIN,
            departed_traffic: TrafficStats::default(),
            stats: HostStats::default(),
            found: Vec::new(),
            candidates: Vec::new(),
            config,
        })
    }

    /// The next datagram to be sent, its receiver and its length; ask until `None` after every
    /// other call. `buf` should hold [`HostConfig::max_datagram_bytes`].
    pub fn poll_datagram(&mut self, now: SimTime, buf: &mut [u8]) -> Option<(PeerId, usize)> {
        while let Some(&id) = self.send_queue.front() {
            if let Some(peer) = self.peers.get_mut(&id) {
                let mut stock = SendContext {
                    config: &self.config,
                    world: &mut self.world,
                    rewind: self.rewind.as_mut(),
                    format: &self.format_bytes,
                    greeting: &self.greeting,
                    found: &mut self.candidates,
                };
                if let Some(length) = stock.write_datagram(peer, now, buf) {
                    return Some((id, length));
                }
                peer.queued = false;
            }
            self.send_queue.pop_front();
        }
        None
    }

    /// The next thing the game should know; ask until `None`.
    pub fn poll_event(&mut self) -> Option<HostEvent> {
        self.events.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next; `None` while nobody is here.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<SimTime> {
        self.next_tick
    }

    /// Counters for a status page.
    #[must_use]
    pub fn stats(&self) -> HostStats {
        let mut traffic = self.departed_traffic;
        self.peers.values().for_each(|peer| traffic.add(&peer.stats));
        HostStats { traffic, ..self.stats }
    }

    /// The traffic of one peer; `None` when it is not connected.
    #[must_use]
    pub fn peer_stats(&self, peer: PeerId) -> Option<&TrafficStats> {
        self.peers.get(&peer).map(|peer| &peer.stats)
    }

    /// How long nothing was heard of a peer; `None` when it is not connected.
    #[must_use]
    pub fn silent_for(&self, now: SimTime, peer: PeerId) -> Option<Duration> {
        self.peers.get(&peer).map(|peer| now.saturating_since(peer.channel.last_received_at))
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &HostConfig {
        &self.config
    }

    /// All peers that have joined, in order.
    pub fn peers(&self) -> impl Iterator<Item = PeerId> {
        self.peers.values().filter(|peer| peer.is_joined()).map(|peer| peer.id)
    }

    /// All entities in order, with their owners and what the host knows of them.
    pub fn entities(&self) -> impl Iterator<Item = (EntityId, Owner, &reckoning::Update)> {
        self.world.iter().map(|(_, entity)| (entity.id, entity.owner, entity.known()))
    }

    /// What each client was shown, if that is remembered.
    #[must_use]
    pub const fn rewind(&self) -> Option<&Rewind<EntityId, PeerId>> {
        self.rewind.as_ref()
    }

    /// Checks from the shooter's view whether it hit; `None` when nothing is remembered.
    pub fn hit_check(
        &mut self,
        now: SimTime,
        shooter: PeerId,
        request: &HitRequest<EntityId>,
    ) -> Option<HitVerdict> {
        self.rewind.as_mut().map(|rewind| rewind.hit_check(shooter, request, now))
    }

    fn push_event(&mut self, event: HostEvent) {
        if self.events.len() < MAX_HOST_EVENTS {
            self.events.push_back(event);
        } else {
            self.stats.events_dropped += 1;
        }
    }

    /// A peer may have something to be sent.
    fn enqueue(&mut self, id: PeerId) {
        if let Some(peer) = self.peers.get_mut(&id)
            && !core::mem::replace(&mut peer.queued, true)
        {
            self.send_queue.push_back(id);
        }
    }
}
