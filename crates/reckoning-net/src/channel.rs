//! What two ends keep about each other, whichever is the host.

use reckoning::SimTime;

use crate::acks::{Arrival, Flights, Report, Window};
use crate::redundant_commands::{FirstCopies, Repeats};
use crate::reliable::{Inbox, Outbox};
use crate::wire::{Ack, EntityId, Message};

/// How a message to the other side is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Once and in order, sent again until it is acknowledged.
    Reliable,
    /// In the next few datagrams, whichever arrives first; in no order, and lost if all are.
    Repeated,
}

/// Why a message was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError {
    /// It is longer than a datagram can carry.
    TooLong {
        /// Its length.
        got_bytes: usize,
        /// What can be carried.
        max_bytes: usize,
    },
    /// Too much waits already: the other side does not acknowledge it. Try again later.
    Full,
    /// There is nobody to send to: not joined, or gone.
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

/// What a datagram carried that its fate matters to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    /// An update of an entity, in a zone class, in one stay in the receiver's zone.
    Update { entity: EntityId, number: u16, class: u8, stay: u16 },
    /// The same, with all the receiver needs to begin.
    Enter { entity: EntityId, number: u16, class: u8, stay: u16 },
    /// An update to a receiver that may not know the entity yet: no baseline.
    Blind { entity: EntityId, number: u16, stay: u16 },
    /// The end of a stay.
    Exit { entity: EntityId, stay: u16 },
    /// Something that is said until it is heard.
    Notice { serial: u16 },
    /// A piece of the ordered stream.
    Reliable { index: u16 },
    /// The answer to a join.
    Welcome,
}

/// What one end keeps about its connection to the other.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) heard: Window,
    /// Datagrams that were understood, and those that the other side sent from the first of them
    /// to the newest.
    noted: u64,
    sent_to_us: u64,
    /// Host time at which the newest datagram came in.
    newest_at: SimTime,
    /// Since when an acknowledgement is owed, by the local clock.
    owed_since: Option<SimTime>,
    /// When the other side was heard last, by the local clock.
    pub(crate) heard_at: SimTime,
    pub(crate) flights: Flights<Carried>,
    pub(crate) outbox: Outbox,
    pub(crate) inbox: Inbox,
    pub(crate) repeats: Repeats,
    pub(crate) copies: FirstCopies,
}

impl Channel {
    pub(crate) fn new(repeats: u8, now: SimTime) -> Self {
        Self {
            heard: Window::default(),
            noted: 0,
            sent_to_us: 0,
            newest_at: now,
            owed_since: None,
            heard_at: now,
            flights: Flights::new(),
            outbox: Outbox::default(),
            inbox: Inbox::default(),
            repeats: Repeats::new(repeats),
            copies: FirstCopies::default(),
        }
    }

    /// Takes a message of the game's own.
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
                self.repeats.push(bytes);
                Ok(())
            }
        }
    }

    pub(crate) fn judge(&self, sequence: u16) -> Arrival {
        self.heard.judge(sequence)
    }

    /// A datagram came in and was understood. `host_now` is the host's time as this end knows
    /// it, `owes` whether it carried anything worth an acknowledgement.
    pub(crate) fn note(&mut self, sequence: u16, host_now: SimTime, now: SimTime, owes: bool) {
        let before = self.heard.newest();
        self.noted += 1;
        if self.heard.note(sequence) {
            let step = before.map_or(1, |before| sequence.wrapping_sub(before));
            self.sent_to_us += u64::from(step);
            self.newest_at = host_now;
        }
        if owes {
            self.owed_since = self.owed_since.or(Some(now));
        }
    }

    /// Datagrams of the other side that did not come, by the gaps in their numbers.
    pub(crate) const fn missed(&self) -> u64 {
        // A late one from before the first that came is noted and in no gap.
        self.sent_to_us.saturating_sub(self.noted)
    }

    /// Since when an acknowledgement is owed.
    pub(crate) const fn owed_since(&self) -> Option<SimTime> {
        self.owed_since
    }

    /// The acknowledgement to put into a datagram that is about to leave.
    pub(crate) fn ack(&self) -> Option<Ack> {
        let newest = self.heard.newest()?;
        let received_ms = low_millis(self.newest_at);
        Some(Ack { newest, before: self.heard.before(), received_ms })
    }

    /// A datagram with that acknowledgement left.
    pub(crate) fn acked(&mut self) {
        self.owed_since = None;
    }

    /// Whether a message needs a datagram.
    pub(crate) fn has_messages(&self) -> bool {
        self.outbox.next().is_some() || !self.repeats.is_empty()
    }
}

/// Whether a message is worth an acknowledgement.
pub(crate) const fn owes_ack(message: &Message) -> bool {
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
pub(crate) fn before_now(low_ms: u16, now: SimTime) -> SimTime {
    let now_ms = now.as_micros().div_euclid(1000);
    let back = (now_ms as u16).wrapping_sub(low_ms);
    SimTime::from_millis(now_ms.saturating_sub(i64::from(back)))
}

/// What an acknowledgement says, with its moment expanded.
pub(crate) fn report_of(ack: Ack, now: SimTime) -> Report {
    Report { newest: ack.newest, before: ack.before, arrived: before_now(ack.received_ms, now) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_counted_until_they_are_filled() {
        let mut channel = Channel::new(1, SimTime::ZERO);
        let mut missed = |sequence: u16| {
            channel.note(sequence, SimTime::ZERO, SimTime::ZERO, false);
            channel.missed()
        };
        assert_eq!([65_534, 65_535, 2, 0, 3, 1].map(&mut missed), [0, 0, 2, 1, 1, 0]);
        assert_eq!(missed(104), 100);
    }

    #[test]
    fn moments_are_restored_from_their_lowest_bits() {
        for (at, now) in [(5, 5), (65_535, 65_540), (131_071, 131_072), (1_000_000, 1_060_000)] {
            let (at, now) = (SimTime::from_millis(at), SimTime::from_millis(now));
            assert_eq!(before_now(low_millis(at), now), at);
        }
    }
}
