//! What the mesh asks of a store with compare-and-swap, and what it keeps there.
//!
//! One key for each server, one for each region. A record is written only over the revision that its
//! writer has read, so of two writers one wins and the other learns how it stands. Records are JSON: an
//! operator reads them with the store's own tools.

use serde::{Deserialize, Serialize};

use crate::grid::CellId;
use crate::ids::{Epoch, Incarnation, ServerId};

/// Counts the changes of the store; 0 means "not there".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A server's lease.
    Server(ServerId),
    /// A region's cells.
    Region {
        /// Column.
        x: u32,
        /// Row.
        y: u32,
    },
}

impl Key {
    /// The key of a cell's region.
    #[must_use]
    pub const fn of_region(cell: CellId) -> Self {
        let region = cell.region_of();
        Self::Region { x: region.x, y: region.y }
    }

    /// The key as text, below the mesh's prefix.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::Server(server) => format!("servers/{}", server.0),
            Self::Region { x, y } => format!("regions/{x}-{y}"),
        }
    }

    /// The key of that text; `None` when it is none of ours.
    #[must_use]
    pub fn from_path(path: &str) -> Option<Self> {
        if let Some(server) = path.strip_prefix("servers/") {
            return Some(Self::Server(ServerId(server.parse().ok()?)));
        }
        let (x, y) = path.strip_prefix("regions/")?.split_once('-')?;
        Some(Self::Region { x: x.parse().ok()?, y: y.parse().ok()? })
    }
}

/// What stands at a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A server's lease.
    Server(ServerRecord),
    /// A region's cells.
    Region(RegionRecord),
}

impl Record {
    /// The record as it is stored.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Plain values, which always have a JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The record of these bytes.
    ///
    /// # Errors
    /// When they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }
}

/// The lease of a server: renewed by being written again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ServerRecord {
    /// Which life of the server it is.
    pub epoch: Epoch,
    /// Tells a process from another that took its number by mistake.
    pub nonce: u64,
    /// How often it was renewed.
    pub renewals: u64,
    /// How it stands.
    pub standing: Standing,
    /// Where other servers reach it.
    pub address: String,
    /// How many bodies it has.
    pub load: u32,
}

/// How a server stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It serves.
    Live,
    /// It serves, and gives away all it has.
    Draining,
    /// It is dead, and its bodies are being recovered.
    Fenced {
        /// By whom.
        by: Incarnation,
    },
    /// It is dead, and nothing of it is left.
    Gone,
}

impl Standing {
    /// Whether its lease may hold.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Live | Self::Draining)
    }
}

/// The cells of a region and their owners.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RegionRecord {
    /// The cells; together they fill the region.
    pub leaves: Vec<Leaf>,
}

/// A cell that is not split, and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Leaf {
    /// Which cell.
    pub cell: CellId,
    /// Who owns it.
    pub owner: Incarnation,
    /// How many owners the region's cells had when this one got it: never falls.
    pub epoch: Epoch,
}

impl RegionRecord {
    /// A region that is one cell.
    #[must_use]
    pub fn whole(region: CellId, owner: Incarnation) -> Self {
        Self { leaves: vec![Leaf { cell: region, owner, epoch: Epoch(1) }] }
    }

    /// The leaf that a cell lies in.
    #[must_use]
    pub fn leaf_of(&self, cell: CellId) -> Option<&Leaf> {
        self.leaves.iter().find(|it| it.cell.contains(cell))
    }

    /// Above all epochs there were.
    fn next_epoch(&self) -> Epoch {
        self.leaves.iter().map(|it| it.epoch).max().unwrap_or_default().next()
    }

    /// With another owner for the leaves that `choose` picks one for.
    #[must_use]
    pub fn with_owners(&self, mut choose: impl FnMut(&Leaf) -> Option<Incarnation>) -> Self {
        let epoch = self.next_epoch();
        let change = |leaf: &Leaf| match choose(leaf) {
            Some(owner) if owner != leaf.owner => Leaf { owner, epoch, ..*leaf },
            _ => *leaf,
        };
        Self { leaves: self.leaves.iter().map(change).collect() }
    }

    /// With that leaf split into four, which keep its owner.
    #[must_use]
    pub fn with_split(&self, cell: CellId) -> Self {
        let epoch = self.next_epoch();
        let split = |leaf: &Leaf| {
            let cells = if leaf.cell == cell { cell.children().to_vec() } else { vec![leaf.cell] };
            let epoch = if leaf.cell == cell { epoch } else { leaf.epoch };
            let owner = leaf.owner;
            cells.into_iter().map(move |cell| Leaf { cell, owner, epoch })
        };
        Self { leaves: self.leaves.iter().flat_map(split).collect() }
    }

    /// With the four children of that cell merged, if one server owns them all.
    #[must_use]
    pub fn with_merged(&self, parent: CellId) -> Option<Self> {
        let epoch = self.next_epoch();
        let is_child = |leaf: &&Leaf| leaf.cell.parent() == Some(parent);
        let children: Vec<_> = self.leaves.iter().filter(is_child).collect();
        let owner = children.first()?.owner;
        if children.len() != 4 || children.iter().any(|it| it.owner != owner) {
            return None;
        }
        let mut leaves: Vec<_> = self.leaves.iter().filter(|it| !is_child(it)).copied().collect();
        leaves.push(Leaf { cell: parent, owner, epoch });
        leaves.sort_by_key(|it| it.cell);
        Some(Self { leaves })
    }
}

/// A request that the shell carries to the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StoreRequest {
    /// Everything below the mesh's prefix, as it stands at one moment.
    List,
    /// Write, if the key is still at that revision (0: is not there).
    Swap {
        /// Where.
        key: Key,
        /// The revision read.
        expected: Revision,
        /// What to write.
        record: Record,
    },
}

/// The number of a request: its reply has the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// What the store answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StoreReply {
    /// Everything there is. Keys and records that are none of ours are left out by the shell.
    Listed(Vec<Entry>),
    /// It is written, at this revision.
    Swapped {
        /// The revision now.
        revision: Revision,
    },
    /// It is not written, as the key stood otherwise.
    Conflict {
        /// How it stands; `None` when it is not there.
        current: Option<Entry>,
    },
    /// The store could not be asked, or did not say; a write may have been applied.
    Unavailable,
}

/// A key, its record and the revision of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Where it stands.
    pub key: Key,
    /// When it was written.
    pub revision: Revision,
    /// What stands there.
    pub record: Record,
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Incarnation = Incarnation::new(ServerId(1), Epoch(1));
    const B: Incarnation = Incarnation::new(ServerId(2), Epoch(4));

    #[test]
    fn keys_and_records_come_back_from_the_store() {
        for key in [Key::Server(ServerId(7)), Key::Region { x: 3, y: 12 }] {
            assert_eq!(Key::from_path(&key.path()), Some(key));
        }
        for path in ["", "servers/", "servers/70000", "regions/1", "regions/1-", "other/1"] {
            assert_eq!(Key::from_path(path), None, "{path}");
        }
        let record = Record::Region(RegionRecord::whole(CellId::region(0, 1), A));
        assert_eq!(Record::from_bytes(&record.to_bytes()).unwrap(), record);
        assert!(Record::from_bytes(b"{\"region\":{\"leaves\":7}}").is_err());
    }

    #[test]
    fn epochs_of_a_region_never_fall() {
        let region = CellId::region(2, 2);
        let whole = RegionRecord::whole(region, A);
        let split = whole.with_split(region);
        assert_eq!(split.leaves.len(), 4);
        let hot = region.children()[1];
        let moved = split.with_owners(|it| (it.cell == hot).then_some(B));
        assert_eq!(moved.leaf_of(hot).unwrap().epoch, Epoch(3));
        assert_eq!(moved.leaf_of(region.children()[0]).unwrap().epoch, Epoch(2));
        assert_eq!(moved.with_merged(region), None, "two owners");
        let back = moved.with_owners(|_| Some(A)).with_merged(region).unwrap();
        assert_eq!(back.leaves, [Leaf { cell: region, owner: A, epoch: Epoch(5) }]);
    }
}
