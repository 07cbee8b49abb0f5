//! Host: it knows every entity and sends each peer what it needs.
//!
//! A [`Host`] has no socket, thread or clock: datagrams go in and come out, time is an argument.
//! A server carries the datagrams; the game spawns and observes entities.
//!
//! ```text
//!            connect, disconnect, handle_datagram           poll_datagram
//! transport -------------------------------------> Host ---------------------> transport
//!                 spawn, observe, despawn         ^  |        poll_event
//! game ------------------------------------------'   '-----------------------> game
//! ```
//!
//! Each tick, for every joined peer and every entity in its interest set, the host asks: is the
//! peer's prediction, from the last update sent to it, further from what the host knows than the
//! entity's distance class allows? Such updates are due; the most urgent are sent within the
//! peer's budget of bytes, each coded against the newest one that the peer acknowledged.
//!
//! | what happens | where |
//! |---|---|
//! | a peer connects, joins, times out, comes back | `connections` |
//! | an entity is spawned, moved, granted to a peer | `entities` |
//! | an entity enters or leaves a peer's interest set | `interest` |
//! | an update is due, chosen and written | `sending` |
//! | a property is set, by the host or by an owner | `properties` |
//! | a datagram is received, an owner's update judged | `receiving` |
//! | an acknowledgement or a loss takes effect | `delivery` |
//! | a loss is detected | `crate::loss_detection` |
//! | what a peer can make the host keep is bounded | `crate::limits` |
//!
//! What others rely on:
//! - equal calls give equal datagrams, bit for bit;
//! - what a peer is sent depends on its own acknowledgements and budget, not on how slow or
//!   silent another one is (but for what a fairness policy shares out); only the numbers that
//!   updates bear are common to all;
//! - no bytes make it panic, and everything a peer can make it keep has a named limit.

pub(crate) mod config;
mod connections;
mod delivery;
mod entities;
pub(crate) mod event;
mod interest;
mod joint_memory;
mod joints;
mod listener_errors;
mod properties;
mod receiving;
mod rewinding;
mod sending;
mod settings;

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::fairness::ThresholdTuner;
use reckoning::{ConfigError, Rewind, SimTime, Update};

use crate::limits::MAX_HOST_EVENTS;
use crate::stats::TrafficStats;
use crate::wire::{EntityId, Owner, PeerId};
use config::{ClockMode, HostConfig};
use connections::{AbsentPeer, Peer};
use delivery::DeliveryEffects;
use entities::EntityTable;
use event::HostEvent;
use interest::{NearbyEntity, update_interest};
use sending::{Candidate, GroupMember, SendContext, deliver_planned, export_by_policy};

pub use connections::Viewpoint;
pub use entities::SpawnError;
pub use interest::{AimCapsule, Camera, GroupId};
pub use listener_errors::ListenerError;
pub use settings::Shedding;

/// Counters of a [`Host`] since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostStats {
    /// The traffic of all peers together, those that are gone included.
    pub traffic: TrafficStats,
    /// Datagrams dropped because no peer of that id is connected.
    pub unknown_peer: u64,
    /// Connections refused because there were too many.
    pub peers_refused: u64,
    /// Events dropped because nobody polled them.
    pub events_dropped: u64,
    /// Ticks made.
    pub ticks: u64,
}

/// Replicates entities to peers, without I/O and without a clock.
///
/// After every other call, poll datagrams and events until there are none; call
/// [`handle_timeout`](Self::handle_timeout) at [`next_wakeup`](Self::next_wakeup).
///
/// ```
/// use reckoning_net::wire::{Header, Message, PacketReader, PacketWriter, VERSION};
/// use reckoning_net::{DVec3, Host, HostConfig, HostEvent, Kinematics, Owner, PeerId, SimTime};
/// # use reckoning_net::{Format, Model, Quantiser, Registry};
/// # let steps = Quantiser {
/// #     position_m: 0.01, velocity_mps: 0.03, acceleration_mps2: 0.1,
/// #     angular_velocity_radps: 0.01, orientation: 0.01,
/// # };
/// # let format = Format::new(true, 1000, steps, &[Model::Linear], Registry::default())?;
/// let (now, peer) = (SimTime::ZERO, PeerId(1));
/// let mut host = Host::new(HostConfig::new(format))?;
/// let car = host.spawn(now, Owner::Host, b"car", &Kinematics::moving(now, DVec3::ZERO, DVec3::X))?;
///
/// // The transport opened a connection and received a datagram: a request to join.
/// let mut buf = [0; 1000];
/// let mut join = PacketWriter::new(&mut buf, &Header { sequence: 0, sent_ms: 0, ack: None });
/// join.push(None, &Message::Join { version: VERSION, token: b"" });
/// let length = join.finish().expect("it fits");
/// host.connect(now, peer);
/// host.handle_datagram(now, peer, &buf[..length]);
/// while let Some(event) = host.poll_event() {
///     if let HostEvent::JoinRequested { peer, .. } = event {
///         host.admit(now, peer);
///     }
/// }
///
/// // Its own tick; then everything it has to send.
/// host.handle_timeout(now);
/// host.set_viewpoint(peer, reckoning_net::Viewpoint::Entity(car));
/// let (to, length) = host.poll_datagram(now, &mut buf).expect("a welcome, and the car");
/// assert_eq!(to, peer);
/// let first = PacketReader::new(&buf[..length])?.next_message(None)?;
/// assert!(matches!(first, Some(Message::Welcome { .. })));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Host {
    config: HostConfig,
    /// The format and the config, as a welcome carries them.
    format_bytes: Vec<u8>,
    welcome_config: Vec<u8>,
    entities: EntityTable,
    peers: BTreeMap<PeerId, Peer>,
    absent: Vec<AbsentPeer>,
    rewind: Option<Rewind<EntityId, PeerId>>,
    /// Peers that may be due a datagram.
    send_queue: VecDeque<PeerId>,
    events: VecDeque<HostEvent>,
    next_tick: Option<SimTime>,
    /// When a fairness policy wants to send something, if before the next tick.
    planned_at: Option<SimTime>,
    tuner: Option<ThresholdTuner>,
    interest_updated_at: SimTime,
    /// Entities of which a property was set since the last tick, or that wait to be sent.
    changed: BTreeSet<EntityId>,
    departed_traffic: TrafficStats,
    stats: HostStats,
    shedding: Shedding,
    /// Room for what each tick lists, so that it does not allocate.
    nearby: Vec<NearbyEntity>,
    candidates: Vec<Candidate>,
    members: Vec<GroupMember>,
}

impl Host {
    /// A host without peers and entities.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn new(mut config: HostConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        config.format = config.kinds.coded(&config.format);
        let welcome_config = welcome_config(&config);
        let rewind = match config.rewind {
            Some(settings) => Some(Rewind::new(settings)?),
            None => None,
        };
        Ok(Self {
            format_bytes: config.format.to_bytes(),
            welcome_config,
            entities: EntityTable::new(&config),
            peers: BTreeMap::new(),
            absent: Vec::new(),
            rewind,
            send_queue: VecDeque::new(),
            events: VecDeque::new(),
            next_tick: None,
            planned_at: None,
            tuner: config.tuner(),
            interest_updated_at: SimTime::MIN,
            changed: BTreeSet::new(),
            departed_traffic: TrafficStats::default(),
            stats: HostStats::default(),
            shedding: Shedding::default(),
            nearby: Vec::new(),
            candidates: Vec::new(),
            members: Vec::new(),
            config,
        })
    }

    /// Makes the tick that is due, if one is: removes peers that are gone, detects losses, updates
    /// interest sets, and lets every peer be sent what it is due. Between ticks: what a fairness
    /// policy planned to send by now.
    pub fn handle_timeout(&mut self, now: SimTime) {
        let Some(due) = self.next_tick.filter(|due| *due <= now) else {
            self.send_planned(now);
            return;
        };
        self.stats.ticks += 1;
        self.wait_on(now.saturating_since(due));
        self.expire(now);
        self.detect_losses(now);
        let interval = self.config.zone_interval;
        if self.entities.changed || now.saturating_since(self.interest_updated_at) >= interval {
            self.update_interest_sets(now);
        }
        self.release_values(now);
        if self.entities.keeps_accounts {
            let (tuner, peers) = (self.tuner.as_mut(), &mut self.peers);
            self.planned_at = export_by_policy(&self.config, tuner, &mut self.entities, peers, now);
        }
        let ids: Vec<PeerId> = self.peers.keys().copied().collect();
        for id in ids {
            if let Some(peer) = self.peers.get_mut(&id) {
                peer.tick_due = true;
            }
            self.enqueue(id);
        }
        // Ticks that were missed are not made up for.
        let interval = self.config.tick * self.shedding.one_tick_in.get();
        let next = due + interval;
        let next = if next <= now { now + interval } else { next };
        let idle = self.peers.is_empty() && self.absent.is_empty();
        self.next_tick = (!idle).then_some(next);
    }

    fn send_planned(&mut self, now: SimTime) {
        if self.next_planned().is_none_or(|at| at > now) {
            return;
        }
        let (chosen, next) = deliver_planned(&mut self.entities, &mut self.peers, now);
        self.planned_at = next;
        for id in chosen {
            if let Some(peer) = self.peers.get_mut(&id) {
                peer.tick_due = true;
            }
            self.enqueue(id);
        }
    }

    /// When something planned is sent between ticks; a machine that cannot keep up with the ticks
    /// does not add to them.
    fn next_planned(&self) -> Option<SimTime> {
        self.planned_at.filter(|_| self.shedding == Shedding::default())
    }

    fn detect_losses(&mut self, now: SimTime) {
        for peer in self.peers.values_mut() {
            let rewind = self.rewind.as_mut();
            let (sent_packets, mut effects) =
                DeliveryEffects::split(peer, &mut self.entities, rewind, now);
            sent_packets.handle_timeout(now, |outcome, packet| effects.apply(outcome, packet));
        }
    }

    fn update_interest_sets(&mut self, now: SimTime) {
        self.interest_updated_at = now;
        self.entities.rebuild_grid(now);
        for peer in self.peers.values_mut().filter(|peer| peer.is_joined()) {
            update_interest(peer, &mut self.entities, &mut self.nearby, now);
            peer.values.due = true;
        }
    }

    /// The next datagram to be sent: its receiver and its length. Poll until `None` after every
    /// other call. `buf` should hold [`HostConfig::max_datagram_bytes`].
    pub fn poll_datagram(&mut self, now: SimTime, buf: &mut [u8]) -> Option<(PeerId, usize)> {
        let farther_one_in = u64::from(self.shedding.farther_one_in.get());
        while let Some(&id) = self.send_queue.front() {
            if let Some(peer) = self.peers.get_mut(&id) {
                let mut context = SendContext {
                    config: &self.config,
                    entities: &mut self.entities,
                    rewind: self.rewind.as_mut(),
                    format_bytes: &self.format_bytes,
                    welcome_config: &self.welcome_config,
                    candidates: &mut self.candidates,
                    members: &mut self.members,
                    nearest_only: !self.stats.ticks.is_multiple_of(farther_one_in),
                };
                if let Some(length) = context.write_datagram(peer, now, buf) {
                    return Some((id, length));
                }
                peer.in_send_queue = false;
            }
            self.send_queue.pop_front();
        }
        None
    }

    /// The next event for the game. Poll until `None`.
    pub fn poll_event(&mut self) -> Option<HostEvent> {
        self.events.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next; `None` while no peer is
    /// connected or absent.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<SimTime> {
        let tick = self.next_tick?;
        Some(self.next_planned().map_or(tick, |planned| tick.min(planned)))
    }

    /// Counters since the host was made.
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

    /// How long nothing was received from a peer; `None` when it is not connected.
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
    pub fn entities(&self) -> impl Iterator<Item = (EntityId, Owner, &Update)> {
        self.entities.iter().map(|(_, entity)| (entity.id, entity.owner, entity.known()))
    }

    fn push_event(&mut self, event: HostEvent) {
        if self.events.len() < MAX_HOST_EVENTS {
            self.events.push_back(event);
        } else {
            self.stats.events_dropped += 1;
        }
    }

    /// A peer may be due a datagram.
    fn enqueue(&mut self, id: PeerId) {
        if let Some(peer) = self.peers.get_mut(&id)
            && !core::mem::replace(&mut peer.in_send_queue, true)
        {
            self.send_queue.push_back(id);
        }
    }
}

/// The config of a welcome: clock and number of properties, number of kinds, distance classes of entities without a kind,
/// and what is the game's own.
fn welcome_config(config: &HostConfig) -> Vec<u8> {
    let classes = &config.zones.classes;
    let counts = [config.kinds.len() as u8, classes.len() as u8];
    // Fewer than 64 properties, so their number fits above the clock's bit.
    let properties = (config.kinds.schema.len() as u8) << 1;
    let mut bytes = Vec::from([clock_mode_byte(config.clock_mode) | properties]);
    bytes.extend_from_slice(&counts);
    bytes.extend(classes.iter().map(|class| class.coarser_log2));
    bytes.extend_from_slice(&config.welcome);
    bytes
}

/// The first byte of a welcome's config: how the ends agree on time.
const fn clock_mode_byte(mode: ClockMode) -> u8 {
    match mode {
        ClockMode::Synchronised => 0,
        ClockMode::PerHop => 1,
    }
}
