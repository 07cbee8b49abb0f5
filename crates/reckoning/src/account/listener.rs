//! What the owner of a body knows and guesses about one listener's export error.
//!
//! The owner knows the courses it exported. From acknowledgements, which carry the moment of
//! arrival, it learns what the listener showed, up to the latest arrival it has heard of;
//! from there on it has to guess:
//!
//!   exported   A-----------B-----------C----------- now
//!   received      A-----------B ..........C
//!                 |  confirmed  | estimated         |
//!                               ^ the acknowledgement of B says so
//!
//! - *confirmed* (CEE in THESIS): the error until the latest arrival known, while the
//!   listener showed what it had acknowledged;
//! - *estimated* (EEE): the error from there until now, as if everything sent to it since
//!   arrived after the estimated delay, or at once when there is no estimate;
//! - *total* (AEE): the sum, the number by which listeners are compared.
//!
//! Others rely on this: between two events the total never falls as time goes on (but for
//! the last bits), so the moment at which it reaches a given value can be searched for. An
//! event may lower it, because a guess gave way to knowledge.
//!
//! The body is taken to follow its newest export, and the listener to show the newest one
//! it has, projected over the delay; what a blend adds is not counted. To whom an export is
//! sent, and when, is not decided here.

use alloc::collections::VecDeque;
use core::time::Duration;

use crate::SimTime;

/// The export error, in metre-seconds, between two moments in which the body follows the
/// first course and the listener shows the second: for straight ones
/// [`linear_error_between`](crate::linear_error_between). Never negative.
pub type ErrorOver<M> = fn(truth: &M, shown: &M, from: SimTime, to: SimTime) -> f64;

/// An acknowledgement that is this many exports behind the latest is not waited for.
/// Networks that reorder do so by a few packets; QUIC gives up after three (RFC 9002, 6.1.1).
const AWAITED: usize = 8;

/// Courses kept for a listener that never acknowledges; beyond it guesses become final.
const MAX_LEGS: usize = 128;

/// The export error of one listener about one body, as its owner knows it.
///
/// An export is named by its moment: a body exports at most once at a time. `M` is whatever
/// describes a course, such as [`Kinematics`](crate::Kinematics).
#[derive(Clone, Debug)]
pub struct ListenerAccount<M> {
    error_over: ErrorOver<M>,
    delay: Duration,
    /// The error until `settled_until`, by acknowledgement and by final guess.
    settled: f64,
    assumed: f64,
    settled_until: SimTime,
    /// The error from there to `confirmed_until`, which late acknowledgements may change.
    confirmed: f64,
    confirmed_until: SimTime,
    /// In order of export. None is older than the one shown at `settled_until`.
    legs: VecDeque<Leg<M>>,
}

#[derive(Clone, Debug)]
struct Leg<M> {
    exported: SimTime,
    course: M,
    sent: Option<SimTime>,
    received: Option<SimTime>,
}

impl<M> ListenerAccount<M> {
    /// The account of a listener that has heard nothing yet, and so shows nothing and has no
    /// error.
    #[must_use]
    pub const fn new(error_over: ErrorOver<M>) -> Self {
        Self {
            error_over,
            delay: Duration::ZERO,
            settled: 0.0,
            assumed: 0.0,
            settled_until: SimTime::MIN,
            confirmed: 0.0,
            confirmed_until: SimTime::MIN,
            legs: VecDeque::new(),
        }
    }

    /// How long an update takes to this listener, by the latest estimate. Zero, the default,
    /// is the guess of THESIS where nothing is known.
    pub fn expect_delay(&mut self, estimate: Duration) {
        self.delay = estimate;
    }

    /// From `at` on the body follows `course`. Says nothing about whether this listener is
    /// told: see [`sent`](Self::sent). Ignored unless later than all exports before.
    pub fn exported(&mut self, at: SimTime, course: M) {
        if self.legs.back().is_some_and(|newest| newest.exported >= at) {
            return;
        }
        self.legs.push_back(Leg { exported: at, course, sent: None, received: None });
        if self.legs.len() > MAX_LEGS {
            self.make_guesses_final();
        }
    }

    /// The course exported at `export` left for this listener at `at`. Of several copies the
    /// first counts, unless it was [`lost`](Self::lost).
    pub fn sent(&mut self, export: SimTime, at: SimTime) {
        if let Some(leg) = self.leg_mut(export) {
            leg.sent.get_or_insert(at.max(export));
        }
    }

    /// What was sent of `export` is known not to have arrived: the estimate stops counting
    /// on it.
    pub fn lost(&mut self, export: SimTime) {
        if let Some(leg) = self.leg_mut(export).filter(|leg| leg.received.is_none()) {
            leg.sent = None;
        }
    }

    /// The listener says, and the owner hears at `now`, that the course exported at `export`
    /// arrived at `received_at`. An impossible moment counts as the nearest possible one.
    ///
    /// Returns whether this was news; it is not for a second copy, for what was never sent,
    /// or for what is too old to matter.
    pub fn acknowledged(&mut self, export: SimTime, received_at: SimTime, now: SimTime) -> bool {
        let earliest = self.settled_until;
        let Some(leg) = self.leg_mut(export).filter(|leg| leg.received.is_none()) else {
            return false;
        };
        let Some(sent) = leg.sent else { return false };
        let received = received_at.min(now).max(sent).max(earliest);
        leg.received = Some(received);
        self.confirmed_until = self.confirmed_until.max(received);
        self.settle();
        true
    }

    /// The error until [`confirmed_until`](Self::confirmed_until), in metre-seconds (CEE).
    #[must_use]
    pub fn confirmed(&self) -> f64 {
        self.settled + self.confirmed
    }

    /// The latest arrival the owner knows of; `None` before the first acknowledgement.
    #[must_use]
    pub fn confirmed_until(&self) -> Option<SimTime> {
        (self.confirmed_until > SimTime::MIN).then_some(self.confirmed_until)
    }

    /// The error from there until `now`, as far as the owner can guess (EEE). Zero when `now`
    /// is earlier. For a listener that has not acknowledged for very long it includes what
    /// can no longer be confirmed.
    #[must_use]
    pub fn estimated_at(&self, now: SimTime) -> f64 {
        self.assumed + self.error_from(self.confirmed_until, now, Self::believed_arrival)
    }

    /// The confirmed and the estimated error together (AEE), in metre-seconds. For a `now`
    /// in the future: what it will be if nothing happens until then.
    #[must_use]
    pub fn total_at(&self, now: SimTime) -> f64 {
        self.confirmed() + self.estimated_at(now)
    }

    fn leg_mut(&mut self, export: SimTime) -> Option<&mut Leg<M>> {
        let place = self.legs.binary_search_by_key(&export, |leg| leg.exported).ok()?;
        self.legs.get_mut(place)
    }

    /// The place of the newest course known to have arrived.
    fn newest_known(&self) -> Option<usize> {
        self.legs.iter().rposition(|leg| leg.received.is_some())
    }

    fn known_arrival(&self, place: usize) -> Option<SimTime> {
        self.legs[place].received
    }

    /// Known, or guessed for what is newer than anything known. Such a guess never falls
    /// before the latest arrival known: had it come by then, we would have heard.
    fn believed_arrival(&self, place: usize) -> Option<SimTime> {
        let leg = &self.legs[place];
        if leg.received.is_some() || self.newest_known().is_some_and(|newest| place < newest) {
            return leg.received;
        }
        leg.sent.map(|sent| (sent + self.delay).max(self.confirmed_until))
    }

    /// Follows both courses from one change of either to the next, and sums up.
    fn error_from(
        &self,
        from: SimTime,
        to: SimTime,
        arrival: impl Fn(&Self, usize) -> Option<SimTime>,
    ) -> f64 {
        let arrivals: VecDeque<_> = (0..self.legs.len()).map(|place| arrival(self, place)).collect();
        let by = |moment: Option<SimTime>, at| moment.is_some_and(|moment| moment <= at);
        let mut sum = 0.0;
        let mut at = from;
        while at < to {
            let truth = self.legs.iter().rposition(|leg| leg.exported <= at);
            let shown = arrivals.iter().rposition(|&arrival| by(arrival, at));
            let exports = self.legs.iter().map(|leg| leg.exported);
            let changes = exports.chain(arrivals.iter().flatten().copied());
            let next = changes.filter(|&change| change > at).fold(to, SimTime::min);
            if let (Some(truth), Some(shown)) = (truth, shown)
                && truth != shown
            {
                let (truth, shown) = (&self.legs[truth].course, &self.legs[shown].course);
                sum += (self.error_over)(truth, shown, at, next);
            }
            at = next;
        }
        sum
    }

    /// Takes the confirmed error as final up to the moment before which no acknowledgement
    /// still awaited can change it, and forgets the courses no longer needed.
    fn settle(&mut self) {
        let Some(newest) = self.newest_known() else { return };
        let awaited = self.legs.range(newest.saturating_sub(AWAITED)..newest);
        let open = awaited.filter(|leg| leg.received.is_none()).filter_map(|leg| leg.sent).min();
        let until = open.map_or(self.confirmed_until, |sent| sent.min(self.confirmed_until));
        if until > self.settled_until {
            self.settled += self.error_from(self.settled_until, until, Self::known_arrival);
            self.settled_until = until;
            let arrived = |leg: &Leg<M>| leg.received.is_some_and(|arrival| arrival <= until);
            let shown = self.legs.iter().rposition(arrived);
            self.legs.drain(..shown.unwrap_or(0));
        }
        self.confirmed =
            self.error_from(self.settled_until, self.confirmed_until, Self::known_arrival);
    }

    /// Bounds the memory for a silent listener: the older half of the courses is accounted
    /// for as believed, and only the one then shown is kept of it.
    fn make_guesses_final(&mut self) {
        let middle = self.legs.len() / 2;
        let until = self.legs[middle].exported;
        self.settled += core::mem::take(&mut self.confirmed);
        self.assumed += self.error_from(self.confirmed_until, until, Self::believed_arrival);
        let arrived = |&place: &usize| {
            self.believed_arrival(place).is_some_and(|arrival| arrival <= until)
        };
        let shown = (0..middle).rev().find(arrived);
        self.legs.drain(shown.map_or(0, |shown| shown + 1)..middle);
        self.legs.drain(..shown.unwrap_or(middle).min(middle));
        if shown.is_some() {
            self.legs[0].received.get_or_insert(until);
        }
        self.confirmed_until = self.confirmed_until.max(until);
        self.settled_until = self.confirmed_until;
    }
}
