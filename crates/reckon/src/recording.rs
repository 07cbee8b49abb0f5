//! Opening a recording, whatever state it is in.

use std::path::Path;

#[cfg(feature = "lab")]
use reckoning_lab::import::import_file;
#[cfg(not(feature = "lab"))]
use reckoning_recording::load_file as import_file;
use reckoning_recording::{MAX_RECORDING_BYTES, Recording, salvage_session};

use crate::failure::{Failure, read};

/// Opens a recording of any format, without the feature `lab` sessions and CSV only; of a damaged session, what comes before the damage. Says whether
/// the file is whole.
pub fn open(file: &Path) -> Result<(Recording, String), Failure> {
    if file.extension().is_none_or(|ending| ending != "reck") {
        let recording = import_file(file).map_err(Failure::lab)?;
        return Ok((recording, "whole".to_string()));
    }
    let salvaged = salvage_session(&read(file, MAX_RECORDING_BYTES)?);
    let (opened, damage) = salvaged.map_err(|error| Failure::lab(error.in_file(file)))?;
    let state = match (damage, opened.truncated_at) {
        (Some(damage), _) => format!("damaged; this is what comes before: {damage}"),
        (None, Some(byte)) => format!("cut off after byte {byte}; this is what comes before"),
        (None, None) => "whole".to_string(),
    };
    Ok((opened.recording, state))
}
