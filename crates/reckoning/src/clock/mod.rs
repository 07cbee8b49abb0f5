//! Clock synchronisation: the time of a remote clock, estimated from timestamped exchanges.
//!
//! Take a [`ClockSync`] when updates carry the time of the peer's clock, as they do with
//! [`Timing::Synchronised`](crate::Timing::Synchronised). Take a [`RelayDelay`] when no common
//! clock is wanted and delays are added up hop by hop instead.
//!
//! A `ClockSync` is fed timestamped [`Exchange`]s, a question and its answer, and keeps an
//! estimate of the remote clock. Whatever the delays on the way were, the remote clock
//! leads the local one by at least `answered - returned` and at most `received - sent`:
//!
//! ```text
//! remote        received o----o answered
//!                       /      \
//! local        sent o--'        `--o returned
//! ```
//!
//! Every exchange is such a fact. Where most of the recent ones agree lies the truth
//! (Marzullo's intersection, as in NTP), so a minority that lies, whatever it claims, cannot
//! move the estimate out of what the honest ones allow; the shortest ways there and back,
//! each found by itself, make that place small. Within it the estimate is the middle where delays
//! pile up at the shortest, and leans to the mean of all exchanges where delays are spread about
//! theirs. How fast the remote clock runs is the median
//! slope between the best exchanges of several minutes (Theil and Sen).
//!
//! The rest relies on these properties of [`ClockSync::remote_at`]:
//! - it is pure, and later moments never get earlier answers: moments two microseconds or
//!   more apart get strictly rising ones;
//! - an exchange bends it but does not make it jump, except forwards when the remote clock
//!   proves to be far ahead, as after a suspended tab or laptop;
//! - no exchange takes it back below what was answered before, as long as moments are asked
//!   and exchanges handed over in the order of the local clock.

mod estimate;
mod rate;
mod relay_delay;

use core::time::Duration;

use crate::SimTime;
use crate::error::SettingError;
use crate::time::span_of;
use estimate::{Fact, Facts};
use rate::RateLog;

pub use relay_delay::{OneWay, RelayDelay};

/// Exchanges made in quick succession at the start.
const GREETINGS: u32 = 8;
/// So many exchanges that agree with each other and not with the estimate, and none in
/// between that does, prove that a clock was set or stood still.
const PROOF: usize = 7;
/// An error is never shed faster than over this span, however small.
const SHORTEST_SLEW_S: f64 = 0.5;
/// How much slower time runs when the estimate turns out to be very far ahead.
const HARD_BRAKE: f64 = 0.4;

/// One question and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// When the question left, by the local clock.
    pub sent: SimTime,
    /// When it came in, by the remote clock.
    pub received: SimTime,
    /// When the answer left, by the remote clock.
    pub answered: SimTime,
    /// When the answer came in, by the local clock.
    pub returned: SimTime,
}

impl Exchange {
    /// The time spent on the way, there and back; `None` when the moments contradict each
    /// other.
    #[must_use]
    pub fn round_trip(&self) -> Option<Duration> {
        let out_us = i128::from(self.returned.as_micros()) - i128::from(self.sent.as_micros());
        let held_us = i128::from(self.answered.as_micros()) - i128::from(self.received.as_micros());
        let way_us = out_us - held_us;
        let sound = out_us >= 0 && held_us >= 0 && way_us >= 0;
        sound.then(|| Duration::from_micros(u64::try_from(way_us).unwrap_or(u64::MAX)))
    }
}

/// What became of an [`Exchange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exchanged {
    /// It agrees with the others, or is the first.
    Used,
    /// It contradicts the others and waits for more that agree with it.
    Doubted,
    /// It was the last proof that a clock was set or stood still; the estimate starts anew.
    Restarted,
    /// Its moments contradict each other or it took too long; nothing changed.
    Refused,
}

/// Settings for a [`ClockSync`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClockConfig {
    /// How long an exchange counts for the offset. Default: 30 s. Above zero.
    pub window: Duration,
    /// How long the best exchanges count for the rate. Default: 5 min. Above zero.
    pub rate_window: Duration,
    /// The most the two clocks may differ in speed, as a share. Default: 0.0005, which is 500 ppm.
    /// From 0 to 0.01.
    pub max_drift: f64,
    /// How much faster or slower than the remote clock the answers may run while an error is shed,
    /// as a share. Default: 0.05, which is not noticed in play. From 0.001 to 0.3.
    pub max_slew: f64,
    /// Errors above this are not shed but stepped over, forwards; backwards the answers run at
    /// little more than half speed. Default: 250 ms. Above zero.
    pub step_above: Duration,
    /// Exchanges with a longer round trip than this are refused. Default: 5 s. Above zero.
    pub max_round_trip: Duration,
    /// Time between exchanges when all is well. Default: 1 s. Above zero.
    pub interval: Duration,
    /// Time between exchanges at the start; half of it when one contradicts the others. Default:
    /// 100 ms. Above zero.
    pub quick_interval: Duration,
}

impl Default for ClockConfig {
    /// A game over the Internet: one exchange a second, twenty a second while in doubt.
    fn default() -> Self {
        Self {
            window: Duration::from_secs(30),
            rate_window: Duration::from_mins(5),
            max_drift: 0.000_5,
            max_slew: 0.05,
            step_above: Duration::from_millis(250),
            max_round_trip: Duration::from_secs(5),
            interval: Duration::from_secs(1),
            quick_interval: Duration::from_millis(100),
        }
    }
}

impl ClockConfig {
    fn validate(&self) -> Result<(), SettingError> {
        SettingError::in_range("max_drift", self.max_drift, 0.0, 0.01)?;
        SettingError::in_range("max_slew", self.max_slew, 0.001, 0.3)?;
        let spans = [
            ("window", self.window),
            ("rate_window", self.rate_window),
            ("step_above", self.step_above),
            ("max_round_trip", self.max_round_trip),
            ("interval", self.interval),
            ("quick_interval", self.quick_interval),
        ];
        match spans.into_iter().find(|(_, span)| span.is_zero()) {
            Some((name, _)) => Err(SettingError::SpanZero { name }),
            None => Ok(()),
        }
    }
}

/// Counters of a [`ClockSync`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClockStats {
    /// Exchanges that agreed with the others.
    pub used: u64,
    /// Exchanges that contradicted the others.
    pub doubted: u64,
    /// Exchanges whose moments made no sense, or that took too long.
    pub refused: u64,
    /// Times a clock proved to have been set or to have stood still.
    pub restarts: u64,
    /// Times the answers jumped forwards.
    pub steps: u64,
}

/// Estimate of the remote timeline: offset, rate, confidence.
///
/// ```
/// use reckoning::{ClockSync, SimTime};
/// use reckoning::clock::{ClockConfig, Exchange};
/// let ms = SimTime::from_millis;
///
/// let mut clock = ClockSync::new(ClockConfig::default())?;
/// assert_eq!(clock.remote_at(ms(0)), None); // before the first exchange
/// clock.handle_exchange(&Exchange {
///     sent: ms(100), received: ms(7_130), answered: ms(7_131), returned: ms(161),
/// });
/// assert_eq!(clock.remote_at(ms(161)), Some(ms(7_161)));
/// assert_eq!(clock.confidence(ms(161)).unwrap().as_millis(), 30);
/// # Ok::<(), reckoning::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClockSync {
    config: ClockConfig,
    facts: Facts,
    doubts: Facts,
    log: RateLog,
    course: Option<Course>,
    stats: ClockStats,
}

impl ClockSync {
    /// A clock before its first exchange.
    ///
    /// # Errors
    /// Refuses spans of zero, a drift above a hundredth and a slew outside 0.001 to 0.3.
    pub fn new(config: ClockConfig) -> Result<Self, SettingError> {
        config.validate()?;
        Ok(Self {
            config,
            facts: Facts::default(),
            doubts: Facts::default(),
            log: RateLog::new(config.rate_window),
            course: None,
            stats: ClockStats::default(),
        })
    }

    /// Takes an answer that came in at `exchange.returned`.
    pub fn handle_exchange(&mut self, exchange: &Exchange) -> Exchanged {
        let way = exchange.round_trip().filter(|way| *way <= self.config.max_round_trip);
        let Some(fact) = way.and_then(|_| Fact::of(exchange)) else {
            self.stats.refused += 1;
            return Exchanged::Refused;
        };
        let jumped_back = self.course.is_some_and(|course| {
            course.from.secs_since(fact.at) > self.config.step_above.as_secs_f64()
        });
        if jumped_back {
            return self.restart_with(&[fact]);
        }
        let drift = self.drift();
        self.facts.forget_before(fact.at - self.config.window);
        if !self.facts.is_empty() && !self.facts.agree_with(&fact, self.log.rate(), drift) {
            return self.doubt(fact);
        }
        self.doubts.clear();
        self.facts.push(fact);
        self.log.push(&fact);
        self.stats.used += 1;
        self.steer(fact.at);
        Exchanged::Used
    }

    /// Forgets all exchanges, but not the time: answers go on from where they are. For
    /// callers that know that their clock stood still.
    pub fn restart(&mut self) {
        self.facts.clear();
        self.doubts.clear();
        self.log.clear();
    }

    /// The remote clock's time when the local one shows `local`; `None` before the first
    /// exchange. Pure, and never earlier for a later moment.
    #[must_use]
    pub fn remote_at(&self, local: SimTime) -> Option<SimTime> {
        self.course.map(|course| course.at(local))
    }

    /// By how much the remote clock leads the local one, in seconds, by the
    /// exchanges; the answers of [`ClockSync::remote_at`] move towards it.
    #[must_use]
    pub fn offset_s(&self, local: SimTime) -> Option<f64> {
        Some(self.estimate(local)?.0)
    }

    /// Seconds of the remote clock per second of the local one; exactly 1 until it is known
    /// from a minute or so of exchanges.
    #[must_use]
    pub fn rate(&self) -> f64 {
        1.0 + self.log.rate()
    }

    /// How wrong the offset can be at `local`, as long as most exchanges are honest: half
    /// the shortest way there and back, how far the estimate is off its middle, and what the clocks
    /// may have drifted since.
    #[must_use]
    pub fn confidence(&self, local: SimTime) -> Option<Duration> {
        Some(span_of(self.estimate(local)?.1))
    }

    /// The usual time on the way, one way: the median of half the round trips.
    #[must_use]
    pub fn delay(&self) -> Option<Duration> {
        self.facts.median_way_s().map(|way_s| span_of(way_s * 0.5))
    }

    /// When the newest exchange came back, and the time that it spent on the way, one way: half of
    /// its round trip. It follows a change of the link at once, and every jitter as well.
    #[must_use]
    pub fn newest_delay(&self) -> Option<(SimTime, Duration)> {
        let newest = self.facts.newest()?;
        Some((newest.at, span_of(newest.way_s() * 0.5)))
    }

    /// When to send the next question, if the last one was sent then.
    #[must_use]
    pub fn next_exchange(&self, last_sent: Option<SimTime>) -> SimTime {
        let Some(last_sent) = last_sent else { return SimTime::MIN };
        last_sent
            + match (self.doubts.is_empty(), self.facts.count() >= GREETINGS) {
                (false, _) => self.config.quick_interval / 2,
                (true, false) => self.config.quick_interval,
                (true, true) => self.config.interval,
            }
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &ClockConfig {
        &self.config
    }

    /// Counters for a status page.
    #[must_use]
    pub const fn stats(&self) -> &ClockStats {
        &self.stats
    }

    /// What the rate may still be off.
    fn drift(&self) -> f64 {
        self.log.uncertainty(self.config.max_drift)
    }

    /// The offset, and how wrong it can be.
    fn estimate(&self, local: SimTime) -> Option<(f64, f64)> {
        let rate = self.log.rate().clamp(-self.config.max_drift, self.config.max_drift);
        let range = self.facts.offset_range(local, rate, self.drift())?;
        let offset_s = self.facts.offset_s(local, rate, &range);
        Some((offset_s, range.most_off_s(offset_s)))
    }

    fn doubt(&mut self, fact: Fact) -> Exchanged {
        self.doubts.push(fact);
        self.stats.doubted += 1;
        let proven = self.doubts.agreeing(fact.at, self.config.max_drift);
        if proven.len() < PROOF { Exchanged::Doubted } else { self.restart_with(&proven) }
    }

    fn restart_with(&mut self, proven: &[Fact]) -> Exchanged {
        self.restart();
        for fact in proven {
            self.facts.push(*fact);
            self.log.push(fact);
        }
        self.stats.restarts += 1;
        if let Some(last) = proven.last() {
            self.steer(last.at);
        }
        Exchanged::Restarted
    }

    /// Leads the answers from where they are towards the estimate.
    fn steer(&mut self, at: SimTime) {
        let rate = self.log.rate().clamp(-self.config.max_drift, self.config.max_drift);
        let Some((offset_s, _)) = self.estimate(at) else { return };
        let lead_us = libm::round(offset_s * 1e6) as i64;
        let wanted = SimTime::from_micros(at.as_micros().saturating_add(lead_us));
        let Some(old) = self.course else {
            self.course =
                Some(Course { from: at, remote: wanted, rate, error_s: 0.0, slew_s: 1.0 });
            return;
        };
        // Where the local clock went back, the answers go on from the latest one given.
        let shown = old.at(at.max(old.from));
        let error_s = wanted.secs_since(shown);
        let step_s = self.config.step_above.as_secs_f64();
        let from = if at < old.from && old.from.secs_since(at) <= step_s { old.from } else { at };
        self.course = Some(if error_s > step_s {
            self.stats.steps += 1;
            Course { from, remote: wanted, rate, error_s: 0.0, slew_s: 1.0 }
        } else {
            let slew = if error_s < -step_s { HARD_BRAKE } else { self.config.max_slew };
            let slew_s = (error_s.abs() / slew).max(SHORTEST_SLEW_S);
            Course { from, remote: shown, rate, error_s, slew_s }
        });
    }
}

/// The answers from one moment on: a straight line, bent at first to shed an error.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Course {
    from: SimTime,
    remote: SimTime,
    /// Of the remote clock, above 1.
    rate: f64,
    error_s: f64,
    slew_s: f64,
}

impl Course {
    fn at(&self, local: SimTime) -> SimTime {
        let passed_us = local.as_micros().saturating_sub(self.from.as_micros());
        let shed = (passed_us as f64 * 1e-6 / self.slew_s).clamp(0.0, 1.0);
        // The whole microseconds are added as such: no rounding grows with time.
        let extra_us = passed_us as f64 * self.rate + self.error_s * 1e6 * shed;
        let lead_us = libm::floor(extra_us) as i64;
        // Wide enough that nothing but the sum is cut off at the end of time.
        let sum_us =
            i128::from(self.remote.as_micros()) + i128::from(passed_us) + i128::from(lead_us);
        let remote_us = sum_us.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        SimTime::from_micros(remote_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(sent_ms: i64, offset_ms: i64, there_ms: i64, back_ms: i64) -> Exchange {
        let ms = SimTime::from_millis;
        let received = sent_ms + there_ms + offset_ms;
        let returned = ms(sent_ms + there_ms + back_ms);
        Exchange { sent: ms(sent_ms), received: ms(received), answered: ms(received), returned }
    }

    #[test]
    fn the_shortest_ways_there_and_back_count_each_by_itself() {
        let mut clock = ClockSync::new(ClockConfig::default()).unwrap();
        clock.handle_exchange(&exchange(0, 1_000, 20, 80));
        clock.handle_exchange(&exchange(200, 1_000, 80, 20));
        let offset_s = clock.offset_s(SimTime::from_millis(300)).unwrap();
        assert!((offset_s - 1.0).abs() < 0.001, "{offset_s}");
        let confidence = clock.confidence(SimTime::from_millis(300)).unwrap();
        assert!((20..=21).contains(&confidence.as_millis()), "{confidence:?}");
        assert_eq!(clock.delay(), Some(Duration::from_millis(50)));
    }

    #[test]
    fn moments_that_contradict_each_other_are_refused() {
        let mut clock = ClockSync::new(ClockConfig::default()).unwrap();
        let mut broken = exchange(0, 0, 10, 10);
        broken.answered = broken.received - Duration::from_millis(1);
        assert_eq!(clock.handle_exchange(&broken), Exchanged::Refused);
        broken = exchange(0, 0, 10, 10);
        broken.answered += Duration::from_millis(21);
        assert_eq!(clock.handle_exchange(&broken), Exchanged::Refused);
        assert_eq!(clock.handle_exchange(&exchange(0, 0, 5_000, 1)), Exchanged::Refused);
        assert_eq!(clock.remote_at(SimTime::ZERO), None);
        assert_eq!(clock.stats().refused, 3);
    }

    #[test]
    fn questions_come_quickly_until_the_clock_is_known() {
        let mut clock = ClockSync::new(ClockConfig::default()).unwrap();
        assert_eq!(clock.next_exchange(None), SimTime::MIN);
        for n in 0..8 {
            let sent = SimTime::from_millis(100 * n);
            assert_eq!(clock.next_exchange(Some(sent)), sent + Duration::from_millis(100));
            clock.handle_exchange(&exchange(100 * n, 50, 10, 10));
        }
        assert_eq!(clock.next_exchange(Some(SimTime::ZERO)), SimTime::from_millis(1_000));
    }
}
