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

use super::fading::{Fading, Shown};
use super::heading::{HeadingRule, level};
use super::{Accepted, GhostStats};
use crate::error::SettingError;
use crate::ground::Pose;
use crate::math::{rotation, scaled_axis};
use crate::orientation::{heading_rad, shortest_turn_rad};
use crate::time::span_of;
use crate::{Kinematics, SimTime, Update};

/// Playback runs at most this much slower or faster while the delay slides.
const SLEW: f64 = 0.1;
/// Each update that came in time takes the wanted delay down by this share of the surplus.
const RELAX: f64 = 1.0 / 64.0;
/// More updates than any delay needs; a flood must not grow without bound.
const MAX_HELD: usize = 64;

/// Settings for a [`DelayedGhost`].
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Slower than this over ground a body keeps the heading it had, for
    /// [`heading_at`](DelayedGhost::heading_at). Default: 0.5 m/s. Finite and at least 0.
    pub min_heading_speed_mps: f64,
}

impl Default for DelayedConfig {
    /// A tenth of a second, as many games do, and up to half a second on a bad link.
    fn default() -> Self {
        Self {
            min_delay: Duration::from_millis(100),
            max_delay: Duration::from_millis(500),
            max_extrapolation: Duration::from_millis(250),
            span: Duration::from_millis(200),
            min_heading_speed_mps: 0.5,
        }
    }
}

impl DelayedConfig {
    fn validate(&self) -> Result<(), SettingError> {
        let (min, max) = (self.min_delay, self.max_delay);
        if min > max {
            return Err(SettingError::RangeReversed { name: "delay", min, max });
        }
        let spans = [("max_extrapolation", self.max_extrapolation), ("span", self.span)];
        match spans.into_iter().find(|(_, span)| span.is_zero()) {
            Some((name, _)) => Err(SettingError::SpanZero { name }),
            None => Ok(()),
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
    heading: HeadingRule,
    /// The heading before the first of the updates held.
    held_rad: f64,
    stats: GhostStats,
}

impl DelayedGhost {
    /// A delayed ghost, born from the first update, which arrives `now`.
    ///
    /// # Errors
    /// Refuses spans of zero, a smallest delay above the largest, and a smallest speed that is not
    /// finite or below zero.
    pub fn with_config(
        config: DelayedConfig,
        first: Update,
        now: SimTime,
    ) -> Result<Self, SettingError> {
        config.validate()?;
        let heading = HeadingRule::new(config.min_heading_speed_mps)?;
        let held_rad = heading_rad(first.kinematics().orientation);
        let min_s = config.min_delay.as_secs_f64();
        let delay = Delay { at: now, value_s: min_s, wanted_s: min_s };
        let mut updates = Vec::with_capacity(8);
        updates.push(first);
        let stats = GhostStats { accepted: 1, stale: 0 };
        Ok(Self { config, updates, delay, error: Fading::NONE, heading, held_rad, stats })
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
        let shown = self.shown(now);
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
            self.error = self.error_from(&shown, now);
        }
        if newest { Accepted::Newest } else { Accepted::Filled }
    }

    /// Takes the first update of another owner, whatever its stamp; see
    /// [`Ghost::hand_over`](super::Ghost::hand_over). What the former owner said of later moments no
    /// longer counts.
    pub fn hand_over(&mut self, update: Update, now: SimTime) -> Accepted {
        let place = self.updates.partition_point(|held| held.at() < update.at());
        if place == self.updates.len() {
            return self.accept(update, now);
        }
        self.stats.accepted += 1;
        let shown = self.shown(now);
        let held_rad = self.held_before(place);
        let teleported = update.teleported_since(self.update());
        self.updates.truncate(place);
        self.updates.push(update);
        if place == 0 {
            self.held_rad = held_rad;
        }
        self.error = if teleported { Fading::NONE } else { self.error_from(&shown, now) };
        Accepted::Newest
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

    /// How fast the drawn body turns, in world axes: the slope of
    /// [`orientation_at`](Self::orientation_at).
    #[must_use]
    pub fn angular_velocity_at(&self, now: SimTime) -> DVec3 {
        let stretch = self.stretch(now);
        let shed = stretch.orientation() * self.error(now).angular_velocity(now);
        let shown = stretch.angular_velocity() + shed;
        if shown.is_finite() { shown } else { DVec3::ZERO }
    }

    /// The heading of a level body whose nose points the way it went; see
    /// [`Ghost::heading_at`](super::Ghost::heading_at).
    #[must_use]
    pub fn heading_at(&self, now: SimTime) -> DQuat {
        level(self.shown_heading_rad(now))
    }

    /// Everything about the drawn body at once, but its acceleration; see
    /// [`Ghost::kinematics_at`](super::Ghost::kinematics_at).
    #[must_use]
    pub fn kinematics_at(&self, now: SimTime) -> Kinematics {
        Kinematics {
            velocity: self.velocity_at(now),
            orientation: self.orientation_at(now),
            angular_velocity: self.angular_velocity_at(now),
            ..Kinematics::at_rest(now, self.position_at(now))
        }
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

    /// Uses other settings from `now` on, without a jump: the delay slides into its new bounds, and
    /// what else is off at that moment is shed.
    ///
    /// # Errors
    /// As [`with_config`](Self::with_config); nothing is changed then.
    pub fn set_config(&mut self, config: DelayedConfig, now: SimTime) -> Result<(), SettingError> {
        config.validate()?;
        let heading = HeadingRule::new(config.min_heading_speed_mps)?;
        let shown = self.shown(now);
        (self.config, self.heading) = (config, heading);
        self.delay.adapt(self.delay.wanted_s, &config, now);
        self.error = self.error_from(&shown, now);
        Ok(())
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &DelayedConfig {
        &self.config
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
        let forgotten = self.played(now).saturating_sub(1).max(surplus);
        self.held_rad = self.held_before(forgotten);
        self.updates.drain(..forgotten);
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

    fn error_from(&self, shown: &Shown, now: SimTime) -> Fading {
        let (at, _) = self.playhead(now);
        let ahead = self.updates.windows(2).filter(|held| held[1].at() > at);
        let teleport = ahead.filter(|held| held[1].teleported_since(&held[0]));
        let until = teleport.map(|held| held[1].at()).min().unwrap_or(SimTime::MAX);
        let played = Shown {
            position: self.played_position(now),
            velocity: self.played_velocity(now),
            orientation: self.played_orientation(now),
            heading_rad: self.played_heading_rad(now),
        };
        let span_s = self.config.span.as_secs_f64();
        Fading::between(shown, &played, now, span_s).until(until)
    }

    fn shown(&self, now: SimTime) -> Shown {
        Shown {
            position: self.position_at(now),
            velocity: self.velocity_at(now),
            orientation: self.orientation_at(now),
            heading_rad: self.shown_heading_rad(now),
        }
    }

    fn shown_heading_rad(&self, now: SimTime) -> f64 {
        self.played_heading_rad(now) + self.error(now).heading_rad(now)
    }

    /// The heading of playback. As with the orientation, the first update's own leads, and the turn
    /// that the second one brought is faded in; where both are slow there is none.
    fn played_heading_rad(&self, now: SimTime) -> f64 {
        let stretch = self.stretch(now);
        let from = stretch.from;
        let place = self.updates.partition_point(|held| held.at() < from.at());
        let held_rad = self.held_before(place);
        let after = |at: SimTime| self.heading.after(from, at.secs_since(from.at()), held_rad);
        let guess_rad = after(stretch.at);
        let Some((to, s, _)) = stretch.share() else { return guess_rad };
        let led_rad = after(to.at());
        let turn_rad = shortest_turn_rad(led_rad, self.heading.after(to, 0.0, led_rad));
        guess_rad + turn_rad * (s * s * (3.0 - 2.0 * s))
    }

    /// The heading that the updates before a place lead to.
    fn held_before(&self, place: usize) -> f64 {
        let pairs = self.updates[..=place].windows(2);
        pairs.fold(self.held_rad, |held_rad, pair| {
            self.heading.after(&pair[0], pair[1].at().secs_since(pair[0].at()), held_rad)
        })
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
        guess * rotation(self.turn_to(to) * (s * s * (3.0 - 2.0 * s)))
    }

    fn angular_velocity(&self) -> DVec3 {
        let guess = self.from.angular_velocity();
        let Some((to, s, span_s)) = self.share() else { return guess * self.rate };
        let led = self.turn_to(to) * (6.0 * s * (1.0 - s) / span_s);
        (guess + self.from.orientation_at(self.at) * led) * self.rate
    }

    /// The turn that the second update brought, in body axes.
    fn turn_to(&self, to: &Update) -> DVec3 {
        let believed = self.from.orientation_at(to.at());
        scaled_axis(believed.conjugate() * to.kinematics().orientation)
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
