//! Pathfinding for bots: a grid of places where a body fits, and A* over it.
//!
//! A square of the grid is free when a body fits at its centre; two free neighbours are
//! joined when the body can also go straight between them. A route is found over joined
//! squares and then pulled tight, so that bots cross open ground in straight lines and not
//! along the grid.
//!
//! Squares in front of a turret are dangerous. How much that matters is the caller's fear:
//! at 0 the shortest way is taken, at 1 a dangerous square counts as many safe ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use reckoning::DVec3;

use super::walls::Walls;

/// Bodies keep this far off walls when they plan, so that they do not scrape along them.
const MARGIN_PX: f64 = 1.0;
/// How many safe squares a dangerous one is worth to the most fearful.
const DANGER_SQUARES: f64 = 6.0;
/// The eight neighbours of a square: column, row, cost in tenths of a square.
const NEIGHBOURS: [(isize, isize, u32); 8] = [
    (1, 0, 10),
    (0, 1, 10),
    (-1, 0, 10),
    (0, -1, 10),
    (1, 1, 14),
    (-1, 1, 14),
    (-1, -1, 14),
    (1, -1, 14),
];

/// The grid of a level.
#[derive(Clone, Debug)]
pub struct Paths {
    cell_px: f64,
    radius_px: f64,
    columns: usize,
    rows: usize,
    /// Per square, one bit per neighbour that can be reached straight.
    joined: Vec<u8>,
    /// Per square, how many turrets look at it.
    danger: Vec<u8>,
    /// The squares where a body fits and that are joined to the rest of the level.
    free: Vec<u32>,
}

/// What a search needs to remember; kept to spare allocations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    cost: Vec<u32>,
    from: Vec<u32>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Paths {
    /// The grid for bodies of `radius_px` among `walls`, as far as it hangs together with
    /// `start`.
    pub(crate) fn new(
        size_px: DVec3,
        cell_px: f64,
        radius_px: f64,
        walls: &Walls,
        start: DVec3,
    ) -> Self {
        let columns = (size_px.x / cell_px) as usize;
        let rows = (size_px.y / cell_px) as usize;
        let count = columns * rows;
        let (joined, danger) = (vec![0; count], vec![0; count]);
        let mut paths =
            Self { cell_px, radius_px, columns, rows, joined, danger, free: Vec::new() };
        paths.join(walls);
        paths.keep_what_hangs_together(walls, start);
        paths
    }

    fn join(&mut self, walls: &Walls) {
        let need_px = self.radius_px + MARGIN_PX;
        let fits: Vec<bool> =
            (0..self.joined.len()).map(|it| walls.room_at(self.centre(it)) >= need_px).collect();
        for square in (0..fits.len()).filter(|it| fits[*it]) {
            for (bit, step) in NEIGHBOURS.iter().enumerate() {
                let Some(next) = self.neighbour(square, *step) else { continue };
                let straight = walls.is_clear(self.centre(square), self.centre(next), need_px);
                if fits[next] && straight {
                    self.joined[square] |= 1 << bit;
                }
            }
        }
    }

    /// Forgets pockets nobody can get into.
    fn keep_what_hangs_together(&mut self, walls: &Walls, start: DVec3) {
        let Some(first) = self.square_near(start, walls) else { return };
        let mut reached = vec![false; self.joined.len()];
        reached[first] = true;
        let mut open = vec![first];
        while let Some(square) = open.pop() {
            for next in self.joined_to(square).map(|(next, _)| next) {
                if !reached[next] {
                    reached[next] = true;
                    open.push(next);
                }
            }
        }
        for (joined, reached) in self.joined.iter_mut().zip(&reached) {
            *joined = if *reached { *joined } else { 0 };
        }
        self.free = (0..reached.len()).filter(|it| reached[*it]).map(|it| it as u32).collect();
    }

    /// Marks the squares that a gun at `gun` with `range_px` can hit.
    pub(crate) fn mark_danger(&mut self, walls: &Walls, gun: DVec3, range_px: f64) {
        for square in 0..self.danger.len() {
            let centre = self.centre(square);
            if centre.distance(gun) <= range_px && walls.sees(gun, centre) {
                self.danger[square] = self.danger[square].saturating_add(1);
            }
        }
    }

    /// The places of the grid where a body fits.
    #[must_use]
    pub fn free_places(&self) -> impl ExactSizeIterator<Item = DVec3> {
        self.free.iter().map(|square| self.centre(*square as usize))
    }

    /// The free place of a number below `free_places().len()`.
    pub(crate) fn free_place(&self, number: usize) -> DVec3 {
        self.centre(self.free[number] as usize)
    }

    /// How many turrets look at `p`.
    #[must_use]
    pub fn danger_at(&self, p: DVec3) -> u8 {
        self.danger[self.square(p)]
    }

    /// Whether a body at `p` can get into the grid, and so everywhere else.
    #[must_use]
    pub fn reaches(&self, p: DVec3, walls: &Walls) -> bool {
        self.square_near(p, walls).is_some_and(|it| self.joined[it] != 0)
    }

    /// The corners of a way from one place to another, the last being `to` itself.
    ///
    /// None when `to` cannot be reached. `fear` from 0 to 1 says how far round turrets it may
    /// lead.
    pub(crate) fn route(
        &self,
        walls: &Walls,
        (from, to): (DVec3, DVec3),
        fear: f64,
        search: &mut Search,
    ) -> Option<Vec<DVec3>> {
        if fear <= 0.0 && walls.is_clear(from, to, self.radius_px) {
            return Some(vec![to]);
        }
        let (first, last) = (self.square_near(from, walls)?, self.square_near(to, walls)?);
        if !self.search(first, last, fear, search) {
            return None;
        }
        let mut way = vec![to];
        let mut square = last;
        while square != first {
            way.push(self.centre(square));
            square = search.from[square] as usize;
        }
        way.push(self.centre(first));
        way.reverse();
        Some(self.pull_tight(walls, from, &way))
    }

    /// A*: fills `search.from` back from `last` to `first`.
    fn search(&self, first: usize, last: usize, fear: f64, search: &mut Search) -> bool {
        search.cost.clear();
        search.cost.resize(self.joined.len(), u32::MAX);
        search.from.resize(self.joined.len(), 0);
        search.open.clear();
        search.cost[first] = 0;
        search.open.push(Reverse((0, first as u32)));
        while let Some(Reverse((guess, square))) = search.open.pop() {
            let square = square as usize;
            if square == last {
                return true;
            }
            let cost = search.cost[square];
            if guess > cost + self.at_least(square, last) {
                continue; // a better way here was found since
            }
            for (next, step) in self.joined_to(square) {
                let price = 1.0 + fear * DANGER_SQUARES * f64::from(self.danger[next]);
                let reached = cost + (f64::from(step) * price) as u32;
                if reached < search.cost[next] {
                    search.cost[next] = reached;
                    search.from[next] = square as u32;
                    let guess = reached + self.at_least(next, last);
                    search.open.push(Reverse((guess, next as u32)));
                }
            }
        }
        false
    }

    /// The cost between two squares if nothing were in the way.
    fn at_least(&self, a: usize, b: usize) -> u32 {
        let across = (a % self.columns).abs_diff(b % self.columns) as u32;
        let down = (a / self.columns).abs_diff(b / self.columns) as u32;
        10 * across.max(down) + 4 * across.min(down)
    }

    /// Leaves out every corner that can be passed straight and no less safely.
    fn pull_tight(&self, walls: &Walls, from: DVec3, way: &[DVec3]) -> Vec<DVec3> {
        let mut tight = Vec::new();
        let (mut anchor, mut next) = (from, 0);
        while next < way.len() {
            let mut reach = next;
            while reach + 1 < way.len()
                && walls.is_clear(anchor, way[reach + 1], self.radius_px + 0.5 * MARGIN_PX)
                && !self.is_riskier(anchor, &way[next..=reach + 1])
            {
                reach += 1;
            }
            anchor = way[reach];
            tight.push(anchor);
            next = reach + 1;
        }
        tight
    }

    /// Whether going straight to the end of `way` meets more danger than following it.
    fn is_riskier(&self, from: DVec3, way: &[DVec3]) -> bool {
        let Some(end) = way.last() else { return false };
        let usual = way.iter().map(|it| self.danger_at(*it)).max().unwrap_or(0);
        let steps = libm::ceil(2.0 * from.distance(*end) / self.cell_px).max(1.0) as u32;
        (0..=steps)
            .any(|it| self.danger_at(from.lerp(*end, f64::from(it) / f64::from(steps))) > usual)
    }

    /// The joined square nearest to `p` that a body at `p` can go to straight.
    fn square_near(&self, p: DVec3, walls: &Walls) -> Option<usize> {
        let home = self.square(p);
        let (column, row) = self.column_and_row(home);
        for ring in 0..4_isize {
            let mut best: Option<(f64, usize)> = None;
            for y in -ring..=ring {
                for x in (-ring..=ring).filter(|x| x.abs().max(y.abs()) == ring) {
                    let Some(square) = self.at(column + x, row + y) else { continue };
                    let distance = self.centre(square).distance_squared(p);
                    let nearer = best.is_none_or(|(least, _)| distance < least);
                    if self.joined[square] != 0 && nearer && walls.sees(p, self.centre(square)) {
                        best = Some((distance, square));
                    }
                }
            }
            if let Some((_, square)) = best {
                return Some(square);
            }
        }
        None
    }

    fn joined_to(&self, square: usize) -> impl Iterator<Item = (usize, u32)> {
        NEIGHBOURS.iter().enumerate().filter_map(move |(bit, step)| {
            (self.joined[square] & (1 << bit) != 0)
                .then(|| self.neighbour(square, *step).map(|next| (next, step.2)))
                .flatten()
        })
    }

    fn neighbour(&self, square: usize, (across, down, _): (isize, isize, u32)) -> Option<usize> {
        let (column, row) = self.column_and_row(square);
        self.at(column + across, row + down)
    }

    fn column_and_row(&self, square: usize) -> (isize, isize) {
        ((square % self.columns).cast_signed(), (square / self.columns).cast_signed())
    }

    fn at(&self, column: isize, row: isize) -> Option<usize> {
        let (column, row) = (usize::try_from(column).ok()?, usize::try_from(row).ok()?);
        (column < self.columns && row < self.rows).then(|| row * self.columns + column)
    }

    fn square(&self, p: DVec3) -> usize {
        let column = ((p.x / self.cell_px).max(0.0) as usize).min(self.columns - 1);
        let row = ((p.y / self.cell_px).max(0.0) as usize).min(self.rows - 1);
        row * self.columns + column
    }

    fn centre(&self, square: usize) -> DVec3 {
        let (column, row) = (square % self.columns, square / self.columns);
        DVec3::new(column as f64 + 0.5, row as f64 + 0.5, 0.0) * self.cell_px
    }
}

#[cfg(test)]
mod tests {
    use super::super::walls::{Edge, Walls, rectangle};
    use super::*;
    use crate::level::at;

    /// A room with a wall from the top that leaves a gap at the bottom.
    fn room() -> (Walls, Paths) {
        let size = at(400.0, 300.0);
        let wall = rectangle(at(190.0, 0.0), at(20.0, 240.0));
        let walls = Walls::new(size, vec![], vec![wall]);
        let paths = Paths::new(size, 10.0, 8.0, &walls, at(20.0, 20.0));
        (walls, paths)
    }

    #[test]
    fn a_route_goes_round_a_wall_in_few_straight_pieces() {
        let (walls, paths) = room();
        let (from, to) = (at(50.0, 50.0), at(350.0, 50.0));
        let way = paths.route(&walls, (from, to), 0.0, &mut Search::default()).unwrap();
        assert!(way.len() <= 5, "{way:?}");
        assert_eq!(*way.last().unwrap(), to);
        let mut here = from;
        for corner in way {
            assert!(walls.is_clear(here, corner, 8.0), "{here} to {corner}");
            here = corner;
        }
    }

    #[test]
    fn fear_leads_round_a_turret() {
        let size = at(400.0, 300.0);
        let walls = Walls::new(size, vec![], vec![]);
        let mut paths = Paths::new(size, 10.0, 8.0, &walls, at(20.0, 20.0));
        let gun = at(200.0, 150.0);
        paths.mark_danger(&walls, gun, 60.0);
        let (from, to) = (at(50.0, 150.0), at(350.0, 150.0));
        let [bold_px, careful_px] = [0.0, 1.0].map(|fear| {
            let mut way = paths.route(&walls, (from, to), fear, &mut Search::default()).unwrap();
            way.insert(0, from);
            let nearest = |leg: &[DVec3]| Edge { a: leg[0], b: leg[1] }.nearest(gun).distance(gun);
            way.windows(2).map(nearest).fold(f64::INFINITY, f64::min)
        });
        assert_eq!(bold_px, 0.0);
        assert!(careful_px > 50.0, "{careful_px} px from the gun, which reaches 60 px");
    }

    #[test]
    fn a_closed_room_cannot_be_reached() {
        let size = at(400.0, 300.0);
        let walls = Walls::new(size, vec![], vec![rectangle(at(190.0, 0.0), at(20.0, 300.0))]);
        let paths = Paths::new(size, 10.0, 8.0, &walls, at(20.0, 20.0));
        assert!(!paths.reaches(at(350.0, 50.0), &walls));
        let ends = (at(20.0, 20.0), at(350.0, 50.0));
        assert_eq!(paths.route(&walls, ends, 0.0, &mut Search::default()), None);
        assert!(paths.free_places().all(|it| it.x < 190.0));
    }
}
