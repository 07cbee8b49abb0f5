//! Bodies of the game as they are, and what drivers do.

use reckoning::ground::{Footprint, Pose};
use reckoning::math::{cos, rotation, sin};
use reckoning::orientation::heading_rad;
use reckoning::{DQuat, DVec3, Kinematics, SimTime, Terrain};

use super::craft::Craft;
use super::ground::HillsGround;

/// A body of a game, by a number that it keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u16);

/// Where a turret and its barrel point, and how fast they turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aim {
    /// The turret on the hull: 0 is ahead, to the left is positive.
    pub turret_rad: f64,
    /// How fast it turns.
    pub turret_radps: f64,
    /// The barrel in the turret: up is positive.
    pub barrel_rad: f64,
    /// How fast it tilts.
    pub barrel_radps: f64,
}

/// What a driver does in one step. The default lets go of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DriverInput {
    /// From -1, full reverse, to 1, full ahead; against the motion it brakes.
    pub throttle: f64,
    /// From -1, right, to 1, left.
    pub steer: f64,
    /// The direction in the world that the barrel should point in; zero leaves it where it is.
    pub aim: DVec3,
    /// Pulls the trigger of the gun.
    pub fire: bool,
    /// Lobs a shell.
    pub lob: bool,
}

/// One body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its number.
    pub id: BodyId,
    /// What it is.
    pub craft: Craft,
    /// Its side, 0 or 1; of what does not fight, 2.
    pub team: u8,
    /// Whether its client moves it and the world only takes over where it is.
    pub moves_itself: bool,
    /// Where its origin is.
    pub position: DVec3,
    /// How fast that goes.
    pub velocity: DVec3,
    /// What of that came from being pushed out of others in the last step, and is not kept up.
    pub pushed: DVec3,
    /// From its axes to the world's.
    pub orientation: DQuat,
    /// How it turns: an axis in the world, times radians a second.
    pub angular_velocity: DVec3,
    /// Its turret, if it has one.
    pub aim: Aim,
    /// How far along its track or its route it is.
    pub progress_m: f64,
    /// From 0 to the level's `rules.health`.
    pub health: f64,
    /// Whether it is there. What is not driven always is.
    pub is_alive: bool,
    /// The step of its last birth or death.
    pub since_tick: u64,
    /// The step in which it may shoot again.
    pub gun_ready_tick: u64,
    /// The step in which it may lob again.
    pub lob_ready_tick: u64,
    /// How many it destroyed.
    pub kills: u32,
    /// How often it was destroyed.
    pub deaths: u32,
}

impl Body {
    /// At rest in a place, whole.
    #[must_use]
    pub fn standing(id: BodyId, craft: Craft, team: u8, position: DVec3) -> Self {
        Self {
            id,
            craft,
            team,
            moves_itself: false,
            position,
            velocity: DVec3::ZERO,
            pushed: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            angular_velocity: DVec3::ZERO,
            aim: Aim::default(),
            progress_m: 0.0,
            health: 100.0,
            is_alive: true,
            since_tick: 0,
            gun_ready_tick: 0,
            lob_ready_tick: 0,
            kills: 0,
            deaths: 0,
        }
    }

    /// Its motion, as a publisher observes it; without an acceleration.
    #[must_use]
    pub fn kinematics(&self, at: SimTime) -> Kinematics {
        Kinematics {
            orientation: self.orientation,
            angular_velocity: self.angular_velocity,
            ..Kinematics::moving(at, self.position, self.velocity)
        }
    }

    /// Where its muzzle is and where that points; `None` without a turret.
    #[must_use]
    pub fn muzzle(&self) -> Option<(DVec3, DVec3)> {
        let turret = self.craft.shape().turret?;
        let turned = rotation(DVec3::Z * self.aim.turret_rad);
        let tilted = turned * rotation(DVec3::Y * -self.aim.barrel_rad);
        let along = self.orientation * (tilted * DVec3::X);
        let hinge = self.position + self.orientation * (turret.pivot + turned * turret.barrel);
        Some((hinge + along * turret.barrel_length_m, along))
    }

    /// Where its gun is and where it shoots when its driver aims there: of a tank where the barrel
    /// points, whatever the aim; a car's shoots from its roof, a little to either side of ahead.
    #[must_use]
    pub fn gun(&self, aim: DVec3) -> (DVec3, DVec3) {
        if let Some(muzzle) = self.muzzle() {
            return muzzle;
        }
        let half = self.craft.shape().hull_half;
        let roof = self.craft.shape().hull_centre + DVec3::new(0.5 * half.x, 0.0, half.z + 0.2);
        let ahead = self.orientation * DVec3::X;
        let aim = aim.normalize_or(ahead);
        let along = if aim.is_finite() && aim.dot(ahead) > CAR_GUN_COS { aim } else { ahead };
        (self.position + self.orientation * roof, along)
    }
}

/// How far from its nose a car can aim: 35 degrees.
pub(super) const CAR_GUN_COS: f64 = 0.819;

/// How deep a body of that sort stands in the ground: the most that one of the three points of its
/// footprint is under it, or what its origin is if it has none. Negative above the ground; zero, but
/// for rounding, for what the world moved.
#[must_use]
pub fn depth_m(craft: Craft, pose: Pose, ground: &HillsGround) -> f64 {
    // Asked from the height of the origin, as clamps ask: which of two levels a body stands on is
    // one answer for all of it.
    let under = |point: DVec3| {
        let from = point.with_z(pose.position.z);
        ground.ground_below(from).map_or(f64::NEG_INFINITY, |it| it.point.z - point.z)
    };
    let Some(Footprint::Rectangle { half_length_m, half_width_m }) = craft.footprint() else {
        return under(pose.position);
    };
    let heading = heading_rad(pose.orientation);
    let ahead = DVec3::new(cos(heading), sin(heading), 0.0);
    let left = DVec3::Z.cross(ahead);
    let up = pose.orientation * DVec3::Z;
    let foot = |along: f64, across: f64| {
        let level = ahead * along + left * across;
        // The height of the body's own plane over that place.
        under(pose.position + level - DVec3::Z * (level.dot(up) / up.z.max(0.1)))
    };
    foot(half_length_m, 0.0)
        .max(foot(-half_length_m, half_width_m))
        .max(foot(-half_length_m, -half_width_m))
}
