//! Messages to clients about the game.

use reckoning::{DVec3, SimTime};
use reckoning_net::{Delivery, Host, Owner, PeerId, Viewpoint};

use super::ArenaHost;
use crate::protocol::{A_TURRET, NO_TEAM, ServerMessage};
use crate::world::{Event, PlayerId, Shooter, Team};

impl ArenaHost {
    /// Sends to one client. A client too slow to take it gets the next change.
    #[expect(clippy::unused_self, reason = "reads like its sibling for everyone")]
    pub(super) fn send(&self, host: &mut Host, to: PeerId, message: &ServerMessage) {
        // Shots are many and soon old; what is lost of them is only not drawn.
        let delivery = if matches!(message, ServerMessage::Shot { .. }) {
            Delivery::Repeated
        } else {
            Delivery::Reliable
        };
        let _ = host.send(to, &message.encode(), delivery);
    }

    pub(super) fn broadcast(&self, host: &mut Host, message: &ServerMessage) {
        for (peer, _) in self.clients.iter().filter(|it| it.1.greeted) {
            self.send(host, *peer, message);
        }
    }

    /// Sends the state of the game to a new client.
    pub(super) fn send_state(&mut self, peer: PeerId, host: &mut Host) {
        for player in self.world.players().iter().filter(|it| it.is_alive) {
            let born = ServerMessage::Born { player: player.id.0, at: pair(player.position) };
            self.send(host, peer, &born);
        }
        self.send(host, peer, &ServerMessage::Items { bits: self.item_bits() });
        self.send(host, peer, &self.standing());
        if let Some(client) = self.clients.get_mut(&peer) {
            client.status = None;
        }
    }

    /// Sends a client which player and entity are its own.
    pub(super) fn send_identity(&self, peer: PeerId, id: PlayerId, host: &mut Host) {
        let (Some(entity), Some(player)) = (self.entity_of(id), self.world.player(id)) else {
            return;
        };
        self.send(host, peer, &ServerMessage::Side { player: id.0, team: player.team.0 as u8 });
        self.send(host, peer, &ServerMessage::You { player: id.0, entity: entity.0 });
    }

    /// Sends on what happened in the last step.
    pub(super) fn send_events(&mut self, at: SimTime, host: &mut Host) {
        let events = self.world.events().to_vec();
        for event in events {
            match event {
                Event::Born { who, .. } => self.bear(who, at, host),
                Event::Fired { by, from, velocity, shot, fired } => {
                    let at = fired.unwrap_or(at);
                    let (from, velocity) = (pair(from), pair(velocity));
                    let shooter = number_of(by);
                    self.broadcast(
                        host,
                        &ServerMessage::Shot { number: shot, shooter, from, velocity, at },
                    );
                }
                Event::Hit { who, shot, damage, .. } => {
                    let (victim, damage) = (who.0, damage as f32);
                    self.broadcast(host, &ServerMessage::Hit { number: shot, victim, damage });
                }
                Event::Died { who, by, .. } => {
                    self.begin_segment(who);
                    self.broadcast(host, &ServerMessage::Died { player: who.0, by: number_of(by) });
                }
                Event::RoundOver { winner } => {
                    let ids: Vec<PlayerId> = self.actors.keys().copied().collect();
                    for id in ids {
                        self.begin_segment(id);
                    }
                    let winner = winner.map_or(NO_TEAM, |team| team.0 as u8);
                    self.broadcast(host, &ServerMessage::RoundOver { winner });
                }
                Event::Took { .. } | Event::Returned { .. } => {}
            }
        }
    }

    fn begin_segment(&mut self, id: PlayerId) {
        if let Some(actor) = self.actors.get_mut(&id) {
            actor.segment += 1;
        }
    }

    /// A player came to life: its entity is put there, or comes to be.
    fn bear(&mut self, id: PlayerId, at: SimTime, host: &mut Host) {
        self.begin_segment(id);
        let Some(truth) = self.birth_of(id, at, host) else { return };
        let actor = self.actors.get(&id);
        let (entity, peer) = (actor.and_then(|it| it.entity), actor.and_then(|it| it.peer));
        if let Some(entity) = entity {
            host.teleport(at, entity, &truth);
        } else {
            let tag = self.tag_of(id).map(|tag| tag.encode()).unwrap_or_default();
            let owner = peer.map_or(Owner::Host, Owner::Peer);
            // Without room on the host the player has no body; nothing else is lost.
            let Ok(entity) = host.spawn(at, owner, &tag, &truth) else { return };
            self.by_entity.insert(entity, id);
            if let Some(actor) = self.actors.get_mut(&id) {
                actor.entity = Some(entity);
            }
            if let Some(peer) = peer {
                host.set_viewpoint(peer, Viewpoint::Own);
                self.send_identity(peer, id, host);
            }
        }
        self.broadcast(host, &ServerMessage::Born { player: id.0, at: pair(truth.position) });
    }

    /// Sends what has changed since it was last sent.
    pub(super) fn send_changes(&mut self, host: &mut Host) {
        let (items, points) = (self.item_bits(), self.standing());
        if self.items.replace(items) != Some(items) {
            self.broadcast(host, &ServerMessage::Items { bits: items });
        }
        if self.points.replace(points) != Some(points) {
            self.broadcast(host, &points);
        }
        let peers: Vec<PeerId> = self.clients.keys().copied().collect();
        for peer in peers {
            self.send_status(peer, host);
        }
    }

    fn send_status(&mut self, peer: PeerId, host: &mut Host) {
        let Some(client) = self.clients.get(&peer).filter(|client| client.greeted) else { return };
        let Some(player) = client.player.and_then(|id| self.world.player(id)) else { return };
        let (health, ammo) = (player.health as f32, player.ammo.min(u32::from(u16::MAX)) as u16);
        let left_s = self.world.respawn_left_s(player.id);
        let respawn_ms = (left_s * 1e3).clamp(0.0, f64::from(u16::MAX)) as u16;
        let status = ServerMessage::Status { health, ammo, alive: player.is_alive, respawn_ms };
        // The time to wait runs down by itself.
        let same = |old: &ServerMessage| {
            matches!(*old, ServerMessage::Status { health: h, ammo: a, alive, .. }
                if h == health && a == ammo && alive == player.is_alive)
        };
        if client.status.as_ref().is_some_and(same) {
            return;
        }
        self.send(host, peer, &status);
        if let Some(client) = self.clients.get_mut(&peer) {
            client.status = Some(status);
        }
    }

    fn item_bits(&self) -> u64 {
        let lies = |(number, lies): (usize, bool)| u64::from(lies) << number;
        self.world.items().take(64).enumerate().map(lies).sum()
    }

    fn standing(&self) -> ServerMessage {
        let of = |team| self.world.points().get(&Team(team)).copied().unwrap_or(0);
        let score = |team| of(team).min(u32::from(u16::MAX)) as u16;
        let round_left_s = self.world.round_left_s().clamp(0.0, f64::from(u16::MAX)) as u16;
        ServerMessage::Points { scores: [score(0), score(1)], round_left_s }
    }
}

fn number_of(shooter: Shooter) -> u16 {
    match shooter {
        Shooter::Player(id) => id.0,
        Shooter::Turret(_) => A_TURRET,
    }
}

/// A position or a velocity as it is sent.
pub(super) const fn pair(v: DVec3) -> [f32; 2] {
    [v.x as f32, v.y as f32]
}
