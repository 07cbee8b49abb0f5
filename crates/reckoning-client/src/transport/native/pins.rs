//! Notes that servers of this user leave of their certificates, for clients on the same machine.
//!
//! The other side is `local_pins.rs` of `reckoning-server`: one empty file for each certificate in use,
//! named by its hash. Other users of the machine can take a port, but cannot write here.

use std::fs;
use std::path::{Path, PathBuf};

/// Whether a server of this user noted the certificate with this hash.
pub(super) fn is_noted(sha256: &[u8]) -> bool {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    let name: String = sha256.iter().flat_map(|it| [digit(it >> 4), digit(it & 15)]).collect();
    folders().iter().any(|folder| is_private(folder) && is_file(&folder.join(&name)))
}

/// The folders that servers write to, in their order.
fn folders() -> Vec<PathBuf> {
    let under = |name: &str, rest: &str| {
        let root = PathBuf::from(std::env::var_os(name)?);
        root.is_absolute().then(|| root.join(rest))
    };
    let folders = [
        under("XDG_STATE_HOME", "reckoning/servers"),
        under("HOME", ".local/state/reckoning/servers"),
        under("XDG_RUNTIME_DIR", "reckoning/servers"),
        under("LOCALAPPDATA", "reckoning/servers"),
    ];
    folders.into_iter().flatten().collect()
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_file())
}

/// Whether nobody but its owner can write there.
#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let found = fs::symlink_metadata(folder);
    found.is_ok_and(|it| it.is_dir() && it.permissions().mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_private(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_that_others_can_write_to_is_not_believed() {
        let folder = std::env::temp_dir().join(format!("reckoning-pins-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let allow = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        allow(0o700);
        assert!(is_private(&folder));
        allow(0o722);
        assert!(!is_private(&folder));
        fs::remove_dir_all(&folder).unwrap();
        assert!(!is_private(&folder));
    }
}
