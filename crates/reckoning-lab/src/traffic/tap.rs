//! Reading of datagrams on their way: which kind and field every bit belongs to.

use std::collections::BTreeMap;

use reckoning_net::wire::{EntityId, Format, Message, PacketReader, UpdateField};

use super::{BODIES, CONNECTION, KindTraffic, Moment, ReceiverTraffic};

/// Headers of IPv4 and UDP.
pub(super) const HEADER_BYTES: u64 = 28;

/// What bits are spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrafficField {
    /// A field of an update.
    Update(UpdateField),
    /// Whose update it is, and against which other one.
    Address,
    /// A body enters the interest set: all of it.
    Entry,
    /// A body leaves it.
    Exit,
    /// Angles of joints.
    Joints,
    /// Properties.
    Values,
    /// Everything else that ends say to each other.
    Messages,
    /// Headers of our datagrams, and what fills their last byte.
    Header,
    /// Headers of UDP and IP.
    Udp,
}

impl TrafficField {
    /// Its name, as tables have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Update(field) => field.name(),
            Self::Address => "address",
            Self::Entry => "entry",
            Self::Exit => "exit",
            Self::Joints => "joints",
            Self::Values => "values",
            Self::Messages => "messages",
            Self::Header => "header",
            Self::Udp => "UDP and IP",
        }
    }
}

/// Puts down a datagram to kinds and fields, in all and for its second.
pub(super) fn account(
    datagram: &[u8],
    format: &Format,
    kinds: &BTreeMap<EntityId, String>,
    traffic: &mut ReceiverTraffic,
    second: usize,
) {
    traffic.datagrams += 1;
    traffic.counted_bytes += datagram.len() as u64;
    if traffic.moments.len() <= second {
        traffic.moments.resize(second + 1, Moment::default());
    }
    let mut books = Books { traffic, second, kinds };
    books.note(None, TrafficField::Udp, HEADER_BYTES * 8);
    let mut left = datagram.len() as u64 * 8;
    if let Ok(mut reader) = PacketReader::new(datagram) {
        loop {
            let before = reader.bits_left();
            let Ok(Some(message)) = reader.next_message(Some(format)) else { break };
            let bits = (before - reader.bits_left()) as u64;
            left -= bits;
            books.message(&reader, format, &message, bits);
        }
    }
    books.note(None, TrafficField::Header, left);
}

struct Books<'a> {
    traffic: &'a mut ReceiverTraffic,
    second: usize,
    kinds: &'a BTreeMap<EntityId, String>,
}

impl Books<'_> {
    fn message(
        &mut self,
        reader: &PacketReader<'_>,
        format: &Format,
        message: &Message<'_>,
        bits: u64,
    ) {
        let (entity, field) = match message {
            Message::Update { entity, body, .. } => {
                let by_field = reader.bits_by_field(format, body);
                for field in UpdateField::ALL {
                    let bits = u64::from(by_field.of(field));
                    self.note(Some(*entity), TrafficField::Update(field), bits);
                }
                self.kind(Some(*entity)).updates += 1;
                let rest = bits.saturating_sub(u64::from(by_field.sum()));
                return self.note(Some(*entity), TrafficField::Address, rest);
            }
            Message::Enter { entity, .. } => (Some(*entity), TrafficField::Entry),
            Message::Exit { entity, .. } => (Some(*entity), TrafficField::Exit),
            Message::Joints { entity, .. } => (Some(*entity), TrafficField::Joints),
            Message::Values { entity, .. } => (Some(*entity), TrafficField::Values),
            _ => (None, TrafficField::Messages),
        };
        self.note(entity, field, bits);
    }

    fn kind(&mut self, entity: Option<EntityId>) -> &mut KindTraffic {
        let name = match entity {
            Some(entity) => self.kinds.get(&entity).map_or(BODIES, String::as_str),
            None => CONNECTION,
        };
        self.traffic.kinds.entry(name.to_owned()).or_default()
    }

    fn note(&mut self, entity: Option<EntityId>, field: TrafficField, bits: u64) {
        if bits == 0 {
            return;
        }
        *self.kind(entity).bits.entry(field).or_default() += bits;
        *self.traffic.moments[self.second].bits.entry(field).or_default() += bits;
    }
}
