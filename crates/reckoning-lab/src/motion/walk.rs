//! A player on foot, simulated: picks a place, goes there at some pace, dodges now and then,
//! pauses, picks the next.
//!
//! The acceleration is constant within a tick, so position and velocity are exact sums of
//! it. What the player wants changes suddenly; what the body does is limited by how hard
//! feet can push, and the view turns no faster than a hand turns it.

use std::f64::consts::{PI, TAU};

use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics, SimTime};

use super::{TICK_HZ, facing};

/// Faster than any pace, for dodges are added to it.
pub(super) const TOP_SPEED_MPS: f64 = 7.0;
const DT_S: f64 = 1.0 / TICK_HZ as f64;
/// What feet can do on firm ground; games allow more than people.
const PUSH_MPS2: f64 = 18.0;
/// Braking is planned with less, so that the body comes to rest where it meant to.
const PLANNED_BRAKE_MPS2: f64 = 12.0;
/// How soon the body wants to have the velocity it wants.
const RESPONSE_S: f64 = 0.12;
const VIEW_RADPS: f64 = 5.0;
const DODGE_MPS: f64 = 3.5;
/// The goals lie in a square this far to each side.
const REACH_M: f64 = 14.0;

/// The truth at ticks 0 to `ticks`.
pub(super) fn track(seed: u64, ticks: u32) -> Vec<Kinematics> {
    let mut walker = Walker::new(seed);
    (0..=ticks).map(|tick| walker.step(SimTime::from_tick(i64::from(tick), TICK_HZ))).collect()
}

struct Walker {
    random: SplitMix64,
    position: DVec3,
    velocity: DVec3,
    heading_rad: f64,
    goal: DVec3,
    pace_mps: f64,
    pause_s: f64,
    dodge: DVec3,
    dodge_s: f64,
}

impl Walker {
    fn new(seed: u64) -> Self {
        let mut walker = Self {
            random: SplitMix64::new(seed),
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
            heading_rad: 0.0,
            goal: DVec3::ZERO,
            pace_mps: 0.0,
            pause_s: 0.5,
            dodge: DVec3::ZERO,
            dodge_s: 0.0,
        };
        walker.choose_goal();
        walker
    }

    /// The state now; then moves on by a tick.
    fn step(&mut self, at: SimTime) -> Kinematics {
        self.change_mind();
        let wanted = self.wanted_velocity();
        let acceleration = push_towards(wanted, self.velocity);
        let turn_radps = self.view_turn();
        let now = Kinematics {
            at,
            position: self.position,
            velocity: self.velocity,
            acceleration,
            orientation: facing(self.heading_rad),
            angular_velocity: DVec3::Z * turn_radps,
        };
        self.position += self.velocity * DT_S + acceleration * (0.5 * DT_S * DT_S);
        self.velocity += acceleration * DT_S;
        if wanted == DVec3::ZERO && self.velocity.length() < 1e-9 {
            // Standing is a speed of exactly zero, not of what rounding leaves.
            self.velocity = DVec3::ZERO;
        }
        self.heading_rad += turn_radps * DT_S;
        now
    }

    fn change_mind(&mut self) {
        self.pause_s -= DT_S;
        self.dodge_s -= DT_S;
        if self.pause_s > 0.0 {
            return;
        }
        if (self.goal - self.position).length() < 0.3 {
            self.choose_goal();
        }
        // About once in three seconds each.
        if self.random.chance(DT_S / 3.0) {
            self.choose_pace();
        }
        if self.random.chance(DT_S / 3.0) {
            self.choose_dodge();
        }
    }

    fn choose_goal(&mut self) {
        let place = |random: &mut SplitMix64| random.between(-REACH_M, REACH_M);
        self.goal = DVec3::new(place(&mut self.random), place(&mut self.random), 0.0);
        self.choose_pace();
        if self.random.chance(0.6) {
            self.pause_s = self.random.between(0.4, 1.6);
        }
    }

    fn choose_pace(&mut self) {
        // Walking or running, rarely between.
        let (slow, fast) = if self.random.chance(0.3) { (1.2, 2.0) } else { (4.5, 5.8) };
        self.pace_mps = self.random.between(slow, fast);
    }

    fn choose_dodge(&mut self) {
        let side = if self.random.chance(0.5) { 1.0 } else { -1.0 };
        self.dodge = DVec3::Z.cross((self.goal - self.position).normalize_or_zero()) * side;
        self.dodge_s = self.random.between(0.2, 0.45);
    }

    fn wanted_velocity(&self) -> DVec3 {
        if self.pause_s > 0.0 {
            return DVec3::ZERO;
        }
        let way = self.goal - self.position;
        // Slow down in time to stop there.
        let stoppable_mps = libm::sqrt(2.0 * PLANNED_BRAKE_MPS2 * way.length());
        let ahead = way.normalize_or_zero() * self.pace_mps.min(stoppable_mps);
        let aside = if self.dodge_s > 0.0 { self.dodge * DODGE_MPS } else { DVec3::ZERO };
        ahead + aside
    }

    /// How fast the view turns towards the way the body moves.
    fn view_turn(&self) -> f64 {
        if self.velocity.length() < 0.5 {
            return 0.0;
        }
        let wanted_rad = libm::atan2(self.velocity.y, self.velocity.x);
        let off_rad = libm::remainder(wanted_rad - self.heading_rad, TAU).clamp(-PI, PI);
        (off_rad / RESPONSE_S).clamp(-VIEW_RADPS, VIEW_RADPS)
    }
}

/// The acceleration that brings the body to the velocity it wants: within the response
/// time, exactly to a halt in the last tick of braking, and never harder than feet push.
fn push_towards(wanted: DVec3, velocity: DVec3) -> DVec3 {
    let missing = wanted - velocity;
    let last_tick_of_braking = wanted == DVec3::ZERO && missing.length() < PUSH_MPS2 * DT_S;
    let within_s = if last_tick_of_braking { DT_S } else { RESPONSE_S };
    (missing / within_s).clamp_length_max(PUSH_MPS2)
}
