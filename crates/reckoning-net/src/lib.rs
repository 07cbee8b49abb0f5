//! Replication for dead-reckoned bodies: values in, datagrams out, no I/O and no clock.
//!
//! [`wire`] turns updates and messages into bits and back; `PROTOCOL.md` at the root of the
//! repository is its normative description.
#![no_std]

extern crate alloc;

mod acks;
mod budget;
mod channel;
mod history;
mod host;
mod notices;
mod reliable;
mod repeats;
mod session;
mod stats;
pub mod wire;
mod zones;

pub use channel::{Delivery, SendError};
pub use host::config::{Clocking, HostConfig, MAX_WELCOME_BYTES};
pub use host::event::{Departure, HostEvent};
pub use host::{Host, HostStats, MAX_HOST_EVENTS, SpawnError, Viewpoint};
pub use session::config::{Event, SessionConfig};
pub use session::remote::Remote;
pub use session::{MAX_EVENTS, Session};
pub use stats::TrafficStats;
pub use wire::{EntityId, Format, Owner, PeerId, Refusal, Registry};
pub use zones::{MAX_CLASSES, ZoneClass, ZoneConfig};
