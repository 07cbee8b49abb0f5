//! The server of Reckoning: sockets, clocks and files around a [`Host`].
//!
//! Everything that decides what is sent to whom is in `reckoning-net`, without I/O. This crate
//! carries its bytes: a QUIC endpoint for programs and browsers, a WebSocket for browsers that
//! reach nothing else, a thread that steps host and [`Game`] at a fixed rate, and what a server
//! on the open network needs: tokens, limits, metrics, recordings, an orderly shutdown.
//!
//! ```no_run
//! use reckoning_server::{Relay, Server, Settings};
//!
//! let running = Server::new(Settings::default()).start(Relay::default())?;
//! println!("listening on {}", running.address());
//! running.run()?; // until ctrl-c
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod admission;
pub mod certificate;
mod clock;
mod conditioner;
mod config;
mod connection;
mod forwarded;
mod game;
pub mod guests;
#[cfg(doctest)]
mod guide;
mod health;
mod http;
mod join_auth;
mod limits;
mod local_pins;
pub mod logs;
#[cfg(feature = "mesh")]
pub mod mesh;
pub mod metrics;
mod networks;
mod notify;
mod operator;
mod origin;
mod overload;
mod peer_ids;
mod places;
mod quic;
pub mod record;
mod running;
mod server;
pub mod settings;
mod signals;
mod tick;
pub mod token;
mod token_gate;

pub use axum;
pub use certificate::IdentityError;
pub use clock::{Clock, unix_seconds};
pub use config::host as host_config;
pub use game::{Game, Joiner, RecordedEvent, RecordedIdentity, Relay, ServerRequest};
pub use health::{HealthState, ThreadFailure, Worker};
pub use reckoning::{ConfigError, DVec3, Kinematics, SimTime};
pub use reckoning_net::{
    Delivery, DisconnectReason, EntityId, Host, HostConfig, HostEvent, Owner, PeerId, TrafficStats,
    Viewpoint,
};
pub use reckoning_netsim::LinkConfig;
pub use running::{Reloaded, RunError, Running};
pub use server::{ServeError, Server};
pub use settings::{Settings, SettingsError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
