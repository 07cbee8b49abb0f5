//! The commands of the laboratory: files in, files and text out; the work is in
//! `reckoning-lab`.

pub mod cheats;
pub mod compare;
pub mod import;
pub mod info;
pub mod reproduce;
pub mod train;
pub mod trend;

use std::path::PathBuf;

use reckoning_lab::bots;
use reckoning_lab::import::import_file;
use reckoning_recording::{Recording, find_sessions};

use crate::failure::Failure;
use crate::progress::Progress;

/// All sessions under some paths; without any path, what seeded bots play.
fn sessions_or_bots(paths: &[PathBuf]) -> Result<Vec<Recording>, Failure> {
    if paths.is_empty() { Ok(bots::sessions()) } else { load(paths) }
}

/// All sessions under some paths.
fn load(paths: &[PathBuf]) -> Result<Vec<Recording>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        files.extend(find_sessions(path).map_err(Failure::lab)?);
    }
    let progress = Progress::start("reading");
    let count = files.len() as u64;
    (0..)
        .zip(&files)
        .map(|(done, file)| {
            progress.show(done, count);
            import_file(file).map_err(Failure::lab)
        })
        .collect()
}
