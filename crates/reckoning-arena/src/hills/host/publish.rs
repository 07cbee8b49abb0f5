//! Bodies of the world as entities: what owners say goes in, everything else goes out.

use std::time::Duration;

use reckoning::ground::Pose;
use reckoning::model::PathRide;
use reckoning::orientation::heading_and_pitch_from_velocity;
use reckoning::{DQuat, DVec3, Kinematics, Model, SimTime, Update};
use reckoning_net::{EntityId, Host, Owner};

use super::HillsHost;
use super::kinds::{BARREL, TURRET};
use crate::TICK_S;
use crate::hills::body::{Aim, Body, BodyId};
use crate::hills::craft::Craft;
use crate::hills::drive::{GRAVITY_MPS2, on_the_ground};
use crate::hills::motion::lasting_acceleration;
use crate::hills::world::Shell;
use crate::protocol::Tag;

/// An owner's motion is carried on for this long without news.
const BELIEVED: Duration = Duration::from_millis(500);

impl HillsHost {
    /// Takes over where owners have their bodies and how they aim.
    pub(super) fn place_owners(&mut self, at: SimTime, host: &Host) {
        for (entity, owner, known) in host.entities() {
            let Some(&id) = self.by_entity.get(&entity) else { continue };
            let Some(body) = self.world.body(id).filter(|it| it.moves_itself) else { continue };
            let seen = believed(body.craft, known, at, &self.level);
            let aim = match owner {
                Owner::Peer(peer) => self.aim_of(entity, peer, at, host).unwrap_or(body.aim),
                Owner::Host => body.aim,
            };
            self.world.place(id, &seen, aim);
        }
    }

    /// How an owner aims: as its joints say, or, where joints are not sent, as it says itself.
    pub(super) fn aim_of(
        &self,
        entity: EntityId,
        peer: reckoning_net::PeerId,
        at: SimTime,
        host: &Host,
    ) -> Option<Aim> {
        let said = |joint| host.joint_at(entity, joint, at);
        if let (Some(turret_rad), Some(barrel_rad)) = (said(TURRET), said(BARREL)) {
            return Some(Aim { turret_rad, barrel_rad, ..Aim::default() });
        }
        Some(self.clients.get(&peer)?.own_state?.1.aim)
    }

    /// What is true of a body, as it is published.
    pub(super) fn truth_of(&self, id: BodyId, at: SimTime) -> Option<(Craft, Kinematics)> {
        let body = self.world.body(id)?;
        let before = self.actors.get(&id).map_or(body.velocity, |it| it.velocity);
        Some((body.craft, published(body, before, at)))
    }

    /// Moves on the host what the world moves, and aims its joints.
    pub(super) fn show_bodies(&mut self, at: SimTime, host: &mut Host) {
        let track = self.level.lasting_track();
        for body in self.world.bodies().iter().filter(|it| !it.moves_itself) {
            let Some(actor) = self.actors.get_mut(&body.id) else { continue };
            let before = std::mem::replace(&mut actor.velocity, body.velocity);
            let Some(entity) = actor.entity else { continue };
            let truth = published(body, before, at);
            if body.craft == Craft::Train && self.tuning.train_on_path {
                let rate_mps = body.velocity.length();
                let ride = PathRide { path: track, progress_m: body.progress_m, rate_mps };
                host.observe_as(entity, &truth, Model::Path(ride));
            } else {
                host.observe(entity, &truth);
            }
            if body.craft.shape().turret.is_some() {
                let aim = body.aim;
                host.aim(at, entity, TURRET, aim.turret_rad, aim.turret_radps);
                host.aim(at, entity, BARREL, aim.barrel_rad, aim.barrel_radps);
            }
        }
    }

    pub(super) fn spawn_shell(&mut self, shell: &Shell, at: SimTime, host: &mut Host) {
        let tag = Tag { player: shell.by.0, is_bot: true }.encode();
        let kind = self.kind(Craft::Shell, host);
        let truth = in_flight(shell, self.world.tick(), at);
        // Without room on the host it is not seen; it bursts all the same.
        if let Ok(entity) = host.spawn_kind(at, kind, Owner::Host, &tag, &truth) {
            self.shells.insert(shell.number, entity);
        }
    }

    pub(super) fn show_shells(&self, at: SimTime, host: &mut Host) {
        for shell in self.world.shells() {
            if let Some(entity) = self.shells.get(&shell.number) {
                host.observe(*entity, &in_flight(shell, self.world.tick(), at));
            }
        }
    }

    pub(super) fn despawn_shell(&mut self, number: u32, host: &mut Host) {
        if let Some(entity) = self.shells.remove(&number) {
            host.despawn(entity);
        }
    }
}

/// A shell as it flies after the step of that number.
fn in_flight(shell: &Shell, tick: u64, at: SimTime) -> Kinematics {
    let t_s = tick.saturating_sub(shell.fired_tick) as f64 * TICK_S;
    let velocity = shell.velocity - DVec3::Z * (GRAVITY_MPS2 * t_s);
    Kinematics::moving(at, shell.position_at(t_s), velocity)
}

/// What is published of a body. Where watchers derive how it is turned, nothing is told of that; on
/// its track a train is turned along it.
fn published(body: &Body, before: DVec3, at: SimTime) -> Kinematics {
    let mut truth = body.kinematics(at);
    truth.acceleration = lasting_acceleration(body.craft, before, body.velocity);
    match body.craft {
        Craft::Train => {
            truth.orientation =
                heading_and_pitch_from_velocity(body.velocity, body.orientation, 0.0);
            truth.angular_velocity = DVec3::ZERO;
        }
        Craft::Merchant | Craft::Bird | Craft::Shell => {
            (truth.orientation, truth.angular_velocity) = (DQuat::IDENTITY, DVec3::ZERO);
        }
        Craft::Tank | Craft::Car | Craft::Drone => {}
    }
    truth
}

/// Where an owner's vehicle is taken to be: where its motion led, on the ground.
pub(super) fn believed(
    craft: Craft,
    known: &Update,
    at: SimTime,
    level: &crate::hills::HillsLevel,
) -> Kinematics {
    let moment = at.min(known.at() + BELIEVED);
    let guess =
        Pose { position: known.position_at(moment), orientation: known.orientation_at(moment) };
    let stands = on_the_ground(craft, guess, level);
    Kinematics {
        orientation: stands.orientation,
        angular_velocity: known.kinematics().angular_velocity,
        ..Kinematics::moving(at, stands.position, known.velocity_at(moment))
    }
}
