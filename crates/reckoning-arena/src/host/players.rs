//! Players and clients joining, leaving and asking.

use reckoning::{DVec3, SimTime};
use reckoning_net::{EntityId, Host, PeerId, Viewpoint};

use super::fire::FireRequest;
use super::shared::bot_name;
use super::{Actor, ArenaHost, ArenaRequest, ClientState};
use crate::protocol::{ClientMessage, LinkChoice, ServerMessage};
use crate::world::PlayerId;

impl ArenaHost {
    pub(super) fn add_bot(&mut self) {
        let Some(id) = self.world.try_join() else { return };
        self.bots.add(id);
        let number = self.actors.values().filter(|actor| actor.peer.is_none()).count();
        self.actors.insert(id, Actor { name: bot_name(number), ..Actor::new(None) });
    }

    pub(super) fn joined(&mut self, peer: PeerId, before: Option<PeerId>, host: &mut Host) {
        let old =
            before.and_then(|old| self.absent.remove(&old).or_else(|| self.clients.remove(&old)));
        let player = old.and_then(|client| client.player);
        if let Some(actor) = player.and_then(|id| self.actors.get_mut(&id)) {
            actor.peer = Some(peer);
        }
        self.clients.insert(peer, ClientState { player, ..ClientState::default() });
        if !self.demo && player.is_none() {
            host.set_viewpoint(peer, Viewpoint::Nowhere);
        }
        self.send(host, peer, &ServerMessage::Tuning(self.tuning));
        if let Some(id) = player {
            self.send_identity(peer, id, host);
        }
    }

    /// The host keeps the body of a client that may reconnect, and reports when it no longer does.
    pub(super) fn left(&mut self, now: SimTime, peer: PeerId, host: &mut Host) {
        let Some(client) = self.clients.remove(&peer) else { return };
        let Some(id) = client.player else { return };
        self.leave_vehicle(now, id, host);
        let entity = self.entity_of(id);
        if entity.is_some_and(|entity| host.entities().any(|it| it.0 == entity)) {
            self.absent.insert(peer, client);
        } else {
            self.remove(id);
        }
    }

    pub(super) fn despawned(&mut self, now: SimTime, entity: EntityId, host: &mut Host) {
        self.replace_vehicle(now, entity, host);
        if let Some(id) = self.by_entity.get(&entity).copied() {
            self.remove(id);
        }
    }

    fn remove(&mut self, id: PlayerId) {
        self.world.leave(id);
        self.absent.retain(|_, client| client.player != Some(id));
        if let Some(entity) = self.actors.remove(&id).and_then(|actor| actor.entity) {
            self.by_entity.remove(&entity);
        }
    }

    pub(super) fn heard(&mut self, now: SimTime, peer: PeerId, bytes: &[u8], host: &mut Host) {
        let Ok(message) = ClientMessage::decode(bytes) else {
            self.stats.malformed += 1;
            return;
        };
        match message {
            ClientMessage::Hello { name, watch } => {
                let watch = watch && self.grants(now, peer, host);
                self.greet(peer, name, watch, host);
            }
            ClientMessage::Fire { shown_at, aim, pictures } => {
                self.queue(FireRequest { peer, shown_at, aim, pictures, is_naive: false });
            }
            ClientMessage::FireNow { aim } => {
                let (shown_at, pictures) = (now, Vec::new());
                self.queue(FireRequest { peer, shown_at, aim, pictures, is_naive: true });
            }
            ClientMessage::Enter { vehicle } => self.enter(now, peer, EntityId(vehicle), host),
            ClientMessage::Leave => {
                if let Some(id) = self.player_of(peer) {
                    self.leave_vehicle(now, id, host);
                }
            }
            ClientMessage::SetTuning(tuning) => {
                if self.grants(now, peer, host) {
                    self.set_tuning(now, tuning, host);
                }
            }
            ClientMessage::SetLink(link) => {
                if self.grants(now, peer, host) {
                    self.set_link(peer, link, host);
                }
            }
            ClientMessage::Subscribe { truth, snapshots } => {
                let granted = self.grants(now, peer, host);
                if let Some(client) = self.clients.get_mut(&peer).filter(|_| granted) {
                    (client.wants_truth, client.wants_snapshots) = (truth, snapshots);
                }
            }
        }
    }

    fn set_link(&mut self, peer: PeerId, link: LinkChoice, host: &mut Host) {
        if let Some(client) = self.clients.get_mut(&peer) {
            client.link = link;
            self.request(ArenaRequest::Link { peer, link });
            self.send(host, peer, &ServerMessage::Link(link));
        }
    }

    /// A client introduces itself: it gets a player, unless it watches or has one.
    fn greet(&mut self, peer: PeerId, name: String, watch: bool, host: &mut Host) {
        let Some(client) = self.clients.get_mut(&peer) else { return };
        client.greeted = true;
        let link = client.link;
        if watch {
            host.set_viewpoint(peer, Viewpoint::Everywhere);
        }
        if !watch
            && client.player.is_none()
            && let Some(id) = self.world.try_join_free()
        {
            client.player = Some(id);
            let name = if name.is_empty() { format!("player {}", id.0) } else { name };
            self.actors.insert(id, Actor { name, ..Actor::new(Some(peer)) });
        }
        self.send(host, peer, &ServerMessage::Link(link));
        self.send_state(peer, host);
    }
}

impl Actor {
    pub(super) fn new(peer: Option<PeerId>) -> Self {
        Self {
            entity: None,
            peer,
            name: String::new(),
            segment: 0,
            lives: 0,
            rides: None,
            velocity: DVec3::ZERO,
        }
    }
}
