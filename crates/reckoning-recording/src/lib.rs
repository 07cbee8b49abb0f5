//! Recorded play: where bodies were, sample by sample, and what else is known of a session.
//!
//! Every source, be it a CSV from a sports tracker, a demo of a game or our own server, ends
//! up as one [`Recording`]. Positions stay in the units of the source (see [`Meta::units`]):
//! predictors are compared by body widths.
//!
//! ```text
//!   *.csv.zst + *.json  --load-->  Recording  <--open--  *.reck   (session file, append-only)
//!   foreign formats  --import-->       |      --write-->  *.reck, *.csv.zst + *.json
//! ```
//!
//! A game that records itself hands over a second or so at a time. Each call appends whole,
//! checksummed chunks, so a crash loses only what was not handed over yet:
//!
//! ```
//! use reckoning::{DVec3, SimTime};
//! use reckoning_recording::{Meta, Sample, SessionWriter, Track, open_session};
//!
//! let meta = Meta { rate_hz: 60.0, units: "m".into(), body_width: 0.5, ..Meta::default() };
//! let mut writer = SessionWriter::start(Vec::new(), "my-game", "match-1", &meta)?;
//!
//! let mut track = Track::new(7, -1, &["armor"]); // body 7, no team, one further column
//! for tick in 0..60 {
//!     let at = SimTime::from_tick(tick, 60);
//!     let position = DVec3::new(at.as_secs_f64(), 0.0, 0.0);
//!     track.push(Sample { at, position, alive: true, ..Sample::default() }, &[100.0]);
//! }
//! writer.samples(&track)?;
//! let file = writer.finish()?; // a `Vec` here; a `File` just as well
//!
//! let session = open_session(&file)?;
//! assert_eq!(session.truncated_at, None);
//! assert_eq!(session.recording.tracks, [track.clone()]);
//!
//! // A file that was cut off holds everything up to its last whole chunk.
//! let session = open_session(&file[..file.len() - 1])?;
//! assert!(session.truncated_at.is_some());
//! assert_eq!(session.recording.tracks, [track]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Readers of a recording may rely on these properties:
//! - samples of a track are in order of time;
//! - a motion is continuous inside one `segment` only: never difference or predict across two;
//! - orientation, joints and kinds of bodies are columns: [`Track::orientation`],
//!   [`Track::joint_rad`], [`Track::kind`];
//! - tracks, columns and events have a fixed order, so the same file gives the same results;
//! - a long session file need not be read whole: [`SessionStream`] has one chunk of it in memory,
//!   [`summarize_session`] keeps no sample, [`read_session_within`] keeps a span of its time;
//! - no reader takes more memory than [`MEMORY_BYTES_PER_BYTE`] for each byte it was given, or
//!   [`MEMORY_CAP_BYTES`] if that is more.

mod budget;
mod bytes;
mod csv;
mod error;
mod files;
mod json;
mod level;
mod load;
mod meta;
mod pose;
mod session;
mod sidecar;
mod span;
mod types;
pub mod zstd;

pub(crate) use budget::MemoryBudget;
pub use budget::{MEMORY_BYTES_PER_BYTE, MEMORY_CAP_BYTES};
pub use bytes::Cursor;
pub use csv::{CsvStream, TextLine, TextLines, column_names, parse_csv, row_order, write_csv};
pub use error::{Fault, RecordingError};
pub use files::{
    MAX_JSON_BYTES, MAX_RECORDING_BYTES, open_file, path_inside, read_file, read_text_file,
};
pub use level::{BlockKind, Level, LevelBlock, LevelItem, LevelShape, parse_level, write_level};
pub use load::{
    csv_start, find_sessions, load_csv_within, load_file, load_sessions, save_csv, summarize_csv,
};
pub use meta::{Bounds, Meta, parse_meta, write_meta};
pub use pose::{KIND_COLUMN, ORIENTATION_COLUMNS, joint_column};
pub use session::{
    BodySummary, OpenedSession, SessionStream, SessionSummary, SessionWriter, open_session,
    read_session, read_session_within, salvage_session, salvage_summary, summarize_session,
    write_session,
};
pub use span::SimSpan;
pub use types::{
    Birth, Column, Death, Input, ItemEvent, Player, Recording, Sample, Snapshot, Track,
    VELOCITY_COLUMNS,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
