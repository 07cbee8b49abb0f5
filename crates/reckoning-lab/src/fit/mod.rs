//! Constants of LI's and SHI's schemes fitted to recordings.
//!
//! Both documents tried their constants out on their own games: LI's k, q, l and R on a field of
//! tanks, SHI's weights on 25 people, which it ends on as its open problem. Here they are fitted
//! to anyone's recordings:
//!
//! ```text
//! each session in turn is held out
//!   the others -> each of them in turn is held back -> how many rounds of fitting help at all
//!              -> all of them, so many rounds       -> constants -> error on the one held out
//! all sessions, the same way -> the constants to use
//! ```
//!
//! A round goes through the constants one by one and keeps the value that errs least. Which
//! number of rounds is used, none among them, is decided by sessions that the round did not see;
//! the errors that are reported are of sessions that nothing was chosen on.

mod search;
mod session;
mod text;

use std::fmt;
use std::time::Duration;

use rayon::prelude::*;
use reckoning::ConfigError;
use reckoning_recording::Recording;

use crate::predictor::Predictor;
use crate::train::quarters;
use search::Search;
use session::FitSession;

pub use text::{fit_json, fit_text};

/// Whose constants are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// LI's interest scheme.
    Interest,
    /// Its hybrid.
    InterestHybrid,
    /// SHI's play patterns.
    Ekb,
    /// The same, round walls.
    Oaekb,
    /// The hybrid of the patterns.
    EkbHybrid,
    /// The same, round walls.
    OaekbHybrid,
}

impl Scheme {
    /// Every scheme.
    pub const ALL: [Self; 6] = [
        Self::Interest,
        Self::InterestHybrid,
        Self::Ekb,
        Self::Oaekb,
        Self::EkbHybrid,
        Self::OaekbHybrid,
    ];

    /// The name of the predictor.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interest => "interest",
            Self::InterestHybrid => "interest-hybrid",
            Self::Ekb => "ekb",
            Self::Oaekb => "oaekb",
            Self::EkbHybrid => "ekb-hybrid",
            Self::OaekbHybrid => "oaekb-hybrid",
        }
    }

    /// Its constants by the document's letters: what the document uses, and what is tried.
    pub(crate) const fn constants(self) -> &'static [Constant] {
        match self {
            Self::Interest | Self::InterestHybrid => &OF_LI,
            _ => &OF_SHI,
        }
    }
}

/// One constant: its letter, the document's own value first, and the values tried besides.
pub(crate) type Constant = (&'static str, &'static [f64]);

const OF_LI: [Constant; 4] = [
    ("k", &[4165.0, 0.0, 400.0, 1300.0, 13_000.0, 40_000.0]),
    ("q", &[0.356, 0.0, 0.1, 0.7, 1.0]),
    ("l", &[0.1, 0.0, 0.03, 0.3, 1.0]),
    ("R", &[10.0, 0.0, 3.0, 30.0]),
];
const OF_SHI: [Constant; 7] = [
    ("l", &[0.1, 0.0, 0.03, 0.3, 1.0]),
    ("R", &[60.0, 0.0, 30.0, 120.0, 240.0]),
    ("r", &[0.6, 0.0, 0.3, 0.8, 1.0]),
    ("q", &[0.5, 0.0, 0.25, 0.75, 1.0]),
    ("u", &[200.0, 0.0, 100.0, 400.0]),
    ("k", &[0.4, 0.0, 0.2, 0.8]),
    ("W", &[800.0, 0.0, 400.0, 1600.0]),
];

/// What to fit, and to what.
#[derive(Clone, Debug, PartialEq)]
pub struct FitConfig {
    /// Whose constants.
    pub scheme: Scheme,
    /// Delays whose errors count, each as a share of that of constant velocity. Default of the
    /// command line: SHI's seven, 300 to 2,100 ms.
    pub delays: Vec<Duration>,
}

/// Why nothing was fitted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FitError {
    /// A setting of the engine was refused.
    Config(ConfigError),
    /// Nobody moves for as long as the longest delay.
    Nothing,
    /// No constant changes any prediction.
    Inert {
        /// The predictor.
        name: &'static str,
        /// What it would need.
        reason: String,
    },
    /// Sessions of several games have no constants in common.
    Mixed {
        /// One source.
        one: String,
        /// Another.
        other: String,
    },
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Nothing => {
                f.write_str("nobody moves for as long as the longest delay; give longer sessions or shorter --delays")
            }
            Self::Inert { name, reason } => {
                write!(f, "{name} has nothing to go by in these recordings ({reason}); no constant matters")
            }
            Self::Mixed { one, other } => {
                write!(f, "sessions of {one} and of {other}; give those of one game at a time")
            }
        }
    }
}

impl std::error::Error for FitError {}

impl From<ConfigError> for FitError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

/// What came of one session that was held out.
#[derive(Clone, Debug, PartialEq)]
pub struct FitRow {
    /// The session, or the part of one.
    pub held_out: String,
    /// The constants chosen on the others, as a predictor.
    pub predictor: String,
    /// Rounds that were found to help.
    pub rounds: usize,
    /// Its error with the document's constants, the mean over the delays as shares of linear.
    pub printed: f64,
    /// The same with the constants chosen.
    pub fitted: f64,
}

/// The outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Of which game.
    pub source: String,
    /// Whose constants.
    pub scheme: Scheme,
    /// The constants chosen on all sessions, as `--predictors` takes them.
    pub predictor: String,
    /// Rounds that were found to help.
    pub rounds: usize,
    /// Whether the sessions are quarters of fewer.
    pub parts: bool,
    /// One row for each session held out.
    pub rows: Vec<FitRow>,
}

/// Fits the constants. `progress` is called with how much is done of about how much.
///
/// # Errors
/// Refuses recordings of several games, and those that give the scheme nothing to go by.
pub fn fit(
    config: &FitConfig,
    recordings: &[Recording],
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Fitted, FitError> {
    let Some(first) = recordings.first() else { return Err(FitError::Nothing) };
    if let Some(other) = recordings.iter().find(|it| it.source != first.source) {
        let (one, other) = (first.source.clone(), other.source.clone());
        return Err(FitError::Mixed { one, other });
    }
    let parts = recordings.len() < 3;
    let cut: Vec<Recording> =
        if parts { recordings.iter().flat_map(quarters).collect() } else { Vec::new() };
    let list = if parts { &cut } else { recordings };
    let sessions = list.par_iter().map(|it| FitSession::new(it, config));
    let sessions: Vec<FitSession> = sessions.collect::<Result<_, _>>()?;
    let sessions: Vec<FitSession> = sessions.into_iter().filter(|it| it.asks() > 0).collect();
    if sessions.len() < 2 {
        return Err(FitError::Nothing);
    }
    if let Some(reason) = sessions.iter().map(FitSession::inert).collect::<Option<Vec<_>>>() {
        let (name, reason) = (config.scheme.name(), reason[0].to_owned());
        return Err(FitError::Inert { name, reason });
    }
    let search = Search::new(config.scheme, sessions, progress);
    let everyone: Vec<usize> = (0..search.sessions()).collect();
    let rows = everyone.iter().map(|&out| held_out(&search, &everyone, out));
    let rows = rows.collect::<Result<_, _>>()?;
    let (chosen, rounds) = search.choose(&everyone)?;
    progress(1, 1);
    Ok(Fitted {
        source: first.source.clone(),
        scheme: config.scheme,
        predictor: search.named(&chosen),
        rounds,
        parts,
        rows,
    })
}

fn held_out(search: &Search<'_>, everyone: &[usize], out: usize) -> Result<FitRow, FitError> {
    let others: Vec<usize> = everyone.iter().copied().filter(|&it| it != out).collect();
    let (chosen, rounds) = search.choose(&others)?;
    Ok(FitRow {
        held_out: search.session_name(out),
        predictor: search.named(&chosen),
        rounds,
        printed: search.error(out, &search.printed())?,
        fitted: search.error(out, &chosen)?,
    })
}

/// The predictor of a scheme with these constants.
fn predictor(text: &str) -> Predictor {
    text.parse().expect("the constants tried are all within their ranges; a test tries them all")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots;
    use reckoning_arena::Mode;

    #[test]
    fn every_value_that_is_tried_makes_a_predictor() {
        for scheme in Scheme::ALL {
            for (letter, values) in scheme.constants() {
                for value in *values {
                    let text = format!("{}({letter}={value})", scheme.name());
                    assert!(text.parse::<Predictor>().is_ok(), "{text}");
                }
            }
        }
    }

    #[test]
    fn the_first_value_of_each_constant_is_the_documents() {
        for scheme in [Scheme::Ekb, Scheme::Interest] {
            let printed: Vec<String> = scheme
                .constants()
                .iter()
                .map(|(letter, values)| format!("{letter}={}", values[0]))
                .collect();
            let text = format!("{}({})", scheme.name(), printed.join(","));
            let plain = scheme.name().parse::<Predictor>().unwrap();
            assert_eq!(predictor(&text).kind(), plain.kind(), "{text}");
        }
    }

    #[test]
    fn recordings_that_no_constant_matters_to_are_refused_by_name() {
        let mut play = bots::session("tank-field", 4, 20, Mode::FreeForAll, 9).unwrap();
        for sample in play.tracks.iter_mut().flat_map(|track| &mut track.samples) {
            (sample.health, sample.ammo) = (None, None);
        }
        let config = FitConfig { scheme: Scheme::Interest, delays: vec![Duration::from_secs(1)] };
        let refusal = fit(&config, &[play], &|_, _| ()).unwrap_err().to_string();
        assert!(refusal.starts_with("interest has nothing to go by"), "{refusal}");
    }
}
