//! The arena on the command line: `reckon play`, `bots`, `watch`, and `serve --level`.

pub mod bots;
mod frames;
mod game;
mod hills;
mod level;
mod minds;
mod page;
pub mod play;
mod recording_info;
pub mod watch;

#[cfg(feature = "dis")]
pub use level::Scene;
pub use level::{Chosen, SceneError};
