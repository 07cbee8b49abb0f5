//! The ways round the walls of a level.
//!
//! The level is cut into square cells; neighbouring cells are joined where a body can walk
//! from one middle to the other. The distances of all cells to a goal, once worked out,
//! answer every later question about that goal at once, and near goals share a cell:
//!
//! ```text
//!   4 3 2 2 2      from any cell, the neighbour with the smallest
//!   4 # # # 1      number is on a shortest way to the goal 0
//!   5 o 3 # 0
//!   4 4 3 2 1      o sees as far as the 2 below: that is its next step
//! ```
//!
//! SHI uses A*; this gives paths of the same length.

use core::cell::RefCell;

use alloc::vec::Vec;

use glam::{DVec2, DVec3};
use libm::ceil;

use super::Walls;
use super::fields::{CUT_OFF, DistanceFields, WAYS, WalkGraph};
use reckoning::error::SettingError;

/// How finely a level is cut up for [`Routes`].
///
/// The default suits a body about half a metre wide indoors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoutesConfig {
    /// Side of a cell. Gaps narrower than about two cells may be missed. Default: 0.5 m. Positive,
    /// and large enough that the level has at most four million cells.
    pub cell_m: f64,
    /// No route leads nearer to a wall than this. Default: 0.25 m. Finite, not negative.
    pub clearance_m: f64,
    /// The height at which walls are looked at. Default: 0.5 m. Finite.
    pub height_m: f64,
    /// How many goals are remembered; each takes two bytes per cell of the level. Default: 256. At
    /// least 1.
    pub goals: usize,
}

impl Default for RoutesConfig {
    fn default() -> Self {
        Self { cell_m: 0.5, clearance_m: 0.25, height_m: 0.5, goals: 256 }
    }
}

/// No level is cut into more cells than this.
const MAX_CELLS: f64 = 4_194_304.0;
/// How many cells ahead a step may lead.
const AHEAD: usize = 24;
/// How far around, in cells, a way is looked for from a body or a goal close to a wall.
const AROUND: i32 = 6;

/// The ways round the walls of a level.
///
/// Answers do not depend on what was asked before; the memory only makes them quicker. It
/// is not shared between threads: give each its own clone.
#[derive(Clone, Debug)]
pub struct Routes {
    walls: Walls,
    corner: DVec2,
    cell_m: f64,
    graph: WalkGraph,
    /// For each closed cell the nearest open one.
    stand_ins: Vec<Option<usize>>,
    fields: RefCell<DistanceFields>,
}

impl Routes {
    /// Works out where a body can walk.
    ///
    /// # Errors
    /// Refuses a cell size that is not positive or cuts the level into more than four
    /// million cells, a negative clearance, a height that is not finite, and a memory of
    /// nothing.
    pub fn new(walls: Walls, config: RoutesConfig) -> Result<Self, SettingError> {
        let (low, high) = walls.bounds();
        let extent = (high - low).truncate();
        let finest = libm::sqrt(extent.x * extent.y / MAX_CELLS).max(f64::MIN_POSITIVE);
        let cell_m = SettingError::in_range("cell_m", config.cell_m, finest, f64::MAX)?;
        SettingError::in_range("clearance_m", config.clearance_m, 0.0, f64::MAX)?;
        SettingError::in_range("height_m", config.height_m, f64::MIN, f64::MAX)?;
        SettingError::in_range("goals", config.goals as f64, 1.0, f64::MAX)?;
        // Two open cells all round, so that one can walk round the outermost wall.
        let margin_m = 2.0 * cell_m + config.clearance_m;
        let count = |length: f64| ceil((length + 2.0 * margin_m) / cell_m).max(1.0);
        let (columns, rows) = (count(extent.x), count(extent.y));
        SettingError::in_range("cells of the level", columns * rows, 1.0, MAX_CELLS)?;
        let graph = WalkGraph { columns: columns as usize, rows: rows as usize, ways: Vec::new() };
        let fields = DistanceFields::new(graph.columns * graph.rows, config.goals);
        let corner = low.truncate() - margin_m;
        let (stand_ins, fields) = (Vec::new(), RefCell::new(fields));
        let mut routes = Self { walls, corner, cell_m, graph, stand_ins, fields };
        routes.join(&config);
        Ok(routes)
    }

    /// The walls the ways lead round.
    #[must_use]
    pub const fn walls(&self) -> &Walls {
        &self.walls
    }

    /// Side of a cell: goals nearer to each other than this have the same way, or nearly.
    #[must_use]
    pub const fn cell_m(&self) -> f64 {
        self.cell_m
    }

    /// The next point to walk straight to on the way from `from` to `goal`.
    ///
    /// No wall lies between `from` and the answer. It is the goal itself once it is in
    /// sight, and `from` if no way leads there. The height of `from` is kept.
    #[must_use]
    pub fn next_step(&self, from: DVec3, goal: DVec3) -> DVec3 {
        let goal = DVec3::new(goal.x, goal.y, from.z);
        if !from.is_finite() || !goal.is_finite() {
            return from;
        }
        if self.walls.sees(from, goal) {
            return goal;
        }
        let Some(goal_cell) = self.cell_at(goal) else { return from };
        let mut fields = self.fields.borrow_mut();
        let lengths = fields.to(goal_cell, &self.graph);
        let Some(cell) = self.way_in(from, lengths) else { return from };
        self.furthest_in_sight(from, cell, lengths)
    }

    /// The middle of a cell far along the way from `cell` that can be walked to straight.
    fn furthest_in_sight(&self, from: DVec3, mut cell: usize, lengths: &[u16]) -> DVec3 {
        let mut way = [cell; AHEAD + 1];
        let mut count = 0;
        for ahead in &mut way {
            *ahead = cell;
            count += 1;
            let Some(next) = self.next_cell(cell, lengths) else { break };
            cell = next;
        }
        // Half as far each time: a few looks instead of one per cell.
        let mut ahead = count - 1;
        while ahead > 0 {
            let middle = self.middle(way[ahead], from.z);
            if self.walls.sees(from, middle) {
                return middle;
            }
            ahead = ahead * 2 / 3;
        }
        self.middle(way[0], from.z)
    }

    /// How long the way from `from` to `goal` is; `None` if there is none. In the open the
    /// straight distance; else counted along the cells, up to a sixth more than a shortest way.
    #[must_use]
    pub fn way_m(&self, from: DVec3, goal: DVec3) -> Option<f64> {
        let goal = DVec3::new(goal.x, goal.y, from.z);
        if self.walls.sees(from, goal) {
            return Some(from.distance(goal));
        }
        let goal_cell = self.cell_at(goal)?;
        let mut fields = self.fields.borrow_mut();
        let lengths = fields.to(goal_cell, &self.graph);
        let cell = self.way_in(from, lengths)?;
        let ends = from.distance(self.middle(cell, from.z))
            + goal.distance(self.middle(goal_cell, from.z));
        Some(f64::from(lengths[cell]) * 0.1 * self.cell_m + ends)
    }

    /// Finds which cells are open and which neighbours can be walked between.
    fn join(&mut self, config: &RoutesConfig) {
        let cells = self.graph.columns * self.graph.rows;
        let z = config.height_m;
        let open: Vec<bool> = (0..cells)
            .map(|cell| self.walls.distance(self.middle(cell, z), config.clearance_m).is_none())
            .collect();
        self.graph.ways = (0..cells).map(|cell| self.ways_out(cell, &open, z)).collect();
        self.stand_ins = self.nearest_open();
    }

    /// Spreads the open cells ring by ring over the closed ones.
    fn nearest_open(&self) -> Vec<Option<usize>> {
        let cells = self.graph.ways.len();
        let mut nearest: Vec<Option<usize>> =
            (0..cells).map(|cell| (self.graph.ways[cell] != 0).then_some(cell)).collect();
        let mut front: Vec<usize> = nearest.iter().flatten().copied().collect();
        while !front.is_empty() {
            let mut next_front = Vec::new();
            for &cell in &front {
                for &(x, y, _) in &WAYS[..4] {
                    let Some(next) = self.beside(cell, x, y) else { continue };
                    if nearest[next].is_none() {
                        nearest[next] = nearest[cell];
                        next_front.push(next);
                    }
                }
            }
            front = next_front;
        }
        nearest
    }

    fn ways_out(&self, cell: usize, open: &[bool], z: f64) -> u8 {
        let mut ways = 0;
        for (way, &(x, y, _)) in WAYS.iter().enumerate() {
            let Some(next) = self.beside(cell, x, y) else { continue };
            let between = [self.beside(cell, x, 0), self.beside(cell, 0, y)];
            // A diagonal step must not squeeze between two closed cells.
            let free = open[cell] && open[next] && between.iter().flatten().all(|&c| open[c]);
            if free && self.walls.sees(self.middle(cell, z), self.middle(next, z)) {
                ways |= 1 << way;
            }
        }
        ways
    }

    fn beside(&self, cell: usize, x: i32, y: i32) -> Option<usize> {
        let column = (cell % self.graph.columns).checked_add_signed(x as isize)?;
        let row = (cell / self.graph.columns).checked_add_signed(y as isize)?;
        let inside = column < self.graph.columns && row < self.graph.rows;
        inside.then_some(row * self.graph.columns + column)
    }

    fn middle(&self, cell: usize, z: f64) -> DVec3 {
        let (column, row) = (cell % self.graph.columns, cell / self.graph.columns);
        let at = self.corner + (DVec2::new(column as f64, row as f64) + 0.5) * self.cell_m;
        at.extend(z)
    }

    /// The cell of a place, or the nearest at the rim.
    fn cell_under(&self, at: DVec3) -> usize {
        let at = (at.truncate() - self.corner) / self.cell_m;
        let index = |at: f64, count: usize| at.clamp(0.0, count as f64 - 1.0) as usize;
        index(at.y, self.graph.rows) * self.graph.columns + index(at.x, self.graph.columns)
    }

    /// The cell that stands for a goal: its own, or if that is closed the nearest open one, or
    /// if a wall parts them one in its sight.
    fn cell_at(&self, goal: DVec3) -> Option<usize> {
        let own = self.cell_under(goal);
        if self.graph.ways[own] == 0 {
            return self.stand_ins[own];
        }
        if self.walls.sees(goal, self.middle(own, goal.z)) {
            return Some(own);
        }
        self.best_around(own, |cell| {
            let middle = self.middle(cell, goal.z);
            let hidden = !self.walls.sees(middle, goal);
            Some((hidden, middle.distance_squared(goal)))
        })
    }

    /// The cell in sight of `from` from which the way is shortest.
    fn way_in(&self, from: DVec3, lengths: &[u16]) -> Option<usize> {
        let own = self.cell_under(from);
        self.best_around(own, |cell| {
            let middle = self.middle(cell, from.z);
            let usable = lengths[cell] != CUT_OFF && self.walls.sees(from, middle);
            let length = f64::from(lengths[cell]) * 0.1 + from.distance(middle) / self.cell_m;
            usable.then_some((false, length))
        })
    }

    /// The open cell with the smallest rating in the smallest neighbourhood that has any.
    fn best_around(
        &self,
        own: usize,
        rate: impl Fn(usize) -> Option<(bool, f64)>,
    ) -> Option<usize> {
        let mut best: Option<((bool, f64), usize)> = None;
        for reach in [0, 1, 3, AROUND] {
            for y in -reach..=reach {
                for x in -reach..=reach {
                    let Some(cell) = self.beside(own, x, y) else { continue };
                    if self.graph.ways[cell] == 0 {
                        continue;
                    }
                    let Some(rating) = rate(cell) else { continue };
                    if best.is_none_or(|(found, _)| rating < found) {
                        best = Some((rating, cell));
                    }
                }
            }
            if let Some((_, cell)) = best {
                return Some(cell);
            }
        }
        None
    }

    /// The neighbour on the shortest way; the first of the eight ways wins a tie.
    fn next_cell(&self, cell: usize, lengths: &[u16]) -> Option<usize> {
        let ahead = self.graph.neighbours(cell).filter(|&(next, _)| lengths[next] < lengths[cell]);
        ahead.min_by_key(|&(next, step)| lengths[next].saturating_add(step)).map(|(next, _)| next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outline, Wall};

    fn at(x: f64, y: f64) -> DVec3 {
        DVec3::new(x, y, 0.0)
    }

    /// A room 20 m square, cut in two by a wall with a gap of 3 m at the top.
    fn rooms() -> Routes {
        let corners = [at(0.0, 0.0), at(20.0, 0.0), at(20.0, 20.0), at(0.0, 20.0)];
        let outer = (0..4).map(|c| Outline::Line(corners[c], corners[(c + 1) % 4]));
        let inner = Outline::Line(at(10.0, 0.0), at(10.0, 17.0));
        let walls = Walls::new(outer.chain([inner]).map(Wall::from)).unwrap();
        Routes::new(walls, RoutesConfig { height_m: 0.0, ..RoutesConfig::default() }).unwrap()
    }

    fn walk(routes: &Routes, mut body: DVec3, goal: DVec3) -> (DVec3, f64) {
        let mut length = 0.0;
        for _ in 0..200 {
            let next = routes.next_step(body, goal);
            assert!(routes.walls().sees(body, next), "through a wall from {body} to {next}");
            length += body.distance(next);
            body = next;
        }
        (body, length)
    }

    #[test]
    fn a_goal_in_sight_is_the_next_step() {
        assert_eq!(rooms().next_step(at(2.0, 2.0), at(8.0, 11.0)), at(8.0, 11.0));
    }

    #[test]
    fn the_way_round_the_wall_is_walked_and_nearly_shortest() {
        let (from, goal) = (at(5.0, 2.0), at(15.0, 2.0));
        let routes = rooms();
        let (end, length) = walk(&routes, from, goal);
        let shortest = 2.0 * from.distance(at(10.0, 17.0));
        assert_eq!(end, goal);
        assert!(length > shortest && length < shortest * 1.08, "{length} against {shortest}");
        let said = routes.way_m(from, goal).unwrap();
        assert!(said > shortest && said < shortest * 1.167, "{said} against {shortest}");
    }

    #[test]
    fn nobody_walks_to_where_no_way_leads() {
        let routes = rooms();
        assert_eq!(walk(&routes, at(5.0, 2.0), at(50.0, 2.0)).0, at(5.0, 2.0));
        assert_eq!(routes.way_m(at(5.0, 2.0), at(50.0, 2.0)), None);
        assert_eq!(routes.next_step(at(5.0, 2.0), at(f64::NAN, 2.0)), at(5.0, 2.0));
    }

    #[test]
    fn the_way_to_a_goal_inside_a_box_ends_beside_the_box() {
        let center = at(15.0, 5.0);
        let block = Outline::Box { center, half_x_m: 2.0, half_y_m: 2.0, yaw_rad: 0.0 };
        let inner = Outline::Line(at(10.0, 0.0), at(10.0, 17.0));
        let walls = Walls::new([block, inner].map(Wall::from)).unwrap();
        let routes = Routes::new(walls, RoutesConfig::default()).unwrap();
        let end = walk(&routes, at(5.0, 5.0), center).0;
        assert!(end.distance(center) < 3.5, "{end}");
    }

    #[test]
    fn the_memory_is_bounded_and_does_not_change_answers() {
        let small = Routes::new(
            rooms().walls().clone(),
            RoutesConfig { height_m: 0.0, goals: 2, ..RoutesConfig::default() },
        )
        .unwrap();
        let large = rooms();
        for n in 0..40 {
            let goal = at(11.0 + f64::from(n % 8), 1.0 + f64::from(n * 3 % 11));
            let from = at(1.0 + f64::from(n % 9), 2.0);
            assert_eq!(small.next_step(from, goal), large.next_step(from, goal), "goal {n}");
        }
        assert_eq!(small.fields.borrow().remembered(), 2);
    }

    #[test]
    fn unusable_grids_are_refused() {
        let refused = |change: fn(&mut RoutesConfig)| {
            let mut config = RoutesConfig::default();
            change(&mut config);
            Routes::new(rooms().walls().clone(), config).is_err()
        };
        assert!(refused(|c| c.cell_m = 0.0));
        assert!(refused(|c| c.cell_m = 1e-3));
        assert!(refused(|c| c.clearance_m = f64::NAN));
        assert!(refused(|c| c.height_m = f64::INFINITY));
        assert!(refused(|c| c.goals = 0));
    }
}
