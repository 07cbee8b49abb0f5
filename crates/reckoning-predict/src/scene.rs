//! A scene: one side's knowledge of the others, of items and of the level, at one time.
//!
//! A [`Scene`] is built once per tick and asked by the behaviours of all bodies. It keeps
//! every living body in a small record, sorted into the cells of a uniform grid, so that a
//! prediction reads a few neighbours in a row and never the full states:
//!
//! ```text
//!   +----+----+----+
//!   | a  |    | b  |     records in the order of the cells, row by row: a b | c d e
//!   +----+----+----+     the cells of a window are a few runs of that list
//!   |    | cd | e  |
//!   +----+----+----+
//! ```
//!
//! Everything in it is last known: nothing here is moved on to the present, and a behaviour
//! is a pure function of the scene. So whoever builds it from what had arrived by then can
//! be sure that no later knowledge leaks into a prediction.

use alloc::vec::Vec;
use core::time::Duration;

use glam::DVec3;

use crate::behaviour::PheromoneMap;
use crate::level::{Routes, TrendMap, Walls};
use reckoning::Kinematics;

/// A body as one side last knew it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KnownBody {
    /// Its id; one id, one body.
    pub id: u32,
    /// Its team. Bodies of one team are friends, all others are enemies; without teams, give
    /// each body its own.
    pub team: i32,
    /// Its last known motion.
    pub kinematics: Kinematics,
    /// Health left.
    pub health: f32,
    /// Health at most. Zero where the game has no health.
    pub max_health: f32,
    /// Ammunition left.
    pub ammo: f32,
    /// Ammunition at most. Zero where the game has none.
    pub max_ammo: f32,
    /// The fastest it can go along the ground. Zero if not known: then the speed it was
    /// last seen with stands in.
    pub top_speed_mps: f64,
    /// Whether it takes part. The dead neither move nor matter to others.
    pub alive: bool,
    /// For how long, up to the last known moment, it has kept its direction; see
    /// [`SteadyTracker`](crate::SteadyTracker).
    pub steady: Duration,
}

impl KnownBody {
    /// A healthy body of which nothing but its motion is known.
    #[must_use]
    pub const fn new(id: u32, team: i32, kinematics: Kinematics) -> Self {
        Self {
            id,
            team,
            kinematics,
            health: 1.0,
            max_health: 1.0,
            ammo: 0.0,
            max_ammo: 0.0,
            top_speed_mps: 0.0,
            alive: true,
            steady: Duration::ZERO,
        }
    }

    /// How much it counts in a fight: health and ammunition, each as a share of its most
    /// (SHI, equation 12). Where the game tells neither, everyone counts as one, so that the
    /// stronger side is the larger one.
    #[must_use]
    pub fn influence(&self) -> f64 {
        if self.max_health > 0.0 || self.max_ammo > 0.0 {
            share(self.health, self.max_health) + share(self.ammo, self.max_ammo)
        } else {
            1.0
        }
    }

    /// LI's state S: health and ammunition together.
    pub(crate) fn state(&self) -> f64 {
        f64::from(self.health) + f64::from(self.ammo)
    }

    /// The largest [`Self::state`] it can have.
    pub(crate) fn state_max(&self) -> f64 {
        f64::from(self.max_health) + f64::from(self.max_ammo)
    }
}

fn share(got: f32, most: f32) -> f64 {
    if most > 0.0 { f64::from(got) / f64::from(most) } else { 0.0 }
}

/// What an [`Item`] restores when it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Restores {
    /// Health.
    Health,
    /// Ammunition.
    Ammo,
}

/// Something to be picked up. Leave out of the scene what is not there to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// Where it lies.
    pub position: DVec3,
    /// What it gives.
    pub restores: Restores,
    /// How much of it, in the units of [`KnownBody::health`] and [`KnownBody::ammo`].
    pub worth: f32,
}

/// A living body as its neighbours see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LivingBody {
    pub x: f64,
    pub y: f64,
    pub vx: f64,
    pub vy: f64,
    /// SHI's influence.
    pub influence: f64,
    /// LI's state.
    pub state: f64,
    pub team: i32,
    /// Index in the list of bodies.
    pub index: u32,
}

/// What one side knows at one time.
///
/// ```
/// use reckoning::{DVec3, Kinematics, SimTime};
/// use reckoning_predict::{KnownBody, Scene};
///
/// let runner = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 5.0);
/// let bodies = [KnownBody::new(7, 0, runner)];
/// let scene = Scene::new(&bodies, &[]);
/// assert_eq!(scene.body(7).map(|body| body.team), Some(0));
/// ```
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The walls, for behaviours that keep out of them.
    pub walls: Option<&'a Walls>,
    /// The ways round the walls, for behaviours that walk them.
    pub routes: Option<&'a Routes>,
    /// Which way bodies tend to go in this level.
    pub trends: Option<&'a TrendMap>,
    /// Where bodies went lately.
    pub pheromones: Option<&'a PheromoneMap>,
    bodies: &'a [KnownBody],
    items: &'a [Item],
    /// Pairs of id and place, by id.
    by_id: Vec<(u32, u32)>,
    living: Vec<LivingBody>,
    grid: BodyGrid,
}

impl<'a> Scene<'a> {
    /// A scene of these bodies and items, on open ground; assign the rest of the level.
    ///
    /// If an id comes twice, the first body has it. Bodies at places that are not finite
    /// are left out.
    #[must_use]
    pub fn new(bodies: &'a [KnownBody], items: &'a [Item]) -> Self {
        let mut by_id: Vec<_> =
            bodies.iter().enumerate().map(|(place, body)| (body.id, place as u32)).collect();
        by_id.sort_unstable();
        let (grid, living) =
            BodyGrid::sort(bodies.iter().enumerate().filter_map(living_body).collect());
        Self {
            walls: None,
            routes: None,
            trends: None,
            pheromones: None,
            bodies,
            items,
            by_id,
            living,
            grid,
        }
    }

    /// The body called `id`.
    #[must_use]
    pub fn body(&self, id: u32) -> Option<&'a KnownBody> {
        self.place(id).map(|place| &self.bodies[place as usize])
    }

    /// Place of the body called `id` in [`Self::bodies`].
    pub(crate) fn place(&self, id: u32) -> Option<u32> {
        let at = self.by_id.partition_point(|&(other, _)| other < id);
        self.by_id.get(at).filter(|&&(other, _)| other == id).map(|&(_, place)| place)
    }

    /// All bodies, dead or alive.
    #[must_use]
    pub const fn bodies(&self) -> &'a [KnownBody] {
        self.bodies
    }

    /// All items.
    #[must_use]
    pub const fn items(&self) -> &'a [Item] {
        self.items
    }

    /// Every living body.
    pub(crate) fn living(&self) -> &[LivingBody] {
        &self.living
    }

    /// Runs of living bodies that hold all within `reach_x` and `reach_y` of a place, and
    /// some beyond.
    pub(crate) fn around(
        &self,
        x: f64,
        y: f64,
        reach: [f64; 2],
    ) -> impl Iterator<Item = &[LivingBody]> {
        self.grid.runs([x - reach[0], y - reach[1]], [x + reach[0], y + reach[1]], &self.living)
    }
}

fn living_body((place, body): (usize, &KnownBody)) -> Option<LivingBody> {
    let (position, velocity) = (body.kinematics.position, body.kinematics.velocity);
    let usable = body.alive && position.is_finite() && velocity.is_finite();
    usable.then(|| LivingBody {
        x: position.x,
        y: position.y,
        vx: velocity.x,
        vy: velocity.y,
        influence: body.influence(),
        state: body.state(),
        team: body.team,
        index: place as u32,
    })
}

/// Below this many bodies one run of all of them is quicker than any search.
const WORTH_A_GRID: usize = 32;
/// Cells along each side.
const CELLS: usize = 16;

/// Which living bodies stand in which cell.
#[derive(Clone, Debug)]
struct BodyGrid {
    corner: [f64; 2],
    /// Cells per metre along x and along y; zero if everything is one cell.
    per_m: [f64; 2],
    side: usize,
    /// Where each cell's bodies begin, and at the end how many there are.
    starts: Vec<u32>,
}

impl BodyGrid {
    /// Sorts the bodies by cell, and inside one by team and place in the list of bodies.
    fn sort(mut living: Vec<LivingBody>) -> (Self, Vec<LivingBody>) {
        let mut grid = Self { corner: [0.0; 2], per_m: [0.0; 2], side: 1, starts: Vec::new() };
        if living.len() >= WORTH_A_GRID {
            grid = Self::over(&living);
        }
        living.sort_by_cached_key(|body| (grid.cell(body.x, body.y), body.team, body.index));
        for cell in 0..=(grid.side * grid.side) as u32 {
            let start = living.partition_point(|body| grid.cell(body.x, body.y) < cell);
            grid.starts.push(start as u32);
        }
        (grid, living)
    }

    /// An empty grid over all the bodies.
    fn over(living: &[LivingBody]) -> Self {
        let mut corner = [f64::INFINITY; 2];
        let mut end = [f64::NEG_INFINITY; 2];
        for body in living {
            for (axis, at) in [body.x, body.y].into_iter().enumerate() {
                corner[axis] = corner[axis].min(at);
                end[axis] = end[axis].max(at);
            }
        }
        let per_m = [0, 1].map(|axis| {
            let extent = end[axis] - corner[axis];
            let usable = extent > 0.0 && extent.is_finite();
            if usable { CELLS as f64 / extent } else { 0.0 }
        });
        Self { corner, per_m, side: CELLS, starts: Vec::new() }
    }

    /// Column or row; casts saturate, so places outside count with the rim.
    fn line(&self, axis: usize, at: f64) -> usize {
        (((at - self.corner[axis]) * self.per_m[axis]) as usize).min(self.side - 1)
    }

    fn cell(&self, x: f64, y: f64) -> u32 {
        (self.line(1, y) * self.side + self.line(0, x)) as u32
    }

    fn runs<'s>(
        &'s self,
        low: [f64; 2],
        high: [f64; 2],
        living: &'s [LivingBody],
    ) -> impl Iterator<Item = &'s [LivingBody]> {
        let (left, right) = (self.line(0, low[0]), self.line(0, high[0]));
        (self.line(1, low[1])..=self.line(1, high[1])).map(move |row| {
            let begin = self.starts[row * self.side + left] as usize;
            let end = self.starts[row * self.side + right + 1] as usize;
            &living[begin..end]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::SimTime;

    fn crowd(count: u32) -> Vec<KnownBody> {
        let place = |id: u32| DVec3::new(f64::from(id * 37 % 101), f64::from(id * 59 % 89), 0.0);
        (0..count)
            .map(|id| KnownBody::new(id, 0, Kinematics::at_rest(SimTime::ZERO, place(id))))
            .collect()
    }

    #[test]
    fn a_window_misses_no_body_at_any_size_of_the_crowd() {
        for count in [0, 1, 31, 32, 150] {
            let bodies = crowd(count);
            let scene = Scene::new(&bodies, &[]);
            for (x, y) in [(0.0, 0.0), (50.0, 40.0), (100.0, 88.0), (-500.0, 900.0)] {
                let inside = |s: &&LivingBody| (s.x - x).abs() <= 20.0 && (s.y - y).abs() <= 9.0;
                let mut found: Vec<u32> = scene
                    .around(x, y, [20.0, 9.0])
                    .flatten()
                    .filter(inside)
                    .map(|body| body.index)
                    .collect();
                found.sort_unstable();
                let brute: Vec<u32> = scene
                    .bodies()
                    .iter()
                    .filter(|b| {
                        let d = b.kinematics.position - DVec3::new(x, y, 0.0);
                        d.x.abs() <= 20.0 && d.y.abs() <= 9.0
                    })
                    .map(|b| b.id)
                    .collect();
                assert_eq!(found, brute, "{count} bodies around {x}, {y}");
            }
        }
    }

    #[test]
    fn the_dead_and_the_unplaced_are_nobodys_neighbours() {
        let mut bodies = crowd(3);
        bodies[1].alive = false;
        bodies[2].kinematics.position.x = f64::NAN;
        let scene = Scene::new(&bodies, &[]);
        assert_eq!(scene.living().len(), 1);
        assert_eq!(scene.body(1).map(|body| body.alive), Some(false));
        assert_eq!(scene.body(3), None);
    }

    #[test]
    fn influence_adds_the_shares_of_health_and_ammunition() {
        let mut body = KnownBody::new(0, 0, Kinematics::default());
        (body.health, body.max_health) = (50.0, 100.0);
        (body.ammo, body.max_ammo) = (3.0, 12.0);
        assert_eq!(body.influence(), 0.75);
        body.max_ammo = 0.0;
        assert_eq!(body.influence(), 0.5, "a game without ammunition");
        body.max_health = 0.0;
        assert_eq!(body.influence(), 1.0, "a game that tells neither counts heads");
    }
}
