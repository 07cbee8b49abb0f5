//! Monotonic clock of this machine.

use std::time::Instant;

use reckoning::SimTime;

/// A timeline that begins with the client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "a client is where a clock is read")]
    pub(crate) fn start() -> Self {
        Self { start: Instant::now() }
    }

    pub(crate) fn now(&self) -> SimTime {
        SimTime::ZERO + self.start.elapsed()
    }
}
