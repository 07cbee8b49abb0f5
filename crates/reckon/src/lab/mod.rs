//! The commands of the laboratory: files in, files and text out; the work is in
//! `reckoning-lab`.

pub mod bytes;
pub mod cheats;
pub mod compare;
pub mod fit;
pub mod frontier;
pub mod import;
pub mod info;
mod lessons;
pub mod reproduce;
pub mod scoreboard;
pub mod train;
pub mod trend;

use std::path::{Path, PathBuf};

use reckoning_lab::bots;
use reckoning_lab::check::DataFaults;
use reckoning_lab::import::import_file;
use reckoning_recording::{Recording, find_sessions};

use crate::args::Part;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::recording::open_part;

/// All sessions under some paths; without any path, what seeded bots play.
fn sessions_or_bots(paths: &[PathBuf]) -> Result<Vec<Recording>, Failure> {
    if !paths.is_empty() {
        return load(paths);
    }
    let _progress = Progress::start("letting bots play");
    Ok(bots::sessions())
}

/// What a comparison takes for each byte of its recordings: these, what is known at every sample, and
/// what is around. A test measures it.
const COMPARED_BYTES_PER_BYTE: u64 = 5;

/// A part of each session under some paths, as much as can be compared in so much memory.
fn load_parts(paths: &[PathBuf], part: Part, memory_mib: u64) -> Result<Vec<Recording>, Failure> {
    let files = find(paths)?;
    let progress = Progress::start("reading");
    let (mut left, mut recordings) = ((memory_mib << 20) / COMPARED_BYTES_PER_BYTE, Vec::new());
    let mut usable = 0;
    for (done, file) in (0..).zip(&files) {
        progress.show(done, files.len() as u64);
        let too_much = || Failure::TooMuchToCompare { path: file.clone(), memory_mib };
        let recording = open_part(file, part, left)?.ok_or_else(too_much)?;
        usable += look_through(file, &recording);
        left = left.checked_sub(recording.memory_bytes()).ok_or_else(too_much)?;
        if part.is_all() || recording.sample_count() > 0 {
            recordings.push(recording);
        }
    }
    match files.into_iter().next().filter(|_| recordings.is_empty()) {
        Some(path) => Err(Failure::NothingInPart { path }),
        None if usable == 0 => Err(NO_VELOCITY),
        None => Ok(recordings),
    }
}

/// What is said where no file has a usable sample.
const NO_VELOCITY: Failure = Failure::NothingUsable {
    why: "nobody has two samples 60 ms apart or more in one stretch of life",
};

/// Warns of what is wrong with a recording, and counts the samples that can be used.
fn look_through(file: &Path, recording: &Recording) -> u64 {
    let faults = DataFaults::of(recording);
    faults.warnings().iter().for_each(|line| warn(file, line));
    faults.usable
}

/// Says what should be looked at, in one line.
fn warn(file: &Path, line: &str) {
    eprintln!("reckon: warning: {}: {line}", file.display());
}

/// All sessions under some paths.
fn load(paths: &[PathBuf]) -> Result<Vec<Recording>, Failure> {
    let files = find(paths)?;
    let progress = Progress::start("reading");
    let (mut recordings, mut usable) = (Vec::new(), 0);
    for (done, file) in (0..).zip(&files) {
        progress.show(done, files.len() as u64);
        let recording = import_file(file).map_err(Failure::lab)?;
        usable += look_through(file, &recording);
        recordings.push(recording);
    }
    if usable == 0 && !recordings.is_empty() { Err(NO_VELOCITY) } else { Ok(recordings) }
}

/// All files of sessions under some paths.
fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        files.extend(find_sessions(path).map_err(Failure::lab)?);
    }
    Ok(files)
}
