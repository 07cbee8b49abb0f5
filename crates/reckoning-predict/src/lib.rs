//! Prediction for Reckoning: where a body will go, judged from its surroundings.
//!
//! A [`Scene`] is what one side knows of the bodies, items and level around a body. A
//! [`Behaviour`] (interest, play patterns, pheromone trails, trend maps and their hybrids)
//! rolls a body out into the future from it, and a [`learned`] network does the same from
//! recordings. Both run at the owner or the host, where the knowledge is, and answer with a
//! [`Model`](reckoning::Model) in closed form, which everyone else only evaluates.
//!
//! ```
//! use reckoning::{DVec3, Kinematics, Publisher, PublisherConfig, SimTime};
//! use reckoning_predict::{Behaviour, KnownBody, Patterns, PatternsConfig, Scene, Surroundings};
//!
//! let player = |tick, y| {
//!     let at = SimTime::from_tick(tick, 60);
//!     Kinematics::moving(at, DVec3::new(0.0, y, 0.0), DVec3::Y * 5.0)
//! };
//! let (mut publisher, first) = Publisher::start(PublisherConfig::default(), &player(0, 0.0))?;
//! let mut planner = Behaviour::Patterns(Patterns::new(PatternsConfig::default().scaled(0.01))?);
//!
//! let friend = Kinematics::at_rest(SimTime::ZERO, DVec3::X * 8.0);
//! let truth = player(6, 0.9); // off the straight line, so an update is due
//! let bodies = [KnownBody::new(1, 0, truth), KnownBody::new(2, 0, friend)];
//! let scene = Scene::new(&bodies, &[]);
//! let around = Surroundings { scene: Some(&scene), id: 1, ..Surroundings::default() };
//! let update = publisher.observe_planned(&truth, &mut planner, &around).expect("0.4 m off");
//! let in_1_s = update.position_at(SimTime::from_tick(66, 60));
//! assert!(in_1_s.x > 0.5); // listeners see him turn towards his friend
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! # Where things are
//!
//! | you want to | take |
//! |---|---|
//! | describe what is around a body | [`Scene`], [`KnownBody`], [`Item`], [`Surroundings`] |
//! | describe what its player intends | [`Intent`], [`Landmark`] |
//! | predict where it goes | [`Behaviour::roll_out`] |
//! | publish what is predicted | [`Planner`](reckoning::Planner), [`Publisher::observe_planned`](reckoning::Publisher::observe_planned) |
//! | predict from play patterns of teams | [`Patterns`], [`PatternsHybrid`], [`SteadyTracker`] |
//! | predict from what attracts a player | [`Interest`], [`InterestHybrid`], [`PreferenceLearner`] |
//! | predict from what bodies did before | [`Trended`] with a [`TrendMap`], [`Pheromone`] with a [`PheromoneMap`] |
//! | take whichever of them costs a body the fewest updates | [`ChooserPlanner`] |
//! | know a level | [`Walls`], [`Routes`] |
//! | use what was learned from recordings | [`learned::LearnedModel`], [`learned::LearnedPlanner`] |
//! | fit a curve to predictions of your own | [`fit_curve`] |
//!
//! No clock, no socket, no thread, no global state; equal inputs give equal bits.
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod behaviour;
mod chooser;
mod experts;
pub mod learned;
mod level;
mod scene;
mod shadow;
mod surroundings;

pub use behaviour::{
    Behaviour, Interest, InterestConfig, InterestHybrid, Patterns, PatternsConfig, PatternsHybrid,
    Pheromone, PheromoneConfig, PheromoneMap, Preference, PreferenceLearner, SteadyTracker,
    Trended, TrendedConfig, fit_curve,
};
pub use chooser::{ChooserConfig, ChooserExpert, ChooserPlanner};
pub use level::{
    Outline, Pull, Routes, RoutesConfig, Sighting, Trend, TrendMap, TrendMapConfig, TrendMapError,
    Wall, Walls,
};
pub use scene::{Item, KnownBody, Restores, Scene};
pub use surroundings::{Intent, Landmark, Surroundings};
