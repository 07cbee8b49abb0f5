//! Helpers of several test files.
#![allow(dead_code)] // each file uses a part

use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of real recordings, or a visible note that a test was skipped.
pub fn data(test: &str) -> Option<PathBuf> {
    reckoning_testing::recordings(test)
}

/// An empty folder of this test's own.
pub fn scratch(test: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("reckoning-{}-{test}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// The text inside a `.zst`.
pub fn unpack(path: &Path) -> Vec<u8> {
    let file = std::fs::read(path).unwrap();
    let mut text = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(&file[..]).unwrap().read_to_end(&mut text).unwrap();
    text
}

/// A real file that does not lie in the repository, or a visible note that it was left out.
///
/// `tools/fetch-fixtures.sh` fetches them to the folder that `RECKONING_FIXTURES` names.
pub fn fixture(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("RECKONING_FIXTURES").map(PathBuf::from);
    let path = folder.unwrap_or_default().join(name);
    if path.is_file() {
        return Some(path);
    }
    reckoning_testing::skip(name, "run tools/fetch-fixtures.sh and set RECKONING_FIXTURES");
    None
}
