//! Who has whom in sight: brings a peer's views in line with what is near it.

use alloc::vec::Vec;

use reckoning::{DVec3, ListenerId, Rewind, SimTime};

mod grid;

pub(crate) use grid::Grid;

use crate::host::connections::{Peer, Viewpoint};
use crate::host::entities::World;
use crate::host::sending::{Stage, View};
use crate::wire::{EntityId, Owner, PeerId};

/// An entity in reach: its id, its place in the table, its squared distance.
pub(crate) type Found = (EntityId, u32, f64);

/// Where a viewpoint is at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sight {
    /// All is infinitely far away.
    Nowhere,
    From(DVec3),
    /// All is near.
    Everywhere,
}

impl Sight {
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
pub(crate) fn sight_of(peer: &Peer, world: &World, now: SimTime) -> Sight {
    let of = |id: EntityId| {
        world.get(id).map_or(Sight::Nowhere, |entity| Sight::From(entity.position_at(now)))
    };
    match peer.viewpoint {
        Viewpoint::Own => peer.owned.first().map_or(Sight::Nowhere, |id| of(*id)),
        Viewpoint::Entity(id) => of(id),
        Viewpoint::Place(place) => Sight::From(place),
        Viewpoint::Everywhere => Sight::Everywhere,
    }
}

/// Merges what is near, in order of id, into the views, which are in that order too.
pub(crate) fn bring_in_line(
    peer: &mut Peer,
    world: &mut World,
    mut rewind: Option<&mut Rewind<EntityId, PeerId>>,
    found: &[Found],
    now: SimTime,
) {
    let old = core::mem::take(&mut peer.views);
    let mut merged: Vec<View> = Vec::with_capacity(old.len().max(found.len()));
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
                view.begin_again(class, next_stay(peer), now);
                listen(world, &view, peer.id, now);
            }
            None => {
                if was_shown {
                    stop_listening(world, &view, peer.id);
                    if let Some(rewind) = rewind.as_deref_mut() {
                        rewind.handle_hidden(peer.id, view.entity);
                    }
                }
                if !view.end() || view.stage == Stage::Gone {
                    continue;
                }
            }
        }
        merged.push(view);
    }
    for newcomer in near {
        merged.extend(begin(peer, world, newcomer, now));
    }
    peer.views = merged;
    peer.queue.clear();
    peer.served = 0;
}

fn class_of(peer: &Peer, world: &World, found: &Found, view: &View) -> Option<u8> {
    let (_, slot, squared) = *found;
    let own = world.at(slot).is_none_or(|entity| entity.owner == Owner::Peer(peer.id));
    let current = view.is_shown().then_some(view.class);
    if own { None } else { world.zones.class_at(squared, current) }
}

fn begin(peer: &mut Peer, world: &mut World, found: &Found, now: SimTime) -> Option<View> {
    let (id, slot, squared) = *found;
    if world.at(slot).is_none_or(|entity| entity.owner == Owner::Peer(peer.id)) {
        return None;
    }
    let class = world.zones.class_at(squared, None)?;
    let view = View::new(id, slot, class, next_stay(peer), now);
    listen(world, &view, peer.id, now);
    Some(view)
}

fn next_stay(peer: &mut Peer) -> u16 {
    peer.next_stay = peer.next_stay.wrapping_add(1);
    peer.next_stay
}

fn listen(world: &mut World, view: &View, peer: PeerId, now: SimTime) {
    let entity = world.seen(view.slot, view.entity);
    if let Some(fairness) = entity.and_then(|entity| entity.fairness.as_deref_mut()) {
        fairness.add_listener(ListenerId(peer.0), now);
    }
}

/// A policy no longer has to care for a receiver.
pub(crate) fn stop_listening(world: &mut World, view: &View, peer: PeerId) {
    let entity = world.seen(view.slot, view.entity);
    if let Some(fairness) = entity.and_then(|entity| entity.fairness.as_deref_mut()) {
        fairness.remove_listener(ListenerId(peer.0));
    }
}
