//! Who has whom in sight: brings a peer's entity states in line with what is near it.

use alloc::vec::Vec;

use reckoning::{DVec3, ListenerId, Rewind, SimTime};

mod grid;

pub(crate) use grid::Grid;

use crate::host::connections::{Peer, Viewpoint};
use crate::host::entities::EntityTable;
use crate::host::sending::{InterestStage, PeerEntityState};
use crate::wire::{EntityId, Owner, PeerId};

/// An entity in reach: its id, its place in the table, its squared distance.
pub(crate) type NearbyEntity = (EntityId, u32, f64);

/// Where a viewpoint is at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ViewOrigin {
    /// All is infinitely far away.
    Nowhere,
    From(DVec3),
    /// All is near.
    Everywhere,
}

impl ViewOrigin {
    /// The squared distance of a place.
    pub(crate) fn squared(self, place: DVec3) -> f64 {
        match self {
            Self::Nowhere => f64::INFINITY,
            Self::From(from) => place.distance_squared(from),
            Self::Everywhere => 0.0,
        }
    }
}

/// From where a peer sees the world.
pub(crate) fn view_origin(peer: &Peer, world: &EntityTable, now: SimTime) -> ViewOrigin {
    let of = |id: EntityId| {
        world
            .get(id)
            .map_or(ViewOrigin::Nowhere, |entity| ViewOrigin::From(entity.position_at(now)))
    };
    match peer.viewpoint {
        Viewpoint::Own => peer.owned.first().map_or(ViewOrigin::Nowhere, |id| of(*id)),
        Viewpoint::Entity(id) => of(id),
        Viewpoint::Place(place) => ViewOrigin::From(place),
        Viewpoint::Everywhere => ViewOrigin::Everywhere,
    }
}

/// Merges what is near, in order of id, into the states, which are in that order too.
pub(crate) fn update_interest(
    peer: &mut Peer,
    world: &mut EntityTable,
    mut rewind: Option<&mut Rewind<EntityId, PeerId>>,
    found: &[NearbyEntity],
    now: SimTime,
) {
    let old = core::mem::take(&mut peer.entity_states);
    let mut merged: Vec<PeerEntityState> = Vec::with_capacity(old.len().max(found.len()));
    let mut near = found.iter().peekable();
    for mut view in old {
        while let Some(newcomer) = near.next_if(|it| it.0 < view.entity) {
            merged.extend(begin(peer, world, newcomer, now));
        }
        let here = near.next_if(|it| it.0 == view.entity);
        let class = here.and_then(|it| class_of(peer, world, it, &view));
        let was_shown = view.is_shown();
        match class {
            Some(class) if was_shown => {
                if class < view.class {
                    view.choose(None); // what it has is coarser than it should be
                }
                view.class = class;
            }
            Some(class) => {
                view.begin_again(class, next_epoch(peer), now);
                listen(world, &view, peer.id, now);
            }
            None => {
                if was_shown {
                    stop_listening(world, &view, peer.id);
                    if let Some(rewind) = rewind.as_deref_mut() {
                        rewind.handle_hidden(peer.id, view.entity);
                    }
                }
                if !view.end() || view.stage == InterestStage::Gone {
                    continue;
                }
            }
        }
        merged.push(view);
    }
    for newcomer in near {
        merged.extend(begin(peer, world, newcomer, now));
    }
    peer.entity_states = merged;
    peer.queue.clear();
    peer.served = 0;
}

fn class_of(
    peer: &Peer,
    world: &EntityTable,
    found: &NearbyEntity,
    view: &PeerEntityState,
) -> Option<u8> {
    let (_, slot, squared) = *found;
    let own = world.at(slot).is_none_or(|entity| entity.owner == Owner::Peer(peer.id));
    let current = view.is_shown().then_some(view.class);
    if own { None } else { world.zones.class_at(squared, current) }
}

fn begin(
    peer: &mut Peer,
    world: &mut EntityTable,
    found: &NearbyEntity,
    now: SimTime,
) -> Option<PeerEntityState> {
    let (id, slot, squared) = *found;
    if world.at(slot).is_none_or(|entity| entity.owner == Owner::Peer(peer.id)) {
        return None;
    }
    let class = world.zones.class_at(squared, None)?;
    let view = PeerEntityState::new(id, slot, class, next_epoch(peer), now);
    listen(world, &view, peer.id, now);
    Some(view)
}

fn next_epoch(peer: &mut Peer) -> u16 {
    peer.next_epoch = peer.next_epoch.wrapping_add(1);
    peer.next_epoch
}

fn listen(world: &mut EntityTable, view: &PeerEntityState, peer: PeerId, now: SimTime) {
    let entity = world.seen(view.slot, view.entity);
    if let Some(fairness) = entity.and_then(|entity| entity.fairness.as_deref_mut()) {
        fairness.add_listener(ListenerId(peer.0), now);
    }
}

/// A policy no longer has to care for a receiver.
pub(crate) fn stop_listening(world: &mut EntityTable, view: &PeerEntityState, peer: PeerId) {
    let entity = world.seen(view.slot, view.entity);
    if let Some(fairness) = entity.and_then(|entity| entity.fairness.as_deref_mut()) {
        fairness.remove_listener(ListenerId(peer.0));
    }
}
