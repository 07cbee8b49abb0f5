//! STUB, replaced on merge: the types of a comparison, so that reports can be written.

mod predictor;

use std::fmt;
use std::time::Duration;

pub use predictor::{Predictor, PredictorError};

use crate::LinkConfig;
use crate::recording::Recording;

/// How far off a predictor is after a delay, in one session.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenRow {
    /// Which game or sport.
    pub source: String,
    /// Which session of it.
    pub session: String,
    /// Which predictor, with its parameters.
    pub predictor: String,
    /// How old the last news is.
    pub delay_ms: u64,
    /// Mean distance from the truth.
    pub aee: f64,
    /// Lower end of its 95 % interval, over players.
    pub aee_low: f64,
    /// Upper end of its 95 % interval, over players.
    pub aee_high: f64,
    /// Share of predictions within a body width.
    pub hit_rate: f64,
    /// LI's best, good, bad and unacceptable shares.
    pub classes: [f64; 4],
    /// How many predictions.
    pub n: u64,
}

/// What a predictor costs and shows at a bound, in one session.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedRow {
    /// Which game or sport.
    pub source: String,
    /// Which session of it.
    pub session: String,
    /// Which predictor, with its parameters.
    pub predictor: String,
    /// The stray that is allowed.
    pub bound: f64,
    /// Updates per body and second.
    pub packets_per_entity_s: f64,
    /// Lower end of their 95 % interval, over players.
    pub packets_low: f64,
    /// Upper end of their 95 % interval, over players.
    pub packets_high: f64,
    /// Mean distance of the guess from the truth.
    pub mean_error: f64,
    /// Mean distance of what is shown, 100 ms away.
    pub shown_error_100ms: f64,
    /// Mean distance of what is shown over the link asked for.
    pub shown_error_link: Option<f64>,
    /// How unsteadily the shown body moves.
    pub roughness: f64,
    /// Share of time shown inside walls, where walls are known.
    pub in_walls: Option<f64>,
}

/// A telling stretch of one session with one predictor.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSample {
    /// Which game or sport.
    pub source: String,
    /// Which session of it.
    pub session: String,
    /// Whose path.
    pub id: i32,
    /// Which predictor, with its parameters.
    pub predictor: String,
    /// Where the body was.
    pub truth: Vec<[f64; 2]>,
    /// Where it was shown.
    pub shown: Vec<[f64; 2]>,
    /// How far apart, by time in seconds.
    pub error: Vec<(f64, f64)>,
}

/// Everything a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Errors by delay.
    pub open: Vec<OpenRow>,
    /// Costs at the bound.
    pub closed: Vec<ClosedRow>,
    /// Stretches for pictures.
    pub paths: Vec<PathSample>,
}

/// What to compare.
#[derive(Clone, Debug)]
pub struct CompareConfig {
    /// Which predictors.
    pub predictors: Vec<Predictor>,
    /// After which delays.
    pub delays: Vec<Duration>,
    /// The stray that is allowed, in units of the source; half a body width if `None`.
    pub bound: Option<f64>,
    /// A link to show bodies over besides a plain delay of 100 ms.
    pub link: Option<LinkConfig>,
}

/// Why nothing was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompareError {
    /// This branch holds no comparison.
    Stub,
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this build compares nothing: merge the branch with reckoning_lab::compare")
    }
}

impl std::error::Error for CompareError {}

/// STUB: always refuses.
///
/// # Errors
/// Always.
pub fn compare(
    _: &CompareConfig,
    _: &[Recording],
    _: &(dyn Fn(u64, u64) + Sync),
) -> Result<Comparison, CompareError> {
    Err(CompareError::Stub)
}
