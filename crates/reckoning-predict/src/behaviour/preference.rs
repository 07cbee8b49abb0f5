//! A player's preference for fights or items, and its learner.

use glam::DVec2;

use super::interest::{Forces, Interest};
use crate::Scene;
use reckoning::error::SettingError;

/// A player's habit, LI's E: from -100 (always items first) to 100 (always enemies first).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct Preference(f64);

#[cfg(feature = "serde")]
impl TryFrom<f64> for Preference {
    type Error = SettingError;

    fn try_from(percent: f64) -> Result<Self, SettingError> {
        Self::new(percent)
    }
}

#[cfg(feature = "serde")]
impl From<Preference> for f64 {
    fn from(preference: Preference) -> Self {
        preference.0
    }
}

impl Preference {
    /// No habit.
    pub const NONE: Self = Self(0.0);

    /// # Errors
    /// Refuses anything outside -100 to 100.
    pub fn new(percent: f64) -> Result<Self, SettingError> {
        SettingError::in_range("preference", percent, -100.0, 100.0).map(Self)
    }

    /// From -100 to 100.
    #[must_use]
    pub const fn percent(self) -> f64 {
        self.0
    }
}

/// Learns a player's [`Preference`] from where the player goes when there is a choice.
///
/// LI asks for the frequency of a player's habits during half an hour of play. A moment
/// counts when an enemy and an item attract the player in directions apart, and the player goes
/// clearly more towards one than the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreferenceLearner {
    /// Moments on the way to an enemy.
    pub to_players: u32,
    /// Moments on the way to an item.
    pub to_items: u32,
}

/// So many undecided moments stand at the beginning, so that the first ones count little.
const DOUBT: f64 = 20.0;
/// How much nearer (as a cosine) a heading must be to one than to the other.
const CLEAR: f64 = 0.3;

impl PreferenceLearner {
    /// Watches the body called `id`, moving as the scene has it. A few times a second is
    /// enough.
    pub fn observe(&mut self, interest: &Interest, scene: &Scene<'_>, id: u32) {
        let Some(place) = scene.place(id) else { return };
        let body = &scene.bodies()[place as usize];
        let at = body.kinematics.position.truncate();
        let heading = body.kinematics.velocity.truncate().normalize_or_zero();
        let (player, item) = Forces::on(interest.config(), scene, place, at).strongest();
        if player == DVec2::ZERO || item == DVec2::ZERO || heading == DVec2::ZERO {
            return;
        }
        let to_player = heading.dot(player.normalize_or_zero());
        let to_item = heading.dot(item.normalize_or_zero());
        if to_player > to_item + CLEAR {
            self.to_players = self.to_players.saturating_add(1);
        } else if to_item > to_player + CLEAR {
            self.to_items = self.to_items.saturating_add(1);
        }
    }

    /// What has been learned so far.
    #[must_use]
    pub fn preference(&self) -> Preference {
        let (players, items) = (f64::from(self.to_players), f64::from(self.to_items));
        Preference(100.0 * (players - items) / (players + items + DOUBT))
    }
}
