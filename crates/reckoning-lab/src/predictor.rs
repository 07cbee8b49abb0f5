//! Predictors by name: what `--predictors` understands.
//!
//! A predictor is a name, and in brackets the parameters that differ from their defaults:
//! `linear`, `damped(fade=0.8)`, `oaekb-hybrid`. Names without parameters that need some are
//! fitted to the other sessions of the same source, never to the one they are tried on.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use reckoning::learned::{LearnedError, LearnedModel};
use reckoning::{
    Ballistic, Behaviour, ConfigError, Curve, CurveBasis, DisAlgorithm, DisModel, Interest,
    InterestConfig, InterestHybrid, Landing, Model, Patterns, PatternsConfig, PatternsHybrid,
    Pheromone, PheromoneConfig, Preference, Trended, TrendedConfig,
};

/// A way to predict, as the command line names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictor {
    text: String,
    kind: Kind,
}

/// What stands behind a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A motion model of the engine.
    Model(Model),
    /// Loses its velocity with a time constant fitted to other sessions.
    FittedDamped,
    /// Loses its acceleration with a time constant fitted to other sessions.
    FittedDecaying,
    /// A behaviour, in the units of the document it comes from.
    Behaviour(Planned),
    /// A trained model, for good: a program loads few and keeps them.
    Learned(Learned),
}

/// A trained model and how it is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Learned {
    pub(crate) model: &'static LearnedModel,
    pub(crate) choose: bool,
    pub(crate) adapt: bool,
}

/// A behaviour before its lengths are scaled to a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Planned {
    Ekb { avoid_walls: bool, hybrid: bool },
    Interest { preference: Preference, hybrid: bool },
    Trend,
    Ant,
}

/// Every name, and what it means.
const NAMES: [(&str, &str); 18] = [
    ("hold", "stays where it was seen"),
    ("linear", "keeps its velocity (the traditional method)"),
    ("accelerating", "keeps its acceleration for trust=0.5 seconds"),
    ("damped", "loses its velocity; fade=SECONDS, or fitted to other sessions"),
    ("decaying", "loses its acceleration; fade=SECONDS, or fitted to other sessions"),
    ("curve", "coasts on a sum of exponentials; terms=3 or 4"),
    ("arc", "keeps its speed and its turning"),
    ("ballistic", "falls; gravity=9.81, floor=0"),
    ("dis-static", "DIS model 1; likewise dis-fpw, -rpw, -rvw, -fvw, -fpb, -rpb, -rvb, -fvb"),
    ("interest", "LI: drawn by weaker players and by items; e=-100..100, personal preference"),
    ("interest-hybrid", "LI: straight on for half a second, then interest; e=-100..100"),
    ("ekb", "SHI: follows friends, aligns with them, faces or flees enemies"),
    ("oaekb", "SHI: the same, round the walls"),
    ("ekb-hybrid", "SHI: ekb, or straight on for those who keep their direction"),
    ("oaekb-hybrid", "SHI: oaekb, or straight on for those who keep their direction"),
    ("trend", "STEELE: goes by the map's other sessions; tighter bound across their trend"),
    ("ant", "drawn by the fresh trails of others (pheromones)"),
    ("learned=FILE", "a trained model; learned-alone=FILE without its fallback, -adapting=FILE"),
];

impl Predictor {
    /// Every name and one line on each, for `--help`.
    #[must_use]
    pub fn names() -> &'static [(&'static str, &'static str)] {
        &NAMES
    }

    /// A predictor called `text` that goes by a trained model.
    pub(crate) fn learned(text: &str, learned: Learned) -> Self {
        Self { text: text.to_owned(), kind: Kind::Learned(learned) }
    }

    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }
}

impl fmt::Display for Predictor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a predictor was not understood.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PredictorError {
    /// No predictor has this name.
    Unknown {
        /// The name given.
        name: String,
    },
    /// The predictor has no such parameter, or its value is not a number.
    Parameter {
        /// The predictor.
        name: String,
        /// What was given in brackets.
        got: String,
    },
    /// A value is out of range.
    Value {
        /// The predictor.
        name: String,
        /// What is wrong with it.
        error: ConfigError,
    },
    /// A file is not a trained model.
    Model {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: LearnedError,
    },
    /// A file cannot be read.
    File {
        /// The file.
        path: String,
        /// What the system says.
        said: String,
    },
}

impl fmt::Display for PredictorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                let known: Vec<&str> = Predictor::names().iter().map(|(name, _)| *name).collect();
                write!(f, "no predictor is called {name:?}; there are {}", known.join(", "))
            }
            Self::Parameter { name, got } => {
                write!(f, "{name} does not take {got:?}; parameters look like damped(fade=0.8)")
            }
            Self::Value { name, error } => write!(f, "{name}: {error}"),
            Self::Model { path, error } => write!(f, "{path}: {error}"),
            Self::File { path, said } => write!(f, "{path}: {said}"),
        }
    }
}

impl std::error::Error for PredictorError {}

impl FromStr for Predictor {
    type Err = PredictorError;

    fn from_str(text: &str) -> Result<Self, PredictorError> {
        let text = text.trim();
        if let Some((name, path)) = text.split_once('=')
            && let Some(kind) = learned(name, path)?
        {
            return Ok(Self { text: name.to_owned(), kind });
        }
        let (name, inside) = match text.split_once('(') {
            Some((name, rest)) => (name.trim(), rest.strip_suffix(')').unwrap_or(rest)),
            None => (text, ""),
        };
        let mut given = Given::parse(name, inside)?;
        let kind = kind_of(name, &mut given)?;
        given.nothing_left()?;
        Ok(Self { text: text.to_owned(), kind })
    }
}

/// A trained model by its name and file; `None` if the name is of something else.
fn learned(name: &str, path: &str) -> Result<Option<Kind>, PredictorError> {
    let (choose, adapt) = match name {
        "learned" => (true, false),
        "learned-alone" => (false, false),
        "learned-adapting" => (true, true),
        _ => return Ok(None),
    };
    let bytes = std::fs::read(path)
        .map_err(|error| PredictorError::File { path: path.into(), said: error.to_string() })?;
    let model = LearnedModel::from_bytes(&bytes)
        .map_err(|error| PredictorError::Model { path: path.into(), error })?;
    Ok(Some(Kind::Learned(Learned { model: Box::leak(Box::new(model)), choose, adapt })))
}

/// The parameters in brackets, taken out one by one.
struct Given<'a> {
    name: &'a str,
    pairs: Vec<(&'a str, f64)>,
}

impl<'a> Given<'a> {
    fn parse(name: &'a str, inside: &'a str) -> Result<Self, PredictorError> {
        let words = inside.split([',', ';']).map(str::trim).filter(|word| !word.is_empty());
        let pair = |word: &'a str| {
            let wrong = || PredictorError::Parameter { name: name.into(), got: word.into() };
            let (key, value) = word.split_once('=').ok_or_else(wrong)?;
            Ok((key.trim(), value.trim().parse().map_err(|_| wrong())?))
        };
        Ok(Self { name, pairs: words.map(pair).collect::<Result<_, _>>()? })
    }

    fn take(&mut self, key: &str) -> Option<f64> {
        let place = self.pairs.iter().position(|(name, _)| *name == key)?;
        Some(self.pairs.swap_remove(place).1)
    }

    /// A span in seconds, which must not be negative.
    fn span(&mut self, key: &str) -> Result<Option<Duration>, PredictorError> {
        let Some(got) = self.take(key) else { return Ok(None) };
        let span = Duration::try_from_secs_f64(got);
        span.map(Some).map_err(|_| self.wrong(format!("{key}={got}")))
    }

    fn nothing_left(&self) -> Result<(), PredictorError> {
        let left = self.pairs.first().map(|(key, value)| format!("{key}={value}"));
        left.map_or(Ok(()), |got| Err(self.wrong(got)))
    }

    fn wrong(&self, got: String) -> PredictorError {
        PredictorError::Parameter { name: self.name.into(), got }
    }

    fn checked<T>(&self, result: Result<T, ConfigError>) -> Result<T, PredictorError> {
        result.map_err(|error| PredictorError::Value { name: self.name.into(), error })
    }
}

fn kind_of(name: &str, given: &mut Given<'_>) -> Result<Kind, PredictorError> {
    let model = match name {
        "hold" => Model::Hold,
        "linear" => Model::Linear,
        "accelerating" => Model::Accelerating {
            trust: given.span("trust")?.unwrap_or(Duration::from_millis(500)),
        },
        "damped" => match given.span("fade")? {
            Some(fade) => Model::Damped { fade },
            None => return Ok(Kind::FittedDamped),
        },
        "decaying" => match given.span("fade")? {
            Some(fade) => Model::Decaying { fade },
            None => return Ok(Kind::FittedDecaying),
        },
        "curve" => Model::Curve(Curve::still(basis(given)?)),
        "arc" => Model::Arc,
        "ballistic" => {
            let gravity = given.take("gravity").unwrap_or(9.81);
            let floor = given.take("floor").unwrap_or(0.0);
            Model::Ballistic(given.checked(Ballistic::new(gravity, floor, Landing::Run))?)
        }
        _ => return dis(name).map_or_else(|| behaviour(name, given), |it| Ok(Kind::Model(it))),
    };
    Ok(Kind::Model(model))
}

fn basis(given: &mut Given<'_>) -> Result<CurveBasis, PredictorError> {
    match given.take("terms") {
        Some(3.0) => Ok(CurveBasis::THREE),
        None | Some(4.0) => Ok(CurveBasis::FOUR),
        Some(got) => Err(given.wrong(format!("terms={got}"))),
    }
}

fn dis(name: &str) -> Option<Model> {
    let short = name.strip_prefix("dis-")?;
    let named = |algorithm: &DisAlgorithm| format!("{algorithm:?}").eq_ignore_ascii_case(short);
    let algorithm = DisAlgorithm::ALL.into_iter().find(named)?;
    Some(Model::Dis(DisModel::new(algorithm)))
}

fn behaviour(name: &str, given: &mut Given<'_>) -> Result<Kind, PredictorError> {
    let planned = match name {
        "ekb" | "oaekb" | "ekb-hybrid" | "oaekb-hybrid" => {
            Planned::Ekb { avoid_walls: name.starts_with("oa"), hybrid: name.ends_with("hybrid") }
        }
        "interest" | "interest-hybrid" => {
            let percent = given.take("e").unwrap_or(0.0);
            let preference = given.checked(Preference::new(percent))?;
            Planned::Interest { preference, hybrid: name.ends_with("hybrid") }
        }
        "trend" => Planned::Trend,
        "ant" => Planned::Ant,
        _ => return Err(PredictorError::Unknown { name: name.into() }),
    };
    Ok(Kind::Behaviour(planned))
}

/// How a recording's lengths compare with those of the documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    /// Its body width over SHI's 45 px, the error that document calls a hit.
    pub(crate) shi: f64,
    /// Its top speed over the 40 px/s of LI's tanks.
    pub(crate) li: f64,
}

impl Planned {
    /// The behaviour with its lengths scaled to a recording.
    pub(crate) fn scaled(self, scale: Scale) -> Result<Behaviour, ConfigError> {
        Ok(match self {
            Self::Ekb { avoid_walls, hybrid } => {
                let mut config = PatternsConfig::default().scaled(scale.shi);
                config.avoid_walls = avoid_walls;
                let patterns = Patterns::new(config)?;
                if hybrid {
                    Behaviour::PatternsHybrid(PatternsHybrid::new(patterns))
                } else {
                    Behaviour::Patterns(patterns)
                }
            }
            Self::Interest { preference, hybrid } => {
                let config = InterestConfig::default().scaled(scale.li);
                let interest = Interest::new(config)?.preferring(preference);
                if hybrid {
                    Behaviour::InterestHybrid(InterestHybrid::new(interest))
                } else {
                    Behaviour::Interest(interest)
                }
            }
            Self::Trend => Behaviour::Trended(Trended::new(TrendedConfig::default())?),
            Self::Ant => Behaviour::Pheromone(Pheromone::new(PheromoneConfig::default())?),
        })
    }

    pub(crate) const fn needs_trends(self) -> bool {
        matches!(self, Self::Trend)
    }

    pub(crate) const fn needs_trails(self) -> bool {
        matches!(self, Self::Ant)
    }

    pub(crate) const fn needs_routes(self) -> bool {
        matches!(self, Self::Ekb { avoid_walls: true, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_is_understood() {
        let dis = ["dis-fpw", "dis-rvw", "dis-rvb"];
        let plain = NAMES.iter().map(|(name, _)| *name).filter(|name| !name.contains('='));
        for name in plain.chain(dis) {
            let predictor: Predictor = name.parse().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(predictor.to_string(), name);
        }
    }

    #[test]
    fn parameters_are_taken_from_brackets() {
        let damped: Predictor = " damped(fade=0.8) ".parse().unwrap();
        let fade = Duration::from_millis(800);
        assert_eq!(damped.kind(), Kind::Model(Model::Damped { fade }));
        assert_eq!("damped".parse::<Predictor>().unwrap().kind(), Kind::FittedDamped);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let message = |text: &str| text.parse::<Predictor>().unwrap_err().to_string();
        assert!(message("linaer").starts_with("no predictor is called \"linaer\"; there are hold"));
        assert!(message("linear(fade=2)").contains("does not take \"fade=2\""));
        assert!(message("damped(fade=soon)").contains("does not take \"fade=soon\""));
        assert!(message("damped(fade=-1)").contains("does not take \"fade=-1\""));
        assert!(message("interest(e=200)").starts_with("interest: "));
    }
}
