//! Reference to a picture: which updates it was made of, and when each of them arrived.

use crate::SimTime;

/// One update that a shooter's ghost accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownUpdate {
    /// The key it was sent under.
    pub key: u64,
    /// When the ghost accepted it, on the host's timeline.
    pub arrived: SimTime,
}

/// How a shooter saw one entity at a moment: the update its ghost held, how far its blend was,
/// and what it was blended from.
///
/// The last update is the one shown, and the time since it arrived is the phase of its blend. The
/// ones before it say what the blend came from, back to the first that was shown without one; a
/// host that sent them needs no more to draw the same picture, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownAs {
    /// The moment on screen, on the host's timeline.
    pub shown_at: SimTime,
    updates: [ShownUpdate; Self::MAX_UPDATES],
    count: usize,
}

impl ShownAs {
    /// Updates that a reference names at most.
    pub const MAX_UPDATES: usize = 8;

    /// A reference to a picture at `shown_at` that is made of these, in the order of their
    /// keys. Of more than [`MAX_UPDATES`](Self::MAX_UPDATES) the last are taken.
    #[must_use]
    pub fn new(shown_at: SimTime, updates: &[ShownUpdate]) -> Self {
        let taken = &updates[updates.len().saturating_sub(Self::MAX_UPDATES)..];
        let mut reference = Self { shown_at, count: taken.len(), ..Self::default() };
        reference.updates[..taken.len()].copy_from_slice(taken);
        reference
    }

    /// The updates named, oldest first.
    #[must_use]
    pub fn updates(&self) -> &[ShownUpdate] {
        &self.updates[..self.count]
    }

    /// Whether it names something, in rising order of keys.
    pub(super) fn is_ordered(&self) -> bool {
        self.count > 0 && self.updates().windows(2).all(|pair| pair[0].key < pair[1].key)
    }

    /// When the update of a key arrived, by this reference.
    pub(super) fn arrival(&self, key: u64) -> Option<SimTime> {
        self.updates().iter().find(|update| update.key == key).map(|update| update.arrived)
    }
}
