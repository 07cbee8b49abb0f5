//! One step of a vehicle, the same on both ends.
//!
//! A closed and simple model. Along its nose a vehicle has an engine, brakes, the pull of the slope
//! and a drag that balances the engine at top speed on level ground; across its nose it slips, and
//! grip eats the slip. Tanks turn on the spot; cars turn as their front wheels lead (the bicycle
//! model), but never faster than grip can bend their way by much. Afterwards the vehicle is set onto
//! the ground by the very clamp that listeners use, so the truth stands exactly where a clamped
//! picture of it stands.

use std::f64::consts::FRAC_PI_2;

use reckoning::ground::{ClampDetail, ClampMode, Footprint, GroundClampConfig, Pose};
use reckoning::math::{atan2, cos, rotation, scaled_axis, sin, sqrt};
use reckoning::orientation::{heading_rad, shortest_turn_rad};
use reckoning::{DQuat, DVec3, GroundClamp, SimTime, Terrain};

use super::body::{Aim, Body, DriverInput};
use super::craft::Craft;
use super::file::DriveRules;
use super::ground::HEADROOM_M;
use super::level::HillsLevel;
use crate::TICK_S;

/// What pulls down, in m/s².
pub const GRAVITY_MPS2: f64 = 9.81;
/// What rolling costs at any speed; a slope of three degrees makes up for it.
pub(super) const ROLLING_MPS2: f64 = 0.5;
/// What lies deeper under the lake than this stops a vehicle.
pub(super) const FORD_M: f64 = 0.3;
/// Vehicles stay this far inside the level.
pub(super) const BORDER_M: f64 = 5.0;
/// Front wheels that are turned further than grip allows bend the way this much more than it does:
/// the rest becomes slip.
const OVERSTEER: f64 = 1.15;
/// How quickly a tank's tracks take up a turn, in rad/s².
const TURN_RADPS2: f64 = 5.0;
/// How long turrets and barrels take to reach the rate at which they turn, or to stop: they are
/// heavy. One that turns back at once would be seen on the wrong side by twice its way.
const SWING_S: f64 = 0.35;
/// Backwards everything is this much slower.
const REVERSE: f64 = 0.5;
/// A vehicle takes steps up to this high at once; a wall is higher.
const STEP_M: f64 = 0.12;
/// Ground rises by less than this for each metre; what rises by more is a wall.
const WALL: f64 = 0.8;
/// No vehicle goes over an edge to ground that rises or falls by more than this for each metre: it
/// could not get up again.
const CLIFF: f64 = 0.75;
/// Feet are kept this far off walls.
const SKIN_M: f64 = 0.01;
/// A wall pushes a vehicle back by at most this in a step.
const YIELD_M: f64 = 0.06;

/// Moves a tank or a car by one step of a sixtieth of a second.
///
/// Throttle and steering beyond their range count as their ends, and what is not a number as zero.
pub fn drive(body: &mut Body, input: &DriverInput, level: &HillsLevel) {
    let rules = rules_of(body.craft, level);
    let [throttle, steer] = [input.throttle, input.steer].map(within_one);
    let own = body.velocity - std::mem::take(&mut body.pushed);
    let ahead_mps = own.dot(body.orientation * DVec3::X);
    let turn_radps = turn_radps(body, rules, steer, ahead_mps);
    let turned = rotation(DVec3::Z * (turn_radps * TICK_S)) * body.orientation;
    let (ahead, left) = (turned * DVec3::X, turned * DVec3::Y);
    let along_mps = along_mps(rules, throttle, own.dot(ahead), ahead.z);
    let slip_mps = slip_mps(rules, own.dot(left), left.z);
    let step = (ahead * along_mps + left * slip_mps) * TICK_S;
    let before = Pose { position: body.position, orientation: body.orientation };
    let wanted = reachable(level, body.craft, before, turned, step);
    settle(body, wanted, before, level);
    turn_turret(body, rules, input.aim);
}

/// How that sort drives.
pub(super) fn rules_of(craft: Craft, level: &HillsLevel) -> &DriveRules {
    if craft == Craft::Car { &level.file().car } else { &level.file().tank }
}

fn within_one(it: f64) -> f64 {
    if it.is_finite() { it.clamp(-1.0, 1.0) } else { 0.0 }
}

/// How fast its heading turns in this step.
fn turn_radps(body: &Body, rules: &DriveRules, steer: f64, ahead_mps: f64) -> f64 {
    let turn_rad = rules.turn_deg.to_radians();
    if body.craft != Craft::Car {
        let was = body.angular_velocity.z;
        let most = TURN_RADPS2 * TICK_S;
        return was + (steer * turn_rad - was).clamp(-most, most);
    }
    let wheels_rad = steer * turn_rad;
    let wheelbase_m = body.craft.shape().wheelbase_m;
    let wanted = ahead_mps * sin(wheels_rad) / (cos(wheels_rad) * wheelbase_m);
    let most = OVERSTEER * rules.grip_mps2 / ahead_mps.abs().max(0.1);
    wanted.clamp(-most, most)
}

/// The new speed along the nose, which rises by `rise` for each metre.
fn along_mps(rules: &DriveRules, throttle: f64, speed_mps: f64, rise: f64) -> f64 {
    let top_mps = if speed_mps < 0.0 { rules.speed_mps * REVERSE } else { rules.speed_mps };
    let drag = (rules.acceleration_mps2 - ROLLING_MPS2).max(0.1) / (top_mps * top_mps);
    let brakes = throttle * speed_mps < 0.0 && speed_mps.abs() > 0.2;
    let slope = -GRAVITY_MPS2 * rise;
    let too_steep = rise.abs() > sin(rules.climb_deg.to_radians());
    let climbs = throttle * rise > 0.0;
    let engine = if brakes || (too_steep && climbs) { 0.0 } else { throttle };
    let pushed = speed_mps + (engine * rules.acceleration_mps2 + slope) * TICK_S;
    let mut eaten = ROLLING_MPS2 + drag * speed_mps * speed_mps;
    if brakes {
        eaten += rules.braking_mps2 * throttle.abs();
    }
    if too_steep && speed_mps * rise > 0.0 {
        eaten += rules.braking_mps2;
    }
    towards_zero(pushed, eaten * TICK_S)
}

/// The new speed to the left, which rises by `rise` for each metre.
fn slip_mps(rules: &DriveRules, slip_mps: f64, rise: f64) -> f64 {
    towards_zero(slip_mps - GRAVITY_MPS2 * rise * TICK_S, rules.grip_mps2 * TICK_S)
}

fn towards_zero(value: f64, by: f64) -> f64 {
    if value.abs() <= by { 0.0 } else { value - by.copysign(value) }
}

/// Where a step really ends: inside the level, outside of obstacles, out of the lake, and with no part
/// up or down a wall, as the sides of bridges and tunnels are. What cannot go straight slides along;
/// what cannot turn where it is goes on without turning.
pub(super) fn reachable(
    level: &HillsLevel,
    craft: Craft,
    from: Pose,
    turned: DQuat,
    step: DVec3,
) -> Pose {
    let step = step.with_z(0.0);
    let ways = [step, step.with_y(0.0), step.with_x(0.0), DVec3::ZERO];
    for orientation in [turned, from.orientation] {
        for way in ways {
            let position = beside_obstacles(level, craft, inside(level, from.position + way));
            let to = beside_walls(level, craft, Pose { position, orientation });
            if may_stand(level, craft, from, to) {
                return to;
            }
        }
    }
    from
}

fn inside(level: &HillsLevel, point: DVec3) -> DVec3 {
    let last = level.size_m() - BORDER_M;
    DVec3::new(point.x.clamp(BORDER_M, last), point.y.clamp(BORDER_M, last), point.z)
}

fn beside_obstacles(level: &HillsLevel, craft: Craft, mut point: DVec3) -> DVec3 {
    let radius_m = craft.girth_m();
    for obstacle in &level.file().obstacles {
        let gap = DVec3::new(point.x - obstacle.at[0], point.y - obstacle.at[1], 0.0);
        let room_m = radius_m + obstacle.radius_m;
        if gap.length_squared() < room_m * room_m {
            point += gap.normalize_or(DVec3::X) * (room_m - gap.length());
        }
    }
    point
}

/// Walls and railings push what reaches into them back, gently.
fn beside_walls(level: &HillsLevel, craft: Craft, pose: Pose) -> Pose {
    let back = over_side(level, craft, pose).clamp_length_max(YIELD_M);
    Pose { position: pose.position + back, ..pose }
}

fn over_side(level: &HillsLevel, craft: Craft, pose: Pose) -> DVec3 {
    level.ground().over_side(pose.position, level_ahead(pose), half_sizes_m(craft))
}

/// A reckoned picture of a body on the ground, back in the level and between railings and walls, which
/// reckoning knows nothing of. Otherwise a clamp finds some of its feet on a bridge or in a tunnel and
/// others far beneath or on the hill above, and stands it on end.
#[must_use]
pub fn within_walls(craft: Craft, pose: Pose, level: &HillsLevel) -> Pose {
    if !craft.is_grounded() || !pose.is_finite() {
        return pose;
    }
    let ground = level.ground();
    let out_of_ground =
        |at: DVec3| ground.ground_below(at).map_or(at, |it| at.with_z(at.z.max(it.point.z)));
    let mut position = out_of_ground(inside(level, pose.position));
    if ground.is_low(position) {
        // Nothing fits in there, so it drives over it.
        position.z += HEADROOM_M;
    }
    position += ground.strayed(position, level_ahead(pose), half_sizes_m(craft));
    position = out_of_ground(position);
    Pose { position, ..pose }
}

fn may_stand(level: &HillsLevel, craft: Craft, from: Pose, to: Pose) -> bool {
    let over_m = |it: Pose| over_side(level, craft, it).length();
    let mut feet = feet(craft, from).into_iter().zip(feet(craft, to));
    let middle_m = level.ground().ground_below(to.position).map_or(0.0, |it| it.point.z);
    feet.all(|(here, there)| is_no_wall(level, here, there, middle_m))
        && over_m(to) <= over_m(from) + 1e-9
        && is_no_cliff(level, from.position, to.position)
        && is_dry(level, craft, from, to)
}

fn level_ahead(pose: Pose) -> DVec3 {
    let heading = heading_rad(pose.orientation);
    DVec3::new(cos(heading), sin(heading), 0.0)
}

/// Half the length and width of what stands on the ground, and a little more: the clamp rounds in its
/// own way, and must not find a foot beyond a wall that was found before it here.
fn half_sizes_m(craft: Craft) -> (f64, f64) {
    match craft.footprint() {
        Some(Footprint::Rectangle { half_length_m, half_width_m }) => {
            (half_length_m + SKIN_M, half_width_m + SKIN_M)
        }
        _ => (0.0, 0.0),
    }
}

/// The points that a body stands on, and its middle, at the height of its origin: where the clamp asks
/// for the ground.
fn feet(craft: Craft, pose: Pose) -> [DVec3; 4] {
    let ((half_length_m, half_width_m), ahead) = (half_sizes_m(craft), level_ahead(pose));
    let left = DVec3::Z.cross(ahead);
    [(0.0, 0.0), (1.0, 0.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(along, across)| {
        pose.position + ahead * (along * half_length_m) + left * (across * half_width_m)
    })
}

/// Whether no wall is between two places of a foot; one that was beyond a wall may come back to the
/// height of the body's middle.
fn is_no_wall(level: &HillsLevel, here: DVec3, there: DVec3, middle_m: f64) -> bool {
    let run_m = (there - here).with_z(0.0).length();
    let Some(was) = level.ground().ground_below(here) else { return true };
    let Some(is) = level.ground().ground_below(there) else { return false };
    if level.ground().is_low(there) && !level.ground().is_low(here) {
        return false;
    }
    let comes_back = (is.point.z - middle_m).abs() < (was.point.z - middle_m).abs();
    comes_back || (is.point.z - was.point.z).abs() <= STEP_M + WALL * run_m
}

/// On ground that can be driven on, or at least on no steeper than before.
fn is_no_cliff(level: &HillsLevel, from: DVec3, to: DVec3) -> bool {
    let steep = |at: DVec3| {
        let normal = level.ground().ground_below(at).map_or(DVec3::Z, |it| it.normal);
        sqrt(normal.x * normal.x + normal.y * normal.y) / normal.z.max(1e-3)
    };
    let there = steep(to);
    there <= CLIFF || there <= steep(from)
}

/// Out of the lake, or at least no deeper in it than before.
fn is_dry(level: &HillsLevel, craft: Craft, from: Pose, to: Pose) -> bool {
    let nose = from.orientation * DVec3::X * (0.8 * craft.shape().hull_half.x);
    let under = |it: DVec3| level.ground().ground_below(it).map_or(0.0, |it| it.point.z);
    let deepest = |at: DVec3| under(at).min(under(at + nose)).min(under(at - nose));
    let (dry_m, there) = (level.file().water_m - FORD_M, deepest(to.position));
    there >= dry_m || (under(to.position) >= dry_m && there >= deepest(from.position))
}

/// Sets a body onto the ground in a place, with the motion that led there from `before`.
pub(super) fn settle(body: &mut Body, wanted: Pose, before: Pose, level: &HillsLevel) {
    let stands = on_the_ground(body.craft, wanted, level);
    body.position = stands.position;
    body.orientation = stands.orientation.normalize();
    body.velocity = (body.position - before.position) / TICK_S;
    body.angular_velocity = turn_between(before.orientation, body.orientation);
}

/// How fast a body turned that was turned like `a` a step before it is turned like `b`.
pub(super) fn turn_between(a: DQuat, b: DQuat) -> DVec3 {
    scaled_axis(b * a.conjugate()) / TICK_S
}

/// A pose set onto the ground as a clamp with the footprint of that sort sets it.
pub(super) fn on_the_ground(craft: Craft, pose: Pose, level: &HillsLevel) -> Pose {
    let Some(footprint) = craft.footprint() else { return pose };
    let mut config = GroundClampConfig::default();
    (config.mode, config.footprint) = (ClampMode::Always, footprint);
    let Ok(mut clamp) = GroundClamp::new(config) else { return pose };
    clamp.clamp_with(pose, &**level.ground(), ClampDetail::AllPoints, SimTime::ZERO)
}

/// Turns turret and barrel towards a direction in the world, as fast as they turn.
fn turn_turret(body: &mut Body, rules: &DriveRules, aim: DVec3) {
    let Some(turret) = body.craft.shape().turret else { return };
    let was = body.aim;
    let most_radps = rules.turret_deg_s.to_radians();
    let (mut turn_rad, mut tilt_rad) = (0.0, 0.0);
    let (least, greatest) = turret.tilts_rad;
    if aim.is_finite() && aim.length_squared() > 1e-12 {
        let local = body.orientation.conjugate() * aim.normalize_or(DVec3::X);
        let flat_m = sqrt(local.x * local.x + local.y * local.y);
        if flat_m > 1e-6 {
            turn_rad = shortest_turn_rad(was.turret_rad, atan2(local.y, local.x));
        }
        let wanted = atan2(local.z, flat_m).clamp(-FRAC_PI_2, FRAC_PI_2).clamp(least, greatest);
        tilt_rad = wanted - was.barrel_rad;
    }
    let turret_radps = swing_radps(was.turret_radps, turn_rad, most_radps);
    let tilt_radps = swing_radps(was.barrel_radps, tilt_rad, most_radps);
    let barrel_rad = (was.barrel_rad + tilt_radps * TICK_S).clamp(least, greatest);
    body.aim = Aim {
        turret_rad: shortest_turn_rad(0.0, was.turret_rad + turret_radps * TICK_S),
        turret_radps,
        barrel_rad,
        barrel_radps: (barrel_rad - was.barrel_rad) / TICK_S,
    };
}

/// How fast what turned at `radps` turns in the next step, with `left_rad` to go: it takes
/// [`SWING_S`] to reach what it turns `most` by, and stops where it is to point.
fn swing_radps(radps: f64, left_rad: f64, most_radps: f64) -> f64 {
    let gain = most_radps / SWING_S;
    if gain <= 0.0 {
        return 0.0;
    }
    // The rate from which it can still stop there after another step.
    let room_s2 = TICK_S * TICK_S + 2.0 * left_rad.abs() / gain;
    let stopping = gain * (sqrt(room_s2) - TICK_S);
    let wanted = stopping.min(most_radps).copysign(left_rad);
    wanted.clamp(radps - gain * TICK_S, radps + gain * TICK_S)
}

/// A body standing in a place with a heading, at rest and on the ground.
pub(super) fn stand(body: &mut Body, at: DVec3, heading: f64, level: &HillsLevel) {
    let pose = Pose { position: at, orientation: rotation(DVec3::Z * heading) };
    settle(body, pose, pose, level);
    (body.velocity, body.pushed) = (DVec3::ZERO, DVec3::ZERO);
    (body.angular_velocity, body.aim) = (DVec3::ZERO, Aim::default());
    debug_assert!(shortest_turn_rad(heading_rad(body.orientation), heading).abs() < 1e-6);
}
