//! The headline: whether, and how many times, Reckoning is closer to the truth than a naive game.
//!
//! Means of five seconds are compared, and what is left of another link is left out: for three seconds
//! after joining, or after a change, nothing is measured. A ratio near one is no difference, whichever
//! side it is on, and where naive is closer the headline says that.

use reckoning::SimTime;
use reckoning_arena::protocol::LinkChoice;

use crate::meter::{DisplayMethod, ErrorMeter, ErrorSummary};

/// After a change nothing is measured for so long.
const LEFT_OUT_S: f64 = 3.0;
/// A mean of less than this is none yet.
const LEAST_S: f64 = 1.0;
/// Ratios nearer to one than this are no difference.
const NO_DIFFERENCE: f64 = 1.2;
/// Errors below this are none, so that nothing is divided by them.
const LEAST_ERROR: f64 = 1e-3;

/// What is measured: another one begins the measuring anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// In the game, or in a recording.
    pub is_joined: bool,
    /// The simulated link.
    pub link: LinkChoice,
    /// Who is measured; `None` for all.
    pub target: Option<u32>,
}

/// What is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Verdict {
    /// Nothing yet.
    #[default]
    Measuring,
    /// Reckoning is so many times closer.
    Closer(f64),
    /// They are about equally far off.
    NoDifference,
    /// Naive is so many times closer.
    NaiveCloser(f64),
}

impl Verdict {
    /// Of two mean errors.
    #[must_use]
    pub fn of(reckoning: f64, naive: f64) -> Self {
        let times = naive.max(LEAST_ERROR) / reckoning.max(LEAST_ERROR);
        if times >= NO_DIFFERENCE {
            Self::Closer(times)
        } else if times <= 1.0 / NO_DIFFERENCE {
            Self::NaiveCloser(1.0 / times)
        } else {
            Self::NoDifference
        }
    }

    /// In large letters, and what follows them.
    #[must_use]
    pub fn texts(&self) -> (String, &'static str) {
        match self {
            Self::Measuring => ("–".to_string(), "measuring"),
            Self::Closer(times) => {
                (format!("{times:.1}×"), "closer to the truth than a naive game")
            }
            Self::NoDifference => ("≈".to_string(), "no difference on this link"),
            Self::NaiveCloser(times) => (format!("{times:.1}×"), "naive is closer here"),
        }
    }
}

/// Five-second means of what was seen since the last change.
#[derive(Clone, Debug, Default)]
pub struct SettledErrors {
    seen: Option<(Circumstances, SimTime)>,
    errors: ErrorMeter,
    /// Since when there are errors.
    since: Option<SimTime>,
}

impl SettledErrors {
    /// Things are like this at `now`. Returns whether they were not before.
    pub fn follow(&mut self, now: SimTime, circumstances: Circumstances) -> bool {
        let is_same = |(before, since): (Circumstances, SimTime)| {
            before == circumstances && since <= now // a clock that goes back is another one
        };
        if self.seen.is_some_and(is_same) {
            return false;
        }
        *self = Self { seen: Some((circumstances, now)), ..Self::default() };
        true
    }

    /// How things are, as far as was said.
    #[must_use]
    pub fn circumstances(&self) -> Option<Circumstances> {
        self.seen.map(|it| it.0)
    }

    /// At `now` a body was shown so far from where it was.
    pub fn note(&mut self, now: SimTime, method: DisplayMethod, error: f64) {
        let is_measured = |(circumstances, since): (Circumstances, SimTime)| {
            circumstances.is_joined && now.secs_since(since) >= LEFT_OUT_S
        };
        if self.seen.is_some_and(is_measured) {
            self.since.get_or_insert(now);
            self.errors.note(now, method, error);
        }
    }

    /// The mean of the last five seconds; `None` while it is measured.
    #[must_use]
    pub fn summary(&self, now: SimTime, method: DisplayMethod) -> Option<ErrorSummary> {
        self.since.filter(|since| now.secs_since(*since) >= LEAST_S)?;
        Some(self.errors.summary(method)).filter(|it| it.count > 0)
    }

    /// What the headline says.
    #[must_use]
    pub fn verdict(&self, now: SimTime) -> Verdict {
        let mean = |method| self.summary(now, method).map(|it| it.mean_px);
        match (mean(DisplayMethod::Reckoning), mean(DisplayMethod::Naive)) {
            (Some(reckoning), Some(naive)) => Verdict::of(reckoning, naive),
            _ => Verdict::Measuring,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    const LAN: Circumstances =
        Circumstances { is_joined: true, link: LinkChoice::NONE, target: None };

    /// Ten looks a second at these errors from one moment to another.
    fn look(errors: &mut SettledErrors, millis: std::ops::Range<i64>, [ours, naive]: [f64; 2]) {
        for at in millis.step_by(100) {
            errors.note(ms(at), DisplayMethod::Reckoning, ours);
            errors.note(ms(at), DisplayMethod::Naive, naive);
        }
    }

    #[test]
    fn it_says_closer_no_difference_or_that_naive_is_closer() {
        for (ours, naive, says, what) in [
            (10.0, 24.0, "2.4×", "closer to the truth than a naive game"),
            (10.0, 12.1, "1.2×", "closer to the truth than a naive game"),
            (10.0, 11.9, "≈", "no difference on this link"),
            (10.0, 8.5, "≈", "no difference on this link"),
            (10.0, 8.0, "1.2×", "naive is closer here"),
            (10.0, 2.0, "5.0×", "naive is closer here"),
            (0.0, 0.0, "≈", "no difference on this link"),
        ] {
            assert_eq!(
                Verdict::of(ours, naive).texts(),
                (says.to_string(), what),
                "{ours} {naive}"
            );
        }
    }

    #[test]
    fn the_first_three_seconds_after_a_change_are_left_out() {
        let mut errors = SettledErrors::default();
        assert!(errors.follow(ms(0), LAN));
        look(&mut errors, 0..3_000, [90.0, 1.0]);
        assert_eq!(errors.verdict(ms(3_000)), Verdict::Measuring);
        look(&mut errors, 3_000..4_100, [10.0, 20.0]);
        assert_eq!(errors.verdict(ms(3_900)), Verdict::Measuring, "that is no mean yet");
        assert_eq!(errors.verdict(ms(4_100)), Verdict::Closer(2.0));

        assert!(!errors.follow(ms(4_200), LAN));
        let slow = LinkChoice { delay_ms: 350, ..LinkChoice::NONE };
        for changed in
            [Circumstances { link: slow, ..LAN }, Circumstances { target: Some(3), ..LAN }]
        {
            let mut errors = errors.clone();
            assert!(errors.follow(ms(4_200), changed));
            look(&mut errors, 4_200..7_200, [1.0, 90.0]);
            assert_eq!(errors.verdict(ms(7_199)), Verdict::Measuring);
            look(&mut errors, 7_200..9_000, [30.0, 60.0]);
            assert_eq!(errors.verdict(ms(9_000)), Verdict::Closer(2.0), "nothing of before counts");
        }
    }

    #[test]
    fn means_are_of_five_seconds() {
        let mut errors = SettledErrors::default();
        errors.follow(ms(0), LAN);
        look(&mut errors, 3_000..8_000, [10.0, 100.0]);
        look(&mut errors, 8_000..13_100, [10.0, 30.0]);
        assert_eq!(errors.verdict(ms(13_100)), Verdict::Closer(3.0));
    }

    #[test]
    fn nothing_is_measured_before_the_game_is_joined_nor_across_clocks() {
        let mut errors = SettledErrors::default();
        errors.follow(ms(0), Circumstances { is_joined: false, ..LAN });
        look(&mut errors, 0..9_000, [1.0, 2.0]);
        assert_eq!(errors.verdict(ms(9_000)), Verdict::Measuring);
        errors.follow(ms(9_000), LAN);
        assert!(errors.follow(ms(10), LAN), "another connection, another clock");
    }
}
