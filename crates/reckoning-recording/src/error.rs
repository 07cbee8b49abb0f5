//! Error of reading a recording, with the place in the file.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a recording was refused: the place, as far as it is known, and the fault.
///
/// Readers of bytes know the offset, readers of text also the line; the code that opened the
/// file adds its path. Offsets count from the beginning of the file, or of the unpacked text when
/// the file is compressed.
#[derive(Debug)]
pub struct RecordingError {
    /// The file, once one is known.
    pub path: Option<PathBuf>,
    /// Line in a text file, counted from 1.
    pub line: Option<u64>,
    /// Byte offset, counted from 0.
    pub offset: Option<u64>,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with a recording.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing exists at the path.
    Missing,
    /// The path exists and holds no session.
    NoSessions,
    /// A csv lies there without the json that belongs to it.
    NoSidecar,
    /// The operating system refused.
    Io(std::io::Error),
    /// The bytes are of another format.
    Foreign {
        /// What the reader reads.
        expected: &'static str,
    },
    /// The format is right, its version is not known here.
    Version {
        /// The version found.
        got: u64,
        /// The newest version this reader knows.
        newest: u64,
    },
    /// The bytes end inside a value.
    CutOff {
        /// How many bytes the value needs.
        needed: u64,
        /// How many are left.
        left: u64,
    },
    /// A checksum does not fit: bits changed since the file was written.
    Checksum {
        /// The checksum in the file.
        stored: u32,
        /// The checksum of the bytes as they are.
        computed: u32,
    },
    /// A value is not what its place demands.
    Value {
        /// Name of the field or column.
        field: String,
        /// What is there.
        got: String,
        /// What belongs there.
        wanted: &'static str,
    },
    /// A field or column that must be there is not.
    NoField {
        /// Its name.
        field: String,
    },
    /// A field that is not known here, but almost is.
    Misspelt {
        /// Its name.
        field: String,
        /// What is meant.
        meant: &'static str,
    },
    /// A size that no honest file of this kind has.
    TooLarge {
        /// Whose size.
        field: &'static str,
        /// The size found.
        got: u64,
        /// The largest allowed.
        limit: u64,
    },
    /// The decoder of a compressed or foreign format gave up.
    Decoder {
        /// The format it decodes.
        format: &'static str,
        /// Its own words.
        reason: String,
    },
}

impl RecordingError {
    /// A fault whose place is not known yet.
    #[must_use]
    pub const fn new(fault: Fault) -> Self {
        Self { path: None, line: None, offset: None, fault }
    }

    /// A fault at a byte.
    #[must_use]
    pub const fn at(offset: u64, fault: Fault) -> Self {
        Self { path: None, line: None, offset: Some(offset), fault }
    }

    /// The same error, in this file.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_path_buf());
        self
    }

    /// The same error, on this line.
    #[must_use]
    pub const fn on_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// A failed call to the operating system; a missing file is told apart from the rest.
    #[must_use]
    pub fn io(path: &Path, error: std::io::Error) -> Self {
        let fault = match error.kind() {
            std::io::ErrorKind::NotFound => Fault::Missing,
            _ => Fault::Io(error),
        };
        Self::new(fault).in_file(path)
    }

    /// A value that does not belong where it stands.
    #[must_use]
    pub fn value(
        offset: u64,
        field: impl Into<String>,
        got: impl fmt::Display,
        wanted: &'static str,
    ) -> Self {
        Self::at(offset, Fault::Value { field: field.into(), got: excerpt(&got), wanted })
    }
}

/// At most forty characters of something from outside, so that a message stays a message.
fn excerpt(got: &impl fmt::Display) -> String {
    got.to_string().chars().filter(|c| !c.is_control()).take(40).collect()
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        match (self.line, self.offset) {
            (Some(line), Some(offset)) => write!(f, "line {line}, byte {offset}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            (None, Some(offset)) => write!(f, "byte {offset}: ")?,
            (None, None) => {}
        }
        self.fault.fmt(f)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such file or folder; check the path"),
            Self::NoSidecar => f.write_str(
                "there is no such file, and a csv needs it: at least {\"body_width\": 0.5, \"rate_hz\": 10}; `reckon lab import csv` makes it",
            ),
            Self::NoSessions => f.write_str(
                "no session here; expected *.csv.zst or *.csv, each with a *.json beside it, or *.reck",
            ),
            Self::Io(error) => error.fmt(f),
            Self::Foreign { expected } => write!(f, "this is not {expected}"),
            Self::Version { got, newest } => {
                write!(f, "version {got} is newer than {newest}; update this program")
            }
            Self::CutOff { needed, left } => {
                write!(f, "cut off: {needed} bytes needed, {left} left")
            }
            Self::Checksum { stored, computed } => {
                write!(f, "damaged: checksum {stored:#010x} stored, {computed:#010x} computed")
            }
            Self::Value { field, got, wanted } => write!(f, "{field} is `{got}`, not {wanted}"),
            Self::NoField { field } => write!(f, "{field} is missing"),
            Self::Misspelt { field, meant } => {
                write!(f, "`{field}` is not known here; the field is called `{meant}`")
            }
            Self::TooLarge { field, got, limit } => {
                write!(f, "{field} claims a size of {got}, more than the {limit} allowed")
            }
            Self::Decoder { format, reason } => write!(f, "not readable as {format}: {reason}"),
        }
    }
}

impl std::error::Error for RecordingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            Fault::Io(error) => Some(error),
            _ => None,
        }
    }
}
