//! Planners by the names on the panel, and what they look at in a level.
//!
//! A [`Planning`] is one side's knowledge: the server's, which knows everyone, or a client's, which
//! knows what it is shown. It is brought up to date by [`Planning::look`] and gives each planner the
//! same surroundings:
//!
//! ```text
//! level  -> walls, ways round them, rim          once
//! trends -> which way bodies go at a place       once, from a match of bots that nobody sees
//! look   -> everyone, items, steadiness, trails  each step
//! ```
//!
//! What a planner cannot do without and this side does not have is told by [`Planning::missing`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reckoning::{ConfigError, DVec3, ExportReason, Kinematics, Model, Planner, SimTime};
use reckoning_predict::learned::{LearnedConfig, LearnedModel, LearnedPlanner};
use reckoning_predict::{
    Behaviour, Item, KnownBody, Landmark, Outline, PheromoneMap, Routes, RoutesConfig, Scene,
    Sighting, SteadyTracker, Surroundings, TrendMap, TrendMapConfig, Wall, Walls,
};

use crate::level::{Level, Walls as LevelWalls};
use crate::protocol::ModelChoice;
use crate::record::{Match, MatchConfig};
use crate::world::PlayerId;

/// A level has no height: everything is inside.
const OPEN: f64 = 1e9;
/// Ways are never worked out so finely that not every cell could be a goal.
const ROUTE_CELLS: f64 = 4_096.0;
const ROUTE_GOALS: usize = 8_192;
/// Cells of the trails along the longer side of a level, and how long a trail lasts.
const TRAIL_CELLS: f64 = 128.0;
const TRAIL_FADE: Duration = Duration::from_secs(10);
/// A match that is enough to show the lanes of a level, and made within a blink.
const TREND_BOTS: u16 = 8;
const TREND_SECONDS: u32 = 60;

/// What planners of one side look at.
#[derive(Debug)]
pub struct Planning {
    walls: Option<Walls>,
    routes: Option<Routes>,
    trends: Option<Arc<TrendMap>>,
    trails: Option<PheromoneMap>,
    network: Option<Arc<LearnedModel>>,
    size_px: [f64; 2],
    width_px: f64,
    top_speed_px_s: f64,
    bodies: Vec<KnownBody>,
    items: Vec<Item>,
    steady: BTreeMap<u32, SteadyTracker>,
    looked_at: Option<SimTime>,
}

impl Planning {
    /// What there is to know of a level. `trends` is [`trend_map`]'s, or one made from recordings.
    #[must_use]
    pub fn new(
        level: &Level,
        trends: Option<Arc<TrendMap>>,
        network: Option<Arc<LearnedModel>>,
    ) -> Self {
        let file = level.file();
        let width_px = 2.0 * file.body.radius_px;
        let walls = walls(level.walls()).ok();
        Self {
            routes: walls.as_ref().and_then(|walls| routes(walls, width_px)),
            walls,
            trends,
            trails: trails(file.size_px, width_px),
            network,
            size_px: file.size_px,
            width_px,
            top_speed_px_s: file.body.speed_px_s,
            bodies: Vec::new(),
            items: Vec::new(),
            steady: BTreeMap::new(),
            looked_at: None,
        }
    }

    /// What this side lacks for a planner, in words for people; `None` if nothing.
    #[must_use]
    pub const fn missing(&self, choice: ModelChoice) -> Option<&'static str> {
        use ModelChoice as Choice;
        match choice {
            Choice::Learned if self.network.is_none() => Some("nothing was trained for this level"),
            Choice::Trend if self.trends.is_none() => Some("this level has no trend map"),
            Choice::Pheromone if self.trails.is_none() => {
                Some("this level is too large for trails")
            }
            Choice::Oaekb | Choice::OaekbHybrid if self.routes.is_none() => {
                Some("no ways could be found round the walls")
            }
            _ => None,
        }
    }

    /// Everyone and everything that is known at `at`.
    pub fn look(
        &mut self,
        at: SimTime,
        bodies: impl IntoIterator<Item = KnownBody>,
        items: impl IntoIterator<Item = Item>,
    ) {
        self.bodies.clear();
        self.bodies.extend(bodies);
        self.items.clear();
        self.items.extend(items);
        let past_s = self.looked_at.replace(at).map_or(0.0, |before| at.secs_since(before));
        if let Some(trails) = &mut self.trails {
            trails.evaporate(at);
        }
        self.steady.retain(|id, _| self.bodies.iter().any(|body| body.id == *id));
        for body in &mut self.bodies {
            body.top_speed_mps = self.top_speed_px_s;
            let tracker = self.steady.entry(body.id).or_default();
            if body.alive {
                tracker.observe(&body.kinematics);
                if let Some(trails) = &mut self.trails {
                    trails.deposit(body.kinematics.position, past_s);
                }
            } else {
                *tracker = SteadyTracker::default();
            }
            body.steady = tracker.steady();
        }
    }

    /// The scene as it was last looked at.
    #[must_use]
    pub fn scene(&self) -> Scene<'_> {
        let mut scene = Scene::new(&self.bodies, &self.items);
        (scene.walls, scene.routes) = (self.walls.as_ref(), self.routes.as_ref());
        (scene.trends, scene.pheromones) = (self.trends.as_deref(), self.trails.as_ref());
        scene
    }

    /// What is around a body in a scene of this level.
    #[must_use]
    pub fn around<'a>(&self, scene: &'a Scene<'a>, id: u32) -> Surroundings<'a> {
        let [width, height] = self.size_px;
        let middle =
            Landmark { position: DVec3::new(width, height, 0.0) * 0.5, velocity: DVec3::ZERO };
        Surroundings {
            scene: Some(scene),
            id,
            facing_known: true,
            marks: [None, Some(middle)],
            bounds: Some((DVec3::new(0.0, 0.0, -OPEN), DVec3::new(width, height, OPEN))),
            ..Surroundings::default()
        }
    }

    /// A planner for one body; `None` for a plain model, and where something is missing.
    #[must_use]
    pub fn planner(&self, choice: ModelChoice, seed: u64) -> Option<ArenaPlanner> {
        if self.missing(choice).is_some() {
            return None;
        }
        if choice == ModelChoice::Learned {
            let mut config = LearnedConfig::default();
            config.seed = seed;
            let planner = LearnedPlanner::new(Arc::clone(self.network.as_ref()?), config);
            return Some(ArenaPlanner::Learned(Box::new(planner)));
        }
        let kind = choice.planner(self.width_px, self.top_speed_px_s);
        kind.behaviour().ok().flatten().map(ArenaPlanner::Behaviour)
    }
}

/// A planner of one body.
#[derive(Clone, Debug)]
pub enum ArenaPlanner {
    /// What players do, by rules.
    Behaviour(Behaviour),
    /// What players do, by a trained network.
    Learned(Box<LearnedPlanner>),
}

impl ArenaPlanner {
    /// Forgets where the body was: it was born anew.
    pub fn restart(&mut self) {
        if let Self::Learned(planner) = self {
            planner.restart();
        }
    }

    /// The guess may be off by so much before the next update.
    pub fn set_bound_px(&mut self, bound_px: f64) {
        if let Self::Learned(planner) = self {
            planner.set_bound_m(bound_px);
        }
    }
}

impl Planner<Surroundings<'_>> for ArenaPlanner {
    fn observe(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        match self {
            Self::Behaviour(behaviour) => behaviour.observe(truth, around),
            Self::Learned(planner) => planner.observe(truth, around),
        }
    }

    fn plan(
        &mut self,
        truth: &Kinematics,
        around: &Surroundings<'_>,
        reason: ExportReason,
    ) -> Model {
        match self {
            Self::Behaviour(behaviour) => behaviour.plan(truth, around, reason),
            Self::Learned(planner) => planner.plan(truth, around, reason),
        }
    }

    fn forecast(&mut self, truth: &Kinematics, around: &Surroundings<'_>) -> Option<Model> {
        match self {
            Self::Behaviour(behaviour) => behaviour.forecast(truth, around),
            Self::Learned(planner) => planner.forecast(truth, around),
        }
    }
}

/// The walls of a level as the engine's.
pub(crate) fn walls(of: &LevelWalls) -> Result<Walls, ConfigError> {
    let lines = of.edges().iter().map(|edge| Wall::from(Outline::Line(edge.a, edge.b)));
    Ok(Walls::new(lines)?)
}

/// Ways for bodies of this width.
fn routes(walls: &Walls, width_px: f64) -> Option<Routes> {
    let (low, high) = walls.bounds();
    let extent = high - low;
    let mut config = RoutesConfig::default();
    config.cell_m = width_px.max(libm::sqrt(extent.x * extent.y / ROUTE_CELLS));
    config.clearance_m = 0.5 * width_px;
    config.height_m = 0.0;
    config.goals = ROUTE_GOALS;
    Routes::new(walls.clone(), config).ok()
}

fn trails(size_px: [f64; 2], width_px: f64) -> Option<PheromoneMap> {
    let cell_px = (size_px[0].max(size_px[1]) / TRAIL_CELLS).max(width_px);
    let [columns, rows] = size_px.map(|length| libm::ceil(length / cell_px) as usize + 1);
    PheromoneMap::new(DVec3::ZERO, cell_px, columns, rows, TRAIL_FADE).ok()
}

/// Where bots go in a level, from a minute's match that nobody sees.
#[must_use]
pub fn trend_map(level: &Level) -> Option<TrendMap> {
    let mut config = TrendMapConfig::default();
    // No cell is smaller than a body.
    config.smallest_cell_m = 2.0 * level.file().body.radius_px;
    TrendMap::new(&sightings(level), &config).ok()
}

/// Every bot in every tick in which it lives on, with the velocity it gained since the last.
fn sightings(level: &Level) -> Vec<Sighting> {
    let mut config = MatchConfig::default();
    config.bots = TREND_BOTS;
    config.seconds = TREND_SECONDS;
    let mut before: BTreeMap<PlayerId, (u64, DVec3)> = BTreeMap::new();
    let mut seen = Vec::new();
    for frame in Match::start(level.clone(), &config) {
        for bot in frame.players.iter().filter(|bot| bot.is_alive) {
            let life = (bot.since_tick, bot.velocity);
            if let Some((since_tick, velocity)) = before.insert(bot.id, life)
                && since_tick == bot.since_tick
            {
                let acceleration = (bot.velocity - velocity) * f64::from(crate::TICKS_PER_S);
                seen.push(Sighting {
                    position: bot.position,
                    velocity: bot.velocity,
                    acceleration,
                });
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_and_everything_else_plans() {
        let level = Level::built_in("corridors").unwrap();
        let bare = Planning::new(&level, None, None);
        let missing: Vec<_> =
            ModelChoice::ALL.into_iter().filter(|it| bare.missing(*it).is_some()).collect();
        assert_eq!(missing, [ModelChoice::Learned, ModelChoice::Trend]);
        assert!(missing.into_iter().all(|choice| bare.planner(choice, 1).is_none()));

        let network = crate::host::trained().map(Arc::new);
        let whole = Planning::new(&level, trend_map(&level).map(Arc::new), network);
        for choice in ModelChoice::ALL {
            assert_eq!(whole.missing(choice), None, "{choice:?}");
            let is_plain = ModelChoice::PLAIN.contains(&choice);
            assert_eq!(whole.planner(choice, 1).is_none(), is_plain, "{choice:?}");
        }
    }

    #[test]
    fn the_dead_leave_no_trail_and_are_steady_in_nothing() {
        let level = Level::built_in("proving-grounds").unwrap();
        let mut planning = Planning::new(&level, None, None);
        let (here, there) = (DVec3::new(200.0, 200.0, 0.0), DVec3::new(900.0, 900.0, 0.0));
        for tick in 0..60 {
            let at = SimTime::from_tick(tick, 60);
            let body = |id, place, alive| {
                let mut body = KnownBody::new(id, 0, Kinematics::moving(at, place, DVec3::X));
                body.alive = alive;
                body
            };
            planning.look(at, [body(1, here, true), body(2, there, false)], []);
        }
        let scene = planning.scene();
        let (alive, dead) = (scene.body(1).unwrap(), scene.body(2).unwrap());
        assert!(alive.steady > Duration::from_millis(900) && dead.steady.is_zero());
        let trails = scene.pheromones.unwrap();
        assert!(trails.strength(here) > 0.5 && trails.strength(there) == 0.0);
    }
}
