//! The server.
#![allow(dead_code)]
pub mod certificate;
pub mod clock;
mod entrance;
mod http;
pub mod limits;
mod link;
pub mod metrics;
mod quic;
pub mod record;
pub mod settings;
pub mod token;
/// A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PeerId(pub u32);
