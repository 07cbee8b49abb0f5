//! Planners that remember a body's past, as the closed loop runs them: one for each player.

use std::time::Duration;

use reckoning::{ExportReason, Kinematics, Model, Planner};
use reckoning_predict::learned::{LearnedConfig, LearnedModel, LearnedPlanner};
use reckoning_predict::{ChooserExpert, ChooserPlanner, Surroundings};

use super::{ChainSetting, CompareError};
use crate::compare::open_loop::Ready;
use crate::predictor::LearnedUse;

/// A planner that learns of a body while it moves.
#[derive(Clone, Debug)]
pub(crate) enum RememberingPlanner {
    Learned(Box<LearnedPlanner<&'static LearnedModel>>),
    Velocity(Box<ThroughForeseen>),
    Chooser(Box<ChooserPlanner>),
}

/// Neuro-reckoning: of what a network foresees, the straight line through one place of it.
#[derive(Clone, Debug)]
pub(crate) struct ThroughForeseen {
    inner: LearnedPlanner<&'static LearnedModel>,
    horizon: Duration,
}

/// The straight line from where a body is through where it is foreseen so long after.
pub(crate) fn through_foreseen(
    truth: &Kinematics,
    foreseen: &Model,
    horizon: Duration,
) -> Kinematics {
    let way = foreseen.position_at(truth, truth.at + horizon) - truth.position;
    Kinematics { velocity: way / horizon.as_secs_f64(), ..*truth }
}

impl ChainSetting<'_> {
    /// The planner of a predictor that remembers, if that is one.
    pub(crate) fn planner(&self, player: usize) -> Option<RememberingPlanner> {
        let seed = player as u64;
        if let Ready::Chooser(config) = self.predictor {
            // Its settings were checked when it was made ready.
            let chooser = ChooserPlanner::new(config, self.bound, seed).ok()?;
            return Some(RememberingPlanner::Chooser(Box::new(chooser)));
        }
        let Ready::Learned(learned) = self.predictor else { return None };
        let mut config = LearnedConfig::default();
        config.choose = learned.usage == LearnedUse::Chosen;
        (config.bound_m, config.seed) = (self.bound, seed);
        let inner = LearnedPlanner::new(learned.model, config);
        Some(match learned.usage {
            LearnedUse::Velocity(horizon) => {
                RememberingPlanner::Velocity(Box::new(ThroughForeseen { inner, horizon }))
            }
            LearnedUse::Chosen | LearnedUse::Alone => RememberingPlanner::Learned(Box::new(inner)),
        })
    }

    /// Which expert a chooser has in force for a player at each of its samples.
    pub(crate) fn experts_in_force(
        &self,
        player: usize,
    ) -> Result<Vec<ChooserExpert>, CompareError> {
        let course = &self.prepared.courses[player];
        let mut in_force = vec![ChooserExpert::Linear; course.states.len()];
        let Some(mut planner) = self.planner(player) else { return Ok(in_force) };
        let mut place = 0;
        while place < course.states.len() {
            let end = course.segment_end(place);
            planner.restart();
            let mut publisher = None;
            for place in (place..end).filter(|&place| course.states[place].alive) {
                let truth = &course.states[place].kinematics;
                if let Some(publisher) = &mut publisher {
                    self.tell(&mut planner, player, place);
                    self.export(publisher, truth, player, place, Some(&mut planner));
                } else {
                    publisher = Some(self.start(truth, player, place, Some(&mut planner))?.0);
                }
                if let RememberingPlanner::Chooser(chooser) = &planner {
                    in_force[place] = chooser.expert();
                }
            }
            place = end;
        }
        Ok(in_force)
    }
}

impl RememberingPlanner {
    /// Forgets where the body was.
    pub(crate) fn restart(&mut self) {
        Planner::<Surroundings<'_>>::restart(self);
    }
}

impl Planner<Surroundings<'_>> for RememberingPlanner {
    fn observe(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        match self {
            Self::Learned(planner) => planner.observe(truth, around),
            Self::Velocity(planner) => planner.inner.observe(truth, around),
            Self::Chooser(planner) => planner.observe(truth, around),
        }
    }

    fn plan(
        &mut self,
        truth: &Kinematics,
        around: &Surroundings<'_>,
        reason: ExportReason,
    ) -> Model {
        self.plan_state(truth, around, reason).1
    }

    fn plan_state(
        &mut self,
        truth: &Kinematics,
        around: &Surroundings<'_>,
        reason: ExportReason,
    ) -> (Kinematics, Model) {
        match self {
            Self::Learned(planner) => planner.plan_state(truth, around, reason),
            Self::Velocity(planner) => {
                let foreseen = planner.inner.plan(truth, around, reason);
                (through_foreseen(truth, &foreseen, planner.horizon), Model::Linear)
            }
            Self::Chooser(planner) => planner.plan_state(truth, around, reason),
        }
    }

    fn forecast(&mut self, truth: &Kinematics, around: &Surroundings<'_>) -> Option<Model> {
        match self {
            Self::Learned(planner) => planner.forecast(truth, around),
            Self::Velocity(planner) => planner.inner.forecast(truth, around),
            Self::Chooser(planner) => planner.forecast(truth, around),
        }
    }

    fn looks_around(&self, truth: &Kinematics) -> bool {
        match self {
            Self::Learned(planner) => planner.looks_around(truth),
            Self::Velocity(planner) => planner.inner.looks_around(truth),
            Self::Chooser(planner) => planner.looks_around(truth),
        }
    }

    fn restart(&mut self) {
        match self {
            Self::Learned(planner) => Planner::<Surroundings<'_>>::restart(planner.as_mut()),
            Self::Velocity(planner) => Planner::<Surroundings<'_>>::restart(&mut planner.inner),
            Self::Chooser(planner) => Planner::<Surroundings<'_>>::restart(planner.as_mut()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::{DVec3, SimTime};

    /// By hand: 4 m/s that fade with a time constant of half a second go 2 (1 - 1/e) m within
    /// half a second, so the line through there has 4 (1 - 1/e) m/s.
    #[test]
    fn neuro_reckoning_sends_the_velocity_that_passes_through_the_foreseen_place() {
        let (half, now) = (Duration::from_millis(500), SimTime::from_secs_f64(3.0));
        let truth = Kinematics::moving(now, DVec3::Y, DVec3::X * 4.0);
        let seen = through_foreseen(&truth, &Model::Damped { fade: half }, half);
        assert_eq!((seen.position, seen.at), (truth.position, truth.at));
        let expected = 4.0 * (1.0 - libm::exp(-1.0));
        assert!((seen.velocity - DVec3::X * expected).length() < 1e-9, "{}", seen.velocity);
    }
}
