//! A top-down arena with bots: a game to play with Reckoning, and honest data to test it.
//!
//! A [`World`] is the whole game and makes one deterministic step of a sixtieth of a second
//! at a time; [`Bots`] play it; a [`Match`] lets them and hands out every tick as a value.
//! Nothing here reads a clock or a file, and all chance comes from a seed.
//!
//! # Quick start
//!
//! ```
//! use reckoning_arena::{Event, Level, Match, MatchConfig};
//!
//! let level = Level::built_in("tank-field")?;
//! let mut config = MatchConfig::default();
//! config.bots = 4;
//! config.seconds = 60;
//! let frames: Vec<_> = Match::start(level, &config).collect();
//!
//! assert_eq!(frames.len(), 60 * 60);
//! let shots = frames.iter().flat_map(|it| &it.events);
//! assert!(shots.filter(|it| matches!(it, Event::Fired { .. })).count() > 10);
//! # Ok::<(), reckoning_arena::LevelError>(())
//! ```
//!
//! # Where things are
//!
//! | you want to | take |
//! |---|---|
//! | read, write or check a level | [`Level`], [`LevelFile`], [`LevelError`] |
//! | run the game yourself | [`World`], [`Input`], [`Event`] |
//! | let bots play | [`Bots`], [`Style`] |
//! | record many minutes | [`Match`], [`MatchFrame`] |
//! | play it over a network | [`host::ArenaHost`], [`protocol`] |
//! | let a program play over a network | [`RemoteBot`] |
//! | foresee bodies by a planner | [`planning::Planning`] |

#![forbid(unsafe_code)]

mod bots;
pub mod hills;
pub mod host;
mod level;
pub mod planning;
pub mod protocol;
mod record;
mod remote_bot;
mod world;

pub use bots::{Bots, Goal, Style};
pub use level::{
    BodyKind, BodyRules, BoxWall, Buggies, Edge, FilePoint, Gun, ItemKind, ItemSpot, Level,
    LevelError, LevelFile, Paths, PolygonWall, Rules, SegmentWall, Spawn, Thing, TurretSpot, Walls,
};
pub use reckoning::{DVec3, Kinematics, SimTime};
pub use record::{Match, MatchConfig, MatchFrame, digest};
pub use remote_bot::RemoteBot;
pub use world::{
    Event, Input, MAX_PLAYERS, Mode, Player, PlayerId, Shooter, Shot, Team, Turret, World,
};

/// Steps a second.
pub const TICKS_PER_S: u32 = 60;
/// The length of a step in seconds.
const TICK_S: f64 = 1.0 / TICKS_PER_S as f64;

/// The steps nearest to a span, at least one.
fn ticks(span_s: f64) -> u64 {
    (libm::round(span_s * f64::from(TICKS_PER_S)) as u64).max(1)
}
