//! Bytes of a stream on the wire, with and without the headers of datagrams.
//!
//! Two regimes. On a **batched downlink** a host sends up to thirty datagrams a second to a
//! listener, and all bodies that have something to say share each one. On a **lonely uplink** a
//! client owns one body, and each of its updates is a datagram.

use std::time::Duration;

use reckoning::{SimTime, Update};
use reckoning_net::wire::{
    Ack, EntityId, Format, Header, MAX_BASELINE_AGE, MAX_DATAGRAM_BYTES, Message, PacketWriter,
    UpdateBody, UpdateSeq,
};

/// IPv4 and UDP.
const UDP_IP_BYTES: f64 = 28.0;
/// A QUIC packet with one datagram frame: flags 1, connection id 8, packet number 2, tag of the
/// cipher 16, frame type 1 and length 2.
const QUIC_BYTES: f64 = 30.0;
/// Datagrams that a host sends to a listener in a second, at most, unless bytes demand more.
const DATAGRAMS_PER_S: f64 = 30.0;

/// What a stream cost, summed over bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StreamPrice {
    pub(crate) bits: f64,
    pub(crate) updates: f64,
    pub(crate) seconds: f64,
}

impl StreamPrice {
    pub(crate) fn merge(&mut self, other: Self) {
        self.bits += other.bits;
        self.updates += other.updates;
        self.seconds += other.seconds;
    }

    pub(crate) fn updates_per_s(self) -> f64 {
        self.updates / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// Of one body, without the headers of datagrams.
    pub(crate) fn bytes_per_s(self) -> f64 {
        self.bits / 8.0 / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// Of one body, where `bodies` share the datagrams. Snapshots at `rate_hz` are in all of
    /// them; what is published when it has to be leaves some ticks empty.
    pub(crate) fn batched_per_s(self, bodies: u32, rate_hz: Option<u32>) -> f64 {
        let bodies = f64::from(bodies.max(1));
        let busy = self.updates_per_s() * bodies / DATAGRAMS_PER_S;
        let datagrams = rate_hz.map_or(DATAGRAMS_PER_S * (1.0 - libm::exp(-busy)), f64::from);
        let full = self.bytes_per_s() * bodies / MAX_DATAGRAM_BYTES as f64;
        self.bytes_per_s() + datagrams.max(full) * header_bytes() / bodies
    }

    /// Of one body whose updates travel alone.
    pub(crate) fn lonely_per_s(self) -> f64 {
        self.bytes_per_s() + self.updates_per_s() * header_bytes()
    }
}

/// All headers of a datagram: UDP/IP, QUIC and our own with an acknowledgement.
pub(crate) fn header_bytes() -> f64 {
    let mut bytes = [0; MAX_DATAGRAM_BYTES];
    let own = PacketWriter::new(&mut bytes, &header(SimTime::ZERO)).bits();
    UDP_IP_BYTES + QUIC_BYTES + own.div_ceil(8) as f64
}

fn header(now: SimTime) -> Header {
    let sent_ms = now.as_micros().div_euclid(1_000);
    let ack = Ack { newest: 1, before: u32::MAX, received_ms: sent_ms as u16 };
    Header { sequence: 1, sent_ms, ack: Some(ack) }
}

/// Bits of every update of a life, and the number of what it was coded off: the newest update that
/// was acknowledged when it was sent.
/// `arrivals` says when each arrived, if it did; acknowledgements take `back` to return.
pub(crate) fn bits_of(
    format: &Format,
    entity: usize,
    sent: &[Update],
    arrivals: &[Option<SimTime>],
    back: Duration,
) -> Vec<(u32, Option<usize>)> {
    let mut bytes = [0; MAX_DATAGRAM_BYTES];
    let mut sizes = Vec::with_capacity(sent.len());
    for (number, update) in sent.iter().enumerate() {
        let oldest = number.saturating_sub(usize::from(MAX_BASELINE_AGE));
        let known = |&it: &usize| arrivals[it].is_some_and(|at| at + back <= update.at());
        let baseline = (oldest..number).rev().find(known);
        let message = message(format, entity, sent, number, baseline);
        let mut packet = PacketWriter::new(&mut bytes, &header(update.at()));
        let before = packet.bits();
        // One update in an empty datagram always fits.
        let fits = packet.push(Some(format), &message);
        debug_assert!(fits);
        sizes.push(((packet.bits() - before) as u32, baseline));
    }
    sizes
}

fn message(
    format: &Format,
    entity: usize,
    sent: &[Update],
    number: usize,
    baseline: Option<usize>,
) -> Message<'static> {
    let count = number as u16;
    let off = baseline.and_then(|it| UpdateSeq::delta(it as u16, count));
    let body = UpdateBody::new(format, baseline.map(|it| &sent[it]), &sent[number]);
    let seq = off.unwrap_or(UpdateSeq::Full(count));
    Message::Update { entity: EntityId(entity as u32), seq, class: 0, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(bytes: f64, updates: f64) -> StreamPrice {
        StreamPrice { bits: bytes * 8.0, updates, seconds: 1.0 }
    }

    #[test]
    fn a_lonely_update_pays_for_a_whole_datagram() {
        let header = header_bytes();
        assert!((60.0..80.0).contains(&header), "{header}");
        assert!((price(30.0, 3.0).lonely_per_s() - (30.0 + 3.0 * header)).abs() < 1e-9);
    }

    #[test]
    fn bodies_share_a_header_and_full_datagrams_are_paid_for() {
        let (alone, many) = (price(30.0, 3.0), price(100.0, 20.0));
        assert!(alone.batched_per_s(16, None) < 30.0 + 30.0 * header_bytes() / 16.0);
        assert!(alone.batched_per_s(1, None) < alone.lonely_per_s());
        let shared = 100.0 + 20.0 * header_bytes() / 16.0;
        assert!((many.batched_per_s(16, Some(20)) - shared).abs() < 1e-9);
        let crowd = price(1_000.0, 20.0).batched_per_s(1_000, Some(20));
        let full = 1_000.0 * (1.0 + header_bytes() / MAX_DATAGRAM_BYTES as f64);
        assert!((crowd - full).abs() < 1e-6);
    }
}
