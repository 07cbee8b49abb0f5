//! Models that were trained on recordings, from the bytes of their files.

use std::sync::Arc;

use reckoning_predict::learned::LearnedModel;

use crate::pointers;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::world::{Id, ReckWorldId, hand_out, id, within};

/// Names a trained model. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckLearnedId {
    /// Its world.
    pub world: u32,
    /// Its place, from 1.
    pub index1: u32,
    /// How often the place was used.
    pub generation: u32,
}

id!(ReckLearnedId: Learned);

/// Reads a trained model from the bytes of its file, which `reckon train` wrote.
///
/// # Safety
/// Pointers that are not null lead to `count` bytes and a ReckLearnedId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_learned_create(
    world: ReckWorldId,
    bytes: *const u8,
    count: usize,
    learned: *mut ReckLearnedId,
) -> ReckResult {
    within(world.world, |inside| {
        // SAFETY: the caller vouches for `count` bytes.
        let bytes = unsafe { pointers::bytes(bytes, count, ReckField::List) }?;
        let refused = |_| Refusal::new(ReckStatus::BadBytes, ReckField::Learned, 0.0);
        let model = LearnedModel::from_bytes(&bytes).map_err(refused)?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { hand_out(&mut inside.learned, world.world, Arc::new(model), learned) }.map(drop)
    })
    .into()
}

/// Forgets a trained model. Publishers that use it go on.
#[unsafe(no_mangle)]
pub extern "C" fn reck_learned_destroy(learned: ReckLearnedId) -> ReckResult {
    within(learned.world, |inside| {
        inside.learned.remove(learned.slot()).map(drop).ok_or(ReckLearnedId::stale())
    })
    .into()
}
