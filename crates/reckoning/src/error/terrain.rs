//! Errors about terrain.

use core::fmt;

use glam::DVec3;

/// Why a height field, a grid over the ground or a wall was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TerrainError {
    /// A height field needs at least one cell.
    GridTooSmall {
        /// Heights along x.
        columns: usize,
        /// Heights along y.
        rows: usize,
    },
    /// A height field needs one height per grid point.
    GridSizeMismatch {
        /// Heights along x.
        columns: usize,
        /// Heights along y.
        rows: usize,
        /// How many heights were given.
        got: usize,
    },
    /// Grid points must be a positive, finite distance apart.
    SpacingNotPositive {
        /// The distance given.
        got_m: f64,
    },
    /// The grid must begin at a finite place.
    CornerNotFinite {
        /// The corner given.
        got: DVec3,
    },
    /// Every height of a grid must be finite.
    HeightNotFinite {
        /// Which one, counted from the start of the list.
        index: usize,
        /// Its value.
        got_m: f64,
    },
    /// A wall needs finite corners that enclose something, and a top above its bottom.
    WallShape {
        /// Which wall, counted from the start of the list.
        index: usize,
    },
}

impl fmt::Display for TerrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GridTooSmall { columns, rows } => {
                write!(f, "grid of {columns} x {rows} heights has no cell; give at least 2 x 2")
            }
            Self::GridSizeMismatch { columns, rows, got } => {
                write!(f, "got {got} heights for a grid of {columns} x {rows}; give one per point")
            }
            Self::SpacingNotPositive { got_m } => {
                write!(f, "grid spacing {got_m} m must be positive and finite")
            }
            Self::CornerNotFinite { got } => {
                write!(f, "grid corner {got} is not finite; give a place in the world")
            }
            Self::HeightNotFinite { index, got_m } => {
                write!(f, "height {index} of the grid is {got_m} m; give a finite one")
            }
            Self::WallShape { index } => write!(
                f,
                "wall {index} has corners that are not finite or enclose nothing, or its top is \
                 not above its bottom"
            ),
        }
    }
}

impl core::error::Error for TerrainError {}
