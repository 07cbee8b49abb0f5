//! Which part of an export error was unavoidable: the timeline of one listener's updates.

use alloc::vec::Vec;
use core::iter::Sum;
use core::ops::{Add, AddAssign};

use crate::SimTime;

/// An export error in metre-seconds, parted at the arrival of the update it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Split {
    /// While the update was in flight, and the listener still followed an older one.
    pub before: f64,
    /// From its arrival until the next export.
    pub after: f64,
}

impl Split {
    /// Both parts together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.before + self.after
    }
}

impl Add for Split {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { before: self.before + other.before, after: self.after + other.after }
    }
}

impl AddAssign for Split {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Split {
    fn sum<I: Iterator<Item = Self>>(splits: I) -> Self {
        splits.fold(Self::default(), Add::add)
    }
}

/// What one update cost one listener.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// When the update was exported; its share runs until the next export.
    pub exported: SimTime,
    /// The error in that time.
    pub error: Split,
}

/// When the updates about one body were exported, and when one listener received them.
///
/// For measuring afterwards, with both sides in view, as a lab has them. Every moment
/// belongs to the newest update exported by then: to its *before* part until the listener
/// has it, to its *after* part from then on. An update that is lost, or overtaken by the
/// next export, has no *after* part. Nothing counts before the listener has its first
/// update, since it shows nothing until then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlightLog {
    /// In order of export.
    flights: Vec<FlightRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct FlightRecord {
    exported: SimTime,
    received: Option<SimTime>,
}

impl FlightLog {
    /// A log without any update.
    #[must_use]
    pub const fn new() -> Self {
        Self { flights: Vec::new() }
    }

    /// An update was exported. Its moment is its name from here on; exports may be logged in
    /// any order, and the same one twice changes nothing.
    pub fn exported(&mut self, at: SimTime) {
        if let Err(place) = self.find(at) {
            self.flights.insert(place, FlightRecord { exported: at, received: None });
        }
    }

    /// The update exported at `export` reached the listener. Of several copies the first
    /// counts. Ignored when no such export was logged.
    pub fn received(&mut self, export: SimTime, at: SimTime) {
        if let Ok(place) = self.find(export) {
            let received = &mut self.flights[place].received;
            *received = Some(received.map_or(at, |first| first.min(at)));
        }
    }

    /// The error from `from` to `to`, update by update. `error_over` gives the error between
    /// two moments, in metre-seconds; it is asked only for spans inside which nothing is
    /// exported and nothing arrives.
    pub fn shares(
        &self,
        from: SimTime,
        to: SimTime,
        mut error_over: impl FnMut(SimTime, SimTime) -> f64,
    ) -> Vec<Share> {
        let mut arrivals: Vec<_> =
            self.flights.iter().filter_map(|flight| flight.received).collect();
        arrivals.sort_unstable();
        let Some(&first_shown) = arrivals.first() else { return Vec::new() };
        let from = from.max(first_shown);
        let mut shares = Vec::new();
        for (i, flight) in self.flights.iter().enumerate() {
            let next = self.flights.get(i + 1).map_or(SimTime::MAX, |flight| flight.exported);
            let (start, end) = (flight.exported.max(from), next.min(to));
            if start < end {
                let cut = flight.received.unwrap_or(SimTime::MAX).clamp(start, end);
                let mut over = |a, b| pieces(&arrivals, a, b).map(|(a, b)| error_over(a, b)).sum();
                let error = Split { before: over(start, cut), after: over(cut, end) };
                shares.push(Share { exported: flight.exported, error });
            }
        }
        shares
    }

    /// The error from `from` to `to`, as [`shares`](Self::shares), in one sum.
    pub fn split(
        &self,
        from: SimTime,
        to: SimTime,
        error_over: impl FnMut(SimTime, SimTime) -> f64,
    ) -> Split {
        self.shares(from, to, error_over).into_iter().map(|share| share.error).sum()
    }

    /// The error of measured distances in metres, oldest first, taken as changing evenly
    /// between samples. Where the picture jumps, give two samples of the same moment.
    #[must_use]
    pub fn split_samples(&self, samples: &[(SimTime, f64)]) -> Split {
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
            return Split::default();
        };
        self.split(first.0, last.0, |from, to| error_of_samples(samples, from, to))
    }

    fn find(&self, export: SimTime) -> Result<usize, usize> {
        self.flights.binary_search_by_key(&export, |flight| flight.exported)
    }
}

/// The span from `from` to `to`, cut at the arrivals inside it: one that was overtaken does
/// not end a *before* part, but may change the picture.
fn pieces(
    arrivals: &[SimTime],
    from: SimTime,
    to: SimTime,
) -> impl Iterator<Item = (SimTime, SimTime)> {
    let first = arrivals.partition_point(|&at| at <= from);
    let inside = arrivals[first..].iter().copied().take_while(move |&at| at < to);
    let ends = inside.chain([to]);
    ends.scan(from, |start, end| Some((core::mem::replace(start, end), end)))
        .filter(|(start, end)| start < end)
}

/// The integral from `from` to `to` of the line through the samples.
fn error_of_samples(samples: &[(SimTime, f64)], from: SimTime, to: SimTime) -> f64 {
    let first = samples.partition_point(|&(at, _)| at <= from).saturating_sub(1);
    let mut sum = 0.0;
    for pair in samples[first..].windows(2) {
        let [(a, distance_a), (b, distance_b)] = [pair[0], pair[1]];
        if a >= to {
            break;
        }
        let (start, end) = (a.max(from), b.min(to));
        if start < end {
            let slope = (distance_b - distance_a) / b.secs_since(a);
            // The line's mean over the piece is its value in the middle of the piece.
            let middle_s = 0.5 * (start.secs_since(a) + end.secs_since(a));
            sum += (distance_a + slope * middle_s) * end.secs_since(start);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: i64) -> SimTime {
        SimTime::from_millis(millis)
    }

    /// Exports at 0, 1, 2 and 3 s. The second is lost, the third overtaken by the fourth.
    fn log() -> FlightLog {
        let mut log = FlightLog::new();
        for second in 0..4 {
            log.exported(ms(second * 1000));
        }
        log.received(ms(0), ms(200));
        log.received(ms(2000), ms(3500));
        log.received(ms(3000), ms(3400));
        log
    }

    #[test]
    fn the_error_is_parted_at_arrivals() {
        // With an error of one metre throughout, the parts are seconds.
        let shares = log().shares(ms(0), ms(5000), |from, to| to.secs_since(from));
        let parts: Vec<_> = shares.iter().map(|s| (s.error.before, s.error.after)).collect();
        assert_eq!(parts, [(0.0, 0.8), (1.0, 0.0), (1.0, 0.0), (0.4, 1.6)]);
    }

    #[test]
    fn nothing_counts_before_anything_is_shown() {
        let mut log = FlightLog::new();
        log.exported(ms(0));
        assert_eq!(log.split(ms(0), ms(900), |_, _| 1.0), Split::default());
        log.received(ms(0), ms(500));
        let split = log.split(ms(0), ms(900), |from, to| to.secs_since(from));
        assert_eq!(split, Split { before: 0.0, after: 0.4 });
    }

    #[test]
    fn samples_are_cut_where_updates_arrive() {
        // The distance grows from 0 to 5 m in 5 s, then drops to nothing.
        let samples = [(ms(0), 0.0), (ms(5000), 5.0), (ms(5000), 0.0), (ms(6000), 0.0)];
        let split = log().split_samples(&samples);
        let (after, before) =
            ((1.0 - 0.04) / 2.0 + (25.0 - 3.4 * 3.4) / 2.0, (3.4 * 3.4 - 1.0) / 2.0);
        assert!((split.before - before).abs() < 1e-12, "{split:?}");
        assert!((split.after - after).abs() < 1e-12, "{split:?}");
    }
}
