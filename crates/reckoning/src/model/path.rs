//! Movement along a line that all sides know: a rail, a race track, a patrol.
//!
//! The update carries how far along the body is and how fast it goes on; the line itself is
//! part of the level and never travels.

use alloc::boxed::Box;
use alloc::vec::Vec;

use glam::{DQuat, DVec3};

use crate::Kinematics;
use crate::error::ModelError;

/// Chords per spline segment; the sagitta of a quarter circle split into 16 is 0.1 % of
/// its radius.
const CHORDS: usize = 16;

/// A known line, measured along itself.
///
/// Both ends build it from the same level and give it the same `id`, which is what travels.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    id: u16,
    points: Vec<DVec3>,
    /// Distance from the first point, for each point.
    run_m: Vec<f64>,
    closed: bool,
}

impl Path {
    /// Straight lines from point to point; a `closed` path leads from the last back to the
    /// first.
    ///
    /// # Errors
    /// Refuses fewer than two points, points that are not finite and points that repeat the
    /// one before.
    pub fn polyline(id: u16, points: &[DVec3], closed: bool) -> Result<Self, ModelError> {
        if points.len() < 2 {
            return Err(ModelError::PathTooShort { got: points.len() });
        }
        let mut points = points.to_vec();
        if closed {
            points.push(points[0]);
        }
        let mut run_m = Vec::with_capacity(points.len());
        run_m.push(0.0);
        for (index, pair) in points.windows(2).enumerate() {
            let run = run_m[index] + (pair[1] - pair[0]).length();
            if !(run.is_finite() && run > run_m[index]) {
                return Err(ModelError::PathPoint { index: index + 1, got: pair[1] });
            }
            run_m.push(run);
        }
        Ok(Self { id, points, run_m, closed })
    }

    /// A smooth line through the points (Catmull-Rom), measured on 16 chords per segment.
    ///
    /// # Errors
    /// As [`Path::polyline`].
    pub fn spline(id: u16, points: &[DVec3], closed: bool) -> Result<Self, ModelError> {
        // Checked before smoothing, so that an error names the caller's point.
        Self::polyline(id, points, closed)?;
        let n = points.len();
        // One past the neighbour before, so that the index is never negative.
        let knot = |i: usize| points[if closed { (i + n - 1) % n } else { i.clamp(1, n) - 1 }];
        let mut fine = Vec::new();
        for segment in 0..if closed { n } else { n - 1 } {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| knot(segment + k));
            fine.extend((0..CHORDS).map(|k| between(a, b, c, d, k as f64 / CHORDS as f64)));
        }
        if !closed {
            fine.push(points[n - 1]);
        }
        Self::polyline(id, &fine, closed)
    }

    /// Gives the path to the program for good, so that models, which are plain values, can
    /// point at it. The lines of a level live as long as the game that loaded it.
    #[must_use]
    pub fn leak(self) -> &'static Self {
        Box::leak(Box::new(self))
    }

    /// What names this path in an update.
    #[must_use]
    pub const fn id(&self) -> u16 {
        self.id
    }

    /// Whether its last point leads back to its first.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// How long it is from end to end, or once around.
    #[must_use]
    pub fn length_m(&self) -> f64 {
        self.run_m.last().copied().unwrap_or(0.0)
    }

    /// The place `progress_m` along the path, and the direction it leads there.
    ///
    /// A closed path goes round; an open one ends at its ends.
    #[must_use]
    pub fn place_at(&self, progress_m: f64) -> (DVec3, DVec3) {
        let progress_m = self.wrap(progress_m);
        let next = self.run_m.partition_point(|&run| run <= progress_m);
        let next = next.clamp(1, self.points.len() - 1);
        let (from, to) = (self.points[next - 1], self.points[next]);
        let chord_m = self.run_m[next] - self.run_m[next - 1];
        let share = (progress_m - self.run_m[next - 1]) / chord_m;
        (from + (to - from) * share, (to - from) / chord_m)
    }

    /// The progress of the place on the path nearest to `position`.
    #[must_use]
    pub fn nearest_m(&self, position: DVec3) -> f64 {
        let mut best = (f64::INFINITY, 0.0);
        for (pair, run) in self.points.windows(2).zip(self.run_m.windows(2)) {
            let along = pair[1] - pair[0];
            let share = (position - pair[0]).dot(along) / along.length_squared();
            let share = share.clamp(0.0, 1.0);
            let distance = (pair[0] + along * share - position).length_squared();
            if distance < best.0 {
                best = (distance, run[0] + (run[1] - run[0]) * share);
            }
        }
        best.1
    }

    /// The whole rounds in a distance along the path, in metres: to the nearest number of them. Zero
    /// of an open one.
    pub(crate) fn laps_m(&self, distance_m: f64) -> f64 {
        if !self.closed {
            return 0.0;
        }
        let length_m = self.length_m();
        crate::math::round(distance_m / length_m) * length_m
    }

    /// The same place on the path as a progress from nothing to its length.
    #[must_use]
    pub fn wrap(&self, progress_m: f64) -> f64 {
        let length_m = self.length_m();
        if self.closed {
            let turns = libm::floor(progress_m / length_m);
            (progress_m - turns * length_m).clamp(0.0, length_m)
        } else {
            progress_m.clamp(0.0, length_m)
        }
    }

    fn ends_at(&self, progress_m: f64) -> bool {
        !self.closed && !(0.0..=self.length_m()).contains(&progress_m)
    }
}

/// The Catmull-Rom point a share `s` of the way from `b` to `c`.
fn between(a: DVec3, b: DVec3, c: DVec3, d: DVec3, s: f64) -> DVec3 {
    let (leave, arrive) = ((c - a) * 0.5, (d - b) * 0.5);
    let quadratic = (c - b) * 3.0 - leave * 2.0 - arrive;
    let cubic = (b - c) * 2.0 + leave + arrive;
    b + (leave + (quadratic + cubic * s) * s) * s
}

/// A body that rides a [`Path`]: where on it, and how fast.
///
/// What the body is off the path when seen, it stays off it: two cars side by side stay
/// side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathRide {
    /// The line, known to all sides.
    pub path: &'static Path,
    /// How far along it the body was seen.
    pub progress_m: f64,
    /// How fast it goes on; negative is backwards.
    pub rate_mps: f64,
}

impl PathRide {
    /// The ride that fits what was seen: the nearest place, and the speed along the path.
    #[must_use]
    pub fn new(path: &'static Path, seen: &Kinematics) -> Self {
        let progress_m = path.nearest_m(seen.position);
        let (_, direction) = path.place_at(progress_m);
        let rate_mps = seen.velocity.dot(direction);
        Self { path, progress_m, rate_mps: if rate_mps.is_finite() { rate_mps } else { 0.0 } }
    }

    pub(super) fn position(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        let (start, _) = self.path.place_at(self.progress_m);
        let (place, _) = self.path.place_at(self.progress_m + self.rate_mps * t_s);
        place + (seen.position - start)
    }

    pub(crate) fn velocity(&self, t_s: f64) -> DVec3 {
        let progress_m = self.progress_m + self.rate_mps * t_s;
        if self.path.ends_at(progress_m) {
            return DVec3::ZERO;
        }
        self.path.place_at(progress_m).1 * self.rate_mps
    }

    pub(super) fn orientation(&self, seen: &Kinematics, t_s: f64) -> DQuat {
        let (_, before) = self.path.place_at(self.progress_m);
        let (_, after) = self.path.place_at(self.progress_m + self.rate_mps * t_s);
        DQuat::from_rotation_arc(before.normalize_or(DVec3::X), after.normalize_or(DVec3::X))
            * seen.orientation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Path {
        let corners = [DVec3::ZERO, DVec3::X * 10.0, DVec3::new(10.0, 10.0, 0.0), DVec3::Y * 10.0];
        Path::polyline(7, &corners, true).unwrap()
    }

    #[test]
    fn a_closed_path_goes_round() {
        let path = square();
        assert_eq!(path.length_m(), 40.0);
        assert_eq!(path.place_at(45.0), (DVec3::X * 5.0, DVec3::X));
        assert_eq!(path.place_at(-5.0), (DVec3::Y * 5.0, -DVec3::Y));
    }

    #[test]
    fn an_open_path_ends() {
        let path = Path::polyline(1, &[DVec3::ZERO, DVec3::X * 10.0], false).unwrap().leak();
        let ride = PathRide { path, progress_m: 8.0, rate_mps: 1.0 };
        let seen = Kinematics::default();
        assert_eq!(ride.position(&seen, 100.0), DVec3::X * 2.0); // two metres were left
        assert_eq!(ride.velocity(100.0), DVec3::ZERO);
    }

    #[test]
    fn bodies_side_by_side_stay_so() {
        let path = square().leak();
        let seen =
            Kinematics::moving(crate::SimTime::ZERO, DVec3::new(5.0, -1.0, 0.0), DVec3::X * 2.0);
        let ride = PathRide::new(path, &seen);
        assert_eq!((ride.progress_m, ride.rate_mps), (5.0, 2.0));
        assert_eq!(ride.position(&seen, 5.0), DVec3::new(10.0, 4.0, 0.0));
    }

    #[test]
    fn a_spline_passes_its_points() {
        let knots = [DVec3::ZERO, DVec3::new(4.0, 3.0, 1.0), DVec3::new(9.0, 0.0, 0.0)];
        let path = Path::spline(2, &knots, false).unwrap();
        for knot in knots {
            let (place, _) = path.place_at(path.nearest_m(knot));
            assert!((place - knot).length() < 1e-9, "{place}");
        }
    }

    #[test]
    fn wrong_points_are_named() {
        let repeated = Path::polyline(1, &[DVec3::X, DVec3::X], false).unwrap_err();
        assert_eq!(repeated, ModelError::PathPoint { index: 1, got: DVec3::X });
        assert_eq!(Path::spline(1, &[DVec3::X], true), Err(ModelError::PathTooShort { got: 1 }));
        assert!(Path::polyline(1, &[DVec3::X, DVec3::NAN], false).is_err());
    }
}
