//! How a body is believed to move while nobody hears from it.

mod dis;
mod euler;
pub(crate) mod spin;

pub use dis::{BodyAcceleration, DisAlgorithm, DisFields, DisModel};
pub use euler::{euler_from_quat, quat_from_euler};
