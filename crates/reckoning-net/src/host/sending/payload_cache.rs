//! Bodies of one entity's updates, computed and written once for all who get the same.

use alloc::vec::Vec;

use crate::host::entities::BaselineRef;
use crate::wire::{Body, EncodedBody};

/// Bodies of the newest number that are remembered.
const BODIES: usize = 8;
/// Bodies that are remembered as bits: receivers differ by their baselines, which age with
/// their way there and back.
const ENCODED_BODIES: usize = 16;

/// Which body: of what, for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PayloadKey {
    pub(crate) held: BaselineRef,
    pub(crate) baseline: Option<BaselineRef>,
    pub(crate) teleport: bool,
}

impl PayloadKey {
    /// All of it in one number. Never zero.
    fn named(self) -> u64 {
        let pair = |held: BaselineRef| u64::from(held.number) << 8 | u64::from(held.class);
        let baseline = self.baseline.map_or(0, |it| 1 << 24 | pair(it));
        1 << 63 | u64::from(self.teleport) << 56 | baseline << 24 | pair(self.held)
    }

    fn place(self) -> usize {
        let baseline = self.baseline.map_or(0, |it| usize::from(it.number));
        (baseline + 3 * usize::from(self.held.class)) % ENCODED_BODIES
    }
}

/// Bits that were written, and for what.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    name: u64,
    near_tick: i64,
    encoded: EncodedBody,
}

/// Bodies of the newest number, by what receivers have.
#[derive(Debug, Default)]
pub(crate) struct PayloadCache {
    kept: Vec<(PayloadKey, Body)>,
    next: usize,
    /// Each in the place that its key falls into; empty until the first is written.
    encoded: Vec<Written>,
}

impl PayloadCache {
    /// Another number is the newest. What is written is of one number at one moment anyway.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.next = 0;
    }

    pub(crate) fn body(&self, key: PayloadKey) -> Option<&Body> {
        self.kept.iter().find(|(kept, _)| *kept == key).map(|(_, body)| body)
    }

    pub(crate) fn keep(&mut self, key: PayloadKey, body: Body) {
        if self.kept.len() < BODIES {
            self.kept.push((key, body));
        } else {
            self.kept[self.next] = (key, body);
            self.next = (self.next + 1) % BODIES;
        }
    }

    pub(crate) fn encoded(&self, key: PayloadKey, near_tick: i64) -> Option<&EncodedBody> {
        let written = self.encoded.get(key.place())?;
        (written.near_tick == near_tick && written.name == key.named()).then_some(&written.encoded)
    }

    pub(crate) fn keep_encoded(&mut self, key: PayloadKey, near_tick: i64, encoded: EncodedBody) {
        if self.encoded.is_empty() {
            self.encoded.resize(ENCODED_BODIES, Written::default());
        }
        self.encoded[key.place()] = Written { name: key.named(), near_tick, encoded };
    }
}
