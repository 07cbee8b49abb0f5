//! Framing of the session file: header, lengths, checksums.

use crate::{Cursor, Fault, MemoryBudget, RecordingError, zstd};

/// Not text, breaks under newline conversion, stops `type` on old terminals: as PNG does it.
pub(super) const MAGIC: [u8; 8] = [0x89, b'R', b'E', b'C', b'K', 0x0d, 0x0a, 0x1a];
/// The format written, and the newest one read.
pub(super) const VERSION: u16 = 1;
/// Length of the file header.
pub(super) const FILE_HEADER_BYTES: usize = 16;
/// Length of a chunk's header.
pub(super) const CHUNK_HEADER_BYTES: usize = 20;
/// No chunk unpacks to more; writers split what is longer.
pub(super) const MAX_CHUNK_BYTES: u32 = 1 << 26;

/// What a chunk holds. The numbers are the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkKind {
    Meta = 1,
    Level = 2,
    Player = 3,
    Samples = 4,
    Inputs = 5,
    Births = 6,
    Deaths = 7,
    ItemEvents = 8,
    Snapshot = 9,
    End = 127,
}

const CHUNK_KINDS: [ChunkKind; 10] = [
    ChunkKind::Meta,
    ChunkKind::Level,
    ChunkKind::Player,
    ChunkKind::Samples,
    ChunkKind::Inputs,
    ChunkKind::Births,
    ChunkKind::Deaths,
    ChunkKind::ItemEvents,
    ChunkKind::Snapshot,
    ChunkKind::End,
];

/// The header of a file.
pub(super) fn file_header() -> [u8; FILE_HEADER_BYTES] {
    let mut header = [0; FILE_HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    let sum = crc32fast::hash(&header[..12]);
    header[12..].copy_from_slice(&sum.to_le_bytes());
    header
}

/// Checks the header of a file.
pub(super) fn check_file_header(bytes: &[u8]) -> Result<(), RecordingError> {
    let mut cursor = Cursor::new(bytes);
    let known = bytes.len().min(MAGIC.len());
    if bytes.is_empty() || bytes[..known] != MAGIC[..known] {
        let expected = "a session file (.reck)";
        return Err(RecordingError::at(0, Fault::Foreign { expected }));
    }
    let covered = cursor.slice(12)?;
    let stored = cursor.u32_le()?;
    check_sum(8, stored, crc32fast::hash(covered))?;
    let version = u64::from(covered[8]) | u64::from(covered[9]) << 8;
    if version > u64::from(VERSION) {
        let newest = u64::from(VERSION);
        return Err(RecordingError::at(8, Fault::Version { got: version, newest }));
    }
    Ok(())
}

fn check_sum(offset: u64, stored: u32, computed: u32) -> Result<(), RecordingError> {
    if stored == computed {
        return Ok(());
    }
    Err(RecordingError::at(offset, Fault::Checksum { stored, computed }))
}

/// One whole chunk, ready to be appended at `offset`.
pub(super) fn encode(kind: ChunkKind, raw: &[u8], offset: u64) -> Vec<u8> {
    let packed = zstd::pack(raw);
    let (packing, payload) = if packed.len() < raw.len() { (1, &packed[..]) } else { (0, raw) };
    let mut chunk = vec![kind as u8, packing, 0, 0];
    chunk.extend((payload.len() as u32).to_le_bytes());
    chunk.extend((raw.len() as u32).to_le_bytes());
    chunk.extend(crc32fast::hash(payload).to_le_bytes());
    let sum = header_sum(&chunk, offset);
    chunk.extend(sum.to_le_bytes());
    chunk.extend(payload);
    chunk
}

/// The offset is in the sum, so a chunk that was moved or repeated does not pass.
fn header_sum(header: &[u8], offset: u64) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(header);
    sum.update(&offset.to_le_bytes());
    sum.finalize()
}

/// What stands at one place of a file.
pub(super) enum NextChunk {
    /// A whole chunk, with the offset of its payload.
    Chunk { kind: ChunkKind, raw: Vec<u8>, payload_at: u64 },
    /// A whole chunk that may be skipped.
    Skipped,
    /// The file ends here, inside a chunk or between two.
    Cut,
}

/// Zeros at the end of a file that are no coincidence: no chunk ends in so many.
const HOLE_BYTES: usize = 64;

/// Reads the chunk at the cursor; the budget holds its unpacked bytes until they are released.
pub(super) fn next(
    cursor: &mut Cursor<'_>,
    budget: &mut MemoryBudget,
) -> Result<NextChunk, RecordingError> {
    let before = cursor.clone();
    match read(cursor, budget) {
        // The last write was lost in part: its length reached the disk, not all of its bytes.
        Err(RecordingError { fault: Fault::Checksum { .. }, .. }) if ends_in_hole(&before) => {
            Ok(NextChunk::Cut)
        }
        read => read,
    }
}

fn ends_in_hole(cursor: &Cursor<'_>) -> bool {
    let mut rest = cursor.clone();
    let skipped = rest.left().checked_sub(HOLE_BYTES).map(|before| rest.skip(before));
    skipped.is_some_and(|it| it.is_ok()) && only_zeros(&rest)
}

fn read(cursor: &mut Cursor<'_>, budget: &mut MemoryBudget) -> Result<NextChunk, RecordingError> {
    let start = cursor.offset();
    if cursor.left() < CHUNK_HEADER_BYTES || only_zeros(cursor) {
        return Ok(NextChunk::Cut);
    }
    let header = cursor.slice(16)?;
    check_sum(start, cursor.u32_le()?, header_sum(header, start))?;
    let mut fields = Cursor::within(header, start);
    let (kind, packing) = (fields.u8()?, fields.u8()?);
    fields.skip(2)?;
    let (length, raw_length, sum) = (fields.u32_le()?, fields.u32_le()?, fields.u32_le()?);
    if cursor.left() < length as usize {
        return Ok(NextChunk::Cut);
    }
    let payload_at = cursor.offset();
    let payload = cursor.slice(length as usize)?;
    check_sum(payload_at, sum, crc32fast::hash(payload))?;
    let Some(kind) = CHUNK_KINDS.into_iter().find(|known| *known as u8 == kind) else {
        return match kind {
            128.. => Ok(NextChunk::Skipped),
            _ => Err(RecordingError::value(start, "chunk kind", kind, "one this version knows")),
        };
    };
    Ok(NextChunk::Chunk {
        kind,
        raw: unpack(packing, payload, raw_length, payload_at, budget)?,
        payload_at,
    })
}

/// Some file systems leave a hole of zeros where a write was lost. A real chunk has a kind.
fn only_zeros(cursor: &Cursor<'_>) -> bool {
    let mut rest = cursor.clone();
    rest.slice(rest.left()).is_ok_and(|rest| rest.iter().all(|&byte| byte == 0))
}

fn unpack(
    packing: u8,
    payload: &[u8],
    raw: u32,
    at: u64,
    budget: &mut MemoryBudget,
) -> Result<Vec<u8>, RecordingError> {
    if raw > MAX_CHUNK_BYTES {
        let limit = u64::from(MAX_CHUNK_BYTES);
        let fault = Fault::TooLarge { field: "chunk", got: u64::from(raw), limit };
        return Err(RecordingError::at(at, fault));
    }
    let bytes = match packing {
        0 => {
            budget.hold_each::<u8>(payload.len())?;
            payload.to_vec()
        }
        1 => zstd::unpack(payload, u64::from(raw), budget)
            .map_err(|error| RecordingError { offset: Some(at), ..error })?,
        _ => return Err(RecordingError::value(at, "packing", packing, "raw or zstd")),
    };
    if bytes.len() == raw as usize {
        return Ok(bytes);
    }
    Err(RecordingError::value(at, "raw length", raw, "the length that came out"))
}
