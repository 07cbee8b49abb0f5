//! Constant velocity and a behaviour, each where it does better.
//!
//! SHI's hybrid is decided anew for every horizon Q (algorithm 3, which its own bullet list
//! contradicts): play patterns up to 350 ms; beyond that, constant velocity if the body has
//! kept its direction for the last Q, else play patterns. So it may jump from one horizon to
//! the next. LI's hybrid goes straight for 500 ms and then drifts on from there as the
//! interest scheme has it, its transition beginning at that moment.

use core::time::Duration;

use glam::DVec3;

use super::interest::Interest;
use super::patterns::Patterns;
use crate::{KnownBody, Scene};

/// Play patterns, or constant velocity for a body that goes straight (SHI).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternsHybrid {
    /// What is used for bodies that turn, and always up to `always`.
    pub patterns: Patterns,
    /// Up to here play patterns are always used. SHI's x; [`new`](Self::new) takes 350 ms.
    pub always: Duration,
}

impl PatternsHybrid {
    /// SHI's threshold of 350 ms.
    #[must_use]
    pub const fn new(patterns: Patterns) -> Self {
        Self { patterns, always: Duration::from_millis(350) }
    }

    /// Whether constant velocity answers for `horizon_s`.
    fn goes_straight(&self, body: &KnownBody, horizon_s: f64) -> bool {
        horizon_s > self.always.as_secs_f64() && body.steady.as_secs_f64() >= horizon_s
    }

    pub(super) fn roll_out(
        &self,
        scene: &Scene<'_>,
        place: u32,
        horizons_s: &[f64],
        out: &mut [DVec3],
    ) {
        let body = &scene.bodies()[place as usize];
        let bent = |horizon_s| (!self.goes_straight(body, horizon_s)).then_some(horizon_s);
        self.patterns.roll_out(scene, place, beyond_straight(body, horizons_s, out, bent));
    }
}

/// Constant velocity first, the interest scheme after it (LI's HM).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterestHybrid {
    /// What takes over.
    pub interest: Interest,
    /// When it does; [`new`](Self::new) takes 500 ms.
    pub after: Duration,
}

impl InterestHybrid {
    /// LI's threshold of 500 ms.
    #[must_use]
    pub const fn new(interest: Interest) -> Self {
        Self { interest, after: Duration::from_millis(500) }
    }

    pub(super) fn roll_out(
        &self,
        scene: &Scene<'_>,
        place: u32,
        horizons_s: &[f64],
        out: &mut [DVec3],
    ) {
        let body = &scene.bodies()[place as usize];
        let after_s = self.after.as_secs_f64();
        let late = |horizon_s| (horizon_s > after_s).then_some(horizon_s - after_s);
        let asked = beyond_straight(body, horizons_s, out, late);
        self.interest.roll_out(scene, place, straight(body, after_s), asked);
    }
}

/// The horizons left to the behaviour, each mapped by `left_over`; the others, for which that
/// is `None`, are answered with constant velocity on the way.
fn beyond_straight<'o>(
    body: &KnownBody,
    horizons_s: &[f64],
    out: &'o mut [DVec3],
    left_over: impl Fn(f64) -> Option<f64>,
) -> impl Iterator<Item = (f64, &'o mut DVec3)> {
    horizons_s.iter().copied().zip(out).filter_map(move |(horizon_s, out)| {
        let left_s = left_over(horizon_s);
        if left_s.is_none() {
            *out = straight(body, horizon_s);
        }
        Some((left_s?, out))
    })
}

/// Constant velocity. Unusable horizons count as zero, and a place that is not finite as
/// the last known one.
pub(super) fn straight(body: &KnownBody, horizon_s: f64) -> DVec3 {
    let position = body.kinematics.position;
    let reached = position + body.kinematics.velocity * horizon_s.max(0.0);
    if reached.is_finite() { reached } else { position }
}
