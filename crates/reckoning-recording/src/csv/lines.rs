//! Lines of a text, one in memory at a time, and what is no such text refused by name.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use crate::{Fault, MAX_RECORDING_BYTES, MemoryBudget, RecordingError, open_file, read_file, zstd};

/// No text is larger than this when unpacked: 28 minutes of 15 players are 0.2 GB.
const MAX_UNPACKED_BYTES: u64 = 1 << 30;
/// No line is longer; what has longer ones is no table.
const MAX_LINE_BYTES: u64 = 4 << 20;
const BUFFER_BYTES: usize = 1 << 18;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// How something begins that is no plain text, and what it is.
const OTHERS: [(&[u8], &str); 5] = [
    (b"\x1f\x8b", "it is packed by gzip; unpack it first with `gunzip`"),
    (b"PK\x03\x04", "it is a zip archive or a spreadsheet; save its table as csv"),
    (b"\xff\xfe", "it is UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "it is UTF-16; save it as UTF-8"),
    (b"PAR1", "it is Parquet; save it as csv"),
];

/// The lines of a text, packed by zstd or not. A byte order mark is passed over; lines may end
/// as on Windows.
pub struct TextLines<'a> {
    from: Box<dyn BufRead + 'a>,
    is_packed: bool,
    text: Vec<u8>,
    offset: u64,
    number: u64,
}

/// One line, without its end.
#[derive(Clone, Copy, Debug)]
pub struct TextLine<'a> {
    /// What stands in it.
    pub text: &'a [u8],
    /// Where it begins in the unpacked text, in bytes.
    pub offset: u64,
    /// Counted from 1.
    pub number: u64,
}

impl<'a> TextLines<'a> {
    /// Opens a file, and says how long it is.
    ///
    /// # Errors
    /// Names the file, and what it is if it is no text.
    pub fn open(path: &Path) -> Result<(TextLines<'static>, u64), RecordingError> {
        let refuse = |error| RecordingError::io(path, error);
        let file = open_file(path).map_err(refuse)?;
        let bytes = file.metadata().map_err(refuse)?.len();
        if bytes > MAX_RECORDING_BYTES {
            let fault = Fault::TooLarge { field: "file", got: bytes, limit: MAX_RECORDING_BYTES };
            return Err(RecordingError::new(fault).in_file(path));
        }
        Self::of_file(file, path, bytes).map(|lines| (lines, bytes))
    }

    fn of_file(file: File, path: &Path, bytes: u64) -> Result<TextLines<'static>, RecordingError> {
        let mut from = BufReader::with_capacity(BUFFER_BYTES, file);
        let begin = from.fill_buf().map_err(|error| RecordingError::io(path, error))?;
        let found = if begin.starts_with(&zstd::MAGIC) {
            // Its blocks are looked through before any is unpacked.
            let packed = read_file(path, bytes).map_err(|error| RecordingError::io(path, error))?;
            TextLines::unpacked(packed, &mut MemoryBudget::for_input(bytes as usize))
        } else {
            TextLines::plain(Box::new(from))
        };
        found.map_err(|error| error.in_file(path))
    }

    /// The lines of a text in memory.
    pub(super) fn of_bytes(
        bytes: &'a [u8],
        budget: &mut MemoryBudget,
    ) -> Result<Self, RecordingError> {
        if bytes.starts_with(&zstd::MAGIC) {
            return Self::unpacked(bytes, budget);
        }
        Self::plain(Box::new(bytes))
    }

    fn unpacked(
        packed: impl AsRef<[u8]> + 'a,
        budget: &mut MemoryBudget,
    ) -> Result<Self, RecordingError> {
        let from = zstd::reader(Cursor::new(packed), budget)?;
        let from = Box::new(BufReader::with_capacity(BUFFER_BYTES, from));
        Self { is_packed: true, ..Self::new(from) }.begun()
    }

    fn plain(from: Box<dyn BufRead + 'a>) -> Result<Self, RecordingError> {
        Self::new(from).begun()
    }

    fn new(from: Box<dyn BufRead + 'a>) -> Self {
        Self { from, is_packed: false, text: Vec::new(), offset: 0, number: 0 }
    }

    /// Past the byte order mark, unless this is something else than text.
    fn begun(mut self) -> Result<Self, RecordingError> {
        let begin = match self.from.fill_buf() {
            Ok(begin) => begin,
            Err(error) => return Err(failed(self.is_packed, 0, error)),
        };
        if let Some((_, what)) = OTHERS.iter().find(|(magic, _)| begin.starts_with(magic)) {
            return Err(no_csv(0, (*what).to_string()));
        }
        if begin.starts_with(BOM) {
            self.from.consume(BOM.len());
            self.offset = BOM.len() as u64;
        }
        Ok(self)
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// When it cannot be read or unpacked, or is longer than any row of a table.
    #[expect(clippy::should_implement_trait, reason = "a line is lent, which no iterator can")]
    pub fn next(&mut self) -> Result<Option<TextLine<'_>>, RecordingError> {
        self.offset += self.text.len() as u64;
        self.text.clear();
        let mut from = (&mut self.from).take(MAX_LINE_BYTES);
        let got = from.read_until(b'\n', &mut self.text);
        let got = got.map_err(|error| failed(self.is_packed, self.offset, error))?;
        if got == 0 {
            return Ok(None);
        }
        self.number += 1;
        if got as u64 == MAX_LINE_BYTES && !self.text.ends_with(b"\n") {
            let what = format!("a line is longer than {MAX_LINE_BYTES} bytes");
            return Err(no_csv(self.offset, what).on_line(self.number));
        }
        if self.is_packed && self.offset > MAX_UNPACKED_BYTES {
            let (field, limit) = ("unpacked content", MAX_UNPACKED_BYTES);
            let fault = Fault::TooLarge { field, got: self.offset, limit };
            return Err(RecordingError::at(0, fault));
        }
        let text = self.text.strip_suffix(b"\n").unwrap_or(&self.text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Ok(Some(TextLine { text, offset: self.offset, number: self.number }))
    }
}

fn failed(is_packed: bool, offset: u64, error: std::io::Error) -> RecordingError {
    let fault = if is_packed {
        Fault::Decoder { format: "zstd", reason: error.to_string() }
    } else {
        Fault::Io(error)
    };
    RecordingError::at(offset, fault)
}

/// The refusal of what is no table that we read.
pub(super) fn no_csv(offset: u64, reason: String) -> RecordingError {
    RecordingError::at(offset, Fault::Decoder { format: "csv", reason })
}
