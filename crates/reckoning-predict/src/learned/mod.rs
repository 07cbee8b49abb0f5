//! Learned prediction: a small network trained on recordings of the game.
//!
//! When an update is due, the owner runs the network on everything it knows and publishes the
//! curve that comes out. Listeners evaluate the curve and need no network. Take a
//! [`LearnedPlanner`] per body when there are recordings of the game to train on.
//!
//! ```text
//!   truths -> History -+
//!   Surroundings ------+-> Features -> network -> coefficients -> rounded -> Model::Curve
//!                      |   (axes of the motion)                    |
//!                      +-> experts in the shadow: learned, damped, linear; one in force
//! ```
//!
//! The rest of the engine relies on these properties:
//! - a file that is damaged or was made to harm is refused with a reason, never a panic;
//! - equal inputs give equal curves on every machine: sums run in one order, without fused
//!   multiplication, so any width of vectors rounds alike;
//! - planning takes no memory from the heap;
//! - what training never saw is not guessed at: the damped model stands in.

mod features;
mod file;
mod frame;
mod history;
mod model;
mod net;
mod planner;
mod rounding;
mod validate;

pub use features::{FEATURES, Features, GROUPS, feature_group, mirrored_feature};
pub use file::LearnedError;
pub use frame::{Frame, Framing};
pub use history::History;
pub use model::{LIMIT, LearnedInput, LearnedModel, LearnedParts};
pub use planner::{Expert, LearnedConfig, LearnedPlanner};
