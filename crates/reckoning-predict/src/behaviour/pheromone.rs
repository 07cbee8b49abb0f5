//! Trails: bodies leave something behind where they pass, and it draws others on.
//!
//! After the idea of `AntReckoning`, as STEELE reports it: popular places attract. Each body
//! deposits pheromone in the cell it passes, all of it evaporates at one rate, and a
//! predicted body is drawn to the strong cells around and ahead of it. Cells behind do not
//! count, or a body would turn back to its own trail. With [`PheromoneConfig::points`] above
//! zero points of interest attract as well, by the state of the body, which is what the
//! authors propose: health the hurt, ammunition those who have little, weaker enemies the
//! stronger, and stronger ones repel.

use alloc::vec::Vec;
use core::time::Duration;

use glam::{DVec2, DVec3};
use libm::floor;

use super::rollout::{RolloutStep, roll_out};
use crate::level::keep_out;
use crate::{Item, KnownBody, Restores, Scene, Walls};
use reckoning::error::{SettingError, TerrainError};
use reckoning::math::{exp, sqrt};
use reckoning::{ConfigError, SimTime};

/// A map of what passing bodies left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct PheromoneMap {
    corner: DVec2,
    cell_m: f64,
    columns: usize,
    rows: usize,
    fade_s: f64,
    /// When evaporation was last brought up to date.
    now: Option<SimTime>,
    /// What one unit in `cells` is worth now. Evaporation shrinks this, not every cell.
    worth: f64,
    cells: Vec<f64>,
}

/// When a unit is worth less than this the cells are brought up to date.
const STALE: f64 = 1e-30;
/// No map has more cells than this.
const MAX_CELLS: f64 = 4_194_304.0;

impl PheromoneMap {
    /// An empty map of `columns` by `rows` square cells from `corner`, on which a deposit
    /// fades to a third within `fade`.
    ///
    /// # Errors
    /// Refuses a corner or cell that is not finite and positive, more than four million
    /// cells or none, and a fade of zero.
    pub fn new(
        corner: DVec3,
        cell_m: f64,
        columns: usize,
        rows: usize,
        fade: Duration,
    ) -> Result<Self, ConfigError> {
        if !corner.is_finite() {
            return Err(TerrainError::CornerNotFinite { got: corner }.into());
        }
        SettingError::in_range("cell_m", cell_m, f64::MIN_POSITIVE, f64::MAX)?;
        SettingError::in_range("cells of the map", columns as f64 * rows as f64, 1.0, MAX_CELLS)?;
        SettingError::in_range("fade", fade.as_secs_f64(), 1e-6, f64::MAX)?;
        let corner = corner.truncate();
        let cells = alloc::vec![0.0; columns * rows];
        let fade_s = fade.as_secs_f64();
        Ok(Self { corner, cell_m, columns, rows, fade_s, now: None, worth: 1.0, cells })
    }

    /// Lets everything evaporate until `now`. The first call only starts the clock, and an
    /// earlier moment changes nothing.
    pub fn evaporate(&mut self, now: SimTime) {
        let past_s = self.now.map_or(0.0, |before| now.secs_since(before));
        if past_s < 0.0 {
            return;
        }
        self.now = Some(now);
        self.worth *= exp(-past_s / self.fade_s);
        if self.worth < STALE {
            for cell in &mut self.cells {
                *cell *= self.worth;
            }
            self.worth = 1.0;
        }
    }

    /// A body passes; `amount` is usually the seconds it took since the last deposit.
    /// Outside the map nothing is kept.
    pub fn deposit(&mut self, position: DVec3, amount: f64) {
        let usable = amount > 0.0 && amount.is_finite();
        if let Some(cell) = self.cell_of(position.truncate()).filter(|_| usable) {
            self.cells[cell] = (self.cells[cell] + amount / self.worth).min(f64::MAX);
        }
    }

    /// How strong the trail is at a place.
    #[must_use]
    pub fn strength(&self, position: DVec3) -> f64 {
        self.at(position.truncate())
    }

    fn at(&self, place: DVec2) -> f64 {
        self.cell_of(place).map_or(0.0, |cell| self.cells[cell] * self.worth)
    }

    fn cell_of(&self, place: DVec2) -> Option<usize> {
        let at = (place - self.corner) / self.cell_m;
        let inside = at.x >= 0.0 && at.y >= 0.0;
        let (column, row) = (at.x as usize, at.y as usize);
        (inside && column < self.columns && row < self.rows).then(|| row * self.columns + column)
    }

    /// Which way the cells around a place draw a body that heads along `heading`.
    fn pull(&self, place: DVec2, heading: DVec2) -> DVec2 {
        let own = (place - self.corner) / self.cell_m;
        let middle = DVec2::new(floor(own.x), floor(own.y)) + 0.5;
        let mut sum = DVec2::ZERO;
        for y in -REACH..=REACH {
            for x in -REACH..=REACH {
                let way = middle + DVec2::new(f64::from(x), f64::from(y)) - own;
                let distance_sq = way.length_squared();
                // Nearer than half a cell is here, not ahead.
                if way.dot(heading) > 0.0 && distance_sq > 0.25 {
                    let strength = self.at(place + way * self.cell_m);
                    sum += way * (strength / (distance_sq * sqrt(distance_sq)));
                }
            }
        }
        sum
    }
}

/// Cells around the own one that draw a body.
const REACH: i32 = 2;

/// Settings for [`Pheromone`].
///
/// The default suits people on foot and deposits counted in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct PheromoneConfig {
    /// How much of the direction a strong trail decides. Default: 0.2. From 0 to 1.
    pub attraction: f64,
    /// The strength of trail that decides half as much as that. Default: 1. Positive and finite.
    pub half_strength: f64,
    /// Length of a slice in seconds. Default: 0.1 s. From 0.001 to 60.
    pub slice_s: f64,
    /// How strong a trail one point of interest is worth to a body that needs all of it and stands
    /// by it. Default: 0, trails alone. Finite, not negative.
    pub points: f64,
    /// The attraction of a point falls to a third within this. Default: 10 m. Positive and finite.
    pub reach_m: f64,
}

impl Default for PheromoneConfig {
    fn default() -> Self {
        Self { attraction: 0.2, half_strength: 1.0, slice_s: 0.1, points: 0.0, reach_m: 10.0 }
    }
}

/// Checked settings: predicts a body from the trails of those before it. It keeps its speed,
/// and keeps out of walls the scene knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pheromone {
    config: PheromoneConfig,
}

impl Pheromone {
    /// # Errors
    /// Names the first setting outside its range.
    pub fn new(config: PheromoneConfig) -> Result<Self, ConfigError> {
        SettingError::in_range("attraction", config.attraction, 0.0, 1.0)?;
        SettingError::in_range("half_strength", config.half_strength, f64::MIN_POSITIVE, f64::MAX)?;
        SettingError::in_range("slice_s", config.slice_s, 1e-3, 60.0)?;
        SettingError::in_range("points", config.points, 0.0, f64::MAX)?;
        SettingError::in_range("reach_m", config.reach_m, f64::MIN_POSITIVE, f64::MAX)?;
        Ok(Self { config })
    }

    pub(super) fn roll_out<'o>(
        &self,
        scene: &Scene<'_>,
        place: u32,
        asked: impl Iterator<Item = (f64, &'o mut DVec3)>,
    ) {
        let body = &scene.bodies()[place as usize];
        let seen = &body.kinematics;
        let begin = || TrailFollower {
            config: &self.config,
            scene,
            body,
            map: scene.pheromones,
            walls: scene.walls,
            heading: seen.velocity.truncate().normalize_or_zero(),
            speed_mps: seen.velocity.truncate().length(),
            rise_mps: seen.velocity.z,
        };
        roll_out(seen.position, self.config.slice_s, begin, asked);
    }
}

struct TrailFollower<'s, 'a> {
    config: &'s PheromoneConfig,
    scene: &'s Scene<'a>,
    body: &'s KnownBody,
    map: Option<&'s PheromoneMap>,
    walls: Option<&'s Walls>,
    heading: DVec2,
    speed_mps: f64,
    rise_mps: f64,
}

impl TrailFollower<'_, '_> {
    /// Turns towards what draws, the more the stronger it is.
    fn turn(&mut self, pull: DVec2) {
        let strength = pull.length();
        if strength > 0.0 && strength.is_finite() {
            let share = self.config.attraction * strength / (strength + self.config.half_strength);
            let drawn = self.heading * (1.0 - share) + pull * (share / strength);
            self.heading = drawn.try_normalize().unwrap_or(self.heading);
        }
    }

    /// What all points of interest do to the body at a place.
    fn drawn(&self, from: DVec2) -> DVec2 {
        let items =
            self.scene.items().iter().map(|item| (item.position.truncate(), self.needs(item)));
        let own = self.body.state();
        let most = self.body.state_max();
        let enemies = self.scene.living().iter().filter(|it| it.team != self.body.team);
        let enemies = enemies.map(|it| {
            let interest = if most > 0.0 { (own - it.state) / most } else { 0.0 };
            (DVec2::new(it.x, it.y), interest)
        });
        let pull = items.chain(enemies).map(|(at, interest)| self.pull_of(at - from, interest));
        pull.sum::<DVec2>() * self.config.points
    }

    /// From 0 for those who have all to 1 for those who have nothing of what it gives.
    fn needs(&self, item: &Item) -> f64 {
        let (got, most) = match item.restores {
            Restores::Health => (self.body.health, self.body.max_health),
            Restores::Ammo => (self.body.ammo, self.body.max_ammo),
        };
        if most > 0.0 { (1.0 - f64::from(got) / f64::from(most)).clamp(0.0, 1.0) } else { 0.0 }
    }

    fn pull_of(&self, way: DVec2, interest: f64) -> DVec2 {
        let distance_m = sqrt(way.length_squared());
        if interest == 0.0 || distance_m == 0.0 {
            return DVec2::ZERO;
        }
        way * (interest * exp(-distance_m / self.config.reach_m) / distance_m)
    }
}

impl RolloutStep for TrailFollower<'_, '_> {
    fn step(&mut self, _slice: u32, from: DVec3) -> DVec3 {
        if self.speed_mps > 0.0 {
            let place = from.truncate();
            let trails = self.map.map_or(DVec2::ZERO, |map| map.pull(place, self.heading));
            let points = if self.config.points > 0.0 { self.drawn(place) } else { DVec2::ZERO };
            self.turn(trails + points);
        }
        let velocity = (self.heading * self.speed_mps).extend(self.rise_mps);
        let to = from + velocity * self.config.slice_s;
        self.walls.map_or(to, |walls| keep_out(walls, from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::Kinematics;

    /// A runner along x with half its health, and health two metres to its left.
    fn reached(health: f32, points: f64, horizon_s: f64) -> DVec3 {
        let runner = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 2.0);
        let mut body = KnownBody::new(0, 0, runner);
        (body.health, body.max_health) = (health, 100.0);
        let items = [Item { position: DVec3::Y * 2.0, restores: Restores::Health, worth: 25.0 }];
        let bodies = [body];
        let scene = Scene::new(&bodies, &items);
        let mut config = PheromoneConfig::default();
        (config.points, config.reach_m, config.attraction) = (points, 2.0, 0.5);
        let behaviour = crate::Behaviour::Pheromone(Pheromone::new(config).unwrap());
        let mut out = [DVec3::ZERO];
        behaviour.roll_out(&scene, 0, &[horizon_s], &mut out);
        out[0]
    }

    /// By hand, one slice of 0.1 s: need 0.5, pull 4 * 0.5 * exp(-1) = 0.7358 along y, share
    /// 0.5 * 0.7358 / 1.7358 = 0.2119, heading (0.7881, 0.2119) / 0.8160, 0.2 m along it.
    #[test]
    fn the_hurt_turn_to_health_and_the_well_do_not() {
        let hurt = reached(50.0, 4.0, 0.1);
        assert!((hurt - DVec3::new(0.19314, 0.05194, 0.0)).length() < 1e-4, "{hurt}");
        assert_eq!(reached(100.0, 4.0, 0.1), DVec3::X * 0.2);
        assert_eq!(reached(50.0, 0.0, 0.1), DVec3::X * 0.2, "trails alone");
    }
}
