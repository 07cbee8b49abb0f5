//! All entities of a host, and where they are.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use reckoning::{DVec3, Policy, SimTime};

use super::config::HostConfig;
use super::entity::{ClassFormat, Entity};
use crate::wire::EntityId;
use crate::zones::{Grid, ZoneConfig};

/// All entities, by a place of their own and by id.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) slots: Vec<Option<Entity>>,
    free: Vec<u32>,
    by_id: BTreeMap<EntityId, u32>,
    next_id: u32,
    pub(crate) classes: Vec<ClassFormat>,
    pub(crate) zones: ZoneConfig,
    grid: Grid,
    /// Whether entities keep accounts of what arrived.
    pub(crate) accounts: bool,
    /// Entities came or went since the grid was built.
    pub(crate) changed: bool,
}

impl World {
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
            accounts: config.fairness != Policy::Base,
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
    pub(crate) fn sort_out(&mut self, now: SimTime) {
        let mut grid = core::mem::take(&mut self.grid);
        grid.rebuild(
            self.zones.reach_m(),
            self.iter().map(|(slot, entity)| (slot, entity.position_at(now))),
        );
        self.grid = grid;
        self.changed = false;
    }

    /// Who is in the zone of a viewpoint, in order of id, with the squared distance. Without a
    /// viewpoint everything is infinitely far away, and in the zone if that has no end.
    pub(crate) fn around(
        &self,
        viewpoint: Option<DVec3>,
        now: SimTime,
        found: &mut Vec<(EntityId, u32, f64)>,
    ) {
        found.clear();
        let reach_m = self.zones.reach_m();
        if let (Some(viewpoint), true) = (viewpoint, reach_m.is_finite()) {
            for slot in self.grid.near(viewpoint, reach_m) {
                if let Some(entity) = self.at(slot) {
                    let squared = entity.position_at(now).distance_squared(viewpoint);
                    found.push((entity.id, slot, squared));
                }
            }
            found.sort_unstable_by_key(|(id, ..)| *id);
        } else if reach_m.is_infinite() {
            found.extend(self.iter().map(|(slot, entity)| {
                let apart = |from: DVec3| entity.position_at(now).distance_squared(from);
                (entity.id, slot, viewpoint.map_or(f64::INFINITY, apart))
            }));
        }
    }
}
