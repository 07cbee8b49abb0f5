//! Drivers and clients joining, leaving and asking.

use reckoning::{DVec3, SimTime};
use reckoning_net::{EntityId, Host, PeerId, Viewpoint};

use super::fire::FireRequest;
use super::{Actor, ClientState, HillsHost};
use crate::hills::body::BodyId;
use crate::hills::craft::Craft;
use crate::hills::protocol::{HillsCommand, HillsNotice};
use crate::host::ArenaRequest;
use crate::host::shared::bot_name;
use crate::protocol::{ClientMessage, LinkChoice, ServerMessage};

/// One in so many bots drives a car.
const CAR_EVERY: u16 = 3;

impl HillsHost {
    pub(super) fn add_bot(&mut self, number: u16) {
        let drives_car = number % CAR_EVERY == CAR_EVERY - 1;
        let craft = if drives_car { Craft::Car } else { Craft::Tank };
        let Some(id) = self.world.try_join(craft, false) else { return };
        self.actors.insert(id, Actor::new(None, bot_name(number.into())));
    }

    /// Gives what moves by itself its names.
    pub(super) fn name_scenery(&mut self) {
        for body in self.world.bodies() {
            let name = format!("{} {}", body.craft.name(), body.id.0);
            self.actors.insert(body.id, Actor::new(None, name));
        }
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
        self.notify(host, peer, &HillsNotice::Tuning(self.tuning));
        if let Some(id) = player {
            self.send_identity(peer, id, host);
        }
    }

    /// The host keeps the body of a client that may reconnect, and reports when it no longer does.
    pub(super) fn left(&mut self, peer: PeerId, host: &Host) {
        let Some(client) = self.clients.remove(&peer) else { return };
        let Some(id) = client.player else { return };
        let entity = self.entity_of(id);
        if entity.is_some_and(|entity| host.entities().any(|it| it.0 == entity)) {
            self.absent.insert(peer, client);
        } else {
            self.remove(id);
        }
    }

    pub(super) fn despawned(&mut self, entity: EntityId) {
        if let Some(id) = self.by_entity.get(&entity).copied() {
            self.remove(id);
        }
    }

    fn remove(&mut self, id: BodyId) {
        self.world.leave(id);
        self.absent.retain(|_, client| client.player != Some(id));
        if let Some(entity) = self.actors.remove(&id).and_then(|actor| actor.entity) {
            self.by_entity.remove(&entity);
        }
    }

    pub(super) fn heard(&mut self, now: SimTime, peer: PeerId, bytes: &[u8], host: &mut Host) {
        if let Ok(command) = HillsCommand::decode(bytes) {
            self.commanded(now, peer, command, host);
        } else if let Ok(message) = ClientMessage::decode(bytes) {
            self.asked(now, peer, message, host);
        } else {
            self.stats.malformed += 1;
        }
    }

    fn commanded(&mut self, now: SimTime, peer: PeerId, command: HillsCommand, host: &mut Host) {
        match command {
            HillsCommand::Fire { shown_at, from, aim, pictures } => {
                self.queue_shot(FireRequest { peer, shown_at, from, aim, pictures });
            }
            HillsCommand::Lob => self.queue_lob(peer),
            HillsCommand::SetTuning(tuning) => {
                if self.grants(now, peer, host) {
                    self.set_tuning(now, tuning, host);
                }
            }
        }
    }

    /// What the flat arena's clients say as well; what has no meaning here changes nothing.
    fn asked(&mut self, now: SimTime, peer: PeerId, message: ClientMessage, host: &mut Host) {
        match message {
            ClientMessage::Hello { name, watch } => {
                let watch = watch && self.grants(now, peer, host);
                self.greet(peer, name, watch, host);
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
            _ => self.stats.malformed += 1,
        }
    }

    /// Whether a client may use a power of the demonstration now. If not it is told why, once a
    /// second at most.
    fn grants(&mut self, now: SimTime, peer: PeerId, host: &mut Host) -> bool {
        let Some(client) = self.clients.get_mut(&peer) else { return false };
        let Err((refusal, is_told)) = client.powers.ask(self.demo, now) else { return true };
        self.stats.refused_powers += 1;
        if is_told {
            self.send(host, peer, &ServerMessage::Refused(refusal));
        }
        false
    }

    fn set_link(&mut self, peer: PeerId, link: LinkChoice, host: &mut Host) {
        if let Some(client) = self.clients.get_mut(&peer) {
            client.link = link;
            self.outbox.request(ArenaRequest::Link { peer, link });
            self.send(host, peer, &ServerMessage::Link(link));
        }
    }

    /// A client introduces itself: it gets a tank, unless it watches or has one.
    fn greet(&mut self, peer: PeerId, name: String, watch: bool, host: &mut Host) {
        let Some(client) = self.clients.get_mut(&peer) else { return };
        client.greeted = true;
        let link = client.link;
        if watch {
            host.set_viewpoint(peer, Viewpoint::Everywhere);
        }
        if !watch
            && client.player.is_none()
            && let Some(id) = self.world.try_join(Craft::Tank, true)
        {
            client.player = Some(id);
            let name = if name.is_empty() { format!("player {}", id.0) } else { name };
            self.actors.insert(id, Actor::new(Some(peer), name));
        }
        self.send(host, peer, &ServerMessage::Link(link));
        self.send(host, peer, &self.standing());
    }
}

impl Actor {
    pub(super) const fn new(peer: Option<PeerId>, name: String) -> Self {
        Self { entity: None, peer, name, segment: 0, lives: 0, velocity: DVec3::ZERO }
    }
}
