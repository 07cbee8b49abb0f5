//! One body's learned plans: history, experts in the shadow, and the curve to publish.

use alloc::sync::Arc;
use core::ops::Deref;

use super::{Features, Frame, History, LearnedModel};
use crate::Surroundings;
use crate::experts::Experts;
use crate::shadow::Shadow;
use reckoning::{Curve, ExportReason, Kinematics, Model, Planner, SimTime};

/// Settings for a [`LearnedPlanner`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearnedConfig {
    /// How far the guess may stray: the publisher's threshold. Default: 0.25 m. Positive.
    pub bound_m: f64,
    /// Falls back to damped or constant velocity for bodies that the model does worse on. Default:
    /// `true`.
    pub choose: bool,
    /// Seeds the choice; give each body its own. Default: 0. Any value.
    pub seed: u64,
}

impl Default for LearnedConfig {
    /// A quarter of a metre, with a fallback.
    fn default() -> Self {
        Self { bound_m: 0.25, choose: true, seed: 0 }
    }
}

/// How many experts there are.
const EXPERTS: usize = 3;
/// The trained model has the benefit of the doubt: it was tried on other sessions before it got
/// here.
const PRIOR: [f64; EXPERTS] = [0.95, 0.025, 0.025];

/// What predicts a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expert {
    /// The trained model.
    Learned,
    /// A velocity that dies away, with the time constant fitted in training.
    Damped,
    /// Constant velocity.
    Linear,
}

const ALL: [Expert; EXPERTS] = [Expert::Learned, Expert::Damped, Expert::Linear];
/// Place of the trained model among them.
const LEARNED: usize = 0;

/// Plans for one body with a [`LearnedModel`], which all bodies share: `M` is an [`Arc`] of
/// it, or a reference.
///
/// Hand it to [`Publisher::observe_planned`](reckoning::Publisher::observe_planned) each tick.
#[derive(Clone, Debug)]
pub struct LearnedPlanner<M = Arc<LearnedModel>> {
    model: M,
    config: LearnedConfig,
    history: History,
    experts: Experts<EXPERTS>,
    shadows: [Option<Shadow>; EXPERTS],
    /// The last curve, for the moment it was made at.
    latest: Option<(SimTime, Option<Curve>)>,
}

impl<M: Deref<Target = LearnedModel>> LearnedPlanner<M> {
    /// A planner for a body of which nothing is known yet.
    #[must_use]
    pub fn new(model: M, config: LearnedConfig) -> Self {
        Self {
            model,
            history: History::new(),
            experts: Experts::new(PRIOR, config.seed),
            shadows: [None; EXPERTS],
            latest: None,
            config,
        }
    }

    /// The expert in force.
    #[must_use]
    pub const fn expert(&self) -> Expert {
        if self.config.choose { ALL[self.experts.chosen()] } else { Expert::Learned }
    }

    /// How much each expert is trusted; the sum is one.
    #[must_use]
    pub fn trust(&self) -> [(Expert, f64); EXPERTS] {
        let shares = self.experts.shares();
        core::array::from_fn(|k| (ALL[k], shares[k]))
    }

    /// Follows a change of the publisher's threshold.
    pub const fn set_bound_m(&mut self, bound_m: f64) {
        self.config.bound_m = bound_m;
    }

    /// Plans for experts in the shadow that have lost. Apart, since most frames have none.
    #[inline(never)]
    fn plan_anew(&mut self, lost: [bool; EXPERTS], truth: &Kinematics, around: &Surroundings<'_>) {
        for (expert, _) in lost.into_iter().enumerate().filter(|(_, lost)| *lost) {
            let plan = self.plan_of(ALL[expert], truth, around);
            self.shadows[expert] = Some(Shadow::new(truth, &plan));
        }
        self.experts.judge(lost);
    }

    /// Whether this expert, alone, would have to publish now.
    fn has_lost(&self, expert: usize, truth: &Kinematics) -> bool {
        let bound_m = self.config.bound_m;
        self.shadows[expert].as_ref().is_none_or(|shadow| shadow.has_strayed(truth, bound_m))
    }

    fn plan_of(&mut self, expert: Expert, truth: &Kinematics, around: &Surroundings<'_>) -> Model {
        let damped = Model::Damped { fade: self.model.fade() };
        match expert {
            Expert::Learned => self.curve(truth, around).map_or(damped, Model::Curve),
            Expert::Damped => damped,
            Expert::Linear => Model::Linear,
        }
    }

    fn curve(&mut self, truth: &Kinematics, around: &Surroundings<'_>) -> Option<Curve> {
        if let Some((at, curve)) = self.latest
            && at == truth.at
        {
            return curve;
        }
        let model = &*self.model;
        let framing = model.framing();
        let facing = around.facing_known;
        let frame = Frame::new(framing, truth, facing, &self.history, model.slow_mps());
        let (unit_m, bound_m) = (model.unit_m(), self.config.bound_m);
        let features = Features::new(&frame, truth, &self.history, around, unit_m, bound_m);
        let curve = model.coefficients(&features).map(|told| model.curve(&frame, &told));
        self.latest = Some((truth.at, curve));
        curve
    }
}

impl<M: Deref<Target = LearnedModel>> Planner<Surroundings<'_>> for LearnedPlanner<M> {
    /// A truth that is not finite is ignored; one that is not later than the last starts
    /// anew.
    fn observe(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        if truth.validate().is_err() {
            return;
        }
        self.history.observe(truth.at, truth.position);
        if self.config.choose {
            // The one in force is watched by the publisher, who asks for a plan in time.
            let in_force = self.experts.chosen();
            let mut lost = [false; EXPERTS];
            for (expert, lost) in lost.iter_mut().enumerate() {
                *lost = expert != in_force && self.has_lost(expert, truth);
            }
            if lost != [false; EXPERTS] {
                self.plan_anew(lost, truth, around);
            }
        }
    }

    /// The plan of the expert in force.
    fn plan(&mut self, truth: &Kinematics, around: &Surroundings<'_>, _: ExportReason) -> Model {
        let plan = self.plan_of(self.expert(), truth, around);
        let in_force = self.experts.chosen();
        // An update for another reason, a heartbeat or a newcomer, is nobody's loss.
        if self.config.choose && self.has_lost(in_force, truth) {
            self.shadows[in_force] = Some(Shadow::new(truth, &plan));
            self.experts.judge(core::array::from_fn(|expert| expert == in_force));
        }
        plan
    }

    /// The plan of the expert in force, of which nobody is told.
    fn forecast(&mut self, truth: &Kinematics, around: &Surroundings<'_>) -> Option<Model> {
        Some(self.plan_of(self.expert(), truth, around))
    }

    /// Never while the trained model is in force.
    fn looks_around(&self, truth: &Kinematics) -> bool {
        self.config.choose && self.expert() != Expert::Learned && self.has_lost(LEARNED, truth)
    }

    /// Whom to trust is kept.
    fn restart(&mut self) {
        self.history.restart();
        self.shadows = [None; EXPERTS];
        self.latest = None;
    }
}
