//! Coming and going.

use super::fire::Trigger;
use super::{Actor, Seat, Stage, StageWish};
use crate::talk::{Ask, Tell};
use crate::world::PlayerId;
use reckoning::{DVec3, SimTime, Verdict};
use reckoning_net::{EntityId, Host, PeerId, Viewpoint};

/// What bots are called; further ones get a number.
const NAMES: [&str; 16] = [
    "Ada", "Bela", "Cato", "Dora", "Emil", "Fay", "Gus", "Hedy", "Ivo", "Juno", "Kit", "Lin",
    "Mia", "Nils", "Odo", "Pia",
];

impl Stage {
    pub(super) fn add_bot(&mut self) {
        let id = self.world.join();
        self.bots.add(id);
        let number = self.cast.values().filter(|actor| actor.peer.is_none()).count();
        let name = NAMES.get(number).map_or_else(|| format!("bot {number}"), ToString::to_string);
        self.cast.insert(id, Actor { name, ..Actor::new(None) });
    }

    pub(super) fn joined(&mut self, peer: PeerId, before: Option<PeerId>, host: &mut Host) {
        let old =
            before.and_then(|old| self.absent.remove(&old).or_else(|| self.seats.remove(&old)));
        let player = old.and_then(|seat| seat.player);
        if let Some(actor) = player.and_then(|id| self.cast.get_mut(&id)) {
            actor.peer = Some(peer);
        }
        self.seats.insert(peer, Seat { player, ..Seat::default() });
        self.tell(host, peer, &Tell::World(self.choice));
        if let Some(id) = player {
            self.tell_you(peer, id, host);
        }
    }

    /// The host keeps the body of somebody who may come back, and says when it does not.
    pub(super) fn left(&mut self, peer: PeerId, host: &mut Host) {
        let Some(seat) = self.seats.remove(&peer) else { return };
        let Some(id) = seat.player else { return };
        let entity = self.entity_of(id);
        if entity.is_some_and(|entity| host.entities().any(|it| it.0 == entity)) {
            self.absent.insert(peer, seat);
        } else {
            self.remove(id);
        }
    }

    pub(super) fn despawned(&mut self, entity: EntityId, _: &mut Host) {
        if let Some(id) = self.by_entity.get(&entity).copied() {
            self.remove(id);
        }
    }

    fn remove(&mut self, id: PlayerId) {
        self.world.leave(id);
        self.absent.retain(|_, seat| seat.player != Some(id));
        if let Some(entity) = self.cast.remove(&id).and_then(|actor| actor.entity) {
            self.by_entity.remove(&entity);
        }
    }

    pub(super) fn heard(&mut self, now: SimTime, peer: PeerId, bytes: &[u8], host: &mut Host) {
        let Ok(ask) = Ask::decode(bytes) else {
            self.stats.malformed += 1;
            return;
        };
        match ask {
            Ask::Hello { name, watch } => self.greet(peer, name, watch, host),
            Ask::Fire { shown_at, aim } => self.queue(Trigger { peer, shown_at, aim }),
            Ask::SetWorld(choice) => self.set_world(now, choice, host),
            Ask::SetLink(link) => {
                if let Some(seat) = self.seats.get_mut(&peer) {
                    seat.link = link;
                    self.wish(StageWish::Link { peer, link });
                    self.tell(host, peer, &Tell::Link(link));
                }
            }
            Ask::Want { truth, plain } => {
                if let Some(seat) = self.seats.get_mut(&peer) {
                    (seat.wants_truth, seat.wants_plain) = (truth, plain);
                }
            }
        }
    }

    /// Somebody says who it is: it gets a player, unless it watches or has one.
    fn greet(&mut self, peer: PeerId, name: String, watch: bool, host: &mut Host) {
        let Some(seat) = self.seats.get_mut(&peer) else { return };
        seat.greeted = true;
        let link = seat.link;
        if watch {
            host.set_viewpoint(peer, Viewpoint::Everywhere);
        }
        if !watch && seat.player.is_none() {
            let id = self.world.join_free();
            seat.player = Some(id);
            let name = if name.is_empty() { format!("player {}", id.0) } else { name };
            self.cast.insert(id, Actor { name, ..Actor::new(Some(peer)) });
        }
        self.tell(host, peer, &Tell::Link(link));
        self.tell_state(peer, host);
    }

    pub(super) fn judged(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Correct(_) => self.stats.corrected += 1,
            Verdict::Disconnect(_) => self.stats.expelled += 1,
            _ => {}
        }
    }
}

impl Actor {
    pub(super) fn new(peer: Option<PeerId>) -> Self {
        Self { entity: None, peer, name: String::new(), segment: 0, velocity: DVec3::ZERO }
    }
}
