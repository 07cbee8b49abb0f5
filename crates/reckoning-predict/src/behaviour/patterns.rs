//! Play patterns: where a member of a team goes (SHI, "experience knows best").
//!
//! Three velocities pull at a player, each read off the others as last known:
//!
//! ```text
//!   follow    at top speed to the middle of the friends nearby
//!   align     along with the friends, the nearer the more
//!   bravery   at top speed to a point before or behind the friends' middle, as seen from
//!             the enemies' middle: before it while the own side is stronger
//!
//!   an enemy near:  q follow + (1-q) bravery        else:  r follow + (1-r) align
//! ```
//!
//! The result takes over from the last known velocity within `m` ticks, sooner the nearer
//! the next player is. With walls known and [`PatternsConfig::avoid_walls`] set, follow and
//! bravery lead round them: SHI's OAEKB, otherwise EKB.
//!
//! Printed mistakes not followed: the brackets of (14), the `l` missing in (17), "align" in
//! both cases of section 3.1. Where SHI is silent: `m` is fixed by the last known state;
//! without friends nearby the last known velocity stands in for follow and align, and the
//! player himself for the friends' middle, so that a player alone simply carries on; a step
//! never overshoots its goal; others stay where they were last known.

use glam::{DVec2, DVec3};
use libm::ceil;

use super::neighbourhood::Neighbourhood;
use super::rollout::{RolloutStep, roll_out};
use crate::level::keep_out;
use crate::{KnownBody, Routes, Scene, Walls};
use reckoning::error::SettingError;
use reckoning::math::sqrt;

/// Settings for [`Patterns`].
///
/// The default is SHI's game: lengths in pixels of a screen 1280 wide and 960 high, players
/// about 60 across, 60 ticks a second.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct PatternsConfig {
    /// An enemy this near means battle. SHI's W. Default: 800. Finite, not negative.
    pub battle_m: f64,
    /// How much of the friends' strength counts beside the player's own. SHI's k. Default: 0.4.
    /// Finite, not negative.
    pub friend_weight: f64,
    /// How far before or behind the friends' middle a player goes at most. SHI's u. Default: 200.
    /// Finite, not negative.
    pub advance_m: f64,
    /// Ticks of transition per metre to the nearest player. SHI's l. Default: 0.1. Finite, not
    /// negative.
    pub transition_per_m: f64,
    /// Ticks of transition at most. SHI's R. Default: 60. Any number; zero has no transition.
    pub transition_ticks: u32,
    /// Share of follow in battle, the rest is bravery. SHI's q. Default: 0.5. From 0 to 1.
    pub follow_in_battle: f64,
    /// Share of follow out of battle, the rest is alignment. SHI's r. Default: 0.6. From 0 to 1.
    pub follow_out_of_battle: f64,
    /// Friends this near or nearer count in full for alignment. Default: 60. Finite, not negative.
    pub align_near_m: f64,
    /// Friends this far or farther do not count for alignment. Default: 1000. Finite, above
    /// `align_near_m`.
    pub align_far_m: f64,
    /// Players farther than this along x do not count at all. Default: 1280. Finite, not negative.
    pub window_x_m: f64,
    /// Players farther than this along y do not count at all. Default: 960. Finite, not negative.
    pub window_y_m: f64,
    /// Steps a second. Default: 60. From 1 to 1000.
    pub tick_hz: u32,
    /// Goes round walls where the scene knows any (OAEKB). Default: `false`.
    pub avoid_walls: bool,
}

impl Default for PatternsConfig {
    fn default() -> Self {
        Self {
            battle_m: 800.0,
            friend_weight: 0.4,
            advance_m: 200.0,
            transition_per_m: 0.1,
            transition_ticks: 60,
            follow_in_battle: 0.5,
            follow_out_of_battle: 0.6,
            align_near_m: 60.0,
            align_far_m: 1000.0,
            window_x_m: 1280.0,
            window_y_m: 960.0,
            tick_hz: 60,
            avoid_walls: false,
        }
    }
}

impl PatternsConfig {
    /// The same game seen at another scale: every length times `factor`. A game in metres
    /// with players 0.6 m wide scales by 0.01.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for length in [
            &mut self.battle_m,
            &mut self.advance_m,
            &mut self.align_near_m,
            &mut self.align_far_m,
            &mut self.window_x_m,
            &mut self.window_y_m,
        ] {
            *length *= factor;
        }
        self.transition_per_m /= factor;
        self
    }
}

/// Checked settings: predicts a player from friends and enemies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patterns {
    config: PatternsConfig,
    tick_s: f64,
}

impl Patterns {
    /// # Errors
    /// Names the first setting outside its range: lengths and rates must not be negative,
    /// shares lie between 0 and 1, the far end of alignment beyond the near end.
    pub fn new(config: PatternsConfig) -> Result<Self, SettingError> {
        let (far, most) = (config.align_near_m * (1.0 + 1e-9), f64::MAX);
        for (name, got, min, max) in [
            ("battle_m", config.battle_m, 0.0, most),
            ("friend_weight", config.friend_weight, 0.0, most),
            ("advance_m", config.advance_m, 0.0, most),
            ("transition_per_m", config.transition_per_m, 0.0, most),
            ("follow_in_battle", config.follow_in_battle, 0.0, 1.0),
            ("follow_out_of_battle", config.follow_out_of_battle, 0.0, 1.0),
            ("align_near_m", config.align_near_m, 0.0, most),
            ("align_far_m", config.align_far_m, far.max(f64::MIN_POSITIVE), most),
            ("window_x_m", config.window_x_m, 0.0, most),
            ("window_y_m", config.window_y_m, 0.0, most),
            ("tick_hz", f64::from(config.tick_hz), 1.0, 1000.0),
        ] {
            SettingError::in_range(name, got, min, max)?;
        }
        Ok(Self { config, tick_s: 1.0 / f64::from(config.tick_hz) })
    }

    /// The settings.
    #[must_use]
    pub const fn config(&self) -> &PatternsConfig {
        &self.config
    }

    pub(super) fn roll_out<'o>(
        &self,
        scene: &Scene<'_>,
        place: u32,
        asked: impl Iterator<Item = (f64, &'o mut DVec3)>,
    ) {
        let body = &scene.bodies()[place as usize];
        let begin = || March::begin(self, scene, body, place);
        roll_out(body.kinematics.position, self.tick_s, begin, asked);
    }
}

/// One rollout under way.
struct March<'s, 'a> {
    patterns: &'s Patterns,
    scene: &'s Scene<'a>,
    body: &'s KnownBody,
    place: u32,
    /// SHI's S.
    top_mps: f64,
    /// SHI's V0, no faster than S along the ground.
    before: DVec3,
    /// One over SHI's m.
    per_transition: f64,
    neighbourhood: Neighbourhood<'s, 'a>,
    follow: Waypoint,
    bravery: Waypoint,
    walls: Option<&'a Walls>,
}

impl<'s, 'a> March<'s, 'a> {
    fn begin(
        patterns: &'s Patterns,
        scene: &'s Scene<'a>,
        body: &'s KnownBody,
        place: u32,
    ) -> Self {
        let before = body.kinematics.velocity;
        let speed_mps = before.truncate().length();
        let known = body.top_speed_mps > 0.0 && body.top_speed_mps.is_finite();
        let top_mps = if known { body.top_speed_mps } else { speed_mps };
        let slower = if speed_mps > top_mps { top_mps / speed_mps } else { 1.0 };
        let avoid = patterns.config.avoid_walls;
        let walls = scene.walls.or(scene.routes.map(Routes::walls));
        let mut march = Self {
            patterns,
            scene,
            body,
            place,
            top_mps,
            before: DVec3::new(before.x * slower, before.y * slower, before.z),
            per_transition: 1.0,
            neighbourhood: Neighbourhood::around(scene, place, &patterns.config),
            follow: Waypoint::default(),
            bravery: Waypoint::default(),
            walls: walls.filter(|_| avoid),
        };
        let ticks = patterns.transition_ticks(march.neighbourhood.nearest_m);
        march.per_transition = if ticks > 0.0 { 1.0 / ticks } else { f64::INFINITY };
        march
    }

    /// The velocity of the patterns at a place, SHI's Vr.
    fn pulled(&mut self, at: DVec2) -> DVec2 {
        self.neighbourhood.look(at);
        let config = &self.patterns.config;
        let middle = self.neighbourhood.friends_middle;
        let follow = match middle {
            Some(goal) => self.steer(at, goal, |march| &mut march.follow),
            None => self.before.truncate(),
        };
        if self.neighbourhood.in_battle {
            let goal = match middle {
                Some(_) => self.neighbourhood.bravery_goal,
                None => self.neighbourhood.bravery_goal_from(at),
            };
            let bravery = self.steer(at, goal, |march| &mut march.bravery);
            let both = follow * config.follow_in_battle + bravery * (1.0 - config.follow_in_battle);
            self.unstick(both);
            return both;
        }
        let align = if middle.is_some() { self.align(at) } else { self.before.truncate() };
        follow * config.follow_out_of_battle + align * (1.0 - config.follow_out_of_battle)
    }

    /// At top speed towards a goal, round the walls if they are known.
    fn steer(
        &mut self,
        at: DVec2,
        goal: DVec2,
        waypoint: impl Fn(&mut Self) -> &mut Waypoint,
    ) -> DVec2 {
        let reach_m = self.top_mps * self.patterns.tick_s;
        let mut target = goal;
        if let (Some(_), Some(routes)) = (self.walls, self.scene.routes) {
            let z = self.body.kinematics.position.z;
            let waypoint = waypoint(self);
            if waypoint.is_old(at, goal, reach_m, routes.cell_m() * 0.5) {
                let next = routes.next_step(at.extend(z), goal.extend(z)).truncate();
                let leads = next != goal && next != at;
                *waypoint = Waypoint { goal, next: leads.then_some(next), set: true };
            }
            target = waypoint.next.unwrap_or(goal);
        }
        let way = target - at;
        let length = sqrt(way.length_squared());
        if length > reach_m { way * (self.top_mps / length) } else { way / self.patterns.tick_s }
    }

    /// Between two waypoints on opposite sides a player would stand for ever; from there he
    /// looks for the way anew.
    fn unstick(&mut self, pulled: DVec2) {
        let slow_mps = self.top_mps * STUCK;
        if self.walls.is_some() && pulled.length_squared() < slow_mps * slow_mps {
            self.follow.set &= self.follow.next.is_none();
            self.bravery.set &= self.bravery.next.is_none();
        }
    }

    /// SHI's (8) to (10).
    fn align(&self, at: DVec2) -> DVec2 {
        let config = &self.patterns.config;
        let (near, far) = (config.align_near_m, config.align_far_m);
        let per_m = 1.0 / (far - near);
        let window = [config.window_x_m, config.window_y_m];
        let mut sum = DVec2::ZERO;
        for run in self.scene.around(at.x, at.y, [window[0].min(far), window[1].min(far)]) {
            for other in run {
                let way = DVec2::new(other.x, other.y) - at;
                // Teams stand together in a run, so the first question is seldom a surprise.
                let counts = other.team == self.body.team
                    && other.index != self.place
                    && way.x.abs() <= window[0]
                    && way.y.abs() <= window[1];
                if counts {
                    let distance = sqrt(way.length_squared()).max(near).min(far);
                    sum += DVec2::new(other.vx, other.vy) * ((far - distance) * per_m);
                }
            }
        }
        let length = sqrt(sum.length_squared());
        if length > self.top_mps { sum * (self.top_mps / length) } else { sum }
    }
}

impl RolloutStep for March<'_, '_> {
    fn step(&mut self, slice: u32, from: DVec3) -> DVec3 {
        // SHI counts updates since the last known velocity, so the first is number one.
        let share = (f64::from(slice + 1) * self.per_transition).min(1.0);
        let pulled = self.pulled(from.truncate()).extend(0.0);
        let velocity = self.before * (1.0 - share) + pulled * share;
        let to = from + velocity * self.patterns.tick_s;
        self.walls.map_or(to, |walls| keep_out(walls, from, to))
    }
}

impl Patterns {
    /// SHI's (17); nobody near means the longest transition.
    fn transition_ticks(&self, nearest_m: f64) -> f64 {
        let most = f64::from(self.config.transition_ticks);
        ceil(self.config.transition_per_m * nearest_m).min(most)
    }
}

/// Below this share of the top speed a player is stuck.
const STUCK: f64 = 0.1;
/// A goal has moved once it did so by this share of the distance to it.
const FAR_GOAL: f64 = 0.125;

/// Where the way to a goal leads next (SHI, algorithm 2). It is looked for anew when it is
/// reached, and when the goal has moved: by half a cell of the routes, farther if it is far.
#[derive(Clone, Copy, Default)]
struct Waypoint {
    goal: DVec2,
    /// `None` if the goal is in sight, or no way leads there.
    next: Option<DVec2>,
    set: bool,
}

impl Waypoint {
    fn is_old(&self, at: DVec2, goal: DVec2, reach_m: f64, moved_m: f64) -> bool {
        let far_sq = goal.distance_squared(at) * (FAR_GOAL * FAR_GOAL);
        let moved = goal.distance_squared(self.goal) > far_sq.max(moved_m * moved_m);
        let reached = self.next.is_some_and(|next| at.distance_squared(next) <= reach_m * reach_m);
        !self.set || moved || reached
    }
}
