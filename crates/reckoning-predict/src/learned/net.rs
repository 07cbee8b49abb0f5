//! The sums of the network: plain loops over rows of weights.
//!
//! Every output is summed over the inputs in one order, one multiplication and one addition
//! each, so that any width of vector unit gives the same bits. The order is that of a few
//! strands, since a sum of one strand waits for itself.

#![expect(clippy::inline_always, reason = "loops take the vector unit of the function they are in")]

use alloc::vec::Vec;

use super::{LIMIT, LearnedInput};

/// Widest layer a file may have.
pub(super) const WIDEST: usize = 128;
/// Most inputs: every feature, and eight numbers for the action state.
pub(super) const MAX_INPUTS: usize = 144;
/// Most outputs: four terms on three axes.
pub(super) const MAX_OUTPUTS: usize = 12;

/// Outputs of a hidden layer that are summed at once: two strands of them fit the registers
/// of most machines.
const LANES: usize = 32;
/// The outputs of the network, with room to spare: four strands fit.
const OUT_LANES: usize = 16;
/// Inputs come in so many, the last ones zero.
pub(super) const INPUT_STEP: usize = 4;

/// The layers, laid out for vectors.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layers {
    first: Layer<LANES>,
    second: Layer<LANES>,
    last: Layer<OUT_LANES>,
    /// From the inputs straight to the outputs; no bias.
    skip: Layer<OUT_LANES>,
}

impl Layers {
    /// From the weights of first, second, last and skip, by input and then by output, and
    /// the biases of the first three.
    pub fn new(weights: &[Vec<f32>; 4], biases: &[Vec<f32>; 3]) -> Self {
        let silent = alloc::vec![0.0; biases[2].len()];
        Self {
            first: Layer::new(&weights[0], &biases[0]),
            second: Layer::new(&weights[1], &biases[1]),
            last: Layer::new(&weights[2], &biases[2]),
            skip: Layer::new(&weights[3], &silent),
        }
    }
}

/// One layer, block of outputs by block; outputs beyond its width are zero.
#[derive(Clone, Debug, PartialEq)]
struct Layer<const N: usize> {
    blocks: Vec<OutputBlock<N>>,
}

/// Some outputs of a layer: their biases, and their weights input by input.
#[derive(Clone, Debug, PartialEq)]
struct OutputBlock<const N: usize> {
    bias: [f32; N],
    rows: Vec<WeightRow<N>>,
}

/// A row of weights, which no vector load cuts in two.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct WeightRow<const N: usize>([f32; N]);

impl<const N: usize> Layer<N> {
    fn new(weights: &[f32], bias: &[f32]) -> Self {
        let width = bias.len().max(1);
        let cut = |row: &[f32], from: usize| {
            core::array::from_fn(|lane| row.get(from + lane).copied().unwrap_or(0.0))
        };
        let block = |from: usize| {
            let rows = weights.chunks_exact(width).map(|row| WeightRow(cut(row, from)));
            let mut rows: Vec<WeightRow<N>> = rows.collect();
            rows.resize(rows.len().next_multiple_of(INPUT_STEP), WeightRow([0.0; N]));
            OutputBlock { bias: cut(bias, from), rows }
        };
        Self { blocks: (0..bias.len()).step_by(N).map(block).collect() }
    }
}

/// Adds an input times its weights to the sums.
#[inline(always)]
fn add<const N: usize>(sums: &mut [f32; N], x: f32, row: &WeightRow<N>) {
    for (sum, weight) in sums.iter_mut().zip(&row.0) {
        *sum += x * weight;
    }
}

#[inline(always)]
fn both<const N: usize>(mut a: [f32; N], b: [f32; N]) -> [f32; N] {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

impl<const N: usize> OutputBlock<N> {
    /// The bias and the inputs times their weights, in two strands: every second input.
    #[inline(always)]
    fn in_two(&self, x: &[f32]) -> [f32; N] {
        let (mut a, mut b) = (self.bias, [0.0; N]);
        for (x, rows) in x.as_chunks::<2>().0.iter().zip(self.rows.as_chunks::<2>().0) {
            add(&mut a, x[0], &rows[0]);
            add(&mut b, x[1], &rows[1]);
        }
        both(a, b)
    }
}

#[inline(always)]
fn hidden(layer: &Layer<LANES>, x: &[f32], out: &mut [f32; WIDEST]) -> usize {
    for (out, block) in out.chunks_exact_mut(LANES).zip(&layer.blocks) {
        let sums = block.in_two(x);
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = sum.max(0.0);
        }
    }
    layer.blocks.len() * LANES
}

#[inline(always)]
fn pass(layers: &Layers, x: &[f32], out: &mut [f32]) {
    let (mut first, mut second) = ([0.0; WIDEST], [0.0; WIDEST]);
    let width = hidden(&layers.first, x, &mut first);
    let width = hidden(&layers.second, &first[..width], &mut second);
    let (Some(last), Some(skip)) = (layers.last.blocks.first(), layers.skip.blocks.first()) else {
        return;
    };
    let last = last.in_two(&second[..width]);
    let skip = skip.in_two(x);
    out.iter_mut().zip(last.into_iter().zip(skip)).for_each(|(out, (a, b))| *out = a + b);
}

/// How features become inputs: centred, of one size, and cut off.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scaling {
    mean: Vec<f32>,
    scale: Vec<f32>,
    low: Vec<f32>,
    high: Vec<f32>,
}

impl Scaling {
    pub fn new(inputs: &[LearnedInput]) -> Self {
        let list = |part: fn(&LearnedInput) -> f32| inputs.iter().map(part).collect();
        Self {
            mean: list(|it| it.mean),
            scale: list(|it| it.scale),
            low: list(|it| it.low),
            high: list(|it| it.high),
        }
    }

    /// Features into inputs, in place: zero for what is not known. `false` if one is far
    /// from anything that training saw.
    #[inline(always)]
    fn apply(&self, x: &mut [f32]) -> bool {
        let means = self.mean.iter().zip(&self.scale);
        let ranges = self.low.iter().zip(&self.high);
        let mut outside = 0_u32;
        for ((x, (mean, scale)), (low, high)) in x.iter_mut().zip(means).zip(ranges) {
            let scaled = (*x - mean) * scale;
            // A NaN, which is neither, is not known.
            outside |= u32::from(scaled < *low) | u32::from(scaled > *high);
            let cut = scaled.clamp(-LIMIT, LIMIT);
            *x = if scaled.is_nan() { 0.0 } else { cut };
        }
        outside == 0
    }
}

/// Runs the network on features, of which there are as many as inputs, and what stands for
/// the action. `false`, and nothing in `out`, if a feature is out of range.
#[cfg(not(feature = "std"))]
pub(super) fn run(scaling: &Scaling, layers: &Layers, x: &mut [f32], out: &mut [f32]) -> bool {
    let known = scaling.apply(x);
    if known {
        pass(layers, x, out);
    }
    known
}

/// As above, with the widest vectors the machine has.
#[cfg(feature = "std")]
#[multiversion::multiversion(targets = "simd")]
pub(super) fn run(scaling: &Scaling, layers: &Layers, x: &mut [f32], out: &mut [f32]) -> bool {
    let known = scaling.apply(x);
    if known {
        pass(layers, x, out);
    }
    known
}
