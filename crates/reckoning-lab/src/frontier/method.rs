//! Methods of the frontier by their names.

use std::fmt;
use std::str::FromStr;

use crate::predictor::{Predictor, PredictorError};

/// Bounds of the methods that publish by a threshold, in body widths.
const BOUNDS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Rounding of naive snapshots, in body widths: what a threshold of one width rounds to.
const PLAIN_STEP: f64 = 1.0 / 32.0;
/// Rounding of the codec, in body widths. The first is about a centimetre for a person.
const CODEC_STEPS: [f64; 3] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0];
/// Rates that the command line offers, in snapshots a second.
const RATES_HZ: std::ops::RangeInclusive<u32> = 1..=120;

/// Names that are run without being asked for.
const ALL: [&str; 12] = [
    "before",
    "default",
    "default-calm",
    "naive-10",
    "naive-20",
    "naive-30",
    "interpolation-10",
    "interpolation-20",
    "interpolation-30",
    "codec-10",
    "codec-20",
    "codec-30",
];

/// A way to send a body's motion and to show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    name: String,
    pub(crate) kind: MethodKind,
}

/// What stands behind a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MethodKind {
    /// The trained curve, published when the guess has strayed, blended over a fixed span.
    Before,
    /// The same network, published as lines aimed at what it foresees and judged ahead.
    Aimed(AimedShowing),
    /// Another predictor of the lab, published and shown in the same way.
    Published(Box<Predictor>),
    /// Snapshots at a rate, of which the newest is shown.
    Naive { hz: u32 },
    /// Snapshots at a rate, shown between two of them behind an adaptive buffer.
    Interpolation { hz: u32 },
    /// Entropy-coded snapshots at a rate, shown in the same way.
    Codec { hz: u32 },
}

/// How aimed lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AimedShowing {
    /// Blended over a span by the root of the error, and not over the fixed one that everything was
    /// blended over before.
    pub(crate) close: bool,
    /// With a choice between carrying on, damping and holding.
    pub(crate) hedged: bool,
}

/// What is swept along the curve of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Setting {
    /// The threshold, in body widths.
    Bound(f64),
    /// The rounding of snapshots, in body widths.
    Step(f64),
}

impl Setting {
    pub(crate) const fn widths(self) -> f64 {
        match self {
            Self::Bound(widths) | Self::Step(widths) => widths,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bound(widths) => write!(f, "bound {widths}"),
            Self::Step(widths) => write!(f, "step 1/{}", 1.0 / widths),
        }
    }
}

impl Method {
    /// Every method that is run without being asked for.
    #[must_use]
    pub fn all() -> Vec<Self> {
        ALL.iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// The family that its curve belongs to: snapshots of all rates are one curve.
    pub(crate) fn family(&self) -> &str {
        match self.kind {
            MethodKind::Naive { .. } => "naive",
            MethodKind::Interpolation { .. } => "interpolation",
            MethodKind::Codec { .. } => "codec",
            _ => &self.name,
        }
    }

    /// The points of its curve.
    pub(crate) fn settings(&self) -> Vec<Setting> {
        match self.kind {
            MethodKind::Naive { .. } | MethodKind::Interpolation { .. } => {
                vec![Setting::Step(PLAIN_STEP)]
            }
            MethodKind::Codec { .. } => CODEC_STEPS.map(Setting::Step).to_vec(),
            _ => BOUNDS.map(Setting::Bound).to_vec(),
        }
    }

    /// Snapshots per second; `None` for what is published when it has to be.
    pub(crate) const fn rate_hz(&self) -> Option<u32> {
        match self.kind {
            MethodKind::Naive { hz }
            | MethodKind::Interpolation { hz }
            | MethodKind::Codec { hz } => Some(hz),
            _ => None,
        }
    }

    /// Whether it publishes lines, which are aimed for the delay of the listener.
    pub(crate) const fn is_aimed(&self) -> bool {
        matches!(self.kind, MethodKind::Aimed(_))
    }

    /// Whether a model has to be trained for it.
    pub(crate) const fn is_learned(&self) -> bool {
        matches!(self.kind, MethodKind::Before | MethodKind::Aimed(_))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

const fn aimed(close: bool, hedged: bool) -> MethodKind {
    MethodKind::Aimed(AimedShowing { close, hedged })
}

impl FromStr for Method {
    type Err = PredictorError;

    fn from_str(text: &str) -> Result<Self, PredictorError> {
        let name = text.trim();
        let rated = name.rsplit_once('-').and_then(|(family, hz)| Some((family, hz.parse().ok()?)));
        let rated = rated.filter(|(_, hz)| RATES_HZ.contains(hz));
        let kind = match (name, rated) {
            ("before", _) => MethodKind::Before,
            ("default", _) => aimed(true, false),
            ("default-calm", _) => aimed(false, false),
            ("default-hedged", _) => aimed(true, true),
            ("default-calm-hedged", _) => aimed(false, true),
            (_, Some(("naive", hz))) => MethodKind::Naive { hz },
            (_, Some(("interpolation", hz))) => MethodKind::Interpolation { hz },
            (_, Some(("codec", hz))) => MethodKind::Codec { hz },
            _ => MethodKind::Published(Box::new(name.parse().map_err(of_methods)?)),
        };
        Ok(Self { name: name.to_owned(), kind })
    }
}

/// Who asked for a method is told of all of them, not of predictors alone.
fn of_methods(error: PredictorError) -> PredictorError {
    match error {
        PredictorError::Unknown { name } => PredictorError::UnknownMethod { name },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name() {
        let names: Vec<String> = Method::all().iter().map(Method::to_string).collect();
        assert_eq!(names, ALL);
        let codec: Method = " codec-25 ".parse().unwrap();
        assert_eq!((codec.kind.clone(), codec.family()), (MethodKind::Codec { hz: 25 }, "codec"));
    }

    #[test]
    fn any_predictor_of_the_lab_is_a_method() {
        let linear: Method = "linear".parse().unwrap();
        assert!(matches!(linear.kind, MethodKind::Published(_)));
        let error = "naive-0".parse::<Method>().unwrap_err().to_string();
        assert!(error.contains("naive-20") && error.contains("linear"), "{error}");
        assert!("codec-1000".parse::<Method>().is_err());
    }
}
