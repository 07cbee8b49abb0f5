//! Reliable messages: delivered once and in order, over datagrams that may be lost.
//!
//! A [`ReliableOutbox`] numbers the messages and hands each out to be carried by a datagram; when
//! that datagram is lost the message is handed out again, when it is acknowledged the message is
//! done. A [`ReliableInbox`] puts them back in order. Nothing waits for them but what follows in
//! the same stream: updates overtake.
//!
//! Both are bounded: an outbox refuses what does not fit, and never lets more than
//! [`MAX_IN_FLIGHT`] messages be in flight, which is less than an inbox can hold.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use crate::ack_window::ahead;
use crate::limits::{MAX_EARLY_MESSAGES, MAX_IN_FLIGHT, MAX_QUEUED_BYTES, MAX_QUEUED_MESSAGES};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PieceState {
    Waiting,
    InFlight,
    Acknowledged,
}

/// Messages that are not acknowledged yet, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReliableOutbox {
    queue: VecDeque<(Vec<u8>, PieceState)>,
    /// The index of the first in `queue`.
    first: u16,
    bytes: usize,
}

impl ReliableOutbox {
    /// Queues a message. Returns false when there is no room.
    pub(crate) fn push(&mut self, message: &[u8]) -> bool {
        if self.queue.len() >= MAX_QUEUED_MESSAGES || self.bytes + message.len() > MAX_QUEUED_BYTES
        {
            return false;
        }
        self.bytes += message.len();
        self.queue.push_back((message.to_vec(), PieceState::Waiting));
        true
    }

    /// The next message to be put into a datagram, with its index.
    pub(crate) fn next(&self) -> Option<(u16, &[u8])> {
        let mut open = self.queue.iter().take(MAX_IN_FLIGHT).enumerate();
        let (place, (bytes, _)) = open.find(|(_, (_, state))| *state == PieceState::Waiting)?;
        Some((self.first.wrapping_add(place as u16), bytes))
    }

    /// A message was put into a datagram.
    pub(crate) fn sent(&mut self, index: u16) {
        self.advance(index, PieceState::Waiting, PieceState::InFlight);
    }

    /// The datagram with this message was lost.
    pub(crate) fn lost(&mut self, index: u16) {
        self.advance(index, PieceState::InFlight, PieceState::Waiting);
    }

    /// The datagram with this message was acknowledged.
    pub(crate) fn acknowledged(&mut self, index: u16) {
        self.advance(index, PieceState::InFlight, PieceState::Acknowledged);
        // An acknowledgement that comes after it was given up saves the retransmission.
        self.advance(index, PieceState::Waiting, PieceState::Acknowledged);
        while let Some((bytes, PieceState::Acknowledged)) = self.queue.front() {
            self.bytes -= bytes.len();
            self.queue.pop_front();
            self.first = self.first.wrapping_add(1);
        }
    }

    fn advance(&mut self, index: u16, from: PieceState, to: PieceState) {
        let place = usize::from(index.wrapping_sub(self.first));
        if let Some((_, state)) = self.queue.get_mut(place)
            && *state == from
        {
            *state = to;
        }
    }

    /// Messages that are not acknowledged yet.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }
}

/// What an inbox did with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is held or ready.
    New,
    /// It was received before.
    Duplicate,
    /// It is further ahead than an honest outbox sends.
    TooFar,
}

/// Received messages, put back in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReliableInbox {
    next: u16,
    held: BTreeMap<u16, Vec<u8>>,
}

impl ReliableInbox {
    /// Takes a message; then ask [`ready`](Self::ready) until `None`.
    pub(crate) fn take(&mut self, index: u16, bytes: &[u8]) -> Taken {
        let offset = ahead(index, self.next);
        if offset < 0 || self.held.contains_key(&index) {
            return Taken::Duplicate;
        }
        if usize::from(offset.unsigned_abs()) >= MAX_EARLY_MESSAGES {
            return Taken::TooFar;
        }
        self.held.insert(index, bytes.to_vec());
        Taken::New
    }

    /// The next message in order, if it is here.
    pub(crate) fn ready(&mut self) -> Option<Vec<u8>> {
        let message = self.held.remove(&self.next)?;
        self.next = self.next.wrapping_add(1);
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_once_and_in_order_however_they_are_shuffled() {
        let (mut outbox, mut inbox) = (ReliableOutbox::default(), ReliableInbox::default());
        (outbox.first, inbox.next) = (65_500, 65_500); // across the wrap
        let (mut got, mut pushed, mut luck) = (Vec::new(), 0_u8, 1_u32);
        while got.len() < 200 {
            if pushed < 200 && outbox.push(&[pushed]) {
                pushed += 1;
            }
            while let Some((index, bytes)) = outbox.next() {
                let bytes = bytes.to_vec();
                outbox.sent(index);
                luck = luck.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if luck >> 30 == 0 {
                    outbox.lost(index);
                    break;
                }
                inbox.take(index, &bytes);
                assert_eq!(inbox.take(index, &bytes), Taken::Duplicate);
                outbox.acknowledged(index);
            }
            got.extend(core::iter::from_fn(|| inbox.ready()).map(|message| message[0]));
        }
        assert_eq!(got, (0..200).collect::<Vec<u8>>());
        assert_eq!((outbox.len(), outbox.bytes), (0, 0));
    }

    #[test]
    fn an_outbox_has_an_end() {
        let mut outbox = ReliableOutbox::default();
        assert_eq!((0..1000).filter(|_| outbox.push(&[0])).count(), MAX_QUEUED_MESSAGES);
        let mut outbox = ReliableOutbox::default();
        assert_eq!((0..1000).filter(|_| outbox.push(&[0; 900])).count(), MAX_QUEUED_BYTES / 900);
    }

    #[test]
    fn no_more_are_under_way_than_an_inbox_can_hold() {
        let (mut outbox, mut inbox) = (ReliableOutbox::default(), ReliableInbox::default());
        while outbox.push(&[7]) {}
        let mut in_flight = 0;
        while let Some((index, bytes)) = outbox.next() {
            if in_flight > 0 {
                assert_eq!(inbox.take(index, bytes), Taken::New); // the first is lost
            }
            outbox.sent(index);
            in_flight += 1;
        }
        assert_eq!(in_flight, MAX_IN_FLIGHT);
        assert!(inbox.ready().is_none());
        assert_eq!(inbox.take(MAX_EARLY_MESSAGES as u16, &[]), Taken::TooFar);
    }
}
