//! Interest sets: which entities each peer is sent, and at which distance class.
//!
//! [`update_interest`] merges what is near a peer's viewpoint into the peer's list of
//! [`PeerEntityState`]s: an entity that came near enters the set, one that is out of reach begins
//! to leave it, and the class of the others follows their distance. An entity is never in the set
//! of its owner, nor in that of a peer from whom it is hidden ([`visibility`]).
//!
//! Distances are judged by importance: an entity that is twice as important counts as half as far
//! away ([`importance`]). Where zones have a limit, only the nearest few are in the set
//! ([`nearest`]). What a peer looks at, if the game says so, weighs what is sent first
//! ([`camera`]).

mod camera;
mod grid;
mod importance;
mod nearest;
mod visibility;

pub use camera::{AimCapsule, Camera};
pub(crate) use grid::InterestGrid;
pub use importance::GroupId;
pub(crate) use importance::{EntityInterest, interest_of_kind};

use alloc::vec::Vec;

use reckoning::{DVec3, SimTime};

use super::connections::{Peer, Viewpoint};
use super::entities::{Entity, EntityTable};
use super::sending::{EntryHeader, InterestStage, PeerEntityState};
use crate::wire::{EntityId, ExitReason, PeerId};

/// An entity in reach of a viewpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearbyEntity {
    pub(crate) id: EntityId,
    /// Its slot in the host's table.
    pub(crate) slot: u32,
    /// As it is judged by its importance.
    pub(crate) distance_squared_m2: f64,
    /// Others are nearer, and only so many count.
    pub(crate) is_left_out: bool,
}

/// Where a viewpoint is at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ViewOrigin {
    /// All is infinitely far away.
    Nowhere,
    At(DVec3),
    /// All is near.
    Everywhere,
    /// Nothing is there.
    Blind,
}

impl ViewOrigin {
    /// Where a peer's viewpoint is at `now`.
    fn from_peer(peer: &Peer, entities: &EntityTable, now: SimTime) -> Self {
        let at_entity =
            |id| entities.get(id).map_or(Self::Nowhere, |it| Self::At(it.position_at(now)));
        match peer.viewpoint {
            Viewpoint::Own => peer.owned.first().map_or(Self::Nowhere, |id| at_entity(*id)),
            Viewpoint::Entity(id) => at_entity(id),
            Viewpoint::Place(place) => Self::At(place),
            Viewpoint::Everywhere => Self::Everywhere,
            Viewpoint::Nowhere => Self::Blind,
        }
    }

    /// The squared distance of a place.
    pub(crate) fn distance_squared(self, place: DVec3) -> f64 {
        match self {
            Self::Nowhere | Self::Blind => f64::INFINITY,
            Self::At(origin) => place.distance_squared(origin),
            Self::Everywhere => 0.0,
        }
    }
}

/// Brings a peer's interest set up to date. The table's grid has to be; `nearby` is only room.
pub(crate) fn update_interest(
    peer: &mut Peer,
    entities: &mut EntityTable,
    nearby: &mut Vec<NearbyEntity>,
    now: SimTime,
) {
    entities.find_near(ViewOrigin::from_peer(peer, entities, now), now, nearby);
    nearest::keep_nearest(peer, entities, nearby);
    // Both lists are in order of id.
    let old = core::mem::take(&mut peer.entity_states);
    let mut merged: Vec<PeerEntityState> = Vec::with_capacity(old.len().max(nearby.len()));
    let mut nearby = nearby.iter().peekable();
    for state in old {
        while let Some(newcomer) = nearby.next_if(|it| it.id < state.entity) {
            merged.extend(enter(peer, entities, newcomer, now));
        }
        let here = nearby.next_if(|it| it.id == state.entity);
        let class = here.and_then(|it| class_of(peer, entities, it, &state));
        merged.extend(match class {
            Some(class) => Some(keep(peer, entities, state, class, now)),
            None => leave(peer, entities, state),
        });
    }
    for newcomer in nearby {
        merged.extend(enter(peer, entities, newcomer, now));
    }
    peer.entity_states = merged;
    peer.queue.clear();
    peer.served = 0;
}

/// The distance class of an entity that the peer has a state of; `None` when it is out of reach.
fn class_of(
    peer: &Peer,
    entities: &EntityTable,
    nearby: &NearbyEntity,
    state: &PeerEntityState,
) -> Option<u8> {
    let current = state.is_shown().then_some(state.class);
    if !may_enter(peer, entities, nearby) {
        return None;
    }
    zone_class(entities, nearby, current)
}

/// Whether an entity may be in a peer's set at all.
fn may_enter(peer: &Peer, entities: &EntityTable, nearby: &NearbyEntity) -> bool {
    let entity = entities.at(nearby.slot);
    entity.is_some_and(|entity| !peer.owns(entity) && peer.may_see(entity))
}

fn header_of(entities: &EntityTable, slot: u32) -> EntryHeader {
    let header = |entity: &Entity| EntryHeader { owner: entity.owner, kind: entity.kind };
    entities.at(slot).map_or_else(EntryHeader::default, header)
}

/// The distance class by the zones of the entity's kind, given the class it is in.
fn zone_class(entities: &EntityTable, nearby: &NearbyEntity, current: Option<u8>) -> Option<u8> {
    let kind = entities.at(nearby.slot)?.kind;
    entities.zones(kind)?.class_at(nearby.distance_squared_m2, current)
}

/// An entity enters the interest set, if it is in a class.
fn enter(
    peer: &mut Peer,
    entities: &mut EntityTable,
    nearby: &NearbyEntity,
    now: SimTime,
) -> Option<PeerEntityState> {
    if !may_enter(peer, entities, nearby) {
        return None;
    }
    let class = zone_class(entities, nearby, None)?;
    let epoch = next_epoch(peer);
    let header = header_of(entities, nearby.slot);
    let state = PeerEntityState::new((nearby.id, nearby.slot), header, class, epoch, now);
    add_listener(entities, &state, peer.id, now);
    Some(state)
}

/// An entity is in reach that the peer has a state of: it stays in the set, or enters it again
/// before its exit was acknowledged or because its owner changed.
fn keep(
    peer: &mut Peer,
    entities: &mut EntityTable,
    mut state: PeerEntityState,
    class: u8,
    now: SimTime,
) -> PeerEntityState {
    let header = header_of(entities, state.slot);
    if !state.is_shown() {
        state.enter_again(header, class, next_epoch(peer), now);
        add_listener(entities, &state, peer.id, now);
    } else if header != state.header {
        let waits = header.kind != state.header.kind || state.waits_for_entry;
        remove_listener(entities, &state, peer.id);
        state.enter_again(header, class, next_epoch(peer), now); // only an entry tells it
        add_listener(entities, &state, peer.id, now);
        state.waits_for_entry = waits;
    } else {
        if class < state.class {
            state.choose(None); // what the peer has is coarser than it should be
        }
        if class != state.class
            && let Some(fairness) = entities.fairness_at(state.slot, state.entity)
        {
            fairness.change_class(peer.id, (state.class, class), now);
        }
        state.class = class;
    }
    state
}

/// An entity is out of reach or gone: its state is kept until its exit is acknowledged, or dropped.
fn leave(
    peer: &Peer,
    entities: &mut EntityTable,
    mut state: PeerEntityState,
) -> Option<PeerEntityState> {
    let lives = entities.at_slot(state.slot, state.entity).is_some();
    if state.is_shown() {
        remove_listener(entities, &state, peer.id);
    }
    state.exit(if lives { ExitReason::Left } else { ExitReason::Despawned });
    (state.stage != InterestStage::Gone).then_some(state)
}

/// An entity leaves the set without waiting for its next update; its state stays where it is, since
/// what is due in this tick goes by places.
fn hide(peer: &mut Peer, entities: &mut EntityTable, place: usize) {
    let id = peer.id;
    let Some(state) = peer.entity_states.get_mut(place).filter(|it| it.is_shown()) else { return };
    remove_listener(entities, state, id);
    state.exit(ExitReason::Left);
}

fn next_epoch(peer: &mut Peer) -> u32 {
    peer.next_epoch = peer.next_epoch.wrapping_add(1);
    peer.next_epoch
}

/// The entity's fairness policy has one more peer to choose from.
fn add_listener(entities: &mut EntityTable, state: &PeerEntityState, peer: PeerId, now: SimTime) {
    if let Some(fairness) = entities.fairness_at(state.slot, state.entity) {
        fairness.add(peer, state.class, now);
    }
}

/// The entity's fairness policy has one peer less to choose from.
pub(crate) fn remove_listener(entities: &mut EntityTable, state: &PeerEntityState, peer: PeerId) {
    if let Some(fairness) = entities.fairness_at(state.slot, state.entity) {
        fairness.remove(peer, state.class);
    }
}
