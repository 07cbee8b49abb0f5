//! Reading a session file a chunk at a time: whatever its length, one chunk is in memory.

use std::io::{ErrorKind, Read};

use super::chunk::{CHUNK_HEADER_BYTES, FILE_HEADER_BYTES, MAX_CHUNK_BYTES, check_file_header};
use super::read::SessionReader;
use crate::{Cursor, Fault, MemoryBudget, Recording, RecordingError, SimSpan};

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
        let more = self.load()?;
        let mut reader = SessionReader::new(MemoryBudget::for_input(self.buffer.len()));
        let whole = more && self.step(&mut reader)?;
        Ok(whole.then(|| reader.into_part()))
    }

    /// Takes the next chunk into a reader that keeps what it needs; `false` at the end.
    pub(super) fn next_into(&mut self, reader: &mut SessionReader) -> Result<bool, RecordingError> {
        Ok(self.load()? && self.step(reader)?)
    }

    /// Fills the buffer with the bytes of the next chunk; `false` when there are none.
    fn load(&mut self) -> Result<bool, RecordingError> {
        self.buffer.clear();
        fill(&mut self.from, &mut self.buffer, CHUNK_HEADER_BYTES)?;
        let length = self.buffer.get(4..8).map_or(0, |it| {
            let mut length = [0; 4];
            length.copy_from_slice(it);
            u32::from_le_bytes(length)
        });
        // A longer one is none: its header does not pass, or its content is refused.
        fill(&mut self.from, &mut self.buffer, length.min(MAX_CHUNK_BYTES) as usize)?;
        Ok(!self.buffer.is_empty())
    }

    fn step(&mut self, reader: &mut SessionReader) -> Result<bool, RecordingError> {
        let mut cursor = Cursor::within(&self.buffer, self.offset);
        let whole = reader.step(&mut cursor)?;
        if whole {
            self.offset = cursor.offset();
        }
        // What stands behind the end chunk is no part of a file that was closed.
        self.closed = whole && reader.is_closed();
        Ok(whole)
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

/// Reads of a session file what happens in a span of time, whatever the file's length, and no more
/// than takes `cap_bytes` of memory.
///
/// # Errors
/// Names the byte where it is no session file, or damaged; [`Fault::TooLarge`] when the span holds
/// more than the cap.
pub fn read_session_within(
    from: impl Read,
    span: SimSpan,
    cap_bytes: u64,
) -> Result<Recording, RecordingError> {
    let mut stream = SessionStream::open(from)?;
    let mut reader = SessionReader::within(span, MemoryBudget::capped(cap_bytes));
    while stream.next_into(&mut reader)? {}
    Ok(reader.finish())
}
