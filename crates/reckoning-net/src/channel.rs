//! Connection state that both ends keep: acknowledgements, datagrams in flight, message queues.

use reckoning::SimTime;

use crate::ack_window::{AckWindow, Arrival, Sequence};
use crate::kinds::{KindId, PropertyId};
use crate::loss_detection::SentPackets;
use crate::redundant_commands::{DuplicateFilter, RedundantCommands};
use crate::reliable::{ReliableInbox, ReliableOutbox};
use crate::wire::{Ack, EntityId, Header, Message};

/// How a message of the game is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Once and in order, retransmitted until it is acknowledged.
    Reliable,
    /// Carried by the next few datagrams, whichever arrives first; in no order, and lost if all are.
    Repeated,
}

/// Why a message was not queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError {
    /// It is longer than a datagram can carry.
    TooLong {
        /// Its length.
        got_bytes: usize,
        /// The longest that can be carried.
        max_bytes: usize,
    },
    /// Too many messages wait to be acknowledged. Try again later.
    Full,
    /// The other end has not joined, or is gone.
    NotJoined,
}

impl core::fmt::Display for SendError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::TooLong { got_bytes, max_bytes } => {
                write!(f, "message of {got_bytes} bytes is longer than {max_bytes}; split it")
            }
            Self::Full => write!(f, "too many messages wait to be acknowledged; try again later"),
            Self::NotJoined => write!(f, "nobody to send to; wait for the join"),
        }
    }
}

impl core::error::Error for SendError {}

/// Something a datagram carried that has to be known when it is acknowledged or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentItem {
    /// An update of an entity, as a distance class wrote it, in one epoch of the interest set.
    Update { entity: EntityId, number: Sequence, class: u8, epoch: u32 },
    /// The entry of an entity, with everything the receiver needs to begin.
    Enter { entity: EntityId, number: Sequence, class: u8, epoch: u32 },
    /// An update sent before the entry was acknowledged: it serves as no baseline.
    EarlyUpdate { entity: EntityId, number: Sequence, epoch: u32 },
    /// The exit of an entity, which ends the epoch.
    Exit { entity: EntityId, epoch: u32 },
    /// Joints of an entity, a bit for each.
    Joints { entity: EntityId, mask: u8, epoch: u32 },
    /// A control message.
    Control { serial: u32 },
    /// A reliable message.
    Reliable { index: u16 },
    /// The welcome.
    Welcome,
    /// A kind.
    Kind { kind: KindId },
    /// A property.
    Property { property: PropertyId },
    /// Values of these properties of an entity, as they were after so many changes, in one epoch of
    /// the interest set or of its ownership.
    Values { entity: EntityId, mask: u32, version: u64, epoch: u32 },
    /// A request for all values of an entity.
    Ask { entity: EntityId },
    /// How we show others.
    View { serial: u16 },
}

/// A datagram while its messages are handled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub(crate) sequence: Sequence,
    /// When it was sent, by the other side's clock.
    pub(crate) sent_ms: i64,
}

/// State of one end of a connection, whichever end it is.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) received: AckWindow,
    /// Datagrams received and understood, and those that the other side sent from the first of
    /// them to the newest.
    received_count: u64,
    expected_count: u64,
    /// Host time at which the newest datagram was received.
    newest_received_at: SimTime,
    /// Since when an acknowledgement is owed, by the local clock.
    ack_owed_since: Option<SimTime>,
    /// When a datagram was received last, by the local clock.
    pub(crate) last_received_at: SimTime,
    pub(crate) sent_packets: SentPackets<SentItem>,
    pub(crate) outbox: ReliableOutbox,
    pub(crate) inbox: ReliableInbox,
    pub(crate) redundant: RedundantCommands,
    pub(crate) duplicates: DuplicateFilter,
}

impl Channel {
    pub(crate) fn new(command_repeats: u8, now: SimTime) -> Self {
        Self {
            received: AckWindow::default(),
            received_count: 0,
            expected_count: 0,
            newest_received_at: now,
            ack_owed_since: None,
            last_received_at: now,
            sent_packets: SentPackets::new(),
            outbox: ReliableOutbox::default(),
            inbox: ReliableInbox::default(),
            redundant: RedundantCommands::new(command_repeats),
            duplicates: DuplicateFilter::default(),
        }
    }

    /// Queues a message of the game's own.
    pub(crate) fn send(&mut self, bytes: &[u8], delivery: Delivery) -> Result<(), SendError> {
        let max_bytes = match delivery {
            Delivery::Reliable => crate::wire::MAX_RELIABLE_BYTES,
            Delivery::Repeated => crate::wire::MAX_COMMAND_BYTES,
        };
        if bytes.len() > max_bytes {
            return Err(SendError::TooLong { got_bytes: bytes.len(), max_bytes });
        }
        match delivery {
            Delivery::Reliable if !self.outbox.push(bytes) => Err(SendError::Full),
            Delivery::Reliable => Ok(()),
            Delivery::Repeated => {
                self.redundant.push(bytes);
                Ok(())
            }
        }
    }

    pub(crate) fn classify(&self, sequence: u16) -> Arrival {
        self.received.classify(sequence)
    }

    /// What its messages need to know of a datagram that arrives with this header.
    pub(crate) fn arriving(&self, header: &Header) -> Arriving {
        Arriving { sequence: self.received.restore(header.sequence), sent_ms: header.sent_ms }
    }

    /// A datagram was received and understood. `host_now` is the host's time as this end knows
    /// it, `ack_eliciting` whether it carried anything worth an acknowledgement.
    pub(crate) fn record_received(
        &mut self,
        sequence: u16,
        host_now: SimTime,
        now: SimTime,
        ack_eliciting: bool,
    ) {
        let before = self.received.newest();
        self.received_count += 1;
        if self.received.record(sequence) {
            let newest = self.received.newest();
            let step = before.zip(newest).map_or(1, |(before, newest)| newest.since(before));
            self.expected_count += step;
            self.newest_received_at = host_now;
        }
        if ack_eliciting {
            self.ack_owed_since = self.ack_owed_since.or(Some(now));
        }
    }

    /// Datagrams of the other side that were not received, by the gaps in their sequence.
    pub(crate) const fn missed(&self) -> u64 {
        // A late one from before the first received is counted and in no gap.
        self.expected_count.saturating_sub(self.received_count)
    }

    /// Since when an acknowledgement is owed.
    pub(crate) const fn ack_owed_since(&self) -> Option<SimTime> {
        self.ack_owed_since
    }

    /// The acknowledgement for the header of the next datagram.
    pub(crate) fn ack(&self) -> Option<Ack> {
        let newest = self.received.newest()?.low();
        let received_ms = low_millis(self.newest_received_at);
        Some(Ack { newest, before: self.received.before(), received_ms })
    }

    /// A datagram with that acknowledgement was sent.
    pub(crate) fn ack_sent(&mut self) {
        self.ack_owed_since = None;
    }

    /// Whether a message needs a datagram.
    pub(crate) fn has_messages(&self) -> bool {
        self.outbox.next().is_some() || !self.redundant.is_empty()
    }
}

/// Whether a message makes its receiver send an acknowledgement if nothing else is sent.
pub(crate) const fn is_ack_eliciting(message: &Message) -> bool {
    !matches!(
        message,
        Message::Ping { .. }
            | Message::Pong { .. }
            | Message::Command { .. }
            | Message::Join { .. }
            | Message::ReliableAck { .. }
    )
}

/// The lowest 16 bits of a moment in milliseconds.
pub(crate) fn low_millis(at: SimTime) -> u16 {
    at.as_micros().div_euclid(1000) as u16
}

/// The latest moment not after `now` whose milliseconds end like that.
pub(crate) fn expand_millis(low_ms: u16, now: SimTime) -> SimTime {
    let now_ms = now.as_micros().div_euclid(1000);
    let back = (now_ms as u16).wrapping_sub(low_ms);
    SimTime::from_millis(now_ms.saturating_sub(i64::from(back)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_counted_until_they_are_filled() {
        let mut channel = Channel::new(1, SimTime::ZERO);
        let mut missed = |sequence: u16| {
            channel.record_received(sequence, SimTime::ZERO, SimTime::ZERO, false);
            channel.missed()
        };
        assert_eq!([65_534, 65_535, 2, 0, 3, 1].map(&mut missed), [0, 0, 2, 1, 1, 0]);
        assert_eq!(missed(104), 100);
    }

    #[test]
    fn moments_are_restored_from_their_lowest_bits() {
        for (at, now) in [(5, 5), (65_535, 65_540), (131_071, 131_072), (1_000_000, 1_060_000)] {
            let (at, now) = (SimTime::from_millis(at), SimTime::from_millis(now));
            assert_eq!(expand_millis(low_millis(at), now), at);
        }
    }
}
