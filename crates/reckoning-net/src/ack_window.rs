//! Acknowledgement window of received datagrams: the newest, and which of the 32 before it came.
//!
//! An [`AckWindow`] tells new datagrams from duplicates and from those too old to judge, and holds
//! what the next header acknowledges.

/// Datagrams before the newest that an acknowledgement covers.
pub(crate) const ACK_BITS: u16 = 32;

/// How far `a` is ahead of `b` on the circle of sequence numbers; negative when behind.
pub(crate) const fn ahead(a: u16, b: u16) -> i16 {
    a.wrapping_sub(b).cast_signed()
}

/// Number of a datagram, command or update in 64 bits, of which the lowest sixteen travel.
///
/// The rest is restored on receipt, from the newest number received, so that a number kept for
/// hours still compares: sixteen bits would turn round after 32,768 datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sequence(u64);

impl Sequence {
    /// The number with these lowest bits that is nearest to `near`. The first one received is
    /// taken to have a whole turn before it, so that what was sent earlier has a number too.
    pub(crate) fn restore(low: u16, near: Option<Self>) -> Self {
        let first = Self(1 << 16 | u64::from(low));
        near.map_or(first, |near| {
            Self(near.0.saturating_add_signed(i64::from(ahead(low, near.low()))))
        })
    }

    /// The first number with these lowest bits that is not before `newest`, for numbers that never
    /// come in again once a later one did.
    pub(crate) fn at_or_after(low: u16, newest: Option<Self>) -> Self {
        newest.map_or_else(
            || Self::restore(low, None),
            |newest| Self(newest.0.saturating_add(u64::from(low.wrapping_sub(newest.low())))),
        )
    }

    /// All of its bits.
    pub(crate) const fn number(self) -> u64 {
        self.0
    }

    /// The number after this one.
    pub(crate) const fn next(self) -> Self {
        self.plus(1)
    }

    /// The number so many after this one.
    pub(crate) const fn plus(self, count: u16) -> Self {
        Self(self.0.saturating_add(count as u64))
    }

    /// The number so many before this one.
    pub(crate) const fn minus(self, count: u16) -> Self {
        Self(self.0.saturating_sub(count as u64))
    }

    /// The number itself, for keys.
    pub(crate) const fn value(self) -> u64 {
        self.0
    }

    /// What travels.
    pub(crate) const fn low(self) -> u16 {
        self.0 as u16
    }

    /// How many numbers this one is after `other`; zero when it is before.
    pub(crate) const fn since(self, other: Self) -> u64 {
        self.0.saturating_sub(other.0)
    }
}

/// Classification of a received datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    New,
    /// It was received before.
    Duplicate,
    /// So late that it cannot be told from a duplicate.
    TooOld,
}

/// Window over a wrapping sequence: the newest number received, and which of the 32 before it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckWindow {
    newest: Option<Sequence>,
    before: u32,
}

impl AckWindow {
    /// What receiving `number` now would be.
    pub(crate) fn classify(self, number: u16) -> Arrival {
        let Some(newest) = self.newest else { return Arrival::New };
        match ahead(newest.low(), number) {
            0 => Arrival::Duplicate,
            back if back < 0 => Arrival::New,
            back if back > ACK_BITS.cast_signed() => Arrival::TooOld,
            back if self.before & (1 << (back - 1)) == 0 => Arrival::New,
            _ => Arrival::Duplicate,
        }
    }

    /// The whole number of what arrives as `number`.
    pub(crate) fn restore(self, number: u16) -> Sequence {
        Sequence::restore(number, self.newest)
    }

    /// Records that `number` was received. Returns whether it is the newest now.
    pub(crate) fn record(&mut self, number: u16) -> bool {
        let sequence = self.restore(number);
        let Some(newest) = self.newest else {
            self.newest = Some(sequence);
            return true;
        };
        let step = ahead(number, newest.low());
        if step > 0 {
            let shifted = u64::from(self.before) << 1 | 1;
            self.before =
                shifted.checked_shl(u32::from(step.unsigned_abs()) - 1).unwrap_or(0) as u32;
            self.newest = Some(sequence);
        } else if step < 0 && step >= -ACK_BITS.cast_signed() {
            self.before |= 1 << (-step - 1);
        }
        step > 0
    }

    /// The newest number received.
    pub(crate) const fn newest(self) -> Option<Sequence> {
        self.newest
    }

    /// A bit for each of the 32 before it, the nearest one lowest.
    pub(crate) const fn before(self) -> u32 {
        self.before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_tells_news_from_duplicates_across_the_wrap() {
        let mut window = AckWindow::default();
        let numbers = [65_530_u16, 65_534, 3, 65_535, 1];
        for number in numbers {
            assert_eq!(window.classify(number), Arrival::New, "{number}");
            window.record(number);
        }
        for number in numbers {
            assert_eq!(window.classify(number), Arrival::Duplicate, "{number}");
        }
        assert_eq!(window.classify(2), Arrival::New);
        assert_eq!(window.classify(3_u16.wrapping_sub(32)), Arrival::New);
        assert_eq!(window.classify(3_u16.wrapping_sub(33)), Arrival::TooOld);
        window.record(3 + 32);
        assert_eq!((window.newest().unwrap().low(), window.before()), (35, 1 << 31));
        window.record(35 + 33);
        assert_eq!(window.before(), 0);
    }

    #[test]
    fn numbers_kept_for_ever_still_compare() {
        let mut window = AckWindow::default();
        window.record(65_535);
        let kept = window.newest().unwrap();
        for step in 0..1_000_000_u64 {
            window.record(step as u16);
        }
        assert_eq!(window.newest().unwrap().since(kept), 1_000_000);
        assert!(window.restore(window.newest().unwrap().low()) > kept);
    }
}
