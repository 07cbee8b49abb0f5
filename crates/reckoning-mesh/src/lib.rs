#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assign;
mod bodies;
mod config;
mod grid;
mod ids;
mod lease;
mod message;
mod safeguards;
mod server;
mod store;
mod ticket;
mod view;
mod wire;

pub use bodies::{BodyEvent, BodyStats, BodyTable, Origin, RecoveryPhase};
pub use config::{MeshConfig, MeshConfigError};
pub use grid::{CellId, MAX_DEPTH, MAX_REGIONS_A_SIDE, WorldGrid};
pub use ids::{BodyId, Epoch, Incarnation, ServerId, Version};
pub use message::{BodyState, Claim, Envelope, Ground, Message, Payload};
#[doc(hidden)]
pub use safeguards::Safeguards;
pub use server::{MeshEvent, MeshServer, MeshStats, ServerIdentity};
pub use store::{
    Entry, Key, Leaf, Record, RegionRecord, RequestId, Revision, ServerRecord, Standing,
    StoreReply, StoreRequest,
};
pub use ticket::{
    MAX_ADDRESS_BYTES, MIN_TICKET_KEY_BYTES, TICKET_LIFETIME_S, Ticket, TicketError, TicketGate,
    TicketKey,
};
pub use wire::{MAX_PAYLOAD_BYTES, MeshDecodeError};
