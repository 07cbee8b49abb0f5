//! Table of all entities of a host, by id, by slot and by place.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::num::NonZeroUsize;

use reckoning::SimTime;

use super::entity::{ClassFormat, Entity};
use crate::host::config::HostConfig;
use crate::host::interest::{GroupId, InterestGrid, NearbyEntity, ViewOrigin};
use crate::host::sending::EntityFairness;
use crate::kinds::{Kind, KindId};
use crate::wire::{EntityId, Format};
use crate::zones::{ZoneClass, ZoneConfig};

/// How entities of one kind are replicated.
#[derive(Debug)]
struct KindZones {
    zones: ZoneConfig,
    classes: Vec<ClassFormat>,
    /// They are the host's.
    is_inherited: bool,
    importance: f64,
}

impl KindZones {
    fn new(kind: Option<&Kind>, inherited: &ZoneConfig, format: &Format) -> Self {
        let own = kind.and_then(|kind| kind.zones.as_ref());
        let importance = kind.map_or(1.0, |kind| kind.importance);
        let zones = own.unwrap_or(inherited).clone();
        let class = |class: &ZoneClass| ClassFormat {
            format: format.coarser(class.coarser_log2),
            rules: *class,
        };
        let classes = zones.classes.iter().map(class).collect();
        Self { zones, classes, is_inherited: own.is_none(), importance }
    }
}

/// All entities, by a slot of their own and by id.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct EntityTable {
    pub(crate) slots: Vec<Option<Entity>>,
    free: Vec<u32>,
    by_id: BTreeMap<EntityId, u32>,
    pub(in crate::host) next_id: u32,
    /// How each kind is replicated; the first is that of entities without one.
    kinds: Vec<KindZones>,
    grid: InterestGrid,
    /// Entities that are more important than their kind: they count from farther away than the grid
    /// is asked for, so it does not hold them.
    prominent: Vec<u32>,
    /// Some zones have a limit of entities.
    pub(crate) limits_nearest: bool,
    /// Entities that are in a group.
    pub(crate) grouped: usize,
    /// Whether entities keep accounts of what arrived.
    pub(crate) keeps_accounts: bool,
    /// Whether what was sent last counts as held until it counts as lost, and is sent again then.
    pub(crate) resends: bool,
    /// Entities were spawned, despawned or changed owner since the grid was built.
    pub(crate) changed: bool,
    /// Counts what was aimed.
    pub(crate) joint_changes: u64,
}

impl EntityTable {
    pub(crate) fn new(config: &HostConfig) -> Self {
        let own = config.kinds.iter().map(|(_, _, kind)| Some(kind));
        let kinds = core::iter::once(None).chain(own);
        let kinds = kinds.map(|own| KindZones::new(own, &config.zones, &config.format));
        let kinds: Vec<KindZones> = kinds.collect();
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            by_id: BTreeMap::new(),
            next_id: 0,
            limits_nearest: kinds.iter().any(|kind| kind.zones.nearest.is_some()),
            kinds,
            grid: InterestGrid::default(),
            prominent: Vec::new(),
            grouped: 0,
            keeps_accounts: config.keeps_accounts(),
            resends: config.resends(),
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
        let removed = self.slots[slot as usize].take();
        self.count_grouped(removed.as_ref().and_then(|entity| entity.interest.group), None);
        removed
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

    /// An entity changed from one group to another.
    pub(crate) fn count_grouped(&mut self, from: Option<GroupId>, to: Option<GroupId>) {
        self.grouped += usize::from(to.is_some());
        self.grouped -= usize::from(from.is_some());
    }

    /// Which zones limit how many entities like that one are in a set, and their hysteresis; `None`
    /// where none do. Kinds without zones of their own share the host's.
    pub(crate) fn limit_at(&self, slot: u32) -> Option<(usize, f64)> {
        let kind = usize::from(self.at(slot)?.kind.number());
        let zones = self.kinds.get(kind)?;
        zones.zones.nearest?;
        Some((if zones.is_inherited { 0 } else { kind }, zones.zones.hysteresis))
    }

    /// How many entities of these zones are in a set at most.
    pub(crate) fn nearest_in(&self, zones: usize) -> Option<usize> {
        self.kinds.get(zones)?.zones.nearest.map(NonZeroUsize::get)
    }

    /// How far away an entity can be and still be in a class, if it is no more important than its
    /// kind.
    fn reach_m(&self) -> f64 {
        let reach_m = |kind: &KindZones| kind.zones.reach_m() * kind.importance;
        self.kinds.iter().map(reach_m).fold(0.0, f64::max)
    }

    fn is_prominent(&self, entity: &Entity) -> bool {
        let kind = self.kinds.get(usize::from(entity.kind.number()));
        kind.is_some_and(|kind| entity.interest.importance > kind.importance)
    }

    /// All entities with their slots, in order of id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Entity)> {
        self.by_id.values().filter_map(|slot| Some((*slot, self.at(*slot)?)))
    }

    /// Sorts all entities into the grid by where they are at `now`.
    pub(crate) fn rebuild_grid(&mut self, now: SimTime) {
        let mut grid = core::mem::take(&mut self.grid);
        let mut prominent = core::mem::take(&mut self.prominent);
        prominent.clear();
        let others = self.iter().filter_map(|(slot, entity)| {
            if self.is_prominent(entity) {
                prominent.push(slot);
                return None;
            }
            Some((slot, entity.position_at(now)))
        });
        grid.rebuild(self.reach_m(), others);
        (self.grid, self.prominent) = (grid, prominent);
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
            distance_squared_m2: {
                entity.interest.judged(origin.distance_squared(entity.position_at(now)))
            },
            is_left_out: false,
        };
        match origin {
            ViewOrigin::At(viewpoint) if reach_m.is_finite() => {
                let near = self.grid.near(viewpoint, reach_m).chain(self.prominent.iter().copied());
                nearby.extend(near.filter_map(|slot| Some(seen(slot, self.at(slot)?))));
                nearby.sort_unstable_by_key(|it| it.id);
            }
            ViewOrigin::Blind => {}
            ViewOrigin::Nowhere if reach_m.is_finite() => {}
            _ => nearby.extend(self.iter().map(|(slot, entity)| seen(slot, entity))),
        }
    }
}
