//! The export error: how far what a listener shows was from the truth, summed over time.
//!
//! The error at one moment is a distance in metres; over a span it is the integral of that
//! distance, in metre-seconds. Between the export of an update and its arrival a listener
//! still follows the old one, and that part, the *before* error, no model can avoid. What
//! remains from the arrival until the next export is the *after* error; it is zero when the
//! listener projects over the delay and the body moves as the update predicts.
//!
//! ```text
//! truth    ----o=============o======>      o  a new course, exported
//! shown    -------------x----------x-->    x  its arrival
//!              | before |after| bef. |
//! ```
//!
//! Take it to measure how good a set-up is, in a lab or on a running server.
//!
//! ```
//! use reckoning::{DVec3, Kinematics, Model, SimTime, Update, UpdateKind, update_error_between};
//!
//! let at = SimTime::ZERO;
//! let moving = |velocity| {
//!     Update::new(Kinematics::moving(at, DVec3::ZERO, velocity), Model::Linear, UpdateKind::Full)
//! };
//! // The body turned left; for 100 ms a listener still shows it going straight on.
//! let (truth, shown) = (moving(DVec3::Y * 10.0)?, moving(DVec3::X * 10.0)?);
//! let error_m_s = update_error_between(&truth, &shown, at, SimTime::from_millis(100));
//! assert!((error_m_s - 0.0707).abs() < 1e-4); // 1.41 m at the end, 0.71 m on average
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! - [`linear_error`] and [`linear_error_between`]: the integral for straight courses, in
//!   closed form and without its numerical traps;
//! - [`error_between`]: the same for any two motions, by adaptive quadrature;
//! - [`update_error_between`]: whichever of the two fits a pair of updates;
//! - [`FlightLog`] and [`Split`]: which part of a measured error was before, which after;
//! - [`ListenerAccount`]: what the owner knows and guesses about one listener's error.
//!
//! Which listener is served first is decided by [`fairness`](crate::fairness). The terms, and
//! the closed form this one replaces, come from chapter 3 and Appendix B of THESIS, on fairness
//! in dead reckoning.

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
