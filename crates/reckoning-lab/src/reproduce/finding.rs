//! What an experiment measured, before anyone judges it.

use super::rule::Numbers;

/// The numbers of one measure, and how they read in a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// The name by which claims ask for it.
    pub(super) measure: String,
    pub(super) numbers: Numbers,
    pub(super) text: String,
    /// Numbers that explain it, for those who ask why.
    pub(super) note: String,
}

impl Finding {
    pub(super) fn new(measure: &str, text: String) -> Self {
        let measure = measure.to_owned();
        Self { measure, numbers: Numbers::new(), text, note: String::new() }
    }

    /// Adds a number by which rules may call it.
    pub(super) fn number(self, name: &str, value: f64) -> Self {
        self.list(name, &[value])
    }

    /// Adds several numbers under one name.
    pub(super) fn list(mut self, name: &str, values: &[f64]) -> Self {
        self.numbers.insert(name.to_owned(), values.to_vec());
        self
    }

    pub(super) fn note(mut self, note: String) -> Self {
        self.note = note;
        self
    }
}
