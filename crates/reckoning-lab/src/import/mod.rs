//! Importers of foreign formats into a [`Recording`].
//!
//! | file | what | by |
//! |---|---|---|
//! | `.rec` | BZFlag server recording | [`bzflag`] |
//! | `.slp` | Super Smash Bros. Melee, Slippi replay | [`slippi`] |
//! | `.replay` | Rocket League replay, feature `replay` | `rocket_league` |
//! | `.pcap`, `.pcapng` | DIS traffic: Entity State PDUs over UDP | [`dis`] |
//! | `.xml` | the play logs of the SHI study | [`shi`] |
//! | any csv | rows of moment, body and place under any names | [`csv`] |
//!
//! Each reader is a function of bytes and a name for the session. Whatever the bytes are, it
//! gives a recording or an error with an offset, never a panic: nothing is indexed unchecked
//! and no length is believed before the bytes are there. Readers are strict where a file
//! contradicts itself and lenient where it holds what they do not know.

use std::path::Path;

use reckoning_recording::{
    Fault, MAX_RECORDING_BYTES, Recording, RecordingError, load_file, read_file,
};

pub mod bzflag;
pub mod csv;
pub mod dis;
mod pcap;
#[cfg(feature = "replay")]
pub mod rocket_league;
#[cfg(feature = "replay")]
mod rocket_league_memory;
pub mod shi;
pub mod slippi;
mod udp;

/// Reads any recording this crate knows, by the ending of its name; what has no reader of its
/// own here is taken for a session (see [`load_file`]).
///
/// # Errors
/// Names the file and the place in it.
pub fn import_file(path: &Path) -> Result<Recording, RecordingError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let read: fn(&[u8], &str) -> Result<Recording, RecordingError> =
        match ending.to_ascii_lowercase().as_str() {
            "rec" => bzflag::parse,
            "slp" => slippi::parse,
            "pcap" | "pcapng" | "cap" => dis::parse,
            "xml" => shi::parse,
            "replay" => replay,
            _ => return load_file(path),
        };
    let bytes =
        read_file(path, MAX_RECORDING_BYTES).map_err(|error| RecordingError::io(path, error))?;
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("unnamed");
    read(&bytes, name).map_err(|error| error.in_file(path))
}

#[cfg(feature = "replay")]
use rocket_league::parse as replay;

#[cfg(not(feature = "replay"))]
fn replay(_: &[u8], _: &str) -> Result<Recording, RecordingError> {
    let expected = "readable without the cargo feature `replay`";
    Err(RecordingError::new(Fault::Foreign { expected }))
}

/// The refusal of a file that is something else.
fn foreign(expected: &'static str) -> RecordingError {
    RecordingError::at(0, Fault::Foreign { expected })
}

/// Puts a recording in order and fills in what follows from its tracks.
fn finish(mut recording: Recording) -> Recording {
    recording.tidy();
    if let Some((first, last)) = recording.span() {
        recording.meta.duration_s = last.secs_since(first);
    }
    if recording.meta.rate_hz == 0.0 {
        let longest = recording.tracks.iter().max_by_key(|track| track.samples.len());
        let span = longest.and_then(|track| track.samples.first().zip(track.samples.last()));
        let secs = span.map_or(0.0, |(first, last)| last.at.secs_since(first.at));
        let steps = longest.map_or(0, |track| track.samples.len().saturating_sub(1));
        recording.meta.rate_hz = if secs > 0.0 { steps as f64 / secs } else { 0.0 };
    }
    recording
}
