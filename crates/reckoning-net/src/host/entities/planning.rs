//! Planning of a host for bodies that it moves itself, by their kinds.

use alloc::boxed::Box;
use core::time::Duration;

use reckoning::{Kinematics, Model, Threshold};
use reckoning_predict::Surroundings;

use super::Host;
use crate::host::event::HostEvent;
use crate::kinds::BodyPlanner;
use crate::wire::EntityId;
use crate::zones::ZoneClass;

impl Host {
    /// As [`observe`](Self::observe), with what is `around` the entity for the planner of its kind:
    /// see [`PlannerKind`](crate::PlannerKind). A host plans every observation, since each peer is due an update at
    /// another time. What the planner lacks is told by
    /// [`HostEvent::PlannerMissing`](crate::HostEvent::PlannerMissing); the entity goes by the
    /// model of its kind then.
    pub fn observe_with(
        &mut self,
        id: EntityId,
        truth: &Kinematics,
        around: &Surroundings<'_>,
    ) -> bool {
        let Some(mut planner) = self.take_planner(id) else {
            return self.observe_as(id, truth, self.model_of(id).fitted(truth));
        };
        let plan = planner.plan_each(truth, around);
        let (seen, model) = match plan {
            Some(model) => (*truth, model),
            None => self.kept_clear(id, truth, &mut planner),
        };
        let learnt = self.observe_as(id, &seen, model);
        if let Some(entity) = self.entities.get_mut(id) {
            entity.threshold_share = planner.threshold_share(truth);
            let (kind, missing) = (entity.kind, planner.take_missing());
            entity.planner = Some(planner);
            if let Some(needs) = missing {
                self.push_event(HostEvent::PlannerMissing { entity: id, kind, needs });
            }
        }
        learnt
    }

    /// A game planned for an entity itself. Where its kind aims, what is foreseen is aimed all the
    /// same.
    pub(super) fn follow_plan(&mut self, id: EntityId, truth: &Kinematics, foreseen: &Model) {
        let kind = self.entities.get(id).and_then(|entity| self.config.kinds.get(entity.kind));
        if kind.is_none_or(|kind| kind.aim.is_none()) {
            return;
        }
        let Some(mut planner) = self.take_planner(id) else { return };
        planner.follow(truth, foreseen);
        if let Some(entity) = self.entities.get_mut(id) {
            entity.planner = Some(planner);
        }
    }

    /// What is sent of an entity that goes by the model of its kind.
    fn kept_clear(
        &self,
        id: EntityId,
        truth: &Kinematics,
        planner: &mut BodyPlanner,
    ) -> (Kinematics, Model) {
        let model = self.model_of(id);
        let kind = self.entities.get(id).and_then(|entity| self.config.kinds.get(entity.kind));
        let lookahead = kind.map_or(Duration::ZERO, |kind| kind.publisher.lookahead);
        let seen = planner.kept_clear(truth, model, lookahead);
        (seen, model.fitted(&seen))
    }

    /// The planner of an entity, made when it is first needed; `None` if its kind has none.
    fn take_planner(&mut self, id: EntityId) -> Option<Box<BodyPlanner>> {
        let entity = self.entities.get_mut(id)?;
        let kind = self.config.kinds.get(entity.kind)?;
        let seed = kind.publisher.seed ^ u64::from(id.0);
        let kept = entity.planner.take();
        kept.or_else(|| BodyPlanner::new(kind, &self.config.planning, seed))
    }
}

/// The rules of a distance class for a body whose place allows only a `share` of its threshold, never
/// less than `finest_m`, which rounding alone would cross.
pub(super) fn tightened(class: &ZoneClass, share: f64, finest_m: f64) -> ZoneClass {
    let widest_m = class.threshold.max_error_m();
    let tight_m = (widest_m * share).max(finest_m).min(widest_m);
    let threshold = if class.threshold.is_per_axis() {
        Threshold::metres_per_axis(tight_m)
    } else {
        Threshold::metres(tight_m)
    };
    ZoneClass { threshold: threshold.unwrap_or(class.threshold), ..*class }
}
