//! A store in memory that watches over what is written to it.

use std::collections::BTreeMap;

use reckoning_mesh::{Entry, Key, Record, RegionRecord, Revision, StoreReply, StoreRequest};

#[derive(Clone, Debug, Default, Hash)]
pub struct Store {
    entries: BTreeMap<Key, (Revision, Record)>,
    last: u64,
    /// The first thing that was written and should not have been.
    pub violation: Option<String>,
}

impl Store {
    pub fn answer(&mut self, request: StoreRequest) -> StoreReply {
        let (key, expected, record) = match request {
            StoreRequest::List => return StoreReply::Listed(self.entries()),
            StoreRequest::Swap { key, expected, record } => (key, expected, record),
        };
        let current = self.entries.get(&key).map(|(revision, record)| Entry {
            key,
            revision: *revision,
            record: record.clone(),
        });
        if current.as_ref().map_or(Revision(0), |it| it.revision) != expected {
            return StoreReply::Conflict { current };
        }
        if let Some(before) = current {
            self.judge(&before.record, &record);
        }
        self.last += 1;
        let revision = Revision(self.last);
        self.entries.insert(key, (revision, record));
        StoreReply::Swapped { revision }
    }

    pub fn entries(&self) -> Vec<Entry> {
        let entry = |(key, (revision, record)): (&Key, &(Revision, Record))| Entry {
            key: *key,
            revision: *revision,
            record: record.clone(),
        };
        self.entries.iter().map(entry).collect()
    }

    pub fn regions(&self) -> impl Iterator<Item = &RegionRecord> {
        self.entries.values().filter_map(|it| match &it.1 {
            Record::Region(region) => Some(region),
            Record::Server(_) => None,
        })
    }

    fn judge(&mut self, before: &Record, after: &Record) {
        let falls = match (before, after) {
            (Record::Server(a), Record::Server(b)) => b.epoch < a.epoch,
            (Record::Region(a), Record::Region(b)) => b.leaves.iter().any(|leaf| {
                let old = a.leaf_of(leaf.cell).or_else(|| {
                    a.leaves
                        .iter()
                        .filter(|it| leaf.cell.contains(it.cell))
                        .max_by_key(|it| it.epoch)
                });
                old.is_none_or(|old| {
                    let changes = old.owner != leaf.owner || old.cell != leaf.cell;
                    leaf.epoch < old.epoch || changes && leaf.epoch == old.epoch
                })
            }),
            _ => true,
        };
        if falls && self.violation.is_none() {
            self.violation = Some(format!("an epoch fell: {before:?} then {after:?}"));
        }
    }
}
