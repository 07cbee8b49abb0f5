//! Connections of a host: connect, join, refuse, time out, leave, and come back.
//!
//! ```text
//! connect -> Connected --Join--> Requested --admit--> Joined --Leave, time-out, disconnect--> gone
//!                 |                  |                  |
//!                 '----- refuse -----+------------------'--> Ended, sent a few times --> gone
//! ```
//!
//! Entities of a joined peer that timed out or whose transport closed wait for the grace period;
//! whoever is admitted with the same token owns them again.

mod peer;

pub use peer::Viewpoint;
pub(crate) use peer::{Peer, PeerStage, PendingDescriptions, PendingPing};

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::{Kinematics, SimTime};

use super::Host;
use super::entities::full_update;
use super::event::{Departure, HostEvent};
use super::interest::remove_listener;
use crate::budget::ByteBudget;
use crate::channel::{Delivery, SendError};
use crate::wire::{DisconnectReason, EntityId, PeerId, WordsError, check_words};

/// A refusal or disconnection is sent this many times.
const DISCONNECT_REPEATS: u8 = 3;

/// A peer that may come back, and the entities that wait for it.
#[derive(Debug)]
pub(crate) struct AbsentPeer {
    peer: PeerId,
    token: Box<[u8]>,
    pub(crate) owned: Vec<EntityId>,
    until: SimTime,
}

impl Host {
    /// The transport opened a connection. One with the same id is taken to have closed.
    pub fn connect(&mut self, now: SimTime, peer: PeerId) {
        if self.peers.contains_key(&peer) {
            self.remove_peer(now, peer, Departure::Disconnected);
        }
        if self.peers.len() >= self.config.max_peers {
            self.stats.peers_refused += 1;
            return;
        }
        self.peers.insert(peer, Peer::new(peer, &self.config, now));
        self.next_tick = self.next_tick.or(Some(now));
    }

    /// The transport closed a connection.
    pub fn disconnect(&mut self, now: SimTime, peer: PeerId) {
        if self.peers.contains_key(&peer) {
            self.remove_peer(now, peer, Departure::Disconnected);
        }
    }

    /// Admits a peer that requested to join. If its token is that of a peer that is absent, or
    /// still connected otherwise, it owns that one's entities now. Returns whether it had
    /// requested.
    pub fn admit(&mut self, now: SimTime, id: PeerId) -> bool {
        let Some(peer) = self.peers.get_mut(&id) else { return false };
        let PeerStage::Requested(token) = &mut peer.stage else { return false };
        let token = core::mem::take(token);
        peer.stage = PeerStage::Joined(token.clone());
        peer.welcome_due = true;
        peer.kinds = PendingDescriptions::all(1, self.config.kinds.len());
        peer.schema = PendingDescriptions::all(0, self.config.kinds.schema.len());
        self.entities.changed = true;
        self.enqueue(id);
        let before = self.reclaim_entities(now, id, &token);
        self.push_event(HostEvent::Joined { peer: id, before });
        true
    }

    /// Refuses a join, or disconnects a peer that joined; it is sent the reason. The entities it
    /// owned are despawned.
    pub fn refuse(&mut self, now: SimTime, id: PeerId, reason: DisconnectReason) {
        self.end(now, id, reason, "");
    }

    /// As [`refuse`](Self::refuse), with words for the player, shown as
    /// [`SessionEvent::Kicked`](crate::SessionEvent::Kicked): at most
    /// [`MAX_KICK_BYTES`](crate::MAX_KICK_BYTES), without control characters. Empty ones are not
    /// sent. The reason says what the words do not: whether it may come back
    /// ([`DisconnectReason::Conduct`] bars its token on a server), or a number of the game's own.
    ///
    /// # Errors
    /// When the words cannot be sent; nothing happens then.
    pub fn kick(
        &mut self,
        now: SimTime,
        id: PeerId,
        reason: DisconnectReason,
        words: &str,
    ) -> Result<(), WordsError> {
        check_words(words)?;
        self.end(now, id, reason, words);
        Ok(())
    }

    fn end(&mut self, now: SimTime, id: PeerId, reason: DisconnectReason, words: &str) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        if matches!(peer.stage, PeerStage::Ended { .. }) {
            return;
        }
        let was_joined = peer.is_joined();
        let words = words.into();
        peer.stage = PeerStage::Ended { reason, words, was_joined, left: DISCONNECT_REPEATS };
        let states = core::mem::take(&mut peer.entity_states);
        for state in &states {
            remove_listener(&mut self.entities, state, id);
        }
        if was_joined {
            self.release_entities(now, id, false);
            self.push_event(HostEvent::Left { peer: id, why: Departure::Kicked(reason) });
        }
        self.enqueue(id);
    }

    /// Sets the viewpoint of a peer. The default is [`Viewpoint::Own`].
    pub fn set_viewpoint(&mut self, peer: PeerId, viewpoint: Viewpoint) {
        if let Some(peer) = self.peers.get_mut(&peer) {
            peer.viewpoint = viewpoint;
        }
    }

    /// Changes how many bytes per second one peer is sent at most, headers of UDP and IP
    /// included. The default is [`HostConfig::bytes_per_s`](crate::HostConfig::bytes_per_s).
    pub fn set_budget(&mut self, now: SimTime, peer: PeerId, bytes_per_s: u32) {
        let datagram_bytes = self.config.max_datagram_bytes;
        if let Some(peer) = self.peers.get_mut(&peer) {
            peer.budget = ByteBudget::new(bytes_per_s, datagram_bytes, now);
        }
    }

    /// Sends a message of the game's own.
    ///
    /// # Errors
    /// When it is too long, too many messages wait already, or the peer has not joined.
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

    /// A tick comes this late. While the host stood still nobody could come back, so the entities of
    /// absent peers wait for as much longer.
    pub(super) fn wait_on(&mut self, late: Duration) {
        if late > self.config.timeout / 2 {
            self.absent.iter_mut().for_each(|absent| absent.until += late);
        }
    }

    /// Removes peers that timed out, never joined or were disconnected, and despawns the entities
    /// of those that did not come back.
    pub(super) fn expire(&mut self, now: SimTime) {
        let gone: Vec<(PeerId, Departure)> = self
            .peers
            .values()
            .filter_map(|peer| Some((peer.id, self.departure_of(peer, now)?)))
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

    /// Whether a peer has to be removed, and why.
    fn departure_of(&self, peer: &Peer, now: SimTime) -> Option<Departure> {
        let silent = now.saturating_since(peer.channel.last_received_at) >= self.config.timeout;
        let joins_late = now.saturating_since(peer.connected_at) >= self.config.join_within;
        match peer.stage {
            PeerStage::Ended { reason, left: 0, .. } => Some(Departure::Kicked(reason)),
            PeerStage::Connected if joins_late => Some(Departure::Silent),
            _ if silent => Some(Departure::Silent),
            _ => None,
        }
    }

    /// Removes a peer; its entities wait for it, unless it left for good.
    pub(super) fn remove_peer(&mut self, now: SimTime, id: PeerId, why: Departure) {
        let waits = matches!(why, Departure::Silent | Departure::Disconnected);
        self.release_entities(now, id, waits);
        let Some(peer) = self.peers.remove(&id) else { return };
        self.departed_traffic.add(&peer.stats);
        for state in &peer.entity_states {
            remove_listener(&mut self.entities, state, id);
        }
        if let Some(rewind) = &mut self.rewind {
            rewind.forget_shooter(id);
        }
        if matches!(peer.stage, PeerStage::Requested(_) | PeerStage::Joined(_)) {
            self.push_event(HostEvent::Left { peer: id, why });
        }
    }

    /// The entities of a peer wait for it, or are despawned.
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

    /// Nobody moves the entity: it stays where it was seen last.
    fn halt(&mut self, now: SimTime, id: EntityId) {
        let Some(entity) = self.entities.get(id) else { return };
        let seen = *entity.known().kinematics();
        let rest =
            Kinematics { orientation: seen.orientation, ..Kinematics::at_rest(now, seen.position) };
        let rest = self.made_newer(id, &rest);
        let model = self.model_of(id);
        let Some(entity) = self.entities.get_mut(id) else { return };
        if let Some(known) = full_update(&rest, model) {
            entity.observe(known);
        }
    }

    /// Grants a peer the entities of the one with the same token. Returns which one that was.
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

    /// Despawns an entity whose owner is gone for good.
    fn despawn_unclaimed(&mut self, entity: EntityId) {
        if self.despawn(entity) {
            self.push_event(HostEvent::Despawned { entity });
        }
    }
}
