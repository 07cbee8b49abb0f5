//! The listeners' side of dead reckoning: show a body between updates, without a break.
//!
//! Take a [`Ghost`] to show where a body is now, and a [`DelayedGhost`] to show where it was a
//! moment ago.
//!
//! ```
//! use reckoning::{Blend, DVec3, Ghost, Kinematics, Model, SimTime, Update, UpdateKind};
//!
//! let ms = SimTime::from_millis;
//! let update = |at, x, speed| {
//!     let seen = Kinematics::moving(at, DVec3::X * x, DVec3::X * speed);
//!     Update::new(seen, Model::Linear, UpdateKind::Partial)
//! };
//! let mut ghost = Ghost::new(update(ms(0), 0.0, 10.0)?, Blend::ProjectiveVelocity);
//! assert_eq!(ghost.position_at(ms(500)).x, 5.0);
//! ghost.accept(update(ms(400), 4.0, 12.0)?, ms(500)); // 100 ms on the way
//! assert_eq!(ghost.position_at(ms(500)).x, 5.0); // no jump
//! assert_eq!(ghost.position_at(ms(900)).x, 10.0); // and on the new path
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! A `Ghost` holds the newest [`Update`] and runs its model to any moment it is asked about:
//! since the update carries its own time, the delay on the way is projected over by itself
//! (THESIS calls this the accuracy model). When an update arrives, what is
//! shown and what is now believed differ; a [`Blend`] leads from one to the other.
//!
//! ```text
//! shown     ----------.            believed before the update
//!                      `-._        blend, one span long
//! believed  . . . . . . *--`-----  believed since the update
//!                       ^ arrives
//! ```
//!
//! The rest of the engine relies on these properties:
//! - reading is a pure function of time: any frame rate, any order, same answer;
//! - an update never makes the shown position jump, unless the body teleported since the one
//!   before, whichever update said so first, or the blend is [`Blend::Snap`];
//! - an update that is not newer than the one held changes nothing, but for the first one of
//!   another owner: see [`Ghost::hand_over`];
//! - one span after the last update the ghost is on the believed path, and some time later
//!   it holds still: see [`GhostConfig::max_extrapolation`].
//!
//! What is believed is decided by the owner: see [`Publisher`](crate::Publisher).

mod arrivals;
mod blend;
mod delayed;
mod fading;
mod handover;
mod heading;
mod hedge;
mod pace;
mod rails;
mod turning;

use core::time::Duration;

use glam::{DQuat, DVec3};

use crate::error::SettingError;
use crate::ground::Pose;
use crate::math::{rotation, round, scaled_axis, sqrt};
use crate::orientation::{heading_rad, shortest_turn_rad};
use crate::time::span_of;
use crate::{SimTime, Update};
use arrivals::Arrivals;
use blend::{Cubic, Ends, cubic_at, cubic_slope};
use fading::Shown;
use heading::HeadingRule;
use hedge::{Hedge, warped};

pub use blend::Blend;
pub(crate) use blend::projective_left;
pub use delayed::{DelayedConfig, DelayedGhost};
pub use handover::Handover;
pub use pace::Pace;

/// Full speed lasts for half of the extrapolation: one heartbeat that is lost, and the delay of the
/// next.
const EXTRAPOLATED_HEARTBEATS: u32 = 4;

/// Span of a close blend for a picture that is off by the width of a body. Trials on three games
/// found it: a fifth of a second beats a third, and less is seen as jerks.
const CLOSE_S: f64 = 0.2;

/// How long a blend takes: MURPHY's `T_delta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum BlendSpan {
    /// Always the same: the expected time between updates. The steadiest.
    Fixed(Duration),
    /// The running average of the time between arrivals, kept within bounds.
    FromArrivals {
        /// Never shorter than this; also the span of the first blend.
        min: Duration,
        /// Never longer than this.
        max: Duration,
    },
    /// The longer the further off the picture is, so that shedding an error adds a bounded speed: a
    /// blend adds about twice the error over its span.
    ByError {
        /// Never shorter than this.
        min: Duration,
        /// Never longer than this, however far off it is.
        max: Duration,
        /// Time for each metre that the picture is off.
        per_metre: Duration,
    },
    /// The longer the further off the picture is, by the root of that, so that shedding an error
    /// adds a bounded acceleration: twelve times the error over the square of its span, at most.
    /// See [`close`](Self::close).
    ByErrorRoot {
        /// Never shorter than this.
        min: Duration,
        /// Never longer than this, however far off it is.
        max: Duration,
        /// Time for a picture that is a metre off; one that is four metres off takes twice as long.
        at_metre: Duration,
    },
}

impl BlendSpan {
    /// A third of a second, however far off the picture is: the calmest to look at, and the default.
    pub const CALM: Self = Self::Fixed(Duration::from_millis(333));

    /// The closest to the truth: a fifth of a second for a picture that is off by the width of a
    /// body, by the root of the error for others, from 50 to 333 ms. The shape of the blend is the
    /// same, and its acceleration is at most 300 widths per second squared beyond 50 ms. A width
    /// that is not above zero and finite counts as a metre.
    ///
    /// ```
    /// use core::time::Duration;
    /// use reckoning::BlendSpan;
    ///
    /// let BlendSpan::ByErrorRoot { at_metre, .. } = BlendSpan::close(0.25) else { panic!() };
    /// assert_eq!(at_metre, Duration::from_millis(400)); // four widths: twice as long as one
    /// ```
    #[must_use]
    pub fn close(width_m: f64) -> Self {
        let usable = width_m > 0.0 && width_m.is_finite();
        let at_metre_s = CLOSE_S / sqrt(if usable { width_m } else { 1.0 });
        // Whole microseconds, as views are told; an hour is longer than any blend.
        let at_metre_us = round(at_metre_s * 1e6).clamp(1.0, 3.6e9);
        Self::ByErrorRoot {
            min: Duration::from_millis(50),
            max: Duration::from_millis(333),
            at_metre: Duration::from_micros(at_metre_us as u64),
        }
    }

    /// The longest that a blend can take.
    #[must_use]
    pub const fn longest(&self) -> Duration {
        match *self {
            Self::Fixed(span) => span,
            Self::FromArrivals { max, .. }
            | Self::ByError { max, .. }
            | Self::ByErrorRoot { max, .. } => max,
        }
    }

    /// The shortest, and the longest, that a blend can take.
    const fn bounds(&self) -> (Duration, Duration) {
        match *self {
            Self::Fixed(span) => (span, span),
            Self::FromArrivals { min, max }
            | Self::ByError { min, max, .. }
            | Self::ByErrorRoot { min, max, .. } => (min, max),
        }
    }
}

/// Which moment an update is taken to be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timing {
    /// The time it carries: the clocks of owner and listener are synchronised, and the
    /// delay on the way is projected over.
    Synchronised,
    /// The moment it arrived, less an estimate of the delay: no common clock. An estimate
    /// of zero is what naive clients do.
    OnArrival {
        /// The estimated time on the way.
        delay: Duration,
    },
}

/// Settings for a [`Ghost`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct GhostConfig {
    /// How to get from what is shown to what is believed. Default: [`Blend::ProjectiveVelocity`].
    pub blend: Blend,
    /// How long that takes. [`BlendSpan::close`] shows less error and livelier motion. Default:
    /// [`BlendSpan::Fixed`], 333 ms. Above zero, and bounds in order.
    pub span: BlendSpan,
    /// How far past an update its model is followed: at full speed for the first half of this, then
    /// slowing evenly, and after one and a half times this the ghost holds still. Four times the
    /// publisher's heartbeat rides out a lost one and its delay; with less than twice, ghosts slow
    /// down between heartbeats that arrive: see [`for_heartbeat`](Self::for_heartbeat). Default:
    /// 4 s. Above zero.
    pub max_extrapolation: Duration,
    /// Which moment an update is taken to be about. Default: [`Timing::Synchronised`].
    pub timing: Timing,
    /// Slower than this over ground a body keeps the heading it had, for
    /// [`heading_at`](Ghost::heading_at). Default: 0.5 m/s. Finite and at least 0.
    pub min_heading_speed_mps: f64,
    /// Lengthens blends so that bodies are not shown faster than they can be. Default: `None`, by
    /// the span alone.
    pub pace: Option<Pace>,
    /// Chooses between carrying on with the promised motion, damping it and holding still, by what
    /// each would have shown before: with long delays or heavy loss it is never much worse than the
    /// best of them. Default: `false`, motion is carried on.
    pub hedged: bool,
}

impl Default for GhostConfig {
    /// A game with three updates a second, a synchronised clock and half-second heartbeats.
    fn default() -> Self {
        Self {
            blend: Blend::default(),
            span: BlendSpan::CALM,
            max_extrapolation: Duration::from_secs(4),
            timing: Timing::Synchronised,
            min_heading_speed_mps: 0.5,
            pace: None,
            hedged: false,
        }
    }
}

impl GhostConfig {
    /// The default for bodies that are heard of at least once in a `heartbeat`, above zero:
    /// `max_extrapolation` is four times as long, so that a body is shown at full speed until the
    /// second heartbeat is due. Give it the longest of those that feed the ghost: the publisher's
    /// own, or a host's.
    ///
    /// ```
    /// use reckoning::{GhostConfig, Model, PublisherConfig};
    ///
    /// let dis = PublisherConfig::dis(Model::Linear);
    /// let ghosts = GhostConfig::for_heartbeat(dis.heartbeat);
    /// assert_eq!(ghosts.max_extrapolation.as_secs(), 20);
    /// ```
    #[must_use]
    pub fn for_heartbeat(heartbeat: Duration) -> Self {
        let max_extrapolation = heartbeat.saturating_mul(EXTRAPOLATED_HEARTBEATS);
        Self { max_extrapolation, ..Self::default() }
    }

    /// The longest that a blend can take.
    #[must_use]
    pub fn longest_blend(&self) -> Duration {
        let span = self.span.longest();
        self.pace.map_or(span, |pace| span.max(pace.max_span))
    }

    fn validate(&self) -> Result<(), SettingError> {
        if let Some(pace) = &self.pace {
            pace.validate()?;
        }
        HeadingRule::new(self.min_heading_speed_mps)?;
        if self.max_extrapolation.is_zero() {
            return Err(SettingError::SpanZero { name: "max_extrapolation" });
        }
        let (min, max) = self.span.bounds();
        if min.is_zero() {
            let is_fixed = matches!(self.span, BlendSpan::Fixed(_));
            let name = if is_fixed { "blend span" } else { "shortest blend span" };
            return Err(SettingError::SpanZero { name });
        }
        if min > max {
            return Err(SettingError::RangeReversed { name: "blend span", min, max });
        }
        Ok(())
    }
}

/// What became of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Accepted {
    /// It is the newest and leads from now on.
    Newest,
    /// It is not the newest but lies ahead of what is shown, and fills a gap there; only a
    /// [`DelayedGhost`] can use such updates.
    Filled,
    /// It is about a moment not later than what the ghost already had; nothing changed.
    Stale,
}

/// Counters of a ghost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GhostStats {
    /// Updates that led the ghost on.
    pub accepted: u64,
    /// Updates dropped because they were duplicates or overtaken by newer ones.
    pub stale: u64,
}

/// The stand-in for a body that lives elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Ghost {
    update: Update,
    /// Added to the update's own time to get ours; zero when clocks are synchronised.
    shift_s: f64,
    arrived: SimTime,
    /// Length of the current blend; minus infinity when there is none.
    span_s: f64,
    /// The curve, or for fading offsets the errors of position and velocity and two zeros.
    course: Cubic,
    /// Whether the course runs along the path of the update: its places are `x` along it.
    on_rails: bool,
    /// What the orientation was off when the update arrived, as a rotation vector in body
    /// axes.
    turn: DVec3,
    /// What the heading was off when the update arrived.
    heading_off_rad: f64,
    /// The heading before the update.
    held_rad: f64,
    half_extrapolation_s: f64,
    config: GhostConfig,
    arrivals: Arrivals,
    hedge: Hedge,
    stats: GhostStats,
}

impl Ghost {
    /// A ghost with default settings and the given blend, born from the first update.
    #[must_use]
    pub fn new(first: Update, blend: Blend) -> Self {
        Self::born(GhostConfig { blend, ..GhostConfig::default() }, &first, first.at())
    }

    /// A ghost with settings of its own, born from the first update, which arrives `now`.
    ///
    /// # Errors
    /// Refuses spans of zero, reversed bounds, and a smallest speed that is not finite or below
    /// zero.
    pub fn with_config(
        config: GhostConfig,
        first: Update,
        now: SimTime,
    ) -> Result<Self, SettingError> {
        config.validate()?;
        Ok(Self::born(config, &first, now))
    }

    fn born(config: GhostConfig, first: &Update, now: SimTime) -> Self {
        let mut ghost = Self {
            update: *first,
            shift_s: 0.0,
            arrived: now,
            span_s: f64::NEG_INFINITY,
            course: [DVec3::ZERO; 4],
            on_rails: rails::is_on_rails(first),
            turn: DVec3::ZERO,
            heading_off_rad: 0.0,
            held_rad: heading_rad(first.kinematics().orientation),
            half_extrapolation_s: config.max_extrapolation.as_secs_f64() * 0.5,
            config,
            arrivals: Arrivals::first(now),
            hedge: Hedge::new(first, now),
            stats: GhostStats { accepted: 1, stale: 0 },
        };
        ghost.shift_s = ghost.shift_of(first, now);
        ghost
    }

    /// Takes an update that arrives `now`. Late, repeated and reordered ones may be passed in:
    /// what is not newer changes nothing.
    pub fn accept(&mut self, update: Update, now: SimTime) -> Accepted {
        if update.at() <= self.update.at() {
            self.stats.stale += 1;
            return Accepted::Stale;
        }
        self.lead(update, now);
        Accepted::Newest
    }

    /// The update leads from now on.
    fn lead(&mut self, update: Update, now: SimTime) {
        self.stats.accepted += 1;
        self.arrivals.record(now);
        let shown = self.shown(now);
        let along = self.along_rails(&update, now);
        let teleported = update.teleported_since(&self.update);
        let shift_s = self.shift_of(&update, now);
        if teleported {
            self.hedge.forget_probe();
        }
        if self.config.hedged {
            self.hedge.observe(&update, shift_s, now);
        }
        // What it had come to at the moment the update is about, not ahead of that.
        self.held_rad = self.heading_after(update.at().secs_since(self.update.at()) + shift_s);
        self.update = update;
        self.shift_s = shift_s;
        self.arrived = now;
        self.on_rails = along.is_some();
        let shown = along.map_or(shown, |along| self.unrolled(along, &shown, now));
        if teleported || self.config.blend == Blend::Snap {
            self.span_s = f64::NEG_INFINITY;
        } else {
            self.span_s = self.blend_span_s(&shown, now);
            self.lead_from(&shown, now);
        }
    }

    /// How long it takes from what is shown to what is believed at `now`.
    fn blend_span_s(&self, shown: &Shown, now: SimTime) -> f64 {
        let off_m = shown.position.distance(self.believed_position(now));
        let span_s = self.arrivals.span_s(self.config.span, off_m);
        self.config.pace.map_or(span_s, |pace| {
            let believed = self.believed_velocity(now);
            pace.lengthened_s(self.config.blend, (span_s, off_m), believed, shown.velocity)
        })
    }

    /// Where to draw the body. Pure: any frame rate, any order, same answer.
    #[must_use]
    pub fn position_at(&self, now: SimTime) -> DVec3 {
        self.in_world(self.blended_position(now))
    }

    fn blended_position(&self, now: SimTime) -> DVec3 {
        let believed = self.believed_position(now);
        let Some(s) = self.blended(now) else { return believed };
        let shown = if self.config.blend.is_curve() {
            cubic_at(&self.course, s)
        } else {
            let (w, g) = self.config.blend.left(s);
            believed + self.course[0] * w + self.course[1] * (g * self.span_s)
        };
        if shown.is_finite() { shown } else { believed }
    }

    /// How fast the drawn body moves. At the very end of a blend this is still the blend's
    /// velocity, which is what was seen on screen.
    #[must_use]
    pub fn velocity_at(&self, now: SimTime) -> DVec3 {
        self.velocity_in_world(self.blended_velocity(now), now)
    }

    fn blended_velocity(&self, now: SimTime) -> DVec3 {
        let Some(s) = self.blended(now) else {
            return self.believed_velocity(now);
        };
        let shown = if self.config.blend.is_curve() {
            cubic_slope(&self.course, s) / self.span_s
        } else {
            let (w, g) = self.config.blend.left_slope(s);
            self.believed_velocity(now) + self.course[0] * (w / self.span_s) + self.course[1] * g
        };
        if shown.is_finite() { shown } else { DVec3::ZERO }
    }

    /// How the drawn body is turned: from where the picture was and from the update, both
    /// turned on by the model, blended the short way round.
    #[must_use]
    pub fn orientation_at(&self, now: SimTime) -> DQuat {
        let believed = self.believed_orientation(now);
        match self.blended(now) {
            Some(s) if self.turn != DVec3::ZERO => {
                let (left, _) = self.config.blend.left(s);
                (believed * rotation(self.turn * left)).normalize()
            }
            _ => believed,
        }
    }

    /// Where and how to draw the body, ready for a [`GroundClamp`](crate::GroundClamp).
    #[must_use]
    pub fn pose_at(&self, now: SimTime) -> Pose {
        Pose { position: self.position_at(now), orientation: self.orientation_at(now) }
    }

    /// The newest update: what is believed.
    #[must_use]
    pub const fn update(&self) -> &Update {
        &self.update
    }

    /// Delay of the update, by synchronised clocks. Negative when it came from a clock that is
    /// ahead of ours.
    #[must_use]
    pub const fn delay_s(&self) -> f64 {
        self.arrived.secs_since(self.update.at())
    }

    /// Uses other settings from `now` on, without a jump: what is off at that moment is
    /// shed by the new blend. Until the next update [`delay_s`](Self::delay_s) counts to this
    /// moment.
    ///
    /// # Errors
    /// As [`with_config`](Self::with_config); nothing is changed then.
    pub fn set_config(&mut self, config: GhostConfig, now: SimTime) -> Result<(), SettingError> {
        config.validate()?;
        let shown = self.shown(now);
        let along = self.along_rails(&self.update, now);
        self.config = config;
        self.on_rails = along.is_some();
        self.half_extrapolation_s = config.max_extrapolation.as_secs_f64() * 0.5;
        self.arrived = now.max(self.arrived);
        self.span_s = f64::NEG_INFINITY;
        let shown = along.map_or(shown, |along| self.unrolled(along, &shown, now));
        if config.blend != Blend::Snap {
            self.span_s = self.blend_span_s(&shown, now);
            self.lead_from(&shown, now);
        }
        Ok(())
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &GhostConfig {
        &self.config
    }

    /// Counters for a status page.
    #[must_use]
    pub const fn stats(&self) -> &GhostStats {
        &self.stats
    }

    /// The share of the current blend that is over at `now`, or `None` after it.
    #[inline]
    fn blended(&self, now: SimTime) -> Option<f64> {
        let t_s = now.secs_since(self.arrived);
        // Inclusive, so that the velocity at the very end is what was seen on screen; with
        // no blend nothing is ever within the span.
        (t_s <= self.span_s).then(|| t_s.max(0.0) / self.span_s)
    }

    fn shift_of(&self, update: &Update, now: SimTime) -> f64 {
        match self.config.timing {
            Timing::Synchronised => 0.0,
            Timing::OnArrival { delay } => now.secs_since(update.at()) - delay.as_secs_f64(),
        }
    }

    /// Sets the blend out from what was shown at `now`.
    fn lead_from(&mut self, shown: &Shown, now: SimTime) {
        let (from, from_velocity) = (shown.position, shown.velocity);
        self.course = if self.config.blend.is_curve() {
            let span = span_of(self.span_s);
            let (end, beyond) = (now + span, now + span + span);
            let ends = Ends {
                from,
                from_velocity,
                to: self.believed_position(end),
                to_velocity: self.believed_velocity(end),
                beyond: self.believed_position(beyond),
                // The end is a whole microsecond; the curve must end there, not near it.
                span_s: end.secs_since(now),
            };
            // No time is left for a curve at the end of time, or within a microsecond.
            self.span_s = if ends.span_s > 0.0 { ends.span_s } else { f64::NEG_INFINITY };
            ends.curve(self.config.blend)
        } else {
            let error = from - self.believed_position(now);
            [error, from_velocity - self.believed_velocity(now), DVec3::ZERO, DVec3::ZERO]
        };
        self.turn = scaled_axis(self.believed_orientation(now).conjugate() * shown.orientation);
        self.heading_off_rad = shortest_turn_rad(self.believed_heading(now), shown.heading_rad);
    }

    fn believed_position(&self, now: SimTime) -> DVec3 {
        let (t_s, _) = self.model_time(now);
        if !self.config.hedged {
            return self.promised_position(t_s);
        }
        let mut mean = DVec3::ZERO;
        for ((t_s, _), weight) in warped(t_s).into_iter().zip(self.hedge.weights()) {
            mean += self.promised_position(t_s) * *weight;
        }
        if mean.is_finite() { mean } else { self.promised_position(0.0) }
    }

    /// What the model makes of the update after so long.
    #[inline]
    fn promised_position(&self, t_s: f64) -> DVec3 {
        if self.on_rails {
            return self.believed_along(t_s);
        }
        self.update.model().position_after(self.update.kinematics(), t_s)
    }

    fn believed_velocity(&self, now: SimTime) -> DVec3 {
        let (t_s, rate) = self.model_time(now);
        if !self.config.hedged {
            return self.promised_velocity(t_s) * rate;
        }
        let mut mean = DVec3::ZERO;
        for ((t_s, slowed), weight) in warped(t_s).into_iter().zip(self.hedge.weights()) {
            mean += self.promised_velocity(t_s) * (slowed * rate * *weight);
        }
        if mean.is_finite() { mean } else { DVec3::ZERO }
    }

    #[inline]
    fn promised_velocity(&self, t_s: f64) -> DVec3 {
        if self.on_rails {
            return self.rate_along();
        }
        self.update.model().velocity_after(self.update.kinematics(), t_s)
    }

    fn believed_orientation(&self, now: SimTime) -> DQuat {
        let (t_s, _) = self.model_time(now);
        self.update.model().orientation_after(self.update.kinematics(), t_s)
    }

    /// How far into the model `now` is, and how fast that passes: in step at first, then
    /// ever slower, so that a silent body comes to rest instead of running away.
    #[inline]
    fn model_time(&self, now: SimTime) -> (f64, f64) {
        let t_s = now.secs_since(self.update.at()) - self.shift_s;
        let half_s = self.half_extrapolation_s;
        if t_s <= half_s {
            return (t_s, 1.0);
        }
        let slowing_s = (t_s - half_s).min(2.0 * half_s);
        let rate = 1.0 - slowing_s / (2.0 * half_s);
        (half_s + slowing_s * (0.5 + 0.5 * rate), rate)
    }
}
