//! The motion models that an owner may promise.

use crate::Model;

/// Which kinds of [`Model`] updates of an owner may carry.
///
/// ```
/// use reckoning::Model;
/// use reckoning::guard::OwnerModels;
/// use reckoning::model::{Ballistic, Landing};
///
/// let fall = Model::Ballistic(Ballistic::new(9.81, 0.0, Landing::Run)?);
/// assert!(OwnerModels::PLAIN.contains(&Model::Linear) && !OwnerModels::PLAIN.contains(&fall));
/// assert!(OwnerModels::PLAIN.and(&fall).contains(&fall));
/// # Ok::<(), reckoning::error::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerModels(u16);

impl OwnerModels {
    /// None at all.
    pub const NONE: Self = Self(0);
    /// Those that only use the body's own motion: hold, linear, accelerating, damped, decaying, arc
    /// and curves. Without what falls, rides a path, is the game's own or comes from DIS.
    pub const PLAIN: Self = Self(0b111_1111);
    /// All of them.
    pub const ALL: Self = Self(0b111_1111_1111);

    /// These and the kind of `model`, whatever its parameters are.
    #[must_use]
    pub const fn and(self, model: &Model) -> Self {
        Self(self.0 | bit(model))
    }

    /// Whether a model of this kind is among them.
    #[must_use]
    pub const fn contains(self, model: &Model) -> bool {
        self.0 & bit(model) != 0
    }
}

const fn bit(model: &Model) -> u16 {
    1 << match model {
        Model::Hold => 0,
        Model::Linear => 1,
        Model::Accelerating { .. } => 2,
        Model::Damped { .. } => 3,
        Model::Decaying { .. } => 4,
        Model::Curve(_) => 5,
        Model::Arc => 6,
        Model::Ballistic(_) => 7,
        Model::Path(_) => 8,
        Model::Dis(_) => 9,
        Model::Custom(_) => 10,
    }
}
