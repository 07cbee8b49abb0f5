//! The pass compiled for several vector units; the machine's own is chosen at run time.

use multiversion::multiversion;

use super::block::{self, GhostBlock, Shown};
use super::ghost::Moment;

/// [`block::show`] with the widest vectors the machine has.
#[multiversion(targets = "simd")]
pub(super) fn show(blocks: &[GhostBlock], moment: &Moment, shown: Shown<'_>) {
    block::show(blocks, moment, shown);
}
