//! What a peer holds of one entity, as far as the host knows.
//!
//! ```text
//! numbers    41        42        43        44
//!         acknowledged lost  in flight  in flight
//!   held by   p²        -     p (1 - p)   1 - p       p: the share of datagrams that are lost
//! ```
//!
//! What was acknowledged is there. What is in flight is there by the chance that it arrives, and
//! what lies before it by the chance that it does not. What was given up is not there; an
//! acknowledgement that comes later counts all the same.

use crate::ack_window::Sequence;
use crate::host::entities::BaselineRef;

/// Updates in flight that are told apart; those before them count as what was acknowledged.
const MAX_IN_FLIGHT: usize = 3;
/// Losses are not believed to be likelier than this, or everything would be sent again at once.
const MAX_LOSS: f32 = 0.75;
/// An update that nobody acknowledged in time was lost as likely as its acknowledgement.
const DOUBT: f32 = 0.5;
/// Below this, what was sent last is all that counts.
pub(super) const LEAST_LOSS: f32 = 0.01;

/// An update in flight. The history reaches back less far than eight bits.
#[derive(Clone, Copy, Debug, Default)]
struct InFlight {
    /// How many numbers before the one sent last it is.
    back: u8,
    class: u8,
    /// How many datagrams carry it.
    copies: u8,
    /// No acknowledgement came in time.
    doubtful: bool,
}

/// What a peer holds of one entity, as far as the host knows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeldUpdates {
    /// What was sent last.
    sent: Option<BaselineRef>,
    /// The newest that was acknowledged.
    acknowledged: Option<BaselineRef>,
    /// Newest first.
    in_flight: [InFlight; MAX_IN_FLIGHT],
    count: u8,
}

impl HeldUpdates {
    pub(super) const fn sent(&self) -> Option<BaselineRef> {
        self.sent
    }

    pub(super) const fn acknowledged(&self) -> Option<BaselineRef> {
        self.acknowledged
    }

    /// The newest that may be there: in flight, or acknowledged.
    pub(super) fn newest(&self) -> Option<BaselineRef> {
        match (self.sent, self.in_flight().first()) {
            (Some(sent), Some(newest)) => Some(newest.named(sent.number)),
            _ => self.acknowledged,
        }
    }

    /// All that may be there, the newest first, with the chance that it is what the peer goes by.
    /// Empty where losses are too rare to matter, and where only one is possible.
    pub(super) fn chances(&self, loss: f32) -> impl Iterator<Item = (BaselineRef, f32)> {
        let sent = self.sent.unwrap_or(BaselineRef { number: Sequence::default(), class: 0 });
        let last = self.acknowledged.filter(|_| loss >= LEAST_LOSS);
        let in_flight = if last.is_some() { self.in_flight() } else { &[] };
        let loss = loss.min(MAX_LOSS);
        let mut left = 1.0;
        let flying = in_flight.iter().map(move |update| {
            let missed = left * update.chance_of_loss(loss);
            let chance = left - missed;
            left = missed;
            (update.named(sent.number), chance)
        });
        let missed = in_flight.iter().fold(1.0, |left, update| left * update.chance_of_loss(loss));
        flying.chain(last.filter(|_| !in_flight.is_empty()).map(|last| (last, missed)))
    }

    /// An update was sent, which is not older than the one before.
    pub(super) fn handle_sent(&mut self, update: BaselineRef) {
        let before = self.sent.replace(update).unwrap_or(update);
        let step = u8::try_from(update.number.since(before.number)).unwrap_or(u8::MAX);
        for it in &mut self.in_flight {
            it.back = it.back.saturating_add(step);
        }
        let place = usize::from(self.count.min(1));
        if let Some(newest) = self.in_flight[..place].first_mut()
            && newest.named(update.number) == update
        {
            newest.copies = newest.copies.saturating_add(1);
            newest.doubtful = false;
            return;
        }
        self.in_flight.rotate_right(1);
        self.in_flight[0] = InFlight { back: 0, class: update.class, copies: 1, doubtful: false };
        self.count = (self.count + 1).min(MAX_IN_FLIGHT as u8);
    }

    /// An update was acknowledged; what was sent before it no longer counts.
    pub(super) fn handle_acknowledged(&mut self, update: BaselineRef) {
        if self.acknowledged.is_some_and(|newest| update.number <= newest.number) {
            return;
        }
        self.acknowledged = Some(update);
        let Some(sent) = self.sent else { return };
        let is_newer = |it: &InFlight| it.named(sent.number).number > update.number;
        // The newest come first.
        self.count = self.in_flight().iter().take_while(|it| is_newer(it)).count() as u8;
    }

    /// No acknowledgement came in time of a datagram with that update.
    pub(super) fn handle_doubt(&mut self, number: Sequence) {
        let Some(sent) = self.sent else { return };
        let count = usize::from(self.count);
        let in_flight = self.in_flight[..count].iter_mut();
        in_flight
            .filter(|it| it.named(sent.number).number == number)
            .for_each(|it| it.doubtful = true);
    }

    /// A datagram with that update was given up.
    pub(super) fn handle_lost(&mut self, number: Sequence) {
        let Some(sent) = self.sent else { return };
        let count = usize::from(self.count);
        let lost =
            self.in_flight[..count].iter_mut().find(|it| it.named(sent.number).number == number);
        let Some(lost) = lost else { return };
        lost.copies = lost.copies.saturating_sub(1);
        if lost.copies == 0 {
            self.retain(|other| other != number);
        }
    }

    fn in_flight(&self) -> &[InFlight] {
        &self.in_flight[..usize::from(self.count)]
    }

    fn retain(&mut self, keeps: impl Fn(Sequence) -> bool) {
        let Some(sent) = self.sent else { return };
        let (before, mut kept) = (*self, 0);
        for it in before.in_flight() {
            if keeps(it.named(sent.number).number) {
                self.in_flight[kept] = *it;
                kept += 1;
            }
        }
        self.count = kept as u8;
    }
}

impl InFlight {
    fn chance_of_loss(self, loss: f32) -> f32 {
        let loss = if self.doubtful { DOUBT.max(loss) } else { loss };
        (0..self.copies).fold(1.0, |left, _| left * loss)
    }

    fn named(self, sent: Sequence) -> BaselineRef {
        BaselineRef { number: sent.minus(u16::from(self.back)), class: self.class }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn update(n: u16) -> BaselineRef {
        BaselineRef { number: Sequence::default().plus(n), class: 0 }
    }

    fn chances(held: &HeldUpdates, loss: f32) -> Vec<(u64, f32)> {
        held.chances(loss).map(|(update, chance)| (update.number.value(), chance)).collect()
    }

    /// The first is acknowledged, the others are in flight.
    fn sent(numbers: &[u16]) -> HeldUpdates {
        let mut held = HeldUpdates::default();
        for (place, n) in numbers.iter().enumerate() {
            held.handle_sent(update(*n));
            if place == 0 {
                held.handle_acknowledged(update(*n));
            }
        }
        held
    }

    #[test]
    fn what_is_in_flight_counts_by_its_chance_and_what_is_before_it_by_the_rest() {
        let held = sent(&[41, 43, 44]);
        assert_eq!(chances(&held, 0.5), [(44, 0.5), (43, 0.25), (41, 0.25)]);
        assert_eq!(chances(&held, 0.0), [], "nothing is lost, so the newest is there");
        assert_eq!(held.newest(), Some(update(44)));
        assert_eq!(chances(&sent(&[41]), 0.5), [], "all of it is there");
    }

    #[test]
    fn what_was_sent_twice_is_missed_if_both_are_lost() {
        let mut held = sent(&[41, 44, 44]);
        assert_eq!(chances(&held, 0.5), [(44, 0.75), (41, 0.25)]);
        held.handle_lost(update(44).number);
        assert_eq!(chances(&held, 0.5), [(44, 0.5), (41, 0.5)]);
        held.handle_lost(update(44).number);
        assert_eq!(held.newest(), Some(update(41)), "both are");
    }

    #[test]
    fn what_is_given_up_is_not_there_until_its_acknowledgement_comes_after_all() {
        let mut held = sent(&[41, 43, 44, 50]);
        held.handle_lost(update(50).number);
        assert_eq!(held.newest(), Some(update(44)));
        held.handle_acknowledged(update(43));
        assert_eq!(chances(&held, 0.5), [(44, 0.5), (43, 0.5)]);
        held.handle_acknowledged(update(50));
        assert_eq!((held.newest(), held.acknowledged()), (Some(update(50)), Some(update(50))));
        held.handle_acknowledged(update(44));
        assert_eq!(held.newest(), Some(update(50)), "it was overtaken");
    }

    #[test]
    fn what_nobody_acknowledged_in_time_is_there_as_likely_as_not() {
        let mut held = sent(&[41, 43, 44]);
        held.handle_doubt(update(44).number);
        assert_eq!(chances(&held, 0.25), [(44, 0.5), (43, 0.375), (41, 0.125)]);
        assert_eq!(held.newest(), Some(update(44)));
    }

    #[test]
    fn more_in_flight_than_are_told_apart_count_as_what_was_acknowledged() {
        let held = sent(&[1, 2, 3, 4, 5, 6]);
        assert_eq!(chances(&held, 0.5), [(6, 0.5), (5, 0.25), (4, 0.125), (1, 0.125)]);
        let sum: f32 = chances(&held, 0.3).iter().map(|(_, chance)| chance).sum();
        assert!((sum - 1.0).abs() < 1e-6);
    }
}
