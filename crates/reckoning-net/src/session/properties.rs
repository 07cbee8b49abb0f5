//! Properties of entities in a session: what the host says of them, and what we set of our own.
//!
//! Datagrams overtake each other, so each value remembers which one brought it, and an older one
//! changes nothing. What we set ourselves is shown at once and sent until it is acknowledged; until
//! then what the host says of that property was said without knowing of it, and is not shown. The
//! host says what it took once more, so that what it said last is what it has.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::SimTime;

use super::Session;
use super::event::SessionEvent;
use crate::ack_window::Sequence;
use crate::channel::SentItem;
use crate::kinds::{
    MAX_PROPERTIES, PropertyError, PropertyId, PropertyValue, Schema, Seen, Writer, decode_values,
    encode_values,
};
use crate::wire::{EntityId, Message, PacketWriter};

/// One property of an entity.
#[derive(Debug)]
struct Slot {
    value: PropertyValue,
    /// The newest datagram that brought it.
    received: Option<Sequence>,
    /// After how many changes of ours it was set, and when it was sent last.
    version: u64,
    sent: Option<SimTime>,
}

/// The properties of one entity.
#[derive(Debug)]
struct ValueTable {
    /// The datagram that ended what was of this id before, or our ownership of it, if one did
    /// lately: what was sent earlier is about that.
    since: Option<Sequence>,
    slots: Vec<Option<Slot>>,
    /// A bit for each that we set and the host has not acknowledged, and for each of these that is
    /// not in flight.
    unknown: u32,
    unsent: u32,
    /// Counts what we set.
    version: u64,
    /// Tells this ownership from earlier ones.
    epoch: u32,
    /// The host has to be asked for everything.
    asks: bool,
}

impl ValueTable {
    const fn new(since: Option<Sequence>) -> Self {
        Self { since, slots: Vec::new(), unknown: 0, unsent: 0, version: 0, epoch: 0, asks: false }
    }

    fn get(&self, id: PropertyId) -> Option<&PropertyValue> {
        self.slot(id).map(|slot| &slot.value)
    }

    fn slot(&self, id: PropertyId) -> Option<&Slot> {
        self.slots.get(usize::from(id.0))?.as_ref()
    }

    /// Returns the property's slot, and whether the value is another one.
    fn put(&mut self, id: PropertyId, value: PropertyValue) -> Option<(&mut Slot, bool)> {
        let place = usize::from(id.0);
        if self.slots.len() <= place {
            self.slots.resize_with(place + 1, || None);
        }
        let place = self.slots.get_mut(place)?;
        let changed = place.as_ref().is_none_or(|slot| slot.value != value);
        match place {
            Some(slot) if changed => slot.value = value,
            Some(_) => {}
            None => *place = Some(Slot { value, received: None, version: 0, sent: None }),
        }
        place.as_mut().map(|slot| (slot, changed))
    }

    /// The host says so. Returns whether it changes anything.
    fn receive(&mut self, id: PropertyId, value: PropertyValue, sequence: Sequence) -> bool {
        let newest = self.slot(id).and_then(|slot| slot.received);
        if self.unknown & id.bit() != 0 || newest.is_some_and(|newest| newest > sequence) {
            return false;
        }
        self.put(id, value).is_some_and(|(slot, changed)| {
            slot.received = Some(sequence);
            changed
        })
    }

    /// We say so. Returns whether it changes anything.
    fn set(&mut self, id: PropertyId, value: PropertyValue) -> bool {
        let version = self.version + 1;
        let Some((slot, true)) = self.put(id, value) else { return false };
        slot.version = version;
        self.version = version;
        self.unknown |= id.bit();
        self.unsent |= id.bit();
        true
    }

    /// When the next of what we set may be sent.
    fn due_at(&self, schema: &Schema) -> Option<SimTime> {
        let unsent = (0..MAX_PROPERTIES as u8).map(PropertyId);
        let unsent = unsent.filter(|id| self.unsent & id.bit() != 0);
        unsent.map(|id| self.property_due_at(schema, id)).min()
    }

    fn property_due_at(&self, schema: &Schema, id: PropertyId) -> SimTime {
        let interval = schema.get(id).map_or(Duration::ZERO, |property| property.min_interval);
        let sent = self.slot(id).and_then(|slot| slot.sent);
        sent.map_or(SimTime::MIN, |sent| sent + interval)
    }

    fn due(&self, schema: &Schema, now: SimTime) -> u32 {
        let ids = (0..MAX_PROPERTIES as u8).map(PropertyId);
        let due = ids
            .filter(|id| self.unsent & id.bit() != 0 && self.property_due_at(schema, *id) <= now);
        due.fold(0, |mask, id| mask | id.bit())
    }

    fn sent(&mut self, mask: u32, now: SimTime) {
        self.unsent &= !mask;
        for (number, slot) in (0..MAX_PROPERTIES as u8).zip(&mut self.slots) {
            if let Some(slot) = slot.as_mut().filter(|_| mask & PropertyId(number).bit() != 0) {
                slot.sent = Some(now);
            }
        }
    }

    /// A datagram with these of what we set was acknowledged or lost.
    fn delivered(&mut self, acknowledged: bool, mask: u32, version: u64) {
        for (number, slot) in (0..MAX_PROPERTIES as u8).zip(&self.slots) {
            let (bit, Some(slot)) = (PropertyId(number).bit(), slot) else { continue };
            let changed = slot.version > version;
            if mask & self.unknown & bit == 0 || changed {
                continue;
            }
            if acknowledged {
                self.unknown &= !bit;
                self.unsent &= !bit;
            } else {
                self.unsent |= bit;
            }
        }
    }
}

/// The properties of all entities that we own or that are in our interest set.
#[derive(Debug, Default)]
pub(super) struct SessionValues {
    tables: BTreeMap<EntityId, ValueTable>,
    next_epoch: u32,
    /// Some table may have something to send.
    busy: bool,
}

impl SessionValues {
    /// We own an entity from now on.
    pub(super) fn granted(&mut self, entity: EntityId) {
        self.next_epoch = self.next_epoch.wrapping_add(1);
        if let Some(table) = self.tables.get_mut(&entity) {
            table.epoch = self.next_epoch;
        }
    }

    /// What was sent before this datagram may have been sent to an owner, even if we never heard
    /// that we were.
    pub(super) fn revoked(&mut self, entity: EntityId, sequence: Sequence) {
        if let Some(table) = self.tables.get_mut(&entity) {
            table.since = table.since.max(Some(sequence));
        }
    }

    /// A datagram with values that we set was acknowledged or lost.
    pub(super) fn delivered(
        &mut self,
        acknowledged: bool,
        entity: EntityId,
        mask: u32,
        (version, epoch): (u64, u32),
    ) {
        if let Some(table) = self.tables.get_mut(&entity).filter(|table| table.epoch == epoch) {
            table.delivered(acknowledged, mask, version);
            self.busy |= table.asks || table.unsent != 0;
        }
    }

    /// The host has to be asked for everything about an entity.
    pub(super) fn ask(&mut self, entity: EntityId) {
        if let Some(table) = self.tables.get_mut(&entity) {
            table.asks = true;
            self.busy = true;
        }
    }

    /// When the next of what we set may be sent, if anything is to be sent.
    pub(super) fn due_at(&self, schema: &Schema) -> Option<SimTime> {
        if !self.busy {
            return None;
        }
        let due_at = |table: &ValueTable| {
            if table.asks { Some(SimTime::MIN) } else { table.due_at(schema) }
        };
        self.tables.values().filter_map(due_at).min()
    }
}

impl Session {
    /// The value of a property of an entity that we own or that is in our interest set; `None`
    /// where the host has not said it, or does not say it to us.
    #[must_use]
    pub fn property(&self, entity: EntityId, property: PropertyId) -> Option<&PropertyValue> {
        self.values.tables.get(&entity)?.get(property)
    }

    /// Sets a property of an entity that we own, if its declaration lets owners
    /// ([`Writer::Owner`](crate::Writer::Owner)). It shows here at once; the host is sent it, and
    /// tells the others. What the host sets at the same time is overruled. Returns whether it is
    /// another value.
    ///
    /// # Errors
    /// When we do not own the entity, the property is the host's to set or not known, or the value
    /// is not one of that property.
    pub fn set(
        &mut self,
        entity: EntityId,
        property: PropertyId,
        value: impl Into<PropertyValue>,
    ) -> Result<bool, PropertyError> {
        let (value, schema) = (value.into(), &self.kinds.schema);
        value.check(schema, property)?;
        if schema.set_by_owner() & property.bit() == 0 {
            return Err(PropertyError::HostOnly { property });
        }
        let table = self.values.tables.get_mut(&entity);
        match table.filter(|_| self.owned.contains_key(&entity)) {
            Some(table) => {
                self.values.busy = true;
                Ok(table.set(property, value))
            }
            None => Err(PropertyError::NotOwner { entity }),
        }
    }

    /// Asks the host to send all properties of an entity again. Nothing has to be asked for in the
    /// usual course of things. The host grants a few of these a second. Returns whether we own the
    /// entity or it is in our interest set.
    pub fn request_full(&mut self, entity: EntityId) -> bool {
        self.values.ask(entity);
        self.values.tables.contains_key(&entity)
    }

    /// Returns false for what overtook its entry or grant and has to be sent again.
    pub(super) fn handle_values(
        &mut self,
        entity: EntityId,
        sequence: Sequence,
        bytes: &[u8],
    ) -> bool {
        let Some(table) = self.values.tables.get_mut(&entity) else {
            self.stats.unknown_entity += 1;
            return false;
        };
        if table.since.is_some_and(|since| sequence < since) {
            // Not acknowledged either: it may be about what we own by now, sent before an exit.
            self.stats.stale += 1;
            return false;
        }
        let Some(values) = decode_values(&self.kinds.schema, bytes) else {
            self.stats.malformed += 1;
            return false;
        };
        let receive = |(id, value)| table.receive(id, value, sequence).then_some(id);
        let changed: Vec<_> = values.into_iter().filter_map(receive).collect();
        for property in changed {
            self.push_event(SessionEvent::Changed { entity, property });
        }
        true
    }

    /// An entity enters the interest set, or we own it from now on.
    pub(super) fn begin_values(&mut self, entity: EntityId) {
        if self.kinds.schema.is_empty() {
            return;
        }
        let since = self.exited.latest(entity).max(self.revoked.latest(entity));
        self.values.tables.entry(entity).or_insert_with(|| ValueTable::new(since));
    }

    /// An entity exited or was revoked: what is known of it goes. If it has entered already, only
    /// what an owner knows or says goes; some of it we may see all the same, which the host knows.
    pub(super) fn forget_values(&mut self, entity: EntityId) {
        let owned = self.owned.contains_key(&entity);
        if !owned && !self.ghosts.contains_key(&entity) {
            self.values.tables.remove(&entity);
        } else if let Some(table) = self.values.tables.get_mut(&entity).filter(|_| !owned) {
            (table.unknown, table.unsent, table.epoch) = (0, 0, 0);
            for ((_, _, property), slot) in self.kinds.properties().zip(&mut table.slots) {
                if property.seen != Seen::ByAll || property.writer == Writer::Owner {
                    *slot = None;
                }
            }
            self.values.ask(entity);
        }
    }

    /// What we set, and requests.
    pub(super) fn write_values(
        &mut self,
        out: &mut PacketWriter,
        items: &mut Vec<SentItem>,
        now: SimTime,
    ) {
        let schema = &self.kinds.schema;
        if !self.values.busy {
            return;
        }
        for (&entity, table) in &mut self.values.tables {
            if table.asks && out.push(None, &Message::Ask { entity }) {
                items.push(SentItem::Ask { entity });
                table.asks = false;
            }
            loop {
                let due = table.due(schema, now);
                if due == 0 {
                    break;
                }
                let (mask, bytes) = encode_values(schema, due, |id| table.get(id));
                if mask == 0 || !out.push(None, &Message::Values { entity, bytes: &bytes }) {
                    return;
                }
                let (version, epoch) = (table.version, table.epoch);
                items.push(SentItem::Values { entity, mask, version, epoch });
                table.sent(mask, now);
            }
        }
        self.values.busy = self.values.tables.values().any(|it| it.asks || it.unsent != 0);
    }
}
