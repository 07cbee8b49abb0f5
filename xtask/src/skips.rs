//! Skips that tests report: each adds a line `TEST: REASON` to a file that a variable names.
//!
//! The other end is the crate `reckoning-testing`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The variable that names the file, which every program we start finds set.
pub const VARIABLE: &str = "RECKONING_SKIPS";

/// Where the file is, for build products in `target`.
pub fn file_in(target: &Path) -> PathBuf {
    target.join("skipped.txt")
}

/// Removes what an earlier run left.
pub fn forget(target: &Path) -> Result<(), Failure> {
    let path = file_in(target);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::Unwritable { path, error })
        }
        _ => Ok(()),
    }
}

/// Adds a skip of our own.
pub fn add(target: &Path, test: &str, reason: &str) -> Result<(), Failure> {
    let path = file_in(target);
    let written =
        fs::OpenOptions::new().create(true).append(true).open(&path).and_then(|mut file| {
            io::Write::write_all(&mut file, format!("{test}: {reason}\n").as_bytes())
        });
    written.map_err(|error| Failure::Unwritable { path, error })
}

/// Everything skipped since.
pub fn read(target: &Path) -> Result<Skips, Failure> {
    let path = file_in(target);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Skips::parse(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Skips::default()),
        Err(error) => Err(Failure::Unreadable { path, error }),
    }
}

/// Tests that were skipped, by reason.
#[derive(Debug, Default)]
pub struct Skips {
    reasons: BTreeMap<String, usize>,
}

impl Skips {
    /// A test that ran in two builds counts once.
    pub fn parse(text: &str) -> Self {
        let mut skips = Self::default();
        for line in text.lines().collect::<BTreeSet<_>>() {
            let reason = line.split_once(": ").map_or(line, |(_, reason)| reason);
            *skips.reasons.entry(reason.to_owned()).or_default() += 1;
        }
        skips
    }

    /// How many tests, or parts of tests, were skipped.
    pub fn count(&self) -> usize {
        self.reasons.values().sum()
    }

    /// Each reason with how often it was given.
    pub fn reasons(&self) -> Vec<String> {
        self.reasons.iter().map(|(reason, count)| format!("{count}: {reason}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_are_counted_by_reason_and_each_test_once() {
        let skips =
            Skips::parse("a: no data: none\nb: no data: none\nc: no python3\na: no data: none\n");

        assert_eq!(skips.count(), 3);
        assert_eq!(skips.reasons(), ["2: no data: none", "1: no python3"]);
        assert_eq!(Skips::parse("").count(), 0);
    }

    #[test]
    fn a_run_begins_without_the_skips_of_the_last() {
        let target = std::env::temp_dir().join(format!("xtask-skips-{}", std::process::id()));
        fs::create_dir_all(&target).unwrap();
        assert_eq!(read(&target).unwrap().count(), 0);
        fs::write(file_in(&target), "a: no data\n").unwrap();
        assert_eq!(read(&target).unwrap().count(), 1);
        forget(&target).unwrap();
        forget(&target).unwrap();
        assert_eq!(read(&target).unwrap().count(), 0);
        fs::remove_dir_all(&target).unwrap();
    }
}
