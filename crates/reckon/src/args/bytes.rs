//! Options of `reckon lab bytes`.

use std::path::PathBuf;

use clap::{Args, value_parser};
use reckoning_netsim::LinkConfig;

use super::{BoardFormat, Part};

const EXAMPLES: &str = "\
Example:
  reckon lab bytes sessions/session-1789000000-0-00000.reck --out bytes.html
Example: with the kinds of your server, for a good and a bad connection
  reckon lab bytes day.reck --from 540 --to 600 --settings server.toml --link delay=40 --link delay=150,loss=0.05";

/// Profile what a recording costs in bytes
///
/// Moves the bodies of a recording by a host once more, watches them over the links, and puts every bit
/// that is sent down to a kind of bodies and a field, second by second, beside how far off bodies are
/// shown. What a server counts as kinds is taken from the recording; how they are published and shown
/// from the server's settings, if those are given.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct Bytes {
    /// The recording
    pub file: PathBuf,
    #[command(flatten)]
    pub part: Part,
    /// Memory that the recording may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = value_parser!(u64).range(64..=1_048_576))]
    pub memory_mib: u64,
    /// A receiver behind this link; may repeat [default: one at 80 ms]
    ///
    /// Such as delay=80,jitter=20,loss=0.05.
    #[arg(long = "link", value_name = "SPEC")]
    pub links: Vec<LinkConfig>,
    /// Stray at which an update is due, in units of the source [default: the width of a body]
    #[arg(long, value_name = "U", value_parser = super::compare::bound, allow_negative_numbers = true)]
    pub bound: Option<f64>,
    /// A server's settings file, whose kinds count for bodies of those names
    #[arg(long, value_name = "FILE.toml")]
    pub settings: Option<PathBuf>,
    /// Form of the profile on stdout
    #[arg(long, value_name = "FORM", value_enum, default_value_t = BoardFormat::Table)]
    pub format: BoardFormat,
    /// Also write a page, one file for any browser
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
}
