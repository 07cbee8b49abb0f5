//! Files that hold a key: read only where nobody else can, and written so.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use reckoning_recording::open_file;

use super::{TokenKey, TokenKeyError, new_key_hex};

/// A key of any sensible length fits; a device that never ends does not.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Why a file gave no key, or took none.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyFileError {
    /// It could not be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What is in it cannot be used, or others can read it.
    Key {
        /// Which.
        path: PathBuf,
        /// Why.
        error: TokenKeyError,
    },
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => {
                write!(f, "{}: {error}; check the path and its permissions", path.display())
            }
            Self::Key { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for KeyFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { error, .. } => Some(error),
            Self::Key { error, .. } => Some(error),
        }
    }
}

impl TokenKey {
    /// Reads a key from a file that only its owner, or its group, can read.
    ///
    /// # Errors
    /// When it cannot be read, holds no key, or others can read it (on Unix).
    pub fn from_file(path: &Path) -> Result<Self, KeyFileError> {
        let failed = |error| KeyFileError::File { path: path.to_path_buf(), error };
        let wrong = |error| KeyFileError::Key { path: path.to_path_buf(), error };
        let file = open_file(path).map_err(failed)?;
        // Of the file that is open, so that nobody changes it in between.
        if let Some(mode) = exposed(&file.metadata().map_err(failed)?) {
            return Err(wrong(TokenKeyError::Exposed { mode }));
        }
        let mut text = String::new();
        file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(failed)?;
        Self::from_hex(&text).map_err(wrong)
    }
}

/// The permissions of a file that others than its owner and its group can use.
#[cfg(unix)]
fn exposed(file: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.permissions().mode() & 0o777;
    (mode & 0o007 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn exposed(_: &fs::Metadata) -> Option<u32> {
    None
}

/// Writes a new key to a new file that only its owner can read.
///
/// # Errors
/// When there is such a file already, or it cannot be written.
pub fn write_new_key(path: &Path) -> Result<(), KeyFileError> {
    let failed = |error| KeyFileError::File { path: path.to_path_buf(), error };
    let wrong = |error| KeyFileError::Key { path: path.to_path_buf(), error };
    let key = new_key_hex().map_err(wrong)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(format!("{key}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_that_others_can_read_is_refused_with_the_remedy() {
        let path = std::env::temp_dir().join(format!("reckoning-exposed-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        write_new_key(&path).unwrap();
        assert!(TokenKey::from_file(&path).is_ok());
        assert!(write_new_key(&path).is_err(), "a key is never written over");

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(TokenKey::from_file(&path).is_ok(), "a group is given on purpose");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let refusal = TokenKey::from_file(&path).unwrap_err().to_string();
        assert!(refusal.contains("mode 644") && refusal.contains("chmod 600"), "{refusal}");
        fs::remove_file(path).unwrap();
    }
}
