//! Fuzz targets as plain functions: whatever the bytes, none of them panics.
//!
//! The fuzzer calls them from `fuzz/fuzz_targets`; the test `replay` runs every file of
//! `fuzz/seeds` through them, changed a little as well, on every machine. A target returns
//! nothing: what must hold is asserted in it.

#![expect(clippy::missing_panics_doc, reason = "a panic is what each of them is searched for")]

mod arena;
mod imports;
mod models;
mod net;
mod recordings;
mod server;
mod wire;

pub use arena::{arena_host, arena_messages, hills_host, hills_level_file, level};
pub use imports::{bzflag, dis, dis_gateway, dis_pdus, rocket_league, shi, slippi};
pub use models::{learned, trend_map};
pub use net::{net_host, net_host_per_hop, net_join, net_session, net_session_per_hop};
pub use recordings::{csv, json, packed_chunks, session, session_chunks, zstd};
pub use server::{settings, token};
pub use wire::wire;

/// What a fuzzer calls with any bytes.
pub type Target = fn(&[u8]);

/// All targets by name, which is also the name of their folder in `fuzz/seeds`.
pub const TARGETS: [(&str, Target); 28] = [
    ("session", session),
    ("session_chunks", session_chunks),
    ("csv", csv),
    ("json", json),
    ("bzflag", bzflag),
    ("slippi", slippi),
    ("dis", dis),
    ("dis_pdus", dis_pdus),
    ("dis_gateway", dis_gateway),
    ("shi", shi),
    ("rocket_league", rocket_league),
    ("trend_map", trend_map),
    ("wire", wire),
    ("net_session", net_session),
    ("net_host", net_host),
    ("net_join", net_join),
    ("learned", learned),
    ("net_session_per_hop", net_session_per_hop),
    ("net_host_per_hop", net_host_per_hop),
    ("packed_chunks", packed_chunks),
    ("zstd", zstd),
    ("arena_messages", arena_messages),
    ("arena_host", arena_host),
    ("level", level),
    ("hills_host", hills_host),
    ("hills_level_file", hills_level_file),
    ("token", token),
    ("settings", settings),
];
