//! The sums of the network: plain loops over rows of weights.
//!
//! Every output is summed over the inputs in their order, one multiplication and one
//! addition each, so that any width of vector unit gives the same bits.

#![expect(clippy::inline_always, reason = "loops take the vector unit of the function they are in")]

use alloc::vec::Vec;

use super::{LIMIT, LearnedInput};

/// Widest layer a file may have.
pub(super) const WIDEST: usize = 128;
/// Most inputs: every feature, and eight numbers for the action state.
pub(super) const MOST_INPUTS: usize = 144;
/// Most outputs: four terms on three axes.
pub(super) const MOST_OUTPUTS: usize = 12;

/// Outputs of a hidden layer that are summed at once: they fit the registers of any machine.
const LANES: usize = 32;
/// The outputs of the network, with room to spare.
const OUT_LANES: usize = 16;

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
    blocks: Vec<Block<N>>,
}

/// Some outputs of a layer: their biases, and their weights input by input.
#[derive(Clone, Debug, PartialEq)]
struct Block<const N: usize> {
    bias: [f32; N],
    rows: Vec<[f32; N]>,
}

impl<const N: usize> Layer<N> {
    fn new(weights: &[f32], bias: &[f32]) -> Self {
        let width = bias.len().max(1);
        let cut = |row: &[f32], from: usize| {
            core::array::from_fn(|lane| row.get(from + lane).copied().unwrap_or(0.0))
        };
        let block = |from: usize| Block {
            bias: cut(bias, from),
            rows: weights.chunks_exact(width).map(|row| cut(row, from)).collect(),
        };
        Self { blocks: (0..bias.len()).step_by(N).map(block).collect() }
    }
}

/// The inputs that are not zero, and which they are: half of a hidden layer is zero, and so
/// is what is not known.
#[derive(Clone, Copy)]
struct Told {
    list: [(u32, f32); MOST_INPUTS],
    count: usize,
}

impl Told {
    #[inline(always)]
    fn of(x: &[f32]) -> Self {
        let mut told = Self { list: [(0, 0.0); MOST_INPUTS], count: 0 };
        for (k, &x) in x.iter().enumerate().take(MOST_INPUTS) {
            told.list[told.count.min(MOST_INPUTS - 1)] = (k as u32, x);
            told.count += usize::from(x != 0.0);
        }
        told
    }

    fn list(&self) -> &[(u32, f32)] {
        &self.list[..self.count]
    }
}

impl<const N: usize> Block<N> {
    /// Adds to each sum the inputs times its weights.
    #[inline(always)]
    fn add(&self, told: &Told, mut sums: [f32; N]) -> [f32; N] {
        for &(k, x) in told.list() {
            let row = &self.rows[k as usize];
            for lane in 0..N {
                sums[lane] += x * row[lane];
            }
        }
        sums
    }
}

#[inline(always)]
fn hidden(layer: &Layer<LANES>, told: &Told) -> Told {
    let mut out = [0.0; WIDEST];
    for (out, block) in out.chunks_exact_mut(LANES).zip(&layer.blocks) {
        let sums = block.add(told, block.bias);
        for lane in 0..LANES {
            out[lane] = sums[lane].max(0.0);
        }
    }
    Told::of(&out[..LANES * layer.blocks.len()])
}

#[inline(always)]
fn pass(layers: &Layers, x: &[f32], out: &mut [f32]) {
    let told = Told::of(x);
    let second = hidden(&layers.second, &hidden(&layers.first, &told));
    let (Some(last), Some(skip)) = (layers.last.blocks.first(), layers.skip.blocks.first()) else {
        return;
    };
    let sums = skip.add(&told, last.add(&second, last.bias));
    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum);
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
