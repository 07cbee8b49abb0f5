//! Bodies of one entity's updates, computed and encoded once for all peers that get the same.

use alloc::vec::Vec;

use crate::host::entities::BaselineRef;
use crate::wire::{EncodedBody, UpdateBody};

/// Bodies of the newest number that are kept.
const MAX_BODIES: usize = 8;
/// Bodies that are kept as bits: peers differ by their baselines, which age with their round
/// trip.
const MAX_ENCODED: usize = 16;

/// Key of a body: which update, against which baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PayloadKey {
    /// The update that is written.
    pub(crate) update: BaselineRef,
    pub(crate) baseline: Option<BaselineRef>,
}

impl PayloadKey {
    /// All of it in one number. Never zero.
    fn packed(self) -> u64 {
        // The lowest bits are enough: encoded bits are of this tick or a few before.
        let pair =
            |update: BaselineRef| u64::from(update.number.low()) << 8 | u64::from(update.class);
        let baseline = self.baseline.map_or(0, |it| 1 << 24 | pair(it));
        1 << 63 | baseline << 24 | pair(self.update)
    }

    fn place(self) -> usize {
        let baseline = self.baseline.map_or(0, |it| usize::from(it.number.low()));
        (baseline + 3 * usize::from(self.update.class)) % MAX_ENCODED
    }
}

/// Encoded bits, and what of.
#[derive(Clone, Copy, Debug, Default)]
struct EncodedEntry {
    packed_key: u64,
    near_tick: i64,
    encoded: EncodedBody,
}

/// Bodies of the newest number, by what peers have.
#[derive(Debug, Default)]
pub(crate) struct PayloadCache {
    kept: Vec<(PayloadKey, UpdateBody)>,
    next: usize,
    /// Each in the place that its key falls into; empty until the first is encoded.
    encoded: Vec<EncodedEntry>,
}

impl PayloadCache {
    /// Another number is the newest. Encoded bits stay: their key names number and moment.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.next = 0;
    }

    pub(crate) fn body(&self, key: PayloadKey) -> Option<&UpdateBody> {
        self.kept.iter().find(|(kept, _)| *kept == key).map(|(_, body)| body)
    }

    pub(crate) fn keep(&mut self, key: PayloadKey, body: UpdateBody) {
        if self.kept.len() < MAX_BODIES {
            self.kept.push((key, body));
        } else {
            self.kept[self.next] = (key, body);
            self.next = (self.next + 1) % MAX_BODIES;
        }
    }

    pub(crate) fn encoded(&self, key: PayloadKey, near_tick: i64) -> Option<&EncodedBody> {
        let entry = self.encoded.get(key.place())?;
        (entry.near_tick == near_tick && entry.packed_key == key.packed()).then_some(&entry.encoded)
    }

    pub(crate) fn keep_encoded(&mut self, key: PayloadKey, near_tick: i64, encoded: EncodedBody) {
        if self.encoded.is_empty() {
            self.encoded.resize(MAX_ENCODED, EncodedEntry::default());
        }
        self.encoded[key.place()] = EncodedEntry { packed_key: key.packed(), near_tick, encoded };
    }
}
