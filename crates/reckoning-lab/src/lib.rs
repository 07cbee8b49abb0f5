//! The laboratory of Reckoning: how well do ghosts follow, and at what price?
//!
//! Nothing here is a model of the engine: the lab runs the engine itself, a
//! [`Publisher`](reckoning::Publisher) and a [`Ghost`](reckoning::Ghost), on motions whose
//! truth is known ([`Motion`]), over networks as bad as wanted ([`Link`]).

mod clock;
mod dice;
mod link;
mod motion;
mod picture;
mod scenes;

pub use clock::Clock;
pub use dice::Dice;
pub use link::{Bottleneck, Jitter, Link, LinkConfig, LinkError, LinkStats, Loss, SpecError};
pub use motion::{Motion, TICK_HZ};
pub use picture::scene_picture;
pub use scenes::{
    HEADER_BYTES, Report, Run, Scenario, ScenarioError, Tally, plain_bytes, scene_table,
};
