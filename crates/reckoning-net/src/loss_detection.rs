//! Loss detection: what each datagram sent carried, and whether it was acknowledged or lost.
//!
//! Every datagram carries back which of the other side's were received: the newest one and a bit
//! for each of the 32 before it. So an acknowledgement that is lost is repeated by the next one,
//! at no cost.
//!
//! ```text
//! sent      100  101  102  103  104  105      ack: newest 104, before ...1 0 1 1
//! received    x    x         x    x                              103 102 101 100
//!                       ^ lost: one sent three later was received
//! ```
//!
//! A datagram counts as lost once one sent [`REORDER_THRESHOLD`] later is acknowledged, or when no
//! acknowledgement came within a time-out that follows the measured round trip: that, and 2.8 standard
//! deviations of it, which grows only after several in a row, since bursts of losses end. Either way
//! [`SentPackets`] reports a [`PacketOutcome`]; what was reported lost may still be acknowledged
//! later, and that is reported too. What is sent again, and in what form, is decided by those who
//! put the items in.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::SimTime;

use crate::ack_window::{ACK_BITS, ahead};
use crate::channel::expand_millis;
use crate::limits::MAX_SENT_PACKETS;
use crate::wire::Ack;

/// A datagram is given up once one sent this much later is acknowledged: networks that reorder do
/// so by a few (RFC 9002, 6.1.1).
const REORDER_THRESHOLD: u16 = 3;

/// Outcomes that the measured loss remembers.
const LOSS_MEMORY: u8 = 128;

/// An acknowledgement is waited for so many deviations beyond the smoothed round trip: they are mean
/// ones, four fifths of the standard deviation, of which that is 2.8.
const DEVIATIONS: f64 = 3.5;
/// What an acknowledgement waits at most on the other side, for a datagram that carries it.
const ACK_WAIT_S: f64 = 0.05;
/// Time-outs in a row after which those that follow are doubled: a burst of losses is no reason to
/// wait longer, silence is.
const PATIENT_AFTER: u32 = 3;

/// Time-out before the first round trip was measured.
const INITIAL_TIMEOUT: Duration = Duration::from_millis(400);
/// Shortest time-out of a transport: an acknowledgement waits for a datagram that carries it.
const MIN_TIMEOUT: Duration = Duration::from_millis(150);
/// The same where losses are repaired as soon as they are likely.
const MIN_WAIT: Duration = Duration::from_millis(60);
/// Time-outs that are counted.
const MAX_BACKOFF: u32 = 4 + PATIENT_AFTER;
/// Longest time-out, however silent the other side is.
const MAX_TIMEOUT: Duration = Duration::from_secs(2);

/// Outcome of a datagram that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketOutcome {
    /// It was received, at about this moment by the other side's report.
    Acknowledged(SimTime),
    /// It counts as lost; an acknowledgement may still follow. `missed` if a later one was received;
    /// if not, it may be the acknowledgements that are lost.
    Lost { missed: bool },
    /// It counted as lost because no acknowledgement came, and now a later one was received
    /// or twice the time-out passed.
    Missed,
}

/// One datagram that was sent, and the items it carried.
#[derive(Clone, Debug)]
pub(crate) struct SentPacket<I> {
    /// Counts datagrams; the lowest bits are its sequence number.
    pub(crate) number: u64,
    pub(crate) sent_at: SimTime,
    lost: bool,
    /// It counts as lost for good: a later one was received, or twice the time-out passed.
    missed: bool,
    pub(crate) items: Vec<I>,
}

/// Round-trip time, smoothed as in RFC 6298.
#[derive(Clone, Copy, Debug, Default)]
struct RoundTrip {
    smoothed_s: f64,
    deviation_s: f64,
    min_s: f64,
    known: bool,
}

impl RoundTrip {
    fn record(&mut self, sample_s: f64) {
        if self.known {
            self.deviation_s += 0.25 * ((sample_s - self.smoothed_s).abs() - self.deviation_s);
            self.smoothed_s += 0.125 * (sample_s - self.smoothed_s);
            // Forgets slowly, so that a path that became longer is accepted in the end.
            self.min_s = (self.min_s + 0.001 * (self.smoothed_s - self.min_s)).min(sample_s);
        } else {
            *self = Self {
                smoothed_s: sample_s,
                deviation_s: sample_s / 2.0,
                min_s: sample_s,
                known: true,
            };
        }
    }
}

/// Datagrams in flight, each with the items it carried.
#[derive(Clone, Debug)]
pub(crate) struct SentPackets<I> {
    /// By sequence number, oldest first.
    ring: VecDeque<SentPacket<I>>,
    /// Emptied lists, so that a busy sender does not allocate.
    spare: Vec<Vec<I>>,
    /// Number of the next datagram.
    next: u64,
    round_trip: RoundTrip,
    /// How often the time-out passed since the last acknowledgement.
    backoff: u32,
    loss: MeasuredLoss,
    /// Waits as RFC 6298 says, and doubles the time-out each time.
    waits_long: bool,
}

/// An acknowledgement with its moment expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckReport {
    pub(crate) newest: u16,
    pub(crate) before: u32,
    /// When `newest` was received there.
    pub(crate) arrived: SimTime,
}

impl AckReport {
    /// The acknowledgement in a header received at `now`, by the clock it is stamped in.
    pub(crate) fn from_ack(ack: Ack, now: SimTime) -> Self {
        let arrived = expand_millis(ack.received_ms, now);
        Self { newest: ack.newest, before: ack.before, arrived }
    }

    fn covers(&self, back: i16) -> bool {
        back == 0
            || (1..=ACK_BITS.cast_signed()).contains(&back) && self.before & (1 << (back - 1)) != 0
    }
}

impl<I> SentPackets<I> {
    pub(crate) const fn new() -> Self {
        Self {
            ring: VecDeque::new(),
            spare: Vec::new(),
            next: 0,
            round_trip: RoundTrip { smoothed_s: 0.0, deviation_s: 0.0, min_s: 0.0, known: false },
            backoff: 0,
            loss: MeasuredLoss::NONE,
            waits_long: true,
        }
    }

    /// Gives datagrams up as late as a transport would from now on, or as soon as they are doubtful. At
    /// first it is late.
    pub(crate) const fn wait_long(&mut self, waits_long: bool) {
        self.waits_long = waits_long;
    }

    /// The share of datagrams that are lost, smoothed.
    pub(crate) const fn loss(&self) -> f32 {
        self.loss.share
    }

    /// Sequence number of the next datagram.
    pub(crate) const fn next_sequence(&self) -> u16 {
        self.next as u16
    }

    /// Number of the next datagram: its sequence number before that was cut to sixteen bits.
    pub(crate) const fn next_number(&self) -> u64 {
        self.next
    }

    /// Number of the latest datagram that was sent with this sequence number.
    pub(crate) const fn number_of(&self, sequence: u16) -> Option<u64> {
        let back = self.next_sequence().wrapping_sub(sequence);
        let back = if back == 0 { 1 << 16 } else { back as u64 };
        self.next.checked_sub(back)
    }

    /// An empty list for the items of the next datagram, allocated before if possible.
    pub(crate) fn item_list(&mut self) -> Vec<I> {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes back a list that is no longer needed.
    pub(crate) fn recycle(&mut self, mut list: Vec<I>) {
        list.clear();
        if self.spare.len() < MAX_SENT_PACKETS {
            self.spare.push(list);
        }
    }

    /// A datagram was sent with these items. One without any needs no acknowledgement.
    /// `on_outcome` gets what is given up to make room.
    pub(crate) fn sent(
        &mut self,
        now: SimTime,
        items: Vec<I>,
        mut on_outcome: impl FnMut(PacketOutcome, &SentPacket<I>),
    ) {
        let number = self.next;
        self.next += 1;
        if items.is_empty() {
            self.recycle(items);
            return;
        }
        if self.ring.len() >= MAX_SENT_PACKETS
            && let Some(mut oldest) = self.ring.pop_front()
        {
            if !core::mem::replace(&mut oldest.lost, true) {
                self.loss.record(true);
                on_outcome(PacketOutcome::Lost { missed: true }, &oldest);
            } else if !oldest.missed {
                on_outcome(PacketOutcome::Missed, &oldest);
            }
            self.recycle(oldest.items);
        }
        self.ring.push_back(SentPacket { number, sent_at: now, lost: false, missed: false, items });
    }

    /// The other side acknowledges what it received. Returns false for what was never sent.
    pub(crate) fn handle_ack_report(
        &mut self,
        report: &AckReport,
        now: SimTime,
        mut on_outcome: impl FnMut(PacketOutcome, &SentPacket<I>),
    ) -> bool {
        if ahead(report.newest, self.next_sequence()) >= 0 {
            return false;
        }
        let newest_sent_at = self.measure(report, now);
        let mut place = 0;
        while let Some(packet) = self.ring.get_mut(place) {
            let back = ahead(report.newest, packet.number as u16);
            if back < 0 {
                break;
            }
            let arrived = report.covers(back);
            if arrived {
                if packet.lost {
                    self.loss.take_back();
                } else {
                    self.loss.record(false);
                }
                let earlier =
                    newest_sent_at.map_or(Duration::ZERO, |at| at.saturating_since(packet.sent_at));
                on_outcome(
                    PacketOutcome::Acknowledged((report.arrived - earlier).max(packet.sent_at)),
                    packet,
                );
            } else if packet.lost {
                if !core::mem::replace(&mut packet.missed, true) {
                    on_outcome(PacketOutcome::Missed, packet);
                }
            } else if back >= REORDER_THRESHOLD.cast_signed() {
                (packet.lost, packet.missed) = (true, true);
                self.loss.record(true);
                on_outcome(PacketOutcome::Lost { missed: true }, packet);
            }
            if (arrived || back > ACK_BITS.cast_signed())
                && let Some(done) = self.ring.remove(place)
            {
                self.recycle(done.items);
            } else {
                place += 1;
            }
        }
        true
    }

    /// Measures the round trip of the newest datagram acknowledged, if that is new.
    fn measure(&mut self, report: &AckReport, now: SimTime) -> Option<SimTime> {
        let newest = self.ring.iter().find(|packet| packet.number as u16 == report.newest)?;
        self.round_trip.record(now.secs_since(newest.sent_at).max(0.0));
        self.backoff = 0;
        Some(newest.sent_at)
    }

    /// Gives up what was not acknowledged within the time-out.
    pub(crate) fn handle_timeout(
        &mut self,
        now: SimTime,
        mut on_outcome: impl FnMut(PacketOutcome, &SentPacket<I>),
    ) {
        let timeout = self.timeout();
        let mut waited = false;
        for packet in &mut self.ring {
            if packet.sent_at + timeout > now {
                break;
            }
            if packet.lost && !packet.missed && packet.sent_at + timeout * 2 <= now {
                packet.missed = true;
                on_outcome(PacketOutcome::Missed, packet);
            }
            if !core::mem::replace(&mut packet.lost, true) {
                self.loss.record(true);
                on_outcome(PacketOutcome::Lost { missed: false }, packet);
                waited = true;
            }
        }
        self.backoff = (self.backoff + u32::from(waited)).min(MAX_BACKOFF);
    }

    /// When the next datagram will be given up, if it is not acknowledged.
    pub(crate) fn next_timeout(&self) -> Option<SimTime> {
        let waiting = self.ring.iter().find(|packet| !packet.lost)?;
        Some(waiting.sent_at + self.timeout())
    }

    /// How long an acknowledgement is waited for.
    pub(crate) fn timeout(&self) -> Duration {
        let RoundTrip { smoothed_s, deviation_s, min_s, known } = self.round_trip;
        let (wait_s, least, doublings) = if self.waits_long {
            (smoothed_s + 4.0 * deviation_s, MIN_TIMEOUT, self.backoff.min(4))
        } else {
            let wait_s = (smoothed_s + DEVIATIONS * deviation_s).max(min_s + ACK_WAIT_S);
            (wait_s, MIN_WAIT, self.backoff.saturating_sub(PATIENT_AFTER))
        };
        let wait = if known {
            Duration::try_from_secs_f64(wait_s).unwrap_or(MAX_TIMEOUT)
        } else {
            INITIAL_TIMEOUT
        };
        (wait.max(least) * (1 << doublings)).min(MAX_TIMEOUT)
    }

    /// The shortest recent round trip.
    pub(crate) fn min_round_trip(&self) -> Option<Duration> {
        self.round_trip.known.then(|| Duration::from_secs_f64(self.round_trip.min_s.max(0.0)))
    }

    /// The longest round trip to be expected: smoothed, and four deviations.
    pub(crate) fn max_round_trip(&self) -> Option<Duration> {
        let most_s = self.round_trip.smoothed_s + 4.0 * self.round_trip.deviation_s;
        self.round_trip.known.then(|| Duration::try_from_secs_f64(most_s).unwrap_or(MAX_TIMEOUT))
    }

    /// The round trip, smoothed: the other side's wait before it acknowledges is part of it.
    pub(crate) fn smoothed_round_trip(&self) -> Option<Duration> {
        let known = self.round_trip.known;
        known.then(|| Duration::try_from_secs_f64(self.round_trip.smoothed_s).unwrap_or_default())
    }

    /// Datagrams remembered.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.ring.len()
    }
}

/// The share of datagrams that are lost, over the last hundred or so: bursts are over by the time they
/// are heard of, so they should not weigh more than their share.
#[derive(Clone, Copy, Debug)]
struct MeasuredLoss {
    share: f32,
    /// Outcomes, up to as many as are remembered.
    count: u8,
}

impl MeasuredLoss {
    const NONE: Self = Self { share: 0.0, count: 0 };

    fn record(&mut self, lost: bool) {
        self.count = (self.count + 1).min(LOSS_MEMORY);
        self.share += (f32::from(u8::from(lost)) - self.share) / f32::from(self.count);
    }

    /// What was counted as lost was not.
    fn take_back(&mut self) {
        self.share = (self.share - 1.0 / f32::from(self.count.max(1))).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: i64) -> SimTime {
        SimTime::from_millis(millis)
    }

    fn report(newest: u16, before: u32) -> AckReport {
        AckReport { newest, before, arrived: ms(0) }
    }

    /// Datagrams 0..count, one every 10 ms, each carrying its own number.
    fn sent_packets(count: u16) -> SentPackets<u16> {
        let mut sent_packets = SentPackets::new();
        for n in 0..count {
            sent_packets
                .sent(ms(i64::from(n) * 10), Vec::from([n]), |_, _| panic!("nothing is given up"));
        }
        sent_packets
    }

    fn fates(sent_packets: &mut SentPackets<u16>, report: &AckReport) -> (Vec<u16>, Vec<u16>) {
        let (mut arrived, mut lost) = (Vec::new(), Vec::new());
        sent_packets.handle_ack_report(report, ms(1000), |on_outcome, packet| match on_outcome {
            PacketOutcome::Acknowledged(_) => arrived.extend(&packet.items),
            PacketOutcome::Lost { .. } => lost.extend(&packet.items),
            PacketOutcome::Missed => {}
        });
        (arrived, lost)
    }

    #[test]
    fn three_later_arrivals_make_a_loss_and_it_may_still_arrive() {
        let mut sent_packets = sent_packets(6);
        assert_eq!(fates(&mut sent_packets, &report(2, 0b01)), (Vec::from([1, 2]), Vec::new()));
        assert_eq!(fates(&mut sent_packets, &report(3, 0b011)), (Vec::from([3]), Vec::from([0])));
        assert_eq!(fates(&mut sent_packets, &report(4, 0b1111)), (Vec::from([0, 4]), Vec::new()));
        assert_eq!(sent_packets.len(), 1);
    }

    #[test]
    fn no_answer_is_a_doubt_and_a_later_arrival_makes_it_sure() {
        let mut sent_packets = sent_packets(3);
        let mut outcomes = Vec::new();
        sent_packets
            .handle_timeout(ms(400), |outcome, packet| outcomes.push((packet.number, outcome)));
        assert_eq!(outcomes, [(0, PacketOutcome::Lost { missed: false })]);
        outcomes.clear();
        sent_packets.handle_ack_report(&report(2, 1), ms(410), |outcome, packet| {
            outcomes.push((packet.number, outcome));
        });
        assert_eq!(outcomes[0], (0, PacketOutcome::Missed));
        assert!(sent_packets.loss() > 0.3, "one of three: {}", sent_packets.loss());
    }

    #[test]
    fn loss_that_was_not_is_taken_back() {
        let mut sent_packets = sent_packets(2);
        sent_packets.handle_timeout(ms(420), |_, _| {});
        assert_eq!(sent_packets.loss(), 1.0);
        sent_packets.handle_ack_report(&report(1, 1), ms(430), |_, _| {});
        assert_eq!(sent_packets.loss(), 0.0);
    }

    #[test]
    fn a_burst_makes_no_one_wait_longer_but_silence_does() {
        let mut sent_packets = sent_packets(1);
        sent_packets.wait_long(false);
        sent_packets.handle_ack_report(&report(0, 0), ms(100), |_, _| {});
        let first = sent_packets.timeout();
        for n in 1..=6_u16 {
            let at = ms(1_000 * i64::from(n));
            sent_packets.sent(at, Vec::from([n]), |_, _| {});
            sent_packets.handle_timeout(at + sent_packets.timeout(), |_, _| {});
            let doublings = u32::from(n).saturating_sub(PATIENT_AFTER);
            assert_eq!(sent_packets.timeout(), (first * (1 << doublings)).min(MAX_TIMEOUT));
        }
    }

    #[test]
    fn what_was_never_sent_cannot_be_acknowledged() {
        let mut sent_packets = sent_packets(2);
        assert!(
            !sent_packets.handle_ack_report(&report(2, !0), ms(50), |_, _| panic!("no on_outcome"))
        );
        assert_eq!(sent_packets.len(), 2);
    }

    #[test]
    fn silence_is_a_loss_and_a_transports_time_out_grows() {
        let mut sent_packets = sent_packets(2);
        let mut lost = 0;
        sent_packets.handle_timeout(ms(399), |_, _| lost += 1);
        assert_eq!(lost, 0);
        sent_packets.handle_timeout(ms(400), |_, _| lost += 1);
        assert_eq!(lost, 1);
        assert_eq!(sent_packets.timeout(), INITIAL_TIMEOUT * 2);
        sent_packets.handle_timeout(ms(500), |_, _| lost += 1);
        assert_eq!(lost, 1, "the second one waits longer now");
    }

    #[test]
    fn memory_is_bounded_for_a_silent_listener() {
        let mut sent_packets = SentPackets::new();
        let mut lost = 0;
        for n in 0..1000_u16 {
            sent_packets.sent(ms(0), Vec::from([n]), |_, _| lost += 1);
        }
        assert_eq!((sent_packets.len(), lost), (MAX_SENT_PACKETS, 1000 - MAX_SENT_PACKETS));
    }

    #[test]
    fn older_arrivals_are_dated_by_their_distance_in_sending() {
        let mut sent_packets = sent_packets(3);
        let mut dates = Vec::new();
        let report = AckReport { newest: 2, before: 1, arrived: ms(120) };
        sent_packets.handle_ack_report(&report, ms(200), |on_outcome, _| dates.push(on_outcome));
        assert_eq!(
            dates,
            [PacketOutcome::Acknowledged(ms(110)), PacketOutcome::Acknowledged(ms(120))]
        );
    }
}
