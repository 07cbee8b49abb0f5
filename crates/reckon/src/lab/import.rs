//! `reckon lab import` and `reckon lab export`: sessions from and to other formats.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use reckoning_lab::import::csv::ImportedCsv;
use reckoning_lab::import::{bzflag, dis, import_file, rocket_league, shi, slippi};
use reckoning_lab::write_parquet;
use reckoning_recording::{
    MAX_RECORDING_BYTES, Recording, RecordingError, SessionWriter, save_csv, write_session,
};

use crate::args::{Export, Import, Kind};
use crate::failure::{Failure, read, write};
use crate::progress::Progress;
use crate::say;

pub fn import(command: &Import) -> Result<(), Failure> {
    let (file, out) = (&command.file, &command.output);
    let _progress = Progress::start("importing");
    let parse = match command.kind {
        Kind::Csv => return import_csv(command),
        Kind::Bzflag => bzflag::parse,
        Kind::Slp => slippi::parse,
        Kind::Replay => rocket_league::parse,
        Kind::Shi => shi::parse,
        Kind::Dis => dis::parse,
    };
    if let Some(option) = command.csv.given() {
        return Err(Failure::OfCsvOnly { option });
    }
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

fn import_csv(command: &Import) -> Result<(), Failure> {
    let (file, out) = (&command.file, &command.output);
    let read = ImportedCsv::read(file, &command.csv.settings()).map_err(Failure::lab)?;
    for line in read.notes.to_string().lines() {
        eprintln!("reckon: {}: {line}", file.display());
    }
    let meta = &read.head.meta;
    let about = format!(
        "{} bodies, {} samples, {:.1} s at {:.1} Hz, {} dimensions, bodies {} {} wide",
        read.head.players.len(),
        read.notes.rows - read.notes.repeated,
        meta.duration_s,
        meta.rate_hz,
        meta.dims,
        meta.body_width,
        meta.units
    );
    if out.extension().is_some_and(|ending| ending == "reck") {
        write_pieces(&read, out)?;
    } else {
        save(read.into_recording(), out)?;
    }
    say(&format!("{}: {about}\n", out.display()))
}

/// Piece by piece, so that a long file is never in memory as samples.
fn write_pieces(read: &ImportedCsv, out: &Path) -> Result<(), Failure> {
    let refuse = |error| Failure::File { path: out.to_path_buf(), error };
    let file = BufWriter::new(File::create(out).map_err(refuse)?);
    let head = &read.head;
    let write = || {
        let mut writer = SessionWriter::start(file, &head.source, &head.session, &head.meta)?;
        writer.players(&head.players)?;
        let mut last = None;
        for piece in read.pieces() {
            writer.samples(&piece)?;
            // Pieces of a body follow each other: who lived at the end of one lives on.
            let alive = last.is_some_and(|(id, alive)| id == piece.id && alive);
            last = piece.samples.last().map(|sample| (piece.id, sample.alive));
            let mut events = Recording { tracks: vec![piece], ..Recording::default() };
            events.derive_events();
            let births = if alive { events.births.get(1..) } else { Some(&events.births[..]) };
            writer.births(births.unwrap_or_default())?;
            writer.deaths(&events.deaths)?;
        }
        writer.end()
    };
    write().map_err(refuse)
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
    let _progress = Progress::start("exporting");
    let recording = import_file(&command.file).map_err(Failure::lab)?;
    write(parquet, &write_parquet(&recording))?;
    say(&format!("{}: {} rows\n", parquet.display(), recording.sample_count()))
}
