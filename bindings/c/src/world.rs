//! Worlds: everything there is, and the locks that keep a second thread out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, TryLockError};

use reckoning::ClockSync;
use reckoning_predict::learned::LearnedModel;

use crate::crowd::CrowdEntry;
use crate::ghost::GhostEntry;
use crate::kind::KindEntry;
use crate::pointers;
use crate::publisher::PublisherEntry;
use crate::result::{ReckField, ReckResult, ReckStatus, Refusal};
use crate::slots::{SlotId, Slots};

/// Names a world. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReckWorldId {
    /// Place and generation.
    pub world: u32,
}

/// How many worlds there can be at a time.
pub const RECK_MAX_WORLDS: usize = 128;

/// Everything that one world holds.
#[derive(Default)]
pub struct World {
    pub kinds: Slots<KindEntry>,
    pub publishers: Slots<PublisherEntry>,
    pub ghosts: Slots<GhostEntry>,
    pub crowds: Slots<CrowdEntry>,
    pub clocks: Slots<ClockSync>,
    pub learned: Slots<std::sync::Arc<LearnedModel>>,
    #[cfg(feature = "client")]
    pub clients: Slots<crate::client::ClientEntry>,
}

/// A place for a world.
struct Place {
    generation: u16,
    world: Option<Box<World>>,
}

/// The table that tells living worlds from dead ones: the one thing that is shared.
static WORLDS: [Mutex<Place>; RECK_MAX_WORLDS] =
    [const { Mutex::new(Place { generation: 0, world: None }) }; RECK_MAX_WORLDS];

/// Makes an empty world. One is enough for a game; two threads want one each.
///
/// # Safety
/// A pointer that is not null leads to a ReckWorldId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reck_world_create(world: *mut ReckWorldId) -> ReckResult {
    let id = open();
    let outcome = match id {
        // SAFETY: the caller vouches for the pointer.
        Some(id) => unsafe { pointers::write(world, id, ReckField::Output) },
        None => {
            let most = RECK_MAX_WORLDS as f64;
            Err(Refusal::new(ReckStatus::Full, ReckField::World, most))
        }
    };
    if let (Some(id), Err(_)) = (id, &outcome) {
        let _ = close(id);
    }
    outcome.into()
}

fn open() -> Option<ReckWorldId> {
    for (index, place) in WORLDS.iter().enumerate() {
        let Ok(mut place) = place.try_lock() else { continue };
        if place.world.is_none() {
            place.generation = place.generation.wrapping_add(1);
            place.world = Some(Box::default());
            let world = (u32::from(place.generation) << 16) | (index as u32 + 1);
            return Some(ReckWorldId { world });
        }
    }
    None
}

/// Destroys a world and everything in it. Their ids are refused from then on.
#[unsafe(no_mangle)]
pub extern "C" fn reck_world_destroy(world: ReckWorldId) -> ReckResult {
    close(world).into()
}

fn close(id: ReckWorldId) -> Result<(), Refusal> {
    let mut place = match lock(id) {
        Ok(place) => place,
        Err(refusal) if refusal.status == ReckStatus::Broken => return bury(id),
        Err(refusal) => return Err(refusal),
    };
    place.world = None;
    Ok(())
}

/// Takes a world away whose lock is poisoned.
fn bury(id: ReckWorldId) -> Result<(), Refusal> {
    let place = place_of(id)?;
    if let Err(TryLockError::Poisoned(poisoned)) = place.try_lock() {
        poisoned.into_inner().world = None;
        place.clear_poison();
    }
    Ok(())
}

/// Whether the world is there.
#[unsafe(no_mangle)]
pub extern "C" fn reck_world_is_valid(world: ReckWorldId) -> bool {
    match lock(world) {
        Ok(_) => true,
        Err(refusal) => refusal.status == ReckStatus::Busy,
    }
}

fn place_of(id: ReckWorldId) -> Result<&'static Mutex<Place>, Refusal> {
    let index = (id.world & 0xffff) as usize;
    let place = index.checked_sub(1).and_then(|index| WORLDS.get(index));
    place.ok_or(Refusal::stale(ReckField::World))
}

fn lock(id: ReckWorldId) -> Result<MutexGuard<'static, Place>, Refusal> {
    let refused = |status| Refusal::new(status, ReckField::World, 0.0);
    let place = place_of(id)?.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => refused(ReckStatus::Busy),
        TryLockError::Poisoned(_) => refused(ReckStatus::Broken),
    })?;
    if place.world.is_none() || u32::from(place.generation) != id.world >> 16 {
        return Err(Refusal::stale(ReckField::World));
    }
    Ok(place)
}

/// Does something within a world, which no other thread can enter meanwhile. A panic does not leave it:
/// the world is broken then.
pub fn within<T>(
    world: u32,
    act: impl FnOnce(&mut World) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    // The lock is taken inside, so that a panic poisons it.
    let acted = catch_unwind(AssertUnwindSafe(|| {
        let mut place = lock(ReckWorldId { world })?;
        let Some(world) = &mut place.world else { return Err(Refusal::stale(ReckField::World)) };
        act(world)
    }));
    acted.unwrap_or(Err(Refusal::new(ReckStatus::Broken, ReckField::World, 0.0)))
}

/// What is the same in all ids of things in worlds.
pub trait Id: Copy {
    const FIELD: ReckField;
    fn new(world: u32, slot: SlotId) -> Self;
    fn slot(self) -> SlotId;
    fn stale() -> Refusal {
        Refusal::stale(Self::FIELD)
    }
}

macro_rules! id {
    ($($id:ty: $field:ident),* $(,)?) => {
        $(impl $crate::world::Id for $id {
            const FIELD: $crate::result::ReckField = $crate::result::ReckField::$field;
            fn new(world: u32, slot: $crate::slots::SlotId) -> Self {
                Self { world, index1: slot.index1, generation: slot.generation }
            }
            fn slot(self) -> $crate::slots::SlotId {
                $crate::slots::SlotId { index1: self.index1, generation: self.generation }
            }
        })*
    };
}
pub(crate) use id;

/// Puts a thing into its slots and its id where C wants it; takes it out again if that is nowhere.
///
/// # Safety
/// A pointer that is not null leads to an id of that type.
pub unsafe fn hand_out<T, I: Id>(
    slots: &mut Slots<T>,
    world: u32,
    thing: T,
    to: *mut I,
) -> Result<I, Refusal> {
    let full = Refusal::new(ReckStatus::Full, I::FIELD, f64::from(u32::MAX));
    let slot = slots.insert(thing).ok_or(full)?;
    let id = I::new(world, slot);
    // SAFETY: the caller vouches for the pointer.
    match unsafe { pointers::write(to, id, ReckField::Output) } {
        Ok(()) => Ok(id),
        Err(refusal) => {
            slots.remove(slot);
            Err(refusal)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_thread_is_kept_out_of_a_world_and_not_of_others() {
        let [first, second] = [open().unwrap(), open().unwrap()];
        let inside = within(first.world, |_| {
            let elsewhere = std::thread::spawn(move || {
                [within(first.world, |_| Ok(())), within(second.world, |_| Ok(()))]
            });
            Ok(elsewhere.join().unwrap())
        });
        let [same, other] = inside.unwrap();
        assert_eq!(same.unwrap_err().status, ReckStatus::Busy);
        assert_eq!(other, Ok(()));
        assert!(close(first).is_ok() && close(second).is_ok());
    }

    #[test]
    fn a_panic_breaks_its_world_only_and_that_can_be_destroyed() {
        let world = open().unwrap();
        let broken = within::<()>(world.world, |_| panic!("on purpose")).unwrap_err();
        assert_eq!(broken.status, ReckStatus::Broken);
        assert_eq!(within(world.world, |_| Ok(())).unwrap_err().status, ReckStatus::Broken);
        assert_eq!(close(world), Ok(()));
        assert_eq!(within(world.world, |_| Ok(())).unwrap_err().status, ReckStatus::NoSuchId);
    }
}
