//! The client of Reckoning: joins a game, publishes the bodies you own, shows those of others.
//!
//! The same calls work natively, over QUIC, and in a browser, over WebTransport or a WebSocket:
//!
//! ```no_run
//! use reckoning::{DVec3, Kinematics};
//! use reckoning_client::{Client, ClientConfig, SessionEvent};
//!
//! let mut client = Client::connect(ClientConfig::new("127.0.0.1:4433"))?;
//! let mut mine = None;
//! loop {
//!     let now = client.drive(); // once a frame
//!     while let Some(event) = client.poll_event() {
//!         if let SessionEvent::Granted(entity) = event {
//!             mine = Some(entity);
//!         }
//!     }
//!     if let Some(entity) = mine {
//!         client.observe(entity, &Kinematics::moving(now, DVec3::X * now.as_secs_f64(), DVec3::X));
//!     }
//!     for (entity, _) in client.ghosts() {
//!         println!("{entity:?} is at {:?}", client.shown(entity, now));
//!     }
//! }
//! # #[allow(unreachable_code)]
//! # Ok::<(), reckoning_client::ConnectError>(())
//! ```

mod backoff;
mod client;
mod transport;

pub use client::{Client, ClientConfig, Status};
pub use reckoning::ground::Pose;
pub use reckoning::{ConfigError, DVec3, GhostConfig, Kinematics, PublisherConfig, SimTime};
pub use reckoning_net::{
    Delivery, DisconnectReason, EntityId, JointRef, Kinds, Owner, PeerId, PropertyError,
    PropertyId, PropertyValue, RemoteEntity, RemoteGhost, SendError, Session, SessionConfig,
    SessionEvent, Show,
};
#[cfg(not(target_arch = "wasm32"))]
pub use transport::fetch;
pub use transport::{ConnectError, Trust};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
