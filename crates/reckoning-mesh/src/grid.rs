//! Cells: squares of the world, each owned by one server.
//!
//! A world is a grid of regions. A region that is hot splits into four cells, those again into four, and
//! so on to a depth; cold siblings merge. A cell's number says where it lies, so nobody has to ask.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::config::MeshConfigError;

/// No cell is split more often than this.
pub const MAX_DEPTH: u8 = 6;
/// No world has more regions a side.
pub const MAX_REGIONS_A_SIDE: u32 = 1_024;

/// A square of the world: a region when `depth` is 0, and each depth halves the side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CellId {
    /// How often its region was split to get it.
    pub depth: u8,
    /// Column, counted in cells of this depth from the west.
    pub x: u32,
    /// Row, counted in cells of this depth from the south.
    pub y: u32,
}

impl CellId {
    /// A whole region.
    #[must_use]
    pub const fn region(x: u32, y: u32) -> Self {
        Self { depth: 0, x, y }
    }

    /// The region it lies in.
    #[must_use]
    pub const fn region_of(self) -> Self {
        Self { depth: 0, x: self.x >> self.depth, y: self.y >> self.depth }
    }

    /// The cell it was split from; `None` for a region.
    #[must_use]
    pub const fn parent(self) -> Option<Self> {
        match self.depth {
            0 => None,
            depth => Some(Self { depth: depth - 1, x: self.x >> 1, y: self.y >> 1 }),
        }
    }

    /// The four cells it splits into.
    #[must_use]
    pub const fn children(self) -> [Self; 4] {
        let (depth, x, y) = (self.depth + 1, self.x << 1, self.y << 1);
        [
            Self { depth, x, y },
            Self { depth, x: x + 1, y },
            Self { depth, x, y: y + 1 },
            Self { depth, x: x + 1, y: y + 1 },
        ]
    }

    /// Whether `other` is this cell or one it splits into.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        if other.depth < self.depth {
            return false;
        }
        let down = other.depth - self.depth;
        other.x >> down == self.x && other.y >> down == self.y
    }
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}-{}", self.depth, self.x, self.y)
    }
}

/// Where the world lies and how large its regions are.
///
/// What is outside belongs to the nearest cell of the edge, so no place is without a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldGrid {
    west_m: f64,
    south_m: f64,
    region_m: f64,
    columns: u32,
    rows: u32,
}

impl WorldGrid {
    /// A world of `columns` times `rows` regions of `region_m` a side, from its south-west corner.
    ///
    /// # Errors
    /// When a length is not positive and finite, or there are no regions or too many.
    pub fn new(
        [west_m, south_m]: [f64; 2],
        region_m: f64,
        [columns, rows]: [u32; 2],
    ) -> Result<Self, MeshConfigError> {
        let is_length = region_m > 0.0 && region_m.is_finite();
        if !is_length || !west_m.is_finite() || !south_m.is_finite() {
            return Err(MeshConfigError::RegionNotALength { got_m: region_m });
        }
        for got in [columns, rows] {
            if !(1..=MAX_REGIONS_A_SIDE).contains(&got) {
                return Err(MeshConfigError::RegionCount { got });
            }
        }
        Ok(Self { west_m, south_m, region_m, columns, rows })
    }

    /// All regions, row by row.
    pub fn regions(&self) -> impl Iterator<Item = CellId> + use<> {
        let (columns, rows) = (self.columns, self.rows);
        (0..rows).flat_map(move |y| (0..columns).map(move |x| CellId::region(x, y)))
    }

    /// Whether the cell lies in this world.
    #[must_use]
    pub const fn has(&self, cell: CellId) -> bool {
        let region = cell.region_of();
        cell.depth <= MAX_DEPTH && region.x < self.columns && region.y < self.rows
    }

    /// The cell of that depth at a place.
    #[must_use]
    pub fn cell_at(&self, [x_m, y_m]: [f64; 2], depth: u8) -> CellId {
        let side_m = self.side_m(depth);
        let index = |along_m: f64, count: u32| {
            let last = (count << depth) - 1;
            // Saturates at both ends, and NaN counts as zero.
            ((along_m / side_m) as u32).min(last)
        };
        CellId {
            depth,
            x: index(x_m - self.west_m, self.columns),
            y: index(y_m - self.south_m, self.rows),
        }
    }

    /// South-west and north-east corner of a cell.
    #[must_use]
    pub fn corners(&self, cell: CellId) -> [[f64; 2]; 2] {
        let side_m = self.side_m(cell.depth);
        let west_m = self.west_m + f64::from(cell.x) * side_m;
        let south_m = self.south_m + f64::from(cell.y) * side_m;
        [[west_m, south_m], [west_m + side_m, south_m + side_m]]
    }

    /// How far a place is from a cell; zero inside. Cells of the edge reach on for ever.
    #[must_use]
    pub fn distance_m(&self, cell: CellId, [x_m, y_m]: [f64; 2]) -> f64 {
        let [[west, south], [east, north]] = self.corners(cell);
        let along = |low: f64, high: f64, at: f64, index: u32, count: u32| {
            let before = if index == 0 { 0.0 } else { (low - at).max(0.0) };
            let is_last = index + 1 == count << cell.depth;
            before + if is_last { 0.0 } else { (at - high).max(0.0) }
        };
        let dx = along(west, east, x_m, cell.x, self.columns);
        let dy = along(south, north, y_m, cell.y, self.rows);
        (dx * dx + dy * dy).sqrt()
    }

    /// Regions within `range_m` of a place.
    pub fn regions_within(
        &self,
        [x_m, y_m]: [f64; 2],
        range_m: f64,
    ) -> impl Iterator<Item = CellId> + use<> {
        let low = self.cell_at([x_m - range_m, y_m - range_m], 0);
        let high = self.cell_at([x_m + range_m, y_m + range_m], 0);
        (low.y..=high.y).flat_map(move |y| (low.x..=high.x).map(move |x| CellId::region(x, y)))
    }

    fn side_m(&self, depth: u8) -> f64 {
        self.region_m / f64::from(1_u32 << depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> WorldGrid {
        WorldGrid::new([-100.0, -50.0], 50.0, [4, 2]).unwrap()
    }

    #[test]
    fn every_place_lies_in_the_cell_it_is_assigned() {
        for depth in 0..=MAX_DEPTH {
            for at in [[-100.0, -50.0], [-1.0, -0.1], [0.0, 0.0], [99.9, 49.9], [12.3, -45.6]] {
                let cell = world().cell_at(at, depth);
                assert_eq!(world().distance_m(cell, at), 0.0, "{cell} at {at:?}");
                assert!(world().cell_at(at, 0).contains(cell), "{cell} at {at:?}");
                assert_eq!(cell.region_of(), world().cell_at(at, 0));
            }
        }
    }

    #[test]
    fn places_outside_belong_to_the_edge() {
        let far = world().cell_at([1e12, -1e12], 0);
        assert_eq!(far, CellId::region(3, 0));
        assert_eq!(world().distance_m(far, [1e12, -1e12]), 0.0);
        assert_eq!(world().cell_at([f64::NAN, f64::INFINITY], 1), CellId { depth: 1, x: 0, y: 3 });
    }

    #[test]
    fn children_fill_their_parent() {
        let cell = CellId { depth: 2, x: 5, y: 3 };
        for child in cell.children() {
            assert_eq!(child.parent(), Some(cell));
            assert!(cell.contains(child) && !child.contains(cell));
        }
        let [low, _] = world().corners(cell);
        let [_, high] = world().corners(cell.children()[3]);
        assert_eq!(world().corners(cell), [low, high]);
    }

    #[test]
    fn worlds_without_size_are_refused() {
        assert!(WorldGrid::new([0.0; 2], 0.0, [1, 1]).is_err());
        assert!(WorldGrid::new([f64::NAN, 0.0], 1.0, [1, 1]).is_err());
        assert!(WorldGrid::new([0.0; 2], 1.0, [0, 1]).is_err());
        assert!(WorldGrid::new([0.0; 2], 1.0, [1, MAX_REGIONS_A_SIDE + 1]).is_err());
    }
}
