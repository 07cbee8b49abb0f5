//! All entities of a host, and where they are.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use reckoning::{Policy, SimTime};

use super::entity::{ClassFormat, Entity};
use crate::host::config::HostConfig;
use crate::host::interest::{Grid, NearbyEntity, ViewOrigin};
use crate::wire::EntityId;
use crate::zones::ZoneConfig;

/// All entities, by a place of their own and by id.
#[derive(Debug)]
pub(crate) struct EntityTable {
    pub(crate) slots: Vec<Option<Entity>>,
    free: Vec<u32>,
    by_id: BTreeMap<EntityId, u32>,
    next_id: u32,
    pub(crate) classes: Vec<ClassFormat>,
    pub(crate) zones: ZoneConfig,
    grid: Grid,
    /// Whether entities keep accounts of what arrived.
    pub(crate) keeps_accounts: bool,
    /// Entities came or went since the grid was built.
    pub(crate) changed: bool,
}

impl EntityTable {
    pub(crate) fn new(config: &HostConfig) -> Self {
        let class = |class: &crate::zones::ZoneClass| ClassFormat {
            format: config.format.coarser(class.coarser_log2),
            log2: class.coarser_log2,
            model: class.model,
        };
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            by_id: BTreeMap::new(),
            next_id: 0,
            classes: config.zones.classes.iter().map(class).collect(),
            zones: config.zones.clone(),
            grid: Grid::default(),
            keeps_accounts: config.fairness != Policy::Base,
            changed: false,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Puts an entity in; `make` gets its id.
    pub(crate) fn insert(&mut self, make: impl FnOnce(EntityId) -> Entity) -> EntityId {
        let id = EntityId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        self.slots[slot as usize] = Some(make(id));
        self.by_id.insert(id, slot);
        self.changed = true;
        id
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

    pub(crate) fn at(&self, slot: u32) -> Option<&Entity> {
        self.slots.get(slot as usize)?.as_ref()
    }

    /// The entity of that id, if it is still in that place.
    pub(crate) fn seen(&mut self, slot: u32, id: EntityId) -> Option<&mut Entity> {
        self.slots.get_mut(slot as usize)?.as_mut().filter(|entity| entity.id == id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Entity)> {
        self.by_id.values().filter_map(|slot| Some((*slot, self.at(*slot)?)))
    }

    /// Notes where everything is at `now`.
    pub(crate) fn rebuild_grid(&mut self, now: SimTime) {
        let mut grid = core::mem::take(&mut self.grid);
        grid.rebuild(
            self.zones.reach_m(),
            self.iter().map(|(slot, entity)| (slot, entity.position_at(now))),
        );
        self.grid = grid;
        self.changed = false;
    }

    /// Who is in the zone of a sight, in order of id, with the squared distance. What is
    /// infinitely far away is in the zone if that has no end.
    pub(crate) fn find_near(&self, sight: ViewOrigin, now: SimTime, found: &mut Vec<NearbyEntity>) {
        found.clear();
        let reach_m = self.zones.reach_m();
        let seen =
            |slot, entity: &Entity| (entity.id, slot, sight.squared(entity.position_at(now)));
        match sight {
            ViewOrigin::From(viewpoint) if reach_m.is_finite() => {
                let near = self.grid.near(viewpoint, reach_m);
                found.extend(near.filter_map(|slot| Some(seen(slot, self.at(slot)?))));
                found.sort_unstable_by_key(|(id, ..)| *id);
            }
            ViewOrigin::Nowhere if reach_m.is_finite() => {}
            _ => found.extend(self.iter().map(|(slot, entity)| seen(slot, entity))),
        }
    }
}
