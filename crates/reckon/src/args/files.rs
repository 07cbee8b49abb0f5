//! Options of the laboratory's commands that turn one file into another.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

const TREND_EXAMPLES: &str = "\
Example:
  reckon lab trend build --data quakeworld/duel_aerowalk.csv.zst -o aerowalk.trend
  reckon lab trend draw aerowalk.trend --level quakeworld/maps/aerowalk.json -o aerowalk.svg";

const IMPORT_EXAMPLES: &str = "\
Example:
  reckon lab import bzflag robots.rec -o robots.reck";

const EXPORT_EXAMPLES: &str = "\
Example:
  reckon lab export robots.reck --parquet robots.parquet";

const INFO_EXAMPLES: &str = "\
Example:
  reckon lab info robots.reck";

/// Build and draw trend maps of levels
///
/// Builds a map of which way bodies go in a level, from recordings of that level; draws such a map,
/// over walls and floors if the level is given.
#[derive(Debug, Subcommand)]
#[command(verbatim_doc_comment, after_help = TREND_EXAMPLES)]
pub enum Trend {
    Build(TrendBuild),
    Draw(TrendDraw),
}

/// Build a trend map from recordings of one level
#[derive(Args, Debug)]
#[command(after_help = TREND_EXAMPLES)]
pub struct TrendBuild {
    /// Sessions of one level, or folders of them
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Where the map goes
    #[arg(short, long, value_name = "MAP.trend")]
    pub output: PathBuf,
}

/// Draw a trend map as SVG
#[derive(Args, Debug)]
#[command(after_help = TREND_EXAMPLES)]
pub struct TrendDraw {
    /// The trend map
    #[arg(value_name = "MAP.trend")]
    pub map: PathBuf,
    /// The level, as it lies beside the recordings
    #[arg(long, value_name = "MAP.json")]
    pub level: Option<PathBuf>,
    /// Where the picture goes
    #[arg(short, long, value_name = "OUT.svg")]
    pub output: PathBuf,
}

/// Turn a foreign recording into a session file
///
/// Reads a foreign recording and writes a session: OUT ends in .reck (everything, safe against
/// crashes) or in .csv.zst (with its json beside it).
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = IMPORT_EXAMPLES)]
pub struct Import {
    /// The foreign format
    pub kind: Kind,
    /// The foreign recording
    pub file: PathBuf,
    /// Where the session goes
    #[arg(short, long, value_name = "OUT", value_parser = session_path())]
    pub output: PathBuf,
    /// Play the inputs of a play log of SHI again, at so many pixels a second
    #[arg(long, value_name = "PX_PER_S")]
    pub replay_speed: Option<f64>,
}

/// A foreign format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    #[value(help = "BZFlag server recording (.rec)")]
    Bzflag,
    /// Super Smash Bros. Melee, Slippi replay (.slp)
    Slp,
    /// Rocket League replay (.replay)
    Replay,
    /// Play log of the SHI study (.xml)
    Shi,
    /// Network capture with DIS Entity State PDUs (.pcap, .pcapng)
    Dis,
}

/// Turn a session into Parquet, for notebooks
#[derive(Args, Debug)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct Export {
    /// The session
    pub file: PathBuf,
    /// Where its samples go
    #[arg(long, value_name = "OUT")]
    pub parquet: PathBuf,
}

/// Say what a recording holds
///
/// Says what a recording holds: source, length, rate, units, bodies, level, and whether the file is
/// whole. Foreign recordings are read by the ending of their name.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = INFO_EXAMPLES)]
pub struct Info {
    /// The recording
    pub file: PathBuf,
}

fn session_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let name = path.to_string_lossy();
        let known = name.ends_with(".reck") || name.ends_with(".csv.zst");
        if known { Ok(path) } else { Err("must end in .reck or .csv.zst") }
    })
}
