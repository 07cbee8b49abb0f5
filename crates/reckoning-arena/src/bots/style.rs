//! Character traits that make one bot play unlike another.

use reckoning::random::SplitMix64;

/// A bot's character. Traits run from 0 (not at all) to 1 (very much).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Seeks fights and fights close.
    pub aggression: f64,
    /// Breaks off early, uses cover, goes round turrets.
    pub caution: f64,
    /// Goes where it has not been, collects what lies there.
    pub curiosity: f64,
    /// Stays with its team.
    pub loyalty: f64,
    /// Changes its mind often, waits little.
    pub restlessness: f64,
    /// How well it aims.
    pub skill: f64,
    /// From seeing to acting.
    pub reaction_s: f64,
}

impl Style {
    /// A character drawn by lot: every trait anywhere from 0 to 1, reactions from a fifth to
    /// two fifths of a second.
    #[must_use]
    pub fn draw(random: &mut SplitMix64) -> Self {
        Self {
            aggression: random.unit(),
            caution: random.unit(),
            curiosity: random.unit(),
            loyalty: random.unit(),
            restlessness: random.unit(),
            skill: random.unit(),
            reaction_s: random.between(0.2, 0.4),
        }
    }

    /// Below this share of health the bot thinks of its life first.
    pub(crate) fn weak_below(&self) -> f64 {
        0.15 + 0.4 * self.caution
    }

    /// The distance it likes to fight at, as a share of the gun's range.
    pub(crate) fn fight_at(&self) -> f64 {
        0.8 - 0.6 * self.aggression
    }
}
