//! A trained model: features in, a curve out.

use alloc::vec::Vec;
use core::time::Duration;

use glam::DVec3;

use super::net::{self, INPUT_STEP, Layers, MAX_INPUTS, MAX_OUTPUTS, Scaling};
use super::rounding::Rounding;
use super::{Features, Frame, Framing, LearnedError};
use reckoning::{Curve, CurveBasis};

/// Inputs are cut off at this many spreads: a rare jolt must not drown the rest.
pub const LIMIT: f32 = 8.0;

/// How one feature becomes an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedInput {
    /// Its place in the row.
    pub feature: u8,
    /// Its mean in training, which becomes zero.
    pub mean: f32,
    /// One over its spread in training.
    pub scale: f32,
    /// The least input that training saw, with some room.
    pub low: f32,
    /// The greatest.
    pub high: f32,
}

/// Everything a model consists of: what a trainer makes, and what a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedParts {
    /// The axes of its inputs and outputs.
    pub framing: Framing,
    /// The time constants of its curves.
    pub basis: CurveBasis,
    /// The width of a body, in which bounds and distances are measured.
    pub unit_m: f64,
    /// The time constant of the damped model to fall back to.
    pub fade: Duration,
    /// What the coefficients of each term are rounded to, in units per second.
    pub steps_mps: Vec<f32>,
    /// Which features it uses.
    pub inputs: Vec<LearnedInput>,
    /// How many numbers stand for an action state; zero without any.
    pub act_width: u8,
    /// Those numbers, action by action.
    pub acts: Vec<f32>,
    /// Widths of the two hidden layers: multiples of eight, up to 128.
    pub hidden: [u8; 2],
    /// First layer, second, last, and from the inputs straight to the outputs; each by input
    /// and then by output.
    pub weights: [Vec<f32>; 4],
    /// What the first three layers add.
    pub biases: [Vec<f32>; 3],
}

/// A predictor trained on recordings of a game.
///
/// It is asked at publish time only; what it answers is a [`Curve`] that everyone else
/// evaluates. Train one with `reckon lab train`.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedModel {
    pub(super) parts: LearnedParts,
    scaling: Scaling,
    layers: Layers,
    rounding: Rounding,
}

impl LearnedModel {
    /// A model of these parts.
    ///
    /// # Errors
    /// Names the part that does not fit the others or is out of range.
    pub fn new(parts: LearnedParts) -> Result<Self, LearnedError> {
        super::validate::validate(&parts)?;
        let layers = Layers::new(&parts.weights, &parts.biases);
        let rounding = Rounding::new(&parts.basis, &parts.steps_mps);
        let scaling = Scaling::new(&parts.inputs);
        Ok(Self { parts, scaling, layers, rounding })
    }

    /// The axes of its inputs and outputs.
    #[must_use]
    pub const fn framing(&self) -> Framing {
        self.parts.framing
    }

    /// The time constants of its curves.
    #[must_use]
    pub const fn basis(&self) -> CurveBasis {
        self.parts.basis
    }

    /// The width of a body in its game.
    #[must_use]
    pub const fn unit_m(&self) -> f64 {
        self.parts.unit_m
    }

    /// The time constant of the damped model to fall back to.
    #[must_use]
    pub const fn fade(&self) -> Duration {
        self.parts.fade
    }

    /// Below this speed a body's facing, not its velocity, defines which way is ahead.
    #[must_use]
    pub fn slow_mps(&self) -> f64 {
        0.5 * self.parts.unit_m
    }

    /// What the network makes of a row, in the frame's axes, coefficient by coefficient:
    /// first all terms of the first axis. `None` when a feature is far from anything that
    /// training saw.
    #[must_use]
    pub fn coefficients(&self, features: &Features) -> Option<[[f64; 4]; 3]> {
        let mut x = [0.0; MAX_INPUTS];
        let count = self.inputs(features, &mut x);
        let (axes, terms) = (self.parts.framing.axes(), self.parts.basis.tau_s().len());
        let mut out = [0.0; MAX_OUTPUTS];
        let out = &mut out[..axes * terms];
        if !net::run(&self.scaling, &self.layers, &mut x[..count], out) {
            return None;
        }
        let mut coefficients = [[0.0; 4]; 3];
        for (row, out) in coefficients.iter_mut().zip(out.chunks_exact(terms)) {
            row.iter_mut().zip(out).for_each(|(c, out)| *c = f64::from(*out));
        }
        coefficients.iter().flatten().all(|c| c.is_finite()).then_some(coefficients)
    }

    /// The features of a row that are used, and the numbers of its action; how many.
    fn inputs(&self, features: &Features, x: &mut [f32; MAX_INPUTS]) -> usize {
        for (x, input) in x.iter_mut().zip(&self.parts.inputs) {
            *x = features.values[usize::from(input.feature)];
        }
        let (count, width) = (self.parts.inputs.len(), usize::from(self.parts.act_width));
        // An action that training never saw is the first one, which stands for any.
        let from = usize::from(features.act) * width;
        let act = self.parts.acts.get(from..from + width).or(self.parts.acts.get(..width));
        if let Some(act) = act {
            x[count..count + width].copy_from_slice(act);
        }
        (count + width).next_multiple_of(INPUT_STEP)
    }

    /// The curve of these coefficients in the world, rounded to the model's own steps so that
    /// eight bits carry each.
    #[must_use]
    pub fn curve(&self, frame: &Frame, coefficients: &[[f64; 4]; 3]) -> Curve {
        let terms = self.parts.basis.tau_s().len();
        let mut world = [DVec3::ZERO; 4];
        for (term, c) in world.iter_mut().enumerate().take(terms) {
            *c = frame.outside(&[
                coefficients[0][term],
                coefficients[1][term],
                coefficients[2][term],
            ]);
        }
        self.rounding.round(&mut world);
        Curve::new(self.parts.basis, &world[..terms]).unwrap_or(Curve::still(self.parts.basis))
    }
}
