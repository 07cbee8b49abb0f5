//! Memory that a reader may take: what a file claims is paid for before it is believed.
//!
//! Equal values take next to no bytes in a packed file, so its length alone bounds nothing. Every
//! list that grows with what a file says is grown through a [`MemoryBudget`], which refuses what
//! would take more than [`MEMORY_BYTES_PER_BYTE`] for each byte of the file, or
//! [`MEMORY_CAP_BYTES`] for a short one.

use std::mem::size_of;

use super::{Fault, RecordingError};

/// What a reader may take however short its input is.
pub const MEMORY_CAP_BYTES: u64 = 256 << 20;
/// What a reader may take for each byte of a longer input.
pub const MEMORY_BYTES_PER_BYTE: u64 = 100;

/// Eighths of the promise that are given out; the rest is for what is not counted, which is
/// mostly the room that sorting takes.
const COUNTED_EIGHTHS: u64 = 5;

/// Lists longer than this grow by an eighth: the room that they leave free counts.
const LITTLE_BYTES: u64 = 1 << 20;

/// What one reader holds, and how much it may.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    limit: u64,
    held: u64,
}

impl MemoryBudget {
    /// For an input of so many bytes, which are held already.
    pub(crate) fn for_input(bytes: usize) -> Self {
        let bytes = bytes as u64;
        let promised = MEMORY_CAP_BYTES.max(bytes.saturating_mul(MEMORY_BYTES_PER_BYTE));
        Self { limit: promised / 8 * COUNTED_EIGHTHS, held: bytes }
    }

    /// For a text of so many bytes that is parsed and not sorted: all of the promise.
    pub(crate) fn for_text(bytes: usize) -> Self {
        let promised = MEMORY_CAP_BYTES.max((bytes as u64).saturating_mul(MEMORY_BYTES_PER_BYTE));
        Self { limit: promised, held: bytes as u64 }
    }

    /// For a reader that keeps a part of its input: so many bytes, however long the input is.
    pub(crate) const fn capped(bytes: u64) -> Self {
        Self { limit: bytes, held: 0 }
    }

    /// What is held at present.
    pub(crate) const fn held(&self) -> u64 {
        self.held
    }

    /// Refuses what would not fit, even for a moment.
    pub(crate) fn check(&self, bytes: u64) -> Result<(), RecordingError> {
        let got = self.held.saturating_add(bytes);
        if got <= self.limit {
            return Ok(());
        }
        let fault = Fault::TooLarge { field: "content", got, limit: self.limit };
        Err(RecordingError::at(0, fault))
    }

    /// Takes so many bytes.
    pub(crate) fn hold(&mut self, bytes: u64) -> Result<(), RecordingError> {
        self.check(bytes)?;
        self.held += bytes;
        Ok(())
    }

    /// Takes room for `count` values.
    pub(crate) fn hold_each<T>(&mut self, count: usize) -> Result<(), RecordingError> {
        self.hold((count as u64).saturating_mul(size_of::<T>() as u64))
    }

    /// Gives bytes back.
    pub(crate) const fn release(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Makes room for `more` values: twice the room as long as that is little and fits, else an
    /// eighth more.
    /// The old room stays until the values have moved.
    pub(crate) fn reserve<T>(
        &mut self,
        list: &mut Vec<T>,
        more: usize,
    ) -> Result<(), RecordingError> {
        let wanted = list.len().saturating_add(more);
        let old = list.capacity();
        if wanted <= old {
            return Ok(());
        }
        let bytes = |count: usize| (count as u64).saturating_mul(size_of::<T>() as u64);
        let generous = wanted.max(old.saturating_mul(2)).max(4);
        let modest = wanted.max(old.saturating_add(old / 8));
        let is_little = bytes(old) < LITTLE_BYTES;
        let room = if is_little && self.check(bytes(generous)).is_ok() { generous } else { modest };
        self.check(bytes(room))?;
        list.reserve_exact(room - list.len());
        self.held += bytes(room) - bytes(old);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_out_stays_within_the_promise() {
        let mut budget = MemoryBudget::for_input(1_000);
        let mut list = Vec::<u64>::new();
        let refused = loop {
            if let Err(error) = budget.reserve(&mut list, 1_000_000) {
                break error;
            }
            list.resize(list.len() + 1_000_000, 0);
        };
        assert!(list.capacity() as u64 * 8 <= MEMORY_CAP_BYTES / 8 * COUNTED_EIGHTHS);
        assert!(list.len() > 8_000_000, "{} fitted", list.len());
        assert!(refused.to_string().contains("content claims a size of"), "{refused}");
        budget.release(u64::MAX);
        budget.hold(MEMORY_CAP_BYTES / 8 * COUNTED_EIGHTHS).unwrap();
        budget.hold(1).unwrap_err();
    }
}
