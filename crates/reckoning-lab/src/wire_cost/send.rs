//! Host that sends published updates to one listener, which reads them back.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::{SimTime, Update};
use reckoning_net::wire::{
    Ack, EntityId, Format, Header, MAX_BASELINE_AGE, MAX_DATAGRAM_BYTES, Message, PacketReader,
    PacketWriter, UpdateBody, UpdateSeq,
};

use super::publish::BodyExport;
use super::{DATAGRAMS_PER_S, WireTableError};

const ROUND_TRIP: Duration = Duration::from_millis(100);
const LOSS: f64 = 0.05;
/// An update in one datagram all to itself is far below this.
const MAX_BITS: usize = 8 * MAX_DATAGRAM_BYTES;

/// What an update is coded off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaselineMode {
    /// The one before, as if every update had been acknowledged at once.
    Previous,
    /// The newest acknowledged with 100 ms of round trip, when 5 % get lost.
    Acknowledged,
    /// Nothing.
    Nothing,
}

/// What sending cost.
#[derive(Clone, Debug, Default)]
pub(super) struct SendingCost {
    /// How many messages took how many bits.
    pub(super) messages: BTreeMap<usize, u64>,
    pub(super) datagrams: u64,
    pub(super) datagram_bytes: u64,
}

impl SendingCost {
    pub(super) fn merge(&mut self, other: &Self) {
        for (bits, count) in &other.messages {
            *self.messages.entry(*bits).or_default() += count;
        }
        self.datagrams += other.datagrams;
        self.datagram_bytes += other.datagram_bytes;
    }

    pub(super) fn count(&self) -> u64 {
        self.messages.values().sum()
    }

    pub(super) fn mean_bytes(&self) -> f64 {
        let bits: f64 = self.messages.iter().map(|(&bits, &n)| bits as f64 * n as f64).sum();
        bits / 8.0 / self.count().max(1) as f64
    }

    /// What 99 of 100 messages stay below, in bytes.
    pub(super) fn p99_bytes(&self) -> f64 {
        let mut left = self.count() * 99 / 100;
        for (&bits, &n) in &self.messages {
            if n > left {
                return bits as f64 / 8.0;
            }
            left -= n;
        }
        0.0
    }

    /// Per update, the headers of the datagrams included.
    pub(super) fn with_headers_bytes(&self) -> f64 {
        self.datagram_bytes as f64 / self.count().max(1) as f64
    }
}

/// What the host remembers of one update that it sent.
#[derive(Clone, Copy)]
struct Sent {
    number: u16,
    update: Update,
    acknowledged_at: Option<SimTime>,
}

/// Sends everything to one listener.
pub(super) struct Sender<'a> {
    format: &'a Format,
    off: BaselineMode,
    history: BTreeMap<u32, Vec<Sent>>,
    random: SplitMix64,
    sequence: u16,
    cost: SendingCost,
}

impl<'a> Sender<'a> {
    pub(super) fn new(format: &'a Format, off: BaselineMode, seed: u64) -> Self {
        let random = SplitMix64::new(seed);
        let history = BTreeMap::new();
        Self { format, off, history, random, sequence: 0, cost: SendingCost::default() }
    }

    /// Sends `exports`, which are in order of time. Gives the name of the first body whose
    /// update came back changed, if any did.
    pub(super) fn run(
        mut self,
        exports: &[BodyExport],
    ) -> Result<Result<SendingCost, u32>, WireTableError> {
        let tick_of = |export: &BodyExport| tick_after(export.update.at());
        for batch in exports.chunk_by(|a, b| tick_of(a) == tick_of(b)) {
            let now = SimTime::from_tick(tick_of(&batch[0]), DATAGRAMS_PER_S as u32);
            // Only the newest of each body travels.
            let newest: BTreeMap<u32, BodyExport> = batch.iter().map(|e| (e.body, *e)).collect();
            let fresh = batch.iter().filter(|export| export.fresh);
            fresh.for_each(|export| drop(self.history.remove(&export.body)));
            let newest: Vec<BodyExport> = newest.into_values().collect();
            if let Some(body) = self.send(now, &newest)? {
                return Ok(Err(body));
            }
        }
        Ok(Ok(self.cost))
    }

    fn send(
        &mut self,
        now: SimTime,
        exports: &[BodyExport],
    ) -> Result<Option<u32>, WireTableError> {
        let header = self.header(now);
        let mut bytes = [0; MAX_DATAGRAM_BYTES];
        let mut packet = PacketWriter::new(&mut bytes, &header);
        let mut said = Vec::new();
        for export in exports {
            let baseline = self.baseline(export, now);
            let message = self.message(export, baseline.as_ref());
            let before = packet.bits();
            // Forty players at most, of 20 bytes each.
            assert!(packet.push(Some(self.format), &message), "a datagram has room for all");
            let bits = packet.bits() - before;
            debug_assert!(bits < MAX_BITS);
            *self.cost.messages.entry(bits).or_default() += 1;
            said.push((*export, baseline));
        }
        let length = packet.finish().unwrap_or(0);
        self.cost.datagrams += 1;
        self.cost.datagram_bytes += length as u64;
        self.remember(now, exports);
        self.changed_body(&bytes[..length], &said)
    }

    fn header(&mut self, now: SimTime) -> Header {
        self.sequence = self.sequence.wrapping_add(1);
        let sent_ms = now.as_micros().div_euclid(1_000);
        let ack = Ack { newest: self.sequence, before: u32::MAX, received_ms: sent_ms as u16 };
        Header { sequence: self.sequence, sent_ms, ack: Some(ack) }
    }

    fn message(&self, export: &BodyExport, baseline: Option<&Sent>) -> Message<'static> {
        let off = baseline.and_then(|sent| UpdateSeq::delta(sent.number, export.number));
        let body = UpdateBody::new(self.format, baseline.map(|sent| &sent.update), &export.update);
        let seq = off.unwrap_or(UpdateSeq::Full(export.number));
        Message::Update { entity: EntityId(export.body), seq, class: 0, body }
    }

    fn baseline(&self, export: &BodyExport, now: SimTime) -> Option<Sent> {
        let history = self.history.get(&export.body)?;
        let usable = |sent: &&Sent| {
            let age = export.number.wrapping_sub(sent.number);
            let known = match self.off {
                BaselineMode::Previous => true,
                BaselineMode::Acknowledged => sent.acknowledged_at.is_some_and(|at| at <= now),
                BaselineMode::Nothing => false,
            };
            known && (1..=MAX_BASELINE_AGE).contains(&age)
        };
        history.iter().rev().find(usable).copied()
    }

    fn remember(&mut self, now: SimTime, exports: &[BodyExport]) {
        let lost = self.random.chance(LOSS);
        for export in exports {
            let history = self.history.entry(export.body).or_default();
            if history.len() > usize::from(MAX_BASELINE_AGE) {
                history.remove(0);
            }
            let acknowledged_at = (!lost).then(|| now + ROUND_TRIP);
            history.push(Sent { number: export.number, update: export.update, acknowledged_at });
        }
    }

    /// Reads the datagram again; the body whose update is not what was sent.
    fn changed_body(
        &self,
        bytes: &[u8],
        said: &[(BodyExport, Option<Sent>)],
    ) -> Result<Option<u32>, WireTableError> {
        let mut reader = PacketReader::new(bytes)?;
        for (export, baseline) in said {
            let Some(Message::Update { entity, body, .. }) =
                reader.next_message(Some(self.format))?
            else {
                return Ok(Some(export.body));
            };
            let got = body.resolve(self.format, baseline.as_ref().map(|sent| &sent.update))?;
            if got != export.update || entity.0 != export.body {
                return Ok(Some(export.body));
            }
        }
        Ok(None)
    }
}

/// The next moment at which the host sends, in its ticks.
fn tick_after(at: SimTime) -> i64 {
    let scaled = i128::from(at.as_micros()) * i128::from(DATAGRAMS_PER_S);
    (scaled.div_euclid(1_000_000) + 1) as i64
}
