//! Who needs to hear of what, and how finely: distance classes around each receiver.
//!
//! ```text
//!        viewpoint
//!            o   class 0  |  class 1   |   class 2    |  out of the zone
//!            +------------+------------+--------------+
//!            0          20 m         60 m           200 m
//!                          |--|         |---|           |------|
//!                       whoever is inside leaves a class only beyond its hysteresis
//! ```
//!
//! A class chooses how far a receiver's belief may stray, how often it is corrected at most,
//! how seldom at least, by which motion model it is carried on, and how coarsely it is
//! written. Nearer classes are entered at their radius and left a little beyond it, so that a
//! body that paces on a border changes nothing.
//!
//! Which bodies are near is answered by a [`Grid`]: cells in `x` and `y`, sorted, rebuilt
//! when asked; `z` counts in the distance only.

use alloc::vec::Vec;
use core::time::Duration;

use reckoning::error::{PublisherError, SettingError};
use reckoning::{AngleThreshold, ConfigError, DVec3, Model, Threshold};

/// Distance classes at most.
pub const MAX_CLASSES: usize = 8;

/// How bodies at one distance are replicated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ZoneClass {
    /// Bodies up to this far from the viewpoint belong here; infinite for all the rest.
    pub radius_m: f64,
    /// Correct a receiver's belief once it is this far off.
    pub threshold: Threshold,
    /// Correct it once it is turned this far; `None` leaves orientation alone.
    pub angle_threshold: Option<AngleThreshold>,
    /// Never more often than this, except for stops and teleports.
    pub min_interval: Duration,
    /// At least this often while the body moves; a body at rest costs nothing once the
    /// receiver acknowledged it. Keep it below half of the receivers' `max_extrapolation`.
    pub heartbeat: Duration,
    /// Carry the body on with this model instead of its own.
    pub model: Option<Model>,
    /// Double all steps of the format this often: 3 makes them eight times as coarse.
    pub coarser_log2: u8,
}

impl Default for ZoneClass {
    /// Everything everywhere, to a quarter of a metre.
    fn default() -> Self {
        Self {
            radius_m: f64::INFINITY,
            threshold: Threshold::QUARTER_METRE,
            angle_threshold: AngleThreshold::degrees(5.0).ok(),
            min_interval: Duration::ZERO,
            heartbeat: Duration::from_secs(1),
            model: None,
            coarser_log2: 0,
        }
    }
}

/// The distance classes of a host.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ZoneConfig {
    /// Nearest first, at least one, at most [`MAX_CLASSES`], with rising radii. Bodies beyond
    /// the last radius are not replicated.
    pub classes: Vec<ZoneClass>,
    /// A class is left this share of its radius beyond it, from 0 to 1.
    pub hysteresis: f64,
}

impl Default for ZoneConfig {
    /// One class for everything.
    fn default() -> Self {
        Self { classes: Vec::from([ZoneClass::default()]), hysteresis: 0.1 }
    }
}

impl ZoneConfig {
    /// Checks the classes' number and order, and the hysteresis.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        let count = self.classes.len();
        SettingError::in_range("number of zone classes", count as f64, 1.0, MAX_CLASSES as f64)?;
        SettingError::in_range("zone hysteresis", self.hysteresis, 0.0, 1.0)?;
        let mut least = 0.0;
        for class in &self.classes {
            // Radii rise, and zero or NaN is none.
            if class.radius_m.partial_cmp(&least) != Some(core::cmp::Ordering::Greater) {
                let (got, max) = (class.radius_m, f64::INFINITY);
                return Err(
                    SettingError::OutOfRange { name: "zone radius", got, min: least, max }.into()
                );
            }
            least = class.radius_m;
            if class.heartbeat.is_zero() || class.heartbeat < class.min_interval {
                let (heartbeat, min_interval) = (class.heartbeat, class.min_interval);
                return Err(PublisherError::HeartbeatTooShort { heartbeat, min_interval }.into());
            }
            SettingError::in_range("coarser_log2", f64::from(class.coarser_log2), 0.0, 16.0)?;
        }
        Ok(())
    }

    /// The class of a body at this squared distance, given the class it is in. `None` is out
    /// of the zone.
    pub(crate) fn class_at(&self, squared_m2: f64, current: Option<u8>) -> Option<u8> {
        let leave = 1.0 + self.hysteresis;
        let inside = |(place, class): &(usize, &ZoneClass)| {
            let held = current.is_some_and(|current| *place >= usize::from(current));
            let radius_m = if held { class.radius_m * leave } else { class.radius_m };
            // Infinity times infinity is fine; NaN distances are in no class.
            squared_m2 <= radius_m * radius_m
        };
        self.classes.iter().enumerate().find(inside).map(|(place, _)| place as u8)
    }

    /// How far away a body can be and still be in the zone, hysteresis included.
    pub(crate) fn reach_m(&self) -> f64 {
        self.classes.last().map_or(0.0, |class| class.radius_m * (1.0 + self.hysteresis))
    }
}

/// Cells per reach: a question looks at nine by nine of them.
const CELLS_PER_REACH: f64 = 4.0;
/// Cells are counted this far from the origin; what is beyond falls into the last one.
const FARTHEST_CELL: f64 = 1e9;

/// Bodies by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    /// Row, column and body, sorted.
    cells: Vec<(i32, i32, u32)>,
    cell_m: f64,
}

impl Grid {
    /// Puts bodies into cells that suit questions about `reach_m` around a place.
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

    fn zones() -> ZoneConfig {
        let class = |radius_m| ZoneClass { radius_m, ..ZoneClass::default() };
        ZoneConfig { classes: Vec::from([class(20.0), class(60.0)]), hysteresis: 0.1 }
    }

    #[test]
    fn classes_are_left_later_than_they_are_entered() {
        let at = |m: f64, current| zones().class_at(m * m, current);
        assert_eq!([at(20.0, None), at(20.1, None), at(60.1, None)], [Some(0), Some(1), None]);
        assert_eq!([at(21.9, Some(0)), at(22.1, Some(0))], [Some(0), Some(1)]);
        assert_eq!([at(20.1, Some(1)), at(19.9, Some(1))], [Some(1), Some(0)]);
        assert_eq!(
            [at(65.9, Some(0)), at(65.9, Some(1)), at(66.1, Some(1))],
            [Some(1), Some(1), None]
        );
        assert_eq!(at(f64::NAN, Some(0)), None);
    }

    #[test]
    fn a_grid_finds_all_that_is_near() {
        let place = |n: u32| {
            let n = f64::from(n);
            DVec3::new((n * 37.7) % 400.0 - 200.0, (n * 91.3) % 400.0 - 200.0, 0.0)
        };
        let mut grid = Grid::default();
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
        let mut grid = Grid::default();
        grid.rebuild(f64::INFINITY, (0..9).map(|n| (n, DVec3::splat(f64::from(n) * 1e9))));
        assert_eq!(grid.near(DVec3::ZERO, f64::INFINITY).count(), 9);
    }

    #[test]
    fn wrong_classes_are_named() {
        let mut wrong = zones();
        wrong.classes.swap(0, 1);
        let message = alloc::format!("{}", wrong.check().unwrap_err());
        assert!(message.starts_with("zone radius is 20"), "{message}");
        wrong.classes.clear();
        assert!(wrong.check().is_err());
        assert_eq!(zones().check(), Ok(()));
    }
}
