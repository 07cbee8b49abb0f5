//! What a host keeps about one peer.

use alloc::boxed::Box;
use alloc::vec::Vec;

use reckoning::{DVec3, SimTime};

use crate::budget::ByteBudget;
use crate::channel::Channel;
use crate::control_messages::ControlMessages;
use crate::host::config::HostConfig;
use crate::host::sending::PeerEntityState;
use crate::stats::TrafficStats;
use crate::wire::{DisconnectReason, EntityId, PeerId};

/// How often a refusal or a farewell is said.
pub(crate) const DISCONNECT_REPEATS: u8 = 3;
/// A receiver's updates are taken to have this many bytes until some were written.
const INITIAL_UPDATE_BYTES: f64 = 14.0;
/// How many entities one peer can own.
pub(crate) const MAX_OWNED_ENTITIES: usize = 256;

/// How far a peer has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PeerStage {
    /// It connected and has to join.
    Connected,
    /// It asked to join with this token; the game has to answer.
    Asked(Box<[u8]>),
    /// It is in; what it showed for it.
    Joined(Box<[u8]>),
    /// It is told why it is not, or no longer, in; then it is forgotten.
    Ended { why: DisconnectReason, was_in: bool, left: u8 },
}

/// From where a peer sees the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Viewpoint {
    /// From the first entity it owns; from nowhere while it owns none.
    Own,
    /// From an entity.
    Entity(EntityId),
    /// From a place.
    Place(DVec3),
    /// From everywhere: all is as near as can be, for those who only watch.
    Everywhere,
}

/// A ping that has to be answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingPing {
    pub(crate) sent_us: u64,
    pub(crate) received: SimTime,
}

/// One peer.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) id: PeerId,
    pub(crate) stage: PeerStage,
    pub(crate) since: SimTime,
    pub(crate) channel: Channel,
    pub(crate) pending_ping: Option<PendingPing>,
    /// The welcome has to be said, or said again.
    pub(crate) welcome: bool,
    pub(crate) control: ControlMessages,
    pub(crate) viewpoint: Viewpoint,
    /// What it owns, oldest first.
    pub(crate) owned: Vec<EntityId>,
    /// By entity.
    pub(crate) entity_states: Vec<PeerEntityState>,
    /// Counts stays of entities in its zone.
    pub(crate) next_epoch: u16,
    /// Views to be served in this tick, and how far that got.
    pub(crate) queue: Vec<u32>,
    pub(crate) served: usize,
    /// The tick has come and the queue is not made yet.
    pub(crate) ticks: bool,
    /// It is in the host's send queue.
    pub(crate) queued: bool,
    pub(crate) budget: ByteBudget,
    pub(crate) receive_budget: ByteBudget,
    pub(crate) update_bytes: f64,
    /// How long updates take to it, by its own clock reports; smoothed.
    pub(crate) delay_s: Option<f64>,
    pub(crate) stats: TrafficStats,
}

impl Peer {
    pub(crate) fn new(id: PeerId, config: &HostConfig, now: SimTime) -> Self {
        Self {
            id,
            stage: PeerStage::Connected,
            since: now,
            channel: Channel::new(config.command_repeats, now),
            pending_ping: None,
            welcome: false,
            control: ControlMessages::default(),
            viewpoint: Viewpoint::Own,
            owned: Vec::new(),
            entity_states: Vec::new(),
            next_epoch: 0,
            queue: Vec::new(),
            served: 0,
            ticks: false,
            queued: false,
            budget: ByteBudget::new(config.bytes_per_s, config.max_datagram_bytes, now),
            // Datagrams as bytes: a bucket is a bucket.
            receive_budget: ByteBudget::new(
                config.max_datagrams_per_s.saturating_mul(RECEIVE_UNIT),
                0,
                now,
            ),
            update_bytes: INITIAL_UPDATE_BYTES,
            delay_s: None,
            stats: TrafficStats::default(),
        }
    }

    pub(crate) const fn is_joined(&self) -> bool {
        matches!(self.stage, PeerStage::Joined(_))
    }

    pub(crate) fn token(&self) -> &[u8] {
        match &self.stage {
            PeerStage::Asked(token) | PeerStage::Joined(token) => token,
            _ => &[],
        }
    }

    /// The view of an entity; `near` is where it may be.
    pub(crate) fn entity_state_mut(&mut self, entity: EntityId) -> Option<&mut PeerEntityState> {
        let place = self.entity_states.binary_search_by_key(&entity, |view| view.entity).ok()?;
        self.entity_states.get_mut(place)
    }
}

/// What one datagram that comes in costs of the receive_budget.
pub(crate) const RECEIVE_UNIT: u32 = crate::budget::DATAGRAM_OVERHEAD_BYTES as u32;
