//! The interest scheme: players and items attract or repel a player (LI).
//!
//! ```text
//!   interest of A in an enemy B    (S_A - S_B) / S_max      the stronger hunts the weaker
//!   interest of A in an item O     what of S_O it can still use, over S_max
//!   force                          k I / D^2, towards where the other is heading
//! ```
//!
//! Speed stays as it was; the direction is that of the force, which takes over from the last
//! known direction within `m` slices. Between slices of 250 ms the body goes straight.
//!
//! Choices where LI can be read in two ways: equation (2) is written from the other's side,
//! the example of tanks A and B (the weaker B flees) fixes the sign; equation (13), garbled
//! in print, moves the point a force aims at by `q (D / |V_A|) V_B` and changes its direction
//! only, the strength is that of the true distance; a fighter's preference turns him towards
//! the player that moves him most even if that one is stronger (path 4 of figure 1). `m` is
//! fixed by the last known state. Once no force is left the last direction is kept. Friends,
//! unknown to LI, exert no force.

use glam::{DVec2, DVec3};
use libm::ceil;

use super::preference::Preference;
use super::rollout::{RolloutStep, roll_out};
use crate::{KnownBody, Scene};
use reckoning::error::SettingError;
use reckoning::math::{atan2, cos, sin, sqrt};

/// Settings for [`Interest`].
///
/// The default is LI's tank game: a field of 400 by 400 pixels, tanks at 40 pixels a second.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct InterestConfig {
    /// Strength of all forces against the pull of the last known direction, which is 1. LI's k.
    /// Default: 4165. Finite, not negative.
    pub strength: f64,
    /// Slices of transition per metre to the nearest player or item. LI's l. Default: 0.1. Finite,
    /// not negative.
    pub transition_per_m: f64,
    /// Slices of transition at most. LI's R. Default: 10. Any number; zero has no transition.
    pub transition_slices: u32,
    /// Length of a slice in seconds. LI's delta t. Default: 0.25 s. From 0.001 to 60.
    pub slice_s: f64,
    /// How far ahead of an enemy a force aims. LI's q. Default: 0.356. Finite, not negative.
    pub lead: f64,
    /// The player's habit. LI's E. Default: [`Preference::NONE`].
    pub preference: Preference,
}

impl Default for InterestConfig {
    fn default() -> Self {
        Self {
            strength: 4165.0,
            transition_per_m: 0.1,
            transition_slices: 10,
            slice_s: 0.25,
            lead: 0.356,
            preference: Preference::NONE,
        }
    }
}

impl InterestConfig {
    /// The same game seen at another scale: every length times `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.strength *= factor * factor;
        self.transition_per_m /= factor;
        self
    }
}

/// Checked settings: predicts a player from the others' strength and the items about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interest {
    config: InterestConfig,
}

impl Interest {
    /// # Errors
    /// Names the first setting that is negative or not finite; a slice lasts from a
    /// millisecond to a minute.
    pub fn new(config: InterestConfig) -> Result<Self, SettingError> {
        for (name, got, min, max) in [
            ("strength", config.strength, 0.0, f64::MAX),
            ("transition_per_m", config.transition_per_m, 0.0, f64::MAX),
            ("slice_s", config.slice_s, 1e-3, 60.0),
            ("lead", config.lead, 0.0, f64::MAX),
        ] {
            SettingError::in_range(name, got, min, max)?;
        }
        Ok(Self { config })
    }

    /// The same scheme for a player of another habit.
    #[must_use]
    pub const fn preferring(mut self, preference: Preference) -> Self {
        self.config.preference = preference;
        self
    }

    /// The settings.
    #[must_use]
    pub const fn config(&self) -> &InterestConfig {
        &self.config
    }

    /// Rolls out from `start`, where the body has come to without news by then.
    pub(super) fn roll_out<'o>(
        &self,
        scene: &Scene<'_>,
        place: u32,
        start: DVec3,
        asked: impl Iterator<Item = (f64, &'o mut DVec3)>,
    ) {
        roll_out(start, self.config.slice_s, || Drift::begin(self, scene, place, start), asked);
    }
}

/// The forces on a body at one place.
#[derive(Clone, Copy, Default)]
pub(super) struct Forces {
    sum: DVec2,
    /// Squared length and way to its source of the strongest force of each kind.
    player: (f64, DVec2),
    item: (f64, DVec2),
    nearest_sq: f64,
}

impl Forces {
    /// Which way the strongest player and the strongest item lie; zero if there is none.
    pub fn strongest(&self) -> (DVec2, DVec2) {
        (self.player.1, self.item.1)
    }

    /// All forces on the body at `place` in the scene, were it at `at`.
    pub fn on(config: &InterestConfig, scene: &Scene<'_>, place: u32, at: DVec2) -> Self {
        let body = &scene.bodies()[place as usize];
        let mut forces = Self { nearest_sq: f64::INFINITY, ..Self::default() };
        let most = body.state_max();
        if most <= 0.0 {
            return forces;
        }
        let scale = config.strength / most;
        forces.add_players(config, scene, body, at, scale);
        forces.add_items(scene, body, at, scale);
        forces
    }

    fn add_players(
        &mut self,
        config: &InterestConfig,
        scene: &Scene<'_>,
        body: &KnownBody,
        at: DVec2,
        scale: f64,
    ) {
        let speed_mps = body.kinematics.velocity.truncate().length();
        let lead_s_per_m = if speed_mps > 0.0 { config.lead / speed_mps } else { 0.0 };
        let own = body.state();
        for other in scene.living().iter().filter(|other| other.team != body.team) {
            let way = DVec2::new(other.x, other.y) - at;
            let distance_sq = way.length_squared();
            let lead_s = lead_s_per_m * sqrt(distance_sq);
            let aim = way + DVec2::new(other.vx, other.vy) * lead_s;
            let force = scale * (own - other.state) / distance_sq;
            Self::add(&mut self.sum, &mut self.player, force, aim);
            self.nearest_sq = self.nearest_sq.min(distance_sq);
        }
    }

    fn add_items(&mut self, scene: &Scene<'_>, body: &KnownBody, at: DVec2, scale: f64) {
        let room = body.state_max() - body.state();
        for item in scene.items() {
            let way = item.position.truncate() - at;
            let distance_sq = way.length_squared();
            let force = scale * f64::from(item.worth).min(room) / distance_sq;
            Self::add(&mut self.sum, &mut self.item, force, way);
            self.nearest_sq = self.nearest_sq.min(distance_sq);
        }
    }

    /// Adds a force of the length `force` along `aim`. One without a direction, from a source
    /// in the same place, is none.
    fn add(sum: &mut DVec2, strongest: &mut (f64, DVec2), force: f64, aim: DVec2) {
        let vector = aim * (force / sqrt(aim.length_squared()));
        if vector.is_finite() {
            *sum += vector;
            if force.abs() > strongest.0 {
                *strongest = (force.abs(), aim);
            }
        }
    }

    /// The resultant after the player's habit has turned it.
    fn preferred(&self, preference: Preference) -> DVec2 {
        let share = preference.percent() / 100.0;
        if share == 0.0 {
            return self.sum;
        }
        let towards = if share > 0.0 { self.player.1 } else { self.item.1 };
        turned(self.sum, towards, share.abs())
    }
}

/// `vector` turned towards `towards` by a share of the angle between them.
fn turned(vector: DVec2, towards: DVec2, share: f64) -> DVec2 {
    let angle = atan2(vector.perp_dot(towards), vector.dot(towards)) * share;
    let (sin, cos) = (sin(angle), cos(angle));
    DVec2::new(vector.x * cos - vector.y * sin, vector.x * sin + vector.y * cos)
}

/// One rollout under way.
struct Drift<'s, 'a> {
    config: &'s InterestConfig,
    scene: &'s Scene<'a>,
    place: u32,
    /// LI's F0: one long, along the last known direction.
    before: DVec2,
    heading: DVec2,
    speed_mps: f64,
    rise_mps: f64,
    /// LI's m.
    transition: f64,
}

impl<'s, 'a> Drift<'s, 'a> {
    fn begin(interest: &'s Interest, scene: &'s Scene<'a>, place: u32, start: DVec3) -> Self {
        let config = &interest.config;
        let velocity = scene.bodies()[place as usize].kinematics.velocity;
        let before = velocity.truncate().normalize_or_zero();
        let nearest_sq = Forces::on(config, scene, place, start.truncate()).nearest_sq;
        let most = f64::from(config.transition_slices);
        Self {
            config,
            scene,
            place,
            before,
            heading: before,
            speed_mps: velocity.truncate().length(),
            rise_mps: velocity.z,
            transition: ceil(config.transition_per_m * sqrt(nearest_sq)).min(most),
        }
    }
}

impl RolloutStep for Drift<'_, '_> {
    fn step(&mut self, slice: u32, from: DVec3) -> DVec3 {
        let slice = f64::from(slice);
        let share = if slice < self.transition { slice / self.transition } else { 1.0 };
        let mut force = self.before * (1.0 - share);
        if share > 0.0 {
            let forces = Forces::on(self.config, self.scene, self.place, from.truncate());
            force += forces.preferred(self.config.preference) * share;
        }
        self.heading = force.try_normalize().unwrap_or(self.heading);
        let velocity = self.heading * self.speed_mps;
        from + velocity.extend(self.rise_mps * (1.0 - share)) * self.config.slice_s
    }
}
