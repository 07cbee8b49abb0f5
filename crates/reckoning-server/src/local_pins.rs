//! Notes of the certificates in use, for clients on this machine.
//!
//! Whoever connects over loopback cannot ask an authority who is there, and any user of the machine can
//! take a port. So a server notes the hash of its certificate in a folder that only its user can write,
//! and clients of the same user take what is noted there (`reckoning-client`, `transport/native/pins.rs`,
//! which knows the same folders). The note goes when the server stops; one that a killed server left is
//! of no use to others, as the key died with the server, and is swept away later.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::token::to_hex;

/// Notes are renewed this often while a server runs.
pub(crate) const RENEW_EVERY: Duration = Duration::from_hours(1);
/// A note that was not renewed for so long is of a server that was killed.
const STALE_AFTER: Duration = Duration::from_hours(24 * 3);
/// Notes that are looked at in one sweep.
const MAX_SWEPT: usize = 4_096;

/// The note of one certificate; dropping it takes it back.
#[derive(Debug)]
pub(crate) struct Note {
    path: PathBuf,
}

impl Note {
    /// Notes a certificate where clients of this user look for it; `None` where there is no such place.
    pub(crate) fn write(sha256: &[u8; 32]) -> Option<Self> {
        folders().into_iter().find_map(|folder| Self::write_in(&folder, sha256).ok())
    }

    fn write_in(folder: &Path, sha256: &[u8; 32]) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        sweep(folder);
        let path = folder.join(to_hex(sha256));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?;
        Ok(Self { path })
    }

    /// Tells that the server still runs.
    pub(crate) fn renew(&self) {
        // Whoever cannot write it now could once; the next hour may be better.
        let _ = fs::write(&self.path, b"");
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Folders for notes, the preferred one first. Clients look into all of them, since a server that a
/// service manager started may know fewer than its user's shell.
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

/// Removes notes of servers that were killed.
fn sweep(folder: &Path) {
    let Ok(notes) = fs::read_dir(folder) else { return };
    for note in notes.take(MAX_SWEPT).flatten() {
        let changed = note.metadata().and_then(|it| it.modified());
        let age = changed.ok().and_then(|it| it.elapsed().ok());
        if age.is_some_and(|age| age > STALE_AFTER) {
            let _ = fs::remove_file(note.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::FileTimes;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_note_is_private_and_goes_with_its_server() {
        let folder = std::env::temp_dir().join(format!("reckoning-notes-{}", std::process::id()));
        let note = Note::write_in(&folder, &[7; 32]).unwrap();
        let path = folder.join("07".repeat(32));
        assert!(path.is_file());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
        }
        drop(note);
        assert!(!path.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn notes_of_killed_servers_are_swept_away() {
        let folder = std::env::temp_dir().join(format!("reckoning-sweep-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let left = folder.join("left");
        let file = fs::File::create(&left).unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_hours(24);
        file.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
        let renewed = Note::write_in(&folder, &[1; 32]).unwrap();
        let other = Note::write_in(&folder, &[2; 32]).unwrap();
        assert!(!left.exists() && renewed.path.exists() && other.path.exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
