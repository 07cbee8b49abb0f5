//! Table of all entities of a host, by id, by slot and by place.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use reckoning::SimTime;

use super::entity::{ClassFormat, Entity};
use crate::host::config::HostConfig;
use crate::host::interest::{InterestGrid, NearbyEntity, ViewOrigin};
use crate::host::sending::EntityFairness;
use crate::kinds::KindId;
use crate::wire::{EntityId, Format};
use crate::zones::{ZoneClass, ZoneConfig};

/// How entities of one kind are replicated.
#[derive(Debug)]
struct KindZones {
    zones: ZoneConfig,
    classes: Vec<ClassFormat>,
    /// They are the host's.
    is_inherited: bool,
}

impl KindZones {
    fn new(own: Option<&ZoneConfig>, inherited: &ZoneConfig, format: &Format) -> Self {
        let zones = own.unwrap_or(inherited).clone();
        let class = |class: &ZoneClass| ClassFormat {
            format: format.coarser(class.coarser_log2),
            rules: *class,
        };
        let classes = zones.classes.iter().map(class).collect();
        Self { zones, classes, is_inherited: own.is_none() }
    }
}

/// All entities, by a slot of their own and by id.
#[derive(Debug)]
pub(crate) struct EntityTable {
    pub(crate) slots: Vec<Option<Entity>>,
    free: Vec<u32>,
    by_id: BTreeMap<EntityId, u32>,
    pub(in crate::host) next_id: u32,
    /// How each kind is replicated; the first is that of entities without one.
    kinds: Vec<KindZones>,
    grid: InterestGrid,
    /// Whether entities keep accounts of what arrived.
    pub(crate) keeps_accounts: bool,
    /// Entities were spawned, despawned or changed owner since the grid was built.
    pub(crate) changed: bool,
    /// Counts what was aimed.
    pub(crate) joint_changes: u64,
}

impl EntityTable {
    pub(crate) fn new(config: &HostConfig) -> Self {
        let own = config.kinds.iter().map(|(_, _, kind)| kind.zones.as_ref());
        let kinds = core::iter::once(None).chain(own);
        let kinds = kinds.map(|own| KindZones::new(own, &config.zones, &config.format)).collect();
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            by_id: BTreeMap::new(),
            next_id: 0,
            kinds,
            grid: InterestGrid::default(),
            keeps_accounts: config.keeps_accounts(),
            changed: false,
            joint_changes: 0,
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
        let classes = &self.kinds.get(usize::from(entity.kind.number()))?.classes;
        Some((entity, classes))
    }

    /// The fairness policies of the entity of that id, if it is still in that slot and has any.
    pub(crate) fn fairness_at(&mut self, slot: u32, id: EntityId) -> Option<&mut EntityFairness> {
        self.at_slot(slot, id)?.0.fairness.as_deref_mut()
    }

    /// All entities, each with the classes of its kind.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&mut Entity, &[ClassFormat])> {
        let kinds = &self.kinds;
        self.slots.iter_mut().flatten().filter_map(|entity| {
            let classes = &kinds.get(usize::from(entity.kind.number()))?.classes;
            Some((entity, classes.as_slice()))
        })
    }

    /// How entities of a kind are replicated.
    pub(crate) fn zones(&self, kind: KindId) -> Option<&ZoneConfig> {
        self.kinds.get(usize::from(kind.number())).map(|kind| &kind.zones)
    }

    /// Entities without a kind, and of kinds without classes of their own, are replicated by these
    /// zones, with the formats that they have.
    pub(crate) fn set_classes(&mut self, classes: &[ZoneClass]) {
        for kind in self.kinds.iter_mut().filter(|kind| kind.is_inherited) {
            kind.zones.classes = classes.to_vec();
            for (format, class) in kind.classes.iter_mut().zip(classes) {
                format.rules = *class;
            }
        }
    }

    /// How far away an entity of any kind can be and still be in a class.
    fn reach_m(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.zones.reach_m()).fold(0.0, f64::max)
    }

    /// All entities with their slots, in order of id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Entity)> {
        self.by_id.values().filter_map(|slot| Some((*slot, self.at(*slot)?)))
    }

    /// Sorts all entities into the grid by where they are at `now`.
    pub(crate) fn rebuild_grid(&mut self, now: SimTime) {
        let mut grid = core::mem::take(&mut self.grid);
        grid.rebuild(
            self.reach_m(),
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
        let reach_m = self.reach_m();
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
