//! Grid of bodies by place: cells in `x` and `y`, sorted, rebuilt when asked; `z` counts in the
//! distance only.

use alloc::vec::Vec;

use reckoning::DVec3;

/// Cells per reach: a query looks at nine by nine of them.
const CELLS_PER_REACH: f64 = 4.0;
/// Cells are counted this far from the origin; what is beyond falls into the last one.
const FARTHEST_CELL: f64 = 1e9;

/// Bodies by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct InterestGrid {
    /// Row, column and body, sorted.
    cells: Vec<(i32, i32, u32)>,
    cell_m: f64,
}

impl InterestGrid {
    /// Puts bodies into cells that suit queries of `reach_m` around a place.
    pub(crate) fn rebuild(&mut self, reach_m: f64, bodies: impl Iterator<Item = (u32, DVec3)>) {
        self.cell_m = if reach_m.is_finite() { reach_m / CELLS_PER_REACH } else { f64::INFINITY };
        self.cells.clear();
        let cell_m = self.cell_m;
        self.cells.extend(bodies.map(|(body, at)| (cell(at.y, cell_m), cell(at.x, cell_m), body)));
        self.cells.sort_unstable();
    }

    /// Bodies that may be within `reach_m` of a place, and some that are not.
    pub(crate) fn near(&self, place: DVec3, reach_m: f64) -> impl Iterator<Item = u32> {
        let column = |offset: f64| cell(place.x + offset, self.cell_m);
        let row = |offset: f64| cell(place.y + offset, self.cell_m);
        let (left, right) = (column(-reach_m), column(reach_m));
        (row(-reach_m)..=row(reach_m)).flat_map(move |row| {
            let first = self.cells.partition_point(|cell| (cell.0, cell.1) < (row, left));
            let in_row = move |cell: &&(i32, i32, u32)| (cell.0, cell.1) <= (row, right);
            self.cells[first..].iter().take_while(in_row).map(|cell| cell.2)
        })
    }
}

fn cell(x_m: f64, cell_m: f64) -> i32 {
    // Infinite cells, and infinity over infinity: everything is in cell zero.
    let cells = x_m / cell_m;
    if cells.is_nan() { 0 } else { libm::floor(cells.clamp(-FARTHEST_CELL, FARTHEST_CELL)) as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_finds_all_that_is_near() {
        let place = |n: u32| {
            let n = f64::from(n);
            DVec3::new((n * 37.7) % 400.0 - 200.0, (n * 91.3) % 400.0 - 200.0, 0.0)
        };
        let mut grid = InterestGrid::default();
        grid.rebuild(66.0, (0..500).map(|n| (n, place(n))));
        for asked in [DVec3::ZERO, DVec3::new(-150.0, 33.0, 0.0), DVec3::new(1e12, 0.0, 0.0)] {
            let mut found: Vec<u32> =
                grid.near(asked, 66.0).filter(|n| place(*n).distance(asked) <= 66.0).collect();
            found.sort_unstable();
            let all: Vec<u32> = (0..500).filter(|n| place(*n).distance(asked) <= 66.0).collect();
            assert_eq!(found, all, "{asked}");
        }
        assert!(grid.near(DVec3::ZERO, 66.0).count() < 200, "it looks at few others");
    }

    #[test]
    fn without_bounds_everything_is_near() {
        let mut grid = InterestGrid::default();
        grid.rebuild(f64::INFINITY, (0..9).map(|n| (n, DVec3::splat(f64::from(n) * 1e9))));
        assert_eq!(grid.near(DVec3::ZERO, f64::INFINITY).count(), 9);
    }
}
