//! Identifiers on the wire: entities, peers, owners, update numbers.

use super::MAX_BASELINE_AGE;

/// Id of an entity, the same on the host and on every peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(pub u32);

/// Id of a connection, given by whoever drives the host's transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerId(pub u32);

/// The end that decides how an entity moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// The host itself.
    Host,
    /// One of its peers.
    Peer(PeerId),
}

/// Number of an entity's update as it travels: in full, or as a delta from its baseline's.
///
/// Numbers are counted per entity and wrap. A receiver has the baseline, and nothing newer than the
/// update: so the newest it received is one of the numbers from the baseline to the update, which
/// may be sent again. The bits that tell those apart name the baseline whatever it missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateSeq {
    /// Coded without a baseline: the number itself.
    Full(u16),
    /// Coded against an update that the receiver has acknowledged.
    Delta {
        /// The baseline's number, its lowest bits: as many as tell `ahead + 1` numbers apart.
        low: u8,
        /// How far the new number lies beyond it, 1 to [`MAX_BASELINE_AGE`].
        ahead: u8,
    },
}

impl UpdateSeq {
    /// Update `number` coded against update `baseline`; `None` where the baseline is not older or
    /// too old.
    #[must_use]
    pub const fn delta(baseline: u16, number: u16) -> Option<Self> {
        let ahead = number.wrapping_sub(baseline);
        if ahead == 0 || ahead > MAX_BASELINE_AGE {
            return None;
        }
        let low = baseline & low_mask(ahead as u8);
        Some(Self::Delta { low: low as u8, ahead: ahead as u8 })
    }

    /// The baseline's number, to a receiver whose newest update of this entity has the
    /// number `newest`, which is not beyond this one; `None` for one coded without a baseline.
    #[must_use]
    pub const fn baseline(self, newest: u16) -> Option<u16> {
        match self {
            Self::Full(_) => None,
            Self::Delta { low, ahead } => {
                let back = newest.wrapping_sub(low as u16) & low_mask(ahead);
                Some(newest.wrapping_sub(back))
            }
        }
    }

    /// The update's own number, to the same receiver.
    #[must_use]
    pub const fn number(self, newest: u16) -> u16 {
        match (self, self.baseline(newest)) {
            (Self::Delta { ahead, .. }, Some(baseline)) => baseline.wrapping_add(ahead as u16),
            (Self::Full(number), _) => number,
            (Self::Delta { .. }, None) => newest, // never: a delta has a baseline
        }
    }
}

/// Bits that tell the numbers apart from a baseline to the update that is so far ahead.
pub(super) const fn baseline_bits(ahead: u8) -> u32 {
    u8::BITS - ahead.leading_zeros()
}

const fn low_mask(ahead: u8) -> u16 {
    (1 << baseline_bits(ahead)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_finds_the_baseline_whatever_it_missed() {
        for baseline in [0_u16, 5, 31, 32, 65_530, 65_535] {
            for ahead in 1..=MAX_BASELINE_AGE {
                let number = baseline.wrapping_add(ahead);
                let seq = UpdateSeq::delta(baseline, number).unwrap();
                for newer in 0..=ahead {
                    let newest = baseline.wrapping_add(newer);
                    assert_eq!(seq.baseline(newest), Some(baseline), "{baseline} {newest}");
                    assert_eq!(seq.number(newest), number, "{baseline} {newest}");
                }
            }
        }
        assert_eq!(UpdateSeq::delta(7, 7), None);
        assert_eq!(UpdateSeq::delta(7, 39), None);
        assert_eq!(UpdateSeq::Full(9).number(3), 9);
    }
}
