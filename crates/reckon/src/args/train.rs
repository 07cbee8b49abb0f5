//! Options of `reckon lab train` and `reckon lab learned-table`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use reckoning_lab::train::{TableConfig, TrainConfig, TrainGoal};

use super::Data;
use super::compare::{PredictorList, predictors};

/// What the table lays beside the trained models.
const BESIDE: &str = "hold,linear,damped,ekb,oaekb-hybrid,interest-hybrid,trend,ant";

const TRAIN_EXAMPLES: &str = "\
Example:
  reckon lab train --data recordings/ -o game.reck-model
  reckon lab compare --data others/ --predictors linear,learned=game.reck-model";

const TABLE_EXAMPLES: &str = "\
Example:
  reckon lab learned-table --data ../shared/data/slippi --predictors hold,linear,damped";

/// Train a predictor on recordings of a game
///
/// Trains a predictor on recordings of one game, to be used as learned=GAME.reck-model or loaded by
/// the engine. The same recordings, options and seed give the same file.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = TRAIN_EXAMPLES)]
pub struct Train {
    #[command(flatten)]
    pub data: Data,
    /// Where the model goes
    #[arg(short, long, value_name = "GAME.reck-model")]
    pub output: PathBuf,
    #[command(flatten)]
    pub training: Training,
}

/// Try trained predictors on sessions they were not trained on
///
/// Trains predictors on all but some sessions of each source and tries them on those, in turns;
/// prints one page for each source.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = TABLE_EXAMPLES)]
pub struct LearnedTable {
    /// Sessions, or folders of them
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Also write the page to a file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What to lay beside the trained ones
    #[arg(long, value_name = "A,B,C", default_value = BESIDE, value_parser = predictors)]
    predictors: PredictorList,
    #[command(flatten)]
    training: Training,
}

// Doc comments here would become the help of the commands that flatten it.
#[derive(Args, Debug)]
pub struct Training {
    /// Bounds that publishers will use [default: half, one and two body widths]
    ///
    /// In units of the source, as `reckon lab info` names them.
    #[arg(long, value_name = "U,U,...", value_delimiter = ',', action = ArgAction::Set)]
    #[arg(value_parser = number)]
    bounds: Vec<f64>,
    /// What is to be small
    #[arg(long, value_name = "GOAL", value_enum, default_value_t = Aim::Mix)]
    goal: Aim,
    /// Passes over the examples
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().epochs)]
    epochs: usize,
    /// At most so many examples
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().max_examples)]
    examples: usize,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = TrainConfig::default().seed)]
    seed: u64,
}

/// A goal of the laboratory, as an option names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Aim {
    /// Few updates
    Packets,
    /// Small errors
    Error,
    /// Both
    Mix,
}

impl Training {
    /// How to train, as the laboratory wants it.
    pub fn config(&self) -> TrainConfig {
        let mut config = TrainConfig::default();
        config.bounds.clone_from(&self.bounds);
        config.goal = match self.goal {
            Aim::Packets => TrainGoal::Packets,
            Aim::Error => TrainGoal::Error,
            Aim::Mix => TrainGoal::Mix,
        };
        config.epochs = self.epochs;
        config.max_examples = self.examples;
        config.seed = self.seed;
        config
    }
}

impl LearnedTable {
    /// What to tabulate, as the laboratory wants it.
    pub fn config(&self) -> TableConfig {
        TableConfig { train: self.training.config(), predictors: self.predictors.clone() }
    }
}

fn number(word: &str) -> Result<f64, &'static str> {
    word.trim().parse().map_err(|_| "not a number, such as 16 or 0.5")
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command, Lab};
    use super::*;
    use clap::Parser;

    fn train(words: &[&str]) -> TrainConfig {
        let words = ["reckon", "lab", "train", "-o", "x"].iter().chain(words);
        let Command::Lab(Lab::Train(found)) = Cli::try_parse_from(words).unwrap().command else {
            panic!("another command")
        };
        found.training.config()
    }

    #[test]
    fn without_options_it_is_the_default_of_the_laboratory() {
        assert_eq!(train(&[]), TrainConfig::default());
    }

    #[test]
    fn every_option_arrives() {
        let config = train(&[
            "--bounds",
            "1, 2.5",
            "--goal",
            "error",
            "--epochs",
            "3",
            "--examples",
            "4",
            "--seed",
            "5",
        ]);
        assert_eq!((config.bounds, config.goal), (vec![1.0, 2.5], TrainGoal::Error));
        assert_eq!((config.epochs, config.max_examples, config.seed), (3, 4, 5));
    }
}
