//! The axes of a learned predictor: those of the body's motion.

use glam::DVec3;

use super::History;
use reckoning::Kinematics;

/// How a game's axes are turned before a network sees them.
///
/// A left turn is the same left turn in whichever direction a body runs; so everything is given
/// in axes along its motion, and the answer is turned back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Along the velocity over the ground, across it, and up: games with height.
    Heading,
    /// Along the velocity and across it: games without height.
    Flat,
    /// Ahead, the way the body faces along `x`, and up, which is `y`: games seen from the
    /// side, where turning the axes would turn gravity.
    Side,
}

impl Framing {
    pub(super) const ALL: [Self; 3] = [Self::Heading, Self::Flat, Self::Side];

    /// How many axes a curve has.
    #[must_use]
    pub const fn axes(self) -> usize {
        match self {
            Self::Heading => 3,
            Self::Flat | Self::Side => 2,
        }
    }
}

/// One body's axes at one moment: orthogonal unit vectors in the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub(super) along: DVec3,
    pub(super) across: DVec3,
    pub(super) up: DVec3,
    framing: Framing,
}

impl Frame {
    /// The axes of a body's motion; of its facing when it hardly moves, of its past when it
    /// has no facing. `slow_mps` is what counts as hardly moving.
    #[must_use]
    pub fn new(
        framing: Framing,
        truth: &Kinematics,
        facing_known: bool,
        history: &History,
        slow_mps: f64,
    ) -> Self {
        let facing = truth.orientation * DVec3::X;
        if framing == Framing::Side {
            let ahead = if facing_known { facing.x } else { truth.velocity.x };
            let along = if ahead < 0.0 { DVec3::NEG_X } else { DVec3::X };
            return Self { along, across: DVec3::Z, up: DVec3::Y, framing };
        }
        let level = |v: DVec3| v.with_z(0.0);
        let mut along = level(truth.velocity);
        if along.length_squared() < slow_mps * slow_mps {
            along = if facing_known { level(facing) } else { level(history.way(truth.position)) };
        }
        let along = along.try_normalize().unwrap_or(DVec3::X);
        Self { along, across: DVec3::new(-along.y, along.x, 0.0), up: DVec3::Z, framing }
    }

    /// A world vector in these axes.
    #[must_use]
    pub fn inside(&self, v: DVec3) -> DVec3 {
        DVec3::new(v.dot(self.along), v.dot(self.across), v.dot(self.up))
    }

    /// A vector of the framing's axes in the world.
    #[must_use]
    pub fn outside(&self, v: &[f64]) -> DVec3 {
        let part = |k: usize| v.get(k).copied().unwrap_or(0.0);
        match self.framing {
            Framing::Heading => self.along * part(0) + self.across * part(1) + self.up * part(2),
            Framing::Flat => self.along * part(0) + self.across * part(1),
            Framing::Side => self.along * part(0) + self.up * part(1),
        }
    }

    /// The components of a world vector that a curve of this framing has.
    #[must_use]
    pub fn components(&self, v: DVec3) -> [f64; 3] {
        let [along, across, up] = self.inside(v).to_array();
        if self.framing == Framing::Side { [along, up, across] } else { [along, across, up] }
    }

    /// 1 where a turn to the left in the world is one in these axes, else -1.
    pub(super) fn handedness(&self) -> f64 {
        self.along.cross(self.across).dot(self.up)
    }

    /// Directions to feel walls in: see [`Part::Ray`](super::Part).
    pub(super) fn direction(&self, cos: f64, sin: f64) -> DVec3 {
        let other = if self.framing == Framing::Side { self.up } else { self.across };
        self.along * cos + other * sin
    }
}
