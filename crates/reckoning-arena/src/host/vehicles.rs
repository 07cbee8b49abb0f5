//! Vehicles that players enter and leave: who drives them, and what they do while nobody does.
//!
//! ```text
//!   Enter   near an empty one -> host.grant     its driver's client moves it, judged by its kind's guard
//!   Leave   or death, or gone -> host.revoke    it rolls to rest; the driver's body is put beside it
//! ```
//!
//! While somebody drives, its body stands where it got in and nobody draws it: it is where its vehicle
//! is ([`PlayerState::rides`](crate::protocol::PlayerState::rides)), also for shots.

use reckoning::{DVec3, SimTime};
use reckoning_net::{EntityId, Host, KindId, Owner, PeerId, Update, Viewpoint};

use super::config::BUGGY;
use super::{ArenaHost, ENTER_RADII};
use crate::level::{BodyKind, place};
use crate::protocol::{A_TURRET, Refusal, ServerMessage};
use crate::world::{Input, Player, PlayerId, Team};

/// Whoever leaves is put this many radii aside.
const ASIDE_RADII: f64 = 2.2;

/// One vehicle.
#[derive(Clone, Debug)]
pub(super) struct Vehicle {
    pub(super) entity: EntityId,
    pub(super) driver: Option<PlayerId>,
    /// Where it is, as far as the host knows.
    body: Player,
}

impl Vehicle {
    /// An empty one. Without room on the host there is none; nothing else is lost.
    fn spawn(at: SimTime, body: Player, host: &mut Host) -> Option<Self> {
        let kind = host.config().kinds.named(BUGGY).unwrap_or(KindId::NONE);
        let truth = body.kinematics(at, BodyKind::Tank);
        let entity = host.spawn_kind(at, kind, Owner::Host, &[], &truth).ok()?;
        Some(Self { entity, driver: None, body })
    }
}

impl ArenaHost {
    /// Puts the level's vehicles into their places, once.
    pub(super) fn spawn_vehicles(&mut self, at: SimTime, host: &mut Host) {
        let Some(buggy) = self.level.file().buggy.as_ref().filter(|_| self.vehicles.is_empty())
        else {
            return;
        };
        for spot in &buggy.at {
            let body = Player::standing(PlayerId(A_TURRET), Team(0), place(*spot), DVec3::X);
            self.vehicles.extend(Vehicle::spawn(at, body, host));
        }
    }

    /// A driver that left the game took its vehicle along: another one goes on in its place.
    pub(super) fn replace_vehicle(&mut self, at: SimTime, entity: EntityId, host: &mut Host) {
        let Some(number) = self.vehicles.iter().position(|it| it.entity == entity) else { return };
        let gone = self.vehicles.remove(number);
        if let Some(driver) = gone.driver.and_then(|id| self.actors.get_mut(&id)) {
            driver.rides = None;
        }
        self.vehicles.extend(Vehicle::spawn(at, gone.body, host));
    }

    /// Takes over where a driver has its vehicle, and with it the driver. Returns whether the entity
    /// is a vehicle.
    pub(super) fn place_vehicle(&mut self, entity: EntityId, known: &Update, at: SimTime) -> bool {
        let Some(number) = self.vehicles.iter().position(|it| it.entity == entity) else {
            return false;
        };
        let Some(driver) = self.vehicles[number].driver else { return true };
        let (position, moment) = self.believed(known, at);
        let (velocity, facing) =
            (known.velocity_at(moment), known.orientation_at(moment) * DVec3::X);
        let body = &mut self.vehicles[number].body;
        (body.position, body.velocity) = (position, velocity);
        body.heading = facing.with_z(0.0).try_normalize().unwrap_or(body.heading);
        self.world.place(driver, position, velocity, facing);
        true
    }

    /// What nobody drives rolls to rest.
    pub(super) fn roll_vehicles(&mut self, at: SimTime, host: &mut Host) {
        let Some(rules) = self.level.buggy() else { return };
        for vehicle in self.vehicles.iter_mut().filter(|it| it.driver.is_none()) {
            vehicle.body.advance_as(&Input::default(), &rules, &self.level);
            host.observe(vehicle.entity, &vehicle.body.kinematics(at, rules.kind));
        }
    }

    /// A client wants to drive: only what is empty, near, and one at a time.
    pub(super) fn enter(&mut self, now: SimTime, peer: PeerId, entity: EntityId, host: &mut Host) {
        let entered = self.try_enter(now, peer, entity, host).is_some();
        let Some(client) = self.clients.get_mut(&peer).filter(|_| !entered) else { return };
        if client.powers.tell(now) {
            self.send(host, peer, &ServerMessage::Refused(Refusal::OutOfReach));
        }
    }

    fn try_enter(
        &mut self,
        now: SimTime,
        peer: PeerId,
        entity: EntityId,
        host: &mut Host,
    ) -> Option<()> {
        let id = self.clients.get(&peer)?.player?;
        let player = self.world.player(id).filter(|it| it.is_alive)?;
        let reach_px = ENTER_RADII * self.level.file().body.radius_px;
        let vehicle = self.vehicles.iter_mut().find(|it| it.entity == entity)?;
        let is_near = vehicle.body.position.distance(player.position) <= reach_px;
        let actor = self.actors.get_mut(&id).filter(|it| it.rides.is_none())?;
        if vehicle.driver.is_some() || !is_near || !host.grant(now, entity, peer) {
            return None;
        }
        vehicle.driver = Some(id);
        actor.rides = Some(entity);
        actor.segment += 1;
        host.set_viewpoint(peer, Viewpoint::Entity(entity));
        Some(())
    }

    /// A player leaves what it drives, if anything; the living are put beside it.
    pub(super) fn leave_vehicle(&mut self, now: SimTime, id: PlayerId, host: &mut Host) {
        let Some(actor) = self.actors.get_mut(&id) else { return };
        let (Some(entity), body, peer) = (actor.rides.take(), actor.entity, actor.peer) else {
            return;
        };
        actor.segment += 1;
        host.revoke(entity);
        if let Some(peer) = peer {
            host.set_viewpoint(peer, Viewpoint::Own);
        }
        let Some(vehicle) = self.vehicles.iter_mut().find(|it| it.entity == entity) else { return };
        vehicle.driver = None;
        let Some(player) = self.world.player(id).filter(|it| it.is_alive) else { return };
        let (at, heading) = (vehicle.body.position, vehicle.body.heading);
        let radius_px = self.level.file().body.radius_px;
        let aside = DVec3::new(-heading.y, heading.x, 0.0) * (ASIDE_RADII * radius_px);
        let (spot, _) = self.level.walls().slide(at, at + aside, radius_px);
        let beside = Player::standing(id, player.team, spot, player.aim);
        self.world.place(id, spot, DVec3::ZERO, player.aim);
        if let Some(body) = body {
            host.teleport(now, body, &beside.kinematics(now, self.level.file().body.kind));
        }
    }
}
