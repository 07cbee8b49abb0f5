//! Messages to clients about the game.

use reckoning::{DVec3, SimTime};
use reckoning_net::{Delivery, Host, Owner, PeerId, Viewpoint};

use super::{Actor, ArenaEvent, ArenaHost};
use crate::protocol::{A_TURRET, NO_TEAM, PlayerState, Properties, ServerMessage, Tag};
use crate::world::{Event, Player, PlayerId, Shooter, Team};

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
    pub(super) fn send_state(&self, peer: PeerId, host: &mut Host) {
        self.send(host, peer, &ServerMessage::Items { bits: self.item_bits() });
        self.send(host, peer, &self.standing());
    }

    /// Sends a client which player and entity are its own.
    pub(super) fn send_identity(&self, peer: PeerId, id: PlayerId, host: &mut Host) {
        if let Some(entity) = self.entity_of(id) {
            self.send(host, peer, &ServerMessage::You { player: id.0, entity: entity.0 });
        }
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
                    self.leave_vehicle(at, who, host);
                    self.begin_segment(who);
                    self.note_kill(who, by);
                    self.broadcast(host, &ServerMessage::Died { player: who.0, by: number_of(by) });
                }
                Event::RoundOver { winner } => {
                    let ids: Vec<PlayerId> = self.actors.keys().copied().collect();
                    for id in ids {
                        self.leave_vehicle(at, id, host);
                        self.begin_segment(id);
                    }
                    // Everything lies in its place again.
                    for item in 0..self.level.file().items.len() {
                        self.note(ArenaEvent::ItemReturned { item: item as u32 });
                    }
                    let winner = winner.map_or(NO_TEAM, |team| team.0 as u8);
                    self.broadcast(host, &ServerMessage::RoundOver { winner });
                }
                Event::Took { who, item } => {
                    if let Some(by) = self.entity_of(who) {
                        self.note(ArenaEvent::ItemTaken { item: item as u32, by });
                    }
                }
                Event::Returned { item } => {
                    self.note(ArenaEvent::ItemReturned { item: item as u32 });
                }
            }
        }
    }

    fn note_kill(&mut self, who: PlayerId, by: Shooter) {
        let Shooter::Player(by) = by else { return };
        if let (Some(entity), Some(by)) = (self.entity_of(who), self.entity_of(by)) {
            self.note(ArenaEvent::Killed { entity, by });
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
        if let Some(actor) = self.actors.get_mut(&id) {
            actor.lives = actor.lives.wrapping_add(1);
        }
        let Some(truth) = self.birth_of(id, at, host) else { return };
        let actor = self.actors.get(&id);
        let (entity, peer) = (actor.and_then(|it| it.entity), actor.and_then(|it| it.peer));
        if let Some(entity) = entity {
            host.teleport(at, entity, &truth);
        } else {
            let tag = Tag { player: id.0, is_bot: peer.is_none() }.encode();
            let owner = peer.map_or(Owner::Host, Owner::Peer);
            let kind = self.kind(host);
            // Without room on the host the player has no body; nothing else is lost.
            let Ok(entity) = host.spawn_kind(at, kind, owner, &tag, &truth) else { return };
            self.by_entity.insert(entity, id);
            if let Some(actor) = self.actors.get_mut(&id) {
                actor.entity = Some(entity);
            }
            if let Some(peer) = peer {
                host.set_viewpoint(peer, Viewpoint::Own);
                self.send_identity(peer, id, host);
            }
        }
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
        self.set_properties(host);
    }

    /// Sets what is known of every player's body beside its motion.
    fn set_properties(&self, host: &mut Host) {
        let Some(properties) = Properties::declared(&host.config().kinds) else { return };
        for (id, actor) in &self.actors {
            let player = self.world.player(*id);
            if let (Some(entity), Some(player)) = (actor.entity, player) {
                properties.set(host, entity, &self.state_of(actor, player));
            }
        }
    }

    fn state_of(&self, actor: &Actor, player: &Player) -> PlayerState {
        let short = |number: u32| number.min(u32::from(u16::MAX)) as u16;
        PlayerState {
            name: actor.name.clone(),
            team: player.team.0 as u8,
            health: player.health as f32,
            is_alive: player.is_alive,
            lives: actor.lives,
            kills: short(player.kills),
            deaths: short(player.deaths),
            ammo: short(player.ammo),
            rides: actor.rides.map(|it| it.0),
            is_loaded: player.ammo > 0 && self.world.tick() >= player.loaded_tick,
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
