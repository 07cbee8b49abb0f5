//! Where and how to draw entities of others: one, one on the ground, or all of them.

use alloc::vec::Vec;

use reckoning::ground::Pose;
use reckoning::{DVec3, GroundClamp, SimTime, Terrain};

use super::Session;
use crate::wire::EntityId;

impl Session {
    /// Where and how to draw an entity at `now` by our clock; `None` when it is not in the
    /// interest set. One that is changing its owner to us or from us is shown meanwhile; what is
    /// ours is drawn by [`shown_owned`](Self::shown_owned).
    #[must_use]
    pub fn shown(&self, entity: EntityId, now: SimTime) -> Option<Pose> {
        let at = self.timeline_at(now)?;
        let shown = self.ghosts.get(&entity).map(|remote| remote.pose_at(at));
        shown.or_else(|| Some(self.ghost_between_owners(entity, at)?.pose_at(at)))
    }

    /// As [`shown`](Self::shown), set onto the game's ground as the entity's kind says
    /// ([`Kind::ground`](crate::Kind::ground)), for a viewer whose eye is there: the further away,
    /// the less the ground is asked, unless its distance class says how much
    /// ([`ZoneClass::clamp`](crate::ZoneClass::clamp)). Once a frame for each entity that is drawn. Entities without a
    /// kind, and of kinds that do not stand on the ground, are shown as they are.
    pub fn shown_on(
        &mut self,
        entity: EntityId,
        now: SimTime,
        terrain: &(impl Terrain + ?Sized),
        eye: DVec3,
    ) -> Option<Pose> {
        let at = self.timeline_at(now)?;
        let remote = self.ghosts.get_mut(&entity)?;
        let pose = remote.pose_at(at);
        let kind = self.kinds.get(remote.kind);
        let Some((kind, config)) = kind.and_then(|it| Some((it, it.ground.as_ref()?))) else {
            return Some(pose);
        };
        if remote.ground.is_none() {
            remote.ground = GroundClamp::new(config.clone()).ok();
        }
        let Some(clamp) = &mut remote.ground else { return Some(pose) };
        let by_distance = || config.detail_at(eye.distance(pose.position));
        let detail = kind.clamp_in(remote.class).unwrap_or_else(by_distance);
        Some(clamp.clamp_with(pose, terrain, detail, at))
    }

    /// Where and how to draw all entities of others at `now` by our clock, in order, in place of
    /// what `poses` held: one call a frame that allocates nothing once the list is long enough.
    pub fn poses_into(&self, now: SimTime, poses: &mut Vec<(EntityId, Pose)>) {
        poses.clear();
        let Some(at) = self.timeline_at(now) else { return };
        poses.extend(self.ghosts.iter().map(|(entity, remote)| (*entity, remote.pose_at(at))));
    }
}
