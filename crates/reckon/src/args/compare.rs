//! Options of `reckon lab compare`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum, value_parser};
use reckoning_lab::compare::{CompareConfig, Predictor, PredictorError};
use reckoning_netsim::LinkConfig;

use super::{Data, Part};

/// Those that need to know nothing but the body itself.
const PREDICTORS: &str = "hold,linear,accelerating,damped";
/// The delays of SHI.
const DELAYS_MS: &str = "300,600,900,1200,1500,1800,2100";
/// Beyond this, a delay is a slip of the finger.
const MAX_DELAY_MS: u64 = 60_000;

const EXAMPLES: &str = "\
Example:
  reckon lab compare --data ../shared/data/quakeworld --predictors hold,linear --report qw.html
Example: five minutes of a recording that is too long to be compared at once
  reckon lab compare --data day.reck --from 3600 --to 3900";

/// What some of them do not know.
const PLANAR: &str = "\
Interest, ekb, oaekb, trend and ant look at the ground from above: heights go on as they went or level
out. No name but hold and dis-static stops a turn: orientations and joints keep the rate they had.";

/// One value of an option, although it holds many.
pub type PredictorList = Vec<Predictor>;

/// Compare predictors on recordings, or on bots
///
/// Replays recordings through publisher, link and ghost, and says how far off each predictor is.
/// Sessions of one source are pooled. All of them are in memory together; of those that do not fit
/// into --memory-mib, --from and --to choose a part.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = examples_and_predictors())]
pub struct Compare {
    #[command(flatten)]
    pub data: Data,
    #[command(flatten)]
    pub part: Part,
    /// Memory that the comparison may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = value_parser!(u64).range(64..=1_048_576))]
    pub memory_mib: u64,
    /// Which to compare
    #[arg(long, value_name = "A,B,C", default_value = PREDICTORS, value_parser = predictors)]
    predictors: PredictorList,
    /// Ages of the last news in ms
    #[arg(long, value_name = "MS,MS,...", default_value = DELAYS_MS, value_parser = delay)]
    #[arg(value_delimiter = ',', action = ArgAction::Set)]
    delays: Vec<Duration>,
    /// Stray that a publisher allows and radius of a hit [default: the width of a body]
    ///
    /// In units of the source, as `reckon lab info` names them.
    #[arg(long, value_name = "U", value_parser = bound, allow_negative_numbers = true)]
    bound: Option<f64>,
    /// Stray in degrees allowed to an orientation or a joint, where they are recorded
    #[arg(long, value_name = "DEG", default_value_t = 3.0, value_parser = angle)]
    #[arg(allow_negative_numbers = true)]
    angle_bound: f64,
    /// A receiver behind this link; may repeat [default: three at 200, 500 and 800 ms]
    ///
    /// Such as delay=80,jitter=20,loss=0.05.
    #[arg(long = "link", value_name = "SPEC")]
    links: Vec<LinkConfig>,
    /// Form of the results on stdout
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Tables of every session, too
    #[arg(long)]
    pub per_session: bool,
    /// Compare anew, even what was compared before
    ///
    /// Earlier results are kept in `RECKON_CACHE`, or in the user's cache folder.
    #[arg(long)]
    pub fresh: bool,
    /// Also write a report with plots, one file for any browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

/// Form of the results on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
    Csv,
}

impl Compare {
    /// Files of the trained models that take part.
    pub fn model_files(&self) -> impl Iterator<Item = &Path> {
        self.predictors.iter().filter_map(Predictor::model_file)
    }

    /// What to compare, as the laboratory wants it.
    pub fn config(&self) -> CompareConfig {
        let mut config = CompareConfig::default();
        config.predictors.clone_from(&self.predictors);
        config.delays.clone_from(&self.delays);
        config.bound = self.bound;
        config.angle_bound_deg = self.angle_bound;
        if !self.links.is_empty() {
            config.receivers.clone_from(&self.links);
        }
        config
    }
}

fn examples_and_predictors() -> String {
    let line = |(name, what): &(&str, &str)| format!("\n  {name:<22} {what}");
    let names: String = Predictor::names().iter().map(line).collect();
    format!("{EXAMPLES}\n\nPredictors:{names}\n\n{PLANAR}")
}

/// Predictors by their names, with commas between them.
pub fn predictors(list: &str) -> Result<PredictorList, PredictorError> {
    split(list).map(str::parse).collect()
}

/// At commas, but not at those between brackets: predictors may have parameters.
pub fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    list.split(move |letter| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
    .map(str::trim)
}

/// A delay in whole milliseconds.
pub fn delay(word: &str) -> Result<Duration, String> {
    match word.trim().parse() {
        Ok(ms) if ms <= MAX_DELAY_MS => Ok(Duration::from_millis(ms)),
        _ => Err(format!("not a whole number of ms up to {MAX_DELAY_MS}")),
    }
}

pub fn bound(word: &str) -> Result<f64, &'static str> {
    let bound = word.parse().ok().filter(|bound: &f64| bound.is_finite() && *bound > 0.0);
    bound.ok_or("not a length above zero, such as 16 or 0.5")
}

fn angle(word: &str) -> Result<f64, &'static str> {
    let angle = word.parse().ok().filter(|angle: &f64| *angle > 0.0 && *angle <= 180.0);
    angle.ok_or("not an angle above 0 and up to 180 degrees, such as 3")
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command, Lab};
    use super::*;
    use clap::Parser;

    fn compare(words: &[&str]) -> CompareConfig {
        let words = ["reckon", "lab", "compare"].iter().chain(words);
        let Command::Lab(Lab::Compare(found)) = Cli::try_parse_from(words).unwrap().command else {
            panic!("another command")
        };
        found.config()
    }

    fn delays_of(words: &[&str]) -> Vec<u128> {
        compare(words).receivers.iter().map(|link| link.delay.as_millis()).collect()
    }

    #[test]
    fn every_link_is_a_receiver_and_without_any_there_are_three() {
        assert_eq!(delays_of(&[]), [200, 500, 800]);
        assert_eq!(delays_of(&["--link", "delay=80,loss=0.1", "--link", "delay=30"]), [80, 30]);
    }

    #[test]
    fn without_options_it_is_the_default_of_the_laboratory() {
        assert_eq!(compare(&[]), CompareConfig::default());
    }

    #[test]
    fn a_list_given_again_replaces_the_first() {
        let config = compare(&["--delays", "100,200", "--delays", "300, 400"]);
        assert_eq!(config.delays, [300, 400].map(Duration::from_millis));
    }

    #[test]
    fn an_angle_is_above_nothing_and_at_most_half_a_turn() {
        assert_eq!(compare(&["--angle-bound", "1.5"]).angle_bound_deg, 1.5);
        assert_eq!(angle("180"), Ok(180.0));
        for wrong in ["0", "-1", "181", "NaN", "wide"] {
            assert!(angle(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn predictors_may_have_parameters() {
        let words: Vec<&str> = split("linear, damped(0.5,2),hold").collect();
        assert_eq!(words, ["linear", "damped(0.5,2)", "hold"]);
    }
}
