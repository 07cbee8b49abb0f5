//! A client's connection as the tick loop sees it: a bounded inbox and a bounded sink.
//!
//! Each client has queues of its own, so one that floods fills nothing but its own. Reading
//! from and sending to a connection never waits; what does not fit is dropped and counted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use quinn::SendDatagramError;
use reckoning::{SimTime, TokenBucket};
use reckoning_net::PeerId;
use tokio::sync::Notify;
use tokio::sync::mpsc::Receiver;
use web_transport_quinn::{Session, SessionError};

use crate::limits::Permit;
use crate::metrics::{DropReason, Metrics};
use crate::places::Place;
use crate::settings::Limits;

/// A datagram and when it came.
pub(crate) type Received = (SimTime, Bytes);

/// Datagrams that leave together.
pub(crate) type SendBatch = Vec<(Arc<Connection>, Bytes)>;

/// Parcels that may wait for the network thread: a few steps' worth. What comes on top is dropped.
pub(crate) const MAX_QUEUED_BATCHES: usize = 8;

/// Hands datagrams to their links, on the thread that carries them: what wakes it from within
/// costs nothing.
pub(crate) async fn carry(mut batches: Receiver<SendBatch>) {
    while let Some(batch) = batches.recv().await {
        for (connection, bytes) in batch {
            connection.send(bytes);
        }
    }
}

/// What to make of a client after a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Conduct {
    Fine,
    /// It exceeds its rate so far that the connection must end.
    Flood,
}

/// One client's connection.
pub(crate) struct Connection {
    pub(crate) peer: PeerId,
    pub(crate) opened: SimTime,
    permit: Arc<Permit>,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
    inbox: Mutex<InboundQueue>,
    sink: Sink,
    /// Its place among those who have not joined yet.
    waiting: Mutex<Option<Place>>,
}

struct InboundQueue {
    queue: VecDeque<Received>,
    rate: TokenBucket,
    excess: TokenBucket,
}

/// Where datagrams to a client go.
pub(crate) enum Sink {
    /// QUIC datagrams; quinn's own small buffer gives up the oldest.
    Quic(Box<Session>),
    /// A WebSocket; a task empties the outbox.
    Socket(Arc<SocketOutbox>),
}

impl Connection {
    pub(crate) fn new(
        peer: PeerId,
        opened: SimTime,
        permit: Arc<Permit>,
        sink: Sink,
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let rate = f64::from(limits.datagrams_per_s);
        let flood = f64::from(limits.flood_datagrams);
        let inbox = Mutex::new(InboundQueue {
            queue: VecDeque::new(),
            rate: TokenBucket::new(opened, rate, rate),
            excess: TokenBucket::new(opened, flood, flood),
        });
        Self { peer, opened, permit, limits, metrics, inbox, sink, waiting: Mutex::default() }
    }

    /// Holds this place until it joins.
    pub(crate) fn wait_in(&self, place: Place) {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }

    /// It joined: from now on nobody takes its place.
    pub(crate) fn joined(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Queues a datagram of the client, within its limits.
    pub(crate) fn receive(&self, now: SimTime, bytes: Bytes) -> Conduct {
        self.metrics.datagrams_in.inc();
        self.metrics.bytes_in.inc_by(bytes.len() as u64);
        let mut inbox = self.inbox();
        let cause = if !inbox.rate.try_take(now, 1.0) {
            DropReason::PeerRate
        } else if !self.permit.may_send(now) {
            DropReason::AddressRate
        } else if bytes.len() > self.limits.datagram_bytes {
            DropReason::TooLong
        } else if inbox.queue.len() >= self.limits.queued_datagrams {
            DropReason::QueueFull
        } else {
            inbox.queue.push_back((now, bytes));
            return Conduct::Fine;
        };
        self.metrics.count_drop(cause);
        if inbox.excess.try_take(now, 1.0) {
            return Conduct::Fine;
        }
        self.permit.ban(now);
        Conduct::Flood
    }

    /// Moves everything that waits into `out`.
    pub(crate) fn drain(&self, out: &mut Vec<(SimTime, PeerId, Bytes)>) {
        let mut inbox = self.inbox();
        out.extend(inbox.queue.drain(..).map(|(at, bytes)| (at, self.peer, bytes)));
    }

    /// Sends to the client, or counts why not. Never waits.
    pub(crate) fn send(&self, bytes: Bytes) {
        let length = bytes.len() as u64;
        let sent = match &self.sink {
            Sink::Quic(session) => self.send_quic(session, bytes),
            Sink::Socket(outbox) => outbox.push(bytes, &self.limits, &self.metrics),
        };
        if sent {
            self.metrics.datagrams_out.inc();
            self.metrics.bytes_out.inc_by(length);
        }
    }

    /// Counts a datagram that the network thread had no time for.
    pub(crate) fn give_up(&self) {
        self.metrics.count_drop(DropReason::SendBuffer);
    }

    fn send_quic(&self, session: &Session, bytes: Bytes) -> bool {
        // A full buffer gives up its oldest for this one.
        if session.datagram_send_buffer_space() < bytes.len() {
            self.metrics.count_drop(DropReason::SendBuffer);
        }
        let Err(error) = session.send_datagram(bytes) else { return true };
        let too_long =
            matches!(error, SessionError::SendDatagramError(SendDatagramError::TooLarge));
        self.metrics.count_drop(if too_long { DropReason::TooLong } else { DropReason::Closed });
        false
    }

    /// Ends the connection.
    pub(crate) fn close(&self, reason: &str) {
        match &self.sink {
            Sink::Quic(session) => session.close(0, reason.as_bytes()),
            Sink::Socket(outbox) => outbox.close(),
        }
    }

    fn inbox(&self) -> MutexGuard<'_, InboundQueue> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Datagrams that wait for a WebSocket to take them.
#[derive(Default)]
pub(crate) struct SocketOutbox {
    waiting: Mutex<Waiting>,
    changed: Notify,
    closed: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    queue: VecDeque<Bytes>,
    bytes: usize,
}

impl SocketOutbox {
    /// Queues a datagram; drops the oldest when there is no room. False once closed.
    fn push(&self, datagram: Bytes, limits: &Limits, metrics: &Metrics) -> bool {
        if self.closed.load(Ordering::Relaxed) {
            metrics.count_drop(DropReason::Closed);
            return false;
        }
        let mut waiting = self.waiting();
        waiting.bytes += datagram.len();
        waiting.queue.push_back(datagram);
        while waiting.bytes > limits.send_buffer_bytes {
            let Some(oldest) = waiting.queue.pop_front() else { break };
            waiting.bytes -= oldest.len();
            metrics.count_drop(DropReason::SendBuffer);
        }
        drop(waiting);
        self.changed.notify_one();
        true
    }

    /// The next datagram to write; `None` once closed and empty.
    pub(crate) async fn next(&self) -> Option<Bytes> {
        loop {
            if let Some(datagram) = self.pop() {
                return Some(datagram);
            }
            if self.closed.load(Ordering::Relaxed) {
                return None;
            }
            self.changed.notified().await;
        }
    }

    pub(crate) fn pop(&self) -> Option<Bytes> {
        let mut waiting = self.waiting();
        let datagram = waiting.queue.pop_front()?;
        waiting.bytes -= datagram.len();
        Some(datagram)
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::AddressLimiter;
    use crate::settings::Settings;

    fn connection(change: impl Fn(&mut Limits)) -> (Connection, Arc<Metrics>, Arc<SocketOutbox>) {
        let mut limits = Settings::default().limits;
        change(&mut limits);
        let limits = Arc::new(limits);
        let permit = AddressLimiter::new(limits.clone())
            .enter(SimTime::ZERO, [127, 0, 0, 1].into(), false)
            .unwrap();
        let (metrics, outbox) = (Arc::new(Metrics::default()), Arc::new(SocketOutbox::default()));
        let sink = Sink::Socket(outbox.clone());
        let connection =
            Connection::new(PeerId(1), SimTime::ZERO, permit.into(), sink, limits, metrics.clone());
        (connection, metrics, outbox)
    }

    fn receive(connection: &Connection, times: usize, length: usize) -> Conduct {
        let bytes = Bytes::from(vec![0; length]);
        let conducts = (0..times).map(|_| connection.receive(SimTime::ZERO, bytes.clone()));
        conducts.last().unwrap_or(Conduct::Fine)
    }

    #[test]
    fn a_client_fills_its_own_queue_and_no_more() {
        let (connection, metrics, _) = connection(|limits| limits.queued_datagrams = 8);

        assert_eq!(receive(&connection, 20, 10), Conduct::Fine);

        let mut out = Vec::new();
        connection.drain(&mut out);
        assert_eq!((out.len(), metrics.drops(DropReason::QueueFull)), (8, 12));
        assert_eq!(receive(&connection, 1, 10), Conduct::Fine);
        connection.drain(&mut out);
        assert_eq!(out.len(), 9);
    }

    #[test]
    fn what_is_too_long_or_too_much_is_dropped_under_its_name() {
        let (connection, metrics, _) = connection(|limits| limits.datagrams_per_s = 30);

        let _ = receive(&connection, 1, 1_001);
        let _ = receive(&connection, 30, 10);

        assert_eq!(metrics.drops(DropReason::TooLong), 1);
        assert_eq!(metrics.drops(DropReason::PeerRate), 1);
    }

    #[test]
    fn a_flood_is_told_from_a_burst() {
        let (connection, ..) = connection(|limits| {
            limits.datagrams_per_s = 100;
            limits.queued_datagrams = 4_096;
            limits.flood_datagrams = 50;
        });
        assert_eq!(receive(&connection, 150, 10), Conduct::Fine);
        assert_eq!(receive(&connection, 1, 10), Conduct::Flood);
    }

    #[test]
    fn a_slow_reader_gets_the_newest_datagrams() {
        let (connection, metrics, outbox) = connection(|limits| limits.send_buffer_bytes = 1_200);
        for number in 0..5 {
            connection.send(Bytes::copy_from_slice(&[number; 500]));
        }
        assert_eq!(metrics.drops(DropReason::SendBuffer), 3);
        assert_eq!(outbox.pop().unwrap()[0], 3);
        assert_eq!(outbox.pop().unwrap()[0], 4);
        assert_eq!(outbox.pop(), None);

        connection.close("over");
        connection.send(Bytes::copy_from_slice(&[9; 10]));
        assert_eq!(metrics.drops(DropReason::Closed), 1);
    }
}
