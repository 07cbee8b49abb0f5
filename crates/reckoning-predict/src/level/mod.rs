//! A level: its walls, the ways round them, and which way bodies tend to go.

mod cells;
mod fields;
mod navigate;
mod trend;
mod trend_bytes;
mod trend_error;
mod walls;

pub use navigate::{Routes, RoutesConfig};
pub use trend::{Pull, Sighting, Trend, TrendMap, TrendMapConfig};
pub use trend_bytes::TrendMapError;
pub(crate) use walls::keep_out;
pub use walls::{Outline, Wall, Walls};
