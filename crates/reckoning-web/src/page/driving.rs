//! Vehicles on the page: the one that we drive, who drives the others, and the hint how to get in.

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::host::{BUGGY, ENTER_RADII};
use reckoning_arena::protocol::ClientMessage;
use reckoning_arena::{BodyKind, Input, Level, Player, PlayerId, Team};
use reckoning_client::{EntityId, Session};

use super::draw::Ground;
use super::live::Live;
use crate::local_player::LocalPlayer;

/// We offer to get in from somewhat nearer than the server allows, which sees us a little later.
const OFFER_SHARE: f64 = 0.8;

/// What we drive.
#[derive(Clone, Debug)]
pub struct Ride {
    pub entity: EntityId,
    pub driver: LocalPlayer,
}

impl Ride {
    /// The server handed it over, or put it right.
    pub fn put(this: &mut Option<Self>, entity: EntityId, state: &Kinematics, now: SimTime) {
        let facing = state.orientation * DVec3::X;
        let mut body = Player::standing(PlayerId(0), Team(0), state.position, facing);
        body.velocity = state.velocity;
        *this = Some(Self { entity, driver: LocalPlayer::new(body, now) });
    }

    /// Where to draw it: for a moment on the way from where it was shown to where we drive it.
    pub fn shown(&self, session: Option<&Session>, now: SimTime) -> DVec3 {
        let truth = self.truth(now);
        let pose = session.and_then(|it| it.shown_owned(self.entity, &truth));
        pose.map_or(truth.position, |pose| pose.position)
    }

    fn truth(&self, now: SimTime) -> Kinematics {
        let (place, player) = (self.driver.shown_at(now), self.driver.player());
        Kinematics { position: place, ..player.kinematics(now, BodyKind::Tank) }
    }
}

/// Whether an entity is a vehicle.
pub fn is_vehicle(session: &Session, entity: EntityId) -> bool {
    session.kind(entity).and_then(|kind| session.kinds().name(kind)) == Some(BUGGY)
}

impl Live {
    /// Drives on, if we drive.
    pub fn drive(&mut self, now: SimTime, input: &Input, level: &Level) {
        let (Some(ride), Some(rules)) = (&mut self.ride, level.buggy()) else { return };
        let (client, entity) = (&mut self.connection.client, ride.entity);
        ride.driver.advance_as(now, input, &rules, level, |step| {
            client.observe(entity, step);
        });
    }

    /// Gets into what is near, or out of what we drive.
    pub fn use_vehicle(&mut self, now: SimTime, ground: &Ground) {
        if self.ride.is_some() {
            return self.send(&ClientMessage::Leave);
        }
        if let Some(vehicle) = self.near_vehicle(now, ground) {
            self.send(&ClientMessage::Enter { vehicle });
        }
    }

    /// The nearest empty vehicle that is near enough to get in.
    fn near_vehicle(&self, now: SimTime, ground: &Ground) -> Option<u32> {
        let place = self.own_place(now).filter(|_| self.scene.status.is_alive)?;
        let reach_px = OFFER_SHARE * ENTER_RADII * ground.radius_px;
        let empty = self.bodies.values().filter(|it| it.is_vehicle && !it.has_driver);
        let near = empty.map(|it| (it.shown.distance(place), it.entity));
        let near = near.filter(|it| it.0 <= reach_px);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|it| it.1)
    }

    /// Shows who drives what, and what the key does.
    pub fn gather_vehicles(&mut self, now: SimTime, ground: &Ground) {
        self.gather_ride(now);
        let riders = self.bodies.values().filter(|it| it.is_alive);
        let riders: Vec<_> =
            riders.filter_map(|it| Some((it.rides?, it.name.clone(), it.team))).collect();
        for vehicle in self.bodies.values_mut().filter(|it| it.is_vehicle) {
            let rider = riders.iter().find(|it| it.0 == vehicle.entity);
            vehicle.has_driver = rider.is_some();
            vehicle.name = rider.map(|it| it.1.clone()).unwrap_or_default();
            vehicle.team = rider.map_or(0, |it| it.2);
        }
        let near = self.near_vehicle(now, ground).and_then(|it| self.bodies.get(&it));
        self.scene.hint = match (&self.ride, near) {
            (Some(_), _) => self.own_place(now).map(|it| (it, "E: get out")),
            (None, Some(vehicle)) => Some((vehicle.shown, "E: drive")),
            (None, None) => None,
        };
    }

    /// What we drive, and ourselves in it.
    fn gather_ride(&mut self, now: SimTime) {
        let Some(ride) = &self.ride else { return };
        let shown = ride.shown(self.connection.client.session(), now);
        let heading = ride.driver.player().heading;
        let body = self.bodies.entry(ride.entity.0).or_default();
        (body.entity, body.is_vehicle, body.is_alive) = (ride.entity.0, true, true);
        (body.shown, body.yaw_rad) = (shown, libm::atan2(heading.y, heading.x));
        (body.truth, body.naive) = (None, None);
        if let Some((_, entity)) = self.scene.me
            && let Some(me) = self.bodies.get_mut(&entity)
        {
            me.shown = shown;
        }
    }
}
