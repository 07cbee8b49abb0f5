//! Reader of session files, whole, cut off or damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use reckoning::SimTime;

use super::chunk::{self, ChunkKind, NextChunk};
use super::events::take_all;
use super::samples;
use crate::level::level_within;
use crate::meta::{meta_within, team_play};
use crate::{
    Column, Cursor, Fault, MemoryBudget, Player, Recording, RecordingError, SimSpan, Track,
};

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
    let mut reader = SessionReader::new(MemoryBudget::for_input(bytes.len()));
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

pub(super) struct SessionReader {
    recording: Recording,
    /// Where the track of each id is.
    tracks: BTreeMap<i32, usize>,
    budget: MemoryBudget,
    /// What is kept of it.
    span: SimSpan,
    /// Whether the last chunk was an end.
    closed: bool,
}

impl SessionReader {
    pub(super) fn new(budget: MemoryBudget) -> Self {
        Self::within(SimSpan::ALL, budget)
    }

    /// Keeps what happens in a span of time, and everything that has no time.
    pub(super) fn within(span: SimSpan, budget: MemoryBudget) -> Self {
        let (recording, tracks) = (Recording::default(), BTreeMap::new());
        Self { recording, tracks, budget, span, closed: false }
    }

    /// Takes in one chunk; `false` at the end of what is whole.
    pub(super) fn step(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, RecordingError> {
        match chunk::next(cursor, &mut self.budget)? {
            NextChunk::Cut => return Ok(false),
            NextChunk::Skipped => self.closed = false,
            NextChunk::Chunk { kind, raw, payload_at } => {
                self.closed = kind == ChunkKind::End;
                // Offsets inside an unpacked chunk are not offsets of the file: name its start.
                let place =
                    |error| RecordingError { offset: Some(payload_at), line: None, ..error };
                self.take(kind, &raw).map_err(place)?;
                self.budget.release(raw.capacity() as u64);
            }
        }
        Ok(true)
    }

    fn take(&mut self, kind: ChunkKind, raw: &[u8]) -> Result<(), RecordingError> {
        let cursor = &mut Cursor::new(raw);
        let (recording, budget, span) = (&mut self.recording, &mut self.budget, self.span);
        match kind {
            ChunkKind::Meta => {
                let (source, session, meta) = meta_within(raw, budget)?;
                (recording.source, recording.session, recording.meta) = (source, session, meta);
            }
            ChunkKind::Level => recording.level = level_within(raw, budget)?,
            ChunkKind::Player => take_all(&mut recording.players, cursor, budget, |_| true)?,
            ChunkKind::Samples => {
                let before = budget.held();
                let mut stretch = samples::decode(cursor, budget)?;
                let stretch_bytes = budget.held() - before;
                if stretch.keep_within(span) {
                    self.extend_track(stretch, stretch_bytes)?;
                } else {
                    budget.release(stretch_bytes);
                }
            }
            ChunkKind::Inputs => {
                take_all(&mut recording.inputs, cursor, budget, |it| span.contains(it.at))?;
            }
            ChunkKind::Births => {
                take_all(&mut recording.births, cursor, budget, |it| span.contains(it.at))?;
            }
            ChunkKind::Deaths => {
                take_all(&mut recording.deaths, cursor, budget, |it| span.contains(it.at))?;
            }
            ChunkKind::ItemEvents => {
                take_all(&mut recording.item_events, cursor, budget, |it| span.contains(it.at))?;
            }
            ChunkKind::Snapshot => {
                take_all(&mut recording.snapshots, cursor, budget, |it| span.contains(it.at))?;
            }
            ChunkKind::End => {}
        }
        Ok(())
    }

    /// Takes in a stretch for which `stretch_bytes` are held.
    fn extend_track(
        &mut self,
        mut stretch: Track,
        stretch_bytes: u64,
    ) -> Result<(), RecordingError> {
        let (tracks, budget) = (&mut self.recording.tracks, &mut self.budget);
        let Some(track) = self.tracks.get(&stretch.id).and_then(|index| tracks.get_mut(*index))
        else {
            // Its entry among the tracks' places and a player without a name come with it.
            budget.hold_each::<(Player, usize, i32)>(2)?;
            budget.reserve(tracks, 1)?;
            self.tracks.insert(stretch.id, tracks.len());
            tracks.push(stretch);
            return Ok(());
        };
        let added_bytes = align_columns(track, &mut stretch, budget)?;
        if let Some(first) = stretch.samples.first() {
            budget.hold_each::<(SimTime, i32)>(2)?;
            track.change_team(first.at, stretch.team);
        }
        budget.reserve(&mut track.samples, stretch.samples.len())?;
        track.samples.extend(stretch.samples);
        for (column, more) in track.extras.iter_mut().zip(stretch.extras) {
            budget.reserve(&mut column.values, more.values.len())?;
            column.values.extend(more.values);
            // A label keeps its index for good, so a later list only ever adds to an earlier.
            if more.labels.len() > column.labels.len() {
                budget.hold(more.labels.iter().map(String::capacity).sum::<usize>() as u64)?;
                budget.hold_each::<String>(more.labels.capacity())?;
                column.labels = more.labels;
            }
        }
        budget.release(stretch_bytes + added_bytes);
        Ok(())
    }

    /// Whether the last chunk was an end.
    pub(super) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// What was taken in, as the file has it.
    pub(super) fn into_part(self) -> Recording {
        self.recording
    }

    /// The order the rest of the laboratory relies on is made here, whatever the file holds.
    pub(super) fn finish(mut self) -> Recording {
        self.recording.tidy();
        if let Some(said) = team_play(&self.recording.meta.other) {
            self.recording.meta.team_play = said;
        }
        self.recording
    }
}

fn same_columns(track: &Track, stretch: &Track) -> bool {
    let same = |(a, b): (&Column, &Column)| a.name == b.name;
    track.extras.len() == stretch.extras.len() && track.extras.iter().zip(&stretch.extras).all(same)
}

/// Gives both the columns of both, in the same order; values that one does not have are unknown. A
/// body may begin to tilt, or become one of another kind, while it is recorded. Returns what the
/// stretch took.
fn align_columns(
    track: &mut Track,
    stretch: &mut Track,
    budget: &mut MemoryBudget,
) -> Result<u64, RecordingError> {
    if same_columns(track, stretch) {
        return Ok(0);
    }
    budget.check(align_bytes(track) + align_bytes(stretch))?;
    let (own, more) = (names(track), names(stretch));
    add_columns(track, &more, budget)?;
    let before = budget.held();
    add_columns(stretch, &own, budget)?;
    let places: BTreeMap<&str, usize> =
        track.extras.iter().zip(0..).map(|(column, place)| (column.name.as_str(), place)).collect();
    stretch.extras.sort_by_key(|column| places.get(column.name.as_str()).copied());
    if same_columns(track, stretch) {
        return Ok(budget.held() - before);
    }
    let got = more.into_iter().take(8).collect::<Vec<_>>().join(",");
    Err(RecordingError::value(0, "columns", got, "no name twice"))
}

fn names(track: &Track) -> Vec<String> {
    track.extras.iter().map(|column| column.name.clone()).collect()
}

/// What aligning takes for a while: each name twice, with entries by name.
fn align_bytes(track: &Track) -> u64 {
    track.extras.iter().map(|column| 2 * column.name.len() as u64 + 256).sum()
}

/// Adds unknown values under names that a track does not have.
fn add_columns(
    track: &mut Track,
    names: &[String],
    budget: &mut MemoryBudget,
) -> Result<(), RecordingError> {
    let known: BTreeSet<String> = track.extras.iter().map(|column| column.name.clone()).collect();
    for name in names.iter().filter(|name| !known.contains(*name)) {
        budget.hold(name.len() as u64)?;
        budget.reserve(&mut track.extras, 1)?;
        let mut values = Vec::new();
        budget.reserve(&mut values, track.samples.len())?;
        values.resize(track.samples.len(), f32::NAN);
        track.extras.push(Column { name: name.clone(), values, labels: Vec::new() });
    }
    Ok(())
}
