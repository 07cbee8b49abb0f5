//! Where recordings of people are looked for.

use std::path::{Path, PathBuf};

/// The folder that `RECKONING_DATA` names, or `shared/data` in the folder of work or one above it;
/// `None` when there is none.
#[must_use]
pub fn recordings_folder() -> Option<PathBuf> {
    let named = std::env::var_os("RECKONING_DATA").map(PathBuf::from);
    let found = named.or_else(|| {
        let here = std::env::current_dir().ok()?;
        here.ancestors().map(beside).find(|folder| folder.is_dir())
    });
    found.filter(|folder| folder.is_dir())
}

fn beside(folder: &Path) -> PathBuf {
    folder.join("shared").join("data")
}
