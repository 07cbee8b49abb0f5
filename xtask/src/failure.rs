//! Errors of the commands.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::golden::Hashes;

/// Why a command could not be carried out, in words that say what to do next.
#[derive(Debug)]
pub enum Failure {
    /// A program could not be started at all.
    NotStarted { line: String, error: io::Error },
    /// A program ran and was not content.
    Unsuccessful { line: String, status: ExitStatus },
    /// Something is not installed, and installing it is left to the reader.
    Missing { what: String, remedy: &'static str },
    /// A file could not be written.
    Unwritable { path: PathBuf, error: io::Error },
    /// A file could not be read, or a folder listed.
    Unreadable { path: PathBuf, error: io::Error },
    /// `cargo metadata` answered without this field.
    NoMetadata { field: &'static str },
    /// A program or a table has no figure of this name any more.
    NoFigure { what: String, path: PathBuf },
    /// The markers of figures in a document do not pair.
    BadBlock { path: PathBuf, complaint: String },
    /// A fuzz target broke, by this input if the fuzzer got so far.
    Fuzzed { target: String, found: Option<PathBuf>, log: PathBuf },
    /// A binding to another language is not what it must be.
    Binding { complaint: String },
    /// The golden example printed no line of the agreed form.
    NoHash { printed: String },
    /// The same replay gave different bits.
    HashesDiffer(Hashes),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted { line, error } => write!(f, "could not start `{line}`: {error}"),
            Self::Unsuccessful { line, status } => write!(f, "`{line}` ended with {status}"),
            Self::Missing { what, remedy } => write!(f, "{what} is missing: {remedy}"),
            Self::Unreadable { path, error } => {
                write!(f, "could not read {}: {error}", path.display())
            }
            Self::Unwritable { path, error } => {
                write!(f, "could not write {}: {error}", path.display())
            }
            Self::NoMetadata { field } => write!(f, "cargo metadata gave no {field}"),
            Self::NoFigure { what, path } => {
                write!(f, "no figure `{what}` in {}: was it renamed?", path.display())
            }
            Self::BadBlock { path, complaint } => write!(f, "{}: {complaint}", path.display()),
            Self::Fuzzed { target, found: Some(input), .. } => write!(
                f,
                "{target} broke on {input}; again: cargo +nightly fuzz run {target} {input}",
                input = input.display()
            ),
            Self::Fuzzed { target, found: None, log } => {
                write!(f, "{target} could not be fuzzed; see {}", log.display())
            }
            Self::Binding { complaint } => f.write_str(complaint),
            Self::NoHash { printed } => write!(
                f,
                "the golden example must print a line such as `golden 0x0123456789abcdef`, \
                 but printed: {printed:?}"
            ),
            Self::HashesDiffer(hashes) => write!(
                f,
                "the same replay gave different bits:\n{hashes}\nsome result depends on the \
                 platform or the optimiser; take transcendental functions from the engine's math"
            ),
        }
    }
}
