//! Control messages to a peer: grants, revocations and corrections, sent until acknowledged.
//!
//! The latest message about an entity replaces earlier ones of the same kind, so the list cannot
//! outgrow what a peer owns by much, and it has a limit all the same.

use alloc::vec::Vec;

use reckoning::Update;

use crate::limits::MAX_CONTROL_MESSAGES;
use crate::wire::EntityId;

/// A control message about an entity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few at a time, and most are corrections")]
pub(crate) enum ControlMessage {
    Grant,
    Revoke,
    Correct(Update),
}

impl ControlMessage {
    const fn replaces(&self, other: &Self) -> bool {
        matches!(self, Self::Correct(_)) == matches!(other, Self::Correct(_))
    }
}

/// A control message that is not acknowledged yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingControl {
    pub(crate) entity: EntityId,
    pub(crate) message: ControlMessage,
    pub(crate) serial: u32,
    in_flight: bool,
}

/// The control messages of one peer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ControlMessages {
    list: Vec<PendingControl>,
    next_serial: u32,
}

impl ControlMessages {
    /// Queues a message. Returns false when there is no room.
    pub(crate) fn push(&mut self, entity: EntityId, message: ControlMessage) -> bool {
        self.list.retain(|old| old.entity != entity || !message.replaces(&old.message));
        if self.list.len() >= MAX_CONTROL_MESSAGES {
            return false;
        }
        self.list.push(PendingControl {
            entity,
            message,
            serial: self.next_serial,
            in_flight: false,
        });
        self.next_serial = self.next_serial.wrapping_add(1);
        true
    }

    /// Drops the messages about an entity that is gone.
    pub(crate) fn forget(&mut self, entity: EntityId) {
        self.list.retain(|pending| pending.entity != entity);
    }

    /// Whether a message about an entity waits to be acknowledged.
    pub(crate) fn is_about(&self, entity: EntityId) -> bool {
        self.list.iter().any(|pending| pending.entity == entity)
    }

    /// The grant of an entity, if it waits to be acknowledged.
    pub(crate) fn grant_of(&self, entity: EntityId) -> Option<u32> {
        let is_grant =
            |it: &&PendingControl| it.entity == entity && it.message == ControlMessage::Grant;
        self.list.iter().find(is_grant).map(|pending| pending.serial)
    }

    /// Entities whose grant is on its way.
    pub(crate) fn grants_in_flight(&self) -> impl Iterator<Item = EntityId> {
        let is_grant = |it: &&PendingControl| it.in_flight && it.message == ControlMessage::Grant;
        self.list.iter().filter(is_grant).map(|pending| pending.entity)
    }

    /// The next one to write into a datagram.
    pub(crate) fn next(&self) -> Option<PendingControl> {
        self.list.iter().find(|pending| !pending.in_flight).copied()
    }

    pub(crate) fn sent(&mut self, serial: u32) {
        self.set_in_flight(serial, true);
    }

    pub(crate) fn lost(&mut self, serial: u32) {
        self.set_in_flight(serial, false);
    }

    pub(crate) fn acknowledged(&mut self, serial: u32) {
        self.list.retain(|pending| pending.serial != serial);
    }

    fn set_in_flight(&mut self, serial: u32, in_flight: bool) {
        if let Some(pending) = self.list.iter_mut().find(|pending| pending.serial == serial) {
            pending.in_flight = in_flight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_message_counts() {
        let mut messages = ControlMessages::default();
        messages.push(EntityId(1), ControlMessage::Grant);
        messages.push(EntityId(1), ControlMessage::Revoke);
        let pending = messages.next().unwrap();
        assert_eq!(pending.message, ControlMessage::Revoke);
        messages.sent(pending.serial);
        assert!(messages.next().is_none());
        messages.lost(pending.serial);
        assert!(messages.next().is_some());
        messages.acknowledged(pending.serial);
        assert!(messages.next().is_none());
    }

    #[test]
    fn the_list_has_an_end() {
        let mut messages = ControlMessages::default();
        let taken =
            (0..2000).filter(|n| messages.push(EntityId(*n), ControlMessage::Grant)).count();
        assert_eq!(taken, MAX_CONTROL_MESSAGES);
    }
}
