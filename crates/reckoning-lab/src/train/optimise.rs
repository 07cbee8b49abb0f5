//! Optimiser: shuffled batches, gradients summed in one order, steps of `AdamW`.
//!
//! A batch is cut into shards of fixed size that threads share; each shard sums its own
//! slopes, and the sums are added in the order of the shards. So the result depends on the
//! seed and not on the number of threads.

#![expect(clippy::inline_always, reason = "loops take the vector unit of the function they are in")]

use rayon::prelude::*;
use reckoning::random::SplitMix64;
use reckoning_predict::learned::FEATURES;

use super::examples::{Examples, HORIZONS};
use super::inputs::Inputs;
use super::loss::{CurveLoss, ExampleCost};
use super::net::{ACT_WIDTH, Shape, Trace, backwards, forwards};
use super::publish_weights;

/// Examples to a shard, and shards to a batch.
const SHARD: usize = 64;
const SHARDS: usize = 16;

/// What keeps a network from learning its examples by heart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Forgetting {
    /// Share of examples that are shown with a group of features hidden.
    pub features: f64,
    /// Share of hidden outputs that are left out, others each time.
    pub outputs: f64,
}

impl Forgetting {
    /// For so many seconds of bodies: the fewer there are, the more is forgotten. On a quarter
    /// of an hour leaving outputs out is worth three updates in a hundred, on an hour nothing.
    pub fn from_seconds(seconds: f64) -> Self {
        let scarce = (1_000.0 / seconds).min(1.0);
        let outputs = 0.25 * scarce * scarce;
        let outputs = if outputs < MIN_FORGOTTEN { 0.0 } else { outputs };
        Self { features: (0.9 * scarce).clamp(0.3, 0.7), outputs }
    }
}

/// Less is not worth the draws.
const MIN_FORGOTTEN: f64 = 0.02;
/// What the running mean of the numbers takes from each step; more from the first ones.
const TAKEN: f64 = 0.005;
/// The steepest step, and how it falls on the weights.
const TOP_RATE: f64 = 2e-3;
const DECAY: f32 = 5e-2;

/// Examples as the network sees them.
pub(super) struct Lessons<'a> {
    pub rows: Vec<f32>,
    pub examples: &'a Examples,
    /// How much the time inside the bound counts for each; one in the mean.
    pub weights: Vec<f32>,
}

impl<'a> Lessons<'a> {
    pub fn new(inputs: &Inputs, examples: &'a Examples, unit: f64) -> Self {
        Self { rows: inputs.rows(examples), weights: weights(examples, unit), examples }
    }
}

/// Updates are sent where bodies have just done something unexpected, so until the network
/// can tell where it would publish itself (see [`publish_weights`]), such moments count for more: the
/// further a body is from where its earlier velocity would have taken it.
fn weights(examples: &Examples, unit: f64) -> Vec<f32> {
    let strayed = |row: &[f32]| {
        let off = |k: usize| row[LATELY + k] - row[BEFORE + k];
        let square: f32 = (0..3).map(|k| off(k) * off(k)).sum();
        0.8 * libm::sqrtf(square) / unit as f32
    };
    let weight = |row: &[f32]| (0.2 + strayed(row)).min(3.0);
    let mut weights: Vec<f32> = examples.features.chunks_exact(FEATURES).map(weight).collect();
    let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
    let share = (weights.len() as f64 / sum.max(1e-9)) as f32;
    for weight in &mut weights {
        *weight *= share;
    }
    weights
}

/// Where the mean velocities over 0.4 and 0.8 seconds stand in a row of features.
const LATELY: usize = 10;
const BEFORE: usize = 13;

/// Everything that stays the same while learning.
pub(super) struct Task<'a> {
    pub shape: Shape,
    pub inputs: &'a Inputs,
    pub loss: &'a CurveLoss,
    pub unit: f64,
    /// Bounds in body widths: from, to.
    pub widths: (f64, f64),
    pub mirrors: bool,
    pub forgetting: Forgetting,
}

/// How a pass over the validation went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lesson {
    /// Mean expected seconds inside a bound of one body width.
    pub inside_s: f64,
    /// Mean error over that of constant velocity.
    pub error: f64,
}

impl Task<'_> {
    /// Learns; `told` is called after every epoch.
    pub fn learn(
        &self,
        numbers: &mut [f32],
        lessons: &mut Lessons<'_>,
        epochs: usize,
        seed: u64,
        mut told: impl FnMut(usize, Lesson, &[f32]),
    ) {
        let count = lessons.examples.len();
        let batches = count / (SHARD * SHARDS);
        let mut adam = Adam::new(numbers.len());
        // Steps go to and fro; their mean is nearer to the bottom than the last of them.
        let mut mean = numbers.to_vec();
        let mut steps = 0.0;
        let mut order: Vec<u32> = (0..count as u32).collect();
        let mut slopes = vec![vec![0.0_f32; numbers.len()]; SHARDS];
        for epoch in 0..epochs {
            let mut random = SplitMix64::new(seed).fork(epoch as u64 + 1);
            // The first quarter goes by what bodies do; then the network knows enough to say.
            let own = epoch.checked_sub(epochs / 4);
            if own.is_some_and(|passes| passes % 2 == 0) && epochs >= 4 {
                lessons.weights = publish_weights::weights(self, numbers, lessons);
            }
            shuffle(&mut order, &mut random);
            let mut sum = ExampleCost::default();
            for batch in 0..batches {
                let cost = self.batch(numbers, lessons, &order, batch, &random, &mut slopes);
                add(&mut sum, cost);
                let done = (epoch * batches + batch) as f64 / (epochs * batches) as f64;
                adam.step(numbers, &slopes, rate(done) as f32, self.shape.ranges()[4].start);
                steps += 1.0;
                follow(&mut mean, numbers, f64::max(TAKEN, 10.0 / (10.0 + steps)) as f32);
            }
            let n = (batches * SHARD * SHARDS).max(1) as f64;
            told(epoch, Lesson { inside_s: sum.inside_s / n, error: sum.error / n }, &mean);
        }
        numbers.copy_from_slice(&mean);
    }

    fn batch(
        &self,
        numbers: &[f32],
        lessons: &Lessons<'_>,
        order: &[u32],
        batch: usize,
        random: &SplitMix64,
        slopes: &mut [Vec<f32>],
    ) -> ExampleCost {
        let costs: Vec<ExampleCost> = slopes
            .par_iter_mut()
            .enumerate()
            .map(|(shard, slopes)| {
                let number = batch * SHARDS + shard;
                let mut random = random.fork(number as u64 + 7);
                slopes.fill(0.0);
                learn_shard(
                    self,
                    numbers,
                    lessons,
                    &order[number * SHARD..][..SHARD],
                    &mut random,
                    slopes,
                )
            })
            .collect();
        let mut sum = ExampleCost::default();
        for cost in costs {
            add(&mut sum, cost);
        }
        sum
    }

    /// How good the network is on examples, at one body width.
    pub fn judge(&self, numbers: &[f32], lessons: &Lessons<'_>) -> Lesson {
        let count = lessons.examples.len();
        let costs: Vec<ExampleCost> = (0..count.div_ceil(1024))
            .into_par_iter()
            .map(|part| {
                let mut sum = ExampleCost::default();
                let mut trace = Trace::new(&self.shape);
                for index in part * 1024..(part * 1024 + 1024).min(count) {
                    add(&mut sum, self.try_one(numbers, lessons, index, &mut trace));
                }
                sum
            })
            .collect();
        let mut sum = ExampleCost::default();
        for cost in costs {
            add(&mut sum, cost);
        }
        let n = count.max(1) as f64;
        Lesson { inside_s: sum.inside_s / n, error: sum.error / n }
    }

    fn try_one(
        &self,
        numbers: &[f32],
        lessons: &Lessons<'_>,
        index: usize,
        trace: &mut Trace,
    ) -> ExampleCost {
        self.show(numbers, lessons, index, 1.0, trace);
        forwards(&self.shape, numbers, trace);
        let (truth, unit) = (truth_of(lessons.examples, index), self.unit as f32);
        let mut slope = std::mem::take(&mut trace.slope);
        let cost = self.loss.cost(&trace.out, truth, unit, 1.0, 1.0, &mut slope);
        trace.slope = slope;
        cost
    }

    /// What the network answers to an example at a bound.
    pub fn answer<'t>(
        &self,
        numbers: &[f32],
        lessons: &Lessons<'_>,
        index: usize,
        trace: &'t mut Trace,
    ) -> &'t [f32] {
        self.show(numbers, lessons, index, 1.0, trace);
        forwards(&self.shape, numbers, trace);
        &trace.out
    }

    #[inline(always)]
    pub fn show(
        &self,
        numbers: &[f32],
        lessons: &Lessons<'_>,
        index: usize,
        widths: f32,
        trace: &mut Trace,
    ) {
        let count = self.inputs.list.len();
        trace.x[..count].copy_from_slice(&lessons.rows[index * count..][..count]);
        trace.x[0] = self.inputs.bound(widths);
        if self.shape.acts > 0 {
            let act = usize::from(lessons.examples.acts[index]).min(self.shape.acts - 1);
            let from = self.shape.ranges()[7].start + act * ACT_WIDTH;
            trace.x[count..].copy_from_slice(&numbers[from..from + ACT_WIDTH]);
        }
    }
}

pub(super) fn truth_of(examples: &Examples, index: usize) -> &[f32] {
    let length = HORIZONS * examples.axes;
    &examples.truths[index * length..][..length]
}

/// One shard's slopes, with the widest vectors the machine has.
#[multiversion::multiversion(targets = "simd")]
fn learn_shard(
    task: &Task<'_>,
    numbers: &[f32],
    lessons: &Lessons<'_>,
    indices: &[u32],
    random: &mut SplitMix64,
    slopes: &mut [f32],
) -> ExampleCost {
    let mut trace = Trace::new(&task.shape);
    let mut mirrored = trace.x.clone();
    let mut truth = vec![0.0_f32; HORIZONS * lessons.examples.axes];
    let mut sum = ExampleCost::default();
    for &index in indices {
        let index = index as usize;
        let (low, high) = task.widths;
        let widths = (low * libm::pow(high / low, random.unit())) as f32;
        task.show(numbers, lessons, index, widths, &mut trace);
        truth.copy_from_slice(truth_of(lessons.examples, index));
        if task.mirrors && random.chance(0.5) {
            mirror(task.inputs, &mut trace.x, &mut mirrored, &mut truth, lessons.examples.axes);
        }
        hide(task.inputs, &mut trace.x, task.forgetting.features, random);
        leave_out(&mut trace.kept, task.forgetting.outputs, random);
        forwards(&task.shape, numbers, &mut trace);
        let bound = widths * task.unit as f32;
        let mut slope = std::mem::take(&mut trace.slope);
        let weight = lessons.weights[index];
        let cost = task.loss.cost(&trace.out, &truth, bound, widths, weight, &mut slope);
        trace.slope = slope;
        add(&mut sum, cost);
        let act = usize::from(lessons.examples.acts[index]).min(task.shape.acts.saturating_sub(1));
        backwards(&task.shape, numbers, &mut trace, act, slopes);
    }
    sum
}

/// Left becomes right.
#[inline(always)]
fn mirror(inputs: &Inputs, x: &mut [f32], scratch: &mut [f32], truth: &mut [f32], axes: usize) {
    scratch.copy_from_slice(x);
    for (x, &(there, sign)) in x.iter_mut().zip(&inputs.mirror) {
        *x = scratch[there] * sign;
    }
    truth.chunks_exact_mut(axes).for_each(|truth| truth[1] = -truth[1]);
}

/// Hides a group of features now and then, so that the network can do without.
#[inline(always)]
fn hide(inputs: &Inputs, x: &mut [f32], share: f64, random: &mut SplitMix64) {
    let hides = random.chance(share);
    let group = random.next_u64() as usize % inputs.groups.len();
    if hides {
        let (numbers, flag) = &inputs.groups[group];
        for &k in numbers {
            x[k] = 0.0;
        }
        if let Some((k, hidden)) = flag {
            x[*k] = *hidden;
        }
    }
}

/// Leaves some hidden outputs out; the others make up for them.
#[inline(always)]
fn leave_out(kept: &mut [Vec<f32>; 2], share: f64, random: &mut SplitMix64) {
    if share > 0.0 {
        let rest = (1.0 / (1.0 - share)) as f32;
        for kept in kept.iter_mut().flatten() {
            *kept = if random.chance(share) { 0.0 } else { rest };
        }
    }
}

fn follow(mean: &mut [f32], numbers: &[f32], share: f32) {
    mean.iter_mut().zip(numbers).for_each(|(mean, number)| *mean += share * (number - *mean));
}

fn add(sum: &mut ExampleCost, cost: ExampleCost) {
    sum.loss += cost.loss;
    sum.inside_s += cost.inside_s;
    sum.error += cost.error;
}

fn shuffle(order: &mut [u32], random: &mut SplitMix64) {
    for last in (1..order.len()).rev() {
        order.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
}

/// One cycle: up over the first sixth, then down to nothing along a cosine.
fn rate(done: f64) -> f64 {
    const RISE: f64 = 0.15;
    if done < RISE {
        TOP_RATE * (0.1 + 0.9 * done / RISE)
    } else {
        let share = (done - RISE) / (1.0 - RISE);
        TOP_RATE * 0.5 * (1.0 + libm::cos(std::f64::consts::PI * share)) + 1e-6
    }
}

/// The moments of `AdamW`.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    faded: [f64; 2],
}

impl Adam {
    fn new(numbers: usize) -> Self {
        Self { mean: vec![0.0; numbers], square: vec![0.0; numbers], faded: [1.0; 2] }
    }

    /// One step against the mean of the shards' slopes. Weights, which come before
    /// `biases`, also shrink a little.
    fn step(&mut self, numbers: &mut [f32], slopes: &[Vec<f32>], rate: f32, biases: usize) {
        const FADES: [f32; 2] = [0.9, 0.99];
        self.faded = [self.faded[0] * f64::from(FADES[0]), self.faded[1] * f64::from(FADES[1])];
        let mean_scale = (1.0 / (1.0 - self.faded[0])) as f32;
        let square_scale = (1.0 / (1.0 - self.faded[1])) as f32;
        let share = 1.0 / (SHARD * SHARDS) as f32;
        for (k, number) in numbers.iter_mut().enumerate() {
            let slope = slopes.iter().map(|shard| shard[k]).sum::<f32>() * share;
            self.mean[k] = FADES[0] * self.mean[k] + (1.0 - FADES[0]) * slope;
            self.square[k] = FADES[1] * self.square[k] + (1.0 - FADES[1]) * slope * slope;
            let size = libm::sqrtf(self.square[k] * square_scale) + 1e-8;
            let decay = if k < biases { DECAY * *number } else { 0.0 };
            *number -= rate * (self.mean[k] * mean_scale / size + decay);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_less_there_is_to_learn_from_the_more_is_forgotten() {
        let [little, some, much] = [800.0, 2_000.0, 20_000.0].map(Forgetting::from_seconds);
        assert_eq!(little, Forgetting { features: 0.7, outputs: 0.25 });
        assert!(some.outputs > 0.05 && some.outputs < 0.07, "{some:?}");
        assert_eq!(much, Forgetting { features: 0.3, outputs: 0.0 });
        assert_eq!(Forgetting::from_seconds(0.0), little);
    }

    #[test]
    fn what_is_left_out_is_made_up_for() {
        let mut kept = [vec![1.0; 4_000], vec![1.0; 4_000]];
        leave_out(&mut kept, 0.25, &mut SplitMix64::new(9));
        let all = || kept.iter().flatten();
        let mean = all().sum::<f32>() / 8_000.0;
        let gone = all().filter(|kept| **kept == 0.0).count();
        assert!((mean - 1.0).abs() < 0.03 && (1_800..2_200).contains(&gone), "{mean} {gone}");
    }
}
