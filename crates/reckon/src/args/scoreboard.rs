//! Options of `reckon lab scoreboard`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};
use reckoning_lab::compare::{CompareConfig, Predictor};

use super::compare::{PredictorList, predictors};
use super::{Data, Part};

/// Everything that needs no file.
const PREDICTORS: &str = "hold,linear,accelerating,damped,arc,interest,interest-hybrid,ekb,ekb-hybrid,oaekb,\
                          oaekb-hybrid,trend,ant,chooser";
const EXAMPLES: &str = "\
Example:
  reckon lab scoreboard --data ../shared/data/quakeworld ../shared/data/slippi --out scoreboard.html
Example: with a model of your own, and the way it was done before
  reckon lab scoreboard --data others/ --predictors damped,learned=game.reck-model,neuro-reckoning=game.reck-model

reckon lab compare --help lists the predictors.";

/// One row for each predictor over all sources
///
/// Compares predictors as `reckon lab compare` does, sets each beside constant velocity on every source,
/// and averages those ratios over the sources: updates and error with intervals, what a predictor has to
/// know, and what it costs in nanoseconds, measured here and now.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct Scoreboard {
    #[command(flatten)]
    pub data: Data,
    #[command(flatten)]
    pub part: Part,
    /// Memory that the comparison may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = value_parser!(u64).range(64..=1_048_576))]
    pub memory_mib: u64,
    /// Which to compare; linear always takes part
    #[arg(long, value_name = "A,B,C", default_value = PREDICTORS, value_parser = predictors)]
    predictors: PredictorList,
    /// Age of the last news in ms at which errors are compared
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = value_parser!(u64).range(1..=60_000))]
    pub delay: u64,
    /// Form of the board on stdout
    #[arg(long, value_name = "FORM", value_enum, default_value_t = BoardFormat::Table)]
    pub format: BoardFormat,
    /// Compare anew, even what was compared before
    #[arg(long)]
    pub fresh: bool,
    /// Also write a page, one file for any browser
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
}

/// Form of the board on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BoardFormat {
    Table,
    Json,
}

impl Scoreboard {
    /// What to compare, as the laboratory wants it.
    pub fn config(&self) -> CompareConfig {
        let mut config = CompareConfig::default();
        config.predictors.clone_from(&self.predictors);
        let is_linear = |it: &Predictor| it.to_string() == "linear";
        if !config.predictors.iter().any(is_linear) {
            config.predictors.extend("linear".parse());
        }
        config.delays = vec![std::time::Duration::from_millis(self.delay)];
        config.receivers.clear();
        config
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command, Lab};
    use clap::Parser;

    #[test]
    fn constant_velocity_always_takes_part_and_only_once() {
        for (list, count) in [("damped", 2), ("linear,damped", 2), ("hold,linear,arc", 3)] {
            let words = ["reckon", "lab", "scoreboard", "--predictors", list];
            let Command::Lab(Lab::Scoreboard(found)) = Cli::try_parse_from(words).unwrap().command
            else {
                panic!("another command")
            };
            assert_eq!(found.config().predictors.len(), count, "{list}");
        }
    }
}
