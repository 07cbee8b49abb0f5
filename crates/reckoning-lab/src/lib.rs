//! The laboratory: recordings of real play, and what can be learnt from them.

pub mod import;
pub mod recording;
