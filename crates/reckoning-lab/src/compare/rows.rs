//! Rows of a comparison: open loop, closed loop, receivers and paths.

use serde::{Deserialize, Serialize};

use crate::stats::Spread;

/// How one predictor did at one delay in one session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenRow {
    /// Which game or sport.
    pub source: String,
    /// Which session.
    pub session: String,
    /// Which predictor.
    pub predictor: String,
    /// Why it had nothing to go by here and did what a simpler one does; its numbers say nothing
    /// about it. `None` where it had.
    #[serde(default)]
    pub inert: Option<String>,
    /// How old the knowledge was.
    pub delay_ms: u64,
    /// Mean distance of prediction and truth, in the recording's units.
    pub aee: f64,
    /// Lower end of its confidence interval.
    pub aee_low: f64,
    /// Upper end.
    pub aee_high: f64,
    /// Share of predictions at most `hit_within` from the truth.
    pub hit_rate: f64,
    /// What counts as a hit: the bound that was asked for, else the width of a body.
    pub hit_within: f64,
    /// LI's shares: best, good, bad, unacceptable.
    pub classes: [f64; 4],
    /// How many predictions.
    pub n: u64,
}

/// What one predictor cost and showed in one session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClosedRow {
    /// Which game or sport.
    pub source: String,
    /// Which session.
    pub session: String,
    /// Which predictor.
    pub predictor: String,
    /// As [`OpenRow::inert`].
    #[serde(default)]
    pub inert: Option<String>,
    /// How far the guess was let stray.
    pub bound: f64,
    /// Updates per body and second.
    pub packets_per_entity_s: f64,
    /// Lower end of its confidence interval.
    pub packets_low: f64,
    /// Upper end.
    pub packets_high: f64,
    /// Mean distance of guess and truth without any delay.
    pub mean_error: f64,
    /// Mean distance of what a ghost shows and truth, 100 ms late.
    pub shown_error_100ms: f64,
    /// The same over the links of the receivers, the mean over them; `None` without any.
    pub shown_error_link: Option<f64>,
    /// What each receiver behind its link had of it.
    pub receivers: Vec<ReceiverRow>,
    /// Mean jerk of what the ghost shows, in units per second cubed.
    pub roughness: f64,
    /// Share of the time it is shown inside a wall, where walls are known.
    pub in_walls: Option<f64>,
}

/// What one receiver behind its link had of all bodies, each the mean over time in the
/// recording's units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReceiverRow {
    /// Which, by its link.
    pub receiver: String,
    /// Distance of what it shows and truth.
    pub shown_error: f64,
    /// The part of that while an update was in flight, which no model can avoid.
    pub before: f64,
    /// The part after the arrival of the newest update.
    pub after: f64,
    /// What the owner knows of its error from acknowledgements (CEE of THESIS).
    pub cee: f64,
    /// What the owner estimates for the time since the last acknowledged arrival (EEE).
    pub eee: f64,
    /// Both together (AEE of THESIS, the accumulated error; not SHI's average).
    pub aee: f64,
}

impl ClosedRow {
    /// A value of the receivers, as mean and standard deviation across them; `None` without
    /// receivers. A large deviation is unfair.
    #[must_use]
    pub fn across_receivers(&self, value: impl Fn(&ReceiverRow) -> f64) -> Option<Spread> {
        let values: Vec<f64> = self.receivers.iter().map(value).collect();
        (!values.is_empty()).then(|| Spread::from_values(&values))
    }
}

/// A stretch of truth and of what was shown, for plots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathSample {
    /// Which game or sport.
    pub source: String,
    /// Which session.
    pub session: String,
    /// Whose way.
    pub id: i32,
    /// Which predictor.
    pub predictor: String,
    /// Where the body was.
    pub truth: Vec<[f64; 2]>,
    /// Where it was shown, 100 ms late.
    pub shown: Vec<[f64; 2]>,
    /// Seconds since the start of the stretch, and how far off.
    pub error: Vec<(f64, f64)>,
}

/// How far one predictor turned bodies or joints wrongly at one delay in one session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenAngleRow {
    /// Which game or sport.
    pub source: String,
    /// Which session.
    pub session: String,
    /// Which predictor.
    pub predictor: String,
    /// Which joint; `None` is the orientation of the body.
    pub joint: Option<String>,
    /// How old the knowledge was.
    pub delay_ms: u64,
    /// Mean angle between prediction and truth, in degrees.
    pub mean_deg: f64,
    /// What 95 of 100 such angles are at most, to half a per cent.
    pub p95_deg: f64,
    /// How many predictions.
    pub n: u64,
}

/// What one predictor cost and showed of orientations or joints in one session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClosedAngleRow {
    /// Which game or sport.
    pub source: String,
    /// Which session.
    pub session: String,
    /// Which predictor.
    pub predictor: String,
    /// Which joint; `None` is the orientation of the body.
    pub joint: Option<String>,
    /// How far the guess was let turn away, in degrees.
    pub bound_deg: f64,
    /// Updates per body and second for the sake of this angle: of an orientation those that its
    /// position did not need.
    pub updates_per_entity_s: f64,
    /// Mean angle between guess and truth without any delay, in degrees.
    pub mean_deg: f64,
    /// What 95 of 100 such angles are at most, to half a per cent.
    pub p95_deg: f64,
    /// Mean angle between what a ghost shows and truth, 100 ms late, in degrees.
    pub shown_mean_deg: f64,
    /// What 95 of 100 such angles are at most, to half a per cent.
    pub shown_p95_deg: f64,
    /// How many samples.
    pub n: u64,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// By session, predictor and delay.
    pub open: Vec<OpenRow>,
    /// By session and predictor.
    pub closed: Vec<ClosedRow>,
    /// One stretch per session and predictor.
    pub paths: Vec<PathSample>,
    /// Orientation and joints by session, predictor and delay; empty where none are recorded.
    pub open_angles: Vec<OpenAngleRow>,
    /// Orientation and joints by session and predictor.
    pub closed_angles: Vec<ClosedAngleRow>,
}
