//! Foresight for Reckoning: where a body will go, judged from its surroundings.
//!
//! A [`Scene`] is what one side knows of the bodies, items and level around a body. A
//! [`Behaviour`] (interest, play patterns, pheromone trails, trend maps and their hybrids)
//! rolls a body out into the future from it, and a [`learned`] network does the same from
//! recordings. Both run where the knowledge is and answer with a
//! [`Model`](reckoning::Model) in closed form, which everyone else only evaluates.
//!
//! | you want to | take |
//! |---|---|
//! | say what is around a body | [`Scene`], [`KnownBody`], [`Item`] |
//! | foresee it from that | [`Behaviour`] |
//! | publish what is foreseen | [`Planner`](reckoning::Planner), with [`Surroundings`] |
//! | know a level | [`Walls`], [`Routes`], [`TrendMap`], [`PheromoneMap`] |
//! | use what was learnt from recordings | [`learned::LearnedPlanner`] |
//!
//! No clock, no socket, no thread, no global state; equal inputs give equal bits.
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod behaviour;
pub mod learned;
mod level;
mod scene;
mod surroundings;

pub use behaviour::{
    Behaviour, Interest, InterestConfig, InterestHybrid, Patterns, PatternsConfig, PatternsHybrid,
    Pheromone, PheromoneConfig, PheromoneMap, Preference, PreferenceLearner, SteadyTracker,
    Trended, TrendedConfig, fit_curve,
};
pub use level::{
    Outline, Pull, Routes, RoutesConfig, Sighting, Trend, TrendMap, TrendMapConfig, TrendMapError,
    Wall, Walls,
};
pub use scene::{Item, KnownBody, Restores, Scene};
pub use surroundings::{Intent, Landmark, Surroundings};
