//! Second-order projection with the acceleration that is usual at the place (STEELE).

use glam::DVec3;

use super::rollout::{RolloutStep, roll_out};
use crate::level::{Pull, TrendMap, keep_out};
use crate::{Scene, Walls};
use reckoning::Kinematics;
use reckoning::error::SettingError;

/// Settings for [`Trended`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct TrendedConfig {
    /// How the usual acceleration is mixed with the known one. Default: [`Pull::Mean`].
    pub pull: Pull,
    /// For how long the mixed acceleration is believed; then the body coasts. STEELE never stops
    /// believing it, which is infinity here; people do not accelerate for long. Default: 0.3 s. Not
    /// negative; infinity is allowed.
    pub trust_s: f64,
    /// Whether the trend is read anew wherever the projection has come to, in place of once
    /// where the body was last seen. Default: `false`.
    pub along_path: bool,
}

impl Default for TrendedConfig {
    fn default() -> Self {
        Self { pull: Pull::Mean, trust_s: 0.3, along_path: false }
    }
}

/// Checked settings: predicts a body from what bodies usually do at the place. Keeps out of
/// walls the scene knows, so that nobody is projected through one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trended {
    config: TrendedConfig,
}

/// With walls in the scene the path is checked in pieces of this length.
const SLICE_S: f64 = 1.0 / 30.0;

impl Trended {
    /// # Errors
    /// Refuses a negative trust.
    pub fn new(config: TrendedConfig) -> Result<Self, SettingError> {
        SettingError::in_range("trust_s", config.trust_s, 0.0, f64::INFINITY)?;
        Ok(Self { config })
    }

    pub(super) fn roll_out<'o>(
        &self,
        scene: &Scene<'_>,
        place: u32,
        asked: impl Iterator<Item = (f64, &'o mut DVec3)>,
    ) {
        let seen = &scene.bodies()[place as usize].kinematics;
        if let Some(map) = scene.trends.filter(|_| self.config.along_path) {
            let begin = || FollowedTrend {
                config: &self.config,
                map,
                walls: scene.walls,
                known: seen.acceleration,
                velocity: seen.velocity,
            };
            return roll_out(seen.position, SLICE_S, begin, asked);
        }
        let motion = TrendMotion {
            acceleration: self.acceleration(scene, seen),
            trust_s: self.config.trust_s,
            seen,
        };
        let Some(walls) = scene.walls else {
            return asked.for_each(|(horizon_s, out)| {
                let reached = seen.position + motion.way(horizon_s.max(0.0));
                *out = if reached.is_finite() { reached } else { seen.position };
            });
        };
        roll_out(seen.position, SLICE_S, || Bounded { motion, walls }, asked);
    }

    /// STEELE's (9).
    fn acceleration(&self, scene: &Scene<'_>, seen: &Kinematics) -> DVec3 {
        let trend = scene.trends.and_then(|map| map.trend_at(seen.position, seen.velocity));
        match trend {
            Some(trend) => trend.acceleration_for(seen.acceleration, self.config.pull),
            None => seen.acceleration,
        }
    }
}

/// STEELE's (10), coasting once the acceleration is no longer believed.
#[derive(Clone, Copy)]
struct TrendMotion<'s> {
    acceleration: DVec3,
    trust_s: f64,
    seen: &'s Kinematics,
}

impl TrendMotion<'_> {
    fn way(&self, t_s: f64) -> DVec3 {
        let push_s = t_s.min(self.trust_s);
        self.seen.velocity * t_s + self.acceleration * (push_s * (t_s - 0.5 * push_s))
    }
}

struct Bounded<'s> {
    motion: TrendMotion<'s>,
    walls: &'s Walls,
}

impl RolloutStep for Bounded<'_> {
    fn step(&mut self, slice: u32, from: DVec3) -> DVec3 {
        let begin_s = f64::from(slice) * SLICE_S;
        let step = self.motion.way(begin_s + SLICE_S) - self.motion.way(begin_s);
        keep_out(self.walls, from, from + step)
    }
}

/// A body that takes up the trend of every place it comes to.
struct FollowedTrend<'s> {
    config: &'s TrendedConfig,
    map: &'s TrendMap,
    walls: Option<&'s Walls>,
    /// The acceleration last known, which (9) mixes with that of each place.
    known: DVec3,
    velocity: DVec3,
}

impl RolloutStep for FollowedTrend<'_> {
    fn step(&mut self, slice: u32, from: DVec3) -> DVec3 {
        let push_s = (self.config.trust_s - f64::from(slice) * SLICE_S).clamp(0.0, SLICE_S);
        let trend = self.map.trend_at(from, self.velocity);
        let acceleration =
            trend.map_or(self.known, |it| it.acceleration_for(self.known, self.config.pull));
        let to =
            from + self.velocity * SLICE_S + acceleration * (push_s * (SLICE_S - 0.5 * push_s));
        self.velocity += acceleration * push_s;
        self.walls.map_or(to, |walls| keep_out(walls, from, to))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::KnownBody;
    use crate::level::{Sighting, TrendMapConfig};
    use reckoning::SimTime;

    /// Everyone runs along x at 4 m/s and brakes with 8 m/s2 beyond x = 10, not before.
    fn braking() -> TrendMap {
        let sighting = |step: u32| {
            let x = f64::from(step) * 0.02;
            let acceleration = if x < 10.0 { DVec3::ZERO } else { DVec3::NEG_X * 8.0 };
            Sighting { position: DVec3::X * x, velocity: DVec3::X * 4.0, acceleration }
        };
        let seen: Vec<Sighting> = (0..1024).map(sighting).collect();
        let mut config = TrendMapConfig::default();
        (config.trim, config.smallest_cell_m) = (0.0, 0.5);
        TrendMap::new(&seen, &config).unwrap()
    }

    fn reached_x(along_path: bool) -> f64 {
        let map = braking();
        let seen = Kinematics::moving(SimTime::ZERO, DVec3::X * 8.0, DVec3::X * 4.0);
        let bodies = [KnownBody::new(0, 0, seen)];
        let mut scene = Scene::new(&bodies, &[]);
        scene.trends = Some(&map);
        let mut config = TrendedConfig::default();
        (config.trust_s, config.along_path) = (f64::INFINITY, along_path);
        let behaviour = crate::Behaviour::Trended(Trended::new(config).unwrap());
        let mut out = [DVec3::ZERO];
        behaviour.roll_out(&scene, 0, &[1.0], &mut out);
        out[0].x
    }

    /// By hand: 2 m at 4 m/s take half a second; then (0 + 1 * -8) / 2 = -4 m/s2 for the other
    /// half second: 10 + 4 * 0.5 - 2 * 0.25 = 11.5. Cells and slices round that a little.
    #[test]
    fn a_trend_read_along_the_path_brakes_where_others_brake() {
        assert_eq!(reached_x(false), 12.0);
        assert!((reached_x(true) - 11.5).abs() < 0.1, "{}", reached_x(true));
    }
}
