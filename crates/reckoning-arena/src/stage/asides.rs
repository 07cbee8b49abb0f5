//! The demonstration's side channel: what is true, and what a plain game would send.

use super::tells::pair;
use super::{Stage, StageWish};
use crate::talk::{Aside, MAX_PLAIN, MAX_TRUE, Mine, Plain, PlainBody, TrueBody, Truth};
use reckoning::{DVec3, SimTime};
use reckoning_net::{Host, PeerId};

/// A plain game sends in every third step: twenty times a second.
const PLAIN_EVERY: u64 = 3;
/// What a client says of itself counts for this long.
const FRESH_S: f64 = 0.25;

impl Stage {
    /// A client sent a datagram beside the protocol.
    pub fn aside(&mut self, _: SimTime, peer: PeerId, bytes: &[u8]) {
        match (Aside::decode(bytes), self.seats.get_mut(&peer)) {
            (Ok(Aside::Mine(mine)), Some(seat)) => seat.mine = Some(mine),
            (Ok(_), _) | (_, None) => {}
            (Err(_), Some(_)) => self.stats.malformed += 1,
        }
    }

    pub(super) fn send_asides(&mut self, at: SimTime, host: &Host) {
        let plain_now = self.stats.steps.is_multiple_of(PLAIN_EVERY);
        let wants = |it: &super::Seat| (it.wants_truth, it.wants_plain && plain_now);
        let seats: Vec<(PeerId, bool, bool)> =
            self.seats.iter().map(|(peer, it)| (*peer, wants(it).0, wants(it).1)).collect();
        if seats.iter().all(|(_, truth, plain)| !truth && !plain) {
            return;
        }
        let bodies = self.true_bodies(at, host);
        for (to, truth, plain) in seats {
            if truth {
                self.send_truth(to, at, &bodies);
            }
            if plain {
                self.send_plain(to, at, &bodies);
            }
        }
    }

    fn send_truth(&mut self, to: PeerId, at: SimTime, bodies: &[TrueBody]) {
        for bodies in bodies.chunks(MAX_TRUE) {
            let bytes = Aside::Truth(Truth { at, bodies: bodies.to_vec() }).encode();
            self.wish(StageWish::Aside { to, bytes, shaped: false });
        }
    }

    fn send_plain(&mut self, to: PeerId, at: SimTime, bodies: &[TrueBody]) {
        for bodies in bodies.chunks(MAX_PLAIN) {
            let plain = |it: &TrueBody| PlainBody { entity: it.entity, at: it.at };
            let bodies = bodies.iter().map(plain).collect();
            let bytes = Aside::Plain(Plain { at, bodies }).encode();
            self.wish(StageWish::Aside { to, bytes, shaped: true });
        }
    }

    /// Where everyone truly is: bots as the game has them, people as they say themselves.
    fn true_bodies(&self, at: SimTime, host: &Host) -> Vec<TrueBody> {
        let mut bodies = Vec::with_capacity(self.cast.len());
        for (entity, _, known) in host.entities() {
            let Some(id) = self.by_entity.get(&entity) else { continue };
            let Some(player) = self.world.player(*id) else { continue };
            let (place, velocity) = if player.moves_itself {
                let known = (known.position_at(at), known.velocity_at(at));
                self.mine_of(*id, at).unwrap_or(known)
            } else {
                (player.position, player.velocity)
            };
            bodies.push(TrueBody { entity: entity.0, at: pair(place), velocity: pair(velocity) });
        }
        bodies
    }

    /// What an owner said of its own body lately.
    fn mine_of(&self, id: crate::PlayerId, at: SimTime) -> Option<(DVec3, DVec3)> {
        let peer = self.cast.get(&id)?.peer?;
        let Mine { at: said_at, place, velocity } = self.seats.get(&peer)?.mine?;
        let age_s = at.secs_since(said_at);
        let velocity = DVec3::new(velocity[0].into(), velocity[1].into(), 0.0);
        let place = DVec3::new(place[0].into(), place[1].into(), 0.0);
        (age_s.abs() < FRESH_S).then(|| (place + velocity * age_s, velocity))
    }
}
