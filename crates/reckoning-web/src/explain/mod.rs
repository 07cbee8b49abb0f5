//! Model of the explainer: one ball, its guess, and what networks do to both, step by step.
//!
//! ```text
//! Ball --truth--> Line: Publisher -> link -> Ghost   one way to tell a watcher, by the engine
//!            \--> Snapshots: link -> newest          what a naive game shows
//!             \-> Audience: Fairness -> five links   several watchers under one budget
//! ```
//!
//! A [`Demo`] is one step of the page: a ball, those of the above that the step is about, two
//! sliders ([`Step::sliders`]), and figures. Time is an argument and all chance is seeded, so equal
//! calls give equal pictures.

mod audience;
mod ball;
mod demo;
mod line;
mod records;
mod snapshots;
mod step;

pub use audience::{Audience, Watcher};
pub use ball::{BALL_M, Ball, Driver, FIELD_M};
pub use demo::{Demo, Figure, Shown, ShownAs};
pub use line::{Line, LineSetup};
pub use records::{Lane, Mark, Recent, Trail};
pub use snapshots::Snapshots;
pub use step::{Slider, Step, Unit};

/// Truths a second.
pub const TICKS_PER_S: u32 = 60;
/// Seconds between two of them.
pub const TICK_S: f64 = 1.0 / TICKS_PER_S as f64;
/// Figures are of so many seconds: long enough for a few bends and bursts of losses.
const OVER_S: usize = 10;
