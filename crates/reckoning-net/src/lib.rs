//! Replication for dead-reckoned bodies: values in, datagrams out, no I/O and no clock.
//!
//! A [`Host`] knows every entity and sends each peer what it needs; a [`Session`] is one peer,
//! which moves what it owns and shows the rest. Your transport carries the datagrams. Both in one
//! loop:
//!
//! ```
//! use reckoning_net::{
//!     DVec3, Format, Host, HostConfig, HostEvent, Kinematics, Model, Owner, PeerId, Quantiser, Registry, Session,
//!     SessionConfig, SimTime,
//! };
//!
//! fn car_at(now: SimTime) -> Kinematics {
//!     Kinematics::moving(now, DVec3::X * (3.0 * now.as_secs_f64()), DVec3::X * 3.0)
//! }
//!
//! let steps = Quantiser {
//!     position_m: 0.01, velocity_mps: 0.03, acceleration_mps2: 0.1,
//!     angular_velocity_radps: 0.01, orientation: 0.01,
//! };
//! let format = Format::new(true, 1000, steps, &[Model::Linear], Registry::default())?;
//! let mut host = Host::new(HostConfig::new(format))?;
//! let mut session = Session::new(SessionConfig::default())?;
//!
//! let car = host.spawn(SimTime::ZERO, Owner::Host, b"car", &car_at(SimTime::ZERO))?;
//! host.connect(SimTime::ZERO, PeerId(1)); // the transport opened a connection
//! let mut buf = [0; 1000];
//! for tick in 1..120 {
//!     let now = SimTime::from_tick(tick, 60);
//!     host.observe(car, &car_at(now));
//!     while let Some(length) = session.poll_datagram(now, &mut buf) {
//!         host.handle_datagram(now, PeerId(1), &buf[..length]); // here your network carries it
//!     }
//!     host.handle_timeout(now);
//!     while let Some(event) = host.poll_event() {
//!         if let HostEvent::JoinRequested { peer, .. } = event {
//!             host.admit(now, peer);
//!         }
//!     }
//!     while let Some((_peer, length)) = host.poll_datagram(now, &mut buf) {
//!         session.handle_datagram(now, &buf[..length]);
//!     }
//! }
//! let now = SimTime::from_tick(119, 60);
//! let drawn = session.shown(car, now).expect("in the interest set").position;
//! assert!(drawn.distance(car_at(now).position) < 0.25);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! [`wire`] turns updates and messages into bits and back; `PROTOCOL.md` at the root of the
//! repository is the normative description of the bits and of what the ends do with them. Types of
//! the engine that appear in this crate's functions and settings are re-exported.
#![no_std]

extern crate alloc;

mod ack_window;
mod budget;
mod channel;
mod control_messages;
mod history;
mod host;
mod joint_picture;
mod kinds;
mod limits;
mod loss_detection;
mod redundant_commands;
mod reliable;
mod session;
mod stats;
pub mod wire;
mod zones;

pub use channel::{Delivery, SendError};
pub use host::config::{ClockMode, HostConfig, MAX_WELCOME_BYTES};
pub use host::event::{Departure, HostEvent};
pub use host::{
    AimCapsule, Camera, GroupId, Host, HostStats, ListenerError, Shedding, SpawnError, Viewpoint,
};
pub use kinds::{
    Facing, JointKind, JointRef, JointSource, Kind, KindError, KindId, Kinds, LearnedKind,
    MAX_JOINTS, MAX_KIND_BYTES, MAX_KIND_NAME_BYTES, MAX_KINDS, MAX_SENT_JOINTS, PlaceThreshold,
    PlannerKind, PlannerNeed, PlanningAssets, SentJoint, SharedTerrain, Show,
};
pub use kinds::{
    MAX_PROPERTIES, MAX_VALUE_BYTES, Property, PropertyError, PropertyId, PropertyType,
    PropertyValue, Seen, Visibility, Writer,
};
pub use limits::{MAX_HOST_EVENTS, MAX_SESSION_EVENTS};
pub use session::Session;
pub use session::config::SessionConfig;
pub use session::entities::RemoteEntity;
pub use session::event::SessionEvent;
pub use session::remote_ghost::RemoteGhost;
pub use stats::{TrafficStats, UpdateTraffic};
pub use wire::{
    Codes, DisconnectReason, EntityId, ExitReason, Format, MAX_KICK_BYTES, Owner, PeerId,
    WordsError,
};
pub use zones::{MAX_CLASSES, ZoneClass, ZoneConfig};

pub use reckoning::bytes::Registry;
pub use reckoning::clock::ClockConfig;
pub use reckoning::fairness::{Budget, Leftover, Policy, Weights};
pub use reckoning::ground::{ClampDetail, ClampMode, Footprint, GroundClampConfig, Pose};
pub use reckoning::guard::{GuardConfig, Offence, Verdict};
pub use reckoning::kinematics::KinematicsError;
pub use reckoning::model::{CustomModel, Path};
pub use reckoning::rewind::{
    HitRefusal, HitRequest, HitVerdict, RewindConfig, RewindView, ShownAs, ShownUpdate,
};
pub use reckoning::{
    AngleThreshold, Blend, ClockSync, ConfigError, DVec3, DelayedConfig, DelayedGhost, Ghost,
    GhostConfig, Kinematics, Model, PublisherConfig, Quantiser, Rewind, SimTime, Threshold, Update,
};
pub use reckoning_predict::learned::LearnedModel;
pub use reckoning_predict::{
    ChooserConfig, InterestConfig, Item, KnownBody, PatternsConfig, PheromoneConfig, Scene,
    Surroundings, TrendMap, TrendedConfig, Walls,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
