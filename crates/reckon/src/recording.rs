//! Opening a recording, whatever state it is in and however long it is.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

#[cfg(feature = "lab")]
use reckoning_lab::import::import_file;
#[cfg(not(feature = "lab"))]
use reckoning_recording::load_file as import_file;
#[cfg(feature = "lab")]
use reckoning_recording::{
    Fault, SimSpan, csv_start, load_csv_within, read_session_within, summarize_csv,
};
use reckoning_recording::{
    Recording, RecordingError, SessionStream, SessionSummary, open_file, salvage_summary,
};

#[cfg(feature = "lab")]
use crate::args::Part;
use crate::failure::Failure;

/// A recording, opened to be looked through.
pub enum Opened {
    /// A session file, which is read piece by piece; of a damaged one, what comes before the damage.
    Session {
        summary: Box<SessionSummary>,
        #[cfg_attr(not(feature = "lab"), expect(dead_code, reason = "`reckon lab info` tells it"))]
        state: String,
    },
    /// Any other format, read whole.
    Whole(Box<Recording>),
}

/// Opens a recording of any format, without the feature `lab` sessions and CSV only.
pub fn open(file: &Path) -> Result<Opened, Failure> {
    if !is_session(file) {
        let recording = import_file(file).map_err(Failure::lab)?;
        return Ok(Opened::Whole(Box::new(recording)));
    }
    let (summary, damage) = salvage_summary(reader(file)?).map_err(|error| named(file, error))?;
    let state = match (damage, summary.truncated_at) {
        (Some(damage), _) => format!("damaged; this is what comes before: {damage}"),
        (None, Some(byte)) => format!("cut off after byte {byte}; this is what comes before"),
        (None, None) => "whole".to_string(),
    };
    Ok(Opened::Session { summary: Box::new(summary), state })
}

/// Hands over a session file piece by piece, up to its end or its first damage.
pub fn each_piece(file: &Path, mut take: impl FnMut(Recording)) -> Result<(), Failure> {
    let mut stream = SessionStream::open(reader(file)?).map_err(|error| named(file, error))?;
    while let Ok(Some(piece)) = stream.next() {
        take(piece);
    }
    Ok(())
}

/// A part of a recording of any format; `None` when it takes more than `cap_bytes` of memory.
#[cfg(feature = "lab")]
pub fn open_part(file: &Path, part: Part, cap_bytes: u64) -> Result<Option<Recording>, Failure> {
    if is_csv(file) {
        return csv_part(file, part, cap_bytes);
    }
    if !is_session(file) {
        let mut recording = import_file(file).map_err(Failure::lab)?;
        if let Some((first, _)) = recording.span().filter(|_| !part.is_all()) {
            recording.keep_within(part.of(first));
        }
        return Ok(Some(recording));
    }
    let span = if part.is_all() { SimSpan::ALL } else { span_of(file, part)? };
    fitting(file, read_session_within(reader(file)?, span, cap_bytes), cap_bytes)
}

/// A part of a csv, which is read line by line.
#[cfg(feature = "lab")]
fn csv_part(file: &Path, part: Part, cap_bytes: u64) -> Result<Option<Recording>, Failure> {
    let span = if part.is_all() {
        SimSpan::ALL
    } else {
        csv_start(file).map_err(Failure::lab)?.map_or(SimSpan::ALL, |at| part.of(at))
    };
    fitting(file, load_csv_within(file, span, cap_bytes), cap_bytes)
}

/// `None` in place of what takes more than it may.
#[cfg(feature = "lab")]
fn fitting(
    file: &Path,
    read: Result<Recording, RecordingError>,
    cap_bytes: u64,
) -> Result<Option<Recording>, Failure> {
    match read {
        Ok(recording) => Ok(Some(recording)),
        Err(RecordingError { fault: Fault::TooLarge { limit, .. }, .. }) if limit == cap_bytes => {
            Ok(None)
        }
        Err(error) => Err(named(file, error)),
    }
}

/// What is known of a recording of any format, without keeping its samples where that can be.
#[cfg(feature = "lab")]
pub fn summarize(file: &Path) -> Result<(SessionSummary, String), Failure> {
    if is_csv(file) {
        let summary = summarize_csv(file).map_err(Failure::lab)?;
        return Ok((summary, "whole".to_string()));
    }
    Ok(match open(file)? {
        Opened::Session { summary, state } => (*summary, state),
        Opened::Whole(recording) => (SessionSummary::from(&*recording), "whole".to_string()),
    })
}

#[cfg(feature = "lab")]
fn is_csv(file: &Path) -> bool {
    let name = file.to_string_lossy();
    name.ends_with(".csv") || name.ends_with(".csv.zst")
}

/// When a recording begins is known once all of it was seen: bodies may come in any order.
#[cfg(feature = "lab")]
fn span_of(file: &Path, part: Part) -> Result<SimSpan, Failure> {
    let (summary, _) = salvage_summary(reader(file)?).map_err(|error| named(file, error))?;
    Ok(summary.span().map_or(SimSpan::ALL, |(first, _)| part.of(first)))
}

fn is_session(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "reck")
}

fn reader(file: &Path) -> Result<BufReader<File>, Failure> {
    open_file(file)
        .map(BufReader::new)
        .map_err(|error| Failure::File { path: file.to_path_buf(), error })
}

fn named(file: &Path, error: RecordingError) -> Failure {
    Failure::lab(error.in_file(file))
}
