//! Zstandard, with a limit on what may come out.
//!
//! `ruzstd` is chosen over the bindings `zstd`: it is Rust alone, so no C compiler is needed,
//! it builds in 3.5 s of CPU time against 37, and a damaged frame cannot corrupt memory. Its
//! encoder knows one fast level only; the session file arranges its bytes so that this is
//! enough, and a csv can be packed tighter by `zstd -19` at any time.

mod blocks;
mod fse;

use std::io::{Cursor, Read};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Fault, MemoryBudget, RecordingError};

/// The first bytes of every Zstandard frame.
pub(crate) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Packs bytes.
#[must_use]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// Bytes that are unpacked at a time.
const PIECE_BYTES: usize = 1 << 16;

/// Unpacks one frame of at most `limit` bytes, within a budget.
pub(crate) fn unpack(
    packed: &[u8],
    limit: u64,
    budget: &mut MemoryBudget,
) -> Result<Vec<u8>, RecordingError> {
    let refuse = |reason: String| RecordingError::at(0, Fault::Decoder { format: "zstd", reason });
    // The decoder keeps its window twice while it grows, and a little more than it hands out.
    let window = blocks::check_frame(packed).map_err(|wrong| refuse(wrong.to_string()))?;
    budget.check(window.saturating_mul(4))?;
    let mut decoder = StreamingDecoder::new(packed).map_err(|error| refuse(error.to_string()))?;
    let (mut out, mut piece) = (Vec::new(), vec![0; PIECE_BYTES]);
    loop {
        let count = decoder.read(&mut piece).map_err(|error| refuse(error.to_string()))?;
        if count == 0 {
            return Ok(out);
        }
        let got = (out.len() + count) as u64;
        if got > limit {
            let fault = Fault::TooLarge { field: "unpacked content", got, limit };
            return Err(RecordingError::at(0, fault));
        }
        budget.reserve(&mut out, count)?;
        out.extend_from_slice(&piece[..count]);
    }
}

/// Unpacks one frame piece by piece, with a window that fits a budget.
pub(crate) fn reader<T: AsRef<[u8]>>(
    packed: Cursor<T>,
    budget: &mut MemoryBudget,
) -> Result<impl Read + use<T>, RecordingError> {
    let refuse = |reason: String| RecordingError::at(0, Fault::Decoder { format: "zstd", reason });
    // The decoder keeps its window twice while it grows, and a little more than it hands out.
    let checked = blocks::check_frame(packed.get_ref().as_ref());
    let window = checked.map_err(|wrong| refuse(wrong.to_string()))?;
    budget.hold(window.saturating_mul(4))?;
    StreamingDecoder::new(packed).map_err(|error| refuse(error.to_string()))
}
