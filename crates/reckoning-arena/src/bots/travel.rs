//! Path following: a route, its next leg, and detection of being stuck.

use reckoning::DVec3;
use reckoning::random::SplitMix64;

use crate::level::{Level, Search};
use crate::world::Player;
use crate::{TICKS_PER_S, ticks};

/// How many body radii ahead on the route a bot looks. Further is straighter and cuts
/// corners; nearer wags.
const LOOK_RADII: f64 = 5.0;
/// How often a bot asks itself whether it gets anywhere.
const PROGRESS_TICKS: u64 = 30;

/// One bot's way to where it wants to be.
#[derive(Clone, Debug, Default)]
pub struct Travel {
    to: Option<DVec3>,
    /// Where the present leg began.
    leg_from: DVec3,
    /// Corners still ahead, the next one last.
    ahead: Vec<DVec3>,
    planned_tick: u64,
    /// Where it was when progress was last checked, and when.
    checked_at: DVec3,
    checked_tick: u64,
    /// A way out of a dead end, until that tick.
    escape: DVec3,
    escape_until: u64,
    /// Times in a row that it got nowhere.
    pub stuck: u32,
}

impl Travel {
    /// Sets the destination; plans only when it is new enough. False when no way leads there.
    pub fn set(
        &mut self,
        to: DVec3,
        me: &Player,
        level: &Level,
        (fear, tick): (f64, u64),
        search: &mut Search,
    ) -> bool {
        let moved = self.to.map_or(f64::INFINITY, |old| old.distance(to));
        let slack = 0.15 * me.position.distance(to) + level.file().body.radius_px;
        let is_old = moved > 0.0 && tick > self.planned_tick + 2 * u64::from(TICKS_PER_S);
        if moved <= slack && !is_old {
            return true;
        }
        let way = level.paths().route(level.walls(), (me.position, to), fear, search);
        let Some(mut way) = way else { return false };
        way.reverse();
        (self.to, self.ahead, self.leg_from) = (Some(to), way, me.position);
        self.planned_tick = tick;
        true
    }

    /// Forgets the way, so that the next [`Travel::set`] plans anew.
    pub fn drop_plan(&mut self) {
        self.to = None;
        self.ahead.clear();
    }

    /// Whether it is within `near_px` of its destination, or has none.
    pub fn has_arrived(&self, at: DVec3, near_px: f64) -> bool {
        self.to.is_none_or(|to| at.distance(to) <= near_px)
    }

    /// Where to walk now; zero when there. Lets go early enough to stop at the end.
    pub fn wish(
        &mut self,
        me: &Player,
        level: &Level,
        tick: u64,
        random: &mut SplitMix64,
    ) -> DVec3 {
        if tick < self.escape_until {
            return self.escape;
        }
        let body = &level.file().body;
        self.pass_corners(me.position, level, tick);
        let Some(corner) = self.ahead.last().copied() else { return DVec3::ZERO };
        if self.ahead.len() == 1 {
            let stop_px = me.velocity.length_squared() / (2.0 * body.braking_px_s2);
            if me.position.distance(corner) < stop_px + 0.3 * body.radius_px {
                return DVec3::ZERO;
            }
        }
        self.check_progress(me, level, tick, random);
        self.point_ahead(me.position, corner, LOOK_RADII * body.radius_px) - me.position
    }

    /// Takes the next leg once the corner is reached or the one after it lies open.
    fn pass_corners(&mut self, at: DVec3, level: &Level, tick: u64) {
        let radius_px = level.file().body.radius_px;
        while self.ahead.len() > 1 {
            let corner = self.ahead[self.ahead.len() - 1];
            let after = self.ahead[self.ahead.len() - 2];
            let near = at.distance(corner);
            let looks = tick.is_multiple_of(8) && near < 4.0 * radius_px;
            let open = looks && level.walls().is_clear(at, after, radius_px + 0.5);
            if near > 0.8 * radius_px && !open {
                break;
            }
            self.ahead.pop();
            self.leg_from = at;
        }
    }

    /// The point of the present leg that lies `look_px` ahead.
    fn point_ahead(&self, at: DVec3, corner: DVec3, look_px: f64) -> DVec3 {
        let leg = corner - self.leg_from;
        let length = leg.length();
        if length < 1e-9 {
            return corner;
        }
        let along = (at - self.leg_from).dot(leg) / length;
        self.leg_from + leg * ((along + look_px) / length).clamp(0.0, 1.0)
    }

    fn check_progress(&mut self, me: &Player, level: &Level, tick: u64, random: &mut SplitMix64) {
        if tick < self.checked_tick + PROGRESS_TICKS {
            return;
        }
        let late = tick > self.checked_tick + 2 * PROGRESS_TICKS;
        let least_px = 0.15 * level.file().body.speed_px_s * 0.5;
        if !late && me.position.distance(self.checked_at) < least_px {
            self.stuck += 1;
            let side = me.heading.cross(DVec3::Z) * if random.chance(0.5) { 1.0 } else { -1.0 };
            self.escape = side - me.heading * random.between(0.2, 1.0);
            self.escape_until = tick + ticks(random.between(0.25, 0.6));
            self.drop_plan();
        } else {
            self.stuck = 0;
        }
        (self.checked_at, self.checked_tick) = (me.position, tick);
    }
}
