//! The commands of the laboratory: files in, files and text out; the work is in
//! `reckoning-lab`.

pub mod cheats;
pub mod compare;
pub mod import;
pub mod info;
pub mod reproduce;
pub mod train;
pub mod trend;

use std::path::{Path, PathBuf};

use reckoning_lab::bots;
use reckoning_lab::import::import_file;
use reckoning_recording::{Recording, find_sessions, salvage_session};

use crate::failure::{Failure, read};
use crate::progress::Progress;

/// Opens a recording of any format; of a damaged session, what comes before the damage. Says whether
/// the file is whole.
pub fn open(file: &Path) -> Result<(Recording, String), Failure> {
    if file.extension().is_none_or(|ending| ending != "reck") {
        let recording = import_file(file).map_err(Failure::lab)?;
        return Ok((recording, "whole".to_string()));
    }
    let salvaged = salvage_session(&read(file)?);
    let (opened, damage) = salvaged.map_err(|error| Failure::lab(error.in_file(file)))?;
    let state = match (damage, opened.truncated_at) {
        (Some(damage), _) => format!("damaged; this is what comes before: {damage}"),
        (None, Some(byte)) => format!("cut off after byte {byte}; this is what comes before"),
        (None, None) => "whole".to_string(),
    };
    Ok((opened.recording, state))
}

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
