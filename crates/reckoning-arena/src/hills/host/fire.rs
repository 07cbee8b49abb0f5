//! Lag compensation in three dimensions: shots of people are judged by what the shooter saw.
//!
//! The gun is so fast that a shot is a line. It is judged against bodies as the shooter's screen had
//! them when the trigger was pulled: place and orientation from the host's memory of what it sent,
//! set onto the ground as the client sets them, turrets at the angle that was shown.

use reckoning::ground::Pose;
use reckoning::rewind::HitRefusal;
use reckoning::{DVec3, SimTime};
use reckoning_net::{ClockMode, EntityId, Host, PeerId};

use super::HillsHost;
use super::kinds::TURRET;
use super::publish::believed;
use crate::TICK_S;
use crate::hills::body::{Body, BodyId};
use crate::hills::craft::Craft;
use crate::hills::drive::on_the_ground;
use crate::hills::protocol::HillsNotice;
use crate::hills::world::HillsWorld;
use crate::protocol::Picture;

/// A shot that a client asked for.
#[derive(Clone, Debug)]
pub(super) struct FireRequest {
    pub(super) peer: PeerId,
    pub(super) shown_at: SimTime,
    pub(super) from: DVec3,
    pub(super) aim: DVec3,
    pub(super) pictures: Vec<Picture>,
}

/// Triggers of one step at most; far more than everyone together can pull.
const MAX_REQUESTS: usize = 256;
/// A shown time is as exact as a client's clock.
const PAUSE_SHARE: f64 = 0.9;
/// How far the claimed muzzle may be from where the host has it: a vehicle's threshold, and the way
/// of a moment.
const MUZZLE_M: f64 = 3.0;
/// How far the claimed aim may be from where the host has the barrel, as a cosine: the joints'
/// thresholds, the hull's, and what they turn in a quarter of a second.
const AIM_COS: f64 = 0.9;

impl HillsHost {
    pub(super) fn queue_shot(&mut self, request: FireRequest) {
        if self.fire_requests.len() < MAX_REQUESTS {
            self.fire_requests.push(request);
        }
    }

    pub(super) fn queue_lob(&mut self, peer: PeerId) {
        if self.lobs.len() < MAX_REQUESTS {
            self.lobs.push(peer);
        }
    }

    /// Lobs what was requested since the last step.
    pub(super) fn lob_requested(&mut self) {
        for peer in std::mem::take(&mut self.lobs) {
            let lobbed = self.body_of(peer).and_then(|id| self.world.lob(id)).is_some();
            self.stats.shots += u64::from(lobbed);
            self.stats.refused_shots += u64::from(!lobbed);
        }
    }

    /// Fires what was requested since the last step.
    pub(super) fn fire_requested(&mut self, at: SimTime, host: &mut Host) {
        for request in std::mem::take(&mut self.fire_requests) {
            let fired = self.fire(at, &request, host).is_some();
            self.stats.shots += u64::from(fired);
            self.stats.refused_shots += u64::from(!fired);
        }
    }

    fn fire(&mut self, at: SimTime, request: &FireRequest, host: &mut Host) -> Option<()> {
        let peer = request.peer;
        let sees_past = host.config().clock_mode == ClockMode::Synchronised;
        let client = self.clients.get(&peer)?;
        let id = client.player?;
        // Who is further behind than that has to lead its targets.
        let earliest = if sees_past { host.rewind()?.earliest_shown(peer, at) } else { at };
        let shown_at = request.shown_at.clamp(earliest, at);
        let gun = self.level.file().gun;
        let waited_s = shown_at.secs_since(client.fired_at);
        if client.fired_at > SimTime::MIN && waited_s < gun.pause_s * PAUSE_SHARE {
            return None;
        }
        let shooter = self.world.body(id).filter(|it| it.is_alive)?.clone();
        let lived_s = (self.world.tick() - shooter.since_tick + 1) as f64 * TICK_S;
        // What its screen showed before its birth was a dead driver's.
        if at.secs_since(shown_at) > lived_s || !is_believed(at, request, shown_at, host) {
            return None;
        }
        let (from, along) = self.gun_of(&shooter, request, shown_at, host);
        let seen = self.seen_by(request, id, shown_at, sees_past, host);
        let (far_m, met) =
            HillsWorld::first_met(&self.level, from, along, gun.range_m, seen.iter());
        self.clients.get_mut(&peer)?.fired_at = shown_at;
        let to = from + along * far_m;
        self.broadcast_notice(host, &HillsNotice::Shot { shooter: id.0, from, to });
        if let Some((who, part)) = met {
            self.world.hit(who, id, part, gun.damage);
        }
        Some(())
    }

    /// Where a shot leaves and where it goes: as the shooter says if that can be, or else as the host
    /// has its gun.
    fn gun_of(
        &self,
        shooter: &Body,
        request: &FireRequest,
        shown_at: SimTime,
        host: &Host,
    ) -> (DVec3, DVec3) {
        let (from, along) =
            self.as_it_stood(shooter, request.peer, shown_at, host).gun(request.aim);
        let aim = request.aim.normalize_or(along);
        let is_near = request.from.is_finite() && request.from.distance(from) <= MUZZLE_M;
        let is_ahead = aim.is_finite() && aim.dot(along) >= AIM_COS;
        (if is_near { request.from } else { from }, if is_ahead { aim } else { along })
    }

    /// A shooter when it pulled the trigger, by what its owner has said since: its hull and its turret
    /// have turned on while the shot was on its way.
    fn as_it_stood(&self, shooter: &Body, peer: PeerId, at: SimTime, host: &Host) -> Body {
        let mut there = shooter.clone();
        let Some(entity) = self.entity_of(shooter.id) else { return there };
        let known = host.entities().find(|it| it.0 == entity);
        if let Some((_, _, known)) = known.filter(|_| shooter.moves_itself) {
            let stood = believed(shooter.craft, known, at, &self.level);
            (there.position, there.orientation) = (stood.position, stood.orientation);
            there.aim = self.aim_of(entity, peer, at, host).unwrap_or(shooter.aim);
        }
        if let Some(stood) = host.rewind().and_then(|it| it.truth_at(entity, at)) {
            there.position = stood;
        }
        there
    }

    /// The living as the shooter's screen had them; without a common past as they are.
    fn seen_by(
        &self,
        request: &FireRequest,
        shooter: BodyId,
        shown_at: SimTime,
        sees_past: bool,
        host: &Host,
    ) -> Vec<Body> {
        let others = self.world.bodies().iter().filter(|it| it.is_alive && it.id != shooter);
        if !sees_past {
            return others.cloned().collect();
        }
        let seen = |body: &Body| {
            let entity = self.entity_of(body.id)?;
            self.as_shown(body, (request.peer, entity), shown_at, host)
        };
        others.filter_map(seen).collect()
    }

    /// A body as a peer was shown it; `None` if it was not.
    fn as_shown(
        &self,
        body: &Body,
        (peer, entity): (PeerId, EntityId),
        at: SimTime,
        host: &Host,
    ) -> Option<Body> {
        let shown = host.rewind()?.shown_at(peer, entity, at)?;
        // Where watchers derive how it is turned, the host was not told.
        let is_told = matches!(body.craft, Craft::Tank | Craft::Car | Craft::Drone);
        let orientation = if is_told { shown.orientation } else { body.orientation };
        let pose = on_the_ground(body.craft, Pose { orientation, ..shown }, &self.level);
        let mut seen = body.clone();
        (seen.position, seen.orientation) = (pose.position, pose.orientation);
        if let Some(turret_rad) = host.joint_shown_at(peer, entity, TURRET, at) {
            seen.aim.turret_rad = turret_rad;
        }
        Some(seen)
    }
}

/// Whether a shot keeps to the host's rules for shots, and what it says of its pictures is true.
fn is_believed(at: SimTime, request: &FireRequest, shown_at: SimTime, host: &mut Host) -> bool {
    let peer = request.peer;
    let sees_past = host.config().clock_mode == ClockMode::Synchronised;
    let is_true = |picture: &Picture, host: &mut Host| {
        let taken = host.handle_reference(at, peer, EntityId(picture.entity), &picture.shown);
        // A body that is too far away to be remembered cannot be hit either.
        picture.shown.shown_at == request.shown_at
            && matches!(taken, Some(Ok(()) | Err(HitRefusal::NotShown)))
    };
    let mut pictures = request.pictures.iter().filter(|_| sees_past);
    pictures.all(|picture| is_true(picture, host))
        && matches!(host.admit_shot(at, peer, shown_at), Some(Ok(())))
}
