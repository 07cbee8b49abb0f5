//! Clock of the server, the only place that reads the time.
//!
//! Everything below this crate takes the time as an argument; here it is read. A server's
//! timeline begins when the server starts, so setting the wall clock does not disturb it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reckoning::SimTime;

/// The timeline of one server: microseconds since it started.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A timeline that begins now.
    #[must_use]
    pub fn start() -> Self {
        Self { start: instant() }
    }

    /// Now, on this timeline.
    #[must_use]
    pub fn now(&self) -> SimTime {
        SimTime::ZERO + instant().duration_since(self.start)
    }

    /// How long it is until `at`; nothing when that is past.
    #[must_use]
    pub fn until(&self, at: SimTime) -> Duration {
        at.saturating_since(self.now())
    }
}

/// Seconds since 1970, for what must outlive a process: expiry of tokens, names of files.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the shell is where the wall clock is read")]
pub fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// This instant.
#[expect(clippy::disallowed_methods, reason = "the shell is where clocks are read")]
pub(crate) fn instant() -> Instant {
    Instant::now()
}
