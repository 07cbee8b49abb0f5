//! Back-off: how long a client waits before it tries to connect again.
//!
//! The wait doubles with each try up to a limit, and each is a random part of it: the clients of a
//! server that restarts, or that turns some away, do not all come back at the same moment.

use std::time::Duration;

use reckoning::random::SplitMix64;

/// The waits between a client's tries.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    longest: Duration,
    /// The next wait, before it is jittered.
    next: Duration,
    random: SplitMix64,
}

impl Backoff {
    /// Waits from `first` on, `longest` at most, by random numbers from `seed`.
    pub(crate) const fn new(first: Duration, longest: Duration, seed: u64) -> Self {
        Self { first, longest, next: first, random: SplitMix64::new(seed) }
    }

    /// The wait before the next try: from a half to the whole of what it has grown to.
    pub(crate) fn next_wait(&mut self) -> Duration {
        let whole = self.next.min(self.longest);
        self.next = (whole * 2).min(self.longest);
        whole.mul_f64(self.random.between(0.5, 1.0))
    }

    /// It worked: the next wait is a first one.
    pub(crate) const fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_millis(250);
    const LONGEST: Duration = Duration::from_secs(2);

    #[test]
    fn waits_double_up_to_the_longest_and_begin_anew() {
        let mut backoff = Backoff::new(FIRST, LONGEST, 7);
        let wholes = [1_u32, 2, 4, 8, 8, 8].map(|times| FIRST * times);
        for whole in wholes {
            let wait = backoff.next_wait();
            assert!((whole / 2..=whole).contains(&wait), "{wait:?} of {whole:?}");
        }
        backoff.reset();
        assert!(backoff.next_wait() <= FIRST);
    }

    #[test]
    fn many_clients_do_not_come_back_at_once() {
        let wait = |seed| Backoff::new(LONGEST, LONGEST, seed).next_wait();
        let mut in_tenths = [0; 10];
        for seed in 0..256 {
            let share = (wait(seed).as_secs_f64() - 1.0).clamp(0.0, 0.999);
            in_tenths[(share * 10.0) as usize] += 1;
        }
        // Where all waited alike, one tenth of the span would see all of them.
        assert!(in_tenths.iter().all(|count| (10..50).contains(count)), "{in_tenths:?}");
    }

    #[test]
    fn a_first_wait_longer_than_the_longest_is_cut() {
        assert!(Backoff::new(LONGEST, FIRST, 1).next_wait() <= FIRST);
    }
}
