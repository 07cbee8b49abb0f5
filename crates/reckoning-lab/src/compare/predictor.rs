//! STUB, replaced on merge: predictors by name.

use std::fmt;
use std::str::FromStr;

const NAMES: [(&str, &str); 4] = [
    ("hold", "stays where it was last seen"),
    ("linear", "keeps its velocity"),
    ("accelerating", "keeps its acceleration for a while"),
    ("damped", "keeps its velocity, which fades"),
];

/// A way to foresee a body, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predictor(&'static str);

/// Why a name is not that of a predictor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PredictorError {
    /// Nobody knows this name.
    Unknown {
        /// As it was written.
        name: String,
    },
}

impl Predictor {
    /// Every name and what it means.
    #[must_use]
    pub fn names() -> Vec<(&'static str, &'static str)> {
        NAMES.to_vec()
    }
}

impl FromStr for Predictor {
    type Err = PredictorError;

    fn from_str(name: &str) -> Result<Self, PredictorError> {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        known.map(|known| Self(known.0)).ok_or(PredictorError::Unknown { name: name.to_string() })
    }
}

impl fmt::Display for Predictor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for PredictorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Unknown { name } = self;
        let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        write!(f, "there is no predictor `{name}`; known are {}", known.join(", "))
    }
}

impl std::error::Error for PredictorError {}
