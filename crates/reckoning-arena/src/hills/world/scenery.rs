//! What moves by itself: the train, the merchant, the drone and the birds.

use reckoning::ground::Pose;
use reckoning::math::{cos, rotation, sin, sqrt};
use reckoning::model::Path;
use reckoning::orientation::{heading_and_pitch_from_velocity, heading_from_velocity, two_point};
use reckoning::{DQuat, DVec3, Terrain};

use super::super::body::{Body, BodyId};
use super::super::craft::Craft;
use super::super::drive::{GRAVITY_MPS2, settle, turn_between};
use super::super::level::HillsLevel;
use crate::TICK_S;

/// The side of what does not fight.
pub(super) const NO_TEAM: u8 = 2;
const BIRDS: u16 = 8;
/// How far over the lake birds fly.
const BIRD_HEIGHT_M: f64 = 110.0;
const BIRD_MPS: f64 = 9.0;
/// Birds circle this far around their place in the flock.
const BIRD_CIRCLE_M: f64 = 14.0;
const MERCHANT_MPS: f64 = 4.0;
/// How far over the ground a drone flies.
const DRONE_HEIGHT_M: f64 = 24.0;
/// What a passenger puts up with sideways, and what the train's engine and brakes give.
const TRAIN_SIDE_MPS2: f64 = 1.6;
const TRAIN_ALONG_MPS2: f64 = 0.7;
/// Between two places at which the speed of the train is laid down, about.
const PROFILE_M: f64 = 4.0;

/// The lines that these bodies follow, and how fast the train may go along its own.
#[derive(Clone, Debug)]
pub(super) struct Scenery {
    market: Option<Path>,
    flock: Option<Path>,
    profile_mps: Vec<f64>,
}

impl Scenery {
    pub(super) fn new(level: &HillsLevel) -> Self {
        let route = |name: &str| {
            let found = level.file().routes.iter().find(|it| it.name == name)?;
            let points: Vec<DVec3> =
                found.points.iter().map(|it| DVec3::new(it[0], it[1], 0.0)).collect();
            Path::spline(0, &points, true).ok()
        };
        let profile_mps = profile(level.track(), level.file().train.speed_mps);
        Self { market: route("market"), flock: route("flock"), profile_mps }
    }

    /// All of them where they begin, numbered from 0.
    pub(super) fn bodies(&self, level: &HillsLevel) -> Vec<Body> {
        let train = &level.file().train;
        let cars = (0..u16::from(train.cars)).map(|it| (Craft::Train, it));
        let others = [(Craft::Merchant, 0), (Craft::Drone, 0)];
        let crafts = cars.chain(others).chain((0..BIRDS).map(|it| (Craft::Bird, it)));
        let mut bodies: Vec<Body> = Vec::new();
        for (id, (craft, number)) in (0_u16..).zip(crafts) {
            let mut body = Body::standing(BodyId(id), craft, NO_TEAM, DVec3::ZERO);
            body.health = level.file().rules.health;
            body.progress_m = match craft {
                Craft::Train => -f64::from(number) * train.spacing_m,
                Craft::Bird => f64::from(number) * 11.0,
                _ => 0.0,
            };
            body.position = DVec3::new(0.5, 0.5, 0.0) * level.size_m();
            // Twice, so that velocities are there from the first tick on.
            self.advance(&mut body, 0, level);
            self.advance(&mut body, 0, level);
            bodies.push(body);
        }
        bodies
    }

    /// One step of one of them.
    pub(super) fn advance(&self, body: &mut Body, tick: u64, level: &HillsLevel) {
        let before = Pose { position: body.position, orientation: body.orientation };
        match body.craft {
            Craft::Train => self.ride(body, level),
            Craft::Merchant => self.trade(body, level),
            Craft::Drone => hover(body, tick, level),
            Craft::Bird => self.circle(body, tick, level),
            _ => return,
        }
        if tick > 0 {
            // What it did, to the last bit: a line's own direction is that of one moment.
            body.velocity = (body.position - before.position) / TICK_S;
        }
        if body.craft != Craft::Merchant {
            body.angular_velocity = turn_between(before.orientation, body.orientation);
        }
    }

    fn ride(&self, body: &mut Body, level: &HillsLevel) {
        let track = level.track();
        let car = f64::from(body.id.0) * level.file().train.spacing_m;
        let speed_mps = self.train_mps(track, body.progress_m + car);
        body.progress_m = track.wrap(body.progress_m + speed_mps * TICK_S);
        let (place, along) = track.place_at(body.progress_m);
        (body.position, body.velocity) = (place, along * speed_mps);
        let axle_m = 0.7 * Craft::Train.shape().hull_half.x;
        let [front, back] = [axle_m, -axle_m].map(|it| track.place_at(body.progress_m + it).0);
        body.orientation = two_point(front, back, DVec3::Z).unwrap_or(body.orientation);
    }

    /// How fast the train goes when its first car is there.
    fn train_mps(&self, track: &Path, progress_m: f64) -> f64 {
        let count = self.profile_mps.len();
        let place = track.wrap(progress_m) / track.length_m() * count as f64;
        let (first, share) = (place as usize, place - libm::floor(place));
        let [a, b] = [first, first + 1].map(|it| self.profile_mps[it % count]);
        a + (b - a) * share
    }

    fn trade(&self, body: &mut Body, level: &HillsLevel) {
        let Some(market) = &self.market else { return };
        let before = Pose { position: body.position, orientation: body.orientation };
        body.progress_m = market.wrap(body.progress_m + MERCHANT_MPS * TICK_S);
        let (place, along) = market.place_at(body.progress_m);
        let orientation = heading_from_velocity(along, body.orientation, 0.0);
        settle(
            body,
            Pose { position: place.with_z(before.position.z), orientation },
            before,
            level,
        );
    }

    fn circle(&self, body: &mut Body, tick: u64, level: &HillsLevel) {
        let Some(flock) = &self.flock else { return };
        body.progress_m = flock.wrap(body.progress_m + BIRD_MPS * TICK_S);
        let (place, along) = flock.place_at(body.progress_m);
        let own = f64::from(body.id.0);
        let (rate, phase) = (0.35 + 0.02 * own, tick as f64 * TICK_S);
        let angle = phase * rate + own;
        let round = DVec3::new(cos(angle), sin(angle), 0.3 * sin(0.7 * angle)) * BIRD_CIRCLE_M;
        let high = level.file().water_m + BIRD_HEIGHT_M + 2.0 * own;
        body.position = place.with_z(high) + round;
        let turn = DVec3::new(-sin(angle), cos(angle), 0.21 * cos(0.7 * angle));
        body.velocity = along * BIRD_MPS + turn * (BIRD_CIRCLE_M * rate);
        body.orientation = heading_and_pitch_from_velocity(body.velocity, body.orientation, 0.1);
    }
}

/// A lazy figure of eight over the middle of the level; the drone leans as its motors must push.
fn hover(body: &mut Body, tick: u64, level: &HillsLevel) {
    let half = 0.5 * level.size_m();
    let (wide, rate) = (0.55 * half, 0.045);
    let angle = tick as f64 * TICK_S * rate;
    let place = DVec3::new(sin(angle), sin(2.0 * angle), 0.0) * wide + DVec3::new(half, half, 0.0);
    let goes = DVec3::new(cos(angle), 2.0 * cos(2.0 * angle), 0.0) * (wide * rate);
    let pushes = DVec3::new(sin(angle), 4.0 * sin(2.0 * angle), 0.0) * (-wide * rate * rate);
    let ahead = place + goes * 2.0;
    let over = |at: DVec3| level.ground().field().ground_below(at).map_or(0.0, |it| it.point.z);
    let wanted = over(place).max(over(ahead)).max(level.file().water_m) + DRONE_HEIGHT_M;
    let was = if body.position.z == 0.0 { wanted } else { body.position.z };
    let sink_mps = ((wanted - was) * 0.8).clamp(-6.0, 6.0);
    let climb_mps = body.velocity.z + (sink_mps - body.velocity.z) * 0.05;
    body.position = place.with_z(was + climb_mps * TICK_S);
    body.velocity = goes.with_z(climb_mps);
    let sway = DVec3::new(0.0, 0.0, 0.02 * sin(7.0 * angle));
    let up = (pushes * 4.0 + goes * 0.12 + DVec3::Z * GRAVITY_MPS2).normalize_or(DVec3::Z);
    let lean = DQuat::from_rotation_arc(DVec3::Z, up);
    body.orientation = lean * rotation(sway) * heading_from_velocity(goes, DQuat::IDENTITY, 0.0);
}

/// How fast the train may be at places all along its track: slow enough for the bends there, and for
/// those that it must brake for.
fn profile(track: &Path, top_mps: f64) -> Vec<f64> {
    let count = (libm::ceil(track.length_m() / PROFILE_M) as usize).clamp(8, 4096);
    let gap_m = track.length_m() / count as f64;
    let direction = |at: f64| track.place_at(at).1.with_z(0.0).normalize_or(DVec3::X);
    let mut speeds: Vec<f64> = (0..count)
        .map(|it| {
            let at = it as f64 * gap_m;
            let turn = direction(at + 12.0).dot(direction(at - 12.0)).clamp(-1.0, 1.0);
            let bend_per_m = libm::acos(turn) / 24.0;
            sqrt(TRAIN_SIDE_MPS2 / bend_per_m.max(1e-6)).clamp(2.0, top_mps.max(2.0))
        })
        .collect();
    let gain = 2.0 * TRAIN_ALONG_MPS2 * gap_m;
    let reached = |from_mps: f64| sqrt(from_mps * from_mps + gain);
    for it in (0..2 * count).rev() {
        speeds[it % count] = speeds[it % count].min(reached(speeds[(it + 1) % count]));
    }
    for it in 0..2 * count {
        speeds[(it + 1) % count] = speeds[(it + 1) % count].min(reached(speeds[it % count]));
    }
    speeds
}
