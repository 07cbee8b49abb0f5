//! Terrain: the ground, as far as dead reckoning needs to know it.
//!
//! A [`Terrain`] answers two questions: where is the ground at this place, and where does
//! this path first go below it. A game implements its own, usually a ray cast into its physics
//! engine; [`FlatGround`] and [`HeightField`] serve games without one, tests and servers.
//!
//! ```text
//!   from o                    a surface, met from above only:
//!          \      ____        a path that starts below and climbs out meets nothing,
//!       ____x____/            one that starts below and ends deeper meets it at once
//!             \
//!              o to
//! ```
//!
//! ```
//! use reckoning::terrain::HeightField;
//! use reckoning::{DVec3, Terrain};
//!
//! // One cell of 10 m that rises by 2 m towards +x.
//! let slope = HeightField::new(DVec3::ZERO, 10.0, 2, 2, vec![0.0, 2.0, 0.0, 2.0])?;
//! let ground = slope.ground_below(DVec3::new(5.0, 5.0, 0.0)).map(|ground| ground.point.z);
//! assert_eq!(ground, Some(1.0));
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! It is asked by [`GroundClamp`](crate::GroundClamp), by
//! [`Publisher::observe_on`](crate::Publisher::observe_on) and by [`Guard`](crate::Guard).

use alloc::vec::Vec;

use glam::DVec3;
use libm::{ceil, floor};

use crate::error::TerrainError;

/// A place on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Where.
    pub point: DVec3,
    /// Which way the ground faces there; a unit vector, upwards.
    pub normal: DVec3,
}

impl Contact {
    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.point.is_finite() && self.normal.is_finite()
    }
}

/// What the engine asks of the ground. Up is `+z`.
pub trait Terrain {
    /// The ground at the `x` and `y` of `point`, above or below it: what a ray straight down
    /// from high above meets. `None` where there is no ground.
    ///
    /// A world with bridges chooses the floor that suits the height of `point`.
    fn ground_below(&self, point: DVec3) -> Option<Contact>;

    /// Where the straight path from `from` to `to` first goes below the ground, or `None` if
    /// it stays above.
    ///
    /// A path that only touches the ground does not go below it. One that starts below and
    /// ends deeper meets the ground at once, at the ground over `from`.
    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact>;
}

/// Endless level ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlatGround {
    /// How high it lies. Default: 0 m. Finite.
    pub height_m: f64,
}

impl Terrain for FlatGround {
    fn ground_below(&self, point: DVec3) -> Option<Contact> {
        let point = DVec3::new(point.x, point.y, self.height_m);
        Some(Contact { point, normal: DVec3::Z })
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        let (start, end) = (from.z - self.height_m, to.z - self.height_m);
        if end >= 0.0 || end >= start {
            return None;
        }
        self.ground_below(from.lerp(to, sinking_fraction(start, end)))
    }
}

/// Which part of the way from a clearance of `start` down to one of `end` is above ground.
fn sinking_fraction(start: f64, end: f64) -> f64 {
    if start > 0.0 { start / (start - end) } else { 0.0 }
}

/// Hilly ground: heights on a square grid, two triangles to a cell.
///
/// ```text
///   row 1  o---o---o     each cell is cut from its lower right
///          | \ | \ |     to its upper left corner
///   row 0  o---o---o
///  column  0   1   2     x grows with the columns, y with the rows
/// ```
///
/// There is no ground outside the grid, and its rim has no side walls.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    corner: DVec3,
    spacing_m: f64,
    columns: usize,
    rows: usize,
    heights_m: Vec<f64>,
}

impl HeightField {
    /// Ground from `heights_m` above `corner`, row by row: first the whole row along x at the
    /// corner's y, then the row `spacing_m` further along y.
    ///
    /// # Errors
    /// Fewer than two columns or rows, a number of heights that does not fill the grid, a
    /// spacing that is not positive, or anything that is not finite.
    pub fn new(
        corner: DVec3,
        spacing_m: f64,
        columns: usize,
        rows: usize,
        heights_m: Vec<f64>,
    ) -> Result<Self, TerrainError> {
        if columns < 2 || rows < 2 {
            return Err(TerrainError::GridTooSmall { columns, rows });
        }
        let got = heights_m.len();
        if columns.checked_mul(rows) != Some(got) {
            return Err(TerrainError::GridSizeMismatch { columns, rows, got });
        }
        if !(spacing_m > 0.0 && spacing_m.is_finite()) {
            return Err(TerrainError::SpacingNotPositive { got_m: spacing_m });
        }
        if !corner.is_finite() {
            return Err(TerrainError::CornerNotFinite { got: corner });
        }
        if let Some(index) = heights_m.iter().position(|height| !(corner.z + height).is_finite()) {
            return Err(TerrainError::HeightNotFinite { index, got_m: heights_m[index] });
        }
        Ok(Self { corner, spacing_m, columns, rows, heights_m })
    }

    /// The last line of the grid along x and along y, in cells.
    fn extent(&self) -> [f64; 2] {
        [(self.columns - 1) as f64, (self.rows - 1) as f64]
    }

    /// `x` and `y` counted in cells from the corner.
    fn in_cells(&self, point: DVec3) -> [f64; 2] {
        [(point.x - self.corner.x) / self.spacing_m, (point.y - self.corner.y) / self.spacing_m]
    }

    fn height_m(&self, column: usize, row: usize) -> f64 {
        self.heights_m[row * self.columns + column]
    }

    /// Height and normal inside the grid. On an edge either triangle may answer.
    fn surface_at(&self, [u, v]: [f64; 2]) -> (f64, DVec3) {
        let column = (u as usize).min(self.columns - 2);
        let row = (v as usize).min(self.rows - 2);
        let (u, v) = (u - column as f64, v - row as f64);
        let east = self.height_m(column + 1, row);
        let north = self.height_m(column, row + 1);
        // The third corner of the triangle, its share of the height, and the slopes.
        let (third, share, along_x, along_y) = if u + v <= 1.0 {
            let corner = self.height_m(column, row);
            (corner, [u, v], east - corner, north - corner)
        } else {
            let corner = self.height_m(column + 1, row + 1);
            (corner, [1.0 - v, 1.0 - u], corner - north, corner - east)
        };
        let height = east * share[0] + north * share[1] + third * (1.0 - share[0] - share[1]);
        let normal = DVec3::new(-along_x, -along_y, self.spacing_m).normalize_or(DVec3::Z);
        (self.corner.z + height, normal)
    }

    fn contains(&self, [u, v]: [f64; 2]) -> bool {
        let [last_u, last_v] = self.extent();
        (0.0..=last_u).contains(&u) && (0.0..=last_v).contains(&v)
    }

    /// The part of a path that is over the grid, as two fractions of its length.
    fn clip(&self, start: [f64; 2], step: [f64; 2]) -> Option<(f64, f64)> {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for ((start, step), last) in start.into_iter().zip(step).zip(self.extent()) {
            if step == 0.0 {
                if !(0.0..=last).contains(&start) {
                    return None;
                }
                continue;
            }
            let (a, b) = ((0.0 - start) / step, (last - start) / step);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave).then_some((enter, leave))
    }
}

impl Terrain for HeightField {
    fn ground_below(&self, point: DVec3) -> Option<Contact> {
        let cell = self.in_cells(point);
        if !self.contains(cell) {
            return None;
        }
        let (height, normal) = self.surface_at(cell);
        Some(Contact { point: DVec3::new(point.x, point.y, height), normal })
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        let path = GridPath::over(self, from, to)?;
        let (mut here, mut clearance) = (0.0, path.clearance_at(0.0));
        let at_first = clearance;
        for next in path.crossings() {
            let below = path.clearance_at(next);
            if clearance >= 0.0 && below < 0.0 {
                let hit = here + (next - here) * sinking_fraction(clearance, below);
                // The middle of the stretch is surely inside the triangle that was met.
                let normal = self.surface_at(path.cell_at(0.5 * (here + next))).1;
                return Some(Contact { point: path.point_at(hit), normal })
                    .filter(Contact::is_finite);
            }
            (here, clearance) = (next, below);
        }
        let sinks_deeper = at_first < 0.0 && clearance < at_first;
        if sinks_deeper { self.ground_below(path.from) } else { None }
    }
}

/// The part of a straight path that is over a [`HeightField`]. Between the grid's lines its
/// clearance above the ground changes linearly, so looking where it crosses them misses
/// nothing.
struct GridPath<'a> {
    field: &'a HeightField,
    from: DVec3,
    way: DVec3,
    /// The same in cells; begin and end lie inside the grid.
    start: [f64; 2],
    step: [f64; 2],
}

impl<'a> GridPath<'a> {
    fn over(field: &'a HeightField, from: DVec3, to: DVec3) -> Option<Self> {
        let way = to - from;
        let start = field.in_cells(from);
        let step = [way.x / field.spacing_m, way.y / field.spacing_m];
        if ![way.z, start[0], start[1], step[0], step[1]].iter().all(|n| n.is_finite()) {
            return None;
        }
        let (enter, leave) = field.clip(start, step)?;
        // Rounding at the rim must not step outside.
        let cell_at = |fraction: f64| {
            let [last_u, last_v] = field.extent();
            let u = (start[0] + step[0] * fraction).clamp(0.0, last_u);
            [u, (start[1] + step[1] * fraction).clamp(0.0, last_v)]
        };
        let (first, last) = (cell_at(enter), cell_at(leave));
        Some(Self {
            field,
            from: from + way * enter,
            way: way * (leave - enter),
            start: first,
            step: [last[0] - first[0], last[1] - first[1]],
        })
    }

    fn point_at(&self, fraction: f64) -> DVec3 {
        self.from + self.way * fraction
    }

    fn cell_at(&self, fraction: f64) -> [f64; 2] {
        [self.start[0] + self.step[0] * fraction, self.start[1] + self.step[1] * fraction]
    }

    fn clearance_at(&self, fraction: f64) -> f64 {
        self.point_at(fraction).z - self.field.surface_at(self.cell_at(fraction)).0
    }

    /// The fractions of the way at which the path crosses columns, rows and diagonals, in
    /// order, and last its end.
    fn crossings(&self) -> impl Iterator<Item = f64> {
        let [u, v] = self.start;
        let [along_u, along_v] = self.step;
        let mut lines = [
            Lines::from(u, along_u),
            Lines::from(v, along_v),
            Lines::from(u + v, along_u + along_v),
        ];
        let mut ended = false;
        core::iter::from_fn(move || {
            if ended {
                return None;
            }
            let next = lines.iter().map(Lines::fraction).fold(1.0, f64::min);
            ended = next >= 1.0;
            for line in &mut lines {
                line.pass(next);
            }
            Some(next)
        })
    }
}

/// Parallel lines of the grid, one to a whole number, that a path crosses one by one.
struct Lines {
    start: f64,
    step: f64,
    next: f64,
}

impl Lines {
    /// The lines ahead of a path along `start + step * fraction`.
    fn from(start: f64, step: f64) -> Self {
        let next = if step > 0.0 { floor(start) + 1.0 } else { ceil(start) - 1.0 };
        Self { start, step, next }
    }

    fn fraction(&self) -> f64 {
        if self.step == 0.0 { f64::INFINITY } else { (self.next - self.start) / self.step }
    }

    fn pass(&mut self, fraction: f64) {
        if self.fraction() <= fraction {
            self.next += 1.0_f64.copysign(self.step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slope of one in two along x, 4 m by 4 m, its corner at (10, 20, 1).
    fn slope() -> HeightField {
        let heights = (0..25).map(|i| f64::from(i % 5) * 0.5).collect();
        HeightField::new(DVec3::new(10.0, 20.0, 1.0), 1.0, 5, 5, heights).unwrap()
    }

    /// One 8 m peak amid 5 by 5 m of level ground.
    fn peak() -> HeightField {
        let heights = (0..36).map(|i| if i == 14 { 8.0 } else { 0.0 }).collect();
        HeightField::new(DVec3::ZERO, 1.0, 6, 6, heights).unwrap()
    }

    #[test]
    fn a_slope_is_exact_everywhere_on_the_grid_and_absent_beside_it() {
        for (x, y) in [(10.0, 20.0), (11.3, 20.9), (12.8, 23.1), (14.0, 24.0)] {
            let contact = slope().ground_below(DVec3::new(x, y, -50.0)).unwrap();
            assert!((contact.point.z - (1.0 + (x - 10.0) * 0.5)).abs() < 1e-12, "at {x}, {y}");
            assert!((contact.normal - DVec3::new(-0.5, 0.0, 1.0).normalize()).length() < 1e-12);
        }
        for (x, y) in [(9.99, 22.0), (14.01, 22.0), (12.0, 19.0), (12.0, f64::NAN)] {
            assert_eq!(slope().ground_below(DVec3::new(x, y, 0.0)), None, "at {x}, {y}");
        }
    }

    #[test]
    fn a_path_into_the_slope_is_met_where_it_goes_below() {
        let hit = slope().first_hit(DVec3::new(10.5, 22.0, 2.0), DVec3::new(13.5, 22.0, 2.0));

        assert!((hit.unwrap().point - DVec3::new(12.0, 22.0, 2.0)).length() < 1e-12, "{hit:?}");
    }

    #[test]
    fn a_path_through_a_thin_peak_does_not_slip_past() {
        // Begins and ends high above the level ground beside the peak at (2, 2).
        let from = DVec3::new(-3.0, 2.0, 4.0);
        let hit = peak().first_hit(from, DVec3::new(90.0, 2.0, 4.0)).unwrap();

        assert!((hit.point - DVec3::new(1.5, 2.0, 4.0)).length() < 1e-9, "{hit:?}");
        assert!(hit.normal.x < 0.0, "the near side of the peak faces the path: {hit:?}");
    }

    #[test]
    fn a_path_over_the_peak_is_free() {
        let from = DVec3::new(0.0, 2.0, 8.0);
        assert_eq!(peak().first_hit(from, DVec3::new(5.0, 2.0, 8.0)), None);
    }

    #[test]
    fn a_body_on_the_ground_may_leave_it_but_not_enter_it() {
        let flat = FlatGround { height_m: 3.0 };
        let on_ground = DVec3::new(1.0, 1.0, 3.0);
        for (name, hit) in [
            ("up", flat.first_hit(on_ground, on_ground + DVec3::Z)),
            ("along", flat.first_hit(on_ground, on_ground + DVec3::X)),
            ("out", flat.first_hit(on_ground - DVec3::Z, on_ground + DVec3::Z)),
            ("up but not out", flat.first_hit(on_ground - DVec3::Z * 2.0, on_ground - DVec3::Z)),
        ] {
            assert_eq!(hit, None, "{name}");
        }
        let into = flat.first_hit(on_ground, on_ground - DVec3::Z).unwrap();
        assert_eq!(into.point, on_ground);
        let deeper = flat.first_hit(on_ground - DVec3::Z, on_ground - DVec3::Z * 2.0).unwrap();
        assert_eq!(deeper.point, on_ground);
    }

    #[test]
    fn a_path_that_starts_below_is_met_at_once_if_it_ends_deeper() {
        let below = DVec3::new(11.0, 22.0, 1.2);
        let hit = slope().first_hit(below, below + DVec3::X).unwrap();
        assert!((hit.point - DVec3::new(11.0, 22.0, 1.5)).length() < 1e-12, "{hit:?}");

        assert_eq!(slope().first_hit(below, below - DVec3::X), None, "downhill, climbing out");
    }

    #[test]
    fn heights_too_large_to_subtract_are_not_met() {
        let heights = alloc::vec![f64::MIN, f64::MAX, f64::MIN, f64::MAX];
        let cliff = HeightField::new(DVec3::ZERO, 1.0, 2, 2, heights).unwrap();
        assert_eq!(cliff.first_hit(DVec3::Z * f64::MAX, DVec3::X), None);
    }

    #[test]
    fn unusable_grids_are_refused() {
        let refused = |spacing_m, columns, rows, heights: &[f64]| {
            HeightField::new(DVec3::ZERO, spacing_m, columns, rows, heights.to_vec()).unwrap_err()
        };
        let level = [0.0; 4];
        assert_eq!(refused(1.0, 4, 1, &level), TerrainError::GridTooSmall { columns: 4, rows: 1 });
        assert_eq!(
            refused(1.0, usize::MAX, 3, &level),
            TerrainError::GridSizeMismatch { columns: usize::MAX, rows: 3, got: 4 }
        );
        assert_eq!(refused(0.0, 2, 2, &level), TerrainError::SpacingNotPositive { got_m: 0.0 });
        assert_eq!(
            refused(1.0, 2, 2, &[0.0, 0.0, f64::INFINITY, 0.0]),
            TerrainError::HeightNotFinite { index: 2, got_m: f64::INFINITY }
        );
    }
}
