//! Why a kind or a property was not declared.

use alloc::string::String;
use core::fmt;

use reckoning::ConfigError;

use super::{MAX_KIND_BYTES, MAX_KIND_NAME_BYTES, MAX_KINDS, MAX_PROPERTIES};

/// Why a kind or a property was not declared.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum KindError {
    /// Its name is empty or too long.
    Name {
        /// Its length.
        got_bytes: usize,
    },
    /// Another one has that name.
    Taken {
        /// The name.
        name: String,
    },
    /// There are [`MAX_KINDS`] already.
    TooMany,
    /// There are [`MAX_PROPERTIES`] already.
    TooManyProperties,
    /// Its description does not fit a datagram.
    TooLong {
        /// Its name.
        name: String,
        /// The length of its description.
        got_bytes: usize,
    },
    /// A setting is out of range.
    Setting {
        /// The kind's name.
        name: String,
        /// Which setting.
        error: ConfigError,
    },
}

impl fmt::Display for KindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { got_bytes } => write!(
                f,
                "the name has {got_bytes} bytes; choose one of 1 to {MAX_KIND_NAME_BYTES}"
            ),
            Self::Taken { name } => {
                write!(f, "there is one called {name} already; choose another name")
            }
            Self::TooMany => write!(f, "there are {MAX_KINDS} kinds already; let some share one"),
            Self::TooManyProperties => {
                write!(f, "there are {MAX_PROPERTIES} properties already; put some into one")
            }
            Self::TooLong { name, got_bytes } => write!(
                f,
                "kind {name} takes {got_bytes} bytes to describe, more than {MAX_KIND_BYTES}; \
                 give it fewer classes or a model with fewer numbers"
            ),
            Self::Setting { name, error } => write!(f, "kind {name}: {error}"),
        }
    }
}

impl core::error::Error for KindError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Setting { error, .. } => Some(error),
            _ => None,
        }
    }
}
