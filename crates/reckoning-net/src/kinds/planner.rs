//! Planners of kinds: how bodies are foreseen where they are moved, declared with the kind.

use alloc::string::String;
use core::fmt;

use reckoning::ConfigError;
use reckoning::error::SettingError;
use reckoning_predict::{
    Behaviour, ChooserConfig, Interest, InterestConfig, InterestHybrid, Patterns, PatternsConfig,
    PatternsHybrid, Pheromone, PheromoneConfig, Trended, TrendedConfig,
};
use serde::{Deserialize, Serialize};

use super::MAX_KIND_NAME_BYTES;

/// How bodies of a kind are foreseen by whoever moves them: the owner, or the host for its own.
///
/// All but [`Model`](Self::Model) look around: give them surroundings
/// ([`Session::observe_with`](crate::Session::observe_with)). Where one lacks what it looks at, the
/// body goes by the model of its kind, and the game is told:
/// [`SessionEvent::PlannerMissing`](crate::SessionEvent::PlannerMissing).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PlannerKind {
    /// By the publisher's model, whatever is around. The default.
    #[default]
    Model,
    /// Drawn by weaker players and by items (LI). Needs a scene.
    Interest(InterestConfig),
    /// Straight on for half a second, then as [`Interest`](Self::Interest) (LI). Needs a scene.
    InterestHybrid(InterestConfig),
    /// Follows friends, aligns with them, faces or flees enemies (SHI). Needs a scene.
    /// `avoid_walls` does not count: the name says it.
    Ekb(PatternsConfig),
    /// As [`Ekb`](Self::Ekb), or straight on for those who keep their direction (SHI); needs
    /// [`KnownBody::steady`](reckoning_predict::KnownBody::steady) in the scene.
    EkbHybrid(PatternsConfig),
    /// As [`Ekb`](Self::Ekb), round the walls (SHI). Needs the scene's routes.
    Oaekb(PatternsConfig),
    /// As [`EkbHybrid`](Self::EkbHybrid), round the walls (SHI). Needs the scene's routes.
    OaekbHybrid(PatternsConfig),
    /// Accelerates as bodies do at that place (STEELE). Needs a scene and a trend map.
    Trend(TrendedConfig),
    /// Drawn by the trails of others. Needs the scene's trails.
    Pheromone(PheromoneConfig),
    /// By a trained network. Needs that; surroundings only if it was trained with them.
    Learned(LearnedKind),
    /// By whichever of constant velocity, a velocity that dies away, play patterns, interests and
    /// trends has cost the body the fewest updates so far. Looks at a scene and a trend map, and does
    /// without what is not there.
    Chooser(ChooserConfig),
}

/// A trained network that plans for a kind of bodies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LearnedKind {
    /// The name it is registered by: [`PlanningAssets::add_network`](crate::PlanningAssets). 1 to
    /// [`MAX_KIND_NAME_BYTES`] bytes. Default: `learned`.
    pub network: String,
    /// Falls back to damped or constant velocity for bodies that it does worse on. Default: `true`.
    pub choose: bool,
}

impl Default for LearnedKind {
    fn default() -> Self {
        Self { network: "learned".into(), choose: true }
    }
}

impl PlannerKind {
    /// Validates its settings.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if let Self::Learned(learned) = self {
            let (got, most) = (learned.network.len() as f64, MAX_KIND_NAME_BYTES as f64);
            SettingError::in_range("network name bytes", got, 1.0, most)?;
        }
        if let Self::Chooser(config) = self {
            config.validate()?;
        }
        self.behaviour().map(|_| ())
    }

    /// The behaviour it stands for, for a game that plans by itself
    /// ([`Host::observe_planned`](crate::Host::observe_planned)); `None` for a model, for a
    /// trained network and for one that chooses.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn behaviour(&self) -> Result<Option<Behaviour>, ConfigError> {
        let hybrid = |patterns| Behaviour::PatternsHybrid(PatternsHybrid::new(patterns));
        Ok(Some(match self {
            Self::Model | Self::Learned(_) | Self::Chooser(_) => return Ok(None),
            Self::Interest(config) => Behaviour::Interest(Interest::new(*config)?),
            Self::InterestHybrid(config) => {
                Behaviour::InterestHybrid(InterestHybrid::new(Interest::new(*config)?))
            }
            Self::Ekb(config) => Behaviour::Patterns(patterns(*config, false)?),
            Self::Oaekb(config) => Behaviour::Patterns(patterns(*config, true)?),
            Self::EkbHybrid(config) => hybrid(patterns(*config, false)?),
            Self::OaekbHybrid(config) => hybrid(patterns(*config, true)?),
            Self::Trend(config) => Behaviour::Trended(Trended::new(*config)?),
            Self::Pheromone(config) => Behaviour::Pheromone(Pheromone::new(*config)?),
        }))
    }
}

fn patterns(mut config: PatternsConfig, avoid_walls: bool) -> Result<Patterns, SettingError> {
    config.avoid_walls = avoid_walls;
    Patterns::new(config)
}

/// What a body's kind asks for and was not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PlannerNeed {
    /// A scene: [`Surroundings::scene`](reckoning_predict::Surroundings).
    Scene,
    /// The body itself in the scene, by [`Surroundings::id`](reckoning_predict::Surroundings).
    Body,
    /// Ways round the walls: [`Scene::routes`](reckoning_predict::Scene::routes).
    Routes,
    /// A trend map: [`PlanningAssets::trends`](crate::PlanningAssets::trends).
    Trends,
    /// Trails: [`Scene::pheromones`](reckoning_predict::Scene::pheromones).
    Trails,
    /// The network of that name: [`PlanningAssets::add_network`](crate::PlanningAssets).
    Network,
    /// Walls or ground to keep out of: [`PlanningAssets::walls`](crate::PlanningAssets::walls),
    /// [`PlanningAssets::ground`](crate::PlanningAssets::ground).
    Walls,
}

impl fmt::Display for PlannerNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scene => "a scene; give surroundings to observe_with",
            Self::Body => "the body in the scene; set the id of the surroundings",
            Self::Routes => "routes; assign them to the scene",
            Self::Trends => "a trend map; register one in the planning assets",
            Self::Trails => "trails; assign a pheromone map to the scene",
            Self::Network => "a trained network of that name; register it in the planning assets",
            Self::Walls => "walls or ground; register them in the planning assets",
        })
    }
}
