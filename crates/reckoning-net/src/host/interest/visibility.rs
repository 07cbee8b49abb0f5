//! Visibility: what must not be known is not sent.
//!
//! The game says who may know of what; the host asks when an entity would enter an interest set
//! and, whenever something was said that may hide one, takes it out of the sets at once. Datagrams
//! are written from interest sets alone, and losses are repaired with what is then true, so nothing
//! of a hidden entity is written after the call that hid it.

use super::hide;
use crate::host::Host;
use crate::host::connections::Peer;
use crate::host::entities::{Entity, EntityTable};
use crate::kinds::Visibility;
use crate::wire::{EntityId, PeerId};

impl Peer {
    /// Whether it may know of an entity that it does not own.
    pub(crate) fn may_see(&self, entity: &Entity) -> bool {
        if let Some(visible) = self.visible.get(&entity.id) {
            return *visible;
        }
        match entity.interest.visibility {
            Visibility::All => true,
            Visibility::Team => {
                self.values.team.is_some() && self.values.team == entity.values.team
            }
            Visibility::Listed => false,
        }
    }
}

impl Host {
    /// Shows an entity to a peer or hides it, whatever its [`Visibility`] says; `None` goes by that
    /// again. Hidden, it leaves the peer's interest set with this call: nothing that is written
    /// later says where it is, and that it left is all that the peer is told. Shown, it enters with
    /// the next tick if it is near enough. Returns whether both exist.
    ///
    /// It holds for the connection: whoever comes back is a peer of whom nothing was said.
    pub fn set_visible(
        &mut self,
        peer: PeerId,
        entity: EntityId,
        visible: impl Into<Option<bool>>,
    ) -> bool {
        let (Some(peer), Some(_)) = (self.peers.get_mut(&peer), self.entities.get(entity)) else {
            return false;
        };
        let said = match visible.into() {
            Some(visible) => peer.visible.insert(entity, visible) != Some(visible),
            None => peer.visible.remove(&entity).is_some(),
        };
        if said {
            self.entities.changed = true;
            hide_unseen(peer, &mut self.entities, peer.place_of(entity));
        }
        true
    }

    /// Sets who may know of an entity, in place of what its kind says; at once, as with
    /// [`set_visible`](Self::set_visible). Returns whether the entity exists.
    pub fn set_visibility(&mut self, entity: EntityId, visibility: Visibility) -> bool {
        let Some(found) = self.entities.get_mut(entity) else { return false };
        found.interest.set_visibility(visibility);
        self.hide_from_all(entity);
        true
    }

    /// Whether a peer may know of an entity: it owns it, or the entity is not hidden from it.
    #[must_use]
    pub fn is_visible(&self, peer: PeerId, entity: EntityId) -> bool {
        let (Some(peer), Some(entity)) = (self.peers.get(&peer), self.entities.get(entity)) else {
            return false;
        };
        peer.owns(entity) || peer.may_see(entity)
    }

    /// An entity may be hidden from peers that saw it.
    pub(in crate::host) fn hide_from_all(&mut self, entity: EntityId) {
        self.entities.changed = true;
        for peer in self.peers.values_mut() {
            hide_unseen(peer, &mut self.entities, peer.place_of(entity));
        }
    }

    /// What a peer saw may be hidden from it.
    pub(in crate::host) fn hide_from(&mut self, peer: PeerId) {
        self.entities.changed = true;
        if let Some(peer) = self.peers.get_mut(&peer) {
            hide_unseen(peer, &mut self.entities, 0..peer.entity_states.len());
        }
    }

    /// Nothing more is said of an entity that is gone: its id may be given again.
    pub(in crate::host) fn forget_visible(&mut self, entity: EntityId) {
        for peer in self.peers.values_mut() {
            peer.visible.remove(&entity);
        }
    }
}

/// Takes those entities of a peer's interest set out of it that it may not see any more.
fn hide_unseen(
    peer: &mut Peer,
    entities: &mut EntityTable,
    places: impl IntoIterator<Item = usize>,
) {
    for place in places {
        let Some(state) = peer.entity_states.get(place) else { continue };
        let found = entities.at(state.slot).filter(|it| it.id == state.entity);
        if found.is_some_and(|entity| !peer.may_see(entity)) {
            hide(peer, entities, place);
        }
    }
}
