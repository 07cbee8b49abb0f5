//! Dead reckoning for networked games and simulations: publish moving things sparingly, show
//! them believably.
//!
//! The owner of a body and its listeners run the same motion [`Model`]. While the listeners'
//! guess is good enough the owner's [`Publisher`] sends nothing; when it strays, one
//! [`Update`] corrects it, and the listeners' [`Ghost`] blends towards it without a visible
//! break. No clock, no socket, no thread: time is an argument, values go in and
//! values come out, and your network carries them.
//!
//! # Quick start
//!
//! One car, one onlooker, a perfect network:
//!
//! ```
//! use reckoning::{Blend, DVec3, Ghost, Kinematics, Publisher, PublisherConfig, SimTime, Threshold};
//!
//! fn car_at(now: SimTime) -> Kinematics { // your game: here 15 m/s round a bend of 50 m
//!     let (sin, cos) = (0.3 * now.as_secs_f64()).sin_cos();
//!     Kinematics::moving(now, DVec3::new(cos, sin, 0.0) * 50.0, DVec3::new(-sin, cos, 0.0) * 15.0)
//! }
//!
//! fn main() -> Result<(), reckoning::ConfigError> {
//!     let mut config = PublisherConfig::default();
//!     config.threshold = Threshold::metres(0.25)?;
//!     let (mut publisher, first) = Publisher::start(config, &car_at(SimTime::ZERO))?;
//!     let mut ghost = Ghost::new(first, Blend::Snap);
//!
//!     let mut exports = 1;
//!     for tick in 1..600 {
//!         let now = SimTime::from_tick(tick, 60);
//!         if let Some(update) = publisher.observe(&car_at(now)) {
//!             ghost.accept(update, now); // here your network carries it
//!             exports += 1;
//!         }
//!         let drawn = ghost.position_at(now); // never more than 0.25 m from the car
//! #       assert!(drawn.distance(car_at(now).position) <= 0.25);
//!     }
//!     println!("600 ticks, {exports} updates"); // 600 ticks, 29 updates
//! #   assert_eq!(exports, 29);
//!     Ok(())
//! }
//! ```
//!
//! # Where things are
//!
//! | you want to | take | module |
//! |---|---|---|
//! | describe how a body moves | [`Kinematics`] at a [`SimTime`] | [`kinematics`] |
//! | measure that from positions alone | [`Sampler`] | [`sampler`] |
//! | choose how it is carried on between updates | [`Model`] | [`model`] |
//! | choose that anew for each update | [`Planner`], [`Publisher::observe_planned`] | |
//! | predict it from its surroundings | the planners of the crate `reckoning-predict` | |
//! | decide when listeners need an update | [`Publisher`], [`Threshold`], [`AngleThreshold`] | [`publisher`] |
//! | decide that per receiver | [`export::ExportRule`], [`ExportReason`] | [`export`] |
//! | round what is sent as your wire does | [`Quantiser`] | |
//! | send it over your own networking | [`Update::to_bytes`], [`Update::from_bytes`], or the feature `serde` | [`bytes`] |
//! | show it elsewhere, now | [`Ghost`], [`Blend`] | [`ghost`] |
//! | show it elsewhere, a moment ago | [`DelayedGhost`] | [`ghost`] |
//! | show very many | [`Crowd`] | [`crowd`] |
//! | let your physics engine collide with it | [`Follower`] | [`follow`] |
//! | change its owner without a jump | [`Handover`], [`Ghost::hand_over`], [`Ghost::from_shown`] | [`ghost`] |
//! | keep it on the ground and out of it | [`GroundClamp`], [`Publisher::observe_on`] | [`ground`] |
//! | describe the ground | [`Terrain`], [`terrain::HeightField`] | [`terrain`] |
//! | turn turrets, roll wheels | [`Joint`], [`joints::JointPublisher`], [`wheel_spin_rad`] | [`joints`] |
//! | turn a body the way it goes | [`Ghost::heading_at`], [`heading_from_velocity`], [`two_point`] | [`orientation`] |
//! | exchange updates with DIS peers | [`dis::DisModel`], [`dis::DisFields`], [`PublisherConfig::dis`] | [`dis`] |
//! | measure the error listeners see | [`update_error_between`], [`FlightLog`], [`ListenerAccount`] | [`accounting`] |
//! | share the error fairly among listeners | [`Fairness`], [`fairness::Policy`] | [`fairness`] |
//! | synchronise clocks, or do without | [`ClockSync`], [`clock::RelayDelay`] | [`clock`] |
//! | limit a rate | [`TokenBucket`] | |
//! | reject updates that no honest client sends | [`Guard`], [`guard::Envelope`], [`guard::Verdict`] | [`guard`] |
//! | check hits from the shooter's own view | [`Rewind`], [`rewind::HitRequest`] | [`rewind`] |
//! | know why a setting was refused | [`ConfigError`] | [`error`] |
//! | compute the same bits everywhere | [`math::sin`], [`random::SplitMix64`] | [`math`], [`random`] |
//!
//! # What you may rely on
//!
//! - **Same bits everywhere**: equal inputs give equal results in debug, release and
//!   WebAssembly, at any frame rate and in any order of questions.
//! - **No surprise**: finite input gives finite output; other input is refused by name.
//! - **No jump**: an update moves the picture continuously, unless it is a teleport.
//! - **Units**: SI and radians, `f64`, up is `+z`; a world unit may be anything.
//!
//! # Features
//!
//! None is on by default and none changes a result: `std` picks the widest vector unit of
//! the CPU at run time for a [`Crowd`], `rayon` splits a crowd over threads, `serde` reads and
//! writes settings, states and updates.
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod accounting;
pub mod aim;
pub mod bytes;
pub mod clearance;
pub mod clock;
pub mod crowd;
pub mod dis;
pub mod error;
pub mod export;
pub mod fairness;
pub mod follow;
pub mod ghost;
pub mod ground;
pub mod guard;
pub mod joints;
pub mod kinematics;
pub mod math;
pub mod model;
pub mod orientation;
mod planner;
pub mod publisher;
mod quantiser;
pub mod random;
pub mod rewind;
pub mod sampler;
#[cfg(feature = "serde")]
mod serde;
pub mod terrain;
mod threshold;
mod time;
mod token_bucket;
mod update;

pub use accounting::{FlightLog, ListenerAccount, update_error_between};
pub use aim::{AimConfig, AimedPlanner};
pub use clock::ClockSync;
pub use crowd::Crowd;
pub use error::ConfigError;
pub use export::ExportReason;
pub use fairness::Fairness;
pub use follow::{Follower, FollowerConfig};
pub use ghost::{
    Blend, BlendSpan, DelayedConfig, DelayedGhost, Ghost, GhostConfig, Handover, Timing,
};
pub use glam::{DQuat, DVec3};
pub use ground::GroundClamp;
pub use guard::Guard;
pub use joints::{Joint, wheel_spin_rad};
pub use kinematics::Kinematics;
pub use model::{Curve, CurveBasis, Model};
pub use orientation::{heading_from_velocity, two_point};
pub use planner::Planner;
pub use publisher::{Publisher, PublisherConfig};
pub use quantiser::Quantiser;
pub use rewind::Rewind;
pub use sampler::{Sampler, SamplerConfig};
pub use terrain::Terrain;
pub use threshold::{AngleThreshold, Threshold};
pub use time::SimTime;
pub use token_bucket::TokenBucket;
pub use update::{Update, UpdateKind};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
