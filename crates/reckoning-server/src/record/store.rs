//! Where session files are kept: a folder, or something that fails in a test.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A place for session files.
pub(crate) trait Store: Send {
    /// Begins an empty file, whose name is on the disk once this returns.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] when there is one of this name, or what the system says.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Storage>>;

    /// Takes a file away that holds nothing of worth.
    fn remove(&mut self, name: &str);
}

/// One file, written at its end.
pub(crate) trait Storage: Send {
    /// Appends all of these bytes, or some of them and fails.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Returns once everything that was appended is on the disk. After an error nobody knows what
    /// is; a second try may succeed and mean nothing.
    fn sync(&mut self) -> io::Result<()>;

    /// Forgets everything from `length` on.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

/// Files in a folder.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder, made if it is not there.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self(path.to_path_buf()))
    }
}

impl Store for Folder {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Storage>> {
        let file = File::create_new(self.0.join(name))?;
        // A file whose name is not on the disk is lost with the power, synced or not.
        #[cfg(unix)]
        File::open(&self.0)?.sync_all()?;
        Ok(Box::new(file))
    }

    fn remove(&mut self, name: &str) {
        // It is empty: no harm is done if it stays.
        let _ = fs::remove_file(self.0.join(name));
    }
}

impl Storage for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(|_| ())
    }
}
