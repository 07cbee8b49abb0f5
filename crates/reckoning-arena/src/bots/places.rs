//! Destinations for patrols, cover and ambushes, the best of a few drawn at random.

use reckoning::DVec3;
use reckoning::random::SplitMix64;

use super::style::Style;
use crate::level::{Level, place};
use crate::world::{Player, Team};

/// Places a bot compares before it chooses; people do not weigh up the whole level either.
const CANDIDATES: usize = 10;
/// How many of the places it has been to a bot remembers.
const REMEMBERED: usize = 32;

/// Where a bot has been lately.
#[derive(Clone, Debug, Default)]
pub struct RecentPlaces {
    places: Vec<DVec3>,
    next: usize,
}

impl RecentPlaces {
    pub fn remember(&mut self, at: DVec3) {
        if self.places.len() < REMEMBERED {
            self.places.push(at);
        } else {
            self.places[self.next] = at;
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// How far the nearest remembered place is.
    fn distance_to(&self, p: DVec3) -> f64 {
        self.places.iter().map(|it| it.distance(p)).fold(1e6, f64::min)
    }
}

/// A place to walk to without a particular reason: the opponents' end of the level for the
/// aggressive, somewhere new for the curious, somewhere near for the rest.
pub fn patrol(
    me: &Player,
    style: &Style,
    level: &Level,
    trail: &RecentPlaces,
    random: &mut SplitMix64,
) -> DVec3 {
    if random.chance((0.2 + 0.5 * style.aggression) * (1.0 - 0.6 * style.curiosity)) {
        return raid(me, level, random);
    }
    let newness = if random.chance(0.1 + 0.85 * style.curiosity) { 1.0 } else { 0.0 };
    best(level, random, |at| newness * trail.distance_to(at) - 0.35 * at.distance(me.position))
        .unwrap_or(me.position)
}

/// Somewhere between the middle of the level and an opponents' spawn point.
fn raid(me: &Player, level: &Level, random: &mut SplitMix64) -> DVec3 {
    let theirs: Vec<DVec3> = level
        .file()
        .spawns
        .iter()
        .filter(|it| it.team.is_none_or(|team| Team(team) != me.team))
        .map(|it| place(it.at))
        .collect();
    if theirs.is_empty() {
        return me.position;
    }
    let end = theirs[random.below(theirs.len())];
    let wanted = (level.size_px() * 0.5).lerp(end, random.unit());
    best(level, random, |at| -at.distance(wanted)).unwrap_or(wanted)
}

/// A place that `from` cannot shoot at: near, away from there and behind something.
pub fn cover(me: &Player, from: DVec3, level: &Level, random: &mut SplitMix64) -> Option<DVec3> {
    let range_px = level.file().gun.range_px;
    best(level, random, |at| {
        let hidden = if level.walls().sees(from, at) { 0.0 } else { 1.0 };
        let gained = at.distance(from) - me.position.distance(from);
        hidden * range_px + gained.min(range_px) - 0.8 * at.distance(me.position)
    })
}

/// A place with a wall close by and a way to watch: an item, or the middle of the level.
pub fn ambush(me: &Player, level: &Level, random: &mut SplitMix64) -> Option<DVec3> {
    let items = &level.file().items;
    let watched = match items.len() {
        0 => level.size_px() * 0.5,
        count => place(items[random.below(count)].at),
    };
    let range_px = level.file().gun.range_px;
    let radius_px = level.file().body.radius_px;
    best(level, random, |at| {
        let view = if level.walls().sees(at, watched) { range_px } else { 0.0 };
        let off = (at.distance(watched) - 0.5 * range_px).abs();
        let shelter = -level.walls().room_at(at).min(8.0 * radius_px) * 3.0;
        view - off + shelter - 0.3 * at.distance(me.position)
    })
}

/// The best of a few free places.
fn best(level: &Level, random: &mut SplitMix64, worth: impl Fn(DVec3) -> f64) -> Option<DVec3> {
    let paths = level.paths();
    let count = paths.free_places().len();
    let mut found: Option<(f64, DVec3)> = None;
    for _ in 0..CANDIDATES.min(count) {
        let at = paths.free_place(random.below(count));
        let value = worth(at);
        if found.is_none_or(|(most, _)| value > most) {
            found = Some((value, at));
        }
    }
    found.map(|it| it.1)
}
