//! THESIS: a common clock (chapter 2), and fairness among receivers (chapter 3).

mod clocks;
mod fairness;
mod policies;
mod tank;

use super::{Effort, Reproduction};

/// Runs both chapters.
pub(super) fn reproduce(effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Reproduction {
    progress("thesis: local and global clocks");
    let pairs = clocks::pairs(effort);
    let series = policies::series(effort, progress);
    let mut tables = vec![clocks::table(&pairs)];
    tables.extend(fairness::tables(&series));
    Reproduction { claims: Vec::new(), tables }
}
