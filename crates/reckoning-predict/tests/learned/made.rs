//! Small models made by hand.

use std::time::Duration;

use reckoning::CurveBasis;
use reckoning_predict::learned::{Framing, LearnedInput, LearnedModel, LearnedParts};

/// Places of the velocity's components in a row of features.
const VELOCITY: u8 = 19;

/// A model whose hidden layers are noise of this size and whose skip coasts on the longest
/// term at `share` of the velocity.
pub fn coasting(share: f32, noise: f32) -> LearnedParts {
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise * ((state >> 8) as f32 / (1 << 23) as f32 - 1.0)
    };
    let input = |feature| LearnedInput { feature, mean: 0.0, scale: 1.0, low: -50.0, high: 50.0 };
    let inputs = [0, VELOCITY, VELOCITY + 1, VELOCITY + 2].map(input).to_vec();
    let mut skip = vec![0.0; 4 * 12];
    for axis in 0..3 {
        skip[(1 + axis) * 12 + axis * 4 + 3] = share;
    }
    let mut list = |count: usize| (0..count).map(|_| random()).collect::<Vec<f32>>();
    LearnedParts {
        framing: Framing::Heading,
        basis: CurveBasis::FOUR,
        unit_m: 1.0,
        fade: Duration::from_secs(1),
        steps_mps: vec![0.0; 4],
        inputs,
        act_width: 0,
        acts: Vec::new(),
        hidden: [8, 16],
        weights: [list(4 * 8), list(8 * 16), list(16 * 12), skip],
        biases: [list(8), list(16), list(12)],
    }
}

pub fn model(share: f32, noise: f32) -> LearnedModel {
    LearnedModel::new(coasting(share, noise)).unwrap()
}
