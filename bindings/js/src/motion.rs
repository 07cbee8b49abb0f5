//! States as arrays of numbers.

use reckoning::ground::Pose;
use reckoning::{DQuat, DVec3, Kinematics, SimTime};
use wasm_bindgen::JsError;

/// Numbers of a pose: position and orientation.
pub const POSE: usize = 7;
/// The lengths that a motion may have.
const LENGTHS: [usize; 5] = [3, 6, 9, 13, 16];
/// Beyond this not every whole number is a JavaScript number.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// A moment in microseconds.
pub fn moment(us: f64) -> Result<SimTime, JsError> {
    if us.is_finite() && us.abs() <= MAX_SAFE {
        return Ok(SimTime::from_micros(us as i64));
    }
    Err(JsError::new(&format!("the moment {us} is no safe number of microseconds")))
}

/// The state of a body.
pub fn kinematics(at_us: f64, motion: &[f64]) -> Result<Kinematics, JsError> {
    if !LENGTHS.contains(&motion.len()) {
        let got = motion.len();
        return Err(JsError::new(&format!("a motion has 3, 6, 9, 13 or 16 numbers, not {got}")));
    }
    let vector = |from: usize| motion.get(from..from + 3).map_or(DVec3::ZERO, DVec3::from_slice);
    let truth = Kinematics {
        at: moment(at_us)?,
        position: vector(0),
        velocity: vector(3),
        acceleration: vector(6),
        orientation: motion.get(9..13).map_or(DQuat::IDENTITY, DQuat::from_slice),
        angular_velocity: vector(13),
    };
    truth.validate().map_err(crate::refused)?;
    Ok(truth)
}

/// A pose as numbers.
pub fn numbers(pose: &Pose) -> [f64; POSE] {
    let (p, q) = (pose.position, pose.orientation);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}

/// A state as a motion of 16 numbers.
pub fn motion_of(it: &Kinematics) -> Vec<f64> {
    let mut all = Vec::with_capacity(16);
    for vector in [it.position, it.velocity, it.acceleration] {
        all.extend(vector.to_array());
    }
    all.extend(it.orientation.to_array());
    all.extend(it.angular_velocity.to_array());
    all
}
