//! Planning: how a body is carried on between updates, chosen anew for each update.
//!
//! A [`Planner`] runs where the knowledge is, at the owner of a body or at the host of one
//! without an owner, and answers with a [`Model`] in closed form. Everyone else evaluates the
//! model and needs none of the knowledge. [`Publisher::observe_planned`] is the one way to
//! publish with it.
//!
//! [`Publisher::observe_planned`]: crate::Publisher::observe_planned

use crate::{ExportReason, Kinematics, Model};

/// Chooses the model that a body is published with.
///
/// `S` is what the planner looks at besides the body itself: nothing (`()`), or for the
/// planners of the crate `reckoning-predict` its `Surroundings`.
pub trait Planner<S: ?Sized> {
    /// Takes the truth of this tick. Planners without a memory need not implement it.
    fn observe(&mut self, truth: &Kinematics, around: &S) {
        let _ = (truth, around);
    }

    /// The model to publish `truth` with. The truth has been observed before.
    fn plan(&mut self, truth: &Kinematics, around: &S, reason: ExportReason) -> Model;

    /// What listeners shall have of `truth`, and the model to publish it with. The state is the
    /// truth itself, unless the planner aims: see [`aim`](crate::aim).
    fn plan_state(
        &mut self,
        truth: &Kinematics,
        around: &S,
        reason: ExportReason,
    ) -> (Kinematics, Model) {
        (*truth, self.plan(truth, around, reason))
    }

    /// Where the body will go from `truth` on, by what is known now, without publishing it; `None`
    /// from planners that cannot tell. Asked some times a second where errors are judged ahead
    /// ([`PublisherConfig::judge_ahead`](crate::PublisherConfig::judge_ahead)). The truth has been
    /// observed before.
    fn forecast(&mut self, truth: &Kinematics, around: &S) -> Option<Model> {
        let _ = (truth, around);
        None
    }

    /// Whether [`observe`](Self::observe) will look at the surroundings of this truth. If
    /// not, empty ones will do, and the caller need not gather them.
    fn looks_around(&self, truth: &Kinematics) -> bool {
        let _ = truth;
        false
    }

    /// Forgets where the body was, as after a teleport.
    fn restart(&mut self) {}
}

/// A model is the simplest plan: itself, fitted to the truth.
impl<S: ?Sized> Planner<S> for Model {
    fn plan(&mut self, truth: &Kinematics, _: &S, _: ExportReason) -> Model {
        self.fitted(truth)
    }

    fn forecast(&mut self, truth: &Kinematics, _: &S) -> Option<Model> {
        Some(self.fitted(truth))
    }
}
