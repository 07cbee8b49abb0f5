//! The page of the arena, compiled to WebAssembly and drawn on a canvas.
//!
//! It plays the game of a `reckon play` server, flat or in the hills, or replays what `reckon watch`
//! hands out, and shows on one screen what is true, what a naive game would show, and what Reckoning shows.
//! `cargo xtask page` builds it into `target/page`, and `reckon` carries that folder in its binary.
//! The same module runs the explainer at `/explain`, which needs no game: see [`explain`].
//!
//! ```text
//! page/            HTML and style sheet: every control, with a line that explains it
//! page (WASM only) browser, network, drawing: thin
//! hills_gl (too)   the hills on a graphics card
//! the rest         plain Rust with tests: what is shown where, its errors, the player's input
//! ```
//!
//! # For tests in a browser
//!
//! `window.reckoning` has three functions:
//! - `state()`: a JSON text with the fields of [`state::PageState`];
//! - `reset()`: clears the meters of errors, steps and frames;
//! - `set(name, value)`: sets a control as a person would; the names are [`controls::NAMES`]
//!   and, for the hills, [`hills::choices::NAMES`]. Besides there are `at` (seconds, moves the
//!   scrubber of a replay), `plays` (`true`, `false`), and `target` (an entity to compare; empty for
//!   the nearest).
//!   Returns an empty text, or why not.
//!
//! The explainer has `state()` alone: whether it is `paused`, and for each of its `steps` by name
//! the time `at_s`, where the `ball` is in metres, the `values` of its two sliders, and its figures
//! ([`explain::Demo::figures`]).

#![forbid(unsafe_code)]

pub mod address;
pub mod camera;
pub mod compared;
pub mod comparison;
pub mod controls;
pub mod everyone;
pub mod explain;
pub mod headline;
pub mod hills;
#[cfg(target_arch = "wasm32")]
pub mod hills_gl;
pub mod hit_counts;
pub mod input;
pub mod jitter_buffer;
pub mod link_pill;
pub mod local_player;
pub mod meter;
pub mod motion;
pub mod newcomer;
#[cfg(target_arch = "wasm32")]
mod page;
pub mod plot;
pub mod replay;
pub mod scene;
pub mod state;
#[cfg(test)]
mod testing;
pub mod words;
pub mod worth;
