//! Coming and going: connections, joins, farewells, and what waits for those who come back.

use alloc::boxed::Box;
use alloc::vec::Vec;

use reckoning::{Kinematics, SimTime};

mod peer;

pub use peer::Viewpoint;
pub(crate) use peer::{Peer, PeerStage, PendingPing};

use super::Host;
use super::event::{Departure, HostEvent};
use super::interest::stop_listening;
use crate::budget::ByteBudget;
use crate::channel::{Delivery, SendError};
use crate::control_messages::ControlMessage;
use crate::wire::{DisconnectReason, EntityId, Owner, PeerId};

/// Someone who may come back, and what waits for it.
#[derive(Debug)]
pub(crate) struct AbsentPeer {
    peer: PeerId,
    token: Box<[u8]>,
    owned: Vec<EntityId>,
    until: SimTime,
}

impl Host {
    /// The transport opened a connection. One with the same number is taken to have closed.
    pub fn connect(&mut self, now: SimTime, peer: PeerId) {
        if self.peers.contains_key(&peer) {
            self.remove_peer(now, peer, Departure::Disconnected);
        }
        if self.peers.len() >= self.config.max_peers {
            self.stats.peers_refused += 1;
            return;
        }
        self.peers.insert(peer, Peer::new(peer, &self.config, now));
        self.wake(now);
    }

    /// The transport closed a connection.
    pub fn disconnect(&mut self, now: SimTime, peer: PeerId) {
        if self.peers.contains_key(&peer) {
            self.remove_peer(now, peer, Departure::Disconnected);
        }
    }

    /// Lets a peer in that asked. If its token is that of somebody who is absent, or still
    /// connected otherwise, what that one owned is its own now. Returns whether it asked.
    pub fn admit(&mut self, now: SimTime, id: PeerId) -> bool {
        let Some(peer) = self.peers.get_mut(&id) else { return false };
        let PeerStage::Asked(token) = &mut peer.stage else { return false };
        let token = core::mem::take(token);
        peer.stage = PeerStage::Joined(token.clone());
        peer.welcome = true;
        self.world.changed = true;
        self.enqueue(id);
        let before = self.reclaim_entities(now, id, &token);
        self.push_event(HostEvent::Joined { peer: id, before });
        true
    }

    /// Does not let a peer in, or puts it out; it is told why. What it owned is gone.
    pub fn refuse(&mut self, now: SimTime, id: PeerId, why: DisconnectReason) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        if matches!(peer.stage, PeerStage::Ended { .. }) {
            return;
        }
        let was_in = peer.is_joined();
        peer.stage = PeerStage::Ended { why, was_in, left: peer::DISCONNECT_REPEATS };
        let entity_states = core::mem::take(&mut peer.entity_states);
        for view in &entity_states {
            stop_listening(&mut self.world, view, id);
        }
        if was_in {
            self.release_entities(now, id, false);
            self.push_event(HostEvent::Left { peer: id, why: Departure::Kicked(why) });
        }
        self.enqueue(id);
    }

    /// Sets from where a peer sees the world.
    pub fn set_viewpoint(&mut self, peer: PeerId, viewpoint: Viewpoint) {
        if let Some(peer) = self.peers.get_mut(&peer) {
            peer.viewpoint = viewpoint;
        }
    }

    /// Changes what one peer is sent at most, headers of UDP and IP included.
    pub fn set_budget(&mut self, now: SimTime, peer: PeerId, bytes_per_s: u32) {
        let datagram_bytes = self.config.max_datagram_bytes;
        if let Some(peer) = self.peers.get_mut(&peer) {
            peer.budget = ByteBudget::new(bytes_per_s, datagram_bytes, now);
        }
    }

    /// Sends a message of the game's own.
    ///
    /// # Errors
    /// When it is too long, too much waits already, or the peer has not joined.
    pub fn send(
        &mut self,
        peer: PeerId,
        bytes: &[u8],
        delivery: Delivery,
    ) -> Result<(), SendError> {
        let found = self.peers.get_mut(&peer).filter(|peer| peer.is_joined());
        found.ok_or(SendError::NotJoined)?.channel.send(bytes, delivery)?;
        self.enqueue(peer);
        Ok(())
    }

    /// Who is gone: the silent, those who never joined, those who were told farewell, and
    /// those who did not come back.
    pub(super) fn expire(&mut self, now: SimTime) {
        let gone: Vec<(PeerId, Departure)> = self
            .peers
            .values()
            .filter_map(|peer| Some((peer.id, self.has_gone(peer, now)?)))
            .collect();
        for (id, why) in gone {
            self.remove_peer(now, id, why);
        }
        let mut place = 0;
        while let Some(absent) = self.absent.get(place) {
            if absent.until > now {
                place += 1;
                continue;
            }
            for entity in self.absent.remove(place).owned {
                self.despawn_unclaimed(entity);
            }
        }
    }

    fn has_gone(&self, peer: &Peer, now: SimTime) -> Option<Departure> {
        let silent = now.saturating_since(peer.channel.last_received_at) >= self.config.timeout;
        let loiters = now.saturating_since(peer.since) >= self.config.join_within;
        match peer.stage {
            PeerStage::Ended { why, left: 0, .. } => Some(Departure::Kicked(why)),
            PeerStage::Connected if loiters => Some(Departure::Silent),
            _ if silent => Some(Departure::Silent),
            _ => None,
        }
    }

    /// A peer is gone; what it owned waits for it, unless it left for good.
    pub(super) fn remove_peer(&mut self, now: SimTime, id: PeerId, why: Departure) {
        let waits = matches!(why, Departure::Silent | Departure::Disconnected);
        self.release_entities(now, id, waits);
        let Some(peer) = self.peers.remove(&id) else { return };
        self.departed_traffic.add(&peer.stats);
        peer.entity_states.iter().for_each(|view| stop_listening(&mut self.world, view, id));
        if let Some(rewind) = &mut self.rewind {
            rewind.forget_shooter(id);
        }
        if matches!(peer.stage, PeerStage::Asked(_) | PeerStage::Joined(_)) {
            self.push_event(HostEvent::Left { peer: id, why });
        }
    }

    /// What a peer owned waits for it, or ends.
    fn release_entities(&mut self, now: SimTime, id: PeerId, waits: bool) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let owned = core::mem::take(&mut peer.owned);
        let token: Box<[u8]> = peer.token().into();
        let room = self.absent.len() < self.config.max_peers;
        // Without a token nobody can prove to be the same.
        if waits && room && !token.is_empty() && !owned.is_empty() {
            let until = now + self.config.grace;
            for entity in &owned {
                self.halt(now, *entity);
            }
            self.absent.push(AbsentPeer { peer: id, token, owned, until });
        } else {
            for entity in owned {
                self.despawn_unclaimed(entity);
            }
        }
    }

    /// Nobody moves it: it stays where it was seen last.
    fn halt(&mut self, now: SimTime, id: EntityId) {
        let Some(entity) = self.world.get_mut(id) else { return };
        let seen = *entity.known().kinematics();
        let rest =
            Kinematics { orientation: seen.orientation, ..Kinematics::at_rest(now, seen.position) };
        if let Some(known) = super::entities::put(&rest, self.config.model) {
            entity.learn(known);
        }
    }

    /// Gives a peer what the one with the same token had. Returns who that was.
    fn reclaim_entities(&mut self, now: SimTime, id: PeerId, token: &[u8]) -> Option<PeerId> {
        if token.is_empty() {
            return None;
        }
        let same = |peer: &&Peer| peer.id != id && peer.is_joined() && peer.token() == token;
        if let Some(other) = self.peers.values().find(same).map(|peer| peer.id) {
            self.release_entities(now, other, true);
            self.remove_peer(now, other, Departure::Replaced { by: id });
        }
        let place = self.absent.iter().position(|absent| *absent.token == *token)?;
        let absent = self.absent.remove(place);
        for entity in absent.owned {
            self.grant(now, entity, id);
        }
        Some(absent.peer)
    }

    /// An entity whose owner is gone for good ends.
    fn despawn_unclaimed(&mut self, entity: EntityId) {
        if self.despawn(entity) {
            self.push_event(HostEvent::Despawned { entity });
        }
    }

    /// Makes a peer the owner of an entity and tells it where that is. Returns whether both
    /// exist and it can own one more.
    pub fn grant(&mut self, now: SimTime, id: EntityId, to: PeerId) -> bool {
        let can_own = |peer: &Peer| peer.is_joined() && peer.owned.len() < peer::MAX_OWNED_ENTITIES;
        if !self.peers.get(&to).is_some_and(can_own) || self.world.get(id).is_none() {
            return false;
        }
        self.revoke(id);
        let (guard, format) = (self.config.guard, self.config.format.clone());
        let (Some(peer), Some(entity)) = (self.peers.get_mut(&to), self.world.get_mut(id)) else {
            return false;
        };
        entity.owned_by(Owner::Peer(to), guard, now);
        let state = entity.state(&format);
        peer.owned.push(id);
        peer.control.push(id, ControlMessage::Grant);
        peer.control.push(id, ControlMessage::Correct(state));
        self.world.changed = true;
        self.enqueue(to);
        true
    }

    /// Makes the host the owner of an entity; its owner is told.
    pub fn revoke(&mut self, id: EntityId) {
        let Some(entity) = self.world.get_mut(id) else { return };
        let Owner::Peer(owner) = entity.owner else { return };
        entity.owned_by(Owner::Host, None, SimTime::ZERO);
        self.world.changed = true;
        for absent in &mut self.absent {
            absent.owned.retain(|owned| *owned != id);
        }
        if let Some(peer) = self.peers.get_mut(&owner) {
            peer.owned.retain(|owned| *owned != id);
            peer.control.forget(id);
            peer.control.push(id, ControlMessage::Revoke);
            self.enqueue(owner);
        }
    }
}
