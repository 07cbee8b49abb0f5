//! The game simulation: a level, its bodies, and one step of the rules.
//!
//! [`HillsWorld::step`] is the whole game: births, motion, bodies apart, guns, shells, the end of the
//! round. Others rely on this:
//! - the same level, seed, joins and inputs give the same states, bit for bit;
//! - what a driver drives stands exactly on the ground, never in the lake and never outside;
//! - bodies are listed by number, and no two have the same one.

mod scenery;
mod shots;

use std::sync::Arc;

use reckoning::ground::Pose;
use reckoning::math::rotation;
use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics};

use self::scenery::Scenery;
pub(super) use self::shots::level_met;
use super::body::{Aim, Body, BodyId, DriverInput};
use super::craft::{Craft, Part};
use super::drive::{drive, reachable, settle, stand};
use super::level::HillsLevel;
use crate::{TICK_S, TICKS_PER_S, ticks};

/// How fast vehicles that ran into each other part again.
const REBOUND_MPS: f64 = 0.3;
/// A spawn point is clear when nobody is nearer.
const CLEAR_M: f64 = 10.0;

/// A shell in flight. Where it is at any time follows from where and how it was fired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shell {
    /// Its number.
    pub number: u32,
    /// Who lobbed it.
    pub by: BodyId,
    /// The step in which it left the barrel.
    pub fired_tick: u64,
    /// Where that was.
    pub from: DVec3,
    /// How fast it left.
    pub velocity: DVec3,
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum HillsEvent {
    /// A driver came to life.
    Born {
        /// Who.
        who: BodyId,
    },
    /// A gun was fired.
    Fired {
        /// By whom.
        by: BodyId,
        /// From where.
        from: DVec3,
        /// Where it ended.
        to: DVec3,
    },
    /// A shell left a barrel.
    Lobbed {
        /// The shell.
        shell: Shell,
    },
    /// A shell met the ground or a body.
    Burst {
        /// The shell.
        number: u32,
        /// Where.
        at: DVec3,
    },
    /// A body was hit.
    Hit {
        /// Whose.
        who: BodyId,
        /// By whom.
        by: BodyId,
        /// Where on it.
        part: Part,
        /// The health it took.
        damage: f64,
    },
    /// A body was destroyed.
    Died {
        /// Which.
        who: BodyId,
        /// By whom.
        by: BodyId,
    },
    /// A round ended, and the next one begins.
    RoundOver {
        /// The team that won it, if one did.
        winner: Option<u8>,
    },
}

/// A running game.
#[derive(Clone, Debug)]
pub struct HillsWorld {
    level: Arc<HillsLevel>,
    scenery: Scenery,
    tick: u64,
    random: SplitMix64,
    bodies: Vec<Body>,
    shells: Vec<Shell>,
    /// Of each shell, when and where its arc ends.
    landings: Vec<(f64, DVec3)>,
    events: Vec<HillsEvent>,
    /// How many of the events were told after the last step; the rest came since.
    told: usize,
    next_id: u16,
    next_shell: u32,
    points: [u32; 2],
    round_began_tick: u64,
}

impl HillsWorld {
    /// The most that drive at once.
    pub const MAX_DRIVERS: usize = 64;

    /// A game at tick 0 with its train, merchant, drone and birds, but nobody to drive.
    #[must_use]
    pub fn new(level: impl Into<Arc<HillsLevel>>, seed: u64) -> Self {
        let level = level.into();
        let scenery = Scenery::new(&level);
        let bodies = scenery.bodies(&level);
        Self {
            next_id: bodies.len() as u16,
            level,
            scenery,
            tick: 0,
            random: SplitMix64::new(seed),
            bodies,
            shells: Vec::new(),
            landings: Vec::new(),
            events: Vec::new(),
            told: 0,
            next_shell: 0,
            points: [0, 0],
            round_began_tick: 0,
        }
    }

    /// A driver joins the smaller team, with a tank or a car, and is born in the next step; its
    /// client moves it if `moves_itself`. `None` when there is no room, or nobody drives that craft.
    pub fn try_join(&mut self, craft: Craft, moves_itself: bool) -> Option<BodyId> {
        let drivers = self.bodies.iter().filter(|it| it.craft.is_driven());
        let mut sizes = [0_usize; 2];
        for driver in drivers {
            sizes[usize::from(driver.team & 1)] += 1;
        }
        if !craft.is_driven() || sizes[0] + sizes[1] >= Self::MAX_DRIVERS {
            return None;
        }
        let id = self.free_id();
        let team = u8::from(sizes[1] < sizes[0]);
        let at = self.spots(team).first().map_or(DVec3::ZERO, |it| it.0);
        let mut body = Body::standing(id, craft, team, at);
        (body.moves_itself, body.is_alive, body.health) = (moves_itself, false, 0.0);
        let place = self.bodies.partition_point(|it| it.id < id);
        self.bodies.insert(place, body);
        Some(id)
    }

    /// A number that nobody has, and nobody had for as long as possible.
    fn free_id(&mut self) -> BodyId {
        while self.place_of(BodyId(self.next_id)).is_some() {
            self.next_id = self.next_id.wrapping_add(1);
        }
        let id = BodyId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        id
    }

    /// A driver is gone for good; its shells fly on. False when there is none of that number.
    pub fn leave(&mut self, id: BodyId) -> bool {
        let before = self.bodies.len();
        self.bodies.retain(|it| it.id != id || !it.craft.is_driven());
        self.bodies.len() < before
    }

    /// Says where a living body that moves itself is, before the next step. Numbers that are not
    /// finite and places outside the level change nothing.
    pub fn place(&mut self, id: BodyId, seen: &Kinematics, aim: Aim) {
        let size_m = self.level.size_m();
        let inside = |it: f64| (0.0..=size_m).contains(&it);
        let sound = seen.position.is_finite()
            && seen.velocity.is_finite()
            && seen.orientation.is_finite()
            && seen.angular_velocity.is_finite()
            && [aim.turret_rad, aim.turret_radps, aim.barrel_rad, aim.barrel_radps]
                .iter()
                .all(|it| it.is_finite());
        let Some(place) = self.place_of(id) else { return };
        let body = &mut self.bodies[place];
        let here = inside(seen.position.x) && inside(seen.position.y);
        if sound && here && body.moves_itself && body.is_alive {
            (body.position, body.velocity) = (seen.position, seen.velocity);
            body.orientation = seen.orientation.normalize();
            (body.angular_velocity, body.aim) = (seen.angular_velocity, aim);
        }
    }

    /// One step of the game. Drivers without an input let go of everything; those that move
    /// themselves neither drive nor shoot by an input.
    pub fn step(&mut self, inputs: &[(BodyId, DriverInput)]) {
        self.tick += 1;
        self.events.drain(..self.told.min(self.events.len()));
        self.bear();
        let mut acts = vec![DriverInput::default(); self.bodies.len()];
        for (id, input) in inputs {
            if let Some(place) = self.place_of(*id) {
                acts[place] = *input;
            }
        }
        for (body, act) in self.bodies.iter_mut().zip(&acts) {
            if !body.craft.is_driven() {
                self.scenery.advance(body, self.tick, &self.level);
            } else if body.is_alive && !body.moves_itself {
                drive(body, act, &self.level);
            }
        }
        self.keep_apart();
        for (place, act) in acts.iter().enumerate() {
            let body = &self.bodies[place];
            if !body.is_alive || body.moves_itself || !body.craft.is_driven() {
                continue;
            }
            let id = body.id;
            if act.fire {
                self.shoot(place, act.aim);
            }
            if act.lob
                && let Some(shell) = self.launch(id)
            {
                self.events.push(HillsEvent::Lobbed { shell });
            }
        }
        self.fly();
        self.end_round();
        self.told = self.events.len();
    }

    /// Brings to life those that have been dead for long enough.
    fn bear(&mut self) {
        let pause = ticks(self.level.file().rules.respawn_s);
        for place in 0..self.bodies.len() {
            let body = &self.bodies[place];
            let waited = body.since_tick == 0 || self.tick >= body.since_tick + pause;
            if !body.is_alive && waited {
                let (at, heading) = self.draw_spawn(body.team);
                let level = Arc::clone(&self.level);
                let body = &mut self.bodies[place];
                stand(body, at, heading, &level);
                (body.is_alive, body.since_tick) = (true, self.tick);
                body.health = level.file().rules.health;
                let who = body.id;
                self.events.push(HillsEvent::Born { who });
            }
        }
    }

    /// The spawn points of a team and their headings.
    fn spots(&self, team: u8) -> Vec<(DVec3, f64)> {
        let ours = self.level.file().spawns.iter().filter(|it| it.team == team);
        let high = |at: [f64; 2]| DVec3::new(at[0], at[1], self.level.height_m(at[0], at[1]));
        ours.map(|it| (high(it.at), it.heading_deg.to_radians())).collect()
    }

    /// One of the team's spawn points, without company if possible.
    fn draw_spawn(&mut self, team: u8) -> (DVec3, f64) {
        let mut spots = self.spots(team);
        let living = self.bodies.iter().filter(|it| it.is_alive);
        let taken: Vec<DVec3> = living.map(|it| it.position).collect();
        let is_clear = |at: DVec3| taken.iter().all(|it| it.distance(at) > CLEAR_M);
        if spots.iter().any(|it| is_clear(it.0)) {
            spots.retain(|it| is_clear(it.0));
        }
        spots.get(self.random.below(spots.len().max(1))).copied().unwrap_or_default()
    }

    fn die(&mut self, place: usize, by: BodyId) {
        let body = &mut self.bodies[place];
        (body.is_alive, body.health, body.since_tick) = (false, 0.0, self.tick);
        (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        body.deaths += 1;
        self.events.push(HillsEvent::Died { who: body.id, by });
        if let Some(killer) = self.place_of(by) {
            let killer = &mut self.bodies[killer];
            killer.kills += 1;
            if let Some(points) = self.points.get_mut(usize::from(killer.team)) {
                *points += 1;
            }
        }
    }

    /// Pushes driven bodies out of each other and off the rest.
    fn keep_apart(&mut self) {
        for a in 0..self.bodies.len() {
            for b in a + 1..self.bodies.len() {
                let Some(push) = overlap(&self.bodies[a], &self.bodies[b]) else { continue };
                let yields = [a, b].map(|it| {
                    let body = &self.bodies[it];
                    body.craft.is_driven() && !body.moves_itself
                });
                let share = if yields[0] && yields[1] { 0.5 } else { 1.0 };
                for (place, push, yields) in [(a, -push, yields[0]), (b, push, yields[1])] {
                    if yields {
                        self.shift(place, push * share);
                    }
                }
            }
        }
    }

    /// Moves a body aside within a step; its motion tells of it.
    fn shift(&mut self, place: usize, push: DVec3) {
        let level = Arc::clone(&self.level);
        let body = &mut self.bodies[place];
        let now = Pose { position: body.position, orientation: body.orientation };
        let before = Pose {
            position: body.position - body.velocity * TICK_S,
            orientation: rotation(body.angular_velocity * -TICK_S) * body.orientation,
        };
        let (told, along) = (body.velocity, push.normalize_or_zero());
        let wanted = reachable(&level, body.craft, now, now.orientation, push);
        settle(body, wanted, before, &level);
        // A push ends the motion into the other and little more, or crowds would burst apart.
        let into_mps = -(told - body.pushed).dot(along);
        let gained = body.velocity - told;
        body.pushed += gained - gained.clamp_length_max(into_mps.max(0.0) + REBOUND_MPS);
    }

    /// When a team has enough points or the time is over, everything begins anew.
    fn end_round(&mut self) {
        let rules = &self.level.file().rules;
        let [a, b] = self.points;
        let over = self.tick - self.round_began_tick >= ticks(rules.round_s);
        if a.max(b) < rules.points_to_win && !over {
            return;
        }
        let winner = (a != b).then_some(u8::from(b > a));
        self.events.push(HillsEvent::RoundOver { winner });
        (self.points, self.round_began_tick) = ([0, 0], self.tick);
        self.shells.clear();
        self.landings.clear();
        for body in self.bodies.iter_mut().filter(|it| it.craft.is_driven()) {
            // Born again in the next step.
            (body.is_alive, body.since_tick) = (false, 0);
            (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            // Kills of a team add up to its points.
            (body.kills, body.deaths) = (0, 0);
        }
    }

    /// Takes these for everyone who drives, for programs that know a game from outside.
    pub(crate) fn replace_drivers(&mut self, tick: u64, drivers: impl Iterator<Item = Body>) {
        self.tick = tick;
        self.bodies.retain(|it| !it.craft.is_driven());
        self.bodies.extend(drivers);
        self.bodies.sort_by_key(|it| it.id);
        self.bodies.dedup_by_key(|it| it.id);
    }

    /// A shell of a driver that moves itself leaves its barrel now, if it may. The direction is that
    /// of the barrel, so only the speed is the gun's. It is told with the events of the next step.
    pub fn lob(&mut self, id: BodyId) -> Option<Shell> {
        let shell = self.launch(id)?;
        self.events.push(HillsEvent::Lobbed { shell });
        Some(shell)
    }

    /// Whether the gun of a living driver may be fired now; if so, the pause until the next shot
    /// begins. For those that move themselves and whose hits are judged elsewhere.
    pub fn try_fire(&mut self, id: BodyId) -> bool {
        let Some(place) = self.place_of(id) else { return false };
        let body = &mut self.bodies[place];
        let may = body.is_alive && body.craft.is_driven() && self.tick >= body.gun_ready_tick;
        if may {
            body.gun_ready_tick = self.tick + ticks(self.level.file().gun.pause_s);
        }
        may
    }

    /// Takes health for a hit by `by`; from a turret half as much again, and never from one's own
    /// team. It is told with the events of the next step.
    pub fn hit(&mut self, who: BodyId, by: BodyId, part: Part, damage: f64) {
        self.wound(who, by, part, damage);
    }

    /// Where a shell bursts and how many seconds after it was fired: where its arc first meets the
    /// ground, a bridge, the lake or an obstacle. The same from a rounded start as everyone has it.
    #[must_use]
    pub fn landing(level: &HillsLevel, from: DVec3, velocity: DVec3) -> (f64, DVec3) {
        shots::landing(level, from, velocity)
    }

    /// What a straight shot meets first: how far along, and of which part of which body. Bodies are
    /// given as they are to be judged, as they are now or as a shooter saw them.
    #[must_use]
    pub fn first_met<'a>(
        level: &HillsLevel,
        from: DVec3,
        along: DVec3,
        range_m: f64,
        bodies: impl IntoIterator<Item = &'a Body>,
    ) -> (f64, Option<(BodyId, Part)>) {
        shots::first_met(level, from, along, range_m, bodies)
    }

    fn place_of(&self, id: BodyId) -> Option<usize> {
        self.bodies.binary_search_by_key(&id, |it| it.id).ok()
    }

    /// The level.
    #[must_use]
    pub const fn level(&self) -> &Arc<HillsLevel> {
        &self.level
    }

    /// Steps made.
    #[must_use]
    pub const fn tick(&self) -> u64 {
        self.tick
    }

    /// Everything that moves but shells, by number.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// One of them.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.place_of(id).map(|place| &self.bodies[place])
    }

    /// Shells in flight.
    #[must_use]
    pub fn shells(&self) -> &[Shell] {
        &self.shells
    }

    /// What happened in the last step. Read it after each step: what a call between two steps brings
    /// about, a hit or a shell, is there until the step that follows is over.
    #[must_use]
    pub fn events(&self) -> &[HillsEvent] {
        &self.events
    }

    /// Points of both teams.
    #[must_use]
    pub const fn points(&self) -> [u32; 2] {
        self.points
    }

    /// Until the round ends without a winner.
    #[must_use]
    pub fn round_left_s(&self) -> f64 {
        let lasts = ticks(self.level.file().rules.round_s);
        let left = lasts.saturating_sub(self.tick - self.round_began_tick);
        left as f64 / f64::from(TICKS_PER_S)
    }

    /// How long a driver is still dead; 0 for the living and unknown.
    #[must_use]
    pub fn respawn_left_s(&self, id: BodyId) -> f64 {
        let pause = ticks(self.level.file().rules.respawn_s);
        let dead = self.body(id).filter(|it| !it.is_alive && it.since_tick > 0);
        let left = dead.map_or(0, |it| (it.since_tick + pause).saturating_sub(self.tick));
        left as f64 / f64::from(TICKS_PER_S)
    }
}

/// How far to push the second body off the first, softly; `None` when they are apart.
fn overlap(one: &Body, other: &Body) -> Option<DVec3> {
    let (drives, drives_too) = (one.craft.is_driven(), other.craft.is_driven());
    let solid = |it: &Body| it.is_alive && (it.craft.is_grounded() || it.craft == Craft::Train);
    let gap = other.position - one.position;
    let reach_m = one.craft.shape().hull_half.x + other.craft.shape().hull_half.x;
    let far = gap.with_z(0.0).length_squared() > reach_m * reach_m || gap.z.abs() > 4.0;
    if far || !(drives || drives_too) || !(solid(one) && solid(other)) {
        return None;
    }
    let need_m = one.craft.shape().hull_half.y + other.craft.shape().hull_half.y;
    let mut worst: Option<(f64, DVec3)> = None;
    for a in discs(one) {
        for b in discs(other) {
            let gap = (b - a).with_z(0.0);
            let deep_m = need_m - gap.length();
            if deep_m > 0.0 && worst.is_none_or(|it| deep_m > it.0) {
                worst = Some((deep_m, gap.normalize_or(DVec3::X)));
            }
        }
    }
    worst.map(|(deep_m, along)| along * (deep_m * 0.3).min(0.25))
}

/// The middles of discs as wide as a body that cover it, seen from above.
fn discs(body: &Body) -> impl Iterator<Item = DVec3> {
    let half = body.craft.shape().hull_half;
    let (reach_m, count) = ((half.x - half.y).max(0.0), if half.x > 4.0 { 5 } else { 3 });
    let ahead = body.orientation * DVec3::X;
    let middle = body.position;
    (0..count).map(move |it| {
        let share = 2.0 * f64::from(it) / f64::from(count - 1) - 1.0;
        middle + ahead * (reach_m * share)
    })
}
