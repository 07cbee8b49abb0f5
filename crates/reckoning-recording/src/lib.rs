//! Recorded play: who was where, when, and what else is known of it.
//!
//! Every source, be it a csv from a sports tracker, a demo of a game or our own server, ends
//! up as one [`Recording`], and everything in the laboratory reads that alone. Positions stay
//! in the units of the source (see [`Meta::units`]): predictors are compared by body widths.
//!
//! ```text
//!   *.csv.zst + *.json  --load-->  Recording  <--open--  *.reck   (session file, append-only)
//!   foreign formats  --import-->       |      --write-->  *.reck, *.csv.zst + *.json
//! ```
//!
//! What the rest of the laboratory relies on:
//! - samples of a track are in order of time;
//! - a motion is continuous inside one `segment` only: never difference or predict across two;
//! - tracks, columns and events have a fixed order, so the same file gives the same results.

mod bytes;
mod csv;
mod error;
mod json;
mod level;
mod load;
mod meta;
mod session;
mod types;
pub mod zstd;

pub use bytes::Cursor;
pub use csv::{column_names, parse_csv, row_order, write_csv};
pub use error::{Fault, RecordingError};
pub use level::{Block, BlockKind, Item, Level, LevelShape, parse_level, write_level};
pub use load::{find_sessions, load_file, load_sessions, save_csv};
pub use meta::{Bounds, Meta, parse_meta, write_meta};
pub use session::{
    Opened, SessionWriter, open_session, read_session, salvage_session, write_session,
};
pub use types::{
    Birth, Column, Death, Input, ItemEvent, Player, Recording, Sample, Snapshot, Track,
    VELOCITY_COLUMNS,
};
