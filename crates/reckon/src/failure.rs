//! Errors of the commands, and files read and written with errors that name them.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

#[cfg(feature = "lab")]
use reckoning_predict::TrendMapError;
use reckoning_predict::learned::LearnedError;
use reckoning_recording::read_file;
use reckoning_server::SettingsError;

use crate::arena::SceneError;

/// Why a command that was understood did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The words were not understood; it says itself which.
    Usage(clap::Error),
    /// Nobody takes our output.
    Stdout(io::Error),
    /// A file could not be read or written.
    File { path: PathBuf, error: io::Error },
    /// A file is not a trained predictor.
    Learned { path: PathBuf, error: LearnedError },
    /// Only bodies that the server moves are planned, and it moves none.
    NothingToPlan,
    /// A file is not a trend map.
    #[cfg(feature = "lab")]
    TrendMap { path: PathBuf, error: TrendMapError },
    /// There is nothing to work on.
    #[cfg(feature = "lab")]
    NoSessions,
    /// The recordings do not fit into the memory that a comparison may take.
    #[cfg(feature = "lab")]
    TooMuchToCompare { path: PathBuf, memory_mib: u64 },
    /// An option of `lab import csv`, given with another format.
    #[cfg(feature = "lab")]
    OfCsvOnly { option: &'static str },
    /// Recordings are there, but nothing in them can be judged.
    #[cfg(feature = "lab")]
    NothingUsable { why: &'static str },
    /// The part that was asked for holds nothing.
    NothingInPart { path: PathBuf },
    /// More bodies than a page shows.
    TooManyBodies { path: PathBuf, got: usize, limit: usize },
    /// A setting of the server is wrong; it says itself which.
    Settings { path: Option<PathBuf>, error: SettingsError },
    /// The server did not start, or a token could not be made; it says itself why.
    Server(Box<dyn Error>),
    /// A file is no level that can be played.
    Level { path: PathBuf, error: SceneError },
    /// Nobody plays the arena there.
    NoArena { server: String, reason: String },
    /// Some programs never got in.
    BotsRefused { refused: usize, of: usize, reasons: String },
    /// What was given as a token is none.
    NoToken,
    /// The laboratory refused; it says itself what and where.
    Lab(Box<dyn Error>),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(error) => error.fmt(f),
            Self::Stdout(error) => write!(f, "cannot write to stdout: {error}"),
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            #[cfg(feature = "lab")]
            Self::TrendMap { path, error } => {
                write!(f, "{}: {error}; make one with `reckon lab trend build`", path.display())
            }
            Self::Learned { path, error } => {
                write!(f, "{}: {error}; make one with `reckon lab train`", path.display())
            }
            Self::NothingToPlan => f.write_str(
                "replication.learned plans bodies that the server moves, and it moves none here; give a --level",
            ),
            #[cfg(feature = "lab")]
            Self::NoSessions => f.write_str("no sessions to work on; name some with --data PATH"),
            #[cfg(feature = "lab")]
            Self::TooMuchToCompare { path, memory_mib } => write!(
                f,
                "{}: with this the recordings are too long to be compared in {memory_mib} MiB; choose a part of each with --from and --to, in seconds, or allow more with --memory-mib",
                path.display()
            ),
            #[cfg(feature = "lab")]
            Self::OfCsvOnly { option } => {
                write!(f, "{option} is for `reckon lab import csv`; other formats say it themselves")
            }
            #[cfg(feature = "lab")]
            Self::NothingUsable { why } => {
                write!(f, "nothing is left to work on: {why}; the guide's page on your own data says what a recording needs")
            }
            Self::NothingInPart { path } => write!(
                f,
                "{}: nobody moves between --from and --to, which count seconds from its beginning; `reckon lab info` says how long it is",
                path.display()
            ),
            Self::TooManyBodies { path, got, limit } => write!(
                f,
                "{}: {got} bodies are more than the {limit} that the page shows; choose a shorter part with --from and --to, in seconds",
                path.display()
            ),
            Self::Settings { path: Some(path), error } => write!(f, "{}: {error}", path.display()),
            Self::Settings { path: None, error } => error.fmt(f),
            Self::Level { path, error } => write!(f, "{}: {error}", path.display()),
            Self::NoArena { server, reason } => {
                write!(f, "no arena at {server}: {reason}; start one with `reckon play`")
            }
            Self::BotsRefused { refused, of, reasons } => {
                write!(f, "{refused} of {of} programs never got in; turned away {reasons}")
            }
            Self::NoToken => f.write_str("--token is not hexadecimal; `reckon token` prints one"),
            Self::Server(error) | Self::Lab(error) => error.fmt(f),
        }
    }
}

impl Failure {
    /// An error of the server.
    pub fn server(error: impl Error + 'static) -> Self {
        Self::Server(Box::new(error))
    }

    /// An error of the laboratory.
    pub fn lab(error: impl Error + 'static) -> Self {
        Self::Lab(Box::new(error))
    }
}

/// Writes a whole file.
#[cfg(feature = "lab")]
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| Failure::File { path: path.to_path_buf(), error })
}

/// Longest file of a trained predictor or a trend map.
pub const MAX_MODEL_BYTES: u64 = 64 << 20;

/// Reads a whole file, a regular one of at most so many bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    read_file(path, limit).map_err(|error| Failure::File { path: path.to_path_buf(), error })
}
