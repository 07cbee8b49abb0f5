//! Fading error: what a picture is still off the motion it glides to.
//!
//! The error of a moment, in position, velocity, orientation and heading, is laid over the motion
//! and fades by [`Blend::ProjectiveVelocity`]: neither position nor velocity jump.

use glam::{DQuat, DVec3};

use super::Blend;
use crate::SimTime;
use crate::math::{rotation, scaled_axis};

const BLEND: Blend = Blend::ProjectiveVelocity;

/// How a body is shown at one moment, or where it is believed to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) position: DVec3,
    pub(super) velocity: DVec3,
    pub(super) orientation: DQuat,
    pub(super) heading_rad: f64,
}

/// What the picture is still off after it was corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fading {
    since: SimTime,
    /// The moment of playback at which the body is elsewhere and the error with it.
    pub(super) until: SimTime,
    /// Minus infinity when there is nothing to fade.
    span_s: f64,
    position: DVec3,
    velocity: DVec3,
    turn: DVec3,
    heading_rad: f64,
}

impl Fading {
    pub(super) const NONE: Self = Self {
        since: SimTime::ZERO,
        until: SimTime::MAX,
        span_s: f64::NEG_INFINITY,
        position: DVec3::ZERO,
        velocity: DVec3::ZERO,
        turn: DVec3::ZERO,
        heading_rad: 0.0,
    };

    /// From what is shown at `since` to where the body is believed to be then.
    pub(super) fn between(shown: &Shown, believed: &Shown, since: SimTime, span_s: f64) -> Self {
        Self {
            since,
            until: SimTime::MAX,
            span_s,
            position: shown.position - believed.position,
            velocity: shown.velocity - believed.velocity,
            turn: scaled_axis(believed.orientation.conjugate() * shown.orientation),
            heading_rad: crate::orientation::shortest_turn_rad(
                believed.heading_rad,
                shown.heading_rad,
            ),
        }
    }

    /// The same that ends at a moment of playback, whatever is left.
    pub(super) const fn until(self, until: SimTime) -> Self {
        Self { until, ..self }
    }

    /// The share of the fading that is over, or `None` after it.
    pub(super) fn progress(&self, now: SimTime) -> Option<f64> {
        let t_s = now.secs_since(self.since);
        (t_s < self.span_s).then(|| t_s.max(0.0) / self.span_s)
    }

    pub(super) fn position(&self, now: SimTime) -> DVec3 {
        self.progress(now).map_or(DVec3::ZERO, |s| {
            let (w, g) = BLEND.left(s);
            self.position * w + self.velocity * (g * self.span_s)
        })
    }

    pub(super) fn velocity(&self, now: SimTime) -> DVec3 {
        self.progress(now).map_or(DVec3::ZERO, |s| {
            let (w, g) = BLEND.left_slope(s);
            self.position * (w / self.span_s) + self.velocity * g
        })
    }

    /// In body axes, as is [`angular_velocity`](Self::angular_velocity).
    pub(super) fn rotation(&self, now: SimTime) -> DQuat {
        self.progress(now).map_or(DQuat::IDENTITY, |s| rotation(self.turn * BLEND.left(s).0))
    }

    pub(super) fn angular_velocity(&self, now: SimTime) -> DVec3 {
        let slope = |s| self.turn * (BLEND.left_slope(s).0 / self.span_s);
        self.progress(now).map_or(DVec3::ZERO, slope)
    }

    pub(super) fn heading_rad(&self, now: SimTime) -> f64 {
        self.progress(now).map_or(0.0, |s| self.heading_rad * BLEND.left(s).0)
    }
}
