//! Publishers: the owner's side of a body.

use std::sync::Arc;

use reckoning::joints::{JointPublisher, JointPublisherConfig};
use reckoning::{Kinematics, Publisher, SimTime, Threshold, Update};
use reckoning_predict::Surroundings;
use reckoning_predict::learned::{LearnedConfig, LearnedModel, LearnedPlanner};

use crate::kind::ReckKindId;
use crate::learned::ReckLearnedId;
use crate::pointers;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::types::{ReckKinematics, ReckUpdate};
use crate::world::{Id, hand_out, id, within};

/// Names a publisher. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckPublisherId {
    /// Its world.
    pub world: u32,
    /// Its place, from 1.
    pub index1: u32,
    /// How often the place was used.
    pub generation: u32,
}

/// Counters of a publisher.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckPublisherStats {
    /// Truths that were observed.
    pub observed: u64,
    /// Those that were refused: not finite, or not later than the last update.
    pub refused: u64,
    /// Updates that were sent.
    pub exported: u64,
    /// Those of them that were full.
    pub full: u64,
}

id!(ReckPublisherId: Publisher);

pub struct PublisherEntry {
    pub publisher: Publisher,
    pub joints: Vec<(JointPublisherConfig, Option<JointPublisher>)>,
    planner: Option<LearnedPlanner<Arc<LearnedModel>>>,
}

/// Starts to publish a body of that kind. `first` is the update that everyone gets.
///
/// # Safety
/// Pointers that are not null lead to a ReckKinematics, a ReckUpdate and a ReckPublisherId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_publisher_create(
    kind: ReckKindId,
    truth: *const ReckKinematics,
    first: *mut ReckUpdate,
    publisher: *mut ReckPublisherId,
) -> ReckResult {
    within(kind.world, |inside| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let truth = Kinematics::from(&unsafe { pointers::read(truth, ReckField::Truth) }?);
        let kind_entry = inside.kinds.get(kind.slot()).ok_or(ReckKindId::stale())?;
        let (started, update) = Publisher::start(kind_entry.publisher.clone(), &truth)?;
        let joints = kind_entry.joints.iter().map(|(config, _)| (config.clone(), None)).collect();
        let entry = PublisherEntry { publisher: started, joints, planner: None };
        // SAFETY: the caller vouches for both pointers.
        unsafe {
            pointers::write(first, (&update).into(), ReckField::Output)?;
            hand_out(&mut inside.publishers, kind.world, entry, publisher).map(drop)
        }
    })
    .into()
}

/// Takes the truth of this tick. `due` says whether listeners need `update`: then send it. A truth that
/// is not finite, or not later than the last update, is refused.
///
/// # Safety
/// Pointers that are not null lead to a ReckKinematics, a ReckUpdate and a bool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_publisher_observe(
    publisher: ReckPublisherId,
    truth: *const ReckKinematics,
    update: *mut ReckUpdate,
    due: *mut bool,
) -> ReckResult {
    // SAFETY: the caller's word is passed on.
    unsafe {
        take(publisher, truth, update, due, |entry, truth| match &mut entry.planner {
            Some(planner) => {
                entry.publisher.observe_planned(truth, planner, &Surroundings::default())
            }
            None => entry.publisher.observe(truth),
        })
    }
}

/// Takes the truth of a body that is somewhere else now without having moved there; `update` says so.
///
/// # Safety
/// As reck_publisher_observe().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_publisher_teleport(
    publisher: ReckPublisherId,
    truth: *const ReckKinematics,
    update: *mut ReckUpdate,
) -> ReckResult {
    let mut due = false;
    // SAFETY: the caller's word is passed on, and `due` is ours.
    unsafe {
        take(publisher, truth, update, &raw mut due, |entry, truth| entry.publisher.teleport(truth))
    }
}

/// # Safety
/// As [`reck_publisher_observe`].
unsafe fn take(
    publisher: ReckPublisherId,
    truth: *const ReckKinematics,
    update: *mut ReckUpdate,
    due: *mut bool,
    observe: impl FnOnce(&mut PublisherEntry, &Kinematics) -> Option<Update>,
) -> ReckResult {
    within(publisher.world, |inside| {
        // SAFETY: the caller vouches for the pointer; it is made of numbers.
        let truth = Kinematics::from(&unsafe { pointers::read(truth, ReckField::Truth) }?);
        let entry = inside.publishers.get_mut(publisher.slot()).ok_or(ReckPublisherId::stale())?;
        truth.validate()?;
        if truth.at <= entry.publisher.last_update().at() {
            let at_us = truth.at.as_micros() as f64;
            return Err(Refusal::new(ReckStatus::NotLater, ReckField::At, at_us));
        }
        if update.is_null() {
            return Err(Refusal::null(ReckField::Output));
        }
        // SAFETY: as above; written first, so that nothing is exported that nobody hears of.
        unsafe { pointers::write(due, false, ReckField::Output) }?;
        if let Some(sent) = observe(entry, &truth) {
            // SAFETY: as above.
            unsafe {
                pointers::write(update, (&sent).into(), ReckField::Output)?;
                pointers::write(due, true, ReckField::Output)?;
            }
        }
        Ok(())
    })
    .into()
}

/// Takes notice that the update about the moment `at_us` was lost: unless a newer one was sent since, the
/// next truth is sent again.
#[unsafe(no_mangle)]
pub extern "C" fn reck_publisher_handle_lost(publisher: ReckPublisherId, at_us: i64) -> ReckResult {
    change(publisher, |entry| {
        entry.publisher.handle_lost(SimTime::from_micros(at_us));
        Ok(())
    })
}

/// Changes the threshold from the next truth on.
#[unsafe(no_mangle)]
pub extern "C" fn reck_publisher_set_threshold(
    publisher: ReckPublisherId,
    threshold_m: f64,
) -> ReckResult {
    change(publisher, |entry| {
        entry.publisher.set_threshold(Threshold::metres(threshold_m)?);
        Ok(())
    })
}

/// Has a trained model plan the updates of this body from the next one on. `bound_m` is the threshold it
/// is to keep, `seed` the body's own number.
#[unsafe(no_mangle)]
pub extern "C" fn reck_publisher_set_learned(
    publisher: ReckPublisherId,
    learned: ReckLearnedId,
    bound_m: f64,
    seed: u64,
) -> ReckResult {
    within(publisher.world, |inside| {
        if !(bound_m > 0.0 && bound_m.is_finite()) {
            return Err(Refusal::number(ReckField::Bound, bound_m));
        }
        // The other world is another lock.
        let known = if learned.world == publisher.world {
            inside.learned.get(learned.slot()).cloned()
        } else {
            None
        };
        let model = known.ok_or(ReckLearnedId::stale())?;
        let entry = inside.publishers.get_mut(publisher.slot()).ok_or(ReckPublisherId::stale())?;
        let mut config = LearnedConfig::default();
        (config.bound_m, config.seed) = (bound_m, seed);
        entry.planner = Some(LearnedPlanner::new(model, config));
        Ok(())
    })
    .into()
}

fn change(
    publisher: ReckPublisherId,
    act: impl FnOnce(&mut PublisherEntry) -> Result<(), Refusal>,
) -> ReckResult {
    within(publisher.world, |inside| {
        act(inside.publishers.get_mut(publisher.slot()).ok_or(ReckPublisherId::stale())?)
    })
    .into()
}

/// Its counters.
///
/// # Safety
/// A pointer that is not null leads to a ReckPublisherStats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_publisher_stats(
    publisher: ReckPublisherId,
    stats: *mut ReckPublisherStats,
) -> ReckResult {
    change(publisher, |entry| {
        let it = entry.publisher.stats();
        let (observed, refused) = (it.observed, it.refused);
        let counted =
            ReckPublisherStats { observed, refused, exported: it.exported, full: it.full };
        // SAFETY: the caller vouches for the pointer.
        unsafe { pointers::write(stats, counted, ReckField::Output) }
    })
}

/// Ends the publishing of a body.
#[unsafe(no_mangle)]
pub extern "C" fn reck_publisher_destroy(publisher: ReckPublisherId) -> ReckResult {
    within(publisher.world, |inside| {
        inside.publishers.remove(publisher.slot()).map(drop).ok_or(ReckPublisherId::stale())
    })
    .into()
}
