//! Following a way at the wheel: look ahead, slow down for bends, get free again.
//!
//! A driver steers towards a place on its way that is further off the faster it goes (pure pursuit),
//! and is never faster than lets it brake for every bend it can see ahead.

use reckoning::DVec3;
use reckoning::math::{atan2, cos, sin, sqrt};
use reckoning::random::SplitMix64;

use super::super::body::Body;
use super::super::craft::Craft;
use super::super::drive::{GRAVITY_MPS2, rules_of};
use super::super::file::DriveRules;
use super::super::world::HillsWorld;
use super::roads::distance_m;
use super::traffic::Traffic;
use crate::{TICK_S, ticks};

/// Bends are looked for this far ahead.
const SIGHT_M: f64 = 70.0;
/// Of grip and brakes, what a careful driver counts on.
const CARE: f64 = 0.6;
/// Slower than this, with the foot down, is stuck.
const STUCK_MPS: f64 = 0.8;
/// After this long.
const STUCK_S: f64 = 0.7;
/// On bridges and in tunnels one looks no further and goes no faster.
const NARROW_LOOK_M: f64 = 9.0;
const NARROW_MPS: f64 = 15.0;
/// How fast hands turn the wheel, from middle to end in a second.
const HANDS: f64 = 4.5;

/// One bot's way and what its hands and feet do.
#[derive(Clone, Debug, Default)]
pub(super) struct Travel {
    /// Corners still ahead, the next one last.
    pub(super) ahead: Vec<DVec3>,
    /// Where the present leg began.
    pub(super) leg_from: Option<DVec3>,
    /// Where it wanted to go when it planned.
    pub(super) to: Option<DVec3>,
    pub(super) planned_tick: u64,
    steer: f64,
    slow_ticks: u64,
    reverse_until: u64,
    reverse_steer: f64,
    /// How often it got stuck since its last plan.
    pub(super) stuck: u32,
}

impl Travel {
    pub(super) fn forget(&mut self) {
        self.ahead.clear();
        (self.to, self.stuck, self.slow_ticks, self.reverse_until) = (None, 0, 0, 0);
    }

    /// How far it is to the end of the way, roughly; `None` without one.
    pub(super) fn left_m(&self, at: DVec3) -> Option<f64> {
        let end = self.ahead.first()?;
        Some((*end - at).with_z(0.0).length())
    }

    /// Throttle and steering on the way; `stops` at its end or passes it.
    pub(super) fn drive(
        &mut self,
        me: &Body,
        world: &HillsWorld,
        (traffic, stops): (&Traffic<'_>, bool),
        random: &mut SplitMix64,
    ) -> (f64, f64) {
        let (tick, rules) = (world.tick(), rules_of(me.craft, world.level()));
        let speed_mps = me.velocity.dot(me.orientation * DVec3::X);
        if tick < self.reverse_until {
            return (-1.0, self.reverse_steer);
        }
        let narrow = traffic.is_narrow(me.position);
        self.pass_corners(me, speed_mps, narrow);
        if self.ahead.is_empty() {
            return (if speed_mps.abs() > 0.3 { -speed_mps.signum() } else { 0.0 }, 0.0);
        }
        let furthest_m = if narrow { NARROW_LOOK_M } else { 20.0 };
        let look_m = (4.0 + 0.55 * speed_mps.abs()).clamp(5.0, furthest_m);
        let target = traffic.dodge(me, self.at(me.position, look_m));
        let turn_rad = turn_to(me, target);
        let allowed_mps = self
            .bends_mps(me, rules, stops)
            .min(turn_mps(me.craft, rules, turn_rad))
            .min(if narrow { NARROW_MPS } else { f64::INFINITY })
            .min(traffic.allowed_mps(me, rules, |far_m| self.at(me.position, far_m)));
        let throttle = throttle(me, rules, speed_mps, allowed_mps);
        self.turn_wheel(me, rules, turn_rad, look_m, speed_mps);
        self.notice_stuck(me, (speed_mps, throttle, turn_rad), tick, random);
        (throttle, self.steer)
    }

    /// Leaves out corners that are reached or already behind.
    fn pass_corners(&mut self, me: &Body, speed_mps: f64, narrow: bool) {
        let near_m = (2.5 + 0.25 * speed_mps.abs()).min(if narrow { 3.5 } else { 7.0 });
        while let Some(next) = self.ahead.last() {
            let gap = (*next - me.position).with_z(0.0);
            let then = self.ahead.iter().rev().nth(1);
            let is_behind = then.is_some_and(|then| {
                gap.length() < 7.0 && gap.dot((*then - *next).with_z(0.0)) < 0.0
            });
            if gap.length() > near_m && !is_behind {
                break;
            }
            self.leg_from = self.ahead.pop();
        }
    }

    /// How far it is beside the leg of its way that it is on.
    pub(super) fn off_m(&self, at: DVec3) -> f64 {
        let (Some(from), Some(to)) = (self.leg_from, self.ahead.last()) else { return 0.0 };
        distance_m(at, from, *to)
    }

    /// The place on the way that is this far ahead.
    fn at(&self, from: DVec3, far_m: f64) -> DVec3 {
        let (mut here, mut left_m) = (from, far_m);
        for next in self.ahead.iter().rev() {
            let gap = *next - here;
            let long_m = gap.with_z(0.0).length();
            if long_m >= left_m {
                return here + gap * (left_m / long_m.max(1e-6));
            }
            (here, left_m) = (*next, left_m - long_m);
        }
        here
    }

    /// How fast it may be for every bend ahead.
    fn bends_mps(&self, me: &Body, rules: &DriveRules, stops: bool) -> f64 {
        let (mut here, mut far_m) = (me.position, 0.0);
        let mut allowed_mps = rules.speed_mps * 1.1;
        let mut corners = self.ahead.iter().rev().peekable();
        while let Some(next) = corners.next() {
            let into = (*next - here).with_z(0.0);
            far_m += into.length();
            if far_m > SIGHT_M {
                break;
            }
            let bend_mps = match corners.peek() {
                Some(then) => bend_mps(me.craft, rules, into, (**then - *next).with_z(0.0)),
                None if stops => 1.0,
                None => rules.speed_mps,
            };
            allowed_mps = allowed_mps.min(before(bend_mps, far_m, rules));
            here = *next;
        }
        allowed_mps
    }

    fn turn_wheel(
        &mut self,
        me: &Body,
        rules: &DriveRules,
        turn_rad: f64,
        look_m: f64,
        speed_mps: f64,
    ) {
        let most_rad = rules.turn_deg.to_radians();
        let wanted = if me.craft == Craft::Car {
            let sharp = turn_rad.clamp(-1.5, 1.5);
            let bend = 2.0 * sin(sharp) / look_m * me.craft.shape().wheelbase_m;
            // Wheels that are turned further than grip bears only slide.
            let grip = rules.grip_mps2 * me.craft.shape().wheelbase_m;
            let most = grip / (speed_mps * speed_mps).max(1.0);
            atan2(bend.clamp(-most, most), 1.0) / most_rad
        } else {
            2.2 * turn_rad / most_rad
        };
        let hands = HANDS * TICK_S;
        self.steer += (wanted.clamp(-1.0, 1.0) - self.steer).clamp(-hands, hands);
    }

    /// Foot down and no way made: back out, turning, and plan anew.
    fn notice_stuck(
        &mut self,
        me: &Body,
        (speed_mps, throttle, turn_rad): (f64, f64, f64),
        tick: u64,
        random: &mut SplitMix64,
    ) {
        // A tank that turns on the spot is not stuck, unless a wall keeps it from turning.
        let turns = me.craft == Craft::Tank && turn_rad.abs() > 0.6;
        let jammed = turns && me.angular_velocity.z.abs() < 0.05;
        let slow = throttle > 0.2 && speed_mps.abs() < STUCK_MPS && (!turns || jammed);
        self.slow_ticks = if slow { self.slow_ticks + 1 } else { 0 };
        if self.slow_ticks < ticks(STUCK_S) {
            return;
        }
        self.slow_ticks = 0;
        self.stuck += 1;
        self.reverse_until = tick + ticks(random.between(0.5, 1.0) * f64::from(self.stuck.min(3)));
        let side = if random.chance(0.8) { turn_rad.signum() } else { -turn_rad.signum() };
        self.reverse_steer = match me.craft {
            _ if jammed => 0.0,
            Craft::Car => -side,
            _ => side,
        };
        self.planned_tick = 0;
    }
}

/// How far to the left of its nose a place is.
pub(super) fn turn_to(me: &Body, place: DVec3) -> f64 {
    let ahead = (me.orientation * DVec3::X).with_z(0.0);
    let gap = (place - me.position).with_z(0.0);
    atan2(ahead.x * gap.y - ahead.y * gap.x, ahead.dot(gap))
}

/// The speed from which brakes bring it down to another over a distance.
pub(super) fn before(then_mps: f64, far_m: f64, rules: &DriveRules) -> f64 {
    let gain = 2.0 * CARE * rules.braking_mps2 * far_m.max(0.0);
    sqrt(then_mps * then_mps + gain)
}

/// How fast a corner may be taken: what grip bears on the arc that rounds it.
fn bend_mps(craft: Craft, rules: &DriveRules, into: DVec3, out: DVec3) -> f64 {
    let turn_rad = atan2(into.x * out.y - into.y * out.x, into.dot(out)).abs();
    if turn_rad < 0.05 {
        return rules.speed_mps * 1.1;
    }
    // The arc may begin half a leg before the corner, but no bot looks further than that.
    let leg_m = (0.5 * into.length().min(out.length())).clamp(4.0, 12.0);
    let half = (0.5 * turn_rad).min(1.5);
    let radius_m = leg_m * cos(half) / sin(half);
    let grip_mps = sqrt(CARE * rules.grip_mps2 * radius_m);
    if craft == Craft::Car {
        return grip_mps.max(3.5);
    }
    grip_mps.min(0.8 * rules.turn_deg.to_radians() * radius_m).max(2.5)
}

/// How fast it may be while its nose points this far past its target.
fn turn_mps(craft: Craft, rules: &DriveRules, turn_rad: f64) -> f64 {
    let off = turn_rad.abs();
    match craft {
        Craft::Car if off > 1.2 => 4.5,
        Craft::Car if off > 0.5 => 8.0,
        Craft::Tank if off > 1.2 => 0.5,
        Craft::Tank if off > 0.5 => 5.0,
        _ => rules.speed_mps * 1.1,
    }
}

/// The foot: as far down as the missing speed and the slope ask for.
fn throttle(me: &Body, rules: &DriveRules, speed_mps: f64, allowed_mps: f64) -> f64 {
    let rise = (me.orientation * DVec3::X).z;
    let hold = GRAVITY_MPS2 * rise / rules.acceleration_mps2;
    let missing = allowed_mps - speed_mps;
    if missing < -0.6 {
        return (missing / 2.5).clamp(-1.0, -0.2);
    }
    if missing < 0.0 {
        return hold.clamp(0.0, 1.0);
    }
    (missing / 2.0 + hold).clamp(0.15, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::super::body::BodyId;
    use super::super::super::level::HillsLevel;
    use super::*;

    #[test]
    fn drivers_slow_down_before_a_sharp_bend_no_later_than_brakes_must() {
        let level = HillsLevel::built_in();
        for craft in [Craft::Tank, Craft::Car] {
            let rules = rules_of(craft, &level);
            let corner = DVec3::X * 60.0;
            let bent = vec![corner + DVec3::Y * 60.0, corner];
            let bend = Travel { ahead: bent, ..Travel::default() };
            let straight = Travel { ahead: vec![DVec3::X * 120.0, corner], ..Travel::default() };
            let allowed = |travel: &Travel, left_m: f64| {
                let at = corner - DVec3::X * left_m;
                travel.bends_mps(&Body::standing(BodyId(0), craft, 0, at), rules, false)
            };
            let in_it = allowed(&bend, 0.1);
            assert!(in_it < 0.7 * rules.speed_mps, "{craft:?}: {in_it} m/s in the bend");
            for left_m in [5.0, 15.0, 30.0, 55.0] {
                let brakes = sqrt(in_it * in_it + 2.0 * rules.braking_mps2 * left_m);
                let got = allowed(&bend, left_m);
                assert!(got > in_it && got < brakes, "{craft:?} {left_m} m before: {got} m/s");
                assert!(allowed(&straight, left_m) >= rules.speed_mps, "{craft:?}");
            }
        }
    }
}
