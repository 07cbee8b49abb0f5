//! Recordings on disk: finding, loading and saving them. The only part here that touches files.

use std::collections::BTreeMap;
use std::fs::{self, FileType};
use std::io;
use std::path::{Component, Path, PathBuf};

use reckoning::SimTime;
use serde_json::Value;

use super::level::level_of;
use super::meta::team_play;
use super::{
    Fault, MAX_JSON_BYTES, MAX_RECORDING_BYTES, OpenedSession, Player, Recording, RecordingError,
    SessionSummary, SimSpan, Track, csv::CsvStream, open_session, parse_level, parse_meta,
    path_inside, read_file, session::CsvTally, sidecar, write_csv, write_level, write_meta, zstd,
};

/// All session files under a path, sorted: the path itself if it is one, else what the folder
/// and its folders hold.
///
/// # Errors
/// Names the path when nothing is there, or nothing that is a session.
pub fn find_sessions(path: &Path) -> Result<Vec<PathBuf>, RecordingError> {
    let kind = fs::metadata(path).map_err(|error| RecordingError::io(path, error))?;
    if kind.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let root = path.canonicalize().map_err(|error| RecordingError::io(path, error))?;
    let mut found = Vec::new();
    collect(&root, path, &mut found)?;
    found.sort();
    if found.is_empty() {
        return Err(RecordingError::new(Fault::NoSessions).in_file(path));
    }
    Ok(found)
}

/// Links are followed to files below `root` only: a folder from elsewhere may hold any.
fn collect(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), RecordingError> {
    let refuse = |error| RecordingError::io(folder, error);
    for entry in fs::read_dir(folder).map_err(refuse)? {
        let entry = entry.map_err(refuse)?;
        let path = entry.path();
        let kind = entry.file_type().map_err(refuse)?;
        if kind.is_dir() {
            collect(root, &path, found)?;
        } else if is_session(&path) && stays_inside(root, &path, kind) {
            found.push(path);
        }
    }
    Ok(())
}

fn stays_inside(root: &Path, path: &Path, kind: FileType) -> bool {
    !kind.is_symlink() || path.canonicalize().is_ok_and(|target| target.starts_with(root))
}

fn is_session(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    [".csv.zst", ".csv", ".reck"].iter().any(|ending| name.ends_with(ending))
}

/// Loads every session under a path, in the order of [`find_sessions`].
///
/// # Errors
/// Names the first file that cannot be read, and where in it.
pub fn load_sessions(path: &Path) -> Result<Vec<Recording>, RecordingError> {
    find_sessions(path)?.iter().map(|path| load_file(path)).collect()
}

/// Loads one session: a session file (`.reck`), or a csv with its json beside it. A session
/// file that was cut off gives what it holds; use [`open_session`] to be told.
///
/// # Errors
/// Names the file that cannot be read, and where in it.
pub fn load_file(path: &Path) -> Result<Recording, RecordingError> {
    if path.extension().is_some_and(|ending| ending == "reck") {
        let bytes = read(path, MAX_RECORDING_BYTES)?;
        let opened: OpenedSession = open_session(&bytes).map_err(|error| error.in_file(path))?;
        return Ok(opened.recording);
    }
    load_csv(path)
}

fn read(path: &Path, limit: u64) -> Result<Vec<u8>, RecordingError> {
    read_file(path, limit).map_err(|error| RecordingError::io(path, error))
}

/// Reads a json that belongs to the file at `path`: below its folder, wherever links lead.
fn read_beside(path: &Path, name: &Path) -> Result<(PathBuf, Vec<u8>), RecordingError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let inside = |error: io::Error| RecordingError::io(&folder.join(name), error);
    let beside = path_inside(folder, name).map_err(inside)?;
    let bytes = read(&beside, MAX_JSON_BYTES)?;
    Ok((beside, bytes))
}

fn load_csv(path: &Path) -> Result<Recording, RecordingError> {
    let mut recording = load_sidecar(path)?;
    let rows = CsvStream::open(path)?;
    recording.tracks = rows.rest().map_err(|error| error.in_file(path))?;
    complete(&mut recording);
    Ok(recording)
}

/// What lies beside a csv: its json, and the map that this names.
fn load_sidecar(path: &Path) -> Result<Recording, RecordingError> {
    let name = json_name(path);
    let (beside, json) = read_beside(path, &name).map_err(|error| match error.fault {
        Fault::Missing => RecordingError { fault: Fault::NoSidecar, ..error },
        _ => error,
    })?;
    let (source, session, meta) = parse_meta(&json).map_err(|error| error.in_file(&beside))?;
    sidecar::check(&meta.other).map_err(|error| error.in_file(&beside))?;
    let mut recording = Recording { source, session, meta, ..Recording::default() };
    recording.level = level_of(&recording.meta.other);
    if let Some(map) = recording.meta.other.get("map_file").and_then(Value::as_str) {
        let (map, json) = read_beside(path, Path::new(map))?;
        recording.level = parse_level(&json).map_err(|error| error.in_file(&map))?;
    }
    Ok(recording)
}

/// Rows of a csv that are in memory while it is read in pieces.
const PIECE_ROWS: usize = 1 << 16;

/// Reads a csv through, keeping no row.
///
/// # Errors
/// Names the file and the place in it.
pub fn summarize_csv(path: &Path) -> Result<SessionSummary, RecordingError> {
    let beside = load_sidecar(path)?;
    let named = |error: RecordingError| error.in_file(path);
    let mut rows = CsvStream::open(path)?;
    let mut tally = CsvTally::new(&beside).map_err(named)?;
    while let Some(tracks) = rows.next_piece(PIECE_ROWS).map_err(named)? {
        let players = tracks.iter().map(|track| player_of(&beside, track)).collect();
        let part = Recording { players, tracks, ..Recording::default() };
        tally.add(&part).map_err(named)?;
    }
    Ok(tally.finish())
}

/// When the first row of a csv is; `None` without rows. They may come in any order.
///
/// # Errors
/// Names the file and the place in it.
pub fn csv_start(path: &Path) -> Result<Option<SimTime>, RecordingError> {
    let mut rows = CsvStream::open(path)?;
    let mut first = None;
    while let Some(tracks) = rows.next_piece(PIECE_ROWS).map_err(|error| error.in_file(path))? {
        let own = tracks.iter().filter_map(|track| track.samples.first()).map(|it| it.at).min();
        first = first.into_iter().chain(own).min();
    }
    Ok(first)
}

/// Loads what of a csv lies in a span of time, if that takes at most so many bytes.
///
/// # Errors
/// Names the file and the place in it; [`Fault::TooLarge`] with this limit when it takes more.
pub fn load_csv_within(
    path: &Path,
    span: SimSpan,
    cap_bytes: u64,
) -> Result<Recording, RecordingError> {
    let mut recording = load_sidecar(path)?;
    let mut rows = CsvStream::open(path)?;
    let mut places = BTreeMap::new();
    while let Some(tracks) = rows.next_piece(PIECE_ROWS).map_err(|error| error.in_file(path))? {
        for mut piece in tracks {
            if !piece.keep_within(span) {
                continue;
            }
            let place = *places.entry(piece.id).or_insert(recording.tracks.len());
            match recording.tracks.get_mut(place) {
                Some(track) => track.append(piece),
                None => recording.tracks.push(piece),
            }
        }
        let got = recording.memory_bytes();
        if got > cap_bytes {
            let fault = Fault::TooLarge { field: "content", got, limit: cap_bytes };
            return Err(RecordingError::new(fault).in_file(path));
        }
    }
    complete(&mut recording);
    Ok(recording)
}

/// `x.csv.zst` and `x.csv` have their json at `x.json`.
fn json_name(path: &Path) -> PathBuf {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(".zst").unwrap_or(name);
    PathBuf::from(format!("{}.json", stem.strip_suffix(".csv").unwrap_or(stem)))
}

/// What csv and json do not say outright.
fn complete(recording: &mut Recording) {
    let players = recording.tracks.iter().map(|track| player_of(recording, track));
    recording.players = players.collect();
    recording.meta.team_play =
        team_play(&recording.meta.other).unwrap_or_else(|| recording.has_teams());
    recording.derive_events();
}

fn player_of(recording: &Recording, track: &Track) -> Player {
    Player { id: track.id, team: track.team, name: name_of(recording, track.id, track.team) }
}

fn name_of(recording: &Recording, id: i32, team: i32) -> String {
    let entities = recording.meta.other.get("entities");
    let entity = entities.and_then(|entities| entities.get(id.to_string()));
    match entity.and_then(|entity| entity.get("name")).and_then(Value::as_str) {
        Some(name) => name.to_string(),
        None if id == -1 && team == -1 => "ball".to_string(),
        None => String::new(),
    }
}

/// Names come from files: one that leads out of the folder is refused.
fn inside(name: &Path) -> Result<&Path, RecordingError> {
    if name.components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(name);
    }
    let got = name.display().to_string();
    let wanted = "a name inside the folder";
    Err(RecordingError::new(Fault::Value { field: "file name".into(), got, wanted }))
}

/// Writes a recording into a folder as `<session>.csv.zst` and `<session>.json`, and its map
/// where the json says, in place of files that are there. Inputs, births, deaths, item events
/// and snapshots have no place in this form. Returns the path of the csv.
///
/// # Errors
/// Names the file that cannot be written.
pub fn save_csv(recording: &Recording, folder: &Path) -> Result<PathBuf, RecordingError> {
    let put = |name: &Path, bytes: &[u8]| {
        let path = folder.join(inside(name)?);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|error| RecordingError::io(&path, error))?;
        Ok(path)
    };
    let named = |ending: &str| PathBuf::from(format!("{}{ending}", recording.session));
    put(&named(".json"), &write_meta(&recording.source, &recording.session, &recording.meta))?;
    if let Some(map) = recording.meta.other.get("map_file").and_then(Value::as_str) {
        put(Path::new(map), &write_level(&recording.level))?;
    }
    put(&named(".csv.zst"), &zstd::pack(&write_csv(recording)))
}
