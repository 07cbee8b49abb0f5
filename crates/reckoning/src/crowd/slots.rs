//! Names for ghosts that outlive their places.

use alloc::vec::Vec;

/// Names one ghost of a [`Crowd`](super::Crowd), for as long as it is in there.
///
/// The id of a ghost that was removed never comes to mean another one (short of four
/// thousand million removals at the same slot).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CrowdId {
    slot: u32,
    generation: u32,
}

/// Which ghost is where.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// By slot: the generation in it, and the place of its ghost if there is one.
    places: Vec<(u32, Option<u32>)>,
    free: Vec<u32>,
    /// By place.
    ids: Vec<CrowdId>,
}

impl Slots {
    pub(super) fn ids(&self) -> &[CrowdId] {
        &self.ids
    }

    pub(super) fn place(&self, id: CrowdId) -> Option<usize> {
        let (generation, place) = *self.places.get(id.slot as usize)?;
        if generation == id.generation { place.map(|place| place as usize) } else { None }
    }

    /// A name for a ghost at the next place.
    pub(super) fn push(&mut self) -> CrowdId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.places.push((0, None));
            self.places.len() as u32 - 1
        });
        let (generation, place) = &mut self.places[slot as usize];
        *place = Some(self.ids.len() as u32);
        let id = CrowdId { slot, generation: *generation };
        self.ids.push(id);
        id
    }

    /// Forgets the name of the ghost at `place`; the last ghost takes the place over.
    pub(super) fn swap_remove(&mut self, place: usize) {
        let gone = self.ids.swap_remove(place);
        self.places[gone.slot as usize] = (gone.generation.wrapping_add(1), None);
        self.free.push(gone.slot);
        if let Some(moved) = self.ids.get(place) {
            self.places[moved.slot as usize].1 = Some(place as u32);
        }
    }
}
