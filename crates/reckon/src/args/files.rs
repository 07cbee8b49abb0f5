//! Options of the laboratory's commands that turn one file into another.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use reckoning_lab::import::csv::{ColumnMap, CsvImport, TimeUnit};

const TREND_EXAMPLES: &str = "\
Example:
  reckon lab trend build --data quakeworld/duel_aerowalk.csv.zst -o aerowalk.trend
  reckon lab trend draw aerowalk.trend --level quakeworld/maps/aerowalk.json -o aerowalk.svg";

const IMPORT_EXAMPLES: &str = "\
Example:
  reckon lab import bzflag robots.rec -o robots.reck
Example: a csv with columns of its own; rows in any order, ids of any kind
  reckon lab import csv taxis.csv -o taxis.reck --map t=time,id=agent,x=lon,y=lat --lonlat --width 2

What a csv is made of, field by field: docs/guide/11-your-own-data.md";

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
    #[command(flatten, next_help_heading = "Of a csv only")]
    pub csv: OfCsv,
}

// Doc comments here would become the help of the command that flattens it.
#[derive(Args, Debug, Default)]
pub struct OfCsv {
    /// What the file calls our columns t, id, x, y, z, team, yaw, health, ammo, alive, seg
    ///
    /// Those that are called so need not be named. t, id, x and y must be there. Any other name, as
    /// speed=v, keeps that column beside them.
    #[arg(long, value_name = "OURS=THEIRS,...")]
    pub map: Option<ColumnMap>,
    /// How wide a body is, in the unit of length: the measure of a visible error
    #[arg(long, value_name = "U", value_parser = above_zero, required_if_eq("kind", "csv"))]
    #[arg(allow_negative_numbers = true)]
    pub width: Option<f64>,
    /// Rows a second of each body [default: the middle one of all steps]
    #[arg(long, value_name = "HZ", value_parser = above_zero, allow_negative_numbers = true)]
    pub rate: Option<f64>,
    /// What a number in the column of time counts; dates are read as they are [default: s]
    #[arg(long, value_name = "UNIT")]
    pub time: Option<TimeIn>,
    /// What one unit of length is [default: m]
    #[arg(long, value_name = "NAME")]
    pub unit: Option<String>,
    /// x and y are longitude and latitude in degrees; they become metres east and north
    #[arg(long)]
    pub lonlat: bool,
    /// What it is a recording of; sessions of one source are pooled [default: csv]
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// Begin a new stretch where a body has no row for so many seconds [default: five steps]
    #[arg(long, value_name = "S", value_parser = above_zero, allow_negative_numbers = true)]
    pub gap: Option<f64>,
    /// Begin a new stretch where a body goes further than this from row to row
    #[arg(long, value_name = "U", value_parser = above_zero, allow_negative_numbers = true)]
    pub jump: Option<f64>,
}

/// What a number in the column of time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimeIn {
    /// Seconds
    S,
    /// Milliseconds
    Ms,
    /// Microseconds
    Us,
}

impl OfCsv {
    /// The first option that was given, for kinds that take none.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--map", self.map.is_some()),
            ("--width", self.width.is_some()),
            ("--rate", self.rate.is_some()),
            ("--time", self.time.is_some()),
            ("--unit", self.unit.is_some()),
            ("--lonlat", self.lonlat),
            ("--source", self.source.is_some()),
            ("--gap", self.gap.is_some()),
            ("--jump", self.jump.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// How to read the file, as the laboratory wants it.
    pub fn settings(&self) -> CsvImport {
        let mut settings = CsvImport::default();
        settings.map = self.map.clone().unwrap_or_default();
        settings.time = match self.time {
            None | Some(TimeIn::S) => TimeUnit::Seconds,
            Some(TimeIn::Ms) => TimeUnit::Millis,
            Some(TimeIn::Us) => TimeUnit::Micros,
        };
        settings.body_width = self.width.unwrap_or(settings.body_width);
        (settings.rate_hz, settings.gap_s, settings.jump) = (self.rate, self.gap, self.jump);
        settings.lonlat = self.lonlat;
        settings.units = self.unit.clone().unwrap_or(settings.units);
        settings.source = self.source.clone().unwrap_or(settings.source);
        settings
    }
}

fn above_zero(word: &str) -> Result<f64, &'static str> {
    let number = word.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or("not a number above zero, such as 2 or 0.5")
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
    /// Any table of moments, bodies and places (.csv, .csv.zst)
    Csv,
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
