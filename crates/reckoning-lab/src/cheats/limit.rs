//! The statistical limit: what a sequential likelihood ratio test finds of a faster game.
//!
//! Whoever goes 1.2 or 1.5 times as fast as honest players do at that moment is often still within
//! what bodies can do. Only time tells then. Each speed cheat is run for ten seconds past a
//! [`MotionTest`] that was learnt like the envelope, from others; and past one that was learnt from
//! everybody, the judged player included, which is as much as the densities of this test can know.

use reckoning::guard::MotionTest;

use super::inject::Cheat;
use super::play::CheatMoment;
use super::trial::{TrialSetting, caught_after, published};

/// Cheats go on for this long here.
pub(super) const LONG_S: f64 = 10.0;
/// Within these times.
pub(super) const WITHIN_S: [f64; 3] = [1.0, 3.0, LONG_S];

/// Cheats that a test found in time, of so many.
#[derive(Clone, Copy, Default)]
pub(super) struct FoundCheats {
    pub(super) tried: u64,
    pub(super) within: [u64; 3],
}

impl FoundCheats {
    fn add(&mut self, after_s: Option<f64>) {
        self.tried += 1;
        for (count, most_s) in self.within.iter_mut().zip(WITHIN_S) {
            *count += u64::from(after_s.is_some_and(|after_s| after_s <= most_s));
        }
    }
}

/// The guard with its test, the test alone, and the one that knows everybody.
#[derive(Clone, Copy, Default)]
pub(super) struct LimitTally {
    pub(super) guard: FoundCheats,
    pub(super) learnt: FoundCheats,
    pub(super) knowing: FoundCheats,
}

/// The tests of one player.
pub(super) struct LimitTests<'a> {
    pub(super) learnt: Option<&'a MotionTest>,
    pub(super) knowing: Option<&'a MotionTest>,
}

impl LimitTally {
    /// Runs a speed cheat at this moment, if enough of the piece follows.
    pub(super) fn add(
        &mut self,
        cheat: Cheat,
        moment: &CheatMoment<'_>,
        tests: &LimitTests<'_>,
        setting: &TrialSetting<'_>,
    ) {
        if moment.piece.length_s() < moment.at_s + LONG_S * cheat.times() {
            return;
        }
        let course = cheat.course(moment.piece, moment.at_s, LONG_S, setting);
        let (Some(course), Some(learnt), Some(knowing)) = (course, tests.learnt, tests.knowing)
        else {
            return;
        };
        let track = published(course.shown.iter().copied(), setting.body_width);
        let first = track.partition_point(|seen| seen.at < course.begins);
        // The test begins anew with the cheat: what it said before was about honest play.
        let after_s = |test: &MotionTest| {
            let track = &track[first.saturating_sub(1)..];
            test.alarm(track).map(|at| at.secs_since(course.begins))
        };
        self.guard.add(caught_after(&course, setting));
        self.learnt.add(after_s(learnt));
        self.knowing.add(after_s(knowing));
    }
}
