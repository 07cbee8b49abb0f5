//! The laboratory of Reckoning: how well do ghosts follow, and at what price?
//!
//! Nothing here is a model of the engine: the lab runs the engine itself, a
//! [`Publisher`](reckoning::Publisher) and a [`Ghost`](reckoning::Ghost), on motions whose
//! truth is known ([`Motion`]), over networks as bad as wanted ([`Link`](reckoning_netsim::Link)).
//!
//! ```
//! use reckoning::{Blend, Model};
//! use reckoning_lab::{Motion, Scenario, ScenarioTally};
//!
//! let link = "delay=80,jitter=20,loss=0.05,seed=7".parse()?;
//! let (motion, model, blend) = (Motion::Circle, Model::Linear, Blend::ProjectiveVelocity);
//! let run = Scenario { motion, seconds: 10, model, blend, link }.run()?;
//!
//! let mut tally = ScenarioTally::default();
//! tally.add(&run);
//! let report = tally.report();
//! assert!(report.updates_per_s < 4.0);
//! assert!(report.error_mean_m < 0.6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arena_links;
mod arena_play;
pub mod bots;
pub mod cheats;
pub mod check;
pub mod codec;
pub mod compare;
pub mod fair_fight;
pub mod fit;
pub mod frontier;
pub mod hills;
pub mod import;
pub mod loss;
mod motion;
mod parquet;
pub mod predictor;
mod publishing;
pub mod report;
pub mod reproduce;
mod scene_plot;
mod scenes;
pub mod scoreboard;
pub mod stats;
pub mod traffic;
pub mod train;
pub mod trend;
pub mod wire_cost;

pub use arena_play::ArenaPlayError;
pub use motion::{Motion, TICK_HZ};
pub use parquet::write_parquet;
pub use scene_plot::scene_picture;
pub(crate) use scenes::plain_bytes;
pub use scenes::{
    Scenario, ScenarioError, ScenarioReport, ScenarioRun, ScenarioTally, scene_table,
};
