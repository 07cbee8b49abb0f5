//! Poses of bodies in a snapshot, and what is foreseen of them.

use std::collections::BTreeMap;

use reckoning::{DQuat, DVec3};

/// Positions in steps are kept within this.
pub(super) const MAX_STEPS: i32 = 1 << 28;

/// A body in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Counts up when the body jumps, so that nobody draws it on the way.
    pub life: u8,
    /// In steps of [`CodecConfig::step`](super::CodecConfig::step).
    pub position: [i32; 3],
    /// Which way it is turned; identity where turning is not sent.
    pub turn: DQuat,
    /// How many bits the largest part of the last correction had: tells how steady it is.
    pub(super) unrest: u8,
}

impl BodyPose {
    /// A body at a position of the world, on a grid of this step.
    #[must_use]
    pub fn new(life: u8, position: DVec3, turn: DQuat, step: f64) -> Self {
        let cell = |x: f64| (libm::round(x / step) as i32).clamp(-MAX_STEPS, MAX_STEPS);
        Self { life, position: position.to_array().map(cell), turn, unrest: 0 }
    }

    /// Where it is in the world.
    #[must_use]
    pub fn position(&self, step: f64) -> DVec3 {
        DVec3::from_array(self.position.map(|cell| f64::from(cell) * step))
    }
}

/// The bodies of a snapshot by their number.
pub type Poses = BTreeMap<u16, BodyPose>;

/// What a body is foreseen to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// It stays.
    Hold,
    /// It goes on as it did since a little earlier ...
    Short,
    /// ... or since a good while, which rounding spoils less.
    Long,
}

impl Course {
    pub(super) const ALL: [Self; 3] = [Self::Hold, Self::Short, Self::Long];
}

/// An earlier pose, and how many snapshots before the newest it was.
pub(super) type Earlier = (BodyPose, i64);

/// What both ends know of a body when a new snapshot of it is coded.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownPoses {
    /// The newest acknowledged one.
    pub(super) newest: BodyPose,
    /// One a little and one a good while before, if there are any of the same life.
    pub(super) earlier: [Option<Earlier>; 2],
    /// Snapshots from the newest to the one that is coded.
    pub(super) ahead: i64,
}

impl KnownPoses {
    fn since(&self, course: Course) -> Option<Earlier> {
        match course {
            Course::Hold => None,
            Course::Short => self.earlier[0],
            Course::Long => self.earlier[1].or(self.earlier[0]),
        }
    }

    /// Where it will be.
    pub(super) fn position(&self, course: Course) -> [i32; 3] {
        let Some((earlier, span)) = self.since(course) else { return self.newest.position };
        std::array::from_fn(|axis| {
            let way = i64::from(self.newest.position[axis]) - i64::from(earlier.position[axis]);
            let on = (way * self.ahead + span / 2).div_euclid(span);
            let there = i64::from(self.newest.position[axis]) + on;
            there.clamp(i64::from(-MAX_STEPS), i64::from(MAX_STEPS)) as i32
        })
    }

    /// Which way it will be turned.
    pub(super) fn turn(&self, course: Course) -> DQuat {
        let Some((earlier, span)) = self.since(course) else { return self.newest.turn };
        let turned = rotation_vector(self.newest.turn * earlier.turn.conjugate());
        let on = turned * (self.ahead as f64 / span as f64);
        (rotation(on) * self.newest.turn).normalize()
    }
}

/// The rotation about a vector by its length.
pub(super) fn rotation(vector: DVec3) -> DQuat {
    let angle = libm::sqrt(vector.length_squared());
    if angle < 1e-12 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = libm::sincos(0.5 * angle);
    let axis = vector / angle * sin;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

/// The vector of a rotation, the short way round.
pub(super) fn rotation_vector(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let axis = DVec3::new(turn.x, turn.y, turn.z);
    let sin = libm::sqrt(axis.length_squared());
    if sin < 1e-12 { axis * 2.0 } else { axis * (2.0 * libm::atan2(sin, turn.w) / sin) }
}
