//! Errors of decoding, and of a format's settings.

use core::fmt;

use reckoning::ConfigError;
use reckoning::error::ModelError;

/// Why bytes are not a datagram of this protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end too early.
    TooShort {
        /// Bits the next part takes.
        needed_bits: usize,
        /// Bits that are left.
        left_bits: usize,
    },
    /// A number has more digits than any in this protocol.
    NumberTooLong,
    /// Bits between parts are not zero.
    Padding,
    /// A message of a kind this version does not know.
    UnknownMessage {
        /// Its number.
        got: u8,
    },
    /// A field holds a value that has no meaning.
    UnknownValue {
        /// Which field.
        name: &'static str,
        /// Its value.
        got: u64,
    },
    /// A field is longer than the protocol allows.
    TooLong {
        /// Which field.
        name: &'static str,
        /// Its length in bytes.
        got_bytes: usize,
        /// The most allowed.
        max_bytes: usize,
    },
    /// A text is not UTF-8, or has control characters.
    Text {
        /// Which field.
        name: &'static str,
    },
    /// A message that needs a format came before one was agreed on.
    NoFormat,
    /// A place, speed or turn is out of the range of the grid.
    OutOfRange {
        /// Which field.
        name: &'static str,
    },
    /// A custom model that this end has not registered.
    UnknownCustom {
        /// Its id.
        id: u8,
    },
    /// A path that this end has not registered.
    UnknownPath {
        /// Its id.
        id: u16,
    },
    /// The update was coded against a baseline and none was given, or the other way round.
    BaselineMismatch,
    /// The numbers do not make an update or a format.
    Unusable(ConfigError),
    /// The numbers do not make a format.
    Format(FormatError),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { needed_bits, left_bits } => {
                write!(f, "{needed_bits} bits needed, {left_bits} left; was the datagram cut?")
            }
            Self::NumberTooLong => f.write_str("a number has more than 48 digits"),
            Self::Padding => f.write_str("bits between parts are not zero"),
            Self::UnknownMessage { got } => {
                write!(f, "message kind {got} is not known; do both ends speak one version?")
            }
            Self::UnknownValue { name, got } => write!(f, "{name} {got} has no meaning"),
            Self::TooLong { name, got_bytes, max_bytes } => {
                write!(f, "{name} has {got_bytes} bytes, {max_bytes} at most are allowed")
            }
            Self::Text { name } => write!(f, "{name} is no text, or has control characters"),
            Self::NoFormat => f.write_str("an update came before the welcome with its format"),
            Self::OutOfRange { name } => write!(f, "{name} is out of the grid's range"),
            Self::UnknownCustom { id } => write!(f, "custom model {id} is not registered here"),
            Self::UnknownPath { id } => write!(f, "path {id} is not registered here"),
            Self::BaselineMismatch => f.write_str("the update was coded off another baseline"),
            Self::Unusable(error) => write!(f, "the numbers cannot be used: {error}"),
            Self::Format(error) => write!(f, "the format cannot be used: {error}"),
        }
    }
}

impl core::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Unusable(error) => Some(error),
            Self::Format(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ConfigError> for DecodeError {
    fn from(error: ConfigError) -> Self {
        Self::Unusable(error)
    }
}

impl From<ModelError> for DecodeError {
    fn from(error: ModelError) -> Self {
        Self::Unusable(error.into())
    }
}

impl From<FormatError> for DecodeError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

/// Why settings do not make a [`Format`](super::Format).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FormatError {
    /// Every step of the wire's grid lies within a range.
    StepOutOfRange {
        /// Which step.
        name: &'static str,
        /// The step given.
        got: f64,
        /// The finest step allowed.
        finest: f64,
        /// The coarsest step allowed.
        coarsest: f64,
    },
    /// Stamps are counted 1 to 100,000 times a second.
    StampRate {
        /// The rate given.
        got_hz: u32,
    },
    /// The table lists at most [`MAX_MODELS`](super::MAX_MODELS) models.
    TooManyModels {
        /// How many were given.
        got: usize,
    },
    /// Orders of codes are at most [`Codes::MAX_ORDER`](super::Codes::MAX_ORDER).
    CodeOrder {
        /// The order given.
        got: u8,
    },
    /// A set of codes belongs to a model of the table.
    TooManyCodes {
        /// How many were given.
        got: usize,
        /// How many models there are.
        models: usize,
    },
    /// A model of the table cannot be described.
    Model(ConfigError),
    /// A model of the table is not registered.
    NotRegistered {
        /// Its place in the table.
        index: usize,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StepOutOfRange { name, got, finest, coarsest } => {
                write!(f, "step {name} {got} is not within {finest} to {coarsest}")
            }
            Self::StampRate { got_hz } => {
                write!(f, "stamp rate {got_hz} Hz is not within 1 to 100000 Hz")
            }
            Self::TooManyModels { got } => {
                write!(f, "{got} models, {} at most fit the table", super::MAX_MODELS)
            }
            Self::CodeOrder { got } => {
                write!(f, "order {got} of a code, 15 at most can be told")
            }
            Self::TooManyCodes { got, models } => {
                write!(f, "{got} sets of codes for {models} models; give one for each at most")
            }
            Self::Model(error) => write!(f, "a model of the table cannot be used: {error}"),
            Self::NotRegistered { index } => {
                write!(f, "model {index} of the table is a path or custom model not registered")
            }
        }
    }
}

impl core::error::Error for FormatError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Model(error) => Some(error),
            _ => None,
        }
    }
}

/// Why words cannot be sent to a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WordsError {
    /// There are too many.
    TooLong {
        /// Their length.
        got_bytes: usize,
        /// The longest that can be sent.
        max_bytes: usize,
    },
    /// There is a character that is not for reading: a line break, a bell, an escape.
    Control {
        /// The character.
        got: char,
    },
}

impl fmt::Display for WordsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { got_bytes, max_bytes } => {
                write!(f, "words of {got_bytes} bytes are longer than {max_bytes}")
            }
            Self::Control { got } => write!(f, "words hold the control character {got:?}"),
        }
    }
}

impl core::error::Error for WordsError {}

/// Whether a player can be shown these words as they are.
pub(crate) fn check_words(words: &str) -> Result<(), WordsError> {
    let max_bytes = super::MAX_KICK_BYTES;
    if words.len() > max_bytes {
        return Err(WordsError::TooLong { got_bytes: words.len(), max_bytes });
    }
    words.chars().find(|it| it.is_control()).map_or(Ok(()), |got| Err(WordsError::Control { got }))
}
