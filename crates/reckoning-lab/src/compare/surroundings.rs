//! The level around the players, as behaviours want it.

use std::time::Duration;

use reckoning::{
    ConfigError, DVec3, Item as SceneItem, Known, Outline, PheromoneMap, Restores, Routes,
    RoutesConfig, Scene, Sighting, SimTime, TrendMap, TrendMapConfig, Wall, Walls,
};

use super::prepare::Prepared;
use crate::predictor::Planned;
use crate::recording::{BlockKind, Level, LevelShape, Recording};

/// Trails that matter are younger than this, so a run may start with this much of the past.
const TRAILS: Duration = Duration::from_secs(30);
/// Deposits fade to a third within this.
const TRAIL_FADE: Duration = Duration::from_secs(10);
/// Cells of the trail map along the longer side of the level.
const TRAIL_CELLS: f64 = 128.0;

/// What surrounds the players of one recording.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    walls: Option<Walls>,
    routes: Option<Routes>,
    trends: Option<TrendMap>,
    items: Vec<SceneItem>,
    /// An empty map of the level, to lay trails on.
    blank: Option<PheromoneMap>,
}

/// The fresh trails of everyone, at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trails(Option<PheromoneMap>);

impl Surroundings {
    /// Builds what the planned behaviours need, and nothing else. Trends come from `others`,
    /// recordings of the same map, never from the one that is predicted.
    pub(crate) fn of(
        recording: &Recording,
        prepared: &Prepared,
        planned: &[Planned],
        others: &[&Prepared],
    ) -> Result<Self, ConfigError> {
        let walls = walls_of(&recording.level)?;
        let wants = |needs: fn(Planned) -> bool| planned.iter().any(|it| needs(*it));
        let routes = match &walls {
            Some(walls) if wants(Planned::needs_routes) => Some(routes_of(walls, prepared)?),
            _ => None,
        };
        let trends = if wants(Planned::needs_trends) { trends_of(others, prepared)? } else { None };
        let blank = wants(Planned::needs_trails).then(|| trails_over(prepared)).transpose()?;
        Ok(Self { walls, routes, trends, items: items_of(&recording.level), blank })
    }

    /// What a learned predictor is told of: walls, items, and the trends of other sessions.
    pub(crate) fn for_learning(
        recording: &Recording,
        prepared: &Prepared,
        others: &[&Prepared],
    ) -> Result<Self, ConfigError> {
        Self::of(recording, prepared, &[Planned::Trend], others)
    }

    /// Whether a place is inside a wall; `None` where no walls are known.
    pub(crate) fn is_in_wall(&self, place: DVec3) -> Option<bool> {
        self.walls.as_ref().map(|walls| walls.inside(place))
    }

    /// Which way bodies tend to go here, if other sessions of the map told.
    pub(crate) const fn trends(&self) -> Option<&TrendMap> {
        self.trends.as_ref()
    }

    /// The scene of these bodies in these surroundings.
    pub(crate) fn scene<'a>(&'a self, bodies: &'a [Known], trails: &'a Trails) -> Scene<'a> {
        let mut scene = Scene::new(bodies, &self.items);
        scene.walls = self.walls.as_ref();
        scene.routes = self.routes.as_ref();
        scene.trends = self.trends.as_ref();
        scene.pheromones = trails.0.as_ref();
        scene
    }

    /// The trails as they were just before `from`, laid by every `step`-th frame.
    pub(crate) fn trails_before(&self, prepared: &Prepared, from: SimTime, step: usize) -> Trails {
        let mut trails = Trails(self.blank.clone());
        if trails.0.is_some() {
            let start = prepared.frames.partition_point(|&frame| frame + TRAILS < from);
            let end = prepared.frames.partition_point(|&frame| frame < from);
            let mut bodies = Vec::new();
            for &frame in prepared.frames[start..end].iter().step_by(step) {
                prepared.known_at(frame, &mut bodies);
                trails.lay(&bodies, frame, step as f64);
            }
        }
        trails
    }
}

impl Trails {
    /// Lets trails fade until `now` and everyone lay down a little more.
    pub(crate) fn lay(&mut self, bodies: &[Known], now: SimTime, amount: f64) {
        let Some(trails) = &mut self.0 else { return };
        trails.evaporate(now);
        for body in bodies.iter().filter(|body| body.alive) {
            trails.deposit(body.kinematics.position, amount);
        }
    }
}

fn walls_of(level: &Level) -> Result<Option<Walls>, ConfigError> {
    let walls: Vec<Wall<'_>> = level.shapes.iter().filter_map(wall_of).collect();
    if walls.is_empty() { Ok(None) } else { Walls::new(walls).map(Some) }
}

fn wall_of(shape: &LevelShape) -> Option<Wall<'static>> {
    match *shape {
        LevelShape::Wall { from, to, top } if from != to && top > from.z => {
            let outline = Outline::Line(from.with_z(0.0), to.with_z(0.0));
            Some(Wall { outline, bottom_m: from.z, top_m: top })
        }
        LevelShape::Block(block) if block.kind != BlockKind::Teleporter => {
            let outline = Outline::Box {
                center: block.base.with_z(0.0),
                half_x_m: block.size.x,
                half_y_m: block.size.y,
                yaw_rad: block.yaw_rad,
            };
            Some(Wall { outline, bottom_m: block.base.z, top_m: block.base.z + block.size.z })
        }
        _ => None,
    }
}

fn routes_of(walls: &Walls, prepared: &Prepared) -> Result<Routes, ConfigError> {
    let (low, high) = walls.bounds();
    let extent = high - low;
    let mut config = RoutesConfig::default();
    // About a body wide, but never so fine that every cell could not be a goal.
    let coarsest = libm::sqrt(extent.x * extent.y / 4_096.0);
    config.cell_m = prepared.body_width.max(coarsest);
    config.clearance_m = 0.5 * prepared.body_width;
    config.height_m = usual_height(prepared);
    config.goals = 8_192; // more than there are cells, so that none is worked out twice
    Routes::new(walls.clone(), config)
}

/// The height at which most bodies are most of the time.
fn usual_height(prepared: &Prepared) -> f64 {
    let every = |course: &super::prepare::Course| {
        course.states.iter().step_by(50).map(|s| s.kinematics.position.z).collect::<Vec<_>>()
    };
    let mut heights: Vec<f64> = prepared.courses.iter().flat_map(every).collect();
    heights.sort_by(f64::total_cmp);
    heights.get(heights.len() / 2).copied().unwrap_or(0.0)
}

fn trends_of(others: &[&Prepared], own: &Prepared) -> Result<Option<TrendMap>, ConfigError> {
    let sightings: Vec<Sighting> = others.iter().flat_map(|it| sightings(it, 3)).collect();
    if sightings.is_empty() {
        return Ok(None);
    }
    TrendMap::new(&sightings, &trend_config(own.body_width)).map(Some)
}

/// Settings of a trend map for bodies of this width.
pub(crate) fn trend_config(body_width: f64) -> TrendMapConfig {
    let mut config = TrendMapConfig::default();
    config.smallest_cell_m = 2.0 * body_width;
    config
}

/// Every `step`-th state of every body that moved.
pub(crate) fn sightings(prepared: &Prepared, step: usize) -> Vec<Sighting> {
    let states = prepared.courses.iter().flat_map(|course| course.states.iter().step_by(step));
    states
        .filter(|state| state.alive && state.moving_known)
        .map(|state| Sighting {
            position: state.kinematics.position,
            velocity: state.kinematics.velocity,
            acceleration: state.kinematics.acceleration,
        })
        .collect()
}

fn items_of(level: &Level) -> Vec<SceneItem> {
    let restores = |kind: &str| match kind {
        "health" | "armor" | "armour" => Some((Restores::Health, 25.0)),
        "ammo" | "weapon" => Some((Restores::Ammo, 25.0)),
        _ => None,
    };
    let item = |item: &crate::recording::Item| {
        let (restores, worth) = restores(&item.kind)?;
        Some(SceneItem { position: item.position, restores, worth })
    };
    level.items.iter().filter_map(item).collect()
}

fn trails_over(prepared: &Prepared) -> Result<PheromoneMap, ConfigError> {
    let mut low = DVec3::splat(f64::INFINITY);
    let mut high = DVec3::splat(f64::NEG_INFINITY);
    for state in prepared.courses.iter().flat_map(|course| &course.states) {
        low = low.min(state.kinematics.position);
        high = high.max(state.kinematics.position);
    }
    let extent = (high - low).max(DVec3::splat(prepared.body_width));
    let cell = (extent.x.max(extent.y) / TRAIL_CELLS).max(prepared.body_width);
    let count = |length: f64| libm::ceil(length / cell) as usize + 1;
    PheromoneMap::new(low.with_z(0.0), cell, count(extent.x), count(extent.y), TRAIL_FADE)
}
