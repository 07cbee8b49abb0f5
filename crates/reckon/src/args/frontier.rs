//! Options of `reckon lab frontier`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum, value_parser};
use reckoning_lab::compare::PredictorError;
use reckoning_lab::frontier::{FrontierConfig, Method};

use super::Data;
use super::compare::{delay, split};

/// Delays of the goals.
const DELAYS_MS: &str = "50,100,200,350";

const EXAMPLES: &str = "\
Methods:
  before             a trained curve, published when the guess has strayed, blended in 333 ms
  default            lines aimed at what the same network foresees, for the delay, judged as far
                     ahead, blended by the root of the error; -calm: blended in 333 ms;
                     -hedged, -calm-hedged: may damp and hold
  naive-20           a snapshot 20 times a second, the newest is shown; any rate up to 120
  interpolation-20   the same, shown between two of them behind an adaptive buffer
  codec-20           the same, through a predictive entropy coder
  linear, ...        any predictor of `reckon lab compare`

Example:
  reckon lab frontier --data ../shared/data/slippi --out frontier/
Example: a bad network
  reckon lab frontier --data ../shared/data/slippi --loss 0.12 --burst 4 --delays 100";

/// One value of an option, although it holds many.
pub type MethodList = Vec<Method>;

/// Lay error on screen against bytes, method by method and delay by delay
///
/// Runs recordings through publisher, wire, link and ghost, and through snapshots at steady rates;
/// sweeps what each method can be set to. What is trained is trained on three sessions of four of
/// each source, and measured on the fourth.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct Frontier {
    #[command(flatten)]
    pub data: Data,
    /// Which methods to lay beside each other [default: all]
    #[arg(long, value_name = "A,B,C", value_parser = methods)]
    predictors: Option<MethodList>,
    /// One-way delays in ms
    #[arg(long, value_name = "MS,MS,...", default_value = DELAYS_MS, value_parser = delay)]
    #[arg(value_delimiter = ',', action = ArgAction::Set)]
    delays: Vec<Duration>,
    /// Standard deviation of the delay in ms
    #[arg(long, value_name = "MS", default_value = "0", value_parser = delay)]
    jitter: Duration,
    /// Share of the updates that are lost, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    loss: f64,
    /// How many are lost in a row, on average
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    burst: f64,
    /// Bodies that share the datagrams of a batched downlink
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = value_parser!(u32).range(1..=4_096))]
    bodies: u32,
    /// Leave out the scene of 250 asteroids
    #[arg(long)]
    no_asteroids: bool,
    /// Also take the error at a bound of one body width apart
    #[arg(long)]
    decompose: bool,
    /// Leave the sessions of the tables alone and measure one in four of the others, to choose
    /// settings by
    #[arg(long)]
    inner: bool,
    /// Form of the results on stdout
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::Text)]
    pub format: Form,
    /// Also write frontier.txt, frontier.json and frontier.svg into this folder
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Form of the results on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    Text,
    Json,
}

impl Frontier {
    /// What to measure, as the laboratory wants it.
    pub fn config(&self) -> FrontierConfig {
        let mut config = FrontierConfig::default();
        if let Some(methods) = &self.predictors {
            config.methods.clone_from(methods);
        }
        config.delays.clone_from(&self.delays);
        (config.jitter, config.bodies) = (self.jitter, self.bodies);
        (config.loss, config.burst) = (self.loss, self.burst);
        (config.decompose, config.asteroids) = (self.decompose, !self.no_asteroids);
        config.inner = self.inner;
        config
    }
}

fn methods(list: &str) -> Result<MethodList, PredictorError> {
    split(list).map(str::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command, Lab};
    use super::*;
    use clap::Parser;

    fn frontier(words: &[&str]) -> FrontierConfig {
        let words = ["reckon", "lab", "frontier"].iter().chain(words);
        let Command::Lab(Lab::Frontier(found)) = Cli::try_parse_from(words).unwrap().command else {
            panic!("another command")
        };
        found.config()
    }

    #[test]
    fn without_options_it_is_the_default_of_the_laboratory() {
        assert_eq!(frontier(&[]), FrontierConfig::default());
    }

    #[test]
    fn every_option_arrives() {
        let config = frontier(&[
            "--predictors",
            "before,codec-20",
            "--delays",
            "80",
            "--jitter",
            "20",
            "--loss",
            "0.12",
            "--burst",
            "4",
            "--bodies",
            "32",
            "--inner",
        ]);
        let names: Vec<String> = config.methods.iter().map(Method::to_string).collect();
        assert_eq!(names, ["before", "codec-20"]);
        assert_eq!(config.delays, [Duration::from_millis(80)]);
        assert_eq!((config.jitter, config.loss), (Duration::from_millis(20), 0.12));
        assert_eq!((config.burst, config.bodies, config.inner), (4.0, 32, true));
    }
}
