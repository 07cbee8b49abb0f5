//! The pass compiled for several vector units; the machine's own is chosen at run time.

use multiversion::multiversion;

use super::block::{self, Block, Shown};
use super::body::Moment;

/// [`block::show`] with the widest vectors the machine has.
#[multiversion(targets = "simd")]
pub(super) fn show(blocks: &[Block], moment: &Moment, shown: Shown<'_>) {
    block::show(blocks, moment, shown);
}
