//! Second-order projection with the acceleration that is usual at the place (STEELE).

use glam::DVec3;

use super::rollout::{RolloutStep, roll_out};
use crate::level::{Pull, keep_out};
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
}

impl Default for TrendedConfig {
    fn default() -> Self {
        Self { pull: Pull::Mean, trust_s: 0.3 }
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
