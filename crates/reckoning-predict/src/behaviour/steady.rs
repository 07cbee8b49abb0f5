//! For how long a body has kept its direction.

use alloc::collections::VecDeque;
use core::time::Duration;

use glam::DVec3;

use reckoning::error::ThresholdError;
use reckoning::math::cos;
use reckoning::{Kinematics, SimTime};

/// Follows one body and measures for how long it has not turned, up to the last observation:
/// the question of SHI's algorithm 4, for [`KnownBody::steady`](crate::KnownBody::steady).
///
/// A turn is any earlier velocity more than the limit away in direction from the last one.
/// Stopping and starting are turns too; standing still is not.
///
/// ```
/// use core::time::Duration;
/// use reckoning::{DVec3, Kinematics, SimTime};
/// use reckoning_predict::SteadyTracker;
///
/// let mut tracker = SteadyTracker::default(); // 40 degrees, three seconds
/// for tick in 0..60 {
///     let velocity = if tick < 30 { DVec3::X } else { DVec3::Y };
///     tracker.observe(&Kinematics::moving(SimTime::from_tick(tick, 60), DVec3::ZERO, velocity));
/// }
/// assert_eq!(tracker.steady().as_millis(), 483); // since tick 30
/// ```
#[derive(Clone, Debug)]
pub struct SteadyTracker {
    cos_limit: f64,
    longest: Duration,
    seen: VecDeque<(SimTime, DVec3)>,
}

impl Default for SteadyTracker {
    /// SHI's 40 degrees, remembered for three seconds.
    fn default() -> Self {
        let limit_rad = 40.0 * core::f64::consts::PI / 180.0;
        Self { cos_limit: cos(limit_rad), longest: Duration::from_secs(3), seen: VecDeque::new() }
    }
}

impl SteadyTracker {
    /// A tracker that calls a change of more than `limit_rad` a turn and looks back over
    /// `longest`.
    ///
    /// # Errors
    /// The limit must be above zero and at most pi.
    pub fn new(limit_rad: f64, longest: Duration) -> Result<Self, ThresholdError> {
        if !(limit_rad > 0.0 && limit_rad <= core::f64::consts::PI) {
            return Err(ThresholdError::AngleOutOfRange { got_rad: limit_rad });
        }
        Ok(Self { cos_limit: cos(limit_rad), longest, seen: VecDeque::new() })
    }

    /// Takes in a state. One that is not later than the last starts the tracker anew.
    pub fn observe(&mut self, now: &Kinematics) {
        if self.seen.back().is_some_and(|&(at, _)| at >= now.at) {
            self.seen.clear();
        }
        self.seen.push_back((now.at, now.velocity.normalize_or_zero()));
        while self.seen.front().is_some_and(|&(at, _)| now.at.saturating_since(at) > self.longest) {
            self.seen.pop_front();
        }
    }

    /// How long the direction of the last observation has been kept, at most as long as the
    /// tracker looks back.
    #[must_use]
    pub fn steady(&self) -> Duration {
        let Some(&(now, heading)) = self.seen.back() else { return Duration::ZERO };
        let kept = self.seen.iter().rev().take_while(|&&(_, earlier)| {
            let still = heading == DVec3::ZERO && earlier == DVec3::ZERO;
            still || (earlier != DVec3::ZERO && heading.dot(earlier) >= self.cos_limit)
        });
        kept.last().map_or(Duration::ZERO, |&(since, _)| now.saturating_since(since))
    }
}
