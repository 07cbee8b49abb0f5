//! Ids of connections: they turn round after 2^32 of them, and none is given twice while it is open.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use reckoning_net::PeerId;

/// Gives ids to connections.
pub(crate) struct PeerIds {
    state: Mutex<State>,
}

struct State {
    next: u32,
    open: BTreeSet<PeerId>,
}

impl PeerIds {
    pub(crate) const fn beginning_at(next: u32) -> Self {
        Self { state: Mutex::new(State { next, open: BTreeSet::new() }) }
    }

    /// An id that no open connection has.
    pub(crate) fn take(&self) -> PeerId {
        let mut state = self.lock();
        loop {
            let peer = PeerId(state.next);
            state.next = state.next.wrapping_add(1);
            if state.open.insert(peer) {
                return peer;
            }
        }
    }

    /// The connection is closed.
    pub(crate) fn give_back(&self, peer: PeerId) {
        self.lock().open.remove(&peer);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_id_is_not_given_again_when_ids_turn_round() {
        let ids = PeerIds::beginning_at(0);
        let first = [ids.take(), ids.take(), ids.take()];
        ids.give_back(first[1]);
        ids.lock().next = u32::MAX;
        let next = [ids.take(), ids.take(), ids.take()].map(|PeerId(id)| id);
        assert_eq!(next, [u32::MAX, 1, 3], "0 and 2 are open");
    }
}
