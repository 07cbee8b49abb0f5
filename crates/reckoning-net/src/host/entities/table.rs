//! Table of all entities of a host, by id, by slot and by place.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use reckoning::fairness::Policy;
use reckoning::{Fairness, SimTime};

use super::entity::{ClassFormat, Entity};
use crate::host::config::HostConfig;
use crate::host::interest::{InterestGrid, NearbyEntity, ViewOrigin};
use crate::wire::EntityId;
use crate::zones::ZoneConfig;

/// All entities, by a slot of their own and by id.
#[derive(Debug)]
pub(crate) struct EntityTable {
    pub(crate) slots: Vec<Option<Entity>>,
    free: Vec<u32>,
    by_id: BTreeMap<EntityId, u32>,
    pub(super) next_id: u32,
    pub(crate) classes: Vec<ClassFormat>,
    pub(crate) zones: ZoneConfig,
    grid: InterestGrid,
    /// Whether entities keep accounts of what arrived.
    pub(crate) keeps_accounts: bool,
    /// Entities were spawned, despawned or changed owner since the grid was built.
    pub(crate) changed: bool,
}

impl EntityTable {
    pub(crate) fn new(config: &HostConfig) -> Self {
        let class = |class: &crate::zones::ZoneClass| ClassFormat {
            format: config.format.coarser(class.coarser_log2),
            coarser_log2: class.coarser_log2,
            model: class.model,
        };
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            by_id: BTreeMap::new(),
            next_id: 0,
            classes: config.zones.classes.iter().map(class).collect(),
            zones: config.zones.clone(),
            grid: InterestGrid::default(),
            keeps_accounts: config.fairness != Policy::Base,
            changed: false,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// The next id of which no entity is alive and that is not `taken` otherwise. Ids turn round
    /// after 2^32 entities.
    pub(crate) fn free_id(&mut self, taken: impl Fn(EntityId) -> bool) -> EntityId {
        loop {
            let id = EntityId(self.next_id);
            self.next_id = self.next_id.wrapping_add(1);
            if !self.by_id.contains_key(&id) && !taken(id) {
                return id;
            }
        }
    }

    /// Inserts an entity with an id that is free.
    pub(crate) fn insert(&mut self, entity: Entity) {
        let id = entity.id;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        self.slots[slot as usize] = Some(entity);
        self.by_id.insert(id, slot);
        self.changed = true;
    }

    pub(crate) fn remove(&mut self, id: EntityId) -> Option<Entity> {
        let slot = self.by_id.remove(&id)?;
        self.free.push(slot);
        self.changed = true;
        self.slots[slot as usize].take()
    }

    pub(crate) fn get(&self, id: EntityId) -> Option<&Entity> {
        self.at(*self.by_id.get(&id)?)
    }

    pub(crate) fn get_mut(&mut self, id: EntityId) -> Option<&mut Entity> {
        let slot = *self.by_id.get(&id)?;
        self.slots.get_mut(slot as usize)?.as_mut()
    }

    /// The entity in a slot.
    pub(crate) fn at(&self, slot: u32) -> Option<&Entity> {
        self.slots.get(slot as usize)?.as_ref()
    }

    /// The entity of that id, if it is still in that slot, and how the classes are written.
    pub(crate) fn at_slot(
        &mut self,
        slot: u32,
        id: EntityId,
    ) -> Option<(&mut Entity, &[ClassFormat])> {
        let entity = self.slots.get_mut(slot as usize)?.as_mut().filter(|it| it.id == id)?;
        Some((entity, &self.classes))
    }

    /// The fairness policy of the entity of that id, if it is still in that slot and has one.
    pub(crate) fn fairness_at(&mut self, slot: u32, id: EntityId) -> Option<&mut Fairness> {
        self.at_slot(slot, id)?.0.fairness.as_deref_mut()
    }

    /// All entities with their slots, in order of id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Entity)> {
        self.by_id.values().filter_map(|slot| Some((*slot, self.at(*slot)?)))
    }

    /// Sorts all entities into the grid by where they are at `now`.
    pub(crate) fn rebuild_grid(&mut self, now: SimTime) {
        let mut grid = core::mem::take(&mut self.grid);
        grid.rebuild(
            self.zones.reach_m(),
            self.iter().map(|(slot, entity)| (slot, entity.position_at(now))),
        );
        self.grid = grid;
        self.changed = false;
    }

    /// The entities in reach of a viewpoint, in order of id; a few that are not are among them.
    /// What is infinitely far away is in reach if the zones have no end.
    pub(crate) fn find_near(
        &self,
        origin: ViewOrigin,
        now: SimTime,
        nearby: &mut Vec<NearbyEntity>,
    ) {
        nearby.clear();
        let reach_m = self.zones.reach_m();
        let seen = |slot, entity: &Entity| NearbyEntity {
            id: entity.id,
            slot,
            distance_squared_m2: origin.distance_squared(entity.position_at(now)),
        };
        match origin {
            ViewOrigin::At(viewpoint) if reach_m.is_finite() => {
                let near = self.grid.near(viewpoint, reach_m);
                nearby.extend(near.filter_map(|slot| Some(seen(slot, self.at(slot)?))));
                nearby.sort_unstable_by_key(|it| it.id);
            }
            ViewOrigin::Blind => {}
            ViewOrigin::Nowhere if reach_m.is_finite() => {}
            _ => nearby.extend(self.iter().map(|(slot, entity)| seen(slot, entity))),
        }
    }
}
