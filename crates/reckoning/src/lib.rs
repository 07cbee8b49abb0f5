//! Dead reckoning for networked games and simulations.
#![no_std]

extern crate alloc;

mod kinematics;
mod math;
mod model;
mod time;

pub use glam::{DQuat, DVec3};
pub use kinematics::{Field, Kinematics, KinematicsError};
pub use model::{
    BodyAcceleration, DisAlgorithm, DisFields, DisModel, euler_from_quat, quat_from_euler,
};
pub use time::SimTime;
