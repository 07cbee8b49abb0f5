//! Bots that drive as people would: they brake before bends, climb, and take cover.
//!
//! How a bot decides:
//! 1. It **looks** round four times a second and knows only those in its line of sight, and for a
//!    few seconds those that left it ([`senses`]).
//! 2. Every few seconds, or when something happens, it **chooses a goal**: someone to fight, a bridge,
//!    a tunnel, a crest or another place to go to, or cover when it is hurt ([`goal`]).
//! 3. It **plans** a way there over a coarse map of the level, drawn once ([`roads`], [`search`]).
//! 4. It **drives** along it: looks ahead, is slow enough for the bends it sees, waits for the train,
//!    goes round others, and backs out when it is stuck ([`travel`], [`traffic`], [`rails`]).
//! 5. Its gunner **aims and shoots** meanwhile ([`gunner`], [`ballistics`]).
//!
//! Searches are dear, so in each step at most one bot plans and one looks for an arc.

mod ballistics;
mod goal;
mod gunner;
mod rails;
mod roads;
mod search;
mod senses;
mod style;
mod traffic;
mod travel;

use std::sync::Arc;

use reckoning::DVec3;
use reckoning::random::SplitMix64;

use self::goal::{Chooser, Goal};
use self::gunner::Gunner;
use self::rails::{Rails, Train};
use self::roads::Roads;
use self::search::Search;
use self::senses::Senses;
use self::style::Style;
use self::traffic::Traffic;
use self::travel::Travel;
use super::body::{Body, BodyId, DriverInput};
use super::craft::Craft;
use super::level::HillsLevel;
use super::world::HillsWorld;
use crate::ticks;

/// A plan is made anew at most this often.
const REPLAN_S: f64 = 1.5;
/// Who is this far beside its way plans another.
const LOST_M: f64 = 9.0;
/// A place is reached from this far.
const ARRIVED_M: f64 = 12.0;

/// All bots of a game: every tank and car that no client moves.
#[derive(Clone, Debug)]
pub struct HillsBots {
    random: SplitMix64,
    crew: Vec<Bot>,
    map: Option<Map>,
    search: Search,
    inputs: Vec<(BodyId, DriverInput)>,
}

/// What all bots know of a level.
#[derive(Clone, Debug)]
struct Map {
    level: Arc<HillsLevel>,
    rails: Rails,
    roads: Roads,
    crests: Vec<DVec3>,
}

impl Map {
    fn of(level: &Arc<HillsLevel>) -> Self {
        let rails = Rails::new(level);
        let roads = Roads::new(level, &rails);
        let crests = goal::crests(&roads);
        Self { level: Arc::clone(level), rails, roads, crests }
    }
}

/// What the bots share within a step.
struct Step<'a> {
    world: &'a HillsWorld,
    map: &'a Map,
    traffic: Traffic<'a>,
    search: &'a mut Search,
    may_plan: bool,
    may_find_arc: bool,
}

impl HillsBots {
    /// Bots whose characters come from this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            random: SplitMix64::new(seed).fork(0xB07),
            crew: Vec::new(),
            map: None,
            search: Search::new(),
            inputs: Vec::new(),
        }
    }

    /// What they do in the next step, given the world after the last one.
    pub fn decide(&mut self, world: &HillsWorld) -> &[(BodyId, DriverInput)] {
        self.inputs.clear();
        let map = match self.map.take().filter(|it| Arc::ptr_eq(&it.level, world.level())) {
            Some(map) => map,
            None => Map::of(world.level()),
        };
        self.muster(world);
        let (bodies, rails, roads) = (world.bodies(), &map.rails, &map.roads);
        let traffic = Traffic { bodies, rails, roads, train: Train::of(bodies) };
        let (search, map_of) = (&mut self.search, &map);
        let mut step =
            Step { world, map: map_of, traffic, search, may_plan: true, may_find_arc: true };
        for bot in &mut self.crew {
            if let Some(me) = world.body(bot.id) {
                self.inputs.push((bot.id, bot.decide(me, &mut step)));
            }
        }
        self.map = Some(map);
        &self.inputs
    }

    /// A bot for each driver that no client moves, by number as bodies are.
    fn muster(&mut self, world: &HillsWorld) {
        let is_ours = |it: &Body| it.craft.is_driven() && !it.moves_itself;
        self.crew.retain(|it| world.body(it.id).is_some_and(is_ours));
        for body in world.bodies().iter().filter(|it| is_ours(it)) {
            if let Err(place) = self.crew.binary_search_by_key(&body.id, |it| it.id) {
                let random = self.random.fork(u64::from(body.id.0));
                self.crew.insert(place, Bot::new(body.id, random));
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Bot {
    id: BodyId,
    style: Style,
    random: SplitMix64,
    senses: Senses,
    goal: Option<Goal>,
    /// When it asks itself again.
    think_tick: u64,
    travel: Travel,
    gunner: Gunner,
}

impl Bot {
    fn new(id: BodyId, mut random: SplitMix64) -> Self {
        Self {
            id,
            style: Style::draw(&mut random),
            random,
            senses: Senses::default(),
            goal: None,
            think_tick: 0,
            travel: Travel::default(),
            gunner: Gunner::default(),
        }
    }

    fn decide(&mut self, me: &Body, step: &mut Step<'_>) -> DriverInput {
        if !me.is_alive {
            self.forget();
            return DriverInput::default();
        }
        let tick = step.world.tick();
        if self.senses.update(me, step.world) && self.is_worth_a_thought(me, step.world) {
            self.think_tick = self.think_tick.min(tick + self.style.reaction_ticks);
        }
        self.arrive(me);
        if self.goal.is_none() || tick >= self.think_tick || self.travel.stuck > 3 {
            self.think(me, step);
        }
        self.plan(me, step);
        let stops = matches!(self.goal, Some(Goal::Cover { .. }));
        let (throttle, steer) =
            self.travel.drive(me, step.world, (&step.traffic, stops), &mut self.random);
        let shot = self.gunner.act(
            me,
            step.world,
            (&mut self.senses, &self.style),
            (&mut self.random, &mut step.may_find_arc),
        );
        DriverInput { throttle, steer, aim: shot.aim, fire: shot.fire, lob: shot.lob }
    }

    /// A new life begins with a clear head.
    fn forget(&mut self) {
        if self.goal.take().is_some() {
            self.senses = Senses::default();
            self.travel.forget();
            self.gunner.forget();
        }
    }

    /// Travellers are not distracted by those far away, and who fights goes on fighting unless hurt.
    fn is_worth_a_thought(&self, me: &Body, world: &HillsWorld) -> bool {
        let tick = world.tick();
        let near_m = 60.0 + 160.0 * self.style.bravery;
        let near = self.senses.nearest(me, tick, |_| true);
        let is_near = near.is_some_and(|it| it.believed(tick).distance(me.position) < near_m);
        let weak = me.health < self.style.caution * world.level().file().rules.health;
        match self.goal {
            Some(Goal::Visit { .. }) => is_near || weak,
            Some(Goal::Attack { .. }) => weak,
            Some(Goal::Cover { .. }) => false,
            None => true,
        }
    }

    /// At a place, on to the next.
    fn arrive(&mut self, me: &Body) {
        let Some(Goal::Visit { to, then }) = self.goal else { return };
        if (to - me.position).with_z(0.0).length() < ARRIVED_M {
            self.goal = then.map(|to| Goal::Visit { to, then: None });
            self.travel.planned_tick = 0;
        }
    }

    fn think(&mut self, me: &Body, step: &Step<'_>) {
        let chooser = Chooser {
            me,
            world: step.world,
            roads: &step.map.roads,
            senses: &self.senses,
            style: &self.style,
            crests: &step.map.crests,
        };
        let (goal, span) = chooser.choose(&mut self.random);
        self.think_tick = step.world.tick() + span;
        if self.goal != Some(goal) {
            self.travel.planned_tick = 0;
        }
        (self.goal, self.travel.stuck) = (Some(goal), 0);
    }

    /// Plans a way when there is none, or when the old one leads to where nobody is any more.
    fn plan(&mut self, me: &Body, step: &mut Step<'_>) {
        let tick = step.world.tick();
        let is_old = tick >= self.travel.planned_tick + ticks(REPLAN_S);
        if !step.may_plan || !is_old {
            return;
        }
        let Some(to) = self.destination(me, tick) else { return };
        let moved_m = self.travel.to.map_or(f64::INFINITY, |it| it.distance(to));
        let left_m = self.travel.left_m(me.position);
        let on_way = self.travel.off_m(me.position) < LOST_M;
        let fits = on_way && left_m.is_some_and(|it| moved_m < 4.0 + 0.15 * it);
        if fits && self.travel.planned_tick > 0 {
            return;
        }
        step.may_plan = false;
        (self.travel.to, self.travel.planned_tick) = (Some(to), tick);
        self.travel.leg_from = Some(me.position);
        let ways = (me.position, to);
        if !step.search.plan(&step.map.roads, ways, &mut self.travel.ahead) {
            self.think_tick = tick + ticks(0.5);
        }
    }

    /// Where the goal leads.
    fn destination(&mut self, me: &Body, tick: u64) -> Option<DVec3> {
        match self.goal? {
            Goal::Visit { to, .. } | Goal::Cover { to } => Some(to),
            Goal::Attack { target } => {
                let Some(seen) = self.senses.of(target) else {
                    self.think_tick = tick;
                    return None;
                };
                // Beside an opponent, a post is good until it is reached.
                let left_m = self.travel.left_m(me.position).unwrap_or(0.0);
                let fights = self.gunner.target().is_some();
                if fights && left_m > ARRIVED_M && me.craft == Craft::Tank {
                    return self.travel.to;
                }
                let foe = (seen.believed(tick), seen.velocity);
                let in_sight = seen.is_open(tick, 0);
                Some(goal::post(me, foe, &self.style, in_sight, &mut self.random))
            }
        }
    }
}
