//! Opening files that someone else made: regular ones, up to a size, inside their folder.
//!
//! A device or a pipe has no end and may never answer; a name that stands in a file may lead
//! anywhere. Whatever a user names or a file names is opened here and nowhere else.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Longest recording that is read whole.
pub const MAX_RECORDING_BYTES: u64 = 2 << 30;
/// Longest json of a session or of a map.
pub const MAX_JSON_BYTES: u64 = 64 << 20;

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// `InvalidInput` when it is a folder, a device or a pipe, `FileTooLarge` when it is longer, else
/// what the operating system says.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_file(path)?;
    let length = file.metadata()?.len();
    if length > limit {
        return Err(too_large(limit));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // What the system says of the length is not believed: it may grow, and some report none.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(bytes) }
}

/// Opens a regular file to be read.
///
/// # Errors
/// `InvalidInput` when it is a folder, a device or a pipe, else what the operating system says.
pub fn open_file(path: &Path) -> io::Result<File> {
    // Before it is opened, because opening a pipe waits for whoever writes; and again after.
    check_regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of UTF-8 text of at most `limit` bytes.
///
/// # Errors
/// As [`read_file`], and `InvalidData` when it is not UTF-8.
pub fn read_text_file(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read_file(path, limit)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8 text"))
}

/// The path of a file that another file names: below `folder`, links followed.
///
/// # Errors
/// `InvalidInput` when the name is absolute, climbs out of the folder, or leads out of it by a
/// link; else what the operating system says, a missing file for example.
pub fn path_inside(folder: &Path, name: &Path) -> io::Result<PathBuf> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if name.as_os_str().is_empty() || !name.components().all(is_plain) {
        return Err(leads_out(name));
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = folder.join(name);
    if path.canonicalize()?.starts_with(folder.canonicalize()?) {
        return Ok(path);
    }
    Err(leads_out(name))
}

fn check_regular(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() { "a folder" } else { "a device, pipe or socket" };
    let message = format!("this is {what}, not a file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

fn too_large(limit: u64) -> io::Error {
    let message = format!("longer than the {limit} bytes allowed for such a file");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

fn leads_out(name: &Path) -> io::Error {
    let message = format!("`{}` leads out of the folder of the file", name.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
