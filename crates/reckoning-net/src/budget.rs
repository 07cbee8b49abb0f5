//! Byte budget of a peer: a token bucket that fills at a steady rate.
//!
//! What does not fit now waits, and what waits is decided by those who write the datagrams. The
//! bucket may go below empty by one datagram, because whether one more byte fits is known only
//! after it was written; the rate holds all the same.

use reckoning::{SimTime, TokenBucket};

/// What every datagram costs besides its bytes: the headers of IPv4 and UDP.
pub(crate) const DATAGRAM_OVERHEAD_BYTES: usize = 28;

/// A bucket holds what flows in within this span, so that a tick after a pause can send more.
const BURST_S: f64 = 0.25;

/// Bytes that may be sent: refilled at a rate, never more than a burst.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteBudget(TokenBucket);

impl ByteBudget {
    /// A full bucket. However low the rate, one datagram fits in.
    pub(crate) fn new(bytes_per_s: u32, datagram_bytes: usize, now: SimTime) -> Self {
        let bytes_per_s = f64::from(bytes_per_s);
        let datagram = (datagram_bytes + DATAGRAM_OVERHEAD_BYTES) as f64;
        Self(TokenBucket::new(now, bytes_per_s, (bytes_per_s * BURST_S).max(datagram)))
    }

    /// What may be sent at `now`; negative while a debt is paid back.
    pub(crate) fn available_bytes(&mut self, now: SimTime) -> f64 {
        self.0.level(now)
    }

    /// A datagram of this many bytes was sent.
    pub(crate) fn spend(&mut self, bytes: usize) {
        self.0.take((bytes + DATAGRAM_OVERHEAD_BYTES) as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_holds_in_the_long_run() {
        let mut budget = ByteBudget::new(1_000, 100, SimTime::ZERO);
        let mut sent = 0;
        for millis in 0..20_000 {
            if budget.available_bytes(SimTime::from_millis(millis)) > 0.0 {
                budget.spend(72);
                sent += 100;
            }
        }
        assert!((20_000..=20_500).contains(&sent), "{sent}");
    }

    #[test]
    fn time_that_goes_back_gives_nothing() {
        let mut budget = ByteBudget::new(1_000, 100, SimTime::from_millis(1000));
        budget.spend(1000);
        let left = budget.available_bytes(SimTime::from_millis(1000));
        assert_eq!(budget.available_bytes(SimTime::from_millis(0)), left);
    }
}
