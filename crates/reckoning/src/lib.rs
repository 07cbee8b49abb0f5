//! Dead reckoning for networked games and simulations.
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod crowd;
mod error;
mod ghost;
mod kinematics;
mod math;
mod model;
mod publish;
mod quantise;
mod sample;
mod threshold;
mod time;
mod update;

pub use crowd::{Crowd, CrowdConfig, CrowdError, CrowdId, CrowdView};
pub use error::ConfigError;
pub use ghost::{
    Accepted, Blend, BlendSpan, DelayedConfig, DelayedGhost, Ghost, GhostConfig, GhostStats, Timing,
};
pub use glam::{DQuat, DVec3};
pub use kinematics::{Field, Kinematics, KinematicsError};
pub use math::angle_between;
pub use model::{
    Ballistic, BodyAcceleration, Curve, CurveBasis, CustomModel, DisAlgorithm, DisFields, DisModel,
    Landing, Model, Path, PathRide, euler_from_quat, quat_from_euler,
};
pub use publish::{Cause, Publisher, PublisherConfig, PublisherStats};
pub use quantise::Quantiser;
pub use sample::{Sampler, SamplerConfig, damp_acceleration};
pub use threshold::{AngleThreshold, Threshold};
pub use time::SimTime;
pub use update::{Update, UpdateKind};
