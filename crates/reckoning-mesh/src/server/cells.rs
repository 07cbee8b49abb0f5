//! Which cells we claim, give away, split and merge.

use std::collections::BTreeMap;

use reckoning::SimTime;

use super::membership::Change;
use super::{MeshServer, Purpose};
use crate::assign::{Candidate, LoadedCell, next_move, rank};
use crate::grid::CellId;
use crate::ids::Incarnation;
use crate::store::{Key, Leaf, Record, RegionRecord, Revision};

impl MeshServer {
    /// The next write to a region, if one is due. A cell that is given away stops being ours here,
    /// before the request is even sent.
    pub(super) fn next_cell_change(&self, now: SimTime) -> Option<Change> {
        if let Some((cell, (_, to))) = self.releasing.first_key_value() {
            return self.give(*cell, *to); // unanswered so far, so it may or may not be applied
        }
        self.claim().or_else(|| self.reshape()).or_else(|| self.rebalance(now))
    }

    /// Claims cells that have no owner and that want us most.
    fn claim(&self) -> Option<Change> {
        let me = self.life()?;
        let wants_us =
            |cell: CellId| rank(cell, self.view.candidates().map(|it| it.0)).first() == Some(&me);
        self.grid.regions().find_map(|region| {
            let Some((record, revision)) = self.view.regions.get(&region) else {
                let record = RegionRecord::whole(region, me);
                let purpose = Purpose::Claim { cells: 1 };
                return wants_us(region)
                    .then(|| change(purpose, region, Revision::default(), record));
            };
            let is_ours = |it: &Leaf| self.view.is_over(it.owner) && wants_us(it.cell);
            let cells = record.leaves.iter().filter(|it| is_ours(it)).count() as u32;
            let record = record.with_owners(|it| is_ours(it).then_some(me));
            (cells > 0).then(|| change(Purpose::Claim { cells }, region, *revision, record))
        })
    }

    /// Splits a hot cell, or merges cold ones.
    fn reshape(&self) -> Option<Change> {
        let loads = self.loads();
        let load = |cell: &CellId| loads.get(cell).copied().unwrap_or(0);
        let may_split = |it: &&CellId| it.depth < self.config.max_depth;
        let hot = loads.keys().filter(may_split).find(|it| load(it) > self.config.split_above);
        if let Some(cell) = hot {
            let (record, revision) = self.view.regions.get(&cell.region_of())?;
            return Some(change(Purpose::Split, *cell, *revision, record.with_split(*cell)));
        }
        let parents = loads.keys().filter_map(|it| it.parent());
        let (parent, merged, revision) = parents.into_iter().find_map(|parent| {
            let sum: u32 = parent.children().iter().map(load).sum();
            let ours = parent.children().iter().all(|it| loads.contains_key(it));
            let (record, revision) = self.view.regions.get(&parent.region_of())?;
            let merged = record.with_merged(parent)?;
            (ours && sum < self.config.merge_below).then_some((parent, merged, *revision))
        })?;
        Some(change(Purpose::Merge, parent, revision, merged))
    }

    /// Gives a cell to a server that should have it.
    fn rebalance(&self, now: SimTime) -> Option<Change> {
        let me = self.life()?;
        let cells: Vec<_> = self.loads().into_iter().map(|it| self.loaded(it)).collect();
        let candidates: Vec<_> = self
            .view
            .candidates()
            .filter(|it| !(it.0 == me && self.is_draining))
            .map(|(server, record)| Candidate { server, load: record.load })
            .collect();
        let for_load = now >= self.rebalance_due;
        let tolerance = self.config.load_tolerance;
        let (cell, to) = next_move(me, &cells, &candidates, tolerance, for_load)?;
        self.give(cell, to)
    }

    fn give(&self, cell: CellId, to: Incarnation) -> Option<Change> {
        let (record, revision) = self.view.regions.get(&cell.region_of())?;
        let record = record.with_owners(|it| (it.cell == cell).then_some(to));
        Some(change(Purpose::Move, cell, *revision, record))
    }

    /// Notes that a cell is given away by this request.
    pub(super) fn note_release(&mut self, now: SimTime, change: &Change) {
        let (Purpose::Move, Record::Region(record)) = (change.purpose, &change.record) else {
            return;
        };
        let me = self.life();
        let given = record
            .leaves
            .iter()
            .filter(|it| self.view.leaf(it.cell).map(|it| it.owner) == me && Some(it.owner) != me);
        for leaf in given {
            self.releasing.insert(leaf.cell, (change.expected, leaf.owner));
        }
        self.rebalance_due = now + self.config.rebalance_every;
    }

    /// Our cells and how many of our bodies are in each.
    fn loads(&self) -> BTreeMap<CellId, u32> {
        let Some(me) = self.life() else { return BTreeMap::new() };
        let ours = self.cells().filter(|it| it.owner == me);
        let mut loads: BTreeMap<CellId, u32> = ours.map(|it| (it.cell, 0)).collect();
        for place in self.places.values() {
            let leaf = self.view.leaf_at(&self.grid, place.at);
            if let Some(load) = leaf.and_then(|it| loads.get_mut(&it.cell)) {
                *load += 1;
            }
        }
        loads
    }

    fn loaded(&self, (cell, load): (CellId, u32)) -> LoadedCell {
        LoadedCell { cell, load, is_cold: load < self.config.merge_below / 4 }
    }
}

fn change(purpose: Purpose, cell: CellId, expected: Revision, record: RegionRecord) -> Change {
    Change { purpose, key: Key::of_region(cell), expected, record: Record::Region(record) }
}
