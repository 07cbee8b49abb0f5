//! What a server leaves out when its steps do not fit into their period, and when it resumes.
//!
//! ```text
//!   load = share of the time that steps take, averaged over about a second
//!
//!   > 0.85 for a second   one stage more      1  half of the sending rounds
//!   < 0.4 for five        one stage less      2  far bodies in every second of them only
//!                                             3  a quarter of the sending rounds
//!                                             4  nobody new joins
//! ```
//!
//! Those who play stay in any case, and see everything they saw, only less often. A stage saves at
//! most half, which is less than the gap between the two loads, so that it does not flicker. Steps that did not
//! fit are not made up for: the game is stepped less often, with the time that it then is.

use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::SimTime;
use reckoning_net::Shedding;

/// Above this a stage is added, below the other one is taken back.
const BUSY: f64 = 0.85;
const CALM: f64 = 0.4;
/// How long a stage is given to take effect, in either direction.
const RISE_AFTER: Duration = Duration::from_secs(1);
const FALL_AFTER: Duration = Duration::from_secs(5);
/// What the average forgets in.
const MEMORY_S: f64 = 1.0;
/// One step counts for no more periods than this: a machine that slept for a minute was not busy.
const MAX_PERIODS: f64 = 8.0;

/// Of how many sending rounds one is made, and of how many of those one has the far bodies.
const STAGES: [(u32, u32); 5] = [(1, 1), (2, 1), (2, 2), (4, 2), (4, 2)];

/// How far a server is overloaded.
#[derive(Debug, Default)]
pub(crate) struct Overload {
    load: f64,
    seen: SimTime,
    stage: usize,
    changed: SimTime,
}

impl Overload {
    /// Takes note of a step that ended at `now`; true when the stage changed.
    pub(crate) fn observe(&mut self, now: SimTime, took: Duration, period: Duration) -> bool {
        let since_s = now.saturating_since(std::mem::replace(&mut self.seen, now)).as_secs_f64();
        let busy = (took.as_secs_f64() / since_s).min(1.0);
        let counts_s = since_s.min(MAX_PERIODS * period.as_secs_f64());
        self.load += (counts_s / MEMORY_S).min(1.0) * (busy - self.load);
        let lasted = now.saturating_since(self.changed);
        let stage = if self.load > BUSY && lasted >= RISE_AFTER {
            (self.stage + 1).min(STAGES.len() - 1)
        } else if self.load < CALM && lasted >= FALL_AFTER {
            self.stage.saturating_sub(1)
        } else {
            self.stage
        };
        if stage == self.stage {
            return false;
        }
        (self.stage, self.changed) = (stage, now);
        true
    }

    /// 0 when all is well, 4 at most.
    pub(crate) const fn stage(&self) -> usize {
        self.stage
    }

    /// The average load: 1 is all the time there is.
    pub(crate) const fn load(&self) -> f64 {
        self.load
    }

    /// Whether someone new may join.
    pub(crate) const fn admits(&self) -> bool {
        self.stage + 1 < STAGES.len()
    }

    /// What the host leaves out.
    pub(crate) fn shedding(&self) -> Shedding {
        let (rounds, farther) = STAGES[self.stage];
        let count = |it| NonZeroU32::new(it).unwrap_or(NonZeroU32::MIN);
        let mut shedding = Shedding::default();
        (shedding.one_tick_in, shedding.farther_one_in) = (count(rounds), count(farther));
        shedding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(16);

    /// Steps that take this share of their period, for so long; the stages it went through.
    fn run(overload: &mut Overload, from: &mut SimTime, load: f64, seconds: u64) -> Vec<usize> {
        let took = PERIOD.mul_f64(load);
        let end = *from + Duration::from_secs(seconds);
        let mut stages = Vec::new();
        while *from < end {
            *from += PERIOD.max(took);
            if overload.observe(*from, took, PERIOD) {
                stages.push(overload.stage());
            }
        }
        stages
    }

    #[test]
    fn stages_come_one_by_one_and_go_one_by_one() {
        let (mut overload, mut now) = (Overload::default(), SimTime::from_millis(60_000));
        assert_eq!(run(&mut overload, &mut now, 0.8, 20), [0; 0]);
        assert_eq!(run(&mut overload, &mut now, 1.5, 2), [1, 2], "a second each at least");
        assert!(overload.admits(), "fewer rounds before fewer clients");
        assert_eq!(run(&mut overload, &mut now, 1.5, 20), [3, 4]);
        assert!(!overload.admits());
        assert_eq!(run(&mut overload, &mut now, 0.7, 60), [0; 0], "neither busy nor calm");
        assert_eq!(run(&mut overload, &mut now, 0.3, 60), [3, 2, 1, 0]);
        assert_eq!(overload.shedding(), Shedding::default());
    }

    #[test]
    fn a_machine_that_slept_was_not_busy() {
        let (mut overload, mut now) = (Overload::default(), SimTime::from_millis(60_000));
        run(&mut overload, &mut now, 0.5, 10);
        for _ in 0..5 {
            now += Duration::from_mins(1);
            assert!(!overload.observe(now, Duration::from_mins(1), PERIOD), "{}", overload.load());
            assert_eq!(run(&mut overload, &mut now, 0.5, 10), [0; 0]);
        }
    }

    #[test]
    fn each_stage_leaves_out_more_than_the_one_before() {
        let cost = |(rounds, farther): (u32, u32)| 1.0 / f64::from(rounds) / f64::from(farther);
        let admitting = &STAGES[..STAGES.len() - 1];
        let saves = |pair: &[(u32, u32)]| 1.0 - cost(pair[1]) / cost(pair[0]);
        assert!(admitting.windows(2).all(|pair| saves(pair) > 0.0));
        let calmed = |pair: &[(u32, u32)]| BUSY * (1.0 - saves(pair));
        assert!(STAGES.windows(2).all(|pair| calmed(pair) > CALM), "or it would flicker");
    }
}
