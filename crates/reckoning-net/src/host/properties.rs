//! Properties of entities on a host: set by the game or by owners, due to whoever may see them.
//!
//! Each peer has, for each entity, a bit for every property whose value is neither in flight to it
//! nor known to have arrived ([`PeerEntityState::unsent_values`], [`OwnedValues`]). A change sets
//! the bit, sending clears it, a loss sets it again unless the value has changed since, and what is
//! sent is always the newest value. The bit stays while the peer may not see the property, so
//! whoever comes to see it is sent it.
//!
//! [`PeerEntityState::unsent_values`]: super::sending::PeerEntityState

use alloc::vec::Vec;
use core::time::Duration;

use reckoning::{SimTime, TokenBucket};

use super::Host;
use super::connections::Peer;
use super::entities::Entity;
use super::event::HostEvent;
use crate::ack_window::Sequence;
use crate::kinds::{
    MAX_PROPERTIES, PropertyError, PropertyId, PropertyValue, Schema, decode_values,
};
use crate::wire::{EntityId, PeerId};

/// Requests for all values of an entity that one peer is granted in a second,
const ASKS_PER_S: f64 = 4.0;
/// and at once.
const ASKS_AT_ONCE: f64 = 16.0;

/// One property of an entity that was set.
#[derive(Debug)]
struct Slot {
    value: PropertyValue,
    /// After how many changes of the entity it was sent as it is.
    version: u64,
    /// When it was last due to those who see it.
    released: Option<SimTime>,
    /// The newest datagram of its owner that set it.
    received: Option<Sequence>,
}

/// The properties of one entity. Nothing is allocated before the first is set.
#[derive(Debug, Default)]
pub(crate) struct EntityValues {
    slots: Vec<Option<Slot>>,
    /// A bit for each that was set, and for each that was set and is not due to anyone yet.
    set: u32,
    waiting: u32,
    /// Counts changes.
    version: u64,
    pub(crate) team: Option<u8>,
}

impl EntityValues {
    pub(crate) fn get(&self, id: PropertyId) -> Option<&PropertyValue> {
        self.slot(id).map(|slot| &slot.value)
    }

    /// A bit for each that was set.
    pub(crate) const fn set_mask(&self) -> u32 {
        self.set
    }

    /// How many changes there were.
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }

    fn slot(&self, id: PropertyId) -> Option<&Slot> {
        self.slots.get(usize::from(id.0))?.as_ref()
    }

    /// Returns whether the value is another one.
    fn put(&mut self, id: PropertyId, value: PropertyValue, from: Option<Sequence>) -> bool {
        let place = usize::from(id.0);
        if self.slots.len() <= place {
            self.slots.resize_with(place + 1, || None);
        }
        let Some(place) = self.slots.get_mut(place) else { return false };
        if let Some(slot) = place {
            slot.received = from.or(slot.received);
            if slot.value == value {
                return false;
            }
            slot.value = value;
        } else {
            let version = self.version;
            *place = Some(Slot { value, version, released: None, received: from });
        }
        self.set |= id.bit();
        self.waiting |= id.bit();
        true
    }

    /// Those that are due to everyone from now on.
    fn release(&mut self, schema: &Schema, now: SimTime) -> u32 {
        let mut due = 0;
        self.version += 1;
        for (number, slot) in (0..MAX_PROPERTIES as u8).zip(&mut self.slots) {
            let (id, Some(slot)) = (PropertyId(number), slot) else { continue };
            let interval = schema.get(id).map_or(Duration::ZERO, |it| it.min_interval);
            let early = slot.released.is_some_and(|last| now.saturating_since(last) < interval);
            if self.waiting & id.bit() == 0 || early {
                continue;
            }
            (slot.released, slot.version) = (Some(now), self.version);
            due |= id.bit();
        }
        self.waiting &= !due;
        due
    }

    /// Those of the properties that are as they were after so many changes.
    pub(crate) fn unchanged_since(&self, mask: u32, version: u64) -> u32 {
        let unchanged = |id: &PropertyId| {
            let changed = self.slot(*id).map_or(0, |slot| slot.version);
            mask & id.bit() != 0 && version >= changed
        };
        let ids = (0..MAX_PROPERTIES as u8).map(PropertyId).filter(unchanged);
        ids.fold(0, |mask, id| mask | id.bit())
    }

    /// Datagrams of another owner count anew.
    pub(crate) fn forget_writer(&mut self) {
        self.slots.iter_mut().flatten().for_each(|slot| slot.received = None);
    }
}

/// What an owner has to be sent of the properties of an entity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnedValues {
    pub(crate) entity: EntityId,
    /// Tells this ownership from earlier ones.
    pub(crate) epoch: u32,
    /// The newest datagram that was received before it.
    since: Option<Sequence>,
    /// As in the interest set.
    pub(crate) unsent: u32,
}

impl OwnedValues {
    pub(crate) fn is_of(&self, entity: EntityId, epoch: u32) -> bool {
        self.entity == entity && self.epoch == epoch
    }
}

/// What a peer has to be sent of properties, beside its interest set.
#[derive(Debug)]
pub(crate) struct PeerValues {
    pub(crate) team: Option<u8>,
    /// The entities it owns.
    pub(crate) owned: Vec<OwnedValues>,
    /// Something may be due.
    pub(crate) due: bool,
    /// What is due was not looked through in this tick.
    pub(crate) scan: bool,
    /// Where in the interest set to go on, so that none waits for long.
    pub(crate) next: usize,
    asks: TokenBucket,
}

impl PeerValues {
    pub(crate) fn new(now: SimTime) -> Self {
        let asks = TokenBucket::new(now, ASKS_PER_S, ASKS_AT_ONCE);
        Self { team: None, owned: Vec::new(), due: false, scan: false, next: 0, asks }
    }

    pub(crate) const fn begin_tick(&mut self) {
        self.scan = self.due;
    }
}

impl Peer {
    /// Whether the peer can read values: it has acknowledged what was declared.
    pub(crate) const fn knows_schema(&self) -> bool {
        self.kinds.is_empty() && self.schema.is_empty()
    }

    /// The peer owns an entity from now on, and knows nothing of its properties.
    pub(crate) fn grant_values(&mut self, entity: EntityId) {
        self.forget_owned_values();
        self.values.owned.retain(|it| it.entity != entity);
        self.next_epoch = self.next_epoch.wrapping_add(1);
        let (epoch, since) = (self.next_epoch, self.channel.received.newest());
        self.values.owned.push(OwnedValues { entity, epoch, since, unsent: u32::MAX });
        self.values.due = true;
    }

    /// Forgets the values of entities that it no longer owns.
    pub(crate) fn forget_owned_values(&mut self) {
        let Self { owned, values, .. } = self;
        values.owned.retain(|it| owned.contains(&it.entity));
    }

    /// Values of these properties are due to it, if it may see them. To an owner as well, even of
    /// what it set itself: what it was told last has to be what the host took last, however
    /// datagrams overtook each other.
    fn values_changed(&mut self, entity: &Entity, due: u32) {
        if self.owns(entity) {
            if let Some(owned) = self.values.owned.iter_mut().find(|it| it.entity == entity.id) {
                owned.unsent |= due;
            }
        } else if let Some(state) = self.entity_state_mut(entity.id) {
            state.unsent_values |= due;
        } else {
            return;
        }
        self.values.due = true;
    }
}

impl Host {
    /// Sets a property of an entity, whoever owns it. Whoever may see it is sent it with one of the
    /// next ticks: the newest value, not each that it had meanwhile. Returns whether it is another
    /// value.
    ///
    /// # Errors
    /// When the entity or the property is not known, or the value is not one of that property.
    pub fn set(
        &mut self,
        entity: EntityId,
        property: PropertyId,
        value: impl Into<PropertyValue>,
    ) -> Result<bool, PropertyError> {
        let value = value.into();
        value.check(&self.config.kinds.schema, property)?;
        let found = self.entities.get_mut(entity);
        let found = found.ok_or(PropertyError::UnknownEntity { entity })?;
        let changed = found.values.put(property, value, None);
        if changed {
            self.changed.insert(entity);
        }
        Ok(changed)
    }

    /// The value of a property; `None` until it was set.
    #[must_use]
    pub fn get(&self, entity: EntityId, property: PropertyId) -> Option<&PropertyValue> {
        self.entities.get(entity)?.values.get(property)
    }

    /// Sets the team of a peer, which sees what [`Seen::ByTeam`](crate::Seen::ByTeam) says of
    /// entities of that team, and of entities that only their team sees
    /// ([`Visibility::Team`](crate::Visibility::Team)). What it saw before it changed teams it was
    /// told. The default is none.
    pub fn set_team(&mut self, peer: PeerId, team: Option<u8>) {
        if let Some(found) = self.peers.get_mut(&peer) {
            (found.values.team, found.values.due) = (team, true);
            self.hide_from(peer);
        }
    }

    /// Sets the team of an entity. Returns whether the entity exists. The default is none.
    pub fn set_entity_team(&mut self, entity: EntityId, team: Option<u8>) -> bool {
        let Some(found) = self.entities.get_mut(entity) else { return false };
        found.values.team = team;
        self.hide_from_all(entity);
        self.peers.values_mut().for_each(|peer| peer.values.due = true);
        true
    }

    /// What was set is due from now on, as far as the intervals of properties allow.
    pub(super) fn release_values(&mut self, now: SimTime) {
        let (entities, peers) = (&mut self.entities, &mut self.peers);
        let schema = &self.config.kinds.schema;
        self.changed.retain(|id| {
            let Some(entity) = entities.get_mut(*id) else { return false };
            let due = entity.values.release(schema, now);
            if due != 0 {
                let entity = &*entity;
                for peer in peers.values_mut() {
                    peer.values_changed(entity, due);
                }
            }
            entity.values.waiting != 0
        });
    }

    /// An owner sets properties. Returns false for what is not taken now and may be later: it is not
    /// acknowledged, so that an owner does not take it for known.
    pub(super) fn handle_values(
        &mut self,
        from: PeerId,
        sequence: Sequence,
        id: EntityId,
        bytes: &[u8],
    ) -> bool {
        let schema = &self.config.kinds.schema;
        let Some(peer) = self.peers.get_mut(&from) else { return true };
        let Some(entity) = self.entities.get_mut(id) else {
            peer.stats.unknown_entity += 1;
            return true;
        };
        let owns = peer.owns(entity);
        let owned = peer.values.owned.iter().find(|it| owns && it.entity == id);
        let Some(owned) = owned else {
            peer.stats.not_owner += 1;
            return false;
        };
        if owned.since.is_some_and(|since| sequence <= since) {
            peer.stats.stale += 1; // of an earlier ownership
            return false;
        }
        let Some(values) = decode_values(schema, bytes) else {
            peer.stats.malformed += 1;
            return true;
        };
        let mut changed = Vec::new();
        for (property, value) in values {
            let slot = entity.values.slot(property);
            if schema.set_by_owner() & property.bit() == 0 {
                peer.stats.values_refused += 1;
            } else if slot.is_some_and(|it| it.received.is_some_and(|newest| newest > sequence)) {
                peer.stats.stale += 1;
            } else if entity.values.put(property, value, Some(sequence)) {
                changed.push(property);
            }
        }
        if !changed.is_empty() {
            self.changed.insert(id);
        }
        for property in changed {
            self.push_event(HostEvent::Changed { peer: from, entity: id, property });
        }
        true
    }

    /// A peer wants to be sent all values of an entity again.
    pub(super) fn handle_ask(&mut self, now: SimTime, from: PeerId, id: EntityId) {
        let Some(peer) = self.peers.get_mut(&from) else { return };
        if peer.values.asks.level(now) < 1.0 {
            peer.stats.flooded += 1;
            return;
        }
        peer.values.asks.take(1.0);
        if let Some(owned) = peer.values.owned.iter_mut().find(|it| it.entity == id) {
            owned.unsent = u32::MAX;
        } else if let Some(state) = peer.entity_state_mut(id) {
            state.unsent_values = u32::MAX;
        } else {
            peer.stats.unknown_entity += 1;
        }
        peer.values.due = true;
    }
}

#[cfg(test)]
mod tests {
    use reckoning::{DVec3, Kinematics, Model, Quantiser};

    use super::*;
    use crate::host::Viewpoint;
    use crate::host::config::HostConfig;
    use crate::kinds::{Kinds, PropertyType, Seen};
    use crate::session::Session;
    use crate::session::config::SessionConfig;
    use crate::wire::{Format, Owner, Registry};

    const PEER: PeerId = PeerId(1);

    fn host() -> (Host, PropertyId) {
        let steps = Quantiser {
            position_m: 0.01,
            velocity_mps: 0.03,
            acceleration_mps2: 0.1,
            angular_velocity_radps: 0.01,
            orientation: 0.01,
        };
        let format = Format::new(true, 1_000, steps, &[Model::Linear], Registry::default());
        let mut config = HostConfig::new(format.unwrap());
        let mut kinds = Kinds::default();
        let health = kinds.property("health", PropertyType::U8, Seen::ByAll).unwrap();
        config.kinds = kinds;
        (Host::new(config).unwrap(), health)
    }

    /// One tick; what the host sends is given to the session, and returned.
    fn tick(host: &mut Host, session: &mut Session, now: SimTime) -> Vec<Vec<u8>> {
        let (mut buf, mut sent) = ([0; 1000], Vec::new());
        session.handle_timeout(now);
        while let Some(length) = session.poll_datagram(now, &mut buf) {
            host.handle_datagram(now, PEER, &buf[..length]);
        }
        host.handle_timeout(now);
        while let Some(event) = host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                host.admit(now, peer);
                host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
        }
        while let Some((_, length)) = host.poll_datagram(now, &mut buf) {
            session.handle_datagram(now, &buf[..length]);
            sent.push(buf[..length].to_vec());
        }
        sent
    }

    #[test]
    fn an_entity_has_no_values_of_the_one_that_had_its_id() {
        let (mut host, health) = host();
        let mut session = Session::new(SessionConfig::default()).unwrap();
        host.connect(SimTime::ZERO, PEER);
        let mut ticks = (0..).map(|tick| SimTime::from_millis(50 * tick));
        let mut run = |host: &mut Host, session: &mut Session| {
            ticks.by_ref().take(20).for_each(|now| drop(tick(host, session, now)));
        };
        run(&mut host, &mut session);
        for owner in [Owner::Host, Owner::Peer(PEER), Owner::Host] {
            let place = Kinematics::at_rest(SimTime::ZERO, DVec3::ZERO);
            host.entities.next_id = 7;
            let id = host.spawn(SimTime::ZERO, owner, b"", &place).unwrap();
            assert_eq!(id, EntityId(7), "its last end is known");
            run(&mut host, &mut session);
            assert_eq!((host.get(id, health), session.property(id, health)), (None, None));
            host.set(id, health, 5_u8).unwrap();
            run(&mut host, &mut session);
            assert_eq!(session.property(id, health), Some(&PropertyValue::U8(5)), "{owner:?}");
            host.despawn(id);
            run(&mut host, &mut session);
            assert_eq!(session.property(id, health), None);
        }
    }

    #[test]
    fn a_value_lost_is_due_again_unless_it_has_changed_since() {
        let (host, health) = host();
        let schema = &host.config.kinds.schema;
        let mut values = EntityValues::default();
        values.put(health, 1_u8.into(), None);
        assert_eq!(values.release(schema, SimTime::ZERO), health.bit());
        let sent = values.version();
        assert_eq!(values.unchanged_since(health.bit(), sent), health.bit());
        assert!(!values.put(health, 1_u8.into(), None));
        assert_eq!(values.release(schema, SimTime::ZERO), 0);
        assert_eq!(values.unchanged_since(health.bit(), sent), health.bit());
        values.put(health, 2_u8.into(), None);
        assert_eq!(values.release(schema, SimTime::ZERO), health.bit());
        assert_eq!(values.unchanged_since(health.bit(), sent), 0);
    }
}
