//! Updates: what a publisher exports and a ghost accepts.

use glam::{DQuat, DVec3};

use crate::{ConfigError, Kinematics, Model, SimTime};

/// How much an update carries and how it is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum UpdateKind {
    /// Motion only.
    Partial,
    /// Motion and whatever else the game keeps about the body; heals anything lost.
    Full,
    /// Full, and the body did not move here: show it here at once, without a blend.
    Teleport,
}

/// One export: a state, the model to carry it on with, and its kind.
///
/// Always sound: its numbers are finite and its orientation is a rotation, because
/// [`Update::new`] is the only way in for values from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    seen: Kinematics,
    model: Model,
    kind: UpdateKind,
}

impl Update {
    /// An update from values that came from outside, a decoded datagram for example.
    ///
    /// # Errors
    /// Names the first number that is not usable.
    pub fn new(seen: Kinematics, model: Model, kind: UpdateKind) -> Result<Self, ConfigError> {
        seen.validate()?;
        model.validate()?;
        let orientation = seen.orientation.normalize();
        Ok(Self { seen: Kinematics { orientation, ..seen }, model, kind })
    }

    /// An update from a state that was checked before.
    pub(crate) const fn from_checked(seen: Kinematics, model: Model, kind: UpdateKind) -> Self {
        Self { seen, model, kind }
    }

    /// The moment it is about, on the owner's timeline.
    #[must_use]
    pub const fn at(&self) -> SimTime {
        self.seen.at
    }

    /// The state it carries.
    #[must_use]
    pub const fn kinematics(&self) -> &Kinematics {
        &self.seen
    }

    /// How the body is assumed to go on.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// How much it carries.
    #[must_use]
    pub const fn kind(&self) -> UpdateKind {
        self.kind
    }

    /// Where this update puts the body at `at`.
    #[must_use]
    pub fn position_at(&self, at: SimTime) -> DVec3 {
        self.model.position_at(&self.seen, at)
    }

    /// How fast the body moves then.
    #[must_use]
    pub fn velocity_at(&self, at: SimTime) -> DVec3 {
        self.model.velocity_at(&self.seen, at)
    }

    /// How the body is turned then.
    #[must_use]
    pub fn orientation_at(&self, at: SimTime) -> DQuat {
        self.model.orientation_at(&self.seen, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_finite_do_not_become_an_update() {
        let broken = Kinematics { velocity: DVec3::INFINITY, ..Kinematics::default() };
        let error = Update::new(broken, Model::Linear, UpdateKind::Partial).unwrap_err();
        assert!(matches!(error, ConfigError::Kinematics(_)));
    }
}
