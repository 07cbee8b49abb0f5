//! Weights of training examples by where the network in training would itself publish.
//!
//! A predictor is asked only at the moments its last answer has strayed from, so those are
//! the moments to be good at. Each run of a body is walked through from one such moment to the
//! next, at several bounds, and how often an example is met is how much it counts.

use rayon::prelude::*;

use super::examples::{HORIZONS, horizons_s};
use super::net::{Trace, forwards};
use super::optimise::{Lessons, Task, truth_of};

/// Bounds to walk with, between the least and the greatest.
const BOUNDS: usize = 6;

/// What an example that is never met counts.
const UNMET: f32 = 0.1;

/// How much each example counts: one in the mean.
pub(super) fn weights(task: &Task<'_>, numbers: &[f32], lessons: &Lessons<'_>) -> Vec<f32> {
    let (low, high) = task.widths;
    let width = |k: usize| low * libm::pow(high / low, (k as f64 + 0.5) / BOUNDS as f64);
    let walks: Vec<Vec<u32>> = (0..BOUNDS)
        .into_par_iter()
        .map(|k| walk(task, numbers, lessons, width(k) as f32))
        .collect();
    let mut met = vec![0.0_f32; lessons.examples.len()];
    for place in walks.iter().flatten() {
        met[*place as usize] += 1.0;
    }
    let mean = (met.iter().map(|&it| f64::from(it)).sum::<f64>() / met.len().max(1) as f64) as f32;
    let share = (1.0 - UNMET) / mean.max(1e-6);
    met.into_iter().map(|it| UNMET + it * share).collect()
}

/// The examples at which a publisher with this bound would ask.
fn walk(task: &Task<'_>, numbers: &[f32], lessons: &Lessons<'_>, widths: f32) -> Vec<u32> {
    let examples = lessons.examples;
    let mut trace = Trace::new(&task.shape);
    let mut asked = Vec::new();
    let mut place = 0;
    while place < examples.len() {
        asked.push(place as u32);
        task.show(numbers, lessons, place, widths, &mut trace);
        forwards(&task.shape, numbers, &mut trace);
        let inside_s = inside_s(task, &trace.out, truth_of(examples, place), widths);
        let left = |it: &usize| {
            examples.runs[*it] != examples.runs[place]
                || examples.at[*it].secs_since(examples.at[place]) > inside_s
        };
        place = (place + 1..examples.len()).find(left).unwrap_or(examples.len());
    }
    asked
}

/// For how long a guess stays within the bound, as far as the truth is known.
fn inside_s(task: &Task<'_>, out: &[f32], truth: &[f32], widths: f32) -> f64 {
    let bound = f64::from(widths) * task.unit;
    let t_s = horizons_s();
    let (mut before, mut before_s) = (0.0, 0.0);
    let axes = task.loss.axes;
    for (j, truth) in truth.chunks_exact(axes).take(HORIZONS).enumerate() {
        if truth[0].is_nan() {
            return f64::INFINITY;
        }
        let off = f64::from(task.loss.off(out, truth, j));
        if off > bound {
            let share = (bound - before) / (off - before).max(1e-9);
            return before_s + share * (t_s[j] - before_s);
        }
        (before, before_s) = (off, t_s[j]);
    }
    before_s
}
