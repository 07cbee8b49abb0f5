//! The client.
#![allow(dead_code)]
mod transport;
pub use transport::{ConnectError, Trust};
