//! Surroundings of the players of a recording, as behaviours take them.

use std::time::Duration;

use reckoning::{ConfigError, DVec3, SimTime};
use reckoning_predict::{
    Item as SceneItem, KnownBody, Outline, PheromoneMap, Preference, Routes, RoutesConfig, Scene,
    Sighting, TrendMap, TrendMapConfig, Wall, Walls,
};
use reckoning_recording::{BlockKind, Bounds, Level, LevelShape, Recording};

use super::items::Items;
use super::preference_history::PreferenceHistory;
use super::prepare::{Prepared, li_scale};
use crate::predictor::Planned;

/// Trails that matter are younger than this, so a run may start with this much of the past.
const TRAILS: Duration = Duration::from_secs(30);
/// Deposits fade to a third within this.
const TRAIL_FADE: Duration = Duration::from_secs(10);
/// Cells of the trail map along the longer side of the level.
const TRAIL_CELLS: f64 = 128.0;
/// Errors at places are measured so long after: about as long as an update holds.
const MEASURED_AHEAD: Duration = Duration::from_millis(400);
/// Body widths from the middle to the edges of the trail map of a level of unknown size.
const TRAIL_REACH: f64 = 256.0;

/// What surrounds the players of one recording.
#[derive(Clone, Debug)]
pub(crate) struct RecordedSurroundings {
    walls: Option<Walls>,
    routes: Option<Routes>,
    trends: Option<TrendMap>,
    /// The same with the errors that constant velocity had in the others.
    measured: Option<TrendMap>,
    items: Items,
    habits: PreferenceHistory,
    /// An empty map of the level, to lay trails on.
    blank: Option<PheromoneMap>,
}

/// What is to be seen around at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct SceneMoment {
    bodies: Vec<KnownBody>,
    items: Vec<SceneItem>,
    /// The fresh trails of everyone.
    trails: Option<PheromoneMap>,
}

impl RecordedSurroundings {
    /// Builds what the planned behaviours need, and nothing else. Trends come from `others`,
    /// recordings of the same map, never from the one that is predicted.
    pub(crate) fn new(
        recording: &Recording,
        prepared: &Prepared,
        planned: &[Planned],
        others: &[&Prepared],
    ) -> Result<Self, ConfigError> {
        let walls = walls_of(&recording.level)?;
        let wants = |needs: fn(Planned) -> bool| planned.iter().any(|it| needs(*it));
        let routes = match &walls {
            Some(walls) if wants(Planned::needs_routes) => {
                Some(routes_of(walls, recording, prepared)?)
            }
            _ => None,
        };
        let trends = if wants(Planned::needs_trends) { trends_of(others, prepared)? } else { None };
        let blank =
            wants(Planned::needs_trails).then(|| trails_over(recording, prepared)).transpose()?;
        let (items, habits) = (Items::from_recording(recording), PreferenceHistory::default());
        let mut made = Self { walls, routes, trends, measured: None, items, habits, blank };
        if wants(Planned::needs_habits) {
            made.habits = PreferenceHistory::learn(prepared, &made)?;
        }
        Ok(made)
    }

    /// The inputs of a learned predictor: walls, items, and the trends of other sessions.
    pub(crate) fn for_learning(
        recording: &Recording,
        prepared: &Prepared,
        others: &[&Prepared],
    ) -> Result<Self, ConfigError> {
        Self::new(recording, prepared, &[Planned::Trend], others)
    }

    /// Whether a place is inside a wall; `None` where no walls are known.
    pub(crate) fn is_in_wall(&self, place: DVec3) -> Option<bool> {
        self.walls.as_ref().map(|walls| walls.inside(place))
    }

    /// Which way bodies tend to go here, if other sessions of the map told.
    pub(crate) const fn trends(&self) -> Option<&TrendMap> {
        self.trends.as_ref()
    }

    /// Trends with the errors that were measured at each place, if anyone asked for it.
    pub(crate) const fn measured(&self) -> Option<&TrendMap> {
        self.measured.as_ref()
    }

    /// Measures in `others`, recordings of the same map, how far constant velocity is off at each
    /// place.
    pub(crate) fn measure(
        &mut self,
        own: &Prepared,
        others: &[&Prepared],
    ) -> Result<(), ConfigError> {
        let Some(mut map) = trends_of(others, own)? else { return Ok(()) };
        for course in others.iter().flat_map(|it| &it.courses) {
            for (place, state) in course.states.iter().enumerate().step_by(3) {
                let seen = &state.kinematics;
                if !(state.alive && state.moving_known) {
                    continue;
                }
                let Some(truth) = course.truth_at(place, seen.at + MEASURED_AHEAD) else {
                    continue;
                };
                let guess = seen.position + seen.velocity * MEASURED_AHEAD.as_secs_f64();
                map.note_error(seen.position, seen.velocity, guess.distance(truth));
            }
        }
        self.measured = Some(map);
        Ok(())
    }

    /// The scene of a moment in these surroundings.
    pub(crate) fn scene<'a>(&'a self, moment: &'a SceneMoment) -> Scene<'a> {
        let mut scene = Scene::new(&moment.bodies, &moment.items);
        scene.walls = self.walls.as_ref();
        scene.routes = self.routes.as_ref();
        scene.trends = self.trends.as_ref();
        scene.pheromones = moment.trails.as_ref();
        scene
    }

    /// Whether any walls are known.
    pub(crate) const fn knows_walls(&self) -> bool {
        self.walls.is_some()
    }

    /// The items that lie there at `now`.
    pub(crate) fn items_at(&self, now: SimTime) -> Vec<SceneItem> {
        let mut present = Vec::new();
        self.items.present_at(now, &mut present);
        present
    }

    /// Whether no wall stands between two places.
    pub(crate) fn sees(&self, from: DVec3, to: DVec3) -> bool {
        self.walls.as_ref().is_none_or(|walls| walls.sees(from, to))
    }

    /// What a player is known to like by now; nothing unless someone asked for it.
    pub(crate) fn habit_of(&self, player: usize, now: SimTime) -> Preference {
        self.habits.at(player, now)
    }

    /// Brings bodies and items up to `now`, not the trails.
    pub(crate) fn look_around(&self, prepared: &Prepared, now: SimTime, moment: &mut SceneMoment) {
        prepared.known_at(now, &mut moment.bodies);
        self.items.present_at(now, &mut moment.items);
    }

    /// Nobody around yet, and the trails as they were just before `from`, laid by every
    /// `step`-th frame.
    pub(crate) fn before(&self, prepared: &Prepared, from: SimTime, step: usize) -> SceneMoment {
        let mut moment = SceneMoment { trails: self.blank.clone(), ..SceneMoment::default() };
        if moment.trails.is_some() {
            let start = prepared.frames.partition_point(|&frame| frame + TRAILS < from);
            let end = prepared.frames.partition_point(|&frame| frame < from);
            for &frame in prepared.frames[start..end].iter().step_by(step) {
                prepared.known_at(frame, &mut moment.bodies);
                moment.lay_trails(frame, step as f64);
            }
        }
        moment
    }
}

impl SceneMoment {
    /// Lets trails fade until `now` and everyone lay down a little more.
    pub(crate) fn lay_trails(&mut self, now: SimTime, amount: f64) {
        let Some(trails) = &mut self.trails else { return };
        trails.evaporate(now);
        for body in self.bodies.iter().filter(|body| body.alive) {
            trails.deposit(body.kinematics.position, amount);
        }
    }

    /// How the speeds seen so far compare with those of LI's tanks.
    pub(crate) fn li_scale(&self) -> f64 {
        li_scale(self.bodies.iter().map(|body| body.top_speed_mps))
    }
}

/// The walls of a level; `None` if it has none.
pub(crate) fn walls_of(level: &Level) -> Result<Option<Walls>, ConfigError> {
    let walls: Vec<Wall<'_>> = level.shapes.iter().filter_map(wall_of).collect();
    if walls.is_empty() { Ok(None) } else { Ok(Some(Walls::new(walls)?)) }
}

/// The wall that a piece of a level is, if it is one.
pub(crate) fn wall_of(shape: &LevelShape) -> Option<Wall<'static>> {
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

fn routes_of(
    walls: &Walls,
    recording: &Recording,
    prepared: &Prepared,
) -> Result<Routes, ConfigError> {
    let width = prepared.body_width;
    let (low, high) = walls.bounds();
    let extent = high - low;
    let mut config = RoutesConfig::default();
    // About a body wide, but never so fine that every cell could not be a goal.
    let coarsest = libm::sqrt(extent.x * extent.y / 4_096.0);
    config.cell_m = width.max(coarsest);
    config.clearance_m = 0.5 * width;
    config.height_m = usual_height(&recording.level, prepared);
    config.goals = 8_192; // more than there are cells, so that none is worked out twice
    Ok(Routes::new(walls.clone(), config)?)
}

/// The height at which most things lie that a body may want: a property of the level, which
/// everyone knows from the start. Without such things, where the first ones seen are.
fn usual_height(level: &Level, prepared: &Prepared) -> f64 {
    let mut heights: Vec<f64> = level.items.iter().map(|item| item.position.z).collect();
    heights.sort_by(f64::total_cmp);
    heights.get(heights.len() / 2).copied().unwrap_or_else(|| first_seen(prepared).z)
}

fn trends_of(others: &[&Prepared], own: &Prepared) -> Result<Option<TrendMap>, ConfigError> {
    let sightings: Vec<Sighting> = others.iter().flat_map(|it| sightings(it, 3)).collect();
    if sightings.is_empty() {
        return Ok(None);
    }
    Ok(Some(TrendMap::new(&sightings, &trend_config(own.body_width))?))
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

/// A map of the level's extent, or of where the first ones seen are if it is not known.
fn trails_over(recording: &Recording, prepared: &Prepared) -> Result<PheromoneMap, ConfigError> {
    let width = prepared.body_width;
    let bounds = recording.level.bounds.or(recording.meta.bounds);
    let (low, cell, extent) = if let Some(Bounds { min, max }) = bounds {
        let extent = (max - min).max(DVec3::splat(width));
        (min, (extent.x.max(extent.y) / TRAIL_CELLS).max(width), extent)
    } else {
        let reach = DVec3::splat(TRAIL_REACH * width);
        (first_seen(prepared) - reach, 2.0 * width, reach * 2.0)
    };
    let count = |length: f64| libm::ceil(length / cell) as usize + 1;
    PheromoneMap::new(low.with_z(0.0), cell, count(extent.x), count(extent.y), TRAIL_FADE)
}

/// The middle of everyone in the first frame.
fn first_seen(prepared: &Prepared) -> DVec3 {
    let firsts = prepared.courses.iter().filter_map(|course| course.states.first());
    let first = prepared.frames.first().copied();
    let there = firsts.filter(|state| Some(state.kinematics.at) == first);
    let (sum, count) =
        there.fold((DVec3::ZERO, 0.0), |(sum, n), it| (sum + it.kinematics.position, n + 1.0));
    if count > 0.0 { sum / count } else { DVec3::ZERO }
}
