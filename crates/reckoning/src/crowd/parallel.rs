//! The pass split over threads.

use rayon::prelude::*;

use super::block::Shown;
use super::{Crowd, CrowdView, dispatch};
use crate::SimTime;

/// Blocks to a task: some 4,000 ghosts, about ten microseconds of work, well above what
/// handing over a task costs.
const TASK: usize = 256;

impl Crowd {
    /// Like [`show`](Self::show), bit for bit, on all threads of rayon's current pool.
    ///
    /// For crowds of a hundred thousand and more; ten thousand ghosts are shown sooner than
    /// threads are woken.
    pub fn show_parallel(&self, now: SimTime, view: &mut CrowdView) {
        let moment = self.moment(now);
        let shown = view.fit(self.len());
        self.blocks
            .par_chunks(TASK)
            .zip(shown.x.par_chunks_mut(TASK))
            .zip(shown.y.par_chunks_mut(TASK))
            .zip(shown.z.par_chunks_mut(TASK))
            .for_each(|(((blocks, x), y), z)| dispatch::show(blocks, &moment, Shown { x, y, z }));
    }
}
