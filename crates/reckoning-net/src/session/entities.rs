//! Entities of others, as a session shows them, and its own, as it publishes them.

use alloc::boxed::Box;

use reckoning::{Ghost, Publisher, Update};

use crate::ack_window::ahead;
use crate::history::History;
use crate::wire::{Owner, UpdateSeq};

/// As on the host's side: after so many losses in a row, without a baseline.
const MAX_LOSSES_WITH_BASELINE: u8 = 2;

/// An entity that somebody else moves.
#[derive(Clone, Debug)]
pub struct RemoteEntity {
    pub(crate) owner: Owner,
    pub(crate) tag: Box<[u8]>,
    pub(crate) ghost: Ghost,
    pub(crate) history: History,
    /// The datagram with which it entered.
    pub(crate) entered: u16,
    /// The newest datagram that said something of it.
    pub(crate) sequence: u16,
}

impl RemoteEntity {
    /// Who moves it.
    #[must_use]
    pub const fn owner(&self) -> Owner {
        self.owner
    }

    /// The game's own bytes about it.
    #[must_use]
    pub fn tag(&self) -> &[u8] {
        &self.tag
    }

    /// What is shown of it, on the session's timeline:
    /// [`Session::timeline_at`](crate::Session::timeline_at).
    #[must_use]
    pub const fn ghost(&self) -> &Ghost {
        &self.ghost
    }
}

/// An entity of our own.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnedEntity {
    pub(crate) publisher: Option<Publisher>,
    history: History,
    /// The datagram that granted it.
    pub(crate) granted: u16,
    /// The newest datagram that put it right.
    pub(crate) corrected: Option<u16>,
    pending: Option<Update>,
    /// The newest that the host has.
    acked: Option<u16>,
    losses: u8,
    lost: bool,
}

impl OwnedEntity {
    pub(crate) fn granted(sequence: u16) -> Self {
        Self { granted: sequence, ..Self::default() }
    }

    /// An export, already on the grid, to be sent; an older one gives way.
    pub(crate) fn export(&mut self, update: Update) {
        self.pending = Some(update);
    }

    pub(crate) const fn needs_sending(&self) -> bool {
        self.pending.is_some() || self.lost
    }

    /// What to send: number, update, and what it is coded off.
    pub(crate) fn form(&self) -> Option<(UpdateSeq, u16, Update, Option<&Update>)> {
        let newest = self.history.newest();
        let (number, update) = match self.pending {
            Some(update) => (newest.map_or(0, |newest| newest.wrapping_add(1)), update),
            None => newest.and_then(|newest| Some((newest, *self.history.get(newest)?)))?,
        };
        let base = self.acked.filter(|_| self.losses < MAX_LOSSES_WITH_BASELINE);
        let off =
            base.and_then(|base| Some((UpdateSeq::delta(base, number)?, self.history.get(base)?)));
        match off {
            Some((seq, base)) => Some((seq, number, update, Some(base))),
            None => Some((UpdateSeq::Full(number), number, update, None)),
        }
    }

    pub(crate) fn sent(&mut self, number: u16) {
        if let Some(update) = self.pending.take() {
            self.history.put(number, update);
        }
        self.lost = false;
    }

    pub(crate) fn arrived(&mut self, number: u16) {
        if self.acked.is_none_or(|acked| ahead(number, acked) > 0) {
            self.acked = Some(number);
        }
        self.losses = 0;
    }

    pub(crate) fn lost(&mut self, number: u16) {
        self.losses = self.losses.saturating_add(1);
        self.lost |= self.history.newest() == Some(number) && self.acked != Some(number);
    }
}
