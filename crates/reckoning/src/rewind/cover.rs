//! The rule for defenders: whoever has reached cover is not hit by a shot from the past.

use core::time::Duration;

use super::Rewind;
use crate::{SimTime, Terrain};

/// Steps in which a line of sight is looked at.
const STEP: Duration = Duration::from_millis(20);
/// Looks at most, however long the rule asks for.
const MAX_LOOKS: u32 = 64;

/// What speaks for the target of a shot. It counts where
/// [`RewindConfig::cover_after`](super::RewindConfig::cover_after) is set.
#[derive(Clone, Copy, Default)]
pub struct Defence<'a> {
    /// What nobody sees or shoots through.
    pub walls: Option<&'a dyn Terrain>,
    /// Since when the target is safe by the rules of the game: a dash, a shield, a door.
    pub safe_since: Option<SimTime>,
}

impl core::fmt::Debug for Defence<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let walls = self.walls.map(|_| "walls");
        f.debug_struct("Defence")
            .field("walls", &walls)
            .field("safe_since", &self.safe_since)
            .finish()
    }
}

impl<E: Copy + Ord, S: Copy + Ord> Rewind<E, S> {
    /// Whether a target is safe from a shooter's body by the rule for defenders: because the game
    /// says so, or because by what the host knows it has been out of sight for long enough.
    #[must_use]
    pub fn is_covered(&self, body: E, target: E, defence: &Defence, now: SimTime) -> bool {
        let Some(after) = self.config().cover_after else { return false };
        let is_safe = defence.safe_since.is_some_and(|since| since + after <= now);
        is_safe
            || defence.walls.is_some_and(|walls| self.is_hidden(body, target, walls, after, now))
    }

    /// Whether the target was out of the body's sight for a whole span until `now`.
    fn is_hidden(
        &self,
        body: E,
        target: E,
        walls: &dyn Terrain,
        span: Duration,
        now: SimTime,
    ) -> bool {
        let looks = span.div_duration_f64(STEP) as u32;
        let looks = looks.clamp(1, MAX_LOOKS);
        let is_blocked = |look: u32| {
            let at = now - span * look / looks;
            let ends = self.truth_at(body, at).zip(self.truth_at(target, at));
            ends.is_some_and(|(from, to)| walls.first_hit(from, to).is_some())
        };
        (0..=looks).all(is_blocked)
    }
}
