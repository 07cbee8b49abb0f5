//! Shots: what straight ones meet, where lobbed ones come down, and what both do.

use reckoning::math::rotation;
use reckoning::{DQuat, DVec3, Terrain};

use super::super::body::{Body, BodyId};
use super::super::craft::{Craft, Part};
use super::super::drive::GRAVITY_MPS2;
use super::super::level::HillsLevel;
use super::{HillsEvent, HillsWorld, Shell};
use crate::{TICK_S, ticks};

/// An arc is looked at in chords of this many seconds; they leave it by little more than a
/// millimetre.
const CHORD_S: f64 = 1.0 / 30.0;
/// No shell flies longer.
const MAX_FLIGHT_S: f64 = 60.0;
/// Where a shell that left the level is taken to be down.
const ABYSS_M: f64 = -100.0;

impl Shell {
    /// Where it is, `t_s` seconds after it was fired.
    #[must_use]
    pub fn position_at(&self, t_s: f64) -> DVec3 {
        on_arc(self.from, self.velocity, t_s)
    }
}

fn on_arc(from: DVec3, velocity: DVec3, t_s: f64) -> DVec3 {
    from + velocity * t_s - DVec3::Z * (0.5 * GRAVITY_MPS2 * t_s * t_s)
}

/// Where an arc first meets something of the level, after how many seconds.
pub(super) fn landing(level: &HillsLevel, from: DVec3, velocity: DVec3) -> (f64, DVec3) {
    if !(from.is_finite() && velocity.is_finite()) {
        return (0.0, from);
    }
    let (mut here, mut t_s) = (from, 0.0);
    let mut chords = 0_u32;
    while t_s < MAX_FLIGHT_S && here.z > ABYSS_M {
        chords += 1;
        let next_s = f64::from(chords) * CHORD_S;
        let next = on_arc(from, velocity, next_s);
        if let Some(share) = level.first_met(here, next) {
            return (t_s + share * (next_s - t_s), here + (next - here) * share);
        }
        (here, t_s) = (next, next_s);
    }
    (t_s, here)
}

/// The share of the way from `from` to `to` at which a body is met, and which part.
pub(super) fn meets(body: &Body, from: DVec3, to: DVec3) -> Option<(f64, Part)> {
    let shape = body.craft.shape();
    let hull = Crate {
        centre: body.position + body.orientation * shape.hull_centre,
        half: shape.hull_half,
        turned: body.orientation,
    };
    let mut best = hull.entered(from, to).map(|it| (it, Part::Hull));
    if let Some(turret) = shape.turret {
        let on_it = Crate {
            centre: body.position + body.orientation * turret.pivot,
            half: turret.half,
            turned: body.orientation * rotation(DVec3::Z * body.aim.turret_rad),
        };
        if let Some(share) = on_it.entered(from, to)
            && best.is_none_or(|it| share < it.0)
        {
            best = Some((share, Part::Turret));
        }
    }
    best
}

/// A box turned in any way.
struct Crate {
    centre: DVec3,
    half: DVec3,
    turned: DQuat,
}

impl Crate {
    /// The share of the way at which it is entered; 0 from within.
    fn entered(&self, from: DVec3, to: DVec3) -> Option<f64> {
        let back = self.turned.conjugate();
        let (start, way) = (back * (from - self.centre), back * (to - from));
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            let (start, way, half) = (start[axis], way[axis], self.half[axis]);
            if way == 0.0 {
                if start.abs() > half {
                    return None;
                }
                continue;
            }
            let (a, b) = ((-half - start) / way, (half - start) / way);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave).then_some(enter)
    }
}

impl HillsWorld {
    /// The gun of a driver goes off, and hits what is there now.
    pub(super) fn shoot(&mut self, place: usize, aim: DVec3) {
        let id = self.bodies[place].id;
        if !self.try_fire(id) {
            return;
        }
        let (from, along) = self.bodies[place].gun(aim);
        let gun = self.level.file().gun;
        let others = self.bodies.iter().filter(|it| it.id != id && it.is_alive);
        let (far_m, met) = Self::first_met(&self.level, from, along, gun.range_m, others);
        self.events.push(HillsEvent::Fired { by: id, from, to: from + along * far_m });
        if let Some((who, part)) = met {
            self.wound(who, id, part, gun.damage);
        }
    }

    /// A shell leaves a barrel, if it may.
    pub(super) fn launch(&mut self, id: BodyId) -> Option<Shell> {
        let rules = self.level.file().shell;
        let place = self.place_of(id)?;
        let body = &mut self.bodies[place];
        if !body.is_alive || self.tick < body.lob_ready_tick {
            return None;
        }
        let (from, along) = body.muzzle()?;
        body.lob_ready_tick = self.tick + ticks(rules.pause_s);
        let velocity = along * rules.speed_mps;
        let number = self.next_shell;
        self.next_shell = self.next_shell.wrapping_add(1);
        let shell = Shell { number, by: id, fired_tick: self.tick, from, velocity };
        self.shells.push(shell);
        self.landings.push(landing(&self.level, from, velocity));
        Some(shell)
    }

    /// Shells fly on by a step; those that meet something burst.
    pub(super) fn fly(&mut self) {
        let mut still = 0;
        for number in 0..self.shells.len() {
            let (shell, lands) = (self.shells[number], self.landings[number]);
            if let Some((at, direct)) = self.met_in_flight(&shell, lands) {
                self.burst(&shell, at, direct);
            } else {
                (self.shells[still], self.landings[still]) = (shell, lands);
                still += 1;
            }
        }
        self.shells.truncate(still);
        self.landings.truncate(still);
    }

    /// Where a shell bursts in this step, and whom it met.
    fn met_in_flight(
        &self,
        shell: &Shell,
        (lands_s, lands): (f64, DVec3),
    ) -> Option<(DVec3, Option<(BodyId, Part)>)> {
        let end_s = self.tick.saturating_sub(shell.fired_tick) as f64 * TICK_S;
        let begin_s = (end_s - TICK_S).max(0.0);
        let (from, to) = (shell.position_at(begin_s), shell.position_at(end_s.min(lands_s)));
        let mut best: Option<(f64, BodyId, Part)> = None;
        for body in self.bodies.iter().filter(|it| it.is_alive && it.id != shell.by) {
            if let Some((share, part)) =
                near(body, from, to).then(|| meets(body, from, to)).flatten()
                && best.is_none_or(|it| share < it.0)
            {
                best = Some((share, body.id, part));
            }
        }
        if let Some((share, who, part)) = best {
            return Some((from + (to - from) * share, Some((who, part))));
        }
        (end_s >= lands_s).then_some((lands, None))
    }

    fn burst(&mut self, shell: &Shell, at: DVec3, direct: Option<(BodyId, Part)>) {
        let rules = self.level.file().shell;
        self.events.push(HillsEvent::Burst { number: shell.number, at });
        if let Some((who, part)) = direct {
            self.wound(who, shell.by, part, rules.damage);
        }
        for place in 0..self.bodies.len() {
            let body = &self.bodies[place];
            let centre = body.position + body.orientation * body.craft.shape().hull_centre;
            let far_m = centre.distance(at) - body.craft.girth_m();
            let spared = !body.is_alive || direct.is_some_and(|it| it.0 == body.id);
            if far_m < rules.blast_m && !spared {
                let share = 1.0 - far_m.max(0.0) / rules.blast_m;
                self.wound(body.id, shell.by, Part::Hull, rules.damage * share);
            }
        }
    }

    /// Takes health for a hit; nobody harms their own team.
    pub(super) fn wound(&mut self, who: BodyId, by: BodyId, part: Part, damage: f64) {
        let Some(place) = self.place_of(who) else { return };
        let team = self.place_of(by).map(|it| self.bodies[it].team);
        let body = &mut self.bodies[place];
        let spared = !body.is_alive || !body.craft.is_driven() || team == Some(body.team);
        if spared || !(damage > 0.0 && damage.is_finite()) {
            return;
        }
        let damage = if part == Part::Turret { 1.5 * damage } else { damage };
        let damage = damage.min(body.health);
        body.health -= damage;
        let died = body.health <= 0.0;
        self.events.push(HillsEvent::Hit { who, by, part, damage });
        if died {
            self.die(place, by);
        }
    }
}

/// Whether a short way leads past a body at all.
fn near(body: &Body, from: DVec3, to: DVec3) -> bool {
    let reach_m = body.craft.shape().hull_half.length() + 4.0;
    let way_m = from.distance(to);
    body.craft != Craft::Shell && body.position.distance(from) < reach_m + way_m
}

pub(super) fn first_met<'a>(
    level: &HillsLevel,
    from: DVec3,
    along: DVec3,
    range_m: f64,
    bodies: impl IntoIterator<Item = &'a Body>,
) -> (f64, Option<(BodyId, Part)>) {
    let along = along.normalize_or(DVec3::X);
    if !(from.is_finite() && along.is_finite() && range_m > 0.0) {
        return (0.0, None);
    }
    let to = from + along * range_m;
    let mut best = (level.first_met(from, to).unwrap_or(1.0), None);
    for body in bodies {
        if let Some((share, part)) = meets(body, from, to)
            && share < best.0
        {
            best = (share, Some((body.id, part)));
        }
    }
    (best.0 * range_m, best.1)
}

/// The share of a way at which something of the level is met: ground, the lake, or an obstacle.
pub(in super::super) fn level_met(level: &HillsLevel, from: DVec3, to: DVec3) -> Option<f64> {
    let way = to - from;
    let share_of = |point: DVec3| (point - from).dot(way) / way.length_squared().max(1e-30);
    let mut best = level.ground().first_hit(from, to).map(|it| share_of(it.point).clamp(0.0, 1.0));
    let mut nearer = |share: f64| {
        if best.is_none_or(|it| share < it) {
            best = Some(share);
        }
    };
    if let Some(share) = water_met(level, from, way) {
        nearer(share);
    }
    for (obstacle, base_m) in level.file().obstacles.iter().zip(level.obstacle_bases_m()) {
        let foot = DVec3::new(obstacle.at[0], obstacle.at[1], *base_m);
        if let Some(share) = pillar_met(foot, obstacle.radius_m, obstacle.height_m, from, way) {
            nearer(share);
        }
    }
    best
}

fn water_met(level: &HillsLevel, from: DVec3, way: DVec3) -> Option<f64> {
    let water_m = level.file().water_m;
    if from.z < water_m || from.z + way.z >= water_m {
        return None;
    }
    let share = (from.z - water_m) / -way.z;
    let bed = level.ground().field().ground_below(from + way * share)?;
    (bed.point.z < water_m).then_some(share)
}

/// Where a way enters an upright cylinder that stands in the ground; `None` from within.
fn pillar_met(foot: DVec3, radius_m: f64, height_m: f64, from: DVec3, way: DVec3) -> Option<f64> {
    let gap = (from - foot).with_z(0.0);
    let flat = way.with_z(0.0);
    let top_m = foot.z + height_m;
    let (a, b) = (flat.length_squared(), gap.dot(flat));
    let c = gap.length_squared() - radius_m * radius_m;
    let under_top = |share: f64| from.z + way.z * share <= top_m;
    // Onto its top, from above.
    if from.z > top_m && way.z < 0.0 {
        let share = (top_m - from.z) / way.z;
        let inside = (gap + flat * share).length_squared() <= radius_m * radius_m;
        if share <= 1.0 && inside {
            return Some(share);
        }
    }
    let root = b * b - a * c;
    if c <= 0.0 || root < 0.0 || b >= 0.0 {
        return None;
    }
    let share = (-b - reckoning::math::sqrt(root)) / a;
    ((0.0..=1.0).contains(&share) && under_top(share)).then_some(share)
}
