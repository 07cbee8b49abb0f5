//! History of one entity's updates by number: where baselines are looked up.
//!
//! Numbers are counted per entity and never wrap; the lowest bits travel and are restored on
//! receipt. The sender keeps what it numbered, the receiver what it decoded; both keep [`HISTORY`]
//! numbers up to the newest, so whatever one side acknowledged and the other side still has can
//! serve as a baseline.

use alloc::vec::Vec;

use reckoning::Update;

use crate::ack_window::Sequence;
use crate::wire::{MAX_BASELINE_AGE, UpdateSeq};

/// Numbers kept per entity: the newest, and as many as a baseline can lie back.
pub(crate) const HISTORY: usize = MAX_BASELINE_AGE as usize + 1;

/// How an update travels that is coded against a baseline; `None` where that is not older or too
/// old.
pub(crate) fn delta(baseline: Sequence, number: Sequence) -> Option<UpdateSeq> {
    let close = number.since(baseline) <= u64::from(MAX_BASELINE_AGE);
    UpdateSeq::delta(baseline.low(), number.low()).filter(|_| close)
}

/// The latest updates of one entity, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct UpdateHistory {
    /// Which number is kept in each place, which is its lowest five bits. Apart from the updates,
    /// because whether one is here is asked far more often than the update itself.
    numbers: [Option<Sequence>; HISTORY],
    /// Grows to [`HISTORY`] and then turns.
    updates: Vec<Option<Update>>,
    newest: Option<Sequence>,
}

impl UpdateHistory {
    /// The newest number, once there is one.
    pub(crate) const fn newest(&self) -> Option<Sequence> {
        self.newest
    }

    /// The update of that number, if it is still here.
    pub(crate) fn get(&self, number: Sequence) -> Option<&Update> {
        if !self.has(number) {
            return None;
        }
        self.updates.get(place(number))?.as_ref()
    }

    /// Whether the update of that number is still here.
    pub(crate) fn has(&self, number: Sequence) -> bool {
        self.numbers[place(number)] == Some(number)
    }

    /// The whole number of an update that comes in, which no later one overtook; and its baseline,
    /// if it is coded against one.
    pub(crate) fn restore(&self, seq: UpdateSeq) -> (Sequence, Option<Sequence>) {
        let low = self.newest.map_or(0, Sequence::low);
        let baseline = self.newest.zip(seq.baseline(low));
        match (seq, baseline) {
            (UpdateSeq::Delta { ahead, .. }, Some((newest, baseline))) => {
                let baseline = newest.minus(low.wrapping_sub(baseline));
                (baseline.plus(u16::from(ahead)), Some(baseline))
            }
            _ => (Sequence::at_or_after(seq.number(low), self.newest), None),
        }
    }

    /// Keeps an update; it becomes the newest if its number is.
    pub(crate) fn put(&mut self, number: Sequence, update: Update) {
        let behind = self.newest.map_or(0, |newest| newest.since(number));
        if behind > u64::from(MAX_BASELINE_AGE) {
            return;
        }
        let place = place(number);
        if self.updates.len() <= place {
            self.updates.resize(place + 1, None);
        }
        self.updates[place] = Some(update);
        self.numbers[place] = Some(number);
        self.newest = self.newest.max(Some(number));
    }
}

const fn place(number: Sequence) -> usize {
    number.low() as usize % HISTORY
}

#[cfg(test)]
mod tests {
    use reckoning::{DVec3, Kinematics, Model, SimTime, UpdateKind};

    use super::*;

    fn update(n: u64) -> Update {
        let seen = Kinematics::at_rest(SimTime::from_millis(n.cast_signed()), DVec3::ZERO);
        Update::new(seen, Model::Hold, UpdateKind::Partial).unwrap()
    }

    #[test]
    fn the_last_32_numbers_are_kept_across_the_wrap() {
        let mut history = UpdateHistory::default();
        let mut number = Sequence::at_or_after(65_500, None);
        for _ in 0..136 {
            number = number.next();
            history.put(number, update(number.value()));
        }
        assert_eq!((history.newest(), number.low()), (Some(number), 100));
        for back in 0..HISTORY as u16 {
            let number = number.minus(back);
            assert_eq!(history.get(number), Some(&update(number.value())));
        }
        let old = number.minus(HISTORY as u16);
        assert_eq!(history.get(old), None);
        history.put(old, update(1));
        assert_eq!(history.get(old), None, "too old to be kept");
        assert_eq!(history.get(number), Some(&update(number.value())));
    }

    /// A receiver that was sent nothing of a body for any number of updates takes what comes then
    /// for newer, and codes nothing off what it has from a whole turn before.
    #[test]
    fn numbers_that_turned_round_unheard_are_restored() {
        for missed in [1, 31, 32, 20_000, 32_768, 40_000, 65_535] {
            let mut history = UpdateHistory::default();
            let (first, _) = history.restore(UpdateSeq::Full(7));
            history.put(first, update(1));
            let (number, baseline) = history.restore(UpdateSeq::Full(7_u16.wrapping_add(missed)));
            assert_eq!((number.since(first), baseline), (u64::from(missed), None));
            history.put(number, update(2));
            assert_eq!(history.newest(), Some(number), "{missed}");
            let coded = delta(number, number.plus(3)).unwrap();
            assert_eq!(history.restore(coded), (number.plus(3), Some(number)), "{missed}");
        }
        let mut history = UpdateHistory::default();
        let first = Sequence::default();
        history.put(first, update(1));
        assert_eq!(delta(first, first.plus(65_535).plus(3)), None, "a turn later");
    }
}
