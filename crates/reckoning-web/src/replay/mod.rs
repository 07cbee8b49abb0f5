//! Replay of a recording through dead reckoning.
//!
//! The truth comes from the recording. The rest is made here, by the engine, as it would be over
//! a network: a publisher for each body, a simulated link, a ghost at its end.

mod chain;
mod link;
mod recording;
mod spatial;

pub use chain::Chain;
pub(crate) use link::ReplayLink;
pub use recording::{HeaderBody, ReplayError, ReplayFrames, ReplayHeader};
pub use spatial::SpatialChain;

/// How far an arrow key goes, and the keys for pages.
const STEP_S: f64 = 5.0;
const LEAP_S: f64 = 30.0;

/// Where in the recording we are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayClock {
    at_s: f64,
    seconds: f64,
    /// Whether time passes.
    pub plays: bool,
    /// How fast it passes; 1 as it was.
    pub speed: f64,
}

impl ReplayClock {
    /// At the beginning, running.
    #[must_use]
    pub const fn new(seconds: f64) -> Self {
        Self { at_s: 0.0, seconds, plays: true, speed: 1.0 }
    }

    /// Real time passed. At the end it stops.
    pub fn pass(&mut self, dt_s: f64) {
        if self.plays {
            self.seek(self.at_s + dt_s * self.speed);
            self.plays = self.at_s < self.seconds;
        }
    }

    /// Goes to a moment, within the recording.
    pub fn seek(&mut self, at_s: f64) {
        self.at_s = if at_s.is_finite() { at_s.clamp(0.0, self.seconds) } else { self.at_s };
    }

    /// Starts or stops; from the end it starts anew.
    pub fn toggle(&mut self) {
        self.plays = !self.plays;
        if self.plays && self.at_s >= self.seconds {
            self.at_s = 0.0;
        }
    }

    /// A key was pressed, by its place on the keyboard. False when it means nothing here.
    pub fn press(&mut self, code: &str) -> bool {
        match code {
            "Space" => self.toggle(),
            "ArrowRight" | "ArrowUp" => self.seek(self.at_s + STEP_S),
            "ArrowLeft" | "ArrowDown" => self.seek(self.at_s - STEP_S),
            "PageUp" => self.seek(self.at_s + LEAP_S),
            "PageDown" => self.seek(self.at_s - LEAP_S),
            "Home" => self.seek(0.0),
            "End" => self.seek(self.seconds),
            _ => return false,
        }
        true
    }

    /// The moment.
    #[must_use]
    pub const fn at_s(&self) -> f64 {
        self.at_s
    }

    /// The length.
    #[must_use]
    pub const fn seconds(&self) -> f64 {
        self.seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stops_at_the_end_and_starts_anew() {
        let mut clock = ReplayClock::new(10.0);
        clock.speed = 4.0;
        clock.pass(1.0);
        assert_eq!(clock.at_s(), 4.0);
        clock.pass(2.0);
        assert!(clock.at_s() == 10.0 && !clock.plays);
        clock.pass(1.0);
        assert_eq!(clock.at_s(), 10.0);
        clock.toggle();
        assert!(clock.at_s() == 0.0 && clock.plays);
    }

    #[test]
    fn keys_play_and_seek() {
        let mut clock = ReplayClock::new(60.0);
        for (code, at_s) in [
            ("ArrowRight", 5.0),
            ("PageUp", 35.0),
            ("ArrowLeft", 30.0),
            ("PageDown", 0.0),
            ("End", 60.0),
            ("Home", 0.0),
        ] {
            assert!(clock.press(code), "{code}");
            assert_eq!(clock.at_s(), at_s, "{code}");
        }
        assert!(clock.press("Space") && !clock.plays);
        assert!(!clock.press("KeyW"));
    }

    #[test]
    fn the_scrubber_stays_within_the_recording() {
        let mut clock = ReplayClock::new(10.0);
        for (asked, found) in [(3.0, 3.0), (-1.0, 0.0), (99.0, 10.0), (f64::NAN, 10.0)] {
            clock.seek(asked);
            assert_eq!(clock.at_s(), found, "{asked}");
        }
    }
}
