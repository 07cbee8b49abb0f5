//! Session file, `.reck`: an append-only log that survives a crash.
//!
//! ```text
//!   file    89 'R' 'E' 'C' 'K' 0D 0A 1A | version u16 | zero u16 | crc32 of these 12 bytes
//!   chunk   kind u8 | packing u8 | zero u16 | packed length u32 | raw length u32
//!           | crc32 of the payload | crc32 of these 16 bytes and the chunk's offset | payload
//! ```
//!
//! All numbers are little-endian. A writer only ever appends whole chunks, so whatever moment
//! it dies at, the file is readable up to the last whole one. The length of a chunk has a
//! checksum of its own: a flipped bit in it is not mistaken for a cut. A file that was closed ends in
//! an end chunk; one that lacks it was cut off, even if the cut is between two chunks.
//!
//! MCAP was the alternative: it would bring an index and viewers for robots' messages, for 31
//! crates and 32 s of CPU time to build (39 and 83 s with compression). But it stores messages
//! one by one, where a chunk here stores columns: trial records took 17.7 bytes in MCAP and
//! 10.8 as columns, and real sessions take 4 (football) to 14 (Quake) bytes a sample with all
//! their further columns. Its record lengths have no checksum either, so a flipped bit in one
//! is not told from a cut. A converter can come when somebody asks for one.
//!
//! Kinds from 128 on may be skipped by readers that do not know them; unknown kinds below are
//! an error. The version counts up when an old reader would misread a new file.

mod chunk;
mod columns;
mod events;
mod read;
mod samples;
mod stream;
mod summary;
mod write;

pub use read::{OpenedSession, open_session, read_session, salvage_session};
pub use stream::{SessionStream, read_session_within};
pub(crate) use summary::CsvTally;
pub use summary::{BodySummary, SessionSummary, salvage_summary, summarize_session};
pub use write::{SessionWriter, write_session};
