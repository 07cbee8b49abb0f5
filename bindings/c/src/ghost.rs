//! Ghosts: bodies that live elsewhere, as they are shown here.

use std::time::Duration;

use reckoning::ghost::Accepted;
use reckoning::ground::Pose;
use reckoning::joints::JointGhost;
use reckoning::{DelayedGhost, Ghost, Kinematics, SimTime, Update};

use crate::kind::{KindEntry, ReckKindId, ShowConfig};
use crate::pointers;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::types::{ReckKinematics, ReckPose, ReckUpdate};
use crate::world::{Id, hand_out, id, within};

/// Names a ghost. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckGhostId {
    /// Its world.
    pub world: u32,
    /// Its place, from 1.
    pub index1: u32,
    /// How often the place was used.
    pub generation: u32,
}

/// What became of an update.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReckAccepted {
    /// It is the newest and leads from now on.
    Newest = 0,
    /// It is not the newest, but fills a gap ahead of what is shown late.
    Filled = 1,
    /// It is not newer than what was there; nothing changed.
    Stale = 2,
}

id!(ReckGhostId: Ghost);

enum Shown {
    Now(Box<Ghost>),
    Late(Box<DelayedGhost>),
}

pub struct GhostEntry {
    shown: Shown,
    pub joints: Vec<(Duration, Option<JointGhost>)>,
}

impl GhostEntry {
    fn born(kind: &KindEntry, first: Update, now: SimTime) -> Result<Self, Refusal> {
        let shown = match kind.show {
            ShowConfig::Reckoned(config) => {
                Shown::Now(Box::new(Ghost::with_config(config, first, now)?))
            }
            ShowConfig::Delayed(config) => {
                Shown::Late(Box::new(DelayedGhost::with_config(config, first, now)?))
            }
        };
        Ok(Self { shown, joints: kind.joints.iter().map(|(_, blend)| (*blend, None)).collect() })
    }

    fn accept(&mut self, update: Update, now: SimTime) -> Accepted {
        match &mut self.shown {
            Shown::Now(ghost) => ghost.accept(update, now),
            Shown::Late(ghost) => ghost.accept(update, now),
        }
    }

    fn pose_at(&self, now: SimTime) -> Pose {
        match &self.shown {
            Shown::Now(ghost) => ghost.pose_at(now),
            Shown::Late(ghost) => ghost.pose_at(now),
        }
    }

    fn kinematics_at(&self, now: SimTime) -> Kinematics {
        match &self.shown {
            Shown::Now(ghost) => ghost.kinematics_at(now),
            Shown::Late(ghost) => ghost.kinematics_at(now),
        }
    }
}

impl From<Accepted> for ReckAccepted {
    fn from(accepted: Accepted) -> Self {
        match accepted {
            Accepted::Newest => Self::Newest,
            Accepted::Filled => Self::Filled,
            _ => Self::Stale,
        }
    }
}

/// Makes the ghost of a body of that kind, from the first update of it, which arrives now.
///
/// # Safety
/// Pointers that are not null lead to a ReckUpdate and a ReckGhostId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_ghost_create(
    kind: ReckKindId,
    first: *const ReckUpdate,
    now_us: i64,
    ghost: *mut ReckGhostId,
) -> ReckResult {
    within(kind.world, |inside| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let first = unsafe { pointers::read(first, ReckField::Update) }?.update()?;
        let kind_entry = inside.kinds.get(kind.slot()).ok_or(ReckKindId::stale())?;
        let entry = GhostEntry::born(kind_entry, first, SimTime::from_micros(now_us))?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { hand_out(&mut inside.ghosts, kind.world, entry, ghost) }.map(drop)
    })
    .into()
}

/// Takes an update that arrives now. Late, repeated and reordered ones may be passed in. `accepted` may
/// be null.
///
/// # Safety
/// Pointers that are not null lead to a ReckUpdate and a ReckAccepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_ghost_accept(
    ghost: ReckGhostId,
    update: *const ReckUpdate,
    now_us: i64,
    accepted: *mut ReckAccepted,
) -> ReckResult {
    within(ghost.world, |inside| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let update = unsafe { pointers::read(update, ReckField::Update) }?.update()?;
        let entry = inside.ghosts.get_mut(ghost.slot()).ok_or(ReckGhostId::stale())?;
        let became = entry.accept(update, SimTime::from_micros(now_us)).into();
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write_if_wanted(accepted, became) };
        Ok(())
    })
    .into()
}

/// Where and how to draw a body now. Any frame rate, any order, same answer.
///
/// # Safety
/// A pointer that is not null leads to a ReckPose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_ghost_pose(
    ghost: ReckGhostId,
    now_us: i64,
    pose: *mut ReckPose,
) -> ReckResult {
    within(ghost.world, |inside| {
        let entry = inside.ghosts.get(ghost.slot()).ok_or(ReckGhostId::stale())?;
        let shown = entry.pose_at(SimTime::from_micros(now_us)).into();
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(pose, shown, ReckField::Output) }
    })
    .into()
}

/// As reck_ghost_pose(), with velocities as well.
///
/// # Safety
/// A pointer that is not null leads to a ReckKinematics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_ghost_kinematics(
    ghost: ReckGhostId,
    now_us: i64,
    shown: *mut ReckKinematics,
) -> ReckResult {
    within(ghost.world, |inside| {
        let entry = inside.ghosts.get(ghost.slot()).ok_or(ReckGhostId::stale())?;
        let it = entry.kinematics_at(SimTime::from_micros(now_us));
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(shown, (&it).into(), ReckField::Output) }
    })
    .into()
}

/// Where and how to draw many bodies now, in the order of their ids: one call for all. An id that names
/// nothing is refused with its place in the list, and the poses before it are written.
///
/// # Safety
/// Pointers that are not null lead to `count` values of ReckGhostId and ReckPose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_ghosts_poses(
    world: crate::world::ReckWorldId,
    ghosts: *const ReckGhostId,
    count: usize,
    now_us: i64,
    poses: *mut ReckPose,
) -> ReckResult {
    let now = SimTime::from_micros(now_us);
    within(world.world, |inside| {
        for index in 0..count {
            // SAFETY: `index < count`, for which the caller vouches; an id is made of numbers.
            let id = unsafe { pointers::read_at(ghosts, index, ReckField::List) }?;
            let entry = inside.ghosts.get(id.slot()).filter(|_| id.world == world.world);
            let stale = Refusal::new(ReckStatus::NoSuchId, ReckField::List, index as f64);
            let pose = entry.ok_or(stale)?.pose_at(now).into();
            // SAFETY: as above.
            unsafe { pointers::write_at(poses, index, pose, ReckField::Output) }?;
        }
        Ok(())
    })
    .into()
}

/// Removes a ghost.
#[unsafe(no_mangle)]
pub extern "C" fn reck_ghost_destroy(ghost: ReckGhostId) -> ReckResult {
    within(ghost.world, |inside| {
        inside.ghosts.remove(ghost.slot()).map(drop).ok_or(ReckGhostId::stale())
    })
    .into()
}
