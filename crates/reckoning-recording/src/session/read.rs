//! Reader of session files, whole, cut off or damaged.

use std::io::Read;

use super::chunk::{self, ChunkKind, NextChunk};
use super::events::take_all;
use super::samples;
use crate::meta::team_play;
use crate::{Cursor, Fault, Recording, RecordingError, Track, parse_level, parse_meta};

/// A session file, opened.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedSession {
    /// Everything up to the end, or up to the cut.
    pub recording: Recording,
    /// Where the last whole chunk ends, if the file was not closed properly: a crash, a full
    /// disk, or a recording that still runs.
    pub truncated_at: Option<u64>,
}

/// Opens a session file.
///
/// # Errors
/// Names the byte when this is no session file, is newer than this program, or was damaged.
/// A file that was only cut off is no error.
pub fn open_session(bytes: &[u8]) -> Result<OpenedSession, RecordingError> {
    match salvage_session(bytes)? {
        (opened, None) => Ok(opened),
        (_, Some(damage)) => Err(damage),
    }
}

/// Opens a session file from a reader; see [`open_session`].
///
/// # Errors
/// As [`open_session`], and when the reader fails.
pub fn read_session(mut from: impl Read) -> Result<OpenedSession, RecordingError> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).map_err(|error| RecordingError::new(Fault::Io(error)))?;
    open_session(&bytes)
}

/// Opens what comes before the first damage, and tells of it.
///
/// # Errors
/// When not even the header is that of a session file.
pub fn salvage_session(
    bytes: &[u8],
) -> Result<(OpenedSession, Option<RecordingError>), RecordingError> {
    chunk::check_file_header(bytes)?;
    let mut cursor = Cursor::new(bytes);
    cursor.skip(chunk::FILE_HEADER_BYTES)?;
    let mut reader = SessionReader { recording: Recording::default(), closed: false };
    let mut whole = cursor.offset();
    let damage = loop {
        match reader.step(&mut cursor) {
            Ok(true) => whole = cursor.offset(),
            Ok(false) => break None,
            Err(error) => break Some(error),
        }
    };
    let complete = reader.closed && damage.is_none() && whole == bytes.len() as u64;
    let truncated_at = (!complete).then_some(whole);
    Ok((OpenedSession { recording: reader.finish(), truncated_at }, damage))
}

struct SessionReader {
    recording: Recording,
    /// Whether the last chunk was an end.
    closed: bool,
}

impl SessionReader {
    /// Takes in one chunk; `false` at the end of what is whole.
    fn step(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, RecordingError> {
        match chunk::next(cursor)? {
            NextChunk::Cut => return Ok(false),
            NextChunk::Skipped => self.closed = false,
            NextChunk::Chunk { kind, raw, payload_at } => {
                self.closed = kind == ChunkKind::End;
                // Offsets inside an unpacked chunk are not offsets of the file: name its start.
                let place =
                    |error| RecordingError { offset: Some(payload_at), line: None, ..error };
                self.take(kind, &raw).map_err(place)?;
            }
        }
        Ok(true)
    }

    fn take(&mut self, kind: ChunkKind, raw: &[u8]) -> Result<(), RecordingError> {
        let cursor = &mut Cursor::new(raw);
        let recording = &mut self.recording;
        match kind {
            ChunkKind::Meta => {
                let (source, session, meta) = parse_meta(raw)?;
                (recording.source, recording.session, recording.meta) = (source, session, meta);
            }
            ChunkKind::Level => recording.level = parse_level(raw)?,
            ChunkKind::Player => take_all(&mut recording.players, cursor)?,
            ChunkKind::Samples => self.extend_track(samples::decode(cursor)?)?,
            ChunkKind::Inputs => take_all(&mut recording.inputs, cursor)?,
            ChunkKind::Births => take_all(&mut recording.births, cursor)?,
            ChunkKind::Deaths => take_all(&mut recording.deaths, cursor)?,
            ChunkKind::ItemEvents => take_all(&mut recording.item_events, cursor)?,
            ChunkKind::Snapshot => take_all(&mut recording.snapshots, cursor)?,
            ChunkKind::End => {}
        }
        Ok(())
    }

    fn extend_track(&mut self, stretch: Track) -> Result<(), RecordingError> {
        let tracks = &mut self.recording.tracks;
        let Some(track) = tracks.iter_mut().find(|track| track.id == stretch.id) else {
            tracks.push(stretch);
            return Ok(());
        };
        let names = |track: &Track| track.extras.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        if names(track) != names(&stretch) {
            let got = names(&stretch).join(",");
            return Err(RecordingError::value(0, "columns", got, "those of the track before"));
        }
        if let Some(first) = stretch.samples.first() {
            track.change_team(first.at, stretch.team);
        }
        track.samples.extend(stretch.samples);
        for (column, more) in track.extras.iter_mut().zip(stretch.extras) {
            column.values.extend(more.values);
            // A label keeps its index for good, so a later list only ever adds to an earlier.
            if more.labels.len() > column.labels.len() {
                column.labels = more.labels;
            }
        }
        Ok(())
    }

    /// The order the rest of the laboratory relies on is made here, whatever the file holds.
    fn finish(mut self) -> Recording {
        self.recording.tidy();
        if let Some(said) = team_play(&self.recording.meta.other) {
            self.recording.meta.team_play = said;
        }
        self.recording
    }
}
