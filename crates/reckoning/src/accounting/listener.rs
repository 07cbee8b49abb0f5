//! An owner's account of one listener's export error, known and guessed.
//!
//! The owner knows the courses it exported. From acknowledgements, which carry the moment of
//! arrival, it learns what the listener showed, up to the latest arrival acknowledged; from
//! there on it has to guess:
//!
//! ```text
//! exported   A-----------B-----------C----------- now
//! received      A-----------B ..........C
//!               |  confirmed  | estimated         |
//!                             ^ by the acknowledgement of B
//! ```
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
/// [`linear_error_between`](crate::accounting::linear_error_between). Never negative.
pub type ErrorOver<M> = fn(truth: &M, shown: &M, from: SimTime, to: SimTime) -> f64;

/// An acknowledgement that is this many exports behind the latest is not waited for.
/// Networks that reorder do so by a few packets; QUIC gives up after three (RFC 9002, 6.1.1).
const AWAITED: usize = 8;

/// Courses kept for a listener that never acknowledges; beyond it guesses become final. Twenty
/// exports a second to a listener three seconds away stay below it, and every question about
/// the error goes through all of them.
const MAX_LEGS: usize = 64;

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
    delivery: LegState,
}

/// How far an export got on its way to the listener, and the moment of that.
#[derive(Clone, Copy, Debug)]
enum LegState {
    Unsent,
    Sent(SimTime),
    /// Given up, but once sent: the acknowledgement may yet come.
    Lost(SimTime),
    Received(SimTime),
}

impl<M> Leg<M> {
    fn received(&self) -> Option<SimTime> {
        if let LegState::Received(at) = self.delivery { Some(at) } else { None }
    }

    fn in_flight_since(&self) -> Option<SimTime> {
        if let LegState::Sent(at) = self.delivery { Some(at) } else { None }
    }
}

impl<M> ListenerAccount<M> {
    /// The account of a listener that has received nothing yet, and so shows nothing and has
    /// no error.
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

    /// From `at` on the body follows `course`. Whether this listener is sent it is reported
    /// by [`sent`](Self::sent). Ignored unless later than all exports before.
    pub fn exported(&mut self, at: SimTime, course: M) {
        if self.legs.back().is_some_and(|newest| newest.exported >= at) {
            return;
        }
        self.legs.push_back(Leg { exported: at, course, delivery: LegState::Unsent });
        if self.legs.len() > MAX_LEGS {
            self.make_guesses_final();
        }
    }

    /// The course exported at `export` left for this listener at `at`. Of several copies the
    /// first counts, unless it was [`lost`](Self::lost).
    pub fn sent(&mut self, export: SimTime, at: SimTime) {
        if let Some(leg) = self.leg_mut(export)
            && matches!(leg.delivery, LegState::Unsent | LegState::Lost(_))
        {
            leg.delivery = LegState::Sent(at.max(export));
        }
    }

    /// What was sent of `export` seems not to have arrived: the estimate stops counting on
    /// it. An acknowledgement that arrives all the same still counts.
    pub fn lost(&mut self, export: SimTime) {
        if let Some(leg) = self.leg_mut(export)
            && let LegState::Sent(at) = leg.delivery
        {
            leg.delivery = LegState::Lost(at);
        }
    }

    /// The listener acknowledges, as the owner learns at `now`, that the course exported at
    /// `export` arrived at `received_at`. An impossible moment counts as the nearest possible one.
    ///
    /// Returns whether this changed anything; not for a second copy, for what was never sent,
    /// or for what is too old to matter.
    pub fn acknowledged(&mut self, export: SimTime, received_at: SimTime, now: SimTime) -> bool {
        let settled_until = self.settled_until;
        let Some(leg) = self.leg_mut(export) else { return false };
        let (LegState::Sent(sent) | LegState::Lost(sent)) = leg.delivery else { return false };
        let received = received_at.min(now).max(sent).max(settled_until);
        leg.delivery = LegState::Received(received);
        self.confirmed_until = self.confirmed_until.max(received);
        self.settle();
        true
    }

    /// The error until [`confirmed_until`](Self::confirmed_until), in metre-seconds (CEE).
    #[must_use]
    pub fn confirmed(&self) -> f64 {
        self.settled + self.confirmed
    }

    /// The latest arrival the owner knows of, or has given up hearing about; `None` before
    /// the first.
    #[must_use]
    pub fn confirmed_until(&self) -> Option<SimTime> {
        (self.confirmed_until > SimTime::MIN).then_some(self.confirmed_until)
    }

    /// The error from there until `now`, as far as the owner can guess (EEE). Zero when `now`
    /// is earlier. For a listener that has not acknowledged for very long it includes what
    /// can no longer be confirmed.
    #[must_use]
    pub fn estimated_at(&self, now: SimTime) -> f64 {
        self.assumed + self.believed_error(now)
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
        self.legs.iter().rposition(|leg| leg.received().is_some())
    }

    /// When each course arrived, as far as known; for what is newer than all that, a guess.
    /// A guess matters from `confirmed_until` on only, since until then we know.
    fn believed_arrival(&self, first_unknown: usize, place: usize) -> Option<SimTime> {
        let leg = &self.legs[place];
        if place < first_unknown {
            leg.received()
        } else {
            leg.in_flight_since().map(|sent| sent + self.delay)
        }
    }

    fn believed_error(&self, until: SimTime) -> f64 {
        let first_unknown = self.newest_known().map_or(0, |newest| newest + 1);
        let arrival = |place| self.believed_arrival(first_unknown, place);
        self.error_from(self.confirmed_until, until, arrival)
    }

    fn known_error(&self, from: SimTime, until: SimTime) -> f64 {
        self.error_from(from, until, |place| self.legs[place].received())
    }

    /// Follows both courses from one change of either to the next, and sums up. The listener
    /// shows the newest of what has arrived.
    fn error_from(
        &self,
        from: SimTime,
        until: SimTime,
        arrival: impl Fn(usize) -> Option<SimTime>,
    ) -> f64 {
        let shown_from = self.shown_from(arrival);
        let (mut next_truth, mut next_shown) = (0, 0);
        let (mut truth, mut shown) = (None, None);
        let (mut sum, mut now) = (0.0, from);
        loop {
            while shown_from.get(next_shown) == Some(&SimTime::MAX) {
                next_shown += 1; // overtaken or not on its way: never shown
            }
            let export = self.legs.get(next_truth).map(|leg| leg.exported);
            let arrived =
                shown_from.get(next_shown).copied().filter(|_| next_shown < self.legs.len());
            let truth_first = export.is_some_and(|export| arrived.is_none_or(|at| export <= at));
            let Some(at) = (if truth_first { export } else { arrived }) else { break };
            let next = at.clamp(now, until.max(now));
            sum += self.error_of(truth, shown, now, next);
            now = next;
            if truth_first {
                truth = Some(next_truth);
                next_truth += 1;
            } else {
                shown = Some(next_shown);
                next_shown += 1;
            }
        }
        sum + self.error_of(truth, shown, now, until)
    }

    /// From when on each course is shown, [`SimTime::MAX`] for never: a course that a newer
    /// one overtook on the way is not. Rising, but for those.
    fn shown_from(&self, arrival: impl Fn(usize) -> Option<SimTime>) -> [SimTime; MAX_LEGS + 1] {
        let mut shown_from = [SimTime::MAX; MAX_LEGS + 1];
        let mut overtaken_at = SimTime::MAX;
        for place in (0..self.legs.len()).rev() {
            if let Some(at) = arrival(place).filter(|at| *at < overtaken_at) {
                shown_from[place] = at;
                overtaken_at = at;
            }
        }
        shown_from
    }

    /// The error of one stretch; nothing where there is no body, no picture or no time.
    fn error_of(
        &self,
        truth: Option<usize>,
        shown: Option<usize>,
        from: SimTime,
        until: SimTime,
    ) -> f64 {
        match (truth, shown) {
            (Some(truth), Some(shown)) if truth != shown && from < until => {
                let (truth, shown) = (&self.legs[truth], &self.legs[shown]);
                (self.error_over)(&truth.course, &shown.course, from, until)
            }
            _ => 0.0,
        }
    }

    /// Takes the confirmed error as final up to the moment before which no acknowledgement
    /// still awaited can change it, and forgets the courses no longer needed.
    fn settle(&mut self) {
        let Some(newest) = self.newest_known() else { return };
        // A newer export may have overtaken the newest known one.
        let awaited = self.legs.range(newest.saturating_sub(AWAITED)..);
        let open = awaited.filter_map(Leg::in_flight_since).min();
        let until = open.map_or(self.confirmed_until, |sent| sent.min(self.confirmed_until));
        if until > self.settled_until {
            self.settled += self.known_error(self.settled_until, until);
            self.settled_until = until;
            let arrived = |leg: &Leg<M>| leg.received().is_some_and(|arrival| arrival <= until);
            let shown = self.legs.iter().rposition(arrived);
            self.legs.drain(..shown.unwrap_or(0));
        }
        self.confirmed = self.known_error(self.settled_until, self.confirmed_until);
    }

    /// Bounds the memory for a silent listener: the older half of the courses is accounted
    /// for as believed, and only the one then shown is kept of it.
    fn make_guesses_final(&mut self) {
        let middle = self.legs.len() / 2;
        let until = self.legs[middle].exported.max(self.confirmed_until);
        self.settled += core::mem::take(&mut self.confirmed);
        self.assumed += self.believed_error(until);
        let first_unknown = self.newest_known().map_or(0, |newest| newest + 1);
        let arrived =
            |place| self.believed_arrival(first_unknown, place).is_some_and(|at| at <= until);
        let shown = (0..self.legs.len()).rev().find(|place| arrived(*place));
        if let Some(shown) = shown
            && self.legs[shown].received().is_none()
        {
            self.legs[shown].delivery = LegState::Received(until);
        }
        let mut place = 0;
        self.legs.retain(|_| {
            place += 1;
            place > middle || shown == Some(place - 1)
        });
        self.confirmed_until = until;
        self.settled_until = until;
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::Kinematics;
    use crate::accounting::linear_error_between;

    fn ms(millis: i64) -> SimTime {
        SimTime::from_millis(millis)
    }

    /// A body that runs along x and sidesteps by one metre with every export.
    fn course(export: i64) -> Kinematics {
        let at = ms(export * 1000);
        Kinematics::moving(at, DVec3::new(export as f64 * 3.0, export as f64, 0.0), DVec3::X * 3.0)
    }

    fn account(exports: i64) -> ListenerAccount<Kinematics> {
        let mut account = ListenerAccount::new(linear_error_between);
        for export in 0..exports {
            account.exported(ms(export * 1000), course(export));
            account.sent(ms(export * 1000), ms(export * 1000));
        }
        account
    }

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-12, "got {got}, want {want}");
    }

    #[test]
    fn without_a_delay_estimate_everything_sent_counts_as_shown() {
        let account = account(3);
        close(account.total_at(ms(2900)), 0.0);
        assert_eq!(account.confirmed_until(), None);
    }

    #[test]
    fn a_delay_estimate_counts_the_time_in_flight() {
        let mut account = account(3);
        account.expect_delay(Duration::from_millis(300));
        close(account.total_at(ms(1200)), 0.2);
        close(account.total_at(ms(2900)), 0.6);
    }

    #[test]
    fn acknowledgements_turn_guesses_into_knowledge() {
        let mut account = account(3);
        assert!(account.acknowledged(ms(0), ms(100), ms(200)));
        assert!(account.acknowledged(ms(1000), ms(1250), ms(1500)));
        close(account.confirmed(), 0.25);
        assert_eq!(account.confirmed_until(), Some(ms(1250)));
        close(account.total_at(ms(2900)), 0.25);
        assert!(!account.acknowledged(ms(1000), ms(1100), ms(1600)), "a second copy");
    }

    #[test]
    fn what_was_exported_but_not_sent_is_not_shown() {
        let mut account = account(1);
        account.acknowledged(ms(0), ms(0), ms(1));
        account.exported(ms(1000), course(1));
        account.exported(ms(2000), course(2));
        close(account.total_at(ms(2500)), 1.0 + 2.0 * 0.5);
        account.sent(ms(2000), ms(2500));
        close(account.total_at(ms(9000)), 2.0);
    }

    #[test]
    fn late_acknowledgements_correct_the_confirmed_error() {
        let mut account = account(3);
        account.acknowledged(ms(0), ms(100), ms(200));
        account.acknowledged(ms(2000), ms(2400), ms(2500));
        close(account.confirmed(), 1.0 + 2.0 * 0.4);
        account.acknowledged(ms(1000), ms(1300), ms(2600));
        close(account.confirmed(), 0.3 + 0.4);
        assert_eq!(account.legs.len(), 1, "the past is forgotten");
    }

    #[test]
    fn a_loss_raises_the_estimate_until_it_is_sent_again() {
        let mut account = account(2);
        account.acknowledged(ms(0), ms(0), ms(1));
        account.lost(ms(1000));
        close(account.total_at(ms(1500)), 0.5);
        account.sent(ms(1000), ms(1400));
        close(account.total_at(ms(1500)), 0.4);
    }

    #[test]
    fn impossible_arrivals_are_brought_into_range() {
        let mut account = account(2);
        account.acknowledged(ms(0), ms(-5000), ms(200));
        assert_eq!(account.confirmed_until(), Some(ms(0)));
        account.acknowledged(ms(1000), SimTime::MAX, ms(1300));
        close(account.confirmed(), 0.3);
        assert!(!account.acknowledged(ms(7000), ms(7100), ms(7200)), "never exported");
    }

    #[test]
    fn a_silent_listener_costs_bounded_memory_and_keeps_its_error() {
        let exports = 10 * i64::try_from(MAX_LEGS).unwrap();
        let mut account = ListenerAccount::new(linear_error_between);
        account.expect_delay(Duration::from_millis(300));
        for export in 0..exports {
            account.exported(ms(export * 1000), course(export));
            account.sent(ms(export * 1000), ms(export * 1000));
            assert!(account.legs.len() <= MAX_LEGS);
        }
        let total = account.total_at(ms(exports * 1000));
        assert!((total - 0.3 * (exports - 1) as f64).abs() < 1e-6, "{total}");
        assert!(account.confirmed().abs() < 1e-15);
    }
}
