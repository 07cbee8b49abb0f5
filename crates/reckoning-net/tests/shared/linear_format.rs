//! Format of a game whose bodies move on straight lines.

use reckoning::{Model, Quantiser};
use reckoning_net::{Format, Registry};

/// The step of position.
#[allow(dead_code, reason = "not every test measures positions")]
pub const STEP_M: f64 = 0.01;

pub fn format(flat: bool) -> Format {
    let steps = Quantiser {
        position_m: STEP_M,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(flat, 1_000, steps, &[Model::Linear], Registry::default()).expect("sound")
}
