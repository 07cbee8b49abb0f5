//! Dead reckoning for networked games and simulations.
#![no_std]

extern crate alloc;

mod account;
mod articulate;
mod error;
mod ghost;
mod ground;
mod kinematics;
mod math;
mod model;
mod orient;
mod prevent;
mod publish;
mod quantise;
mod sample;
mod terrain;
mod threshold;
mod time;
mod update;

pub use account::{
    ErrorOver, FlightLog, ListenerAccount, Share, Split, error_between, linear_error,
    linear_error_between, update_error_between,
};
pub use articulate::{
    Joint, JointGhost, JointPublisher, JointPublisherConfig, Steering, wheel_spin_rad,
};
pub use error::ConfigError;
pub use ghost::{
    Accepted, Blend, BlendSpan, DelayedConfig, DelayedGhost, Ghost, GhostConfig, GhostStats, Timing,
};
pub use glam::{DQuat, DVec3};
pub use ground::{ClampMode, Footprint, GroundClamp, GroundClampConfig, Pose};
pub use kinematics::{Field, Kinematics, KinematicsError};
pub use math::angle_between;
pub use model::{
    Ballistic, BodyAcceleration, Curve, CurveBasis, CustomModel, DisAlgorithm, DisFields, DisModel,
    Landing, Model, Path, PathRide, euler_from_quat, quat_from_euler,
};
pub use orient::{
    heading_and_pitch_from_velocity, heading_from_velocity, heading_rad, shortest_turn_rad,
    two_point, wrap_rad,
};
pub use publish::{Cause, Publisher, PublisherConfig, PublisherStats};
pub use quantise::Quantiser;
pub use sample::{Sampler, SamplerConfig, damp_acceleration};
pub use terrain::{Contact, FlatGround, HeightField, Terrain};
pub use threshold::{AngleThreshold, Threshold};
pub use time::SimTime;
pub use update::{Update, UpdateKind};
