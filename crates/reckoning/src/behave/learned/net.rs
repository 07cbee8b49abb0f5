//! The sums of the network: plain loops over rows of weights.
//!
//! Every output is summed over the inputs in their order, one multiplication and one
//! addition each, so that any width of vector unit gives the same bits.

#![expect(clippy::inline_always, reason = "loops take the vector unit of the function they are in")]

/// Widest layer a file may have.
pub(super) const WIDEST: usize = 128;
/// Most inputs: every feature, and eight numbers for the action state.
pub(super) const MOST_INPUTS: usize = 128;
/// Most outputs: four terms on three axes.
pub(super) const MOST_OUTPUTS: usize = 12;

/// The weights of the layers, by input and then by output.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layers {
    pub first: Layer,
    pub second: Layer,
    pub last: Layer,
    /// From the inputs straight to the outputs; no bias.
    pub skip: Layer,
}

/// One layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layer {
    pub weights: alloc::vec::Vec<f32>,
    pub bias: alloc::vec::Vec<f32>,
}

/// Adds `x` times each row of weights to the sums.
#[inline(always)]
fn add_rows(x: &[f32], weights: &[f32], sums: &mut [f32]) {
    for (&x, row) in x.iter().zip(weights.chunks_exact(sums.len())) {
        // Half of a hidden layer is zero, and so is what is not known.
        if x != 0.0 {
            for (sum, &weight) in sums.iter_mut().zip(row) {
                *sum += x * weight;
            }
        }
    }
}

#[inline(always)]
fn hidden(x: &[f32], layer: &Layer, out: &mut [f32; WIDEST]) -> usize {
    let width = layer.bias.len();
    out[..width].copy_from_slice(&layer.bias);
    add_rows(x, &layer.weights, &mut out[..width]);
    out[..width].iter_mut().for_each(|x| *x = x.max(0.0));
    width
}

#[inline(always)]
fn pass(layers: &Layers, x: &[f32], out: &mut [f32]) {
    let (mut first, mut second) = ([0.0; WIDEST], [0.0; WIDEST]);
    let width = hidden(x, &layers.first, &mut first);
    let width = hidden(&first[..width], &layers.second, &mut second);
    out.copy_from_slice(&layers.last.bias);
    add_rows(&second[..width], &layers.last.weights, out);
    add_rows(x, &layers.skip.weights, out);
}

/// Runs the network.
#[cfg(not(feature = "std"))]
pub(super) fn run(layers: &Layers, x: &[f32], out: &mut [f32]) {
    pass(layers, x, out);
}

/// Runs the network with the widest vectors the machine has.
#[cfg(feature = "std")]
#[multiversion::multiversion(targets = "simd")]
pub(super) fn run(layers: &Layers, x: &[f32], out: &mut [f32]) {
    pass(layers, x, out);
}
