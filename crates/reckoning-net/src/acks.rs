//! Which datagrams arrived: what we heard of theirs, and what they heard of ours.
//!
//! Every datagram has a sequence number, and every datagram carries back which of the other
//! side's arrived: the newest one and a bit for each of the 32 before it. So an acknowledgement
//! that is lost is repeated by the next one, for nothing.
//!
//! ```text
//! ours   100  101  102  103  104  105      ack: newest 104, before ...1 0 1 1
//! heard    x    x         x    x                              103 102 101 100
//!                   ^ lost: three later ones arrived
//! ```
//!
//! - [`Window`] notes what arrives, tells copies and what is too late from news, and says what
//!   to acknowledge;
//! - [`Flights`] remembers what each datagram of ours carried and reports its [`Fate`]: arrived,
//!   or lost. What was given up as lost may still arrive, and that is reported too.
//!
//! What is sent again, and in what form, is decided by those who put the items in.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::SimTime;

/// How many datagrams before the newest an acknowledgement speaks of.
pub(crate) const ACK_BITS: u16 = 32;

/// A datagram is given up once one sent this much later arrived: networks that reorder do so
/// by a few (RFC 9002, 6.1.1).
const REORDER: u16 = 3;

/// Datagrams remembered until their fate is known; at 60 a second, four seconds.
pub(crate) const MAX_FLIGHTS: usize = 256;

/// Before anything is known of the way, an answer is waited for this long.
const FIRST_TIMEOUT: Duration = Duration::from_millis(400);
/// Nobody is asked to answer faster than this: an acknowledgement waits for a datagram to ride on.
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(150);
/// However silent the other side is, something is tried again after this long.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(2);

/// How far `a` is ahead of `b` on the circle of sequence numbers; negative when behind.
pub(crate) const fn ahead(a: u16, b: u16) -> i16 {
    a.wrapping_sub(b).cast_signed()
}

/// What a datagram that arrives is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    New,
    /// A copy of one that arrived before.
    Copy,
    /// So late that it cannot be told from a copy.
    TooOld,
}

/// Which numbers of a wrapping sequence have arrived: the newest, and the 32 before it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    newest: Option<u16>,
    before: u32,
}

impl Window {
    /// What an arrival of `number` would be.
    pub(crate) fn judge(self, number: u16) -> Arrival {
        let Some(newest) = self.newest else { return Arrival::New };
        match ahead(newest, number) {
            0 => Arrival::Copy,
            back if back < 0 => Arrival::New,
            back if back > ACK_BITS.cast_signed() => Arrival::TooOld,
            back if self.before & (1 << (back - 1)) == 0 => Arrival::New,
            _ => Arrival::Copy,
        }
    }

    /// Notes that `number` arrived. Returns whether it is the newest now.
    pub(crate) fn note(&mut self, number: u16) -> bool {
        let Some(newest) = self.newest else {
            self.newest = Some(number);
            return true;
        };
        let step = ahead(number, newest);
        if step > 0 {
            let shifted = u64::from(self.before) << 1 | 1;
            self.before =
                shifted.checked_shl(u32::from(step.unsigned_abs()) - 1).unwrap_or(0) as u32;
            self.newest = Some(number);
        } else if step < 0 && step >= -ACK_BITS.cast_signed() {
            self.before |= 1 << (-step - 1);
        }
        step > 0
    }

    /// The newest that arrived.
    pub(crate) const fn newest(self) -> Option<u16> {
        self.newest
    }

    /// A bit for each of the 32 before it, the nearest one lowest.
    pub(crate) const fn before(self) -> u32 {
        self.before
    }
}

/// What became of a datagram of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It arrived, at about this moment of the other side's report.
    Arrived(SimTime),
    /// It seems not to have arrived.
    Lost,
}

/// One datagram of ours and what it carried.
#[derive(Clone, Debug)]
pub(crate) struct Flight<I> {
    sequence: u16,
    pub(crate) sent_at: SimTime,
    lost: bool,
    pub(crate) items: Vec<I>,
}

/// How long the way there and back takes (RFC 6298).
#[derive(Clone, Copy, Debug, Default)]
struct RoundTrip {
    smooth_s: f64,
    deviation_s: f64,
    least_s: f64,
    known: bool,
}

impl RoundTrip {
    fn record(&mut self, sample_s: f64) {
        if self.known {
            self.deviation_s += 0.25 * ((sample_s - self.smooth_s).abs() - self.deviation_s);
            self.smooth_s += 0.125 * (sample_s - self.smooth_s);
            // Forgets slowly, so that a way that became longer is believed in the end.
            self.least_s = (self.least_s + 0.001 * (self.smooth_s - self.least_s)).min(sample_s);
        } else {
            *self = Self {
                smooth_s: sample_s,
                deviation_s: sample_s / 2.0,
                least_s: sample_s,
                known: true,
            };
        }
    }
}

/// Our datagrams under way, each with the things it carried.
#[derive(Clone, Debug)]
pub(crate) struct Flights<I> {
    /// By sequence number, oldest first.
    ring: VecDeque<Flight<I>>,
    /// Emptied lists, so that a busy sender does not allocate.
    spare: Vec<Vec<I>>,
    next: u16,
    round_trip: RoundTrip,
    /// Doubles the wait each time nobody answers in it.
    patience: u32,
}

/// What an acknowledgement says, with its moment expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    pub(crate) newest: u16,
    pub(crate) before: u32,
    /// When `newest` arrived there.
    pub(crate) arrived: SimTime,
}

impl Report {
    fn covers(&self, back: i16) -> bool {
        back == 0
            || (1..=ACK_BITS.cast_signed()).contains(&back) && self.before & (1 << (back - 1)) != 0
    }
}

impl<I> Flights<I> {
    pub(crate) const fn new() -> Self {
        Self {
            ring: VecDeque::new(),
            spare: Vec::new(),
            next: 0,
            round_trip: RoundTrip { smooth_s: 0.0, deviation_s: 0.0, least_s: 0.0, known: false },
            patience: 0,
        }
    }

    /// The number the next datagram will have.
    pub(crate) const fn next_sequence(&self) -> u16 {
        self.next
    }

    /// An empty list for the items of the next datagram.
    pub(crate) fn list(&mut self) -> Vec<I> {
        self.spare.pop().unwrap_or_default()
    }

    /// Gives back a list that was not needed.
    pub(crate) fn give_back(&mut self, mut list: Vec<I>) {
        list.clear();
        if self.spare.len() < MAX_FLIGHTS {
            self.spare.push(list);
        }
    }

    /// A datagram leaves with these items. One without any needs no acknowledgement. `fate` hears
    /// of what is given up to make room.
    pub(crate) fn sent(
        &mut self,
        now: SimTime,
        items: Vec<I>,
        mut fate: impl FnMut(Fate, &Flight<I>),
    ) {
        let sequence = self.next;
        self.next = self.next.wrapping_add(1);
        if items.is_empty() {
            self.give_back(items);
            return;
        }
        if self.ring.len() >= MAX_FLIGHTS
            && let Some(mut oldest) = self.ring.pop_front()
        {
            if !core::mem::replace(&mut oldest.lost, true) {
                fate(Fate::Lost, &oldest);
            }
            self.give_back(oldest.items);
        }
        self.ring.push_back(Flight { sequence, sent_at: now, lost: false, items });
    }

    /// The other side says what arrived. Returns false for reports about what was never sent.
    pub(crate) fn handle_report(
        &mut self,
        report: &Report,
        now: SimTime,
        mut fate: impl FnMut(Fate, &Flight<I>),
    ) -> bool {
        if ahead(report.newest, self.next) >= 0 {
            return false;
        }
        let newest_sent_at = self.measure(report, now);
        let mut place = 0;
        while let Some(flight) = self.ring.get_mut(place) {
            let back = ahead(report.newest, flight.sequence);
            if back < 0 {
                break;
            }
            let arrived = report.covers(back);
            if arrived {
                let earlier =
                    newest_sent_at.map_or(Duration::ZERO, |at| at.saturating_since(flight.sent_at));
                fate(Fate::Arrived((report.arrived - earlier).max(flight.sent_at)), flight);
            } else if back >= REORDER.cast_signed() && !core::mem::replace(&mut flight.lost, true) {
                fate(Fate::Lost, flight);
            }
            if (arrived || back > ACK_BITS.cast_signed())
                && let Some(done) = self.ring.remove(place)
            {
                self.give_back(done.items);
            } else {
                place += 1;
            }
        }
        true
    }

    /// Takes the time of the newest datagram reported, if this is the first report of it.
    fn measure(&mut self, report: &Report, now: SimTime) -> Option<SimTime> {
        let newest = self.ring.iter().find(|flight| flight.sequence == report.newest)?;
        self.round_trip.record(now.secs_since(newest.sent_at).max(0.0));
        self.patience = 0;
        Some(newest.sent_at)
    }

    /// Gives up what has waited too long for an answer.
    pub(crate) fn handle_timeout(&mut self, now: SimTime, mut fate: impl FnMut(Fate, &Flight<I>)) {
        let timeout = self.timeout();
        let mut waited = false;
        for flight in &mut self.ring {
            if flight.sent_at + timeout > now {
                break;
            }
            if !core::mem::replace(&mut flight.lost, true) {
                fate(Fate::Lost, flight);
                waited = true;
            }
        }
        self.patience = (self.patience + u32::from(waited)).min(4);
    }

    /// When the next datagram will be given up.
    pub(crate) fn next_timeout(&self) -> Option<SimTime> {
        let waiting = self.ring.iter().find(|flight| !flight.lost)?;
        Some(waiting.sent_at + self.timeout())
    }

    /// How long an answer is waited for.
    pub(crate) fn timeout(&self) -> Duration {
        let known = self.round_trip.known;
        let wait_s = self.round_trip.smooth_s + 4.0 * self.round_trip.deviation_s;
        let wait = if known {
            Duration::try_from_secs_f64(wait_s).unwrap_or(LONGEST_TIMEOUT)
        } else {
            FIRST_TIMEOUT
        };
        (wait.max(SHORTEST_TIMEOUT) * (1 << self.patience)).min(LONGEST_TIMEOUT)
    }

    /// The shortest time there and back of late.
    pub(crate) fn least_round_trip(&self) -> Option<Duration> {
        self.round_trip.known.then(|| Duration::from_secs_f64(self.round_trip.least_s.max(0.0)))
    }

    /// How many datagrams are remembered.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.ring.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: i64) -> SimTime {
        SimTime::from_millis(millis)
    }

    fn report(newest: u16, before: u32) -> Report {
        Report { newest, before, arrived: ms(0) }
    }

    /// Flights 0..count, one every 10 ms, each carrying its own number.
    fn flights(count: u16) -> Flights<u16> {
        let mut flights = Flights::new();
        for n in 0..count {
            flights
                .sent(ms(i64::from(n) * 10), Vec::from([n]), |_, _| panic!("nothing is given up"));
        }
        flights
    }

    fn fates(flights: &mut Flights<u16>, report: &Report) -> (Vec<u16>, Vec<u16>) {
        let (mut arrived, mut lost) = (Vec::new(), Vec::new());
        flights.handle_report(report, ms(1000), |fate, flight| match fate {
            Fate::Arrived(_) => arrived.extend(&flight.items),
            Fate::Lost => lost.extend(&flight.items),
        });
        (arrived, lost)
    }

    #[test]
    fn a_window_tells_news_from_copies_across_the_wrap() {
        let mut window = Window::default();
        let numbers = [65_530_u16, 65_534, 3, 65_535, 1];
        for number in numbers {
            assert_eq!(window.judge(number), Arrival::New, "{number}");
            window.note(number);
        }
        for number in numbers {
            assert_eq!(window.judge(number), Arrival::Copy, "{number}");
        }
        assert_eq!(window.judge(2), Arrival::New);
        assert_eq!(window.judge(3_u16.wrapping_sub(32)), Arrival::New);
        assert_eq!(window.judge(3_u16.wrapping_sub(33)), Arrival::TooOld);
        window.note(3 + 32);
        assert_eq!((window.newest(), window.before()), (Some(35), 1 << 31));
        window.note(35 + 33);
        assert_eq!(window.before(), 0);
    }

    #[test]
    fn three_later_arrivals_make_a_loss_and_it_may_still_arrive() {
        let mut flights = flights(6);
        assert_eq!(fates(&mut flights, &report(2, 0b01)), (Vec::from([1, 2]), Vec::new()));
        assert_eq!(fates(&mut flights, &report(3, 0b011)), (Vec::from([3]), Vec::from([0])));
        assert_eq!(fates(&mut flights, &report(4, 0b1111)), (Vec::from([0, 4]), Vec::new()));
        assert_eq!(flights.len(), 1);
    }

    #[test]
    fn what_was_never_sent_cannot_be_acknowledged() {
        let mut flights = flights(2);
        assert!(!flights.handle_report(&report(2, !0), ms(50), |_, _| panic!("no fate")));
        assert_eq!(flights.len(), 2);
    }

    #[test]
    fn silence_is_a_loss_and_patience_grows() {
        let mut flights = flights(2);
        let mut lost = 0;
        flights.handle_timeout(ms(399), |_, _| lost += 1);
        assert_eq!(lost, 0);
        flights.handle_timeout(ms(400), |_, _| lost += 1);
        assert_eq!(lost, 1);
        assert_eq!(flights.timeout(), FIRST_TIMEOUT * 2);
        flights.handle_timeout(ms(500), |_, _| lost += 1);
        assert_eq!(lost, 1, "the second one waits longer now");
    }

    #[test]
    fn memory_is_bounded_for_a_silent_listener() {
        let mut flights = Flights::new();
        let mut lost = 0;
        for n in 0..1000_u16 {
            flights.sent(ms(0), Vec::from([n]), |_, _| lost += 1);
        }
        assert_eq!((flights.len(), lost), (MAX_FLIGHTS, 1000 - MAX_FLIGHTS));
    }

    #[test]
    fn older_arrivals_are_dated_by_their_distance_in_sending() {
        let mut flights = flights(3);
        let mut dates = Vec::new();
        let report = Report { newest: 2, before: 1, arrived: ms(120) };
        flights.handle_report(&report, ms(200), |fate, _| dates.push(fate));
        assert_eq!(dates, [Fate::Arrived(ms(110)), Fate::Arrived(ms(120))]);
    }
}
