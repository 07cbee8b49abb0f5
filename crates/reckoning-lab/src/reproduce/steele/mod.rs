//! STEELE: level information, on a level with everything it asks for.
//!
//! STEELE planned an experiment with people and published no results, so a verdict here says
//! whether a hypothesis holds for the bots of the arena. They play for goals of their own and
//! know nothing of trends:
//!
//! ```text
//! matches, seeds 1..        -> trend maps
//! matches, seeds 1001..     -> tracks -> publisher and ghost, by place -> paired tests
//! ```

mod ahead;
mod chain;
mod claims;
mod confidence;
mod contrast;
mod findings;
mod places;
mod play;
mod printed;
mod tables;

use std::sync::Arc;

use reckoning_arena::Level;

use super::{Effort, Measured};
use findings::LevelFindings;

/// Trains, evaluates and judges.
pub(super) fn measure(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Measured {
    let level = Level::built_in("corridors").expect("the level comes with the arena");
    let findings = LevelFindings::new(&Arc::new(level), effort, progress)
        .expect("the thresholds and the walls of the level are sound");
    Measured { findings: claims::findings(&findings), tables: tables::tables(&findings) }
}
