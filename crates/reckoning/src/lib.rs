//! Dead reckoning for networked games and simulations.
#![no_std]

extern crate alloc;

mod articulate;
mod error;
mod ground;
mod kinematics;
mod math;
mod orient;
mod terrain;
mod time;

pub use articulate::{
    Joint, JointGhost, JointPublisher, JointPublisherConfig, Steering, wheel_spin_rad,
};
pub use error::ConfigError;
pub use glam::{DQuat, DVec3};
pub use ground::{ClampMode, Footprint, GroundClamp, GroundClampConfig, Pose};
pub use kinematics::{Field, Kinematics, KinematicsError};
pub use orient::{
    heading_and_pitch_from_velocity, heading_from_velocity, heading_rad, shortest_turn_rad,
    two_point, wrap_rad,
};
pub use terrain::{Contact, FlatGround, HeightField, Terrain};
pub use time::SimTime;
