//! The export error: how far what a listener shows was from the truth, summed over time.
//!
//! The error at one moment is a distance in metres; over a span it is the integral of that
//! distance, in metre-seconds. Between the export of an update and its arrival a listener
//! still follows the old one, and that part, the *before* error, no model can avoid. What
//! remains from the arrival until the next export is the *after* error; it is zero when the
//! listener projects over the delay and the body moves as the update said.
//!
//! ```text
//! truth    ----o=============o======>      o  a new course, exported
//! shown    -------------x----------x-->    x  its arrival
//!              | before |after| bef. |
//! ```
//!
//! - [`linear_error`] and [`linear_error_between`]: the integral for straight courses, in
//!   closed form and without its numerical traps;
//! - [`error_between`]: the same for any two motions, by adaptive quadrature;
//! - [`update_error_between`]: whichever of the two fits a pair of updates;
//! - [`FlightLog`] and [`Split`]: which part of a measured error was before, which after;
//! - [`ListenerAccount`]: what the owner knows and guesses about one listener's error.
//!
//! Whom to serve first is not decided here. The terms, and the closed form this one
//! replaces, come from chapter 3 and Appendix B of THESIS, on fairness in dead reckoning.

mod linear;
mod listener;
mod motion;
mod quadrature;
mod split;

pub use linear::{linear_error, linear_error_between};
pub use listener::{ErrorOver, ListenerAccount};
pub use motion::update_error_between;
pub use quadrature::error_between;
pub use split::{FlightLog, Share, Split};
