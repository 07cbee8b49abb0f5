//! Dead reckoning for networked games and simulations.
#![no_std]

extern crate alloc;

mod kinematics;
mod math;
mod time;

pub use glam::{DQuat, DVec3};
pub use kinematics::{Field, Kinematics, KinematicsError};
pub use time::SimTime;
