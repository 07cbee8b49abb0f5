//! Data beside the repository for tests, and skips that are seen.
//!
//! Some tests need more than the repository holds: recordings, reference files, Python. Without
//! it a test passes, but not silently: [`skip`] writes a line that the test harness does not
//! swallow, and adds it to the file that `cargo xtask test` counts in its last line.
//!
//! ```no_run
//! # fn decoder() -> Option<()> { None }
//! let Some(decoder) = decoder() else {
//!     return reckoning_testing::skip("the_decoder_agrees", "no python3");
//! };
//! ```

use std::env;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The variable that names the file which skips are added to.
const SKIPS: &str = "RECKONING_SKIPS";

/// Says that `test`, a test or a part of one, did not check anything, and why.
pub fn skip(test: &str, reason: &str) {
    note(env::var_os(SKIPS), &mut io::stderr(), test, reason);
}

fn note(file: Option<OsString>, terminal: &mut dyn Write, test: &str, reason: &str) {
    // Not `eprintln!`: the test harness would swallow it.
    let _ = writeln!(terminal, "SKIPPED {test}: {reason}");
    let Some(path) = file else { return };
    let added = OpenOptions::new().create(true).append(true).open(&path);
    // One write, as tests of several threads and processes add to the file.
    added
        .and_then(|mut file| file.write_all(format!("{test}: {reason}\n").as_bytes()))
        .unwrap_or_else(|error| panic!("{SKIPS} {}: {error}", path.display()));
}

/// The folder of real recordings, `shared/data` beside the repository or where `RECKONING_DATA`
/// says; without it the test is skipped.
#[must_use]
pub fn recordings(test: &str) -> Option<PathBuf> {
    let path = env::var_os("RECKONING_DATA").map_or_else(|| beside("data"), PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    skip(test, "no recordings in shared/data beside the repository, nor where RECKONING_DATA says");
    None
}

/// The text of a reference file, `shared/NAME` beside the repository; without it the test is
/// skipped.
#[must_use]
pub fn reference(test: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(beside(name)).ok();
    if text.is_none() {
        skip(test, &format!("no shared/{name} beside the repository"));
    }
    text
}

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_is_seen_and_added_to_the_file() {
        let path = env::temp_dir().join(format!("reckoning-skips-{}", std::process::id()));
        let mut terminal = Vec::new();
        for test in ["one", "two"] {
            note(Some(path.clone().into()), &mut terminal, test, "no data");
        }
        let file = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();

        assert_eq!(file, "one: no data\ntwo: no data\n");
        assert_eq!(terminal, b"SKIPPED one: no data\nSKIPPED two: no data\n");
    }
}
