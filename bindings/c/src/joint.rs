//! Joints of publishers and of ghosts, by their places in the kind.

use crate::ghost::ReckGhostId;
use crate::pointers;
use crate::publisher::ReckPublisherId;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::types::ReckJoint;
use crate::world::{Id, within};

use reckoning::SimTime;
use reckoning::joints::{JointGhost, JointPublisher};

fn no_joint(joint: u32) -> Refusal {
    Refusal::new(ReckStatus::OutOfRange, ReckField::Joint, f64::from(joint))
}

/// Takes how a joint of this body stands and turns. `due` says whether listeners need it: then send this
/// very `truth`. The first one is always due.
///
/// # Safety
/// Pointers that are not null lead to a ReckJoint and a bool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_publisher_aim(
    publisher: ReckPublisherId,
    joint: u32,
    truth: *const ReckJoint,
    due: *mut bool,
) -> ReckResult {
    within(publisher.world, |inside| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let truth = unsafe { pointers::read(truth, ReckField::Truth) }?.joint()?;
        // SAFETY: as above; written first, so that nothing is exported that nobody hears of.
        unsafe { pointers::write(due, false, ReckField::Output) }?;
        let entry = inside.publishers.get_mut(publisher.slot()).ok_or(ReckPublisherId::stale())?;
        let place = entry.joints.get_mut(joint as usize).ok_or(no_joint(joint))?;
        let is_due = match &mut place.1 {
            Some(joint) => joint.observe(truth).is_some(),
            none => {
                *none = Some(JointPublisher::start(place.0.clone(), truth)?.0);
                true
            }
        };
        // SAFETY: as above.
        unsafe { pointers::write(due, is_due, ReckField::Output) }
    })
    .into()
}

/// Takes an update of a joint that arrives now. Late and repeated ones change nothing.
///
/// # Safety
/// A pointer that is not null leads to a ReckJoint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_ghost_accept_joint(
    ghost: ReckGhostId,
    joint: u32,
    update: *const ReckJoint,
    now_us: i64,
) -> ReckResult {
    within(ghost.world, |inside| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let update = unsafe { pointers::read(update, ReckField::Update) }?.joint()?;
        let entry = inside.ghosts.get_mut(ghost.slot()).ok_or(ReckGhostId::stale())?;
        let place = entry.joints.get_mut(joint as usize).ok_or(no_joint(joint))?;
        match &mut place.1 {
            Some(joint) => joint.accept(update, SimTime::from_micros(now_us)),
            none => *none = Some(JointGhost::new(update, place.0)),
        }
        Ok(())
    })
    .into()
}

/// The angle at which to draw a joint, from minus pi to pi; 0 as long as nothing is known of it.
///
/// # Safety
/// A pointer that is not null leads to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_ghost_joint_angle(
    ghost: ReckGhostId,
    joint: u32,
    now_us: i64,
    angle_rad: *mut f64,
) -> ReckResult {
    within(ghost.world, |inside| {
        let entry = inside.ghosts.get(ghost.slot()).ok_or(ReckGhostId::stale())?;
        let (_, shown) = entry.joints.get(joint as usize).ok_or(no_joint(joint))?;
        let angle = shown.as_ref().map_or(0.0, |it| it.angle_at(SimTime::from_micros(now_us)));
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(angle_rad, angle, ReckField::Output) }
    })
    .into()
}
