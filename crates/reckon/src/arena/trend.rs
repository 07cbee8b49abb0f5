//! Trend map of a level: where bots go in it, for the page's overlay.

use std::collections::BTreeMap;

use reckoning::DVec3;
use reckoning_arena::{Level, Match, MatchConfig, PlayerId, TICKS_PER_S};
use reckoning_predict::{Sighting, TrendMap, TrendMapConfig};

/// Enough to show the lanes of a level, and made within a blink.
const BOTS: u16 = 8;
const SECONDS: u32 = 60;

/// The map of a minute's match that nobody sees, as bytes.
pub fn trend(level: &Level) -> Option<Vec<u8>> {
    let mut config = TrendMapConfig::default();
    // No cell is smaller than a body.
    config.smallest_cell_m = 2.0 * level.file().body.radius_px;
    TrendMap::new(&sightings(level), &config).ok().map(|map| map.to_bytes())
}

/// Every bot in every tick in which it lives on, with the velocity it gained since the last.
fn sightings(level: &Level) -> Vec<Sighting> {
    let mut config = MatchConfig::default();
    config.bots = BOTS;
    config.seconds = SECONDS;
    let mut before: BTreeMap<PlayerId, (u64, DVec3)> = BTreeMap::new();
    let mut seen = Vec::new();
    for frame in Match::start(level.clone(), &config) {
        for bot in frame.players.iter().filter(|bot| bot.is_alive) {
            let life = (bot.since_tick, bot.velocity);
            if let Some((since_tick, velocity)) = before.insert(bot.id, life)
                && since_tick == bot.since_tick
            {
                let acceleration = (bot.velocity - velocity) * f64::from(TICKS_PER_S);
                seen.push(Sighting {
                    position: bot.position,
                    velocity: bot.velocity,
                    acceleration,
                });
            }
        }
    }
    seen
}
