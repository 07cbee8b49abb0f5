//! History of one entity's updates by number: where baselines are looked up.
//!
//! Numbers are counted per entity and wrap. The sender keeps what it numbered, the receiver what
//! it decoded; both keep [`HISTORY`] numbers up to the newest, so whatever one side acknowledged
//! and the other side still has can serve as a baseline.

use alloc::vec::Vec;

use reckoning::Update;

use crate::ack_window::ahead;
use crate::wire::MAX_BASELINE_AGE;

/// Numbers kept per entity: the newest, and as many as a baseline can lie back.
pub(crate) const HISTORY: usize = MAX_BASELINE_AGE as usize + 1;

/// The latest updates of one entity, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct UpdateHistory {
    /// Which number is kept in each place, which is its lowest five bits. Apart from the updates,
    /// because whether one is here is asked far more often than the update itself.
    numbers: [Option<u16>; HISTORY],
    /// Grows to [`HISTORY`] and then turns.
    updates: Vec<Option<Update>>,
    newest: Option<u16>,
}

impl UpdateHistory {
    /// The newest number, once there is one.
    pub(crate) const fn newest(&self) -> Option<u16> {
        self.newest
    }

    /// The update of that number, if it is still here.
    pub(crate) fn get(&self, number: u16) -> Option<&Update> {
        if !self.has(number) {
            return None;
        }
        self.updates.get(usize::from(number) % HISTORY)?.as_ref()
    }

    /// Whether the update of that number is still here.
    pub(crate) fn has(&self, number: u16) -> bool {
        self.numbers[usize::from(number) % HISTORY] == Some(number)
    }

    /// Keeps an update; it becomes the newest if its number is.
    pub(crate) fn put(&mut self, number: u16, update: Update) {
        if self.newest.is_some_and(|newest| ahead(newest, number) > MAX_BASELINE_AGE.cast_signed())
        {
            return;
        }
        let place = usize::from(number) % HISTORY;
        if self.updates.len() <= place {
            self.updates.resize(place + 1, None);
        }
        self.updates[place] = Some(update);
        self.numbers[place] = Some(number);
        if self.newest.is_none_or(|newest| ahead(number, newest) > 0) {
            self.newest = Some(number);
        }
    }

    /// Forgets everything, as after a new beginning.
    pub(crate) fn clear(&mut self) {
        self.numbers = [None; HISTORY];
        self.updates.clear();
        self.newest = None;
    }
}

#[cfg(test)]
mod tests {
    use reckoning::{DVec3, Kinematics, Model, SimTime, UpdateKind};

    use super::*;

    fn update(n: u16) -> Update {
        let seen = Kinematics::at_rest(SimTime::from_millis(i64::from(n)), DVec3::ZERO);
        Update::new(seen, Model::Hold, UpdateKind::Partial).unwrap()
    }

    #[test]
    fn the_last_32_numbers_are_kept_across_the_wrap() {
        let mut history = UpdateHistory::default();
        for n in 65_500..65_636_u32 {
            history.put(n as u16, update(n as u16));
        }
        let newest = 99;
        assert_eq!(history.newest(), Some(newest));
        for back in 0..HISTORY as u16 {
            assert_eq!(history.get(newest - back), Some(&update(newest - back)));
        }
        assert_eq!(history.get(newest - HISTORY as u16), None);
        history.put(newest - HISTORY as u16, update(1));
        assert_eq!(history.get(newest - HISTORY as u16), None, "too old to be kept");
        assert_eq!(history.get(newest), Some(&update(newest)));
    }
}
