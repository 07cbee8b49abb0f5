//! A uniform grid that finds which of many flat things lie near a place or along a path.

use alloc::vec::Vec;

use glam::DVec2;
use libm::{floor, sqrt};

/// Things are listed in each cell they touch, and in the next one if they come this near to
/// it (in cells). So a path that rounding puts on the wrong side of a line misses nothing.
const RIM: f64 = 1e-6;
/// No more cells than this along a side.
const MOST: f64 = 512.0;

/// Numbers of things, cell by cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cells {
    pub corner: DVec2,
    pub side_m: f64,
    per_m: f64,
    pub columns: usize,
    pub rows: usize,
    starts: Vec<u32>,
    things: Vec<u32>,
}

impl Cells {
    /// An empty grid from `low` to `high` with about sixteen cells per thing.
    pub fn over(low: DVec2, high: DVec2, things: usize) -> Self {
        let extent = (high - low).max(DVec2::ZERO);
        let longest = extent.x.max(extent.y);
        let even = sqrt(extent.x * extent.y / (16.0 * things.max(1) as f64));
        let side_m = even.max(longest / MOST);
        let side_m = if side_m > 0.0 && side_m.is_finite() { side_m } else { 1.0 };
        let count = |length: f64| (floor(length / side_m) as usize + 1).min(MOST as usize + 1);
        let (columns, rows) = (count(extent.x), count(extent.y));
        let (starts, things) = (Vec::new(), Vec::new());
        Self { corner: low, side_m, per_m: 1.0 / side_m, columns, rows, starts, things }
    }

    /// Lists the straight lines from `a` to `b`, each under its number, in every cell they
    /// touch.
    pub fn list(&mut self, lines: impl Iterator<Item = (u32, DVec2, DVec2)>) {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (thing, a, b) in lines {
            self.touch(a, b, |cell| pairs.push((cell as u32, thing)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        self.starts.clear();
        for cell in 0..=(self.columns * self.rows) as u32 {
            self.starts.push(pairs.partition_point(|&(other, _)| other < cell) as u32);
        }
        self.things = pairs.into_iter().map(|(_, thing)| thing).collect();
    }

    /// Calls `found` for each cell the line from `a` to `b` touches.
    fn touch(&self, a: DVec2, b: DVec2, mut found: impl FnMut(usize)) {
        let (a, b) = (self.in_cells(a), self.in_cells(b));
        let (low, high) = (a.min(b) - RIM, a.max(b) + RIM);
        let last = DVec2::new(self.columns as f64, self.rows as f64) - 1.0;
        let index = |at: f64, last: f64| floor(at).clamp(0.0, last) as usize;
        for row in index(low.y, last.y)..=index(high.y, last.y) {
            // The part of the line that lies in this row.
            let (mut left, mut right) = (low.x, high.x);
            let way = b - a;
            if way.y.abs() > RIM {
                let at = |y: f64| a.x + way.x * ((y - a.y) / way.y).clamp(0.0, 1.0);
                let (one, other) = (at(row as f64 - RIM), at(row as f64 + 1.0 + RIM));
                left = left.max(one.min(other) - RIM);
                right = right.min(one.max(other) + RIM);
            }
            for column in index(left, last.x)..=index(right, last.x) {
                found(row * self.columns + column);
            }
        }
    }

    /// A place counted in cells from the corner.
    pub fn in_cells(&self, at: DVec2) -> DVec2 {
        (at - self.corner) * self.per_m
    }

    /// The things listed in a cell.
    pub fn things(&self, cell: usize) -> &[u32] {
        &self.things[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The cell of a place, if the grid covers it.
    pub fn cell_of(&self, at: DVec2) -> Option<usize> {
        let at = self.in_cells(at);
        let inside = at.x >= 0.0 && at.y >= 0.0;
        let (column, row) = (at.x as usize, at.y as usize);
        (inside && column < self.columns && row < self.rows).then(|| row * self.columns + column)
    }

    /// Whether a path stays inside one cell in which nothing is listed.
    pub fn nothing_along(&self, from: DVec2, to: DVec2) -> bool {
        let (from, to) = (self.in_cells(from), self.in_cells(to));
        let (column, row) = (from.x as usize, from.y as usize);
        let inside = from.min(to).cmpge(DVec2::ZERO).all();
        let same = column == to.x as usize && row == to.y as usize;
        let covered = inside && same && column < self.columns && row < self.rows;
        covered && self.things(row * self.columns + column).is_empty()
    }

    /// Visits the cells along a straight path in order, each with the fraction of the way at
    /// which it is left, until `visit` returns `true`.
    pub fn along(&self, from: DVec2, to: DVec2, mut visit: impl FnMut(usize, f64) -> bool) {
        let (start, end) = (self.in_cells(from), self.in_cells(to));
        let way = end - start;
        // Paths that begin and end over the grid, nearly all, need no clipping.
        let (low, high) = (start.min(end), start.max(end));
        let last = DVec2::new(self.columns as f64, self.rows as f64);
        let covered = low.cmpge(DVec2::ZERO).all() && high.cmple(last).all();
        let part = if covered { Some((0.0, 1.0)) } else { self.clip(start, way) };
        let Some((enter, leave)) = part else { return };
        let first = start + way * enter;
        // The cast rounds down: nothing is negative after the clamp.
        let index = |at: f64, count: usize| at.clamp(0.0, count as f64 - 1.0) as i32;
        let mut column = index(first.x, self.columns);
        let mut row = index(first.y, self.rows);
        let mut x = Crossing::of(start.x, way.x, column);
        let mut y = Crossing::of(start.y, way.y, row);
        loop {
            let exit = x.next.min(y.next);
            let cell = row as usize * self.columns + column as usize;
            if visit(cell, exit) || exit > leave {
                return;
            }
            // Which of the two cannot be guessed, so neither waits for a branch.
            let sideways = x.next <= y.next;
            x.pass_if(sideways, &mut column);
            y.pass_if(!sideways, &mut row);
            let inside = column >= 0
                && (column as usize) < self.columns
                && row >= 0
                && (row as usize) < self.rows;
            if !inside {
                return;
            }
        }
    }

    /// The part of a path that is over the grid, as fractions of its length.
    fn clip(&self, start: DVec2, way: DVec2) -> Option<(f64, f64)> {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let ends = [self.columns as f64, self.rows as f64];
        for ((start, way), end) in start.to_array().into_iter().zip(way.to_array()).zip(ends) {
            let (low, high) = (-RIM, end + RIM);
            if way == 0.0 {
                if !(low..=high).contains(&start) {
                    return None;
                }
                continue;
            }
            let (a, b) = ((low - start) / way, (high - start) / way);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave && start.is_finite() && way.is_finite()).then_some((enter, leave))
    }
}

/// Where a path crosses the next line of the grid along one axis.
struct Crossing {
    next: f64,
    per_cell: f64,
    step: i32,
}

impl Crossing {
    fn of(start: f64, way: f64, cell: i32) -> Self {
        if way == 0.0 {
            return Self { next: f64::INFINITY, per_cell: 0.0, step: 0 };
        }
        let line = if way > 0.0 { f64::from(cell) + 1.0 } else { f64::from(cell) };
        let step = if way > 0.0 { 1 } else { -1 };
        let per_way = 1.0 / way;
        Self { next: (line - start) * per_way, per_cell: per_way.abs(), step }
    }

    #[inline]
    fn pass_if(&mut self, passes: bool, cell: &mut i32) {
        self.next += if passes { self.per_cell } else { 0.0 };
        *cell += if passes { self.step } else { 0 };
    }
}
