//! Debug stream of the demonstration: the truth, and what a naive game would send.

use reckoning::SimTime;
use reckoning_net::{EntityId, Host, PeerId};

use super::{ClientState, HillsHost};
use crate::hills::body::{Aim, Body};
use crate::hills::protocol::{
    HillsDatagram, HillsTruthBody, MAX_SNAPSHOT_BODIES, MAX_TRUTH_BODIES,
};
use crate::host::ArenaRequest;

/// A plain game sends in every third step: twenty times a second.
const SNAPSHOT_EVERY: u64 = 3;
/// What a client says of itself counts for this long.
const FRESH_S: f64 = 0.25;

impl HillsHost {
    /// A client sent a datagram beside the protocol.
    pub fn handle_out_of_band(&mut self, _: SimTime, peer: PeerId, bytes: &[u8]) {
        match (HillsDatagram::decode(bytes), self.clients.get_mut(&peer)) {
            (Ok(HillsDatagram::OwnState { at, body }), Some(client)) if self.demo => {
                client.own_state = Some((at, body));
            }
            (Ok(_), _) | (_, None) => {}
            (Err(_), Some(_)) => self.stats.malformed += 1,
        }
    }

    pub(super) fn send_debug_stream(&mut self, at: SimTime, host: &Host) {
        let snapshot_now = self.stats.steps.is_multiple_of(SNAPSHOT_EVERY);
        let wants = |it: &ClientState| (it.wants_truth, it.wants_snapshots && snapshot_now);
        let clients: Vec<(PeerId, (bool, bool))> =
            self.clients.iter().map(|(peer, it)| (*peer, wants(it))).collect();
        if clients.iter().all(|(_, (truth, snapshot))| !truth && !snapshot) {
            return;
        }
        let bodies = self.truth_bodies(at, host);
        for (to, (truth, snapshot)) in clients {
            if truth {
                self.send_truth(to, at, &bodies);
            }
            if snapshot {
                self.send_snapshot(to, at, &bodies);
            }
        }
    }

    fn send_truth(&mut self, to: PeerId, at: SimTime, bodies: &[HillsTruthBody]) {
        for bodies in bodies.chunks(MAX_TRUTH_BODIES) {
            let bytes = HillsDatagram::Truth { at, bodies: bodies.to_vec() }.encode();
            self.outbox.request(ArenaRequest::OutOfBand { to, bytes, shaped: false });
        }
    }

    fn send_snapshot(&mut self, to: PeerId, at: SimTime, bodies: &[HillsTruthBody]) {
        for bodies in bodies.chunks(MAX_SNAPSHOT_BODIES) {
            let bytes = HillsDatagram::Snapshot { at, bodies: bodies.to_vec() }.encode();
            self.outbox.request(ArenaRequest::OutOfBand { to, bytes, shaped: true });
        }
    }

    /// How everything truly is: what the world moves as the game has it, people's vehicles as they
    /// say themselves, shells on their arcs.
    #[must_use]
    pub fn truth_bodies(&self, at: SimTime, host: &Host) -> Vec<HillsTruthBody> {
        let mut bodies = Vec::with_capacity(self.actors.len() + self.shells.len());
        for body in self.world.bodies() {
            let Some(entity) = self.entity_of(body.id) else { continue };
            let said = body.moves_itself.then(|| self.own_state_of(body, at)).flatten();
            bodies.push(said.unwrap_or_else(|| truth_of(entity, body)));
        }
        for (entity, _, known) in host.entities() {
            if self.shells.values().any(|it| *it == entity) {
                bodies.push(HillsTruthBody {
                    entity: entity.0,
                    position: known.position_at(at),
                    velocity: known.velocity_at(at),
                    orientation: known.orientation_at(at),
                    aim: Aim::default(),
                });
            }
        }
        bodies
    }

    /// What an owner said of its own body lately, carried on to `at`.
    fn own_state_of(&self, body: &Body, at: SimTime) -> Option<HillsTruthBody> {
        let actor = self.actors.get(&body.id)?;
        let (said_at, said) = self.clients.get(&actor.peer?)?.own_state?;
        let age_s = at.secs_since(said_at);
        let position = said.position + said.velocity * age_s;
        let entity = actor.entity?.0;
        (age_s.abs() < FRESH_S).then_some(HillsTruthBody { entity, position, ..said })
    }
}

fn truth_of(entity: EntityId, body: &Body) -> HillsTruthBody {
    HillsTruthBody {
        entity: entity.0,
        position: body.position,
        velocity: body.velocity,
        orientation: body.orientation,
        aim: body.aim,
    }
}
