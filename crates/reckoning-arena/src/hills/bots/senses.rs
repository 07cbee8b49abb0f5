//! What a bot knows of its opponents: what it saw, and when.

use reckoning::DVec3;

use super::super::body::{Body, BodyId};
use super::super::craft::Craft;
use super::super::level::HillsLevel;
use super::super::world::HillsWorld;
use crate::{TICK_S, ticks};

/// A bot looks round this often.
const LOOK_TICKS: u64 = 15;
/// It looks for this many of the nearest opponents.
const LOOKS: usize = 5;
/// How far a driver makes out an opponent.
const SIGHT_M: f64 = 320.0;
/// After this an opponent that is out of sight is forgotten.
const MEMORY_S: f64 = 9.0;
/// What is in sight was seen no longer ago than this.
const FRESH_TICKS: u64 = LOOK_TICKS + 6;

/// An opponent as it was when last seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sighting {
    pub(super) who: BodyId,
    pub(super) craft: Craft,
    place: DVec3,
    pub(super) velocity: DVec3,
    /// When it was first seen without a break.
    since: u64,
    seen: u64,
}

impl Sighting {
    /// Where the bot takes it to be: it goes on for a moment as it was going.
    pub(super) fn believed(&self, tick: u64) -> DVec3 {
        let age_s = tick.saturating_sub(self.seen) as f64 * TICK_S;
        self.place + self.velocity * age_s.min(1.5)
    }

    /// Whether it is in sight, and has been for as long as it takes to react.
    pub(super) const fn is_open(&self, tick: u64, reaction_ticks: u64) -> bool {
        tick < self.seen + FRESH_TICKS && tick >= self.since + reaction_ticks
    }
}

/// Everything a bot knows of its opponents.
#[derive(Clone, Debug, Default)]
pub(super) struct Senses {
    known: Vec<Sighting>,
    /// Health when it last looked, and when it was last hurt.
    health: f64,
    hurt_tick: Option<u64>,
}

impl Senses {
    /// Looks round if it is time; whether something changed that is worth a thought.
    pub(super) fn update(&mut self, me: &Body, world: &HillsWorld) -> bool {
        let tick = world.tick();
        let hurt = me.health < self.health;
        self.health = me.health;
        if hurt {
            self.hurt_tick = Some(tick);
        }
        if tick % LOOK_TICKS != u64::from(me.id.0) % LOOK_TICKS {
            return false;
        }
        let before = self.known.len();
        self.known.retain(|it| {
            let lives = world.body(it.who).is_some_and(|it| it.is_alive);
            lives && tick < it.seen + ticks(MEMORY_S)
        });
        self.look(me, world);
        self.known.len() > before || self.hurt_tick.is_some_and(|it| tick < it + LOOK_TICKS)
    }

    fn look(&mut self, me: &Body, world: &HillsWorld) {
        let mut nearest = [None::<(f64, &Body)>; LOOKS];
        for body in opponents(me, world) {
            let far_m = body.position.distance(me.position);
            let Some(slot) = nearest.iter().position(|it| it.is_none_or(|it| far_m < it.0)) else {
                continue;
            };
            if far_m < SIGHT_M {
                nearest[slot..].rotate_right(1);
                nearest[slot] = Some((far_m, body));
            }
        }
        for (_, body) in nearest.into_iter().flatten() {
            if shows(world.level(), me.position, body.position) {
                self.note(body, world.tick());
            }
        }
    }

    fn note(&mut self, body: &Body, tick: u64) {
        let mut is = Sighting {
            who: body.id,
            craft: body.craft,
            place: body.position,
            velocity: body.velocity,
            since: tick,
            seen: tick,
        };
        if let Some(was) = self.known.iter_mut().find(|it| it.who == body.id) {
            if tick < was.seen + FRESH_TICKS {
                is.since = was.since;
            }
            *was = is;
        } else {
            self.known.push(is);
        }
    }

    /// Takes over where what is in sight is now, as eyes follow it.
    pub(super) fn follow(&mut self, who: BodyId, world: &HillsWorld) {
        let (tick, body) = (world.tick(), world.body(who));
        if let (Some(it), Some(body)) = (self.known.iter_mut().find(|it| it.who == who), body) {
            let age_s = tick.saturating_sub(it.seen) as f64 * TICK_S;
            it.place = body.position - body.velocity * age_s;
            it.velocity = body.velocity;
        }
    }

    pub(super) fn of(&self, who: BodyId) -> Option<&Sighting> {
        self.known.iter().find(|it| it.who == who)
    }

    /// The nearest of those it knows that `pick` takes.
    pub(super) fn nearest(
        &self,
        me: &Body,
        tick: u64,
        pick: impl Fn(&Sighting) -> bool,
    ) -> Option<&Sighting> {
        let far = |it: &Sighting| it.believed(tick).distance_squared(me.position);
        self.known.iter().filter(|it| pick(it)).min_by(|a, b| far(a).total_cmp(&far(b)))
    }

    pub(super) fn was_hurt_within(&self, span_s: f64, tick: u64) -> bool {
        self.hurt_tick.is_some_and(|it| tick < it + ticks(span_s))
    }
}

/// The living drivers of the other team.
pub(super) fn opponents<'a>(me: &Body, world: &'a HillsWorld) -> impl Iterator<Item = &'a Body> {
    let team = me.team;
    let drivers = world.bodies().iter().filter(|it| it.craft.is_driven() && it.is_alive);
    drivers.filter(move |it| it.team != team)
}

/// Whether a driver in one place sees one in another: from hatch to hatch.
pub(super) fn shows(level: &HillsLevel, from: DVec3, to: DVec3) -> bool {
    level.first_met(from + DVec3::Z * 2.2, to + DVec3::Z * 1.6).is_none()
}
