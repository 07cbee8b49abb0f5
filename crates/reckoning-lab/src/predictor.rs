//! Predictors by name, as `--predictors` takes them.
//!
//! A predictor is a name, and in brackets the parameters that differ from their defaults:
//! `linear`, `damped(fade=0.8)`, `interest-hybrid(preference=learnt)`. Names without parameters that need some are
//! fitted to the other sessions of the same source, never to the one they are tried on.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use reckoning::dis::{DisAlgorithm, DisModel};
use reckoning::model::{Ballistic, Landing};
use reckoning::{ConfigError, Curve, CurveBasis, Model};
use reckoning_predict::learned::{LearnedError, LearnedModel};
use reckoning_predict::{
    Behaviour, Interest, InterestConfig, InterestHybrid, Patterns, PatternsConfig, PatternsHybrid,
    Pheromone, PheromoneConfig, Preference, Trended, TrendedConfig,
};
use reckoning_recording::read_file;

/// A way to predict, as the command line names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictor {
    text: String,
    kind: PredictorKind,
    /// Of a trained model.
    file: Option<PathBuf>,
}

/// What stands behind a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PredictorKind {
    /// A motion model of the engine.
    Model(Model),
    /// Loses its velocity with a time constant fitted to other sessions.
    FittedDamped,
    /// Loses its acceleration with a time constant fitted to other sessions.
    FittedDecaying,
    /// Constant velocity, published by thresholds that go with the errors measured at each place in
    /// other sessions.
    ByPlace,
    /// Whichever of five is cheapest for a body, in the units of the documents they come from.
    Chooser,
    /// A behaviour, in the units of the document it comes from.
    Behaviour(Planned),
    /// A trained model, for good: a program loads few and keeps them.
    Learned(Learned),
}

/// A trained model and how it is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Learned {
    pub(crate) model: &'static LearnedModel,
    pub(crate) usage: LearnedUse,
}

/// What is published of what a trained model foresees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LearnedUse {
    /// Its curve; or damped or constant velocity, for bodies that it does worse on.
    Chosen,
    /// Its curve, whatever that costs.
    Alone,
    /// Neuro-reckoning, by four authors of Maynooth: the straight line from where the body
    /// is through where it is foreseen so long after.
    Velocity(Duration),
}

/// How far ahead neuro-reckoning looks if it is not told.
const NEURO_HORIZON: Duration = Duration::from_millis(500);

/// A behaviour before its lengths are scaled to a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Planned {
    /// `px` is SHI's pixel in the recording's units, if it was given.
    Ekb {
        config: PatternsConfig,
        hybrid: bool,
        px: Option<f64>,
    },
    Interest(InterestScheme),
    Trend,
    /// Trails, and with `points` above zero points of interest, whose attraction falls to a third
    /// within so many body widths.
    Ant {
        points: f64,
        reach_widths: f64,
    },
}

/// LI's scheme, before the player and the scale of the world are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InterestScheme {
    /// In LI's own pixels.
    config: InterestConfig,
    habit: Habit,
    hybrid: bool,
}

/// Where a player's preference comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Habit {
    /// The same for everyone. LI's scheme as it stands is that of no preference.
    Fixed(Preference),
    /// From what the player did so far.
    Learnt,
}

/// Every name, and what it means.
const NAMES: [(&str, &str); 22] = [
    ("hold", "stays where it was seen"),
    ("linear", "keeps its velocity (the traditional method)"),
    ("accelerating", "keeps its acceleration for trust=0.5 seconds"),
    ("damped", "loses its velocity; fade=SECONDS, or fitted to other sessions"),
    ("decaying", "loses its acceleration; fade=SECONDS, or fitted to other sessions"),
    ("curve", "coasts on a sum of exponentials; terms=3 or 4"),
    ("arc", "keeps its speed and its turning"),
    ("ballistic", "falls; gravity=9.81, floor=0"),
    ("dis-static", "DIS model 1; likewise dis-fpw, -rpw, -rvw, -fvw, -fpb, -rpb, -rvb, -fvb"),
    (
        "interest",
        "LI: drawn by weaker players and by items; its k q l R, preference=0, -100..100 or learnt",
    ),
    ("interest-hybrid", "LI: straight on for half a second, then interest; preference=, too"),
    (
        "ekb",
        "SHI: follows friends, aligns with them, faces or flees enemies; its W k u l R q r, its px",
    ),
    ("oaekb", "SHI: the same, round the walls"),
    ("ekb-hybrid", "SHI: ekb, or straight on for those who keep their direction"),
    ("oaekb-hybrid", "SHI: oaekb, or straight on for those who keep their direction"),
    ("trend", "STEELE: goes by the map's other sessions, tighter bound across them; else straight"),
    ("ant", "drawn by the fresh trails of others (pheromones)"),
    (
        "ant-points",
        "AntReckoning: also by items it needs and weaker enemies; points=2, reach=12 body widths",
    ),
    (
        "linear-by-place",
        "linear, its bound halved to whole by the errors measured at each place in other sessions",
    ),
    ("chooser", "linear, damped, ekb, interest or trend: whichever cost the body least so far"),
    ("learned=FILE", "a trained model; learned-alone=FILE without its fallback"),
    (
        "neuro-reckoning=FILE",
        "McCoy et al.: a velocity through where that model foresees it; (model=FILE, horizon=0.5)",
    ),
];

impl Predictor {
    /// Every name and one line on each, for `--help`.
    #[must_use]
    pub fn names() -> &'static [(&'static str, &'static str)] {
        &NAMES
    }

    /// What has to be known to predict by it, besides the motion of the body.
    #[must_use]
    pub const fn needs(&self) -> &'static str {
        match self.kind {
            PredictorKind::Model(_) => "nothing",
            PredictorKind::FittedDamped | PredictorKind::FittedDecaying => {
                "one constant, fitted to recordings"
            }
            PredictorKind::ByPlace => "a trend map with errors: other sessions of the level",
            PredictorKind::Chooser => {
                "what ekb, interest and trend do, as far as it is there; its own updates so far"
            }
            PredictorKind::Learned(_) => {
                "a network trained on recordings; what its sender knew in them"
            }
            PredictorKind::Behaviour(planned) => planned.needs(),
        }
    }

    /// A predictor called `text` that goes by a trained model.
    pub(crate) fn learned(text: &str, learned: Learned) -> Self {
        Self { text: text.to_owned(), kind: PredictorKind::Learned(learned), file: None }
    }

    /// The file of its trained model, if it goes by one.
    #[must_use]
    pub fn model_file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    pub(crate) const fn kind(&self) -> PredictorKind {
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
    /// No method of the frontier and no predictor has this name.
    UnknownMethod {
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
        reason: String,
    },
}

fn known() -> String {
    let names: Vec<&str> = Predictor::names().iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

impl fmt::Display for PredictorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                write!(f, "no predictor is called {name:?}; there are {}", known())
            }
            Self::UnknownMethod { name } => write!(
                f,
                "no method is called {name:?}; there are before, default, default-calm, \
                 default-hedged, default-calm-hedged, naive-20, interpolation-20 and codec-20, these \
                 at any rate from 1 to 120, and the predictors {}",
                known()
            ),
            Self::Parameter { name, got } => {
                write!(f, "{name} does not take {got:?}; parameters look like damped(fade=0.8)")
            }
            Self::Value { name, error } => write!(f, "{name}: {error}"),
            Self::Model { path, error } => write!(f, "{path}: {error}"),
            Self::File { path, reason } => write!(f, "{path}: {reason}"),
        }
    }
}

impl std::error::Error for PredictorError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Value { error, .. } => Some(error),
            Self::Model { error, .. } => Some(error),
            Self::Unknown { .. }
            | Self::UnknownMethod { .. }
            | Self::Parameter { .. }
            | Self::File { .. } => None,
        }
    }
}

impl FromStr for Predictor {
    type Err = PredictorError;

    fn from_str(text: &str) -> Result<Self, PredictorError> {
        let text = text.trim();
        if let Some((name, path)) = text.split_once('=')
            && let Some(kind) = learned(name, path)?
        {
            return Ok(Self { text: name.to_owned(), kind, file: Some(path.into()) });
        }
        let (name, inside) = match text.split_once('(') {
            Some((name, rest)) => (name.trim(), rest.strip_suffix(')').unwrap_or(rest)),
            None => (text, ""),
        };
        let mut given = PredictorParams::parse(name, inside)?;
        let kind = kind_of(name, &mut given)?;
        given.nothing_left()?;
        Ok(Self { text: text.to_owned(), kind, file: None })
    }
}

/// Longest file of a trained model; ours have some tens of kilobytes.
const MAX_MODEL_BYTES: u64 = 16 << 20;

/// A trained model by its name and file; `None` if the name is of something else.
fn learned(name: &str, path: &str) -> Result<Option<PredictorKind>, PredictorError> {
    let usage = match name {
        "learned" => LearnedUse::Chosen,
        "learned-alone" => LearnedUse::Alone,
        "neuro-reckoning" => LearnedUse::Velocity(NEURO_HORIZON),
        _ => return Ok(None),
    };
    Ok(Some(PredictorKind::Learned(Learned { model: read_model(path)?, usage })))
}

/// A trained model, read for good.
fn read_model(path: &str) -> Result<&'static LearnedModel, PredictorError> {
    let bytes = read_file(Path::new(path), MAX_MODEL_BYTES)
        .map_err(|error| PredictorError::File { path: path.into(), reason: error.to_string() })?;
    let model = LearnedModel::from_bytes(&bytes)
        .map_err(|error| PredictorError::Model { path: path.into(), error })?;
    Ok(Box::leak(Box::new(model)))
}

/// The parameters in brackets, taken out one by one.
struct PredictorParams<'a> {
    name: &'a str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> PredictorParams<'a> {
    fn parse(name: &'a str, inside: &'a str) -> Result<Self, PredictorError> {
        let words = inside.split([',', ';']).map(str::trim).filter(|word| !word.is_empty());
        let pair = |word: &'a str| {
            let wrong = || PredictorError::Parameter { name: name.into(), got: word.into() };
            let (key, value) = word.split_once('=').ok_or_else(wrong)?;
            Ok((key.trim(), value.trim()))
        };
        Ok(Self { name, pairs: words.map(pair).collect::<Result<_, _>>()? })
    }

    fn take_text(&mut self, key: &str) -> Option<&'a str> {
        let place = self.pairs.iter().position(|(name, _)| *name == key)?;
        Some(self.pairs.swap_remove(place).1)
    }

    fn take(&mut self, key: &str) -> Result<Option<f64>, PredictorError> {
        let Some(text) = self.take_text(key) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| self.wrong(format!("{key}={text}")))
    }

    /// A span in seconds, which must not be negative.
    fn span(&mut self, key: &str) -> Result<Option<Duration>, PredictorError> {
        let Some(got) = self.take(key)? else { return Ok(None) };
        let span = Duration::try_from_secs_f64(got);
        span.map(Some).map_err(|_| self.wrong(format!("{key}={got}")))
    }

    /// A whole number, not negative.
    fn count(&mut self, key: &str) -> Result<Option<u32>, PredictorError> {
        let Some(got) = self.take(key)? else { return Ok(None) };
        let count = got as u32;
        if f64::from(count) == got {
            Ok(Some(count))
        } else {
            Err(self.wrong(format!("{key}={got}")))
        }
    }

    fn nothing_left(&self) -> Result<(), PredictorError> {
        let left = self.pairs.first().map(|(key, value)| format!("{key}={value}"));
        left.map_or(Ok(()), |got| Err(self.wrong(got)))
    }

    fn wrong(&self, got: String) -> PredictorError {
        PredictorError::Parameter { name: self.name.into(), got }
    }

    fn checked<T, E: Into<ConfigError>>(&self, result: Result<T, E>) -> Result<T, PredictorError> {
        let refuse =
            |error: E| PredictorError::Value { name: self.name.into(), error: error.into() };
        result.map_err(refuse)
    }
}

fn kind_of(name: &str, given: &mut PredictorParams<'_>) -> Result<PredictorKind, PredictorError> {
    let model = match name {
        "hold" => Model::Hold,
        "linear" => Model::Linear,
        "accelerating" => Model::Accelerating {
            trust: given.span("trust")?.unwrap_or(Duration::from_millis(500)),
        },
        "chooser" => return Ok(PredictorKind::Chooser),
        "linear-by-place" => return Ok(PredictorKind::ByPlace),
        "damped" => match given.span("fade")? {
            Some(fade) => Model::Damped { fade },
            None => return Ok(PredictorKind::FittedDamped),
        },
        "decaying" => match given.span("fade")? {
            Some(fade) => Model::Decaying { fade },
            None => return Ok(PredictorKind::FittedDecaying),
        },
        "curve" => Model::Curve(Curve::still(basis(given)?)),
        "arc" => Model::Arc,
        "ballistic" => {
            let gravity = given.take("gravity")?.unwrap_or(9.81);
            let floor = given.take("floor")?.unwrap_or(0.0);
            Model::Ballistic(given.checked(Ballistic::new(gravity, floor, Landing::Run))?)
        }
        "neuro-reckoning" => {
            let horizon = given.span("horizon")?.unwrap_or(NEURO_HORIZON);
            if horizon.is_zero() {
                return Err(given.wrong("horizon=0".to_owned()));
            }
            let path =
                given.take_text("model").ok_or_else(|| given.wrong("no model".to_owned()))?;
            let usage = LearnedUse::Velocity(horizon);
            return Ok(PredictorKind::Learned(Learned { model: read_model(path)?, usage }));
        }
        _ => {
            return dis(name)
                .map_or_else(|| behaviour(name, given), |it| Ok(PredictorKind::Model(it)));
        }
    };
    Ok(PredictorKind::Model(model))
}

fn basis(given: &mut PredictorParams<'_>) -> Result<CurveBasis, PredictorError> {
    match given.take("terms")? {
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

fn behaviour(name: &str, given: &mut PredictorParams<'_>) -> Result<PredictorKind, PredictorError> {
    let planned = match name {
        "ekb" | "oaekb" | "ekb-hybrid" | "oaekb-hybrid" => {
            let (config, px) = patterns(name, given)?;
            Planned::Ekb { config, hybrid: name.ends_with("hybrid"), px }
        }
        "interest" | "interest-hybrid" => Planned::Interest(InterestScheme {
            config: interest(given)?,
            habit: habit(given)?,
            hybrid: name.ends_with("hybrid"),
        }),
        "trend" => Planned::Trend,
        "ant" => Planned::Ant { points: 0.0, reach_widths: ANT_REACH_WIDTHS },
        "ant-points" => ant_points(given)?,
        _ => return Err(PredictorError::Unknown { name: name.into() }),
    };
    Ok(PredictorKind::Behaviour(planned))
}

/// How strong points of interest are beside trails, and how far they reach. The authors' own
/// numbers are not reported.
const ANT_POINTS: f64 = 2.0;
const ANT_REACH_WIDTHS: f64 = 12.0;

fn ant_points(given: &mut PredictorParams<'_>) -> Result<Planned, PredictorError> {
    let points = given.take("points")?.unwrap_or(ANT_POINTS);
    let reach_widths = given.take("reach")?.unwrap_or(ANT_REACH_WIDTHS);
    given.checked(Pheromone::new(ant_config(points, reach_widths)))?;
    Ok(Planned::Ant { points, reach_widths })
}

fn ant_config(points: f64, reach_m: f64) -> PheromoneConfig {
    let mut config = PheromoneConfig::default();
    (config.points, config.reach_m) = (points, reach_m);
    config
}

/// LI's constants by its own letters, for its own tanks.
fn interest(given: &mut PredictorParams<'_>) -> Result<InterestConfig, PredictorError> {
    let mut config = InterestConfig::default();
    for (letter, value) in
        [("k", &mut config.strength), ("q", &mut config.lead), ("l", &mut config.transition_per_m)]
    {
        *value = given.take(letter)?.unwrap_or(*value);
    }
    config.transition_slices = given.count("R")?.unwrap_or(config.transition_slices);
    given.checked(Interest::new(config))?;
    Ok(config)
}

/// `preference=learnt`, or a number; `e`, LI's letter, is the same number.
fn habit(given: &mut PredictorParams<'_>) -> Result<Habit, PredictorError> {
    let percent = match given.take_text("preference") {
        Some("learnt") => return Ok(Habit::Learnt),
        Some(text) => text.parse().map_err(|_| given.wrong(format!("preference={text}")))?,
        None => given.take("e")?.unwrap_or(0.0),
    };
    Ok(Habit::Fixed(given.checked(Preference::new(percent))?))
}

impl InterestScheme {
    /// The behaviour of a player of this learnt preference, in a world whose lengths are
    /// `scale` times those of LI. In one too large for numbers the player goes straight on.
    pub(crate) fn behaviour(self, scale: f64, learnt: Preference) -> Behaviour {
        let preference = match self.habit {
            Habit::Fixed(preference) => preference,
            Habit::Learnt => learnt,
        };
        let Ok(interest) = Interest::new(self.config.scaled(scale)) else {
            return Behaviour::Straight;
        };
        let interest = interest.preferring(preference);
        if self.hybrid {
            Behaviour::InterestHybrid(InterestHybrid::new(interest))
        } else {
            Behaviour::Interest(interest)
        }
    }
}

/// SHI's constants by its own letters, in its own pixels and ticks, and how long a pixel is.
fn patterns(
    name: &str,
    given: &mut PredictorParams<'_>,
) -> Result<(PatternsConfig, Option<f64>), PredictorError> {
    let mut config = PatternsConfig::default();
    config.avoid_walls = name.starts_with("oa");
    for (letter, value) in [
        ("W", &mut config.battle_m),
        ("k", &mut config.friend_weight),
        ("u", &mut config.advance_m),
        ("l", &mut config.transition_per_m),
        ("q", &mut config.follow_in_battle),
        ("r", &mut config.follow_out_of_battle),
    ] {
        *value = given.take(letter)?.unwrap_or(*value);
    }
    config.transition_ticks = given.count("R")?.unwrap_or(config.transition_ticks);
    let px = given.take("px")?;
    if let Some(px) = px.filter(|px| !(*px > 0.0 && px.is_finite())) {
        return Err(given.wrong(format!("px={px}")));
    }
    given.checked(Patterns::new(config))?;
    Ok((config, px))
}

/// What SHI calls a hit ...
const HIT_PX: f64 = 45.0;
/// ... and how wide its players are: the least distance its alignment tells apart.
const WIDTH_PX: f64 = 60.0;

impl Planned {
    /// SHI's EKB with its constants.
    pub(crate) fn ekb() -> Self {
        Self::Ekb { config: PatternsConfig::default(), hybrid: false, px: None }
    }

    /// The behaviour with SHI's lengths scaled to a recording. LI's scheme, whose scale and
    /// preference change while one watches, starts with those of LI's own game.
    pub(crate) fn scaled(self, shi: f64) -> Result<Behaviour, ConfigError> {
        Ok(match self {
            Self::Ekb { config, hybrid, px } => {
                let px = px.unwrap_or(shi * HIT_PX / WIDTH_PX);
                let patterns = Patterns::new(config.scaled(px))?;
                if hybrid {
                    Behaviour::PatternsHybrid(PatternsHybrid::new(patterns))
                } else {
                    Behaviour::Patterns(patterns)
                }
            }
            Self::Interest(scheme) => scheme.behaviour(1.0, Preference::NONE),
            Self::Trend => Behaviour::Trended(Trended::new(TrendedConfig::default())?),
            Self::Ant { points, reach_widths } => {
                let config = ant_config(points, reach_widths * shi * HIT_PX);
                Behaviour::Pheromone(Pheromone::new(config)?)
            }
        })
    }

    const fn needs(self) -> &'static str {
        match self {
            Self::Ekb { config, .. } if config.avoid_walls => {
                "the others with teams, health and ammunition; the walls and ways round them"
            }
            Self::Ekb { .. } => "the others with teams, health and ammunition",
            Self::Interest(_) => "the others with their health, and items",
            Self::Trend => "a trend map: other sessions of the level",
            Self::Ant { points, .. } if points > 0.0 => {
                "the fresh trails of everyone, items, and everyone's health"
            }
            Self::Ant { .. } => "the fresh trails of everyone",
        }
    }

    pub(crate) const fn needs_trends(self) -> bool {
        matches!(self, Self::Trend)
    }

    pub(crate) const fn needs_trails(self) -> bool {
        matches!(self, Self::Ant { .. })
    }

    /// Whether someone must watch the players for it.
    pub(crate) const fn needs_habits(self) -> bool {
        matches!(self, Self::Interest(InterestScheme { habit: Habit::Learnt, .. }))
    }

    pub(crate) const fn needs_routes(self) -> bool {
        matches!(self, Self::Ekb { config: PatternsConfig { avoid_walls: true, .. }, .. })
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
        assert_eq!(damped.kind(), PredictorKind::Model(Model::Damped { fade }));
        assert_eq!("damped".parse::<Predictor>().unwrap().kind(), PredictorKind::FittedDamped);
        let mut config = PatternsConfig::default();
        (config.transition_per_m, config.transition_ticks, config.battle_m) = (1.0, 30, 0.0);
        config.avoid_walls = true;
        let kind = "oaekb(l=1,R=30,W=0)".parse::<Predictor>().unwrap().kind();
        assert_eq!(
            kind,
            PredictorKind::Behaviour(Planned::Ekb { config, hybrid: false, px: None })
        );
    }

    #[test]
    fn the_patterns_lengths_go_by_the_width_of_a_player_unless_a_pixel_is_given() {
        let battle_m = |text: &str, width: f64| {
            let PredictorKind::Behaviour(planned) = text.parse::<Predictor>().unwrap().kind()
            else {
                panic!("{text} is a behaviour")
            };
            let Ok(Behaviour::Patterns(patterns)) = planned.scaled(width / HIT_PX) else {
                panic!("{text} is a pattern")
            };
            patterns.config().battle_m
        };
        assert!((battle_m("ekb", 0.6) - 8.0).abs() < 1e-9, "SHI's players are 60 px wide");
        assert_eq!(battle_m("ekb(px=1)", 0.6), 800.0);
    }

    #[test]
    fn a_preference_is_none_fixed_or_learnt() {
        let habit = |text: &str| match text.parse::<Predictor>().unwrap().kind() {
            PredictorKind::Behaviour(Planned::Interest(drawn)) => drawn.habit,
            kind => panic!("{text}: {kind:?}"),
        };
        assert_eq!(habit("interest-hybrid"), Habit::Fixed(Preference::NONE));
        assert_eq!(habit("interest(preference=learnt)"), Habit::Learnt);
        assert_eq!(habit("interest(preference=-50)"), habit("interest(e=-50)"));
        assert_ne!(habit("interest(e=-50)"), habit("interest"));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let message = |text: &str| text.parse::<Predictor>().unwrap_err().to_string();
        assert!(message("linaer").starts_with("no predictor is called \"linaer\"; there are hold"));
        assert!(message("linear(fade=2)").contains("does not take \"fade=2\""));
        assert!(message("damped(fade=soon)").contains("does not take \"fade=soon\""));
        assert!(message("damped(fade=-1)").contains("does not take \"fade=-1\""));
        assert!(message("interest(e=200)").starts_with("interest: "));
        assert!(message("interest(preference=-101)").starts_with("interest: "));
        assert!(message("interest(preference=some)").contains("does not take \"preference=some\""));
        assert!(message("interest(e=5,preference=learnt)").contains("does not take \"e=5\""));
        assert!(message("ekb(q=2)").starts_with("ekb: follow_in_battle is 2"));
        assert!(message("ekb(px=0)").contains("does not take \"px=0\""));
        assert!(message("ekb(R=-1)").contains("does not take \"R=-1\""));
        assert!(message("ekb(S=2)").contains("does not take \"S=2\""));
    }
}
