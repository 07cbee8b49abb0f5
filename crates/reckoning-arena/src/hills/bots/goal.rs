//! What a bot wants: to fight someone, to go somewhere, to be behind something.

use reckoning::DVec3;
use reckoning::math::{cos, sin};
use reckoning::random::SplitMix64;

use super::super::body::{Body, BodyId};
use super::super::craft::Craft;
use super::super::world::HillsWorld;
use super::roads::Roads;
use super::senses::{Senses, opponents, shows};
use super::style::Style;
use crate::ticks;

/// Cover is looked for this near.
const COVER_M: f64 = 70.0;
/// Obstacles that are thinner hide nobody.
const COVER_RADIUS_M: f64 = 2.0;
/// Behind an obstacle, a vehicle stands this far from it.
const BEHIND_M: f64 = 5.5;

/// What a bot is up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// To fight this one.
    Attack { target: BodyId },
    /// To go to a place, and to another one from there.
    Visit { to: DVec3, then: Option<DVec3> },
    /// To be out of sight of those who shoot.
    Cover { to: DVec3 },
}

/// What a choice depends on.
pub(super) struct Chooser<'a> {
    pub(super) me: &'a Body,
    pub(super) world: &'a HillsWorld,
    pub(super) roads: &'a Roads,
    pub(super) senses: &'a Senses,
    pub(super) style: &'a Style,
    pub(super) crests: &'a [DVec3],
}

impl Chooser<'_> {
    /// The next goal, and for how long at most.
    pub(super) fn choose(&self, random: &mut SplitMix64) -> (Goal, u64) {
        let tick = self.world.tick();
        if self.is_hurt()
            && let Some(to) = self.cover(random)
        {
            return (Goal::Cover { to }, ticks(random.between(5.0, 9.0)));
        }
        let known = self.senses.nearest(self.me, tick, |_| true);
        if let Some(known) = known
            && random.chance(0.25 + 0.7 * self.style.bravery)
        {
            return (Goal::Attack { target: known.who }, ticks(random.between(4.0, 8.0)));
        }
        (self.visit(random), ticks(random.between(30.0, 50.0)))
    }

    fn is_hurt(&self) -> bool {
        let most = self.world.level().file().rules.health;
        let tick = self.world.tick();
        self.me.health < self.style.caution * most && self.senses.was_hurt_within(3.0, tick)
    }

    /// Somewhere worth going: a crossing, a crest, where opponents are said to be, anywhere.
    fn visit(&self, random: &mut SplitMix64) -> Goal {
        let crossings = self.roads.crossings();
        let calm = 1.0 - self.style.bravery;
        let (many, high) = (!crossings.is_empty(), !self.crests.is_empty());
        let weights = [
            0.6 + self.style.bravery * 2.0,
            if many { 1.2 + calm } else { 0.0 },
            if high { 0.3 + 0.6 * calm } else { 0.0 },
            0.2 + 0.4 * calm,
        ];
        match random.weighted(&weights) {
            Some(0) => Goal::Visit { to: self.rumour(random), then: None },
            Some(1) => self.across(random),
            Some(2) => {
                let to = self.crests[random.below(self.crests.len())];
                Goal::Visit { to, then: None }
            }
            _ => Goal::Visit { to: self.anywhere(random), then: None },
        }
    }

    /// About where the nearest opponent is, as a glance at a map tells.
    fn rumour(&self, random: &mut SplitMix64) -> DVec3 {
        let far = |it: &&Body| it.position.distance_squared(self.me.position);
        let nearest = opponents(self.me, self.world).min_by(|a, b| far(a).total_cmp(&far(b)));
        let Some(nearest) = nearest else { return self.anywhere(random) };
        let angle = random.between(-3.1, 3.1);
        nearest.position + DVec3::new(cos(angle), sin(angle), 0.0) * random.between(10.0, 60.0)
    }

    /// Through a tunnel or over a bridge, from the nearer end to the other.
    fn across(&self, random: &mut SplitMix64) -> Goal {
        let crossings = self.roads.crossings();
        let it = crossings[random.below(crossings.len())];
        let [a, b] = it.ends;
        let at = self.me.position;
        let far = if at.distance(a) < at.distance(b) { b } else { a };
        Goal::Visit { to: it.middle, then: Some(far) }
    }

    fn anywhere(&self, random: &mut SplitMix64) -> DVec3 {
        let reached = self.roads.reached();
        if reached.is_empty() {
            return self.me.position;
        }
        self.roads.place(reached[random.below(reached.len())] as usize)
    }

    /// The nearest place that the nearest opponent does not see.
    fn cover(&self, random: &mut SplitMix64) -> Option<DVec3> {
        let (tick, at) = (self.world.tick(), self.me.position);
        let foe = self.senses.nearest(self.me, tick, |_| true)?.believed(tick);
        let level = self.world.level();
        let mut best: Option<(f64, DVec3)> = None;
        let mut offer = |place: DVec3| {
            let Some(number) = self.roads.near(place) else { return };
            let far_m = place.distance(at);
            let is_hidden = || !shows(level, foe, place.with_z(self.roads.place(number).z));
            if far_m < COVER_M && best.is_none_or(|it| far_m < it.0) && is_hidden() {
                best = Some((far_m, place));
            }
        };
        for it in level.file().obstacles.iter().filter(|it| it.radius_m > COVER_RADIUS_M) {
            let middle = DVec3::new(it.at[0], it.at[1], at.z);
            if middle.distance(at) < COVER_M {
                let away = (middle - foe).with_z(0.0).normalize_or(DVec3::X);
                offer(middle + away * (it.radius_m + BEHIND_M));
            }
        }
        // Behind a crest, if luck finds one.
        for _ in 0..8 {
            let angle = random.between(-3.1, 3.1);
            offer(at + DVec3::new(cos(angle), sin(angle), 0.0) * random.between(15.0, 60.0));
        }
        best.map(|it| it.1)
    }
}

/// Where a bot that attacks wants to be now: tanks beside where they are once they are near enough,
/// cars past their opponent, so that they circle it.
pub(super) fn post(
    me: &Body,
    foe: (DVec3, DVec3),
    style: &Style,
    in_sight: bool,
    random: &mut SplitMix64,
) -> DVec3 {
    let (at, velocity) = foe;
    let gap = (at - me.position).with_z(0.0);
    let far_m = gap.length();
    let towards = gap.normalize_or(DVec3::X);
    let left = DVec3::Z.cross(towards);
    let side = if random.chance(0.5) { 1.0 } else { -1.0 };
    if me.craft == Craft::Car {
        let way = if far_m > 60.0 { velocity.with_z(0.0) } else { towards * 25.0 };
        return at + way + left * (side * random.between(14.0, 24.0));
    }
    if in_sight && far_m < style.range_m {
        let back = if far_m < 0.4 * style.range_m { -20.0 } else { 8.0 };
        return me.position + left * (side * random.between(18.0, 40.0)) + towards * back;
    }
    at - towards * (0.6 * style.range_m).min(0.5 * far_m)
}

/// The highest places that can be driven to, well apart from each other.
pub(super) fn crests(roads: &Roads) -> Vec<DVec3> {
    let mut places: Vec<DVec3> =
        roads.reached().iter().map(|it| roads.place(*it as usize)).collect();
    places.sort_by(|a, b| b.z.total_cmp(&a.z).then(a.x.total_cmp(&b.x)));
    let mut crests: Vec<DVec3> = Vec::new();
    for place in places {
        if crests.len() < 8 && crests.iter().all(|it| it.distance(place) > 120.0) {
            crests.push(place);
        }
    }
    crests
}
