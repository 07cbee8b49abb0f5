//! Where a part of a body is: its axes and its origin, in the world.

use reckoning::ground::Pose;
use reckoning::math::rotation;
use reckoning::{DQuat, DVec3};

/// A place with axes, which may be stretched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Where the axes x, y and z lead.
    pub axes: [DVec3; 3],
    /// Where the origin is.
    pub origin: DVec3,
}

impl Affine {
    /// Turned and moved.
    #[must_use]
    pub fn new(orientation: DQuat, origin: DVec3) -> Self {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| orientation * axis);
        Self { axes, origin }
    }

    /// A body's.
    #[must_use]
    pub fn of(pose: &Pose) -> Self {
        Self::new(pose.orientation, pose.position)
    }

    /// Upright, turned about the vertical.
    #[must_use]
    pub fn upright(yaw_rad: f64, origin: DVec3) -> Self {
        Self::new(rotation(DVec3::Z * yaw_rad), origin)
    }

    /// A point of it in the world.
    #[must_use]
    pub fn point(&self, at: DVec3) -> DVec3 {
        self.origin + self.axes[0] * at.x + self.axes[1] * at.y + self.axes[2] * at.z
    }

    /// A part that is moved by `at` and turned about an axis of it.
    #[must_use]
    pub fn part(&self, at: DVec3, turn: DVec3) -> Self {
        let turned = rotation(turn);
        let leads = |axis: DVec3| self.point(turned * axis) - self.origin;
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(leads);
        Self { axes, origin: self.point(at) }
    }

    /// Stretched along its axes.
    #[must_use]
    pub fn stretched(self, by: DVec3) -> Self {
        let [x, y, z] = self.axes;
        Self { axes: [x * by.x, y * by.y, z * by.z], ..self }
    }

    /// A stretched one along a straight line, `wide` across: for tracers.
    #[must_use]
    pub fn along(from: DVec3, to: DVec3, wide: f64) -> Self {
        let way = to - from;
        let ahead = way.normalize_or(DVec3::X);
        let left = DVec3::Z.cross(ahead).normalize_or(DVec3::Y);
        let up = ahead.cross(left);
        Self { axes: [way * 0.5, left * wide, up * wide], origin: from + way * 0.5 }
    }

    /// The rows of its matrix, three of four numbers, as shaders take them.
    #[must_use]
    pub fn rows(&self) -> [f32; 12] {
        let [x, y, z] = self.axes;
        let o = self.origin;
        let rows = [x.x, y.x, z.x, o.x, x.y, y.y, z.y, o.y, x.z, y.z, z.z, o.z];
        rows.map(|it| it as f32)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn parts_turn_on_their_body() {
        let body = Affine::upright(FRAC_PI_2, DVec3::new(10.0, 0.0, 1.0));
        let turret = body.part(DVec3::new(1.0, 0.0, 2.0), DVec3::Z * FRAC_PI_2);
        assert!(turret.origin.distance(DVec3::new(10.0, 1.0, 3.0)) < 1e-9, "{turret:?}");
        assert!(turret.point(DVec3::X).distance(DVec3::new(9.0, 1.0, 3.0)) < 1e-9);
        let rows = turret.rows();
        assert!((rows[3] - 10.0).abs() < 1e-6 && (rows[7] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_tracer_reaches_from_end_to_end() {
        let (from, to) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(5.0, 2.0, 9.0));
        let line = Affine::along(from, to, 0.1);
        assert!(line.point(-DVec3::X).distance(from) < 1e-9);
        assert!(line.point(DVec3::X).distance(to) < 1e-9);
    }
}
