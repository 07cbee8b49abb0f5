//! States as arrays: a position (3), and as far as they are known a velocity (3), an acceleration (3), an
//! orientation as x, y, z, w (4) and an angular velocity (3).

use numpy::{AllowTypeChange, PyArrayLike1};
use pyo3::PyResult;
use reckoning::ground::Pose;
use reckoning::{DQuat, DVec3, Kinematics, SimTime};

use crate::refused;

/// Numbers of a pose: position and orientation.
pub const POSE: usize = 7;
/// The lengths that a motion may have.
const LENGTHS: [usize; 5] = [3, 6, 9, 13, 16];

/// Whatever numpy makes an array of real numbers from.
pub type Motion<'py> = PyArrayLike1<'py, f64, AllowTypeChange>;

/// The state of a body.
pub fn kinematics(at_us: i64, motion: &Motion<'_>) -> PyResult<Kinematics> {
    let motion: Vec<f64> = motion.as_array().iter().copied().collect();
    if !LENGTHS.contains(&motion.len()) {
        let got = motion.len();
        return Err(refused(format!("a motion has 3, 6, 9, 13 or 16 numbers, not {got}")));
    }
    let vector = |from: usize| motion.get(from..from + 3).map_or(DVec3::ZERO, DVec3::from_slice);
    let truth = Kinematics {
        at: SimTime::from_micros(at_us),
        position: vector(0),
        velocity: vector(3),
        acceleration: vector(6),
        orientation: motion.get(9..13).map_or(DQuat::IDENTITY, DQuat::from_slice),
        angular_velocity: vector(13),
    };
    truth.validate().map_err(refused)?;
    Ok(truth)
}

/// A pose as numbers.
pub fn numbers(pose: &Pose) -> [f64; POSE] {
    let (p, q) = (pose.position, pose.orientation);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}
