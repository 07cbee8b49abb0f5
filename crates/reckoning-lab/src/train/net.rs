//! Trainable network: parameters in one list, forward and backward pass.
//!
//! Sums run over plain rows, one multiplication and one addition each, so that any width of
//! vector unit gives the same bits.

#![expect(clippy::inline_always, reason = "loops take the vector unit of the function they are in")]

use std::ops::Range;

use reckoning::random::SplitMix64;

/// Numbers that stand for an action state.
pub(super) const ACT_WIDTH: usize = 8;

/// Sizes of the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Inputs, those of the action state included.
    pub wide: usize,
    pub hidden: [usize; 2],
    pub out: usize,
    /// Action states; none without.
    pub acts: usize,
}

impl Shape {
    /// Where each list of numbers stands: weights 1, 2, last and skip, biases 1, 2 and last,
    /// action states.
    pub fn ranges(&self) -> [Range<usize>; 8] {
        let [first, second] = self.hidden;
        let counts = [
            self.wide * first,
            first * second,
            second * self.out,
            self.wide * self.out,
            first,
            second,
            self.out,
            self.acts * ACT_WIDTH,
        ];
        let mut from = 0;
        counts.map(|count| {
            from += count;
            from - count..from
        })
    }

    pub fn numbers(&self) -> usize {
        self.ranges()[7].end
    }

    /// Hidden layers at random, the last one silent: the skip decides at first.
    pub fn start(&self, random: &mut SplitMix64) -> Vec<f32> {
        let mut numbers = vec![0.0; self.numbers()];
        let ranges = self.ranges();
        let spreads = [(0, self.wide), (1, self.hidden[0])];
        for (list, fan) in spreads {
            let spread = libm::sqrt(2.0 / fan as f64);
            numbers[ranges[list].clone()].fill_with(|| (random.normal() * spread) as f32);
        }
        numbers[ranges[7].clone()].fill_with(|| (random.normal() * 0.3) as f32);
        numbers
    }
}

/// What a pass over one example leaves behind.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub x: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    pub out: Vec<f32>,
    pub slope: Vec<f32>,
    back: Vec<f32>,
    back_first: Vec<f32>,
    /// What each hidden output counts: one, unless some are left out while learning.
    pub kept: [Vec<f32>; 2],
}

impl Trace {
    pub fn new(shape: &Shape) -> Self {
        Self {
            x: vec![0.0; shape.wide],
            first: vec![0.0; shape.hidden[0]],
            second: vec![0.0; shape.hidden[1]],
            out: vec![0.0; shape.out],
            slope: vec![0.0; shape.out],
            back: vec![0.0; shape.hidden[1]],
            back_first: vec![0.0; shape.hidden[0]],
            kept: shape.hidden.map(|width| vec![1.0; width]),
        }
    }
}

#[inline(always)]
fn add_rows(x: &[f32], weights: &[f32], sums: &mut [f32]) {
    for (&x, row) in x.iter().zip(weights.chunks_exact(sums.len())) {
        if x != 0.0 {
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += x * weight);
        }
    }
}

/// Adds the product of a column and a row to a matrix.
#[inline(always)]
fn add_product(column: &[f32], row: &[f32], matrix: &mut [f32]) {
    for (&x, sums) in column.iter().zip(matrix.chunks_exact_mut(row.len())) {
        if x != 0.0 {
            sums.iter_mut().zip(row).for_each(|(sum, &y)| *sum += x * y);
        }
    }
}

/// Cuts off what is below zero, and counts the rest as much as it is kept.
#[inline(always)]
fn rectify(sums: &mut [f32], kept: &[f32]) {
    sums.iter_mut().zip(kept).for_each(|(sum, kept)| *sum = sum.max(0.0) * kept);
}

/// Rows of `weights` times `slope`, for the rows whose output was not zero.
#[inline(always)]
fn back_rows(weights: &[f32], slope: &[f32], shown: &[f32], kept: &[f32], back: &mut [f32]) {
    let rows = weights.chunks_exact(slope.len()).zip(shown.iter().zip(kept));
    for ((row, (&shown, &kept)), back) in rows.zip(back) {
        *back = if shown > 0.0 { kept * dot(row, slope) } else { 0.0 };
    }
}

/// A sum in eight strands, the same at any width of vectors.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut strands = [0.0_f32; 8];
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (a, b) in a8.iter().zip(b8) {
        for k in 0..8 {
            strands[k] += a[k] * b[k];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    strands.iter().sum::<f32>() + rest
}

/// Forwards: fills `out` from `x`.
#[inline(always)]
pub(super) fn forwards(shape: &Shape, numbers: &[f32], trace: &mut Trace) {
    let r = shape.ranges();
    trace.first.copy_from_slice(&numbers[r[4].clone()]);
    add_rows(&trace.x, &numbers[r[0].clone()], &mut trace.first);
    rectify(&mut trace.first, &trace.kept[0]);
    trace.second.copy_from_slice(&numbers[r[5].clone()]);
    add_rows(&trace.first, &numbers[r[1].clone()], &mut trace.second);
    rectify(&mut trace.second, &trace.kept[1]);
    trace.out.copy_from_slice(&numbers[r[6].clone()]);
    add_rows(&trace.second, &numbers[r[2].clone()], &mut trace.out);
    add_rows(&trace.x, &numbers[r[3].clone()], &mut trace.out);
}

/// Backwards: adds to `slopes` what `slope` says of the outputs. `act` is the action state.
#[inline(always)]
pub(super) fn backwards(
    shape: &Shape,
    numbers: &[f32],
    trace: &mut Trace,
    act: usize,
    slopes: &mut [f32],
) {
    let r = shape.ranges();
    let add = |slopes: &mut [f32], list: usize, x: &[f32]| {
        slopes[r[list].clone()].iter_mut().zip(x).for_each(|(sum, &x)| *sum += x);
    };
    let Trace { x, first, second, slope, back, back_first, kept, .. } = trace;
    add(slopes, 6, slope);
    add_product(second, slope, &mut slopes[r[2].clone()]);
    add_product(x, slope, &mut slopes[r[3].clone()]);
    back_rows(&numbers[r[2].clone()], slope, second, &kept[1], back);
    add(slopes, 5, back);
    add_product(first, back, &mut slopes[r[1].clone()]);
    back_rows(&numbers[r[1].clone()], back, first, &kept[0], back_first);
    add(slopes, 4, back_first);
    add_product(x, back_first, &mut slopes[r[0].clone()]);
    if shape.acts > 0 {
        for k in 0..ACT_WIDTH {
            let row = shape.wide - ACT_WIDTH + k;
            let first = &numbers[r[0].clone()][row * shape.hidden[0]..][..shape.hidden[0]];
            let skip = &numbers[r[3].clone()][row * shape.out..][..shape.out];
            let pull = dot(first, back_first) + dot(skip, slope);
            slopes[r[7].start + act * ACT_WIDTH + k] += pull;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Backwards against small steps of every number, with some outputs left out.
    #[test]
    fn the_slopes_are_those_of_the_outputs() {
        let shape = Shape { wide: 4 + ACT_WIDTH, hidden: [6, 5], out: 2, acts: 3 };
        let (act, pulls) = (1, [0.7_f32, -0.4]);
        let mut random = SplitMix64::new(5);
        let mut numbers = shape.start(&mut random);
        for number in &mut numbers {
            *number += 0.1 * random.normal() as f32;
        }
        let mut trace = Trace::new(&shape);
        trace.kept = [vec![0.0, 1.5, 1.5, 1.5, 1.5, 1.5], vec![1.5, 1.5, 0.0, 1.5, 1.5]];
        let shown: Vec<f32> = (0..4).map(|_| random.normal() as f32).collect();
        let mut answer = |numbers: &[f32]| {
            trace.x[..4].copy_from_slice(&shown);
            let from = shape.ranges()[7].start + act * ACT_WIDTH;
            trace.x[4..].copy_from_slice(&numbers[from..from + ACT_WIDTH]);
            forwards(&shape, numbers, &mut trace);
            let told: f32 = trace.out.iter().zip(pulls).map(|(out, pull)| out * pull).sum();
            trace.slope = pulls.to_vec();
            let mut slopes = vec![0.0; shape.numbers()];
            backwards(&shape, numbers, &mut trace, act, &mut slopes);
            (told, slopes)
        };
        let (_, slopes) = answer(&numbers);
        for k in 0..numbers.len() {
            let mut at = |step: f32| {
                let mut moved = numbers.clone();
                moved[k] += step;
                answer(&moved).0
            };
            let found = (at(1e-2) - at(-1e-2)) / 2e-2;
            assert!((found - slopes[k]).abs() < 2e-3, "{k}: {found} {}", slopes[k]);
        }
        assert!(slopes.iter().filter(|slope| **slope != 0.0).count() > 60, "{slopes:?}");
    }
}
