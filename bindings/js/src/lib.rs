//! Reckoning for JavaScript: publishers, ghosts, kinds, joints and clocks; with the feature `client` also
//! the client. What is refused throws an `Error` with the words of the engine.
//!
//! A state is an array of numbers, its motion: a position (3), and as far as they are known a velocity (3),
//! an acceleration (3), an orientation as x, y, z, w (4) and an angular velocity (3).

#[cfg(feature = "client")]
mod client;
mod clock;
mod ghost;
mod kind;
mod motion;
mod options;
mod publisher;

use std::fmt::Display;

use wasm_bindgen::JsError;

/// An error of the engine as JavaScript throws it.
fn refused(error: impl Display) -> JsError {
    JsError::new(&error.to_string())
}
