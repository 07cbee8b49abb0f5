//! Zstandard, with a limit on what may come out.
//!
//! `ruzstd` is chosen over the bindings `zstd`: it is Rust alone, so no C compiler is needed,
//! it builds in 3.5 s of CPU time against 37, and a damaged frame cannot corrupt memory. Its
//! encoder knows one fast level only; the session file arranges its bytes so that this is
//! enough, and a csv can be packed tighter by `zstd -19` at any time.

use std::io::Read;

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Fault, RecordingError};

/// The first bytes of every Zstandard frame.
pub(crate) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Packs bytes.
#[must_use]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// Unpacks one frame of at most `limit` bytes.
pub(crate) fn unpack(packed: &[u8], limit: u64) -> Result<Vec<u8>, RecordingError> {
    let refuse = |reason: String| RecordingError::at(0, Fault::Decoder { format: "zstd", reason });
    let decoder = StreamingDecoder::new(packed).map_err(|error| refuse(error.to_string()))?;
    let mut out = Vec::new();
    decoder
        .take(limit.saturating_add(1))
        .read_to_end(&mut out)
        .map_err(|error| refuse(error.to_string()))?;
    if out.len() as u64 > limit {
        let fault = Fault::TooLarge { field: "unpacked content", got: out.len() as u64, limit };
        return Err(RecordingError::at(0, fault));
    }
    Ok(out)
}
