//! Receivers of the frontier: the engine's ghost, and snapshots behind an adaptive buffer.

use std::collections::VecDeque;
use std::time::Duration;

use reckoning::{Blend, ConfigError, DVec3, Ghost, GhostConfig, SimTime, Update};

/// Delays that the buffer remembers.
const REMEMBERED: usize = 64;
/// Share of the arrivals that the buffer waits for.
const IN_TIME: f64 = 0.95;
/// Playback runs at most this much slower or faster while the buffer changes.
const SLEW: f64 = 0.1;

/// How a method shows what it has received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Showing {
    /// With the engine's ghost.
    Ghost(GhostConfig),
    /// Between two snapshots that are this long apart.
    Between { interval: Duration },
}

impl Showing {
    /// The newest position, without any blend.
    pub(crate) fn newest() -> Self {
        Self::ghost(Blend::Snap)
    }

    /// A ghost that believes in its model for as long as it hears nothing.
    pub(crate) fn ghost(blend: Blend) -> Self {
        Self::Ghost(Self::lasting(blend))
    }

    /// The settings of such a ghost.
    pub(crate) fn lasting(blend: Blend) -> GhostConfig {
        let mut config = GhostConfig::default();
        config.blend = blend;
        config.max_extrapolation = Duration::from_mins(1);
        config
    }

    pub(crate) fn start(self, first: Update) -> Result<Viewer, ConfigError> {
        Ok(match self {
            Self::Ghost(config) => {
                Viewer::Ghost(Box::new(Ghost::with_config(config, first, first.at())?))
            }
            Self::Between { interval } => Viewer::Between(PlaybackBuffer::new(
                first.at(),
                first.kinematics().position,
                interval,
            )),
        })
    }
}

/// One receiver of one body.
pub(crate) enum Viewer {
    Ghost(Box<Ghost>),
    Between(PlaybackBuffer),
}

impl Viewer {
    pub(crate) fn accept(&mut self, update: Update, now: SimTime) {
        match self {
            Self::Ghost(ghost) => drop(ghost.accept(update, now)),
            Self::Between(buffer) => {
                buffer.accept(update.at(), update.kinematics().position, now);
            }
        }
    }

    pub(crate) fn shown(&mut self, now: SimTime) -> DVec3 {
        match self {
            Self::Ghost(ghost) => ghost.position_at(now),
            Self::Between(buffer) => buffer.shown(now),
        }
    }
}

/// Snapshots shown so late that 95 of 100 of them have arrived by then.
#[derive(Clone, Debug)]
pub(crate) struct PlaybackBuffer {
    snapshots: Vec<(SimTime, DVec3)>,
    delays_s: VecDeque<f64>,
    interval_s: f64,
    /// How far behind the present is to be shown, is shown, and when that was settled.
    wanted_s: f64,
    behind_s: f64,
    settled: SimTime,
}

impl PlaybackBuffer {
    pub(crate) fn new(at: SimTime, position: DVec3, interval: Duration) -> Self {
        Self {
            snapshots: vec![(at, position)],
            delays_s: VecDeque::new(),
            interval_s: interval.as_secs_f64(),
            wanted_s: 0.0,
            behind_s: 0.0,
            settled: at,
        }
    }

    /// Takes a snapshot of the moment `at` that arrives `now`, in any order.
    pub(crate) fn accept(&mut self, at: SimTime, position: DVec3, now: SimTime) {
        let place = self.snapshots.partition_point(|snapshot| snapshot.0 < at);
        if self.snapshots.get(place).is_none_or(|snapshot| snapshot.0 != at) {
            self.snapshots.insert(place, (at, position));
        }
        if self.delays_s.len() == REMEMBERED {
            self.delays_s.pop_front();
        }
        self.delays_s.push_back(now.secs_since(at));
        self.wanted_s = self.needed_s();
        if self.delays_s.len() == 1 {
            // Nothing was played yet: no need to slide.
            self.behind_s = self.wanted_s;
        }
    }

    /// Where the body was, as long ago as the buffer is long.
    pub(crate) fn shown(&mut self, now: SimTime) -> DVec3 {
        // A stamp that was rounded up may lie a little ahead.
        let most_s = SLEW * now.secs_since(self.settled).max(0.0);
        self.behind_s += (self.wanted_s - self.behind_s).clamp(-most_s, most_s);
        self.settled = now;
        let play_s = now.as_secs_f64() - self.behind_s;
        let next = self.snapshots.partition_point(|snapshot| snapshot.0.as_secs_f64() < play_s);
        // What lies before the pair is never asked for again, but for a slide back.
        let shown = self.between(next, play_s);
        if next > REMEMBERED {
            self.snapshots.drain(..next - REMEMBERED);
        }
        shown
    }

    fn between(&self, next: usize, play_s: f64) -> DVec3 {
        let before = self.snapshots[next.saturating_sub(1)];
        let Some(after) = self.snapshots.get(next) else { return before.1 };
        let span_s = after.0.secs_since(before.0);
        if span_s <= 0.0 {
            return after.1;
        }
        before.1.lerp(after.1, ((play_s - before.0.as_secs_f64()) / span_s).clamp(0.0, 1.0))
    }

    /// The delay that 95 of 100 stay within, and the time to the next snapshot.
    fn needed_s(&self) -> f64 {
        let mut sorted: Vec<f64> = self.delays_s.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let place = (sorted.len() as f64 * IN_TIME) as usize;
        let delay_s = sorted.get(place.min(sorted.len().saturating_sub(1))).copied();
        delay_s.map_or(0.0, |delay_s| delay_s + self.interval_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(at: i64) -> SimTime {
        SimTime::from_millis(at)
    }

    #[test]
    fn a_steady_body_is_shown_one_delay_and_one_interval_late() {
        let mut buffer = PlaybackBuffer::new(ms(0), DVec3::ZERO, Duration::from_millis(50));
        let mut shown = DVec3::ZERO;
        for n in 1..200 {
            let at = ms(50 * n);
            buffer.accept(at, DVec3::X * at.as_secs_f64(), at + Duration::from_millis(100));
            shown = buffer.shown(at + Duration::from_millis(100));
        }
        // The last look was at 10,050 ms.
        assert!((shown.x - (10.05 - 0.15)).abs() < 1e-9, "{shown}");
    }

    #[test]
    fn a_late_snapshot_fills_the_gap_that_is_still_ahead() {
        let mut buffer = PlaybackBuffer::new(ms(0), DVec3::ZERO, Duration::from_millis(100));
        buffer.accept(ms(100), DVec3::X, ms(150));
        buffer.accept(ms(300), DVec3::X * 3.0, ms(350));
        buffer.accept(ms(200), DVec3::X * 5.0, ms(351));
        // Two thirds of the way from the first to the late one; without it, below 2.
        let shown = buffer.shown(ms(352));
        assert!((shown.x - 3.67).abs() < 0.01, "{shown}");
    }
}
