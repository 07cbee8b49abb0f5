//! Planning of a host for bodies that it moves itself, by their kinds.

use alloc::boxed::Box;

use reckoning::Kinematics;
use reckoning_predict::Surroundings;

use super::Host;
use crate::host::event::HostEvent;
use crate::kinds::{BodyPlanner, PlannerKind};
use crate::wire::EntityId;

impl Host {
    /// As [`observe`](Self::observe), with what is `around` the entity for the planner of its kind:
    /// see [`PlannerKind`]. A host plans every observation, since each peer is due an update at
    /// another time. What the planner lacks is told by
    /// [`HostEvent::PlannerMissing`](crate::HostEvent::PlannerMissing); the entity goes by the
    /// model of its kind then.
    pub fn observe_with(
        &mut self,
        id: EntityId,
        truth: &Kinematics,
        around: &Surroundings<'_>,
    ) -> bool {
        let mut planner = self.take_planner(id);
        let plan = planner.as_mut().and_then(|planner| planner.plan_each(truth, around));
        let model = plan.unwrap_or_else(|| self.model_of(id).fitted(truth));
        let learnt = self.observe_as(id, truth, model);
        if let (Some(mut planner), Some(entity)) = (planner, self.entities.get_mut(id)) {
            let (kind, missing) = (entity.kind, planner.take_missing());
            entity.planner = Some(planner);
            if let Some(needs) = missing {
                self.push_event(HostEvent::PlannerMissing { entity: id, kind, needs });
            }
        }
        learnt
    }

    /// The planner of an entity, made when it is first needed; `None` if its kind has none.
    fn take_planner(&mut self, id: EntityId) -> Option<Box<BodyPlanner>> {
        let entity = self.entities.get_mut(id)?;
        let kind = self.config.kinds.get(entity.kind)?;
        if kind.planner == PlannerKind::Model {
            return None;
        }
        let seed = kind.publisher.seed ^ u64::from(id.0);
        let kept = entity.planner.take();
        kept.or_else(|| BodyPlanner::new(kind, &self.config.planning, seed))
    }
}
