//! State of one peer on the host.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use core::time::Duration;

use reckoning::{DVec3, SimTime};

use crate::budget::{ByteBudget, DATAGRAM_OVERHEAD_BYTES};
use crate::channel::Channel;
use crate::control_messages::ControlMessages;
use crate::host::config::HostConfig;
use crate::host::entities::Entity;
use crate::host::interest::Camera;
use crate::host::joints::PendingJoints;
use crate::host::properties::PeerValues;
use crate::host::sending::{PeerEntityState, QueuedEntity};
use crate::stats::TrafficStats;
use crate::wire::{DisconnectReason, EntityId, Owner, PeerId};

/// The bytes of an update are estimated as this until some were written.
const INITIAL_UPDATE_BYTES: f64 = 14.0;
/// What one received datagram costs of the receive budget, in its unit.
const RECEIVE_UNIT: u32 = DATAGRAM_OVERHEAD_BYTES as u32;

/// How far a peer's join has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PeerStage {
    /// It connected and has to join.
    Connected,
    /// It requested to join with this token; the game has to answer.
    Requested(Box<[u8]>),
    /// It joined with this token.
    Joined(Box<[u8]>),
    /// It was refused or disconnected: that is sent `left` times more, then it is forgotten. Without
    /// words where they are empty.
    Ended { reason: DisconnectReason, words: Box<str>, was_joined: bool, left: u8 },
}

/// The place from which distances to a peer's entities are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Viewpoint {
    /// The first entity it owns; while it owns none, all is infinitely far away.
    Own,
    /// An entity.
    Entity(EntityId),
    /// A fixed place.
    Place(DVec3),
    /// Everything is at distance zero, for those who only watch.
    Everywhere,
    /// Nothing is in reach, however far the last distance class goes.
    Nowhere,
}

/// A ping that has to be answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingPing {
    pub(crate) sent_us: u64,
    pub(crate) received: SimTime,
}

/// Descriptions that a peer has to be sent, of kinds or of properties, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PendingDescriptions {
    /// A bit for each that was not acknowledged, and for each of these that is not in flight.
    unknown: u64,
    due: u64,
}

impl PendingDescriptions {
    /// So many have to be sent, numbered from `first` on; fewer than 64 of them.
    pub(crate) const fn all(first: u8, count: usize) -> Self {
        let all = ((1 << count) - 1) << first;
        Self { unknown: all, due: all }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.unknown == 0
    }

    /// The next one to write into a datagram.
    pub(crate) fn next(&self) -> Option<u8> {
        (self.due != 0).then(|| self.due.trailing_zeros() as u8)
    }

    pub(crate) const fn sent(&mut self, number: u8) {
        self.due &= !(1 << number);
    }

    pub(crate) const fn acknowledged(&mut self, number: u8) {
        self.unknown &= !(1 << number);
        self.due &= self.unknown;
    }

    pub(crate) const fn lost(&mut self, number: u8) {
        self.due |= self.unknown & (1 << number);
    }

    /// The peer asks again: what it has not acknowledged is sent again.
    pub(crate) const fn repeat(&mut self) {
        self.due = self.unknown;
    }
}

/// One peer. What each part can grow to is in [`limits`](crate::limits).
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) id: PeerId,
    pub(crate) stage: PeerStage,
    pub(crate) connected_at: SimTime,
    pub(crate) channel: Channel,
    pub(crate) pending_ping: Option<PendingPing>,
    /// The welcome has to be sent, or sent again.
    pub(crate) welcome_due: bool,
    pub(crate) kinds: PendingDescriptions,
    pub(crate) schema: PendingDescriptions,
    pub(crate) values: PeerValues,
    pub(crate) control: ControlMessages,
    pub(crate) viewpoint: Viewpoint,
    /// What it looks at, if the game says so.
    pub(crate) camera: Option<Camera>,
    /// Entities that the game shows it or hides from it, whatever their visibility.
    pub(crate) visible: BTreeMap<EntityId, bool>,
    /// The entities it owns, oldest first.
    pub(crate) owned: Vec<EntityId>,
    /// Its interest set, and what is about to leave it; in order of entity.
    pub(crate) entity_states: Vec<PeerEntityState>,
    /// Counts entries into the interest set.
    pub(crate) next_epoch: u32,
    /// What is due in this tick, and how much of it was written.
    pub(crate) queue: Vec<QueuedEntity>,
    pub(crate) served: usize,
    pub(crate) joints: PendingJoints,
    /// A tick has come and its queue is not made yet.
    pub(crate) tick_due: bool,
    /// It is in the host's send queue.
    pub(crate) in_send_queue: bool,
    pub(crate) budget: ByteBudget,
    pub(crate) receive_budget: ByteBudget,
    /// Bytes of an update, smoothed.
    pub(crate) update_bytes: f64,
    /// Delay of datagrams to it, by its acknowledgements; smoothed.
    pub(crate) delay_s: Option<f64>,
    pub(crate) stats: TrafficStats,
}

impl Peer {
    pub(crate) fn new(id: PeerId, config: &HostConfig, now: SimTime) -> Self {
        // Datagrams counted as bytes: a bucket is a bucket.
        let mut channel = Channel::new(config.command_repeats, now);
        channel.sent_packets.wait_long(config.resends());
        let receive_units_per_s = config.max_datagrams_per_s.saturating_mul(RECEIVE_UNIT);
        Self {
            id,
            stage: PeerStage::Connected,
            connected_at: now,
            channel,
            pending_ping: None,
            welcome_due: false,
            kinds: PendingDescriptions::default(),
            schema: PendingDescriptions::default(),
            values: PeerValues::new(now),
            control: ControlMessages::default(),
            viewpoint: Viewpoint::Own,
            camera: None,
            visible: BTreeMap::new(),
            owned: Vec::new(),
            entity_states: Vec::new(),
            next_epoch: 0,
            queue: Vec::new(),
            served: 0,
            joints: PendingJoints::default(),
            tick_due: false,
            in_send_queue: false,
            budget: ByteBudget::new(config.bytes_per_s, config.max_datagram_bytes, now),
            receive_budget: ByteBudget::new(receive_units_per_s, 0, now),
            update_bytes: INITIAL_UPDATE_BYTES,
            delay_s: None,
            stats: TrafficStats::default(),
        }
    }

    /// What a datagram to it takes, as far as that was measured.
    pub(crate) fn way(&self) -> Duration {
        Duration::try_from_secs_f64(self.delay_s.unwrap_or(0.0)).unwrap_or_default()
    }

    pub(crate) const fn is_joined(&self) -> bool {
        matches!(self.stage, PeerStage::Joined(_))
    }

    /// The token it requested to join with; empty before that and after the end.
    pub(crate) fn token(&self) -> &[u8] {
        match &self.stage {
            PeerStage::Requested(token) | PeerStage::Joined(token) => token,
            _ => &[],
        }
    }

    /// Whether it moves an entity. An id that is used again owns nothing of those that had it before,
    /// whose entities wait for them.
    pub(crate) fn owns(&self, entity: &Entity) -> bool {
        entity.owner == Owner::Peer(self.id) && self.owned.contains(&entity.id)
    }

    /// Whether the peer was told of an entity and has not acknowledged its end.
    pub(crate) fn knows_of(&self, entity: EntityId) -> bool {
        self.place_of(entity).is_some() || self.control.is_about(entity)
    }

    /// The state of an entity, if the peer has one.
    pub(crate) fn entity_state_mut(&mut self, entity: EntityId) -> Option<&mut PeerEntityState> {
        let place = self.place_of(entity)?;
        self.entity_states.get_mut(place)
    }

    /// Where the state of an entity is, if the peer has one.
    pub(crate) fn place_of(&self, entity: EntityId) -> Option<usize> {
        self.entity_states.binary_search_by_key(&entity, |state| state.entity).ok()
    }
}
