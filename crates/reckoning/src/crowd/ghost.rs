//! One ghost of a crowd in single precision, and the formulas all of them share.
//!
//! With `t` the time since the body was seen, `push` the part of it during which its
//! acceleration acts, and `s` the share of the blend that is over, a ghost is shown at
//!
//! ```text
//! position + velocity t + acceleration push (t - push / 2)      what is believed
//!          + (1 - s)^3 ((1 + 3 s) error + s span slip)          what is left of the error
//! ```
//!
//! the same as [`Ghost`](crate::Ghost) with its models and its blend written out. Times are
//! whole microseconds until they have been subtracted, so seconds in an `f32` are always
//! short and lose nothing. Every step is one correctly rounded operation and no branch:
//! vector units of any width give the same bits.

use core::ops::{Add, Mul};

use glam::{DVec3, Vec3};

use crate::ghost::projective_left;
use crate::{Kinematics, Model};

/// Larger numbers are cut to this: far beyond any world, and no sum of the formula
/// overflows, so finite updates are shown at finite places.
const MOST: f64 = 1e30;

/// One ghost. Seconds and metres; positions are relative to the crowd's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CrowdGhost {
    /// When it was seen, in microseconds since the crowd's base.
    pub(super) seen_us: i32,
    /// How much later the update arrived: where the blend began.
    pub(super) delay_us: i32,
    /// One over the span of the blend.
    pub(super) per_span: f32,
    /// How long the acceleration acts.
    pub(super) trust_s: f32,
    pub(super) position: Vec3,
    pub(super) velocity: Vec3,
    pub(super) acceleration: Vec3,
    /// How far the picture was off when the update arrived, and how much faster it moved.
    pub(super) error: Vec3,
    pub(super) slip: Vec3,
}

/// The moment a crowd is shown at, and what all its ghosts have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Microseconds since the crowd's base.
    pub(super) now_us: i32,
    /// Half the crowd's `max_extrapolation`.
    pub(super) half_s: f32,
    /// One over four of those halves.
    pub(super) per_four_halves: f32,
}

/// How far a moment is into a ghost's model and blend.
struct GhostProgress {
    /// Seconds of the model, and how fast they pass.
    t_s: f32,
    rate: f32,
    push_s: f32,
    /// Seconds of the blend, and the share of it that is over.
    blend_s: f32,
    s: f32,
}

/// What each of a ghost's vectors counts for at a moment.
pub(super) struct VectorWeights {
    pub(super) velocity: f32,
    pub(super) acceleration: f32,
    pub(super) error: f32,
    pub(super) slip: f32,
}

impl Moment {
    #[expect(clippy::inline_always, reason = "must be compiled for the caller's vector unit")]
    #[inline(always)]
    fn progress(&self, seen_us: i32, delay_us: i32, per_span: f32, trust_s: f32) -> GhostProgress {
        let since_us = self.now_us.wrapping_sub(seen_us);
        let since_s = seconds(since_us);
        // As `Ghost` does it: in step at first, then ever slower.
        let slowing_s = at_most(at_least(since_s - self.half_s, 0.0), 2.0 * self.half_s);
        let slowed = slowing_s * self.per_four_halves;
        let t_s = at_most(since_s, self.half_s) + slowing_s * (1.0 - slowed);
        let push_s = at_least(at_most(t_s, trust_s), 0.0);
        let blend_s = at_least(seconds(since_us.wrapping_sub(delay_us)), 0.0);
        let s = at_most(blend_s * per_span, 1.0);
        GhostProgress { t_s, rate: 1.0 - 2.0 * slowed, push_s, blend_s, s }
    }

    #[expect(clippy::inline_always, reason = "must be compiled for the caller's vector unit")]
    #[inline(always)]
    pub(super) fn weights(
        &self,
        seen_us: i32,
        delay_us: i32,
        per_span: f32,
        trust_s: f32,
    ) -> VectorWeights {
        let GhostProgress { t_s, push_s, blend_s, s, .. } =
            self.progress(seen_us, delay_us, per_span, trust_s);
        let (error, slip) = projective_left(s, blend_s);
        VectorWeights { velocity: t_s, acceleration: push_s * (t_s - 0.5 * push_s), error, slip }
    }
}

impl VectorWeights {
    /// Where a ghost is shown: one axis of it, or all three.
    #[expect(clippy::inline_always, reason = "must be compiled for the caller's vector unit")]
    #[inline(always)]
    pub(super) fn sum<T>(&self, position: T, [velocity, acceleration, error, slip]: [T; 4]) -> T
    where
        T: Add<Output = T> + Mul<f32, Output = T>,
    {
        position
            + velocity * self.velocity
            + acceleration * self.acceleration
            + error * self.error
            + slip * self.slip
    }
}

impl CrowdGhost {
    /// A ghost on its believed path, or nothing for a model crowds do not know.
    pub(super) fn on_path(seen: &Kinematics, model: &Model, origin: DVec3) -> Option<Self> {
        let (velocity, acceleration, trust_s) = match model {
            Model::Hold => (DVec3::ZERO, DVec3::ZERO, 0.0),
            Model::Linear => (seen.velocity, DVec3::ZERO, 0.0),
            Model::Accelerating { trust } => {
                (seen.velocity, seen.acceleration, trust.as_secs_f32())
            }
            _ => return None,
        };
        Some(Self {
            position: bounded(seen.position - origin),
            velocity: bounded(velocity),
            acceleration: bounded(acceleration),
            trust_s,
            ..Self::default()
        })
    }

    pub(super) fn position_at(&self, moment: &Moment) -> Vec3 {
        moment
            .weights(self.seen_us, self.delay_us, self.per_span, self.trust_s)
            .sum(self.position, [self.velocity, self.acceleration, self.error, self.slip])
    }

    pub(super) fn velocity_at(&self, moment: &Moment) -> Vec3 {
        let GhostProgress { rate, push_s, s, .. } =
            moment.progress(self.seen_us, self.delay_us, self.per_span, self.trust_s);
        let r = 1.0 - s;
        (self.velocity + self.acceleration * push_s) * rate
            + self.error * (-12.0 * s * r * r * self.per_span)
            + self.slip * (r * r * (1.0 - 4.0 * s))
    }

    /// Sets a blend out from what was shown at `moment`.
    pub(super) fn lead_from(&mut self, shown: &Self, moment: &Moment) {
        let error = shown.position_at(moment) - self.position_at(moment);
        let slip = shown.velocity_at(moment) - self.velocity_at(moment);
        (self.error, self.slip) = (bounded(error.as_dvec3()), bounded(slip.as_dvec3()));
    }
}

/// A span of microseconds in seconds.
#[inline]
fn seconds(micros: i32) -> f32 {
    micros as f32 * 1e-6
}

/// The nearest single-precision vector within bounds.
pub(super) fn bounded(v: DVec3) -> Vec3 {
    v.clamp(DVec3::splat(-MOST), DVec3::splat(MOST)).as_vec3()
}

// Not `f32::min` and `f32::max`: those look for NaN, which is never here, and vector units
// then need three instructions instead of one.

#[inline]
fn at_most(x: f32, most: f32) -> f32 {
    if x < most { x } else { most }
}

#[inline]
fn at_least(x: f32, least: f32) -> f32 {
    if x > least { x } else { least }
}
