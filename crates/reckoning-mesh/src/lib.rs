#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bodies;
mod config;
mod grid;
mod ids;
mod message;
mod safeguards;

pub use bodies::{BodyEvent, BodyStats, BodyTable, Origin, RecoveryPhase};
pub use config::{MeshConfig, MeshConfigError};
pub use grid::{CellId, MAX_DEPTH, MAX_REGIONS_A_SIDE, WorldGrid};
pub use ids::{BodyId, Epoch, Incarnation, ServerId, Version};
pub use message::{BodyState, Claim, Envelope, Ground, Message, Payload};
#[doc(hidden)]
pub use safeguards::Safeguards;
