//! The sessions that a model was trained on, in a file beside it: so that nobody takes its memory
//! for foresight.
//!
//! The file is called as the model and `.sessions`; each line holds the fingerprint of a session's
//! motion, its source and its name. A game does without it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use reckoning_lab::check::fingerprint;
use reckoning_recording::{MAX_JSON_BYTES, Recording, read_text_file};

use crate::failure::{Failure, write};

/// What a model was trained on.
#[derive(Debug, Default)]
pub struct Lessons(Vec<u64>);

impl Lessons {
    /// What the file beside a model says; nothing without one.
    pub fn beside(model: &Path) -> Self {
        let text = read_text_file(&file_of(model), MAX_JSON_BYTES).unwrap_or_default();
        let number = |line: &str| u64::from_str_radix(line.split_whitespace().next()?, 16).ok();
        Self(text.lines().filter_map(number).collect())
    }

    /// Whether this was among them, whatever it is called now.
    pub fn contain(&self, recording: &Recording) -> bool {
        !self.0.is_empty() && self.0.contains(&fingerprint(recording))
    }

    /// Writes the file beside a model.
    pub fn write_beside(model: &Path, recordings: &[Recording]) -> Result<(), Failure> {
        let mut text = String::new();
        for it in recordings {
            let _ = writeln!(text, "{:016x} {} / {}", fingerprint(it), it.source, it.session);
        }
        write(&file_of(model), text.as_bytes())
    }
}

fn file_of(model: &Path) -> PathBuf {
    let mut name = model.as_os_str().to_owned();
    name.push(".sessions");
    name.into()
}
