//! Things that are said until they are heard: grants, revocations and corrections.
//!
//! The latest word about an entity replaces earlier ones of the same kind, so the list cannot
//! outgrow what a peer owns by much, and it has an end all the same.

use alloc::vec::Vec;

use reckoning::Update;

use crate::wire::EntityId;

/// Notices that wait to be heard at most.
pub(crate) const MAX_NOTICES: usize = 1024;

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few at a time, and most are corrections")]
pub(crate) enum Word {
    Grant,
    Revoke,
    Correct(Update),
}

impl Word {
    const fn replaces(&self, other: &Self) -> bool {
        matches!(self, Self::Correct(_)) == matches!(other, Self::Correct(_))
    }
}

/// Something that is said until it is heard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notice {
    pub(crate) entity: EntityId,
    pub(crate) word: Word,
    pub(crate) serial: u16,
    under_way: bool,
}

/// What one peer has to be told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices {
    list: Vec<Notice>,
    next_serial: u16,
}

impl Notices {
    /// Takes a word in. Returns false when there is no room.
    pub(crate) fn say(&mut self, entity: EntityId, word: Word) -> bool {
        self.list.retain(|old| old.entity != entity || !word.replaces(&old.word));
        if self.list.len() >= MAX_NOTICES {
            return false;
        }
        self.list.push(Notice { entity, word, serial: self.next_serial, under_way: false });
        self.next_serial = self.next_serial.wrapping_add(1);
        true
    }

    /// Takes back what was to be said about an entity that is gone.
    pub(crate) fn forget(&mut self, entity: EntityId) {
        self.list.retain(|notice| notice.entity != entity);
    }

    /// The next one to put into a datagram.
    pub(crate) fn next(&self) -> Option<Notice> {
        self.list.iter().find(|notice| !notice.under_way).copied()
    }

    pub(crate) fn sent(&mut self, serial: u16) {
        self.set_under_way(serial, true);
    }

    pub(crate) fn lost(&mut self, serial: u16) {
        self.set_under_way(serial, false);
    }

    pub(crate) fn arrived(&mut self, serial: u16) {
        self.list.retain(|notice| notice.serial != serial);
    }

    fn set_under_way(&mut self, serial: u16, under_way: bool) {
        if let Some(notice) = self.list.iter_mut().find(|notice| notice.serial == serial) {
            notice.under_way = under_way;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_word_counts() {
        let mut notices = Notices::default();
        notices.say(EntityId(1), Word::Grant);
        notices.say(EntityId(1), Word::Revoke);
        let said = notices.next().unwrap();
        assert_eq!(said.word, Word::Revoke);
        notices.sent(said.serial);
        assert!(notices.next().is_none());
        notices.lost(said.serial);
        assert!(notices.next().is_some());
        notices.arrived(said.serial);
        assert!(notices.next().is_none());
    }

    #[test]
    fn the_list_has_an_end() {
        let mut notices = Notices::default();
        let taken = (0..2000).filter(|n| notices.say(EntityId(*n), Word::Grant)).count();
        assert_eq!(taken, MAX_NOTICES);
    }
}
