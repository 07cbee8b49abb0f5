//! Debug stream of the demonstration: the truth, and the positions a naive game would send.

use reckoning::{DVec3, SimTime};
use reckoning_net::{EntityId, Host, ListenerError, PeerId};

use super::broadcast::pair;
use super::{ArenaHost, ArenaRequest};
use crate::protocol::{
    DebugDatagram, ErrorAccounts, MAX_SNAPSHOT_BODIES, MAX_TRUTH_BODIES, OwnState, PlannerWorth,
    PositionSnapshot, SnapshotBody, Truth, TruthBody,
};

/// A plain game sends in every third step: twenty times a second.
const SNAPSHOT_EVERY: u64 = 3;
/// Figures go out in every sixtieth step: once a second.
const FIGURES_EVERY: u64 = 60;
/// What a client says of itself counts for this long.
const FRESH_S: f64 = 0.25;

impl ArenaHost {
    /// A client sent a datagram beside the protocol.
    pub fn handle_out_of_band(&mut self, _: SimTime, peer: PeerId, bytes: &[u8]) {
        match (DebugDatagram::decode(bytes), self.clients.get_mut(&peer)) {
            (Ok(DebugDatagram::OwnState(own)), Some(client)) if self.demo => {
                client.own_state = Some(own);
            }
            (Ok(_), _) | (_, None) => {}
            (Err(_), Some(_)) => self.stats.malformed += 1,
        }
    }

    pub(super) fn send_debug_stream(&mut self, at: SimTime, host: &Host) {
        let snapshot_now = self.stats.steps.is_multiple_of(SNAPSHOT_EVERY);
        let wants = |it: &super::ClientState| (it.wants_truth, it.wants_snapshots && snapshot_now);
        let clients: Vec<(PeerId, bool, bool)> =
            self.clients.iter().map(|(peer, it)| (*peer, wants(it).0, wants(it).1)).collect();
        if clients.iter().all(|(_, truth, snapshot)| !truth && !snapshot) {
            return;
        }
        if self.stats.steps.is_multiple_of(FIGURES_EVERY) {
            self.send_figures(at, host);
        }
        let bodies = self.truth_bodies(at, host);
        for (to, truth, snapshot) in clients {
            if truth {
                self.send_truth(to, at, &bodies);
            }
            if snapshot {
                self.send_snapshot(to, at, &bodies);
            }
        }
    }

    /// Sends those who are shown the truth what each planner is worth, and the export errors.
    fn send_figures(&mut self, at: SimTime, host: &Host) {
        let mut figures = Vec::new();
        let errors = host.listener_errors(at);
        let levels: Vec<f64> = errors.iter().map(ListenerError::accumulated).collect();
        for (peer, _) in self.clients.iter().filter(|it| it.1.wants_truth) {
            let planners = self.worth.as_ref().map(|it| it.figures(at, *peer)).unwrap_or_default();
            figures.push((*peer, DebugDatagram::Worth(PlannerWorth { planners })));
            if let Some(own) = errors.iter().find(|it| it.peer == *peer) {
                let accounts = ErrorAccounts {
                    confirmed: own.confirmed as f32,
                    estimated: own.estimated as f32,
                    listeners: levels.len() as u16,
                    spread: spread(&levels),
                };
                figures.push((*peer, DebugDatagram::Accounts(accounts)));
            }
        }
        for (to, figure) in figures {
            let bytes = figure.encode();
            self.request(ArenaRequest::OutOfBand { to, bytes, shaped: false });
        }
    }

    fn send_truth(&mut self, to: PeerId, at: SimTime, bodies: &[TruthBody]) {
        for bodies in bodies.chunks(MAX_TRUTH_BODIES) {
            let bytes = DebugDatagram::Truth(Truth { at, bodies: bodies.to_vec() }).encode();
            self.request(ArenaRequest::OutOfBand { to, bytes, shaped: false });
        }
    }

    fn send_snapshot(&mut self, to: PeerId, at: SimTime, bodies: &[TruthBody]) {
        for bodies in bodies.chunks(MAX_SNAPSHOT_BODIES) {
            let snapshot = |it: &TruthBody| SnapshotBody { entity: it.entity, at: it.at };
            let bodies = bodies.iter().map(snapshot).collect();
            let bytes = DebugDatagram::Snapshot(PositionSnapshot { at, bodies }).encode();
            self.request(ArenaRequest::OutOfBand { to, bytes, shaped: true });
        }
    }

    /// Where everyone truly is: bots as the game has them, people as they say themselves.
    fn truth_bodies(&self, at: SimTime, host: &Host) -> Vec<TruthBody> {
        let mut bodies = Vec::with_capacity(self.actors.len());
        for (entity, _, known) in host.entities() {
            let vehicle = self.vehicles.iter().find(|it| it.entity == entity);
            let driver = vehicle.map(|it| it.driver);
            let Some(id) = driver.unwrap_or_else(|| self.by_entity.get(&entity).copied()) else {
                if driver.is_some() {
                    bodies.push(truth_of(entity, known.position_at(at), known.velocity_at(at)));
                }
                continue;
            };
            let rides = self.actors.get(&id).is_some_and(|it| it.rides.is_some());
            let Some(player) = self.world.player(id).filter(|_| driver.is_some() || !rides) else {
                continue; // it is where its vehicle is
            };
            let (place, velocity) = if player.moves_itself {
                let known = (known.position_at(at), known.velocity_at(at));
                self.own_state_of(id, at).unwrap_or(known)
            } else {
                (player.position, player.velocity)
            };
            bodies.push(truth_of(entity, place, velocity));
        }
        bodies
    }

    /// What an owner said of its own body lately.
    fn own_state_of(&self, id: crate::PlayerId, at: SimTime) -> Option<(DVec3, DVec3)> {
        let peer = self.actors.get(&id)?.peer?;
        let OwnState { at: said_at, place, velocity } = self.clients.get(&peer)?.own_state?;
        let age_s = at.secs_since(said_at);
        let velocity = DVec3::new(velocity[0].into(), velocity[1].into(), 0.0);
        let place = DVec3::new(place[0].into(), place[1].into(), 0.0);
        (age_s.abs() < FRESH_S).then(|| (place + velocity * age_s, velocity))
    }
}

/// The least, the mean and the largest.
fn spread(levels: &[f64]) -> [f32; 3] {
    let least = levels.iter().copied().fold(f64::INFINITY, f64::min);
    let most = levels.iter().copied().fold(0.0, f64::max);
    let mean = levels.iter().sum::<f64>() / levels.len().max(1) as f64;
    [least.min(most) as f32, mean as f32, most as f32]
}

fn truth_of(entity: EntityId, place: DVec3, velocity: DVec3) -> TruthBody {
    TruthBody { entity: entity.0, at: pair(place), velocity: pair(velocity) }
}
