//! Errors of settings: the name, the value, what is accepted.

use std::fmt;

use reckoning_net::KindError;

/// Why settings were refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingsError {
    /// Not TOML, or a word that is not one of the accepted ones; the message names line and column.
    Syntax(Box<toml::de::Error>),
    /// The file is longer than any of settings.
    TooLong {
        /// Its length.
        got_bytes: usize,
    },
    /// No setting has this name.
    Unknown {
        /// The name, with its section.
        name: String,
        /// Those there are in that section.
        known: String,
    },
    /// A setting has the wrong kind of value.
    Kind {
        /// The name, with its section.
        name: String,
        /// What was given.
        got: String,
        /// What the default is.
        default: String,
    },
    /// A value is out of its range.
    Range {
        /// The name, with its section.
        name: &'static str,
        /// What was given.
        got: f64,
        /// The smallest that will do.
        min: f64,
        /// The largest that will do.
        max: f64,
    },
    /// Two settings do not go together.
    Together {
        /// The name of the one to change, with its section.
        name: &'static str,
        /// What is wrong.
        wrong: &'static str,
        /// What to write instead.
        remedy: &'static str,
    },
    /// A kind of bodies is refused.
    Kinds(KindError),
    /// A flag is not of the form `section.name=value`.
    Assignment {
        /// What was given.
        got: String,
    },
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "settings: {}", error.to_string().trim_end()),
            Self::TooLong { got_bytes } => {
                let most = super::MAX_FILE_BYTES;
                write!(f, "settings of {got_bytes} bytes; at most {most} are read")
            }
            Self::Unknown { name, known } => {
                write!(f, "no setting is called `{name}`; known here: {known}")
            }
            Self::Kind { name, got, default } => {
                write!(f, "setting {name} = {got} is of the wrong kind; the default is {default}")
            }
            Self::Range { name, got, min, max } => {
                write!(f, "setting {name} = {got} is out of range; give {min} to {max}")
            }
            Self::Together { name, wrong, remedy } => {
                write!(f, "setting {name}: {wrong}; {remedy}")
            }
            Self::Kinds(error) => write!(f, "setting kind: {error}"),
            Self::Assignment { got } => {
                write!(f, "`{got}` is not an assignment; write --set section.name=value")
            }
        }
    }
}

impl std::error::Error for SettingsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Kinds(error) => Some(error),
            _ => None,
        }
    }
}
