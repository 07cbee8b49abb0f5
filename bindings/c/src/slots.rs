//! Things with ids that outlive them: a place, and how often it was used.

/// An id without its world: a place counted from 1, and a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotId {
    pub index1: u32,
    pub generation: u32,
}

/// Things by their ids.
#[derive(Debug)]
pub struct Slots<T> {
    /// The generation of each place, and what is there.
    places: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// Puts it somewhere; `None` when four thousand million are there already.
    pub fn insert(&mut self, thing: T) -> Option<SlotId> {
        if let Some(index1) = self.free.pop() {
            let (generation, place) = self.places.get_mut(index1 as usize - 1)?;
            *place = Some(thing);
            return Some(SlotId { index1, generation: *generation });
        }
        let index1 = u32::try_from(self.places.len() + 1).ok()?;
        self.places.push((1, Some(thing)));
        Some(SlotId { index1, generation: 1 })
    }

    pub fn get(&self, id: SlotId) -> Option<&T> {
        let (generation, place) = self.places.get((id.index1 as usize).checked_sub(1)?)?;
        if *generation == id.generation { place.as_ref() } else { None }
    }

    pub fn get_mut(&mut self, id: SlotId) -> Option<&mut T> {
        let (generation, place) = self.places.get_mut((id.index1 as usize).checked_sub(1)?)?;
        if *generation == id.generation { place.as_mut() } else { None }
    }

    /// Takes it out; its id never means anything again.
    pub fn remove(&mut self, id: SlotId) -> Option<T> {
        let (generation, place) = self.places.get_mut((id.index1 as usize).checked_sub(1)?)?;
        if *generation != id.generation {
            return None;
        }
        let thing = place.take()?;
        // A place whose generations are used up is not used again.
        if let Some(next) = generation.checked_add(1) {
            *generation = next;
            self.free.push(id.index1);
        }
        Some(thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_never_comes_to_mean_something_else() {
        let mut slots = Slots::default();
        let first = slots.insert('a').unwrap();
        assert_eq!(slots.remove(first), Some('a'));
        let second = slots.insert('b').unwrap();

        assert_eq!(second.index1, first.index1);
        assert_eq!(slots.get(first), None);
        assert_eq!(slots.remove(first), None);
        assert_eq!(slots.get(second), Some(&'b'));
        for id in [SlotId { index1: 0, generation: 0 }, SlotId { index1: 9, generation: 1 }] {
            assert_eq!(slots.get_mut(id), None);
        }
    }
}
