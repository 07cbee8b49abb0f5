//! Training a predictor on recordings of a game.
//!
//! ```text
//!   recordings -> prepare -> examples: features, and where the body then went
//!              -> inputs: centred, of one size -> network, batch by batch
//!              -> the file that the engine loads
//! ```
//!
//! The same recordings, settings and seed give the same bytes, whatever the machine and the
//! number of threads.

mod examples;
mod floors;
mod inputs;
mod loss;
mod net;
mod optimise;
mod pool;
mod publish_weights;
mod reader;
mod sender_context;
mod table;
mod table_text;
mod whiten;

use std::fmt;
use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::{ConfigError, CurveBasis};
use reckoning_predict::learned::{Framing, LearnedError, LearnedModel, LearnedParts};
use reckoning_recording::Recording;

use crate::compare::{Prepared, RecordedSurroundings, fitted_fade};
use examples::{Examples, HORIZONS, horizons_s};
use inputs::Inputs;
use net::{ACT_WIDTH, Shape};
pub use optimise::Lesson;
use optimise::{Forgetting, Lessons, Task};
pub(crate) use reader::ModelReader;
pub(crate) use sender_context::SenderContext;
#[cfg(test)]
pub(crate) use table::FLAVOURS;
pub use table::{SourceTable, TableConfig, TableError, TableRow, learned_table};
pub(crate) use table::{name_of, quarters};
pub use table_text::table_text;
use whiten::Whitener;

/// What training optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainGoal {
    /// Few updates: stay inside the bound for long.
    Packets,
    /// Small errors at all horizons.
    Error,
    /// Both.
    Mix,
}

/// How to train.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainConfig {
    /// What to optimise. Default: [`TrainGoal::Mix`].
    pub goal: TrainGoal,
    /// Bounds that publishers will use, in units of the source. Default: empty, which stands for
    /// half, one and two body widths.
    pub bounds: Vec<f64>,
    /// Passes over the examples. Default: 40.
    pub epochs: usize,
    /// Widths of the hidden layers: multiples of eight, up to 128. Default: 64 and 64.
    pub hidden: [u8; 2],
    /// At most so many examples, evenly spread over the recordings. Default: 300,000.
    pub max_examples: usize,
    /// The time constants of the curves. Default: [`CurveBasis::FOUR`].
    pub basis: CurveBasis,
    /// Seeds everything random. Default: 1.
    pub seed: u64,
    /// Hold every eighth session back for validation. Default: true.
    pub hold_back: bool,
}

impl Default for TrainConfig {
    /// A mixture, 64 by 64, forty passes over 300,000 examples.
    fn default() -> Self {
        Self {
            goal: TrainGoal::Mix,
            bounds: Vec::new(),
            epochs: 40,
            hidden: [64, 64],
            max_examples: 300_000,
            basis: CurveBasis::FOUR,
            seed: 1,
            hold_back: true,
        }
    }
}

/// One pass over the examples, for the learning curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// How the training went.
    pub training: Lesson,
    /// How sessions that were held back went, if there were enough to hold any back.
    pub validation: Option<Lesson>,
}

/// What training gave.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The model.
    pub model: LearnedModel,
    /// Pass by pass.
    pub epochs: Vec<Epoch>,
    /// How many examples it learned from.
    pub examples: usize,
}

/// Why nothing was trained.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TrainError {
    /// A setting of the engine was refused.
    Config(ConfigError),
    /// The result is not a model.
    Model(LearnedError),
    /// Too little to learn from.
    TooFew {
        /// Examples found.
        got: usize,
        /// Examples needed.
        wanted: usize,
    },
    /// A bound is not a length.
    Bound {
        /// What was given.
        got: f64,
    },
    /// The recordings are of different kinds.
    Mixed {
        /// A session that does not go with the first.
        session: String,
    },
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Model(error) => error.fmt(f),
            Self::TooFew { got, wanted } => {
                write!(f, "{got} examples to learn from; give recordings with at least {wanted}")
            }
            Self::Bound { got } => write!(f, "bound {got} is not a positive length"),
            Self::Mixed { session } => {
                write!(
                    f,
                    "session {session} is of another game than the first; train one at a time"
                )
            }
        }
    }
}

impl std::error::Error for TrainError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(error) => Some(error),
            Self::Model(error) => Some(error),
            Self::TooFew { .. } | Self::Bound { .. } | Self::Mixed { .. } => None,
        }
    }
}

impl From<ConfigError> for TrainError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

/// Examples that a batch needs.
const MIN_EXAMPLES: usize = 1_024;

/// Trains a model on recordings of one game. `progress` is called after every
/// pass.
///
/// # Errors
/// Refuses recordings of different games or with too little in them, and bounds that are no
/// lengths.
pub fn train(
    config: &TrainConfig,
    recordings: &[&Recording],
    progress: &mut dyn FnMut(usize, &Epoch),
) -> Result<Trained, TrainError> {
    let prepared: Vec<Prepared> =
        recordings.iter().map(|it| Prepared::from_recording(it)).collect();
    let sessions: Vec<(&Recording, &Prepared)> =
        recordings.iter().copied().zip(&prepared).collect();
    train_prepared(config, &sessions, progress)
}

/// As [`train`], for recordings that are prepared.
pub(crate) fn train_prepared(
    config: &TrainConfig,
    sessions: &[(&Recording, &Prepared)],
    progress: &mut dyn FnMut(usize, &Epoch),
) -> Result<Trained, TrainError> {
    let set = Set::new(config, sessions)?;
    let lessons = &set.training;
    if lessons.len() < MIN_EXAMPLES {
        return Err(TrainError::TooFew { got: lessons.len(), wanted: MIN_EXAMPLES });
    }
    let inputs = Inputs::from_examples(lessons, set.framing, set.widths);
    let whitener = Whitener::new(&config.basis, lessons);
    let loss = whitener.loss(config.goal, lessons, set.unit);
    let acts = lessons.acts.iter().copied().max().map_or(0, usize::from);
    let acts = if acts == 0 { 0 } else { acts.min(1_023) + 1 };
    let shape = Shape {
        wide: inputs.list.len() + if acts > 0 { ACT_WIDTH } else { 0 },
        hidden: config.hidden.map(usize::from),
        out: lessons.axes * config.basis.tau_s().len(),
        acts,
    };
    let mut numbers = shape.start(&mut SplitMix64::new(config.seed));
    whitener.start_linear(&shape, &inputs, set.framing, &mut numbers);
    let (unit, widths) = (set.unit, set.widths);
    let mirrors = set.framing != Framing::Side;
    let forgetting = Forgetting::from_seconds(set.seconds);
    let task = Task { shape, inputs: &inputs, loss: &loss, unit, widths, mirrors, forgetting };
    let mut rows = Lessons::new(&inputs, lessons, unit);
    let held_back = Lessons::new(&inputs, &set.validation, unit);
    let mut epochs = Vec::new();
    task.learn(&mut numbers, &mut rows, config.epochs, config.seed, |number, training, numbers| {
        let validation = (held_back.examples.len() > 0).then(|| task.judge(numbers, &held_back));
        let epoch = Epoch { training, validation };
        progress(number, &epoch);
        epochs.push(epoch);
    });
    let steps_mps = whitener.steps_mps(&task, &numbers, &rows);
    let fade = fitted_fade(sessions.iter().map(|(_, prepared)| *prepared));
    let parts = parts(
        config,
        &set,
        &shape,
        &inputs,
        &whitener.unwhitened(&shape, &numbers),
        fade,
        steps_mps,
    );
    let model = LearnedModel::new(parts).map_err(TrainError::Model)?;
    Ok(Trained { model, epochs, examples: lessons.len() })
}

fn parts(
    config: &TrainConfig,
    set: &Set,
    shape: &Shape,
    inputs: &Inputs,
    numbers: &[f32],
    fade: Duration,
    steps_mps: Vec<f32>,
) -> LearnedParts {
    let ranges = shape.ranges();
    let list = |k: usize| numbers[ranges[k].clone()].to_vec();
    LearnedParts {
        framing: set.framing,
        basis: config.basis,
        unit_m: set.unit,
        fade,
        steps_mps,
        inputs: inputs.list.clone(),
        act_width: if shape.acts > 0 { ACT_WIDTH as u8 } else { 0 },
        acts: list(7),
        hidden: config.hidden,
        weights: [list(0), list(1), list(2), list(3)],
        biases: [list(4), list(5), list(6)],
    }
}

/// The examples of all sessions.
struct Set {
    framing: Framing,
    unit: f64,
    /// Bounds in body widths: from, to.
    widths: (f64, f64),
    training: Examples,
    /// Seconds of bodies that the training is from.
    seconds: f64,
    validation: Examples,
}

impl Set {
    fn new(config: &TrainConfig, sessions: &[(&Recording, &Prepared)]) -> Result<Self, TrainError> {
        let (first, own) =
            sessions.first().ok_or(TrainError::TooFew { got: 0, wanted: MIN_EXAMPLES })?;
        let framing = SenderContext::new(first, own).framing;
        let unit = own.body_width;
        let widths = widths(config, unit)?;
        let samples: usize = sessions.iter().map(|(_, it)| it.samples()).sum();
        let step = samples.div_ceil(config.max_examples.max(MIN_EXAMPLES)).max(1);
        let mut set = Self {
            framing,
            unit,
            widths,
            training: Examples::default(),
            seconds: 0.0,
            validation: Examples::default(),
        };
        for (number, (recording, prepared)) in sessions.iter().enumerate() {
            let context = SenderContext::new(recording, prepared);
            if context.framing != framing || recording.source != first.source {
                return Err(TrainError::Mixed { session: recording.session.clone() });
            }
            let same_map: Vec<&Prepared> = sessions
                .iter()
                .enumerate()
                .filter(|(k, it)| *k != number && it.0.meta.map == recording.meta.map)
                .map(|(_, it)| it.1)
                .collect();
            let surroundings = RecordedSurroundings::for_learning(recording, prepared, &same_map)?;
            let examples =
                Examples::from_prepared(prepared, &surroundings, &context, framing, step);
            // Every eighth session is held back, if that leaves enough.
            let held = config.hold_back && sessions.len() >= 4 && number % 8 == 3;
            if held {
                set.validation.append(examples);
            } else {
                set.training.append(examples);
                set.seconds += prepared.body_seconds();
            }
        }
        Ok(set)
    }
}

fn widths(config: &TrainConfig, unit: f64) -> Result<(f64, f64), TrainError> {
    if let Some(&got) = config.bounds.iter().find(|it| !(**it > 0.0 && it.is_finite())) {
        return Err(TrainError::Bound { got });
    }
    let least = config.bounds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = config.bounds.iter().copied().fold(0.0, f64::max);
    let (low, high) =
        if config.bounds.is_empty() { (0.5, 2.0) } else { (least / unit, most / unit) };
    // A little beyond, so that the ends are not edges.
    Ok((low / 1.2, high * 1.2))
}

/// Whether the truth is known at a horizon of an example.
fn known(truth: &[f32]) -> bool {
    !truth[0].is_nan()
}

/// Mean over known examples of something at each horizon.
fn mean_by_horizon(
    examples: &Examples,
    mut at: impl FnMut(usize, usize, &[f32]) -> f64,
) -> [f64; HORIZONS] {
    let (mut sums, mut counts) = ([0.0; HORIZONS], [0.0; HORIZONS]);
    for (index, truths) in examples.truths.chunks_exact(HORIZONS * examples.axes).enumerate() {
        for (j, truth) in truths.chunks_exact(examples.axes).enumerate().filter(|it| known(it.1)) {
            sums[j] += at(index, j, truth);
            counts[j] += 1.0;
        }
    }
    std::array::from_fn(|j| sums[j] / f64::max(counts[j], 1.0))
}

/// Moments the truth is kept at, as the loss counts them.
fn spans_s() -> [f32; HORIZONS] {
    let t_s = horizons_s();
    std::array::from_fn(|j| (t_s[j] - if j > 0 { t_s[j - 1] } else { 0.0 }) as f32)
}
