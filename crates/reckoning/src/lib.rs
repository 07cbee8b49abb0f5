//! Dead reckoning for networked games and simulations.
#![no_std]

extern crate alloc;

mod account;
mod kinematics;
mod math;
mod time;

pub use account::{
    ErrorOver, FlightLog, ListenerAccount, Share, Split, error_between, linear_error,
    linear_error_between,
};
pub use glam::{DQuat, DVec3};
pub use kinematics::{Field, Kinematics, KinematicsError};
pub use time::SimTime;
