//! `reckon lab import` and `reckon lab export`: sessions from and to other formats.

use std::path::Path;

use reckoning_lab::import::{bzflag, dis, import_file, rocket_league, shi, slippi};
use reckoning_lab::write_parquet;
use reckoning_recording::{
    MAX_RECORDING_BYTES, Recording, RecordingError, save_csv, write_session,
};

use crate::args::{Export, Import, Kind};
use crate::failure::{Failure, read, write};
use crate::say;

pub fn import(command: &Import) -> Result<(), Failure> {
    let (file, out) = (&command.file, &command.output);
    let parse = match command.kind {
        Kind::Bzflag => bzflag::parse,
        Kind::Slp => slippi::parse,
        Kind::Replay => rocket_league::parse,
        Kind::Shi => shi::parse,
        Kind::Dis => dis::parse,
    };
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut recording = parse(&read(file, MAX_RECORDING_BYTES)?, &name)
        .map_err(|error| Failure::lab(error.in_file(file)))?;
    if let Some(speed_px_s) = command.replay_speed {
        if command.kind != Kind::Shi {
            let wanted = "left out: only the play logs of shi are played again";
            let error = RecordingError::value(0, "--replay-speed", speed_px_s, wanted);
            return Err(Failure::lab(error));
        }
        shi::replay(&mut recording, &shi::ReplayConfig::with_speed(speed_px_s))
            .map_err(|error| Failure::lab(error.in_file(file)))?;
    }
    let (bodies, samples) = (recording.tracks.len(), recording.sample_count());
    save(recording, out)?;
    say(&format!("{}: {bodies} bodies, {samples} samples\n", out.display()))
}

fn save(mut recording: Recording, out: &Path) -> Result<(), Failure> {
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let Some(session) = name.strip_suffix(".csv.zst") else {
        let bytes = write_session(&recording, Vec::new()).map_err(Failure::lab)?;
        return write(out, &bytes);
    };
    // A csv is named after its session.
    recording.session = session.to_string();
    let folder = out.parent().unwrap_or(Path::new("."));
    save_csv(&recording, folder).map(drop).map_err(Failure::lab)
}

pub fn export(command: &Export) -> Result<(), Failure> {
    let parquet = &command.parquet;
    let recording = import_file(&command.file).map_err(Failure::lab)?;
    write(parquet, &write_parquet(&recording))?;
    say(&format!("{}: {} rows\n", parquet.display(), recording.sample_count()))
}
