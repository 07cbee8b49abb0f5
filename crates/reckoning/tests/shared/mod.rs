//! Reference files that lie beside the repository and are not part of it.

use std::path::PathBuf;

/// The text of `shared/<name>` beside the repository; `None`, after saying so, without it.
pub fn text(name: &str) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("SKIPPED: {} not found; nothing was checked against it", path.display());
    }
    text
}
