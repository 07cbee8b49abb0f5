//! STEELE: not run again here yet.

use super::{Effort, Reproduction};

/// Nothing: the experiments of STEELE need recorded games, and none is set up here yet.
pub(super) fn reproduce(_effort: Effort, _progress: &(dyn Fn(&str) + Sync)) -> Reproduction {
    Reproduction::default()
}
