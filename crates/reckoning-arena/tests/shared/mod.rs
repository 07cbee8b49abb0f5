//! Helpers shared by the tests.

use reckoning_arena::{Level, Match, MatchConfig, Style};

pub const LEVELS: [&str; 3] = ["proving-grounds", "tank-field", "corridors"];

/// A match on a built-in level.
pub fn play(level: &str, bots: u16, seconds: u32, seed: u64) -> Match {
    let mut config = MatchConfig::default();
    (config.bots, config.seconds, config.seed) = (bots, seconds, seed);
    Match::start(Level::built_in(level).unwrap(), &config)
}

/// A character in the middle of everything.
#[allow(dead_code, reason = "not every test draws characters")]
pub fn plain() -> Style {
    Style {
        aggression: 0.5,
        caution: 0.5,
        curiosity: 0.5,
        loyalty: 0.5,
        restlessness: 0.5,
        skill: 0.5,
        reaction_s: 0.3,
    }
}
