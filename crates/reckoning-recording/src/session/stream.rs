//! Reading a session file a chunk at a time: whatever its length, one chunk is in memory.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};

use reckoning::SimTime;

use super::chunk::{CHUNK_HEADER_BYTES, FILE_HEADER_BYTES, MAX_CHUNK_BYTES, check_file_header};
use super::read::SessionReader;
use crate::{Cursor, Fault, MemoryBudget, Meta, Player, Recording, RecordingError};

/// A session file that is read a chunk at a time.
///
/// Each [`SessionStream::next`] gives what one chunk holds, in the order of the file: a server writes
/// what happened in half a second as one chunk for each body. Several files, such as the parts of a long
/// recording, are read one after the other.
#[derive(Debug)]
pub struct SessionStream<R: Read> {
    from: R,
    /// Where the next chunk begins.
    offset: u64,
    closed: bool,
    buffer: Vec<u8>,
}

impl<R: Read> SessionStream<R> {
    /// Begins to read; a `BufReader` is a good idea.
    ///
    /// # Errors
    /// Names the byte when this is no session file, or is newer than this program.
    pub fn open(mut from: R) -> Result<Self, RecordingError> {
        let mut buffer = Vec::new();
        fill(&mut from, &mut buffer, FILE_HEADER_BYTES)?;
        check_file_header(&buffer)?;
        Ok(Self { from, offset: FILE_HEADER_BYTES as u64, closed: false, buffer })
    }

    /// What the next chunk holds, and nothing else; `None` at the end of the file or at a cut.
    ///
    /// # Errors
    /// Names the byte where the file is damaged. There is no going on after that.
    #[expect(clippy::should_implement_trait, reason = "an iterator of results hides the cut")]
    pub fn next(&mut self) -> Result<Option<Recording>, RecordingError> {
        self.buffer.clear();
        fill(&mut self.from, &mut self.buffer, CHUNK_HEADER_BYTES)?;
        let length = self.buffer.get(4..8).map_or(0, |it| {
            let mut length = [0; 4];
            length.copy_from_slice(it);
            u32::from_le_bytes(length)
        });
        // A longer one is none: its header does not pass, or its content is refused.
        fill(&mut self.from, &mut self.buffer, length.min(MAX_CHUNK_BYTES) as usize)?;
        let mut cursor = Cursor::within(&self.buffer, self.offset);
        let mut reader = SessionReader::new(MemoryBudget::for_input(self.buffer.len()));
        if !reader.step(&mut cursor)? {
            return Ok(None);
        }
        self.offset = cursor.offset();
        self.closed = reader.is_closed();
        Ok(Some(reader.into_part()))
    }

    /// Where the last whole chunk ends, unless the file was closed as it should be. Known once
    /// [`SessionStream::next`] has returned `None`.
    #[must_use]
    pub fn truncated_at(&self) -> Option<u64> {
        (!self.closed).then_some(self.offset)
    }
}

/// Appends up to `count` bytes, fewer where the file ends.
fn fill(from: &mut impl Read, buffer: &mut Vec<u8>, count: usize) -> Result<(), RecordingError> {
    let wrong = |error| RecordingError::new(Fault::Io(error));
    loop {
        match from.take(count as u64).read_to_end(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read.map(|_| ()).map_err(wrong),
        }
    }
}

/// What a session file holds, without its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionSummary {
    /// Which game or sport.
    pub source: String,
    /// Name of the session.
    pub session: String,
    /// Rate, units, sizes and origin.
    pub meta: Meta,
    /// Everyone who was named.
    pub players: Vec<Player>,
    /// Samples of each body.
    pub samples: BTreeMap<i32, u64>,
    /// First and last moment of all samples.
    pub span: Option<(SimTime, SimTime)>,
    /// Births and deaths.
    pub events: u64,
    /// Where the file is cut off, if it is.
    pub truncated_at: Option<u64>,
}

/// Reads a session file through, keeping no sample.
///
/// # Errors
/// Names the byte where it is no session file, or damaged.
pub fn summarize_session(from: impl Read) -> Result<SessionSummary, RecordingError> {
    let mut stream = SessionStream::open(from)?;
    let mut summary = SessionSummary::default();
    while let Some(part) = stream.next()? {
        summary.add(part);
    }
    summary.truncated_at = stream.truncated_at();
    Ok(summary)
}

impl SessionSummary {
    fn add(&mut self, part: Recording) {
        if !part.session.is_empty() {
            (self.source, self.session, self.meta) =
                (part.source.clone(), part.session.clone(), part.meta.clone());
        }
        self.events += (part.births.len() + part.deaths.len()) as u64;
        if let Some((first, last)) = part.span() {
            let (from, to) = self.span.unwrap_or((first, last));
            self.span = Some((from.min(first), to.max(last)));
        }
        for track in &part.tracks {
            *self.samples.entry(track.id).or_default() += track.samples.len() as u64;
        }
        self.players.extend(part.players);
    }
}
