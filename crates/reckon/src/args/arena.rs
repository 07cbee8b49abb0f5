//! Options of `reckon play`, `reckon bots` and `reckon watch`.

use std::path::PathBuf;

use clap::{Args, value_parser};

use super::Part;

const MAX_BOTS: i64 = 200;

const PLAY_EXAMPLES: &str = "\
Paths beside the page: /arena.json (what is on), /level.toml (the level),
/level.bin (what the page reads of it). On the next port:
/health, /metrics.

Example: record a session, then compare predictors on it
  reckon play --record sessions
  reckon lab compare --data sessions";

const BOTS_EXAMPLES: &str = "\
Example:
  reckon bots --join http://127.0.0.1:4433/ --count 8 --seconds 60
Example: a server that wants tokens
  reckon bots --join http://127.0.0.1:4433/ --count 8 --token-key key.hex";

const WATCH_EXAMPLES: &str = "\
Example:
  reckon watch sessions/session-1789000000-0-00000.reck
Example: the tenth minute of a long recording, at its full rate
  reckon watch day.reck --from 540 --to 600";

/// Start the arena: a game with bots, in your browser
///
/// Starts the arena with bots on this machine and prints the link to open in a browser. Ctrl-c
/// ends it and closes the recording.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = PLAY_EXAMPLES)]
pub struct Play {
    /// Where to listen [default: 4433, or the next one that is free]
    #[arg(long, value_name = "P")]
    pub port: Option<u16>,
    /// How many bots, 0 to 200
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = value_parser!(u16).range(..=MAX_BOTS))]
    pub bots: u16,
    /// proving-grounds, tank-field, corridors, hills (three dimensions), or a level file in TOML
    #[arg(long, value_name = "NAME|FILE", default_value = "proving-grounds")]
    pub level: String,
    /// Record the session into this folder, for `reckon lab` and `reckon watch`
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// How server and pages agree on time: common, or per-hop without a common clock
    #[arg(long, value_name = "CLOCK", default_value = "common", value_parser = ["common", "per-hop"])]
    pub clock: String,
    /// Predict bots with a model of `reckon lab train`; the proving grounds come with one
    #[arg(long, value_name = "FILE")]
    pub learned: Option<PathBuf>,
}

/// Run programs that join an arena and play
///
/// Each program has a connection of its own and plays as well as it can by what it is shown. Prints
/// at the end how they fared. Ends with code 1 if any of them never got in, and says why.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = BOTS_EXAMPLES)]
pub struct Bots {
    /// The server, as its link or as host:port
    #[arg(long, value_name = "URL")]
    pub join: String,
    /// How many, 1 to 200
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u16).range(1..=MAX_BOTS))]
    pub count: u16,
    /// How long [default: until it is stopped]
    #[arg(long, value_name = "S")]
    pub seconds: Option<u64>,
    /// The token of a single program, in hexadecimal
    #[arg(long, value_name = "HEX", conflicts_with = "token_key")]
    pub token: Option<String>,
    /// Make a token for each program with this key; see `reckon token --help`
    #[arg(long, value_name = "FILE")]
    pub token_key: Option<PathBuf>,
}

/// Show a recording in your browser
///
/// Shows a recording with a scrubber and the overlays of the arena. Every recording that `reckon
/// lab info` reads will do. Session files (.reck) may be of any length: the page gets 64 MB of it, so
/// a long one has fewer frames a second, and --from and --to show a part of it more closely. Under the time
/// line of up to fifteen minutes stand the bytes that a host would send of it, by field, and the error;
/// `reckon lab bytes` has them as tables.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = WATCH_EXAMPLES)]
pub struct Watch {
    /// The recording
    pub file: PathBuf,
    #[command(flatten)]
    pub part: Part,
    /// Where to listen [default: one that is free]
    #[arg(long, value_name = "P")]
    pub port: Option<u16>,
}
