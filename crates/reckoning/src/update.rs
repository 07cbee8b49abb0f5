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

/// One export: a state, the model to carry it on with, its kind, and how often the body has
/// teleported so far.
///
/// The count makes a teleport heal like anything else that is lost: whoever missed the update that
/// said it sees from the next one, by another count, that the body did not move there.
///
/// Always sound: its numbers are finite and its orientation is a rotation, because
/// [`Update::new`] is the only way in for values from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    seen: Kinematics,
    model: Model,
    kind: UpdateKind,
    teleports: u32,
}

impl Update {
    /// An update from values that came from outside, a decoded datagram for example, of a body
    /// that never teleported; see [`with_teleports`](Self::with_teleports).
    ///
    /// # Errors
    /// Names the first number that is not usable.
    pub fn new(seen: Kinematics, model: Model, kind: UpdateKind) -> Result<Self, ConfigError> {
        seen.validate()?;
        model.validate()?;
        let orientation = seen.orientation.normalize();
        Ok(Self { seen: Kinematics { orientation, ..seen }, model, kind, teleports: 0 })
    }

    /// An update from a state that was checked before.
    pub(crate) const fn from_checked(seen: Kinematics, model: Model, kind: UpdateKind) -> Self {
        Self { seen, model, kind, teleports: 0 }
    }

    /// The same with another count of teleports.
    #[must_use]
    pub const fn with_teleports(self, teleports: u32) -> Self {
        Self { teleports, ..self }
    }

    /// The same of another kind.
    #[must_use]
    pub const fn with_kind(self, kind: UpdateKind) -> Self {
        Self { kind, ..self }
    }

    /// The same, carried on with a model that was checked before.
    ///
    /// # Errors
    /// When a number of the model is not usable.
    pub fn with_model(self, model: Model) -> Result<Self, ConfigError> {
        model.validate()?;
        Ok(Self { model, ..self })
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

    /// How often the body had teleported by then, as its publisher counts; turns round. Only
    /// whether two counts are equal means anything.
    #[must_use]
    pub const fn teleports(&self) -> u32 {
        self.teleports
    }

    /// Whether the body teleported since `before`: it is to be shown here at once, without a
    /// blend from where `before` led.
    #[must_use]
    pub fn teleported_since(&self, before: &Self) -> bool {
        self.kind == UpdateKind::Teleport || self.teleports != before.teleports
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

    /// How fast it turns, in world axes, at any time.
    #[must_use]
    pub const fn angular_velocity(&self) -> DVec3 {
        self.model.angular_velocity(&self.seen)
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
