//! Showing the recent past instead of guessing the present.
//!
//! A [`DelayedGhost`] plays updates back a little late. Most of the time it then knows both
//! the update before the moment it shows and the one after, and leads from one to the other:
//! along the first one's model, which the publisher kept within its threshold of the truth,
//! plus the correction the second one brought, faded in along the way. Only when the next
//! update is later than the delay does it have to guess, like a [`Ghost`](super::Ghost).
//!
//! ```text
//!            a                    b
//!   -------- *---------+----------*          updates
//!                      ^ shown    ^ newest       ^ now
//!                      |<------- delay --------->|
//! ```
//!
//! The delay adapts to the link within bounds: up when an update came too late to be
//! played, down slowly when none did. It slides, never jumps, so playback only runs a
//! little slower or faster.

use alloc::vec::Vec;
use core::time::Duration;

use glam::{DQuat, DVec3};

use super::blend::Blend;
use super::{Accepted, GhostStats};
use crate::error::SettingError;
use crate::ground::Pose;
use crate::math::{rotation, scaled_axis};
use crate::time::span_of;
use crate::{SimTime, Update};

/// Playback runs at most this much slower or faster while the delay slides.
const SLEW: f64 = 0.1;
/// Each update that came in time takes the wanted delay down by this share of the surplus.
const RELAX: f64 = 1.0 / 64.0;
/// More updates than any delay needs; a flood must not grow without bound.
const MAX_HELD: usize = 64;

/// Settings for a [`DelayedGhost`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct DelayedConfig {
    /// The delay to start with and never go below. Default: 100 ms. From zero to `max_delay`.
    pub min_delay: Duration,
    /// The delay never to exceed; equal to `min_delay` for a fixed one. Default: 500 ms.
    pub max_delay: Duration,
    /// How far past the newest update its model is followed when the next one is late. Default: 250
    /// ms. Above zero.
    pub max_extrapolation: Duration,
    /// How long it takes to shed the error when that guess was wrong. Default: 200 ms. Above zero.
    pub span: Duration,
}

impl Default for DelayedConfig {
    /// A tenth of a second, as many games do, and up to half a second on a bad link.
    fn default() -> Self {
        Self {
            min_delay: Duration::from_millis(100),
            max_delay: Duration::from_millis(500),
            max_extrapolation: Duration::from_millis(250),
            span: Duration::from_millis(200),
        }
    }
}

/// The stand-in for a body that lives elsewhere, shown as it was a moment ago.
#[derive(Clone, Debug)]
pub struct DelayedGhost {
    config: DelayedConfig,
    /// By time, oldest first; the first one is what is shown or older.
    updates: Vec<Update>,
    delay: Delay,
    error: Fading,
    stats: GhostStats,
}

impl DelayedGhost {
    /// A delayed ghost, born from the first update, which arrives `now`.
    ///
    /// # Errors
    /// Refuses spans of zero and a smallest delay above the largest.
    pub fn with_config(
        config: DelayedConfig,
        first: Update,
        now: SimTime,
    ) -> Result<Self, SettingError> {
        let (min, max) = (config.min_delay, config.max_delay);
        if min > max {
            return Err(SettingError::RangeReversed { name: "delay", min, max });
        }
        let spans = [("max_extrapolation", config.max_extrapolation), ("span", config.span)];
        if let Some((name, _)) = spans.into_iter().find(|(_, span)| span.is_zero()) {
            return Err(SettingError::SpanZero { name });
        }
        let delay = Delay { at: now, value_s: min.as_secs_f64(), wanted_s: min.as_secs_f64() };
        let mut updates = Vec::with_capacity(8);
        updates.push(first);
        let stats = GhostStats { accepted: 1, stale: 0 };
        Ok(Self { config, updates, delay, error: Fading::NONE, stats })
    }

    /// Takes an update that arrives `now`. One that fills a gap still ahead of what is
    /// shown is used; one already played past, or a duplicate, changes nothing.
    pub fn accept(&mut self, update: Update, now: SimTime) -> Accepted {
        let place = self.updates.partition_point(|held| held.at() < update.at());
        let known = self.updates.get(place).is_some_and(|held| held.at() == update.at());
        if known || place == 0 || place < self.played(now) {
            self.stats.stale += 1;
            return Accepted::Stale;
        }
        self.stats.accepted += 1;
        let shown = (self.position_at(now), self.velocity_at(now), self.orientation_at(now));
        let newest = place == self.updates.len();
        if newest {
            let needed_s = now.secs_since(self.updates[place - 1].at());
            self.delay.adapt(needed_s, &self.config, now);
        }
        let jumped = update.teleported_since(&self.updates[place - 1]);
        self.updates.insert(place, update);
        self.forget_played(now);
        self.error = Fading::NONE;
        let jump = jumped && self.playhead(now).0 >= update.at();
        if !jump {
            self.error = self.error_from(shown, now);
        }
        if newest { Accepted::Newest } else { Accepted::Filled }
    }

    /// Where to draw the body. Pure: any frame rate, any order, same answer.
    #[must_use]
    pub fn position_at(&self, now: SimTime) -> DVec3 {
        let shown = self.played_position(now) + self.error(now).position(now);
        if shown.is_finite() { shown } else { self.played_position(now) }
    }

    /// How fast the drawn body moves.
    #[must_use]
    pub fn velocity_at(&self, now: SimTime) -> DVec3 {
        let shown = self.played_velocity(now) + self.error(now).velocity(now);
        if shown.is_finite() { shown } else { DVec3::ZERO }
    }

    /// How the drawn body is turned.
    #[must_use]
    pub fn orientation_at(&self, now: SimTime) -> DQuat {
        (self.played_orientation(now) * self.error(now).rotation(now)).normalize()
    }

    /// Where and how to draw the body, ready for a [`GroundClamp`](crate::GroundClamp).
    #[must_use]
    pub fn pose_at(&self, now: SimTime) -> Pose {
        Pose { position: self.position_at(now), orientation: self.orientation_at(now) }
    }

    /// How far in the past the body is shown.
    #[must_use]
    pub fn delay_at(&self, now: SimTime) -> Duration {
        span_of(self.delay.value(now).0)
    }

    /// The newest update it has.
    ///
    /// # Panics
    /// Never: a ghost is born from an update and always keeps one.
    #[must_use]
    pub fn update(&self) -> &Update {
        self.updates.last().expect("born from an update, and forgetting keeps one")
    }

    /// Counters for a status page.
    #[must_use]
    pub const fn stats(&self) -> &GhostStats {
        &self.stats
    }

    /// The moment shown at `now`, and how fast it passes.
    fn playhead(&self, now: SimTime) -> (SimTime, f64) {
        let (delay_s, slide) = self.delay.value(now);
        (now - span_of(delay_s), 1.0 - slide)
    }

    /// The stretch of playback `now` falls into: the update before, and the one after if
    /// it is known; and the moment shown, no further ahead than may be guessed.
    fn stretch(&self, now: SimTime) -> Stretch<'_> {
        let (at, rate) = self.playhead(now);
        let next = self.updates.partition_point(|held| held.at() <= at);
        let from = &self.updates[next.max(1) - 1];
        let to = if next == 0 { None } else { self.updates.get(next) };
        let latest = from.at() + self.config.max_extrapolation;
        // What leads to a teleport is a guess as well.
        if at > latest && to.is_none_or(|to| to.teleported_since(from)) {
            return Stretch { from, to, at: latest, rate: 0.0 };
        }
        Stretch { from, to, at, rate }
    }

    fn played_position(&self, now: SimTime) -> DVec3 {
        self.stretch(now).position()
    }

    fn played_velocity(&self, now: SimTime) -> DVec3 {
        self.stretch(now).velocity()
    }

    fn played_orientation(&self, now: SimTime) -> DQuat {
        self.stretch(now).orientation()
    }

    /// Drops what playback is past, but for the update it is leading from.
    fn forget_played(&mut self, now: SimTime) {
        let surplus = self.updates.len().saturating_sub(MAX_HELD);
        self.updates.drain(..self.played(now).saturating_sub(1).max(surplus));
    }

    /// How many of the updates held are at or before the moment shown.
    fn played(&self, now: SimTime) -> usize {
        let (at, _) = self.playhead(now);
        self.updates.partition_point(|held| held.at() <= at)
    }

    /// What the picture is still off at `now`. A teleport leaves all error behind.
    fn error(&self, now: SimTime) -> &Fading {
        if self.playhead(now).0 >= self.error.until { &Fading::NONE } else { &self.error }
    }

    fn error_from(&self, shown: (DVec3, DVec3, DQuat), now: SimTime) -> Fading {
        let (position, velocity, orientation) = shown;
        let (at, _) = self.playhead(now);
        let ahead = self.updates.windows(2).filter(|held| held[1].at() > at);
        let teleport = ahead.filter(|held| held[1].teleported_since(&held[0]));
        Fading {
            since: now,
            until: teleport.map(|held| held[1].at()).min().unwrap_or(SimTime::MAX),
            span_s: self.config.span.as_secs_f64(),
            position: position - self.played_position(now),
            velocity: velocity - self.played_velocity(now),
            turn: scaled_axis(self.played_orientation(now).conjugate() * orientation),
        }
    }
}

/// One stretch of playback.
struct Stretch<'a> {
    from: &'a Update,
    to: Option<&'a Update>,
    at: SimTime,
    rate: f64,
}

impl Stretch<'_> {
    /// Share of the way from one update to the next, and the time between them. Nothing
    /// leads to a teleport: the body stays on its way and then is elsewhere.
    fn share(&self) -> Option<(&Update, f64, f64)> {
        let to = self.to.filter(|to| !to.teleported_since(self.from))?;
        let span_s = to.at().secs_since(self.from.at());
        Some((to, self.at.secs_since(self.from.at()) / span_s, span_s))
    }

    fn position(&self) -> DVec3 {
        let guess = self.from.position_at(self.at);
        let Some((to, s, span_s)) = self.share() else { return guess };
        let off = to.kinematics().position - self.from.position_at(to.at());
        let drift = (to.velocity_at(to.at()) - self.from.velocity_at(to.at())) * span_s;
        // The two Hermite terms that start from nothing and arrive with `off` and `drift`.
        let led = guess + off * (s * s * (3.0 - 2.0 * s)) - drift * (s * s * (1.0 - s));
        if led.is_finite() { led } else { guess }
    }

    fn velocity(&self) -> DVec3 {
        let guess = self.from.velocity_at(self.at);
        let Some((to, s, span_s)) = self.share() else { return guess * self.rate };
        let off = (to.kinematics().position - self.from.position_at(to.at())) / span_s;
        let drift = to.velocity_at(to.at()) - self.from.velocity_at(to.at());
        (guess + off * (6.0 * s * (1.0 - s)) - drift * (s * (2.0 - 3.0 * s))) * self.rate
    }

    fn orientation(&self) -> DQuat {
        let guess = self.from.orientation_at(self.at);
        let Some((to, s, _)) = self.share() else { return guess };
        let believed = self.from.orientation_at(to.at());
        let turn = scaled_axis(believed.conjugate() * to.kinematics().orientation);
        guess * rotation(turn * (s * s * (3.0 - 2.0 * s)))
    }
}

/// A delay that slides towards the one wanted.
#[derive(Clone, Copy, Debug)]
struct Delay {
    at: SimTime,
    value_s: f64,
    wanted_s: f64,
}

impl Delay {
    /// The delay at `now` and how fast it grows.
    fn value(&self, now: SimTime) -> (f64, f64) {
        let room_s = SLEW * now.secs_since(self.at).max(0.0);
        let missing_s = self.wanted_s - self.value_s;
        if missing_s.abs() <= room_s {
            (self.wanted_s, 0.0)
        } else {
            (self.value_s + room_s.copysign(missing_s), SLEW.copysign(missing_s))
        }
    }

    /// Learns that `needed_s` would have been enough for the update that just arrived.
    fn adapt(&mut self, needed_s: f64, config: &DelayedConfig, now: SimTime) {
        self.value_s = self.value(now).0;
        self.at = now;
        let wanted_s = if needed_s > self.wanted_s {
            needed_s
        } else {
            self.wanted_s + RELAX * (needed_s - self.wanted_s)
        };
        self.wanted_s =
            wanted_s.clamp(config.min_delay.as_secs_f64(), config.max_delay.as_secs_f64());
    }
}

/// What the picture is still off after a guess was corrected.
#[derive(Clone, Copy, Debug)]
struct Fading {
    since: SimTime,
    /// The moment of playback at which the body is elsewhere and the error with it.
    until: SimTime,
    /// Minus infinity when there is nothing to fade.
    span_s: f64,
    position: DVec3,
    velocity: DVec3,
    turn: DVec3,
}

impl Fading {
    const BLEND: Blend = Blend::ProjectiveVelocity;
    const NONE: Self = Self {
        since: SimTime::ZERO,
        until: SimTime::MAX,
        span_s: f64::NEG_INFINITY,
        position: DVec3::ZERO,
        velocity: DVec3::ZERO,
        turn: DVec3::ZERO,
    };

    fn progress(&self, now: SimTime) -> Option<f64> {
        let t_s = now.secs_since(self.since);
        (t_s < self.span_s).then(|| t_s.max(0.0) / self.span_s)
    }

    fn position(&self, now: SimTime) -> DVec3 {
        self.progress(now).map_or(DVec3::ZERO, |s| {
            let (w, g) = Self::BLEND.left(s);
            self.position * w + self.velocity * (g * self.span_s)
        })
    }

    fn velocity(&self, now: SimTime) -> DVec3 {
        self.progress(now).map_or(DVec3::ZERO, |s| {
            let (w, g) = Self::BLEND.left_slope(s);
            self.position * (w / self.span_s) + self.velocity * g
        })
    }

    fn rotation(&self, now: SimTime) -> DQuat {
        self.progress(now).map_or(DQuat::IDENTITY, |s| rotation(self.turn * Self::BLEND.left(s).0))
    }
}
