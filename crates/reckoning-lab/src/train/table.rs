//! Every predictor on sessions that nothing was trained on, one page per source.
//!
//! Sessions are dealt into folds; for each fold a model is trained on all the others. A source
//! with fewer than three sessions is cut into quarters in time, which then stand for sessions.
//! All predictors know the velocities that the source gives, where it gives any.

use std::time::Duration;

use reckoning::SimTime;
use reckoning_recording::Recording;

use super::{TrainConfig, TrainError, train_prepared};
use crate::compare::{CompareConfig, CompareError, Comparison, Prepared, Trials, compare_one};
use crate::predictor::{Learned, LearnedUse, Predictor};

/// Delays of the open loop.
const DELAYS_MS: [u64; 6] = [100, 300, 600, 900, 1_500, 2_100];
/// Bounds of the closed loop, in body widths.
const WIDTHS: [f64; 3] = [0.5, 1.0, 2.0];
/// Folds, and more of them where there are few sessions to learn from.
const FOLDS: usize = 5;
const FOLDS_OF_FEW: usize = 7;
const FEW: usize = 13;
/// A session that is alone with its kind is cut into so many.
const QUARTERS: i64 = 4;

/// How to make the table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableConfig {
    /// How models are trained. No default: a table is always asked for explicitly.
    pub train: TrainConfig,
    /// Predictors they are compared with; `linear` is always added. No default.
    pub predictors: Vec<Predictor>,
}

/// One predictor over all sessions of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// Its name.
    pub predictor: String,
    /// Why it had nothing to go by in any session; then its numbers are not shown.
    pub inert: Option<String>,
    /// Mean error at each delay.
    pub aee: Vec<f64>,
    /// Share within a body width at each delay.
    pub hits: Vec<f64>,
    /// Updates per body and second at each bound.
    pub packets: Vec<f64>,
    /// What a ghost shows 100 ms late is off by, at one body width.
    pub shown: f64,
    /// Error at 300 ms over that of constant velocity, and the range it has when sessions
    /// are drawn anew.
    pub error_ratio: [f64; 3],
    /// The same of the updates at one body width.
    pub packet_ratio: [f64; 3],
}

/// One source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceTable {
    /// Its name, with the rate where sessions of one source differ.
    pub source: String,
    /// How many sessions, or parts of one.
    pub sessions: usize,
    /// Whether those are parts of one session.
    pub parts: bool,
    /// Seconds of all bodies together.
    pub seconds: f64,
    /// Predictor by predictor.
    pub rows: Vec<TableRow>,
    /// Updates of the trained model over those of constant velocity, at each bound, in the
    /// session that is worst for it.
    pub worst: Vec<f64>,
}

/// Why there is no table.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableError {
    /// Training failed.
    Train(TrainError),
    /// Comparing failed.
    Compare(CompareError),
}

impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Train(error) => error.fmt(f),
            Self::Compare(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Train(error) => Some(error),
            Self::Compare(error) => Some(error),
        }
    }
}

/// Trains and compares, source by source. `say` is called with
/// the progress.
///
/// # Errors
/// Says what could not be trained or compared.
pub fn learned_table(
    config: &TableConfig,
    recordings: Vec<Recording>,
    say: &dyn Fn(&str),
) -> Result<Vec<SourceTable>, TableError> {
    let mut sources: Vec<(String, Vec<Recording>)> = Vec::new();
    for recording in recordings {
        let name = name_of(&recording);
        match sources.iter_mut().find(|(known, _)| *known == name) {
            Some((_, list)) => list.push(recording),
            None => sources.push((name, vec![recording])),
        }
    }
    sources.into_iter().map(|(name, list)| one_source(config, name, list, say)).collect()
}

/// Football comes at ten and at fifty pictures a second, which are two things to learn.
pub(crate) fn name_of(recording: &Recording) -> String {
    let slow = recording.meta.rate_hz < 11.0;
    match (recording.source.as_str(), slow) {
        ("football", true) => "football 10 Hz".to_string(),
        ("football", false) => "football 50 Hz".to_string(),
        (source, _) => source.to_string(),
    }
}

fn one_source(
    config: &TableConfig,
    source: String,
    list: Vec<Recording>,
    say: &dyn Fn(&str),
) -> Result<SourceTable, TableError> {
    let parts = list.len() < 3;
    let list = if parts { list.iter().flat_map(quarters).collect() } else { list };
    let prepared: Vec<Prepared> = list.iter().map(Prepared::with_own_velocities).collect();
    let folds = list.len().min(if list.len() <= FEW { FOLDS_OF_FEW } else { FOLDS });
    let mut compared = CompareConfig {
        predictors: config.predictors.clone(),
        delays: DELAYS_MS.map(Duration::from_millis).to_vec(),
        receivers: Vec::new(),
        ..CompareConfig::default()
    };
    let trials = Trials::new(&compared, &prepared);
    let mut found = vec![Comparison::default(); list.len()];
    for fold in 0..folds {
        let training: Vec<(&Recording, &Prepared)> = list
            .iter()
            .zip(&prepared)
            .enumerate()
            .filter(|(k, _)| k % folds != fold)
            .map(|(_, it)| it)
            .collect();
        say(&format!("{source}: training {} of {folds} on {} sessions", fold + 1, training.len()));
        // The sessions of the fold are the ones held back.
        let train = TrainConfig { hold_back: false, ..config.train.clone() };
        let trained = train_prepared(&train, &training, &mut |_, _| {});
        let model = Box::leak(Box::new(trained.map_err(TableError::Train)?.model));
        compared.predictors.truncate(config.predictors.len());
        for (name, usage) in FLAVOURS {
            let learned = Learned { model, usage };
            compared.predictors.push(Predictor::learned(name, learned));
        }
        for number in (fold..list.len()).step_by(folds) {
            let one = compare_one(&compared, &list, &prepared, &trials, number, &WIDTHS);
            found[number] = one.map_err(TableError::Compare)?;
            say(&told(&source, &found[number]));
        }
    }
    let seconds: Vec<f64> = prepared.iter().map(Prepared::body_seconds).collect();
    let rows = super::pool::rows(&compared, &found, &seconds, WIDTHS.len());
    let (sessions, seconds) = (list.len(), seconds.iter().sum());
    let worst = worst(&found);
    Ok(SourceTable { source, sessions, parts, seconds, rows, worst })
}

/// Ways to use a model: with its fallback, and alone.
pub(crate) const FLAVOURS: [(&str, LearnedUse); 2] =
    [("learned", LearnedUse::Chosen), ("learned-alone", LearnedUse::Alone)];

fn told(source: &str, found: &Comparison) -> String {
    let session = found.closed.first().map_or("", |row| row.session.as_str());
    let ratios = |name: &str| -> String {
        let parts: Vec<String> = over_linear(found, name).map(|it| format!("{it:.3}")).collect();
        parts.join(" ")
    };
    let (learned, alone) = (ratios("learned"), ratios("learned-alone"));
    format!("{source} {session}: packets {learned} alone {alone}")
}

/// Updates of a predictor over those of constant velocity, bound by bound.
fn over_linear(found: &Comparison, name: &str) -> impl Iterator<Item = f64> {
    let packets = |name: &str| -> Vec<f64> {
        let own = found.closed.iter().filter(|row| row.predictor == name);
        own.map(|row| row.packets_per_entity_s).collect()
    };
    packets(name).into_iter().zip(packets("linear")).map(|(own, linear)| own / linear)
}

fn worst(found: &[Comparison]) -> Vec<f64> {
    let mut worst = vec![0.0; WIDTHS.len()];
    for one in found {
        for (worst, ratio) in worst.iter_mut().zip(over_linear(one, "learned")) {
            *worst = f64::max(*worst, ratio);
        }
    }
    worst
}

/// The quarters of a session, as sessions.
pub(crate) fn quarters(whole: &Recording) -> Vec<Recording> {
    let Some((first, last)) = whole.span() else { return Vec::new() };
    let length = last.as_micros() - first.as_micros() + 1;
    let cut = |part: i64| {
        let at = |k: i64| SimTime::from_micros(first.as_micros() + length * k / QUARTERS);
        let mut piece = whole.clone();
        piece.session = format!("{} {}/{QUARTERS}", whole.session, part + 1);
        for track in &mut piece.tracks {
            let begin = track.samples.partition_point(|sample| sample.at < at(part));
            let end = track.samples.partition_point(|sample| sample.at < at(part + 1));
            track.samples = track.samples[begin..end].to_vec();
            for column in &mut track.extras {
                column.values = column.values[begin..end].to_vec();
            }
        }
        piece.tracks.retain(|track| !track.samples.is_empty());
        piece
    };
    (0..QUARTERS).map(cut).collect()
}
