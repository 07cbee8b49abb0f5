//! Aiming and shooting, as slowly and as badly as people do.
//!
//! A gunner turns its aim towards what it believes of an opponent, with an error that wanders, shoots
//! in bursts while it is about in line, and lobs shells at those that it saw go behind cover.

use reckoning::DVec3;
use reckoning::math::sqrt;
use reckoning::random::SplitMix64;

use super::super::body::{Body, BodyId};
use super::super::craft::Craft;
use super::super::world::HillsWorld;
use super::ballistics::arcs;
use super::senses::{Senses, Sighting};
use super::style::Style;
use crate::{TICK_S, ticks};

/// How fast the eye leads the aim to something new, in rad/s.
const AIM_RADPS: f64 = 2.5;
/// What the error of the aim forgets in a second.
const WANDER_PER_S: f64 = 1.6;
/// A place is worth a shell from this far, so that its burst spares the one that lobs it.
const LOB_LEAST_M: f64 = 35.0;
/// How near to its mark a shell must come down.
const LOB_NEAR_M: f64 = 8.0;
/// An arc is looked for this often.
const LOB_TICKS: u64 = 40;
/// How well in line a barrel must be for a shell.
const LOB_RAD: f64 = 0.02;

/// What a gunner does in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shot {
    pub(super) aim: DVec3,
    pub(super) fire: bool,
    pub(super) lob: bool,
}

/// One bot's gunner.
#[derive(Clone, Debug, Default)]
pub(super) struct Gunner {
    target: Option<BodyId>,
    aim: DVec3,
    /// The error of the aim: left and up, in radians.
    error: [f64; 2],
    burst_until: u64,
    pause_until: u64,
    /// The direction of an arc, and until when it is worth turning there.
    arc: Option<(DVec3, u64)>,
}

impl Gunner {
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whom it shoots at.
    pub(super) const fn target(&self) -> Option<BodyId> {
        self.target
    }

    pub(super) fn act(
        &mut self,
        me: &Body,
        world: &HillsWorld,
        (senses, style): (&mut Senses, &Style),
        (random, may_search): (&mut SplitMix64, &mut bool),
    ) -> Shot {
        self.choose(me, world.tick(), senses, style);
        self.wander(style, random);
        if let Some(shot) = self.lob(me, world, senses, may_search) {
            return shot;
        }
        if let Some(target) = self.target {
            senses.follow(target, world);
        }
        let Some(seen) = self.target.and_then(|it| senses.of(it)).copied() else {
            return self.rest(me);
        };
        self.shoot(me, world, &seen, random)
    }

    /// Keeps its target while that is in sight and not much further than another.
    fn choose(&mut self, me: &Body, tick: u64, senses: &Senses, style: &Style) {
        let open = |it: &Sighting| it.is_open(tick, style.reaction_ticks);
        let far = |it: &Sighting| it.believed(tick).distance(me.position);
        let best = senses.nearest(me, tick, open);
        let kept = self.target.and_then(|it| senses.of(it)).filter(|it| open(it));
        self.target = match (kept, best) {
            (Some(kept), Some(best)) if far(kept) < 1.4 * far(best) => Some(kept.who),
            (_, best) => best.map(|it| it.who),
        };
    }

    fn wander(&mut self, style: &Style, random: &mut SplitMix64) {
        let keep = 1.0 - WANDER_PER_S * TICK_S;
        let kick = style.error_rad * sqrt(2.0 * WANDER_PER_S * TICK_S);
        self.error = self.error.map(|it| it * keep + kick * random.normal());
    }

    /// Looks where the vehicle goes.
    fn rest(&mut self, me: &Body) -> Shot {
        self.turn(me.orientation * DVec3::X);
        Shot { aim: self.aim, ..Shot::default() }
    }

    fn shoot(
        &mut self,
        me: &Body,
        world: &HillsWorld,
        seen: &Sighting,
        random: &mut SplitMix64,
    ) -> Shot {
        let (tick, shape) = (world.tick(), seen.craft.shape());
        let middle = DVec3::Z * (shape.hull_centre.z + 0.3);
        let (from, _) = me.gun(self.aim);
        // Shots are there at once; what must be led is the step until this one takes effect.
        let mark = seen.believed(tick) + seen.velocity * TICK_S + middle - from;
        let far_m = mark.length().max(1.0);
        let along = mark / far_m;
        let left = DVec3::Z.cross(along).normalize_or(DVec3::Y);
        self.turn(along + left * self.error[0] + DVec3::Z * (0.4 * self.error[1]));
        let (_, points) = me.gun(self.aim);
        let wide_m = if seen.craft == Craft::Car { 1.8 } else { 2.6 };
        let in_line =
            points.dot(along) > 0.0 && points.cross(along).length() * far_m < 1.5 * wide_m;
        let in_range = far_m < world.level().file().gun.range_m;
        let fire = in_line && in_range && self.is_bursting(tick, random);
        Shot { aim: self.aim, fire, lob: false }
    }

    fn is_bursting(&mut self, tick: u64, random: &mut SplitMix64) -> bool {
        if tick >= self.pause_until {
            self.burst_until = tick + ticks(random.between(0.8, 2.2));
            self.pause_until = self.burst_until + ticks(random.between(0.4, 1.3));
        }
        tick < self.burst_until
    }

    /// Turns the aim, no faster than an eye leads a hand.
    fn turn(&mut self, to: DVec3) {
        let to = to.normalize_or(DVec3::X);
        let gap = to - self.aim;
        let most = AIM_RADPS * TICK_S;
        let share = (most / gap.length().max(1e-9)).min(1.0);
        self.aim = (self.aim + gap * share).normalize_or(to);
    }

    /// Goes through with an arc that was found, or looks for one.
    fn lob(
        &mut self,
        me: &Body,
        world: &HillsWorld,
        senses: &Senses,
        may_search: &mut bool,
    ) -> Option<Shot> {
        let tick = world.tick();
        if me.craft != Craft::Tank || tick < me.lob_ready_tick {
            self.arc = None;
            return None;
        }
        let due = (tick + u64::from(me.id.0)).is_multiple_of(LOB_TICKS);
        if due && *may_search {
            self.arc = self.find_arc(me, world, senses, may_search);
        }
        let (aim, _) = self.arc.filter(|it| tick < it.1)?;
        self.turn(aim);
        let (_, points) = me.muzzle()?;
        let in_line = points.cross(aim).length() < LOB_RAD && points.dot(aim) > 0.0;
        // Quick guns serve better against what is in sight and near, unless it stands still.
        Some(Shot { aim, fire: false, lob: in_line })
    }

    fn find_arc(
        &self,
        me: &Body,
        world: &HillsWorld,
        senses: &Senses,
        may_search: &mut bool,
    ) -> Option<(DVec3, u64)> {
        let (tick, rules) = (world.tick(), world.level().file().shell);
        let hidden = |it: &Sighting| self.target != Some(it.who) || it.velocity.length() < 3.0;
        let seen = senses.nearest(me, tick, hidden)?;
        let (from, _) = me.muzzle()?;
        let first = arcs(from, seen.believed(tick), rules.speed_mps)?;
        for (choice, (_, flight_s)) in first.into_iter().enumerate() {
            let mark = seen.believed(tick) + seen.velocity * flight_s.min(2.5);
            let far_m = mark.distance(me.position);
            if !(LOB_LEAST_M..rules.range_m).contains(&far_m) {
                continue;
            }
            let (aim, _) = arcs(from, mark, rules.speed_mps)?[choice];
            if !is_within_tilt(me, aim) {
                continue;
            }
            *may_search = false;
            let (_, lands) = HillsWorld::landing(world.level(), from, aim * rules.speed_mps);
            if lands.distance(mark) < LOB_NEAR_M {
                return Some((aim, tick + LOB_TICKS + 20));
            }
        }
        None
    }
}

/// Whether the barrel can point there as the hull stands.
fn is_within_tilt(me: &Body, aim: DVec3) -> bool {
    let Some(turret) = me.craft.shape().turret else { return false };
    let up = (me.orientation * DVec3::Z).dot(aim);
    let (least, most) = turret.tilts_rad;
    (reckoning::math::sin(least)..reckoning::math::sin(most)).contains(&up)
}
