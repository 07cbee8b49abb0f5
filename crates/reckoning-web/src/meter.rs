//! Meters of errors, steps, paths, rates and frame times.

use std::collections::VecDeque;

use reckoning::SimTime;

/// A way to show somebody else's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayMethod {
    /// The ghost.
    Reckoning,
    /// The newest position received.
    Naive,
    /// The past between two positions received.
    Interpolation,
}

impl DisplayMethod {
    /// All of them, in the order of bucket's fields.
    pub const ALL: [Self; 3] = [Self::Reckoning, Self::Naive, Self::Interpolation];
}

/// Errors are reported over this long.
const WINDOW_S: f64 = 5.0;
/// The window moves on in steps of this.
const BUCKET_S: f64 = 0.25;
/// Bins of errors grow with the root: bin `i` begins at `(i / 4)^2` px.
const BINS: usize = 160;
const BINS_PER_ROOT: f64 = 4.0;

/// Errors of one way in one span.
#[derive(Clone, Debug)]
struct Tally {
    sum_px: f64,
    count: u32,
    largest_px: f64,
    bins: [u32; BINS],
}

impl Default for Tally {
    fn default() -> Self {
        Self { sum_px: 0.0, count: 0, largest_px: 0.0, bins: [0; BINS] }
    }
}

impl Tally {
    fn add(&mut self, error_px: f64) {
        self.sum_px += error_px;
        self.count += 1;
        self.largest_px = self.largest_px.max(error_px);
        let bin = (error_px.sqrt() * BINS_PER_ROOT) as usize;
        self.bins[bin.min(BINS - 1)] += 1;
    }

    fn join(&mut self, other: &Self) {
        self.sum_px += other.sum_px;
        self.count += other.count;
        self.largest_px = self.largest_px.max(other.largest_px);
        for (mine, more) in self.bins.iter_mut().zip(&other.bins) {
            *mine += more;
        }
    }

    /// The upper end of the bin below which 95 of 100 lie.
    fn p95_px(&self) -> f64 {
        let mut left = (f64::from(self.count) * 0.95) as u32;
        let found = self.bins.iter().position(|&count| {
            let here = left < count;
            left = left.saturating_sub(count);
            here
        });
        let end = (found.unwrap_or(0) + 1) as f64 / BINS_PER_ROOT;
        (end * end).min(self.largest_px)
    }
}

/// How wrong a picture was of late.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorSummary {
    /// The mean.
    pub mean_px: f64,
    /// Nineteen of twenty were below this.
    pub p95_px: f64,
    /// The largest.
    pub largest_px: f64,
    /// Of how many looks.
    pub count: u32,
}

/// Errors of all ways over the last seconds.
#[derive(Clone, Debug, Default)]
pub struct ErrorMeter {
    buckets: VecDeque<(i64, [Tally; 3])>,
}

impl ErrorMeter {
    /// At `now` a body was shown so far from where it was.
    pub fn note(&mut self, now: SimTime, method: DisplayMethod, error_px: f64) {
        if !error_px.is_finite() {
            return;
        }
        let number = (now.as_secs_f64() / BUCKET_S) as i64;
        if self.buckets.back().is_some_and(|it| it.0 > number) {
            self.buckets.clear(); // another connection, another clock
        }
        if self.buckets.back().is_none_or(|it| it.0 != number) {
            self.buckets.push_back((number, <[Tally; 3]>::default()));
            let oldest = number - (WINDOW_S / BUCKET_S) as i64;
            while self.buckets.front().is_some_and(|it| it.0 <= oldest) {
                self.buckets.pop_front();
            }
        }
        if let Some((_, tallies)) = self.buckets.back_mut() {
            tallies[method as usize].add(error_px);
        }
    }

    /// The last five seconds.
    #[must_use]
    pub fn summary(&self, method: DisplayMethod) -> ErrorSummary {
        self.summary_of(method, self.buckets.len())
    }

    /// The last half second, for a live plot.
    #[must_use]
    pub fn recent(&self, method: DisplayMethod) -> ErrorSummary {
        self.summary_of(method, 2)
    }

    fn summary_of(&self, method: DisplayMethod, newest: usize) -> ErrorSummary {
        let mut all = Tally::default();
        for (_, tallies) in self.buckets.iter().rev().take(newest) {
            all.join(&tallies[method as usize]);
        }
        if all.count == 0 {
            return ErrorSummary::default();
        }
        ErrorSummary {
            mean_px: all.sum_px / f64::from(all.count),
            p95_px: all.p95_px(),
            largest_px: all.largest_px,
            count: all.count,
        }
    }
}

/// The largest jump between two frames, as a speed, since it was cleared.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepMeter {
    largest_px_s: [f64; 3],
}

impl StepMeter {
    /// Between two frames `dt_s` apart a body was drawn `step_px` further. Leave births out.
    pub fn note(&mut self, method: DisplayMethod, step_px: f64, dt_s: f64) {
        if dt_s > 0.0 {
            let largest = &mut self.largest_px_s[method as usize];
            *largest = largest.max(step_px / dt_s);
        }
    }

    /// The largest so far.
    #[must_use]
    pub const fn largest_px_s(&self, method: DisplayMethod) -> f64 {
        self.largest_px_s[method as usize]
    }
}

/// Paths of ghosts' newest updates, since it was cleared: what explains the steps of ghosts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathMeter {
    largest_speed_px_s: f64,
    largest_offset_px: f64,
}

impl PathMeter {
    /// The path of a ghost's newest update has this speed, and the ghost is `offset_px` away from
    /// it. Leave births out.
    pub const fn note(&mut self, speed_px_s: f64, offset_px: f64) {
        self.largest_speed_px_s = self.largest_speed_px_s.max(speed_px_s);
        self.largest_offset_px = self.largest_offset_px.max(offset_px);
    }

    /// The largest speed of the path of an update.
    #[must_use]
    pub const fn largest_speed_px_s(&self) -> f64 {
        self.largest_speed_px_s
    }

    /// The largest distance between a ghost and the path of its newest update.
    #[must_use]
    pub const fn largest_offset_px(&self) -> f64 {
        self.largest_offset_px
    }
}

/// Every datagram has headers of IPv4 and UDP, whatever it carries.
pub const HEADER_BYTES: u64 = 20 + 8;

/// What datagrams with so much in them take on the wire.
#[must_use]
pub const fn wire_bytes(carried: u64, datagrams: u64) -> u64 {
    carried + datagrams * HEADER_BYTES
}

/// Counts per second, from totals that only grow.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    totals: VecDeque<(SimTime, u64)>,
    /// What was counted before the counter began anew.
    before: u64,
    last: u64,
}

/// Rates are reported over this long.
const RATE_S: f64 = 2.0;

impl Rate {
    /// The counter stands at `total`; a smaller one than before has begun anew.
    pub fn note(&mut self, now: SimTime, total: u64) {
        if total < self.last {
            self.before += self.last;
        }
        if self.totals.back().is_some_and(|it| it.0 > now) {
            self.totals.clear(); // another connection, another clock
        }
        self.last = total;
        self.totals.push_back((now, self.before + total));
        while self.totals.len() > 2 && now.secs_since(self.totals[1].0) >= RATE_S {
            self.totals.pop_front();
        }
    }

    /// Per second over the last two.
    #[must_use]
    pub fn per_s(&self) -> f64 {
        match (self.totals.front(), self.totals.back()) {
            (Some(first), Some(last)) if last.0 > first.0 => {
                (last.1 - first.1) as f64 / last.0.secs_since(first.0)
            }
            _ => 0.0,
        }
    }
}

/// Frame times are counted in tenths of a millisecond up to here.
const FRAME_BINS: usize = 500;
const BINS_PER_MS: f64 = 10.0;

/// How long our part of a frame took.
#[derive(Clone, Debug)]
pub struct FrameMeter {
    bins: Vec<u32>,
    count: u32,
    late: u32,
    worst_ms: f64,
}

/// A frame that takes longer is not ready for the next picture of the screen.
const LATE_MS: f64 = 16.0;

impl Default for FrameMeter {
    fn default() -> Self {
        Self { bins: vec![0; FRAME_BINS], count: 0, late: 0, worst_ms: 0.0 }
    }
}

impl FrameMeter {
    /// A frame took this long.
    pub fn note(&mut self, took_ms: f64) {
        let bin = (took_ms.max(0.0) * BINS_PER_MS) as usize;
        self.bins[bin.min(FRAME_BINS - 1)] += 1;
        self.count += 1;
        self.late += u32::from(took_ms > LATE_MS);
        self.worst_ms = self.worst_ms.max(took_ms);
    }

    /// Frames so far.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// How many of them were not ready in time.
    #[must_use]
    pub const fn late(&self) -> u32 {
        self.late
    }

    /// The longest.
    #[must_use]
    pub const fn worst_ms(&self) -> f64 {
        self.worst_ms
    }

    /// 99 of 100 took less.
    #[must_use]
    pub fn p99_ms(&self) -> f64 {
        self.share_ms(0.99)
    }

    /// Half of them took less.
    #[must_use]
    pub fn median_ms(&self) -> f64 {
        self.share_ms(0.5)
    }

    fn share_ms(&self, share: f64) -> f64 {
        let wanted = (f64::from(self.count) * share) as u32;
        let mut below = 0;
        let found = self.bins.iter().position(|&count| {
            below += count;
            below > wanted
        });
        found.map_or(self.worst_ms, |bin| ((bin + 1) as f64 / BINS_PER_MS).min(self.worst_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    #[test]
    fn errors_are_told_apart_by_way() {
        let mut meter = ErrorMeter::default();
        meter.note(ms(0), DisplayMethod::Reckoning, 2.0);
        meter.note(ms(16), DisplayMethod::Reckoning, 4.0);
        meter.note(ms(16), DisplayMethod::Naive, 50.0);
        meter.note(ms(16), DisplayMethod::Naive, f64::NAN);
        assert_eq!(meter.summary(DisplayMethod::Reckoning).mean_px, 3.0);
        assert_eq!(meter.summary(DisplayMethod::Naive).count, 1);
        assert_eq!(meter.summary(DisplayMethod::Interpolation), ErrorSummary::default());
    }

    #[test]
    fn errors_older_than_five_seconds_are_forgotten() {
        let mut meter = ErrorMeter::default();
        meter.note(ms(0), DisplayMethod::Naive, 100.0);
        meter.note(ms(4_900), DisplayMethod::Naive, 10.0);
        assert_eq!(meter.summary(DisplayMethod::Naive).mean_px, 55.0);
        meter.note(ms(5_100), DisplayMethod::Naive, 10.0);
        assert_eq!(meter.summary(DisplayMethod::Naive).mean_px, 10.0);
    }

    #[test]
    fn one_in_twenty_errors_is_above_the_95_per_cent() {
        let mut meter = ErrorMeter::default();
        for px in 0..1_000 {
            meter.note(ms(px), DisplayMethod::Naive, px as f64);
        }
        let p95 = meter.summary(DisplayMethod::Naive).p95_px;
        assert!((945.0..970.0).contains(&p95), "{p95}");
        assert_eq!(meter.summary(DisplayMethod::Naive).largest_px, 999.0);
    }

    #[test]
    fn the_largest_step_is_a_speed() {
        let mut meter = StepMeter::default();
        meter.note(DisplayMethod::Reckoning, 4.0, 0.01);
        meter.note(DisplayMethod::Reckoning, 6.0, 0.02);
        meter.note(DisplayMethod::Reckoning, 6.0, 0.0);
        assert_eq!(meter.largest_px_s(DisplayMethod::Reckoning), 400.0);
        assert_eq!(meter.largest_px_s(DisplayMethod::Naive), 0.0);
    }

    #[test]
    fn the_fastest_path_and_the_largest_offset_are_kept() {
        let mut meter = PathMeter::default();
        for (speed_px_s, offset_px) in [(10.0, 6.0), (240.0, 1.0), (40.0, 2.0)] {
            meter.note(speed_px_s, offset_px);
        }
        assert_eq!((meter.largest_speed_px_s(), meter.largest_offset_px()), (240.0, 6.0));
    }

    #[test]
    fn a_rate_survives_a_counter_that_begins_anew() {
        let mut rate = Rate::default();
        for (at, total) in [(0, 0), (500, 50), (1_000, 100), (1_500, 20), (2_000, 70)] {
            rate.note(ms(at), total);
        }
        assert_eq!(rate.per_s(), 85.0);
    }

    #[test]
    fn a_clock_that_begins_anew_does_not_stop_the_meters() {
        let (mut rate, mut errors) = (Rate::default(), ErrorMeter::default());
        for (at, total) in [(9_000, 0), (9_500, 100), (0, 100), (500, 120)] {
            rate.note(ms(at), total);
            errors.note(ms(at), DisplayMethod::Naive, at as f64);
        }
        assert_eq!(rate.per_s(), 40.0);
        assert_eq!(errors.summary(DisplayMethod::Naive).mean_px, 250.0);
    }

    #[test]
    fn each_datagram_takes_its_headers_besides() {
        assert_eq!(wire_bytes(0, 0), 0);
        // The same positions in one datagram and in four.
        assert_eq!([wire_bytes(200, 1), wire_bytes(200, 4)], [228, 312]);
    }

    #[test]
    fn rates_look_back_two_seconds() {
        let mut rate = Rate::default();
        for tenth in 0..=100 {
            rate.note(ms(100 * tenth), if tenth < 50 { 0 } else { 7 });
        }
        assert_eq!(rate.per_s(), 0.0);
    }

    #[test]
    fn one_slow_frame_in_a_hundred_does_not_hide() {
        let mut meter = FrameMeter::default();
        for _ in 0..99 {
            meter.note(2.0);
        }
        meter.note(30.0);
        assert_eq!(meter.worst_ms(), 30.0);
        assert_eq!((meter.count(), meter.late()), (100, 1));
        assert_eq!(meter.p99_ms(), 30.0);
        for _ in 0..100 {
            meter.note(2.0);
        }
        assert!(meter.p99_ms() < 2.2);
        assert!((2.0..2.2).contains(&meter.median_ms()), "{}", meter.median_ms());
    }
}
