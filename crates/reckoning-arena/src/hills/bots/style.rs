//! What makes one bot unlike another.

use reckoning::random::SplitMix64;

use crate::ticks;

/// A bot's character.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// From sight to the trigger.
    pub(super) reaction_ticks: u64,
    /// How far its aim strays, as a deviation.
    pub(super) error_rad: f64,
    /// From 0, who would rather see the country, to 1, who looks for fights.
    pub(super) bravery: f64,
    /// Below this share of its health it takes cover.
    pub(super) caution: f64,
    /// From how far it likes to fight.
    pub(super) range_m: f64,
}

impl Style {
    pub(super) fn draw(random: &mut SplitMix64) -> Self {
        Self {
            reaction_ticks: ticks(random.between(0.25, 0.6)),
            error_rad: random.between(0.012, 0.03),
            bravery: random.between(0.2, 0.9),
            caution: random.between(0.25, 0.6),
            range_m: random.between(45.0, 120.0),
        }
    }
}
