//! Whitening of the network's outputs: the terms of a curve look alike, which slows learning.
//!
//! The network learns the coefficients of an orthogonal form of the basis, in which an output
//! of one is as far as constant velocity is usually off. Since that is linear, the last
//! layer takes it back when training is over, and the engine knows nothing of it.

use reckoning::CurveBasis;
use reckoning_predict::learned::Framing;

use super::examples::{Examples, HORIZONS, horizons_s};
use super::inputs::Inputs;
use super::loss::CurveLoss;
use super::net::{Shape, Trace};
use super::optimise::{Lessons, Task};
use super::{TrainGoal, mean_by_horizon, spans_s};

/// Place of the velocity in a row of features.
const VELOCITY: usize = 19;

/// The orthogonal form of a basis.
pub(super) struct Whitener {
    terms: usize,
    /// Constant velocity's mean error at each horizon.
    linear: [f64; HORIZONS],
    /// Displacement of each term at each horizon.
    reach: Vec<[f64; 4]>,
    /// Lower triangular: the likeness of the terms is this times its transpose.
    factor: [[f64; 4]; 4],
}

impl Whitener {
    pub fn new(basis: &CurveBasis, examples: &Examples) -> Self {
        let axes = examples.axes;
        let t_s = horizons_s();
        let linear = mean_by_horizon(examples, |index, j, truth| {
            let velocity = &examples.velocities[index * axes..][..axes];
            let off = |(v, x): (&f32, &f32)| f64::from(*x) - f64::from(*v) * t_s[j];
            libm::sqrt(velocity.iter().zip(truth).map(|it| off(it) * off(it)).sum())
        });
        let most = linear.iter().copied().fold(1e-9, f64::max);
        let linear = linear.map(|it| it.max(1e-3 * most));
        let term = |t_s: f64| {
            std::array::from_fn(|k| {
                basis.tau_s().get(k).map_or(0.0, |tau| tau * (1.0 - libm::exp(-t_s / tau)))
            })
        };
        let reach: Vec<[f64; 4]> = t_s.iter().map(|&t_s| term(t_s)).collect();
        let terms = basis.tau_s().len();
        let factor = factor(&reach, &linear, terms);
        Self { terms, linear, reach, factor }
    }

    pub fn loss(&self, goal: TrainGoal, examples: &Examples, unit: f64) -> CurveLoss {
        let mut reach = Vec::new();
        for row in &self.reach {
            let white = self.forward_solved(row);
            reach.extend(white[..self.terms].iter().map(|&x| x as f32));
        }
        CurveLoss {
            goal,
            axes: examples.axes,
            terms: self.terms,
            reach,
            spans_s: spans_s(),
            over_linear: self.linear.map(|it| (1.0 / it) as f32),
            usual_s: usual_s(examples, unit) as f32,
            least: (0.01 * unit) as f32,
        }
    }

    /// Solves `factor * y = x`: what the terms' reach becomes.
    fn forward_solved(&self, x: &[f64; 4]) -> [f64; 4] {
        let mut y = [0.0; 4];
        for row in 0..self.terms {
            let done: f64 = (0..row).map(|k| self.factor[row][k] * y[k]).sum();
            y[row] = (x[row] - done) / self.factor[row][row];
        }
        y
    }

    /// Solves `factor^T * c = o`: the coefficients of outputs.
    fn coefficients(&self, o: &[f64; 4]) -> [f64; 4] {
        let mut c = [0.0; 4];
        for row in (0..self.terms).rev() {
            let done: f64 = (row + 1..self.terms).map(|k| self.factor[k][row] * c[k]).sum();
            c[row] = (o[row] - done) / self.factor[row][row];
        }
        c
    }

    /// Sets the skip so that the network begins with constant velocity.
    pub fn start_linear(
        &self,
        shape: &Shape,
        inputs: &Inputs,
        framing: Framing,
        numbers: &mut [f32],
    ) {
        let straight = self.straight();
        let ranges = shape.ranges();
        for axis in 0..framing.axes() {
            // Seen from the side the second axis is up, the third of the vector.
            let part = if framing == Framing::Side && axis == 1 { 2 } else { axis };
            let place = |it: &reckoning_predict::learned::LearnedInput| {
                usize::from(it.feature) == VELOCITY + part
            };
            let Some(place) = inputs.list.iter().position(place) else { continue };
            let input = &inputs.list[place];
            for (term, &o) in straight.iter().enumerate().take(self.terms) {
                let out = axis * self.terms + term;
                numbers[ranges[3].start + place * shape.out + out] =
                    (o / f64::from(input.scale)) as f32;
                numbers[ranges[6].start + out] += (o * f64::from(input.mean)) as f32;
            }
        }
    }

    /// The outputs nearest to constant velocity of one.
    fn straight(&self) -> [f64; 4] {
        // The orthogonal terms have a square of one in this measure, so projecting is enough.
        let mut sums = [0.0; 4];
        for ((row, linear), t_s) in self.reach.iter().zip(self.linear).zip(horizons_s()) {
            let white = self.forward_solved(row);
            let weight = t_s / (linear * linear * HORIZONS as f64);
            sums.iter_mut().zip(white).for_each(|(sum, x)| *sum += x * weight);
        }
        sums
    }

    /// The numbers with the last layer and the skip in plain coefficients.
    pub fn unwhitened(&self, shape: &Shape, numbers: &[f32]) -> Vec<f32> {
        let mut plain = numbers.to_vec();
        let ranges = shape.ranges();
        for list in [2, 3, 6] {
            for outputs in plain[ranges[list].clone()].chunks_exact_mut(self.terms) {
                let mut o = [0.0; 4];
                o.iter_mut().zip(&*outputs).for_each(|(o, &x)| *o = f64::from(x));
                let c = self.coefficients(&o);
                outputs.iter_mut().zip(c).for_each(|(x, c)| *x = c as f32);
            }
        }
        plain
    }

    /// What to round the coefficients of each term to, so that eight bits hold nearly all.
    pub fn steps_mps(&self, task: &Task<'_>, numbers: &[f32], lessons: &Lessons<'_>) -> Vec<f32> {
        let mut sizes = vec![Vec::new(); self.terms];
        let mut trace = Trace::new(&task.shape);
        let count = lessons.examples.len();
        for index in (0..count).step_by((count / 4_000).max(1)) {
            let out = task.answer(numbers, lessons, index, &mut trace);
            let mut squares = [0.0; 4];
            for o in out.chunks_exact(self.terms) {
                let mut white = [0.0; 4];
                white.iter_mut().zip(o).for_each(|(w, &x)| *w = f64::from(x));
                let c = self.coefficients(&white);
                squares.iter_mut().zip(c).for_each(|(s, c)| *s += c * c);
            }
            sizes.iter_mut().zip(squares).for_each(|(sizes, s)| sizes.push(libm::sqrt(s)));
        }
        let step = |mut sizes: Vec<f64>| {
            sizes.sort_by(f64::total_cmp);
            let most = sizes.get(sizes.len() * 995 / 1000).copied().unwrap_or(0.0);
            (most / 127.0) as f32
        };
        sizes.into_iter().map(step).collect()
    }
}

/// Cholesky's factor of the likeness of the terms, errors counted in constant velocity's.
fn factor(reach: &[[f64; 4]], linear: &[f64; HORIZONS], terms: usize) -> [[f64; 4]; 4] {
    let mut likeness = [[0.0; 4]; 4];
    for (row, linear) in reach.iter().zip(linear) {
        for a in 0..terms {
            for b in 0..terms {
                likeness[a][b] += row[a] * row[b] / (linear * linear * HORIZONS as f64);
            }
        }
    }
    let mut factor = [[0.0; 4]; 4];
    for row in 0..terms {
        for column in 0..=row {
            let done: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
            let rest: f64 = likeness[row][column] - done;
            factor[row][column] = if row == column {
                libm::sqrt(rest.max(1e-9 * likeness[row][row]))
            } else {
                rest / factor[column][column]
            };
        }
    }
    factor
}

/// Mean time that constant velocity stays within one body width.
fn usual_s(examples: &Examples, unit: f64) -> f64 {
    let (axes, t_s, spans_s) = (examples.axes, horizons_s(), spans_s());
    let mut sum = 0.0;
    for (index, truths) in examples.truths.chunks_exact(HORIZONS * axes).enumerate() {
        let velocity = &examples.velocities[index * axes..][..axes];
        for (j, truth) in truths.chunks_exact(axes).enumerate() {
            let off = |(v, x): (&f32, &f32)| f64::from(*x) - f64::from(*v) * t_s[j];
            let square: f64 = velocity.iter().zip(truth).map(|it| off(it) * off(it)).sum();
            // NaN, the end of the segment, ends it too.
            if square.is_nan() || square > unit * unit {
                break;
            }
            sum += f64::from(spans_s[j]);
        }
    }
    (sum / examples.len().max(1) as f64).max(0.03)
}
