//! How far off bodies were foreseen at each place and heading of a trend map, as measured.
//!
//! STEELE tightens the threshold where a body goes across the trend, because it may be badly foreseen
//! there. How badly it is foreseen can be measured instead: whoever watches bodies notes how far off
//! constant velocity was some time later, cell by cell and heading by heading.
//!
//! What follows for the threshold is the opposite of STEELE's. A body whose guess strays by `e` within
//! some time crosses a threshold `h` about `e / h` times in it and is shown about `h / 2` off. Over
//! places with different `e`, the mean error for a number of updates is least where `h` goes with the
//! square root of `e`: updates are spent where they are cheap.

use alloc::vec::Vec;

use glam::DVec3;

use super::trend::TrendMap;
use reckoning::math::sqrt;

/// Errors noted for one heading of one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NotedErrors {
    /// Their mean, in metres.
    pub mean_m: f32,
    pub count: u32,
}

impl TrendMap {
    /// Notes that a body seen here, going so, was `error_m` off some time later, by constant velocity
    /// and always after the same time. What the map has no trend for is ignored, and what is not
    /// finite.
    pub fn note_error(&mut self, position: DVec3, velocity: DVec3, error_m: f64) {
        if !(error_m >= 0.0 && error_m.is_finite()) {
            return;
        }
        let Some(place) = self.mode_place(position, velocity) else { return };
        self.errors.resize(self.modes.len(), NotedErrors::default());
        let noted = &mut self.errors[place];
        noted.count = noted.count.saturating_add(1);
        noted.mean_m += ((error_m - f64::from(noted.mean_m)) / f64::from(noted.count)) as f32;
    }

    /// How far off bodies that went so were at this place, in the mean; `None` where nobody noted it.
    #[must_use]
    pub fn error_m(&self, position: DVec3, velocity: DVec3) -> Option<f64> {
        let noted = self.errors.get(self.mode_place(position, velocity)?)?;
        (noted.count > 0).then_some(f64::from(noted.mean_m))
    }

    /// The mean of all that was noted; `None` of a map for which nothing was.
    #[must_use]
    pub fn usual_error_m(&self) -> Option<f64> {
        let count: f64 = self.errors.iter().map(|it| f64::from(it.count)).sum();
        let sum: f64 =
            self.errors.iter().map(|it| f64::from(it.count) * f64::from(it.mean_m)).sum();
        (count > 0.0 && sum > 0.0).then(|| sum / count)
    }

    /// The threshold by measured errors: between `min_m` and `max_m`, with the square root of the
    /// error noted here over the usual one; their geometric mean where nothing was noted. `None` of a
    /// map without errors.
    pub(super) fn threshold_by_error_m(
        &self,
        position: DVec3,
        velocity: DVec3,
        min_m: f64,
        max_m: f64,
    ) -> Option<f64> {
        let usual_m = self.usual_error_m()?;
        let relative = self.error_m(position, velocity).map_or(1.0, |error_m| error_m / usual_m);
        Some((sqrt(min_m * max_m) * sqrt(relative)).clamp(min_m, max_m.max(min_m)))
    }
}

/// Errors as bytes, behind a map's cells.
pub(super) fn put_errors(errors: &[NotedErrors], bytes: &mut Vec<u8>) {
    for noted in errors {
        bytes.extend(noted.mean_m.to_le_bytes());
        bytes.extend(noted.count.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{Sighting, TrendMapConfig};

    /// A lane along x that is walked both ways.
    fn map() -> TrendMap {
        let seen: Vec<Sighting> = (0..200)
            .map(|n| Sighting {
                position: DVec3::new(f64::from(n % 100) * 0.1, 0.5, 0.0),
                velocity: DVec3::X * if n < 100 { 2.0 } else { -2.0 },
                acceleration: DVec3::ZERO,
            })
            .collect();
        let mut config = TrendMapConfig::default();
        config.sightings_per_cell = 1_000;
        TrendMap::new(&seen, &config).unwrap()
    }

    /// By hand: eastbound bodies are four times as far off as westbound ones, 1.6 m and 0.4 m, so
    /// that the usual error is 1 m; thresholds of 0.5 to 2 m have a middle of 1 m, and go with the
    /// roots of 1.6 and 0.4.
    #[test]
    fn thresholds_go_with_the_root_of_the_error_that_was_noted() {
        let (mut map, here) = (map(), DVec3::new(4.0, 0.5, 0.0));
        assert_eq!(map.threshold_by_error_m(here, DVec3::X, 0.5, 2.0), None, "nothing is noted");
        for error_m in [1.5, 1.7] {
            map.note_error(here, DVec3::X, error_m);
            map.note_error(here, -DVec3::X, 0.25 * error_m);
        }
        let [east, west] = [DVec3::X, -DVec3::X].map(|it| map.threshold_m(here, it, 0.5, 2.0));
        assert!((east - 1.6_f64.sqrt()).abs() < 1e-6, "{east}");
        assert!((west - 0.4_f64.sqrt()).abs() < 1e-6, "{west}");
        let outside = map.threshold_m(DVec3::splat(1e6), DVec3::X, 0.5, 2.0);
        assert_eq!(outside, 1.0, "the middle, where nobody was seen");
        assert_eq!(map.threshold_m(here, DVec3::X, 0.5, 0.6), 0.6, "never wider than allowed");
    }

    #[test]
    fn what_is_no_error_is_not_noted() {
        let (mut map, here) = (map(), DVec3::new(4.0, 0.5, 0.0));
        for error_m in [f64::NAN, f64::INFINITY, -1.0] {
            map.note_error(here, DVec3::X, error_m);
        }
        map.note_error(DVec3::splat(1e6), DVec3::X, 1.0);
        map.note_error(here, DVec3::ZERO, 1.0);
        assert_eq!((map.usual_error_m(), map.error_m(here, DVec3::X)), (None, None));
    }

    #[test]
    fn errors_are_kept_with_the_map_and_a_map_without_is_as_before() {
        let (mut map, here) = (map(), DVec3::new(4.0, 0.5, 0.0));
        let before = map.to_bytes();
        assert_eq!(before[4], 1, "the first version");
        map.note_error(here, DVec3::X, 0.75);
        let bytes = map.to_bytes();
        let back = TrendMap::from_bytes(&bytes).unwrap();
        assert_eq!(back, map);
        assert_eq!(back.error_m(here, DVec3::X), Some(0.75));
        for cut in 0..bytes.len() {
            assert!(TrendMap::from_bytes(&bytes[..cut]).is_err(), "cut after {cut} bytes");
        }
    }
}
