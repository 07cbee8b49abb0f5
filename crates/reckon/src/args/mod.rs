//! The command line: commands, options and their help, from which completions and manual pages are
//! made too. Nothing is run here; of files, only trained predictors are read.

mod arena;
#[cfg(feature = "lab")]
mod bytes;
#[cfg(feature = "lab")]
mod compare;
#[cfg(feature = "dis")]
mod dis;
#[cfg(feature = "lab")]
mod files;
#[cfg(feature = "lab")]
mod fit;
#[cfg(feature = "lab")]
mod frontier;
#[cfg(feature = "manual")]
mod manual;
mod part;
#[cfg(feature = "lab")]
mod reproduce;
#[cfg(feature = "lab")]
mod scoreboard;
mod serve;
#[cfg(feature = "lab")]
mod train;

#[cfg(feature = "lab")]
use std::path::PathBuf;

#[cfg(feature = "lab")]
use clap::Args;
use clap::{Parser, Subcommand};

pub use arena::{Bots, Play, Watch};
#[cfg(feature = "lab")]
pub use bytes::Bytes;
#[cfg(feature = "lab")]
pub use compare::{Compare, Format};
#[cfg(feature = "dis")]
pub use dis::{Dis, DisBridge, DisFormat, DisListen, DisRecord, DisReplay, Exercise};
#[cfg(feature = "lab")]
pub use files::{Export, Import, Info, Kind, Trend, TrendBuild, TrendDraw};
#[cfg(feature = "lab")]
pub use fit::Fit;
#[cfg(feature = "lab")]
pub use frontier::{Form, Frontier};
#[cfg(feature = "manual")]
pub use manual::{Completions, Man};
pub use part::Part;
#[cfg(feature = "lab")]
pub use reproduce::Reproduce;
#[cfg(feature = "lab")]
pub use scoreboard::{BoardFormat, Scoreboard};
pub use serve::{Serve, Token};
#[cfg(feature = "lab")]
pub use train::{LearnedTable, Train};

const EXAMPLES: &str = "\
Example: play
  reckon play
Example: how good are the usual predictors on bots that play by themselves?
  reckon lab compare";

#[cfg(feature = "lab")]
const LAB_EXAMPLES: &str = "\
Each explains itself: reckon lab compare --help

Example:
  reckon lab compare --data recordings/ --predictors hold,linear --report report.html";

#[cfg(feature = "lab")]
const CHEATS_EXAMPLES: &str = "\
Example:
  reckon lab cheats --data ../shared/data";

/// Dead reckoning, measured
#[derive(Debug, Parser)]
#[command(name = "reckon", version, args_override_self = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Play(Play),
    Watch(Watch),
    Bots(Bots),
    Serve(Serve),
    Token(Token),
    #[cfg(feature = "dis")]
    #[command(subcommand)]
    Dis(Dis),
    #[cfg(feature = "lab")]
    /// The laboratory: how well do predictors follow, and at what price?
    #[command(subcommand, after_help = LAB_EXAMPLES)]
    Lab(Lab),
    #[cfg(feature = "manual")]
    Completions(Completions),
    #[cfg(feature = "manual")]
    Man(Man),
}

#[cfg(feature = "lab")]
#[derive(Debug, Subcommand)]
pub enum Lab {
    Compare(Compare),
    Scoreboard(Scoreboard),
    Bytes(Bytes),
    Frontier(Frontier),
    Reproduce(Reproduce),
    /// Inject cheats into recordings and count which are caught
    ///
    /// Runs recorded players through publisher, link and guard, honestly and with cheats injected,
    /// and says how many cheats were caught within one and three seconds, and how many honest
    /// players were bothered. What bodies can do is learnt from the other sessions of each source.
    #[command(verbatim_doc_comment, after_help = CHEATS_EXAMPLES)]
    Cheats(Data),
    Train(Train),
    LearnedTable(LearnedTable),
    Fit(Fit),
    #[command(subcommand)]
    Trend(Trend),
    Import(Import),
    Export(Export),
    Info(Info),
}

// Doc comments here would become the help of the commands that flatten it.
#[cfg(feature = "lab")]
#[derive(Args, Debug)]
pub struct Data {
    /// Sessions, or folders of them; without, seeded bots play some
    #[arg(long = "data", num_args = 1.., value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_contradicts_itself_nowhere() {
        Cli::command().debug_assert();
    }

    #[test]
    fn of_an_option_given_twice_the_last_counts() {
        let cli = Cli::try_parse_from(["reckon", "play", "--bots", "3", "--bots", "5"]).unwrap();
        assert!(matches!(cli.command, Command::Play(Play { bots: 5, .. })));
    }
}
