//! Replication for dead-reckoned bodies: values in, datagrams out, no I/O and no clock.
//!
//! [`wire`] turns updates and messages into bits and back; `PROTOCOL.md` at the root of the
//! repository is its normative description.
#![no_std]

extern crate alloc;

pub mod wire;
