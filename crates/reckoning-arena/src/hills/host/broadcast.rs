//! Messages to clients about the game, and what of it becomes entities.

use reckoning::SimTime;
use reckoning_net::{Delivery, Host, Owner, PeerId, Viewpoint};

use super::{Actor, HillsHost};
use crate::hills::body::{Body, BodyId};
use crate::hills::protocol::HillsNotice;
use crate::hills::world::HillsEvent;
use crate::host::ArenaEvent;
use crate::protocol::{NO_TEAM, PlayerState, Properties, ServerMessage, Tag};

impl HillsHost {
    /// Sends to one client. A client too slow to take it gets the next change.
    #[expect(clippy::unused_self, reason = "reads like its sibling for everyone")]
    pub(super) fn send(&self, host: &mut Host, to: PeerId, message: &ServerMessage) {
        let _ = host.send(to, &message.encode(), Delivery::Reliable);
    }

    #[expect(clippy::unused_self, reason = "reads like its sibling for everyone")]
    pub(super) fn notify(&self, host: &mut Host, to: PeerId, notice: &HillsNotice) {
        // Shots are many and soon old; what is lost of them is only not drawn.
        let delivery = if matches!(notice, HillsNotice::Shot { .. }) {
            Delivery::Repeated
        } else {
            Delivery::Reliable
        };
        let _ = host.send(to, &notice.encode(), delivery);
    }

    pub(super) fn broadcast(&self, host: &mut Host, message: &ServerMessage) {
        for (peer, _) in self.clients.iter().filter(|it| it.1.greeted) {
            self.send(host, *peer, message);
        }
    }

    pub(super) fn broadcast_notice(&self, host: &mut Host, notice: &HillsNotice) {
        for (peer, _) in self.clients.iter().filter(|it| it.1.greeted) {
            self.notify(host, *peer, notice);
        }
    }

    /// Sends a client which body and entity are its own.
    pub(super) fn send_identity(&self, peer: PeerId, id: BodyId, host: &mut Host) {
        if let Some(entity) = self.entity_of(id) {
            self.send(host, peer, &ServerMessage::You { player: id.0, entity: entity.0 });
        }
    }

    /// Sends on what happened in the last step.
    pub(super) fn send_events(&mut self, at: SimTime, host: &mut Host) {
        for event in self.world.events().to_vec() {
            match event {
                HillsEvent::Born { who } => self.bear(who, at, host),
                HillsEvent::Fired { by, from, to } => {
                    self.broadcast_notice(host, &HillsNotice::Shot { shooter: by.0, from, to });
                }
                HillsEvent::Lobbed { shell } => self.spawn_shell(&shell, at, host),
                HillsEvent::Burst { number, at } => {
                    self.despawn_shell(number, host);
                    self.broadcast_notice(host, &HillsNotice::Burst { at });
                }
                HillsEvent::Hit { who, by, part, damage } => {
                    let (victim, by, damage) = (who.0, by.0, damage as f32);
                    self.broadcast_notice(host, &HillsNotice::Hit { victim, by, part, damage });
                }
                HillsEvent::Died { who, by } => {
                    self.begin_segment(who);
                    self.note_kill(who, by);
                    self.broadcast(host, &ServerMessage::Died { player: who.0, by: by.0 });
                }
                HillsEvent::RoundOver { winner } => self.end_round(winner, host),
            }
        }
    }

    fn end_round(&mut self, winner: Option<u8>, host: &mut Host) {
        let driven = self.world.bodies().iter().filter(|it| it.craft.is_driven());
        for id in driven.map(|it| it.id).collect::<Vec<_>>() {
            self.begin_segment(id);
        }
        for number in self.shells.keys().copied().collect::<Vec<_>>() {
            self.despawn_shell(number, host);
        }
        self.broadcast(host, &ServerMessage::RoundOver { winner: winner.unwrap_or(NO_TEAM) });
    }

    fn note_kill(&mut self, who: BodyId, by: BodyId) {
        if let (Some(entity), Some(by)) = (self.entity_of(who), self.entity_of(by)) {
            self.outbox.note(ArenaEvent::Killed { entity, by });
        }
    }

    fn begin_segment(&mut self, id: BodyId) {
        if let Some(actor) = self.actors.get_mut(&id) {
            actor.segment += 1;
        }
    }

    /// Spawns what was there from the beginning.
    pub(super) fn spawn_scenery(&mut self, at: SimTime, host: &mut Host) {
        let waits = |it: &&Body| {
            let actor = self.actors.get(&it.id);
            !it.craft.is_driven() && actor.is_some_and(|actor| actor.entity.is_none())
        };
        let waiting: Vec<BodyId> =
            self.world.bodies().iter().filter(waits).map(|it| it.id).collect();
        for id in waiting {
            self.bear(id, at, host);
        }
    }

    /// A body came to life: its entity is put there, or comes to be.
    fn bear(&mut self, id: BodyId, at: SimTime, host: &mut Host) {
        self.begin_segment(id);
        let Some(actor) = self.actors.get_mut(&id) else { return };
        actor.lives = actor.lives.wrapping_add(1);
        let (entity, peer) = (actor.entity, actor.peer);
        let Some((craft, truth)) = self.truth_of(id, at) else { return };
        if let Some(entity) = entity {
            host.teleport(at, entity, &truth);
            return;
        }
        let tag = Tag { player: id.0, is_bot: peer.is_none() }.encode();
        let owner = peer.map_or(Owner::Host, Owner::Peer);
        // Without room on the host the body is not seen; nothing else is lost.
        let kind = self.kind(craft, host);
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

    /// Sends what has changed since it was last sent.
    pub(super) fn send_changes(&mut self, host: &mut Host) {
        let points = self.standing();
        if self.points.replace(points) != Some(points) {
            self.broadcast(host, &points);
        }
        let Some(properties) = Properties::declared(&host.config().kinds) else { return };
        for (id, actor) in &self.actors {
            let body = self.world.body(*id).filter(|it| it.craft.is_driven());
            if let (Some(entity), Some(body)) = (actor.entity, body) {
                properties.set(host, entity, &self.state_of(actor, body));
            }
        }
    }

    fn state_of(&self, actor: &Actor, body: &Body) -> PlayerState {
        let short = |number: u32| number.min(u32::from(u16::MAX)) as u16;
        PlayerState {
            name: actor.name.clone(),
            team: body.team,
            health: body.health as f32,
            is_alive: body.is_alive,
            lives: actor.lives,
            kills: short(body.kills),
            deaths: short(body.deaths),
            ammo: 0,
            rides: None,
            is_loaded: self.world.tick() >= body.lob_ready_tick,
        }
    }

    pub(super) fn standing(&self) -> ServerMessage {
        let scores = self.world.points().map(|it| it.min(u32::from(u16::MAX)) as u16);
        let round_left_s = self.world.round_left_s().clamp(0.0, f64::from(u16::MAX)) as u16;
        ServerMessage::Points { scores, round_left_s }
    }
}
