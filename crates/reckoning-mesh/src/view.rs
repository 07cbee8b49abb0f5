//! The store as one server last saw it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reckoning::SimTime;

use crate::assign::rank;
use crate::grid::{CellId, WorldGrid};
use crate::ids::{Incarnation, ServerId};
use crate::store::{Entry, Key, Leaf, Record, RegionRecord, Revision, ServerRecord, Standing};

/// A server's record, and since when it stands as it does by our clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Observed {
    pub record: ServerRecord,
    pub revision: Revision,
    pub since: SimTime,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct View {
    pub servers: BTreeMap<ServerId, Observed>,
    pub regions: BTreeMap<CellId, (RegionRecord, Revision)>,
    /// When the last list was asked for.
    pub read_at: Option<SimTime>,
    /// Since when lists have come without a gap: while the store is away nobody can renew, and that
    /// nobody did means nothing.
    pub unbroken_since: SimTime,
}

impl View {
    /// A list that was asked for then is here now; `usual` is the longest time between two that is no gap.
    pub fn note_read(&mut self, now: SimTime, sent_at: SimTime, usual: Duration) {
        if self.read_at.is_none_or(|before| sent_at > before + usual) {
            self.unbroken_since = now;
        }
        self.read_at = Some(sent_at);
    }

    /// Takes in an entry; whether it was news.
    pub fn apply(&mut self, entry: Entry, now: SimTime) -> bool {
        match (entry.key, entry.record) {
            (Key::Server(server), Record::Server(record)) => {
                let known = self.servers.get(&server).map(|it| it.revision);
                if known >= Some(entry.revision) {
                    return false;
                }
                let observed = Observed { record, revision: entry.revision, since: now };
                self.servers.insert(server, observed);
                true
            }
            (Key::Region { x, y }, Record::Region(record)) => {
                let region = CellId::region(x, y);
                if self.regions.get(&region).is_some_and(|it| it.1 >= entry.revision) {
                    return false;
                }
                self.regions.insert(region, (record, entry.revision));
                true
            }
            _ => false, // a key of one sort with a record of the other: not ours
        }
    }

    /// Whether that life of that server has a lease that nobody has ended.
    pub fn is_live(&self, life: Incarnation) -> bool {
        self.servers
            .get(&life.server)
            .is_some_and(|it| it.record.epoch == life.epoch && it.record.standing.is_live())
    }

    /// Whether that life of that server is over, by the store. Not knowing of it is not enough.
    pub fn is_over(&self, life: Incarnation) -> bool {
        self.servers.get(&life.server).is_some_and(|it| {
            it.record.epoch > life.epoch
                || it.record.epoch == life.epoch && !it.record.standing.is_live()
        })
    }

    /// All lives with a lease.
    pub fn live(&self) -> impl Iterator<Item = (Incarnation, &ServerRecord)> {
        let live = self.servers.iter().filter(|it| it.1.record.standing.is_live());
        live.map(|(server, it)| (Incarnation::new(*server, it.record.epoch), &it.record))
    }

    /// Lives with a lease that may get cells.
    pub fn candidates(&self) -> impl Iterator<Item = (Incarnation, &ServerRecord)> {
        self.live().filter(|it| it.1.standing == Standing::Live)
    }

    /// The leaf at a place.
    pub fn leaf_at(&self, grid: &WorldGrid, at: [f64; 2]) -> Option<&Leaf> {
        let deepest = grid.cell_at(at, crate::grid::MAX_DEPTH);
        self.regions.get(&deepest.region_of())?.0.leaf_of(deepest)
    }

    /// The leaf that is that cell.
    pub fn leaf(&self, cell: CellId) -> Option<&Leaf> {
        let (region, _) = self.regions.get(&cell.region_of())?;
        region.leaves.iter().find(|it| it.cell == cell)
    }

    /// Owners of leaves within a distance of a place.
    pub fn owners_within(
        &self,
        grid: &WorldGrid,
        at: [f64; 2],
        range_m: f64,
    ) -> BTreeSet<Incarnation> {
        let regions = grid.regions_within(at, range_m);
        let leaves = regions.filter_map(|it| self.regions.get(&it)).flat_map(|it| &it.0.leaves);
        leaves.filter(|it| grid.distance_m(it.cell, at) <= range_m).map(|it| it.owner).collect()
    }

    /// Who keeps copies of what `me` has in that cell: the server that would get the cell next. One that
    /// drains is not asked to keep anything.
    pub fn holder(&self, cell: CellId, me: Incarnation) -> Option<Incarnation> {
        let others = |it: &Incarnation| *it != me;
        rank(cell, self.candidates().map(|it| it.0).filter(others)).into_iter().next()
    }

    /// The fenced life whose bodies are recovered next, who does it, and since which revision.
    pub fn next_recovery(&self) -> Option<(Incarnation, Incarnation, Revision)> {
        let fenced = self.servers.iter().filter_map(|(server, it)| match it.record.standing {
            Standing::Fenced { by } => {
                Some((Incarnation::new(*server, it.record.epoch), by, it.revision))
            }
            _ => None,
        });
        fenced.min_by_key(|it| it.2)
    }
}
