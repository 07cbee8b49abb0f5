//! What updates of each entity take on the wire, read from the very datagrams.

use std::collections::BTreeMap;

use reckoning_net::EntityId;
use reckoning_net::wire::{Format, MAX_DATAGRAM_BYTES, Message, PacketReader, PacketWriter};

/// Updates of one entity that were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateCost {
    /// How many, entries not counted.
    pub updates: u64,
    /// Their bits.
    pub bits: u64,
    /// Those of the longest.
    pub most_bits: u64,
}

impl UpdateCost {
    /// Those of one and of another.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            updates: self.updates + other.updates,
            bits: self.bits + other.bits,
            most_bits: self.most_bits.max(other.most_bits),
        }
    }

    /// The mean of one.
    #[must_use]
    pub fn bytes_each(&self) -> f64 {
        self.bits as f64 / 8.0 / self.updates.max(1) as f64
    }
}

/// Notes the updates of a datagram. Each is written once more after the same header to see how long
/// it is; what comes before it changes that by the few bits of its entity's number.
pub(super) fn note(costs: &mut BTreeMap<EntityId, UpdateCost>, format: &Format, datagram: &[u8]) {
    let Ok(mut reader) = PacketReader::new(datagram) else { return };
    let header = *reader.header();
    let mut room = [0; MAX_DATAGRAM_BYTES];
    let mut writer = PacketWriter::new(&mut room, &header);
    while let Ok(Some(message)) = reader.next_message(Some(format)) {
        let before = writer.bits();
        if !writer.push(Some(format), &message) {
            return;
        }
        if let Message::Update { entity, .. } = message {
            let bits = (writer.bits() - before) as u64;
            let cost = costs.entry(entity).or_default();
            *cost = cost.plus(UpdateCost { updates: 1, bits, most_bits: bits });
        }
    }
}
