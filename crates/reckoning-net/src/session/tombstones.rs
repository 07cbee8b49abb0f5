//! Tombstones: entities that exited or were revoked lately, so that older datagrams that arrive
//! late do not bring them back.
//!
//! Datagrams overtake each other, but one that lies further back than acknowledgements reach is
//! dropped, so a tombstone is needed only that long.

use alloc::collections::VecDeque;

use crate::ack_window::{ACK_BITS, Sequence};
use crate::limits::MAX_TOMBSTONES;
use crate::wire::EntityId;

/// Entities that ended, each with the sequence number of the datagram that ended it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tombstones {
    list: VecDeque<(EntityId, Sequence)>,
}

impl Tombstones {
    pub(crate) fn put(&mut self, entity: EntityId, sequence: Sequence) {
        self.list.retain(|(_, old)| sequence.since(*old) <= u64::from(ACK_BITS));
        if self.list.len() >= MAX_TOMBSTONES {
            self.list.pop_front();
        }
        self.list.push_back((entity, sequence));
    }

    /// The datagram that ended the entity last.
    pub(crate) fn latest(&self, entity: EntityId) -> Option<Sequence> {
        self.list.iter().filter(|(dead, _)| *dead == entity).map(|(_, at)| *at).max()
    }

    /// Whether the entity ended after this datagram was sent.
    pub(crate) fn covers(&self, entity: EntityId, sequence: Sequence) -> bool {
        self.list.iter().any(|(dead, at)| *dead == entity && *at > sequence)
    }
}
