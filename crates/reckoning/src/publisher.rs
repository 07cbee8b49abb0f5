//! The owner's side of dead reckoning: decide when listeners need an update.
//!
//! A [`Publisher`] remembers the last state it exported and, on every tick, runs the very
//! model its listeners run. While that guess stays inside the [`Threshold`] it sends
//! nothing; silence is the normal case and costs no bytes. Take one per body that you own.
//!
//! ```
//! use reckoning::{DVec3, Kinematics, Publisher, PublisherConfig, SimTime};
//!
//! let ms = SimTime::from_millis;
//! let start = Kinematics::moving(ms(0), DVec3::ZERO, DVec3::X * 5.0);
//! let (mut publisher, first) = Publisher::start(PublisherConfig::default(), &start)?;
//! let on_course = Kinematics::moving(ms(100), DVec3::X * 0.5, DVec3::X * 5.0);
//! assert_eq!(publisher.observe(&on_course), None); // listeners guess right
//! let swerved = Kinematics::moving(ms(200), DVec3::new(0.9, 0.4, 0.0), DVec3::Y * 5.0);
//! assert!(publisher.observe(&swerved).is_some()); // 0.41 m off: send it
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! ```text
//! truth   o---o---o---o
//!                       \o---o
//! guess   *---+---+---+---+  too far: export here, and the guess restarts at the truth
//! ```
//!
//! The rest of the engine relies on these properties:
//! - an update carries the truth of the tick that tripped it, rounded by the
//!   [`Quantiser`], never a guess; only a planner that aims puts it a little aside, within the
//!   threshold (see [`aim`](crate::aim));
//! - the guess is made from the rounded update, exactly what listeners have;
//! - every update says how often the body has teleported, so a lost teleport is seen with the
//!   next update that arrives;
//! - the choice depends only on the truths observed so far and the seed, so replaying them
//!   yields the same updates, bit for bit.
//!
//! What listeners show while an update is in flight is not decided here: see
//! [`Ghost`](crate::Ghost). The scheme follows IEEE 1278.1 (DIS) and MURPHY.

use core::time::Duration;

use glam::DVec3;

use crate::clearance::kept_clear;
use crate::error::{PublisherError, SettingError};
use crate::export::{Deviation, Due, ExportReason, ExportRule, Sight};
use crate::random::SplitMix64;
use crate::sampler::damp_acceleration;
use crate::time::span_of;
use crate::{
    AngleThreshold, ConfigError, Kinematics, Model, Planner, Quantiser, SimTime, Terrain,
    Threshold, Update, UpdateKind,
};

/// In the last tenth of its interval a full update rides on any export that is due anyway.
const FOLD_SHARE: u32 = 10;
/// Bodies are foreseen this often where errors are judged ahead: a forecast may cost a thousand
/// silent ticks, and people do not change their minds more often.
pub(crate) const FORECAST_INTERVAL: Duration = Duration::from_millis(50);

/// Settings for a [`Publisher`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct PublisherConfig {
    /// Sends an update once the listeners' guess is this far off. Default:
    /// [`Threshold::QUARTER_METRE`], 0.25 m. Above what rounding by the `quantiser` alone is off
    /// by.
    pub threshold: Threshold,
    /// Sends an update once the listeners' guess is turned this far; `None` leaves orientation
    /// alone. Default: 5 degrees. Above what rounding by the `quantiser` alone turns it.
    pub angle_threshold: Option<AngleThreshold>,
    /// Sends an update at least this often, so that a lost update heals. Default: 500 ms. Above
    /// zero and, shortened by `heartbeat_spread`, at least `min_interval`.
    pub heartbeat: Duration,
    /// Sends the full state at least this often, folded into an update that is due anyway in the
    /// last tenth of the interval. Default: 10 s. Zero makes every update full.
    pub full_interval: Duration,
    /// Shortens or lengthens each heartbeat and full interval at random by up to this share, so
    /// that bodies spawned together do not send together. Default: 0. From 0 to 0.5.
    pub heartbeat_spread: f64,
    /// Seeds that randomness; give each body its own. Default: 0. Any value.
    pub seed: u64,
    /// Never sends more often than this, except for stops and teleports. Default: zero, no limit.
    /// At most the `heartbeat`.
    pub min_interval: Duration,
    /// Never sends for the sake of orientation more often than this; `min_interval` holds as well.
    /// Default: zero, no limit. Any span.
    pub angle_min_interval: Duration,
    /// The motion model shared with the listeners. Default: [`Model::Linear`]. Its numbers must be
    /// finite.
    pub model: Model,
    /// Rounding of what is sent, as the wire will round it. Default: [`Quantiser::EXACT`]. What it
    /// rounds must stay below both thresholds.
    pub quantiser: Quantiser,
    /// Sends an update at once, whatever the threshold and the interval are, when the body has come
    /// to rest while listeners still see it move: what overshoots least looks best. Default:
    /// `true`.
    pub export_stops: bool,
    /// Repeats a stop once after this long, because a lost one shows as sliding on until the next
    /// heartbeat. Default: 100 ms. Zero does not repeat.
    pub stop_repeat: Duration,
    /// Sends less acceleration the less it agrees with the one sent last. Default: `false`.
    pub damp_acceleration: bool,
    /// How far ahead [`Publisher::observe_on`] looks for the ground and for walls. Default: 500 ms.
    /// Zero does not look.
    pub lookahead: Duration,
    /// Judges positions this far ahead: sends an update once the path that is foreseen, by the
    /// planner or else by the model, and what listeners will guess then differ by the threshold,
    /// instead of when they differ already. Somewhat more than an update is under way is right, 200 ms
    /// for most; [`AimConfig::judge_ahead`](crate::AimConfig::judge_ahead) says what goes with aimed
    /// lines. The error of now may then be up to twice the threshold. Default: `None`, errors of now.
    /// Above zero.
    pub judge_ahead: Option<Duration>,
}

impl Default for PublisherConfig {
    /// A person or a car in a 60 Hz game measured in metres.
    fn default() -> Self {
        Self {
            threshold: Threshold::QUARTER_METRE,
            angle_threshold: AngleThreshold::degrees(5.0).ok(),
            heartbeat: Duration::from_millis(500),
            full_interval: Duration::from_secs(10),
            heartbeat_spread: 0.0,
            seed: 0,
            min_interval: Duration::ZERO,
            angle_min_interval: Duration::ZERO,
            model: Model::Linear,
            quantiser: Quantiser::EXACT,
            export_stops: true,
            stop_repeat: Duration::from_millis(100),
            damp_acceleration: false,
            lookahead: Duration::from_millis(500),
            judge_ahead: None,
        }
    }
}

impl PublisherConfig {
    /// The custom of DIS exercises: one metre per axis, three degrees, five seconds with a
    /// tenth of spread, every update full.
    #[must_use]
    pub fn dis(model: Model) -> Self {
        Self {
            threshold: Threshold::METRE_PER_AXIS,
            angle_threshold: AngleThreshold::degrees(3.0).ok(),
            heartbeat: Duration::from_secs(5),
            full_interval: Duration::ZERO,
            heartbeat_spread: 0.1,
            model,
            export_stops: false,
            ..Self::default()
        }
    }

    /// When listeners need an update, by these settings.
    #[must_use]
    pub const fn rule(&self) -> ExportRule {
        ExportRule {
            threshold: self.threshold,
            angle_threshold: self.angle_threshold,
            min_interval: self.min_interval,
            angle_min_interval: self.angle_min_interval,
            export_stops: self.export_stops,
        }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        if !(0.0..=0.5).contains(&self.heartbeat_spread) {
            return Err(PublisherError::SpreadOutOfRange { got: self.heartbeat_spread }.into());
        }
        let min_interval = self.min_interval;
        let heartbeat = span_of(self.heartbeat.as_secs_f64() * (1.0 - self.heartbeat_spread));
        if heartbeat.is_zero() || heartbeat < min_interval {
            return Err(PublisherError::HeartbeatTooShort { heartbeat, min_interval }.into());
        }
        if self.judge_ahead.is_some_and(|ahead| ahead.is_zero()) {
            return Err(SettingError::SpanZero { name: "judge_ahead" }.into());
        }
        self.quantiser.validate()?;
        self.model.validate()?;
        self.check_rounding()
    }

    /// Right after an export the guess is off by the rounding alone; that must not trip it.
    fn check_rounding(&self) -> Result<(), ConfigError> {
        let position = (self.quantiser.worst_position_m(), self.threshold.max_error_m());
        let angle = self
            .angle_threshold
            .map_or((0.0, 1.0), |t| (self.quantiser.worst_orientation_rad(), t.max_error_rad()));
        for (rounding, threshold) in [position, angle] {
            // A hundredth of room, since a threshold is reached a little below its number.
            if rounding * 1.01 > threshold {
                return Err(PublisherError::QuantisationTooCoarse { rounding, threshold }.into());
            }
        }
        Ok(())
    }
}

/// Counters of a [`Publisher`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublisherStats {
    /// Truths observed, refused ones included.
    pub observed: u64,
    /// Updates exported, the first one included.
    pub exported: u64,
    /// Of those, full ones and teleports.
    pub full: u64,
    /// Truths refused because they were not finite or not later than the last export.
    pub refused: u64,
}

/// Decides for one body when its listeners need an [`Update`].
#[derive(Clone, Debug)]
pub struct Publisher {
    config: PublisherConfig,
    last: Update,
    /// Acceleration at the last export, before damping.
    last_acceleration: DVec3,
    heartbeat_at: SimTime,
    /// From here on a full update rides on any export.
    fold_at: SimTime,
    full_at: SimTime,
    random: SplitMix64,
    /// What was exported last was lost.
    lost: bool,
    /// When the next forecast is due, and whether the last one said anything.
    forecast_at: SimTime,
    foreseen: bool,
    stats: PublisherStats,
}

impl Publisher {
    /// Starts publishing a body; the first update is full and goes to everyone.
    ///
    /// # Errors
    /// Refuses settings that contradict each other and a first truth that is not finite.
    pub fn start(
        config: PublisherConfig,
        truth: &Kinematics,
    ) -> Result<(Self, Update), ConfigError> {
        Self::start_again(config, truth, 0)
    }

    /// As [`start`](Self::start), for a body that was published before, by this end or another:
    /// its [`teleports`](Update::teleports) go on from the last update's, so that whoever shows it
    /// sees it move from there. A body that is somewhere else meanwhile counts one more.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_again(
        config: PublisherConfig,
        truth: &Kinematics,
        teleports: u32,
    ) -> Result<(Self, Update), ConfigError> {
        config.validate()?;
        truth.validate()?;
        let first =
            Update::from_checked(*truth, config.model, UpdateKind::Full).with_teleports(teleports);
        let mut publisher = Self {
            last: first,
            last_acceleration: DVec3::ZERO,
            heartbeat_at: truth.at,
            fold_at: truth.at,
            full_at: truth.at,
            random: SplitMix64::new(config.seed),
            lost: false,
            forecast_at: truth.at,
            foreseen: false,
            config,
            stats: PublisherStats::default(),
        };
        let model = publisher.config.model.fitted(truth);
        let update = publisher.send(truth, *truth, model, UpdateKind::Full);
        Ok((publisher, update))
    }

    /// Takes the truth of this tick; gives an update when listeners need one.
    ///
    /// A truth that is not finite, or not later than the last export, is refused and
    /// counted.
    pub fn observe(&mut self, truth: &Kinematics) -> Option<Update> {
        let reason = self.due_by_model(truth)?;
        let seen = self.carried_on(truth, reason);
        let model = self.config.model.fitted(&seen);
        Some(self.export_as(truth, seen, model, reason))
    }

    /// As [`observe`](Self::observe), but what is published does not lead into the ground or
    /// a wall of `terrain` within [`PublisherConfig::lookahead`].
    pub fn observe_on(
        &mut self,
        truth: &Kinematics,
        terrain: &(impl Terrain + ?Sized),
    ) -> Option<Update> {
        let reason = self.due_by_model(truth)?;
        let seen = self.carried_on(truth, reason);
        let kept = kept_clear(&seen, self.config.model, terrain, self.config.lookahead);
        let model = self.config.model.fitted(&kept);
        Some(self.export_as(truth, kept, model, reason))
    }

    /// As [`observe`](Self::observe), but with the model that `planner` chooses for each
    /// update from what is `around` the body.
    pub fn observe_planned<S: ?Sized>(
        &mut self,
        truth: &Kinematics,
        planner: &mut impl Planner<S>,
        around: &S,
    ) -> Option<Update> {
        planner.observe(truth, around);
        let reason = self.due_ahead(truth, |truth| planner.forecast(truth, around))?;
        let (seen, model) = planner.plan_state(truth, around, reason);
        Some(self.export_state(truth, &seen, model, reason))
    }

    /// Why an update is due for this truth, if one is: the first half of
    /// [`observe`](Self::observe), for callers that choose a model of their own before they
    /// [`export`](Self::export).
    #[inline]
    pub fn due(&mut self, truth: &Kinematics) -> Option<ExportReason> {
        if !self.takes(truth) {
            return None;
        }
        let rule = self.config.rule();
        self.reason(&rule, truth, self.deviation(&rule, truth))
    }

    /// As [`due`](Self::due), but where [`PublisherConfig::judge_ahead`] is set the position is
    /// judged that far ahead: what `forecast` says of this truth beside what listeners will guess
    /// then. It is asked twenty times a second at most; where it does not know, the error of now is
    /// judged.
    pub fn due_ahead(
        &mut self,
        truth: &Kinematics,
        forecast: impl FnOnce(&Kinematics) -> Option<Model>,
    ) -> Option<ExportReason> {
        let Some(ahead) = self.config.judge_ahead else { return self.due(truth) };
        if !self.takes(truth) {
            return None;
        }
        let rule = self.config.rule();
        let mut deviation = self.deviation(&rule, truth);
        let mut foreseen = None;
        if truth.at >= self.forecast_at {
            self.forecast_at = truth.at + FORECAST_INTERVAL;
            foreseen = forecast(truth);
            self.foreseen = foreseen.is_some();
        }
        if self.foreseen {
            let then = truth.at + ahead;
            let now = truth.position - self.last.position_at(truth.at);
            let then = foreseen.map(|it| it.position_at(truth, then) - self.last.position_at(then));
            deviation.position = rule.is_crossed_ahead(now, then);
        }
        self.reason(&rule, truth, deviation)
    }

    /// As [`due_ahead`](Self::due_ahead), foreseen by the model of the settings.
    #[inline]
    fn due_by_model(&mut self, truth: &Kinematics) -> Option<ExportReason> {
        if self.config.judge_ahead.is_none() {
            return self.due(truth);
        }
        self.due_ahead_by_model(truth)
    }

    #[inline(never)]
    fn due_ahead_by_model(&mut self, truth: &Kinematics) -> Option<ExportReason> {
        let model = self.config.model;
        self.due_ahead(truth, |truth| Some(model.fitted(truth)))
    }

    /// Counts a truth; whether it is usable and new.
    #[inline]
    fn takes(&mut self, truth: &Kinematics) -> bool {
        self.stats.observed += 1;
        if truth.at <= self.last.at() || truth.validate().is_err() {
            self.stats.refused += 1;
            return false;
        }
        true
    }

    /// Exports a truth that [`due`](Self::due) asked for, with the model the listeners
    /// shall run from here on.
    ///
    /// # Panics
    /// In debug builds, when the truth or the model is not finite: `due` never asks for
    /// such a truth.
    pub fn export(&mut self, truth: &Kinematics, model: Model, reason: ExportReason) -> Update {
        debug_assert!(truth.validate().is_ok() && model.validate().is_ok());
        self.export_as(truth, self.carried_on(truth, reason), model, reason)
    }

    /// As [`export`](Self::export), of what listeners shall have in place of the truth's position
    /// and velocity: what [`Planner::plan_state`] says.
    ///
    /// # Panics
    /// As [`export`](Self::export).
    pub fn export_state(
        &mut self,
        truth: &Kinematics,
        seen: &Kinematics,
        model: Model,
        reason: ExportReason,
    ) -> Update {
        debug_assert!(seen.validate().is_ok() && model.validate().is_ok());
        let (position, velocity) = (seen.position, seen.velocity);
        let seen = Kinematics { position, velocity, ..self.carried_on(truth, reason) };
        self.export_as(truth, seen, model, reason)
    }

    /// Exports `seen`, which is what listeners shall carry on of `truth`.
    fn export_as(
        &mut self,
        truth: &Kinematics,
        seen: Kinematics,
        model: Model,
        reason: ExportReason,
    ) -> Update {
        let kind = match reason {
            ExportReason::Teleport => UpdateKind::Teleport,
            _ if truth.at >= self.fold_at => UpdateKind::Full,
            _ => UpdateKind::Partial,
        };
        let update = self.send(truth, seen, model, kind);
        if reason == ExportReason::Stop && !self.config.stop_repeat.is_zero() {
            self.heartbeat_at = self.heartbeat_at.min(truth.at + self.config.stop_repeat);
        }
        update
    }

    /// Exports a body that is somewhere else now without having moved there, so that
    /// listeners show it there at once. `None` when the truth is refused.
    pub fn teleport(&mut self, truth: &Kinematics) -> Option<Update> {
        if truth.at <= self.last.at() || truth.validate().is_err() {
            self.stats.refused += 1;
            return None;
        }
        let model = self.config.model.fitted(truth);
        Some(self.export(truth, model, ExportReason::Teleport))
    }

    /// Takes what was really sent of the last export, where a wire rounds by rules of its own and
    /// not by [`PublisherConfig::quantiser`]: listeners have this, so the guess is made from it.
    ///
    /// Whoever uses `reckoning-net` need not call this: there the session does.
    pub const fn handle_sent(&mut self, sent: Update) {
        self.last = sent;
    }

    /// Brings the next heartbeat forward to this share of its span, 0 to 1: given shares of their own,
    /// bodies that began together do not fall due together. Later ones keep their distance.
    pub fn shorten_heartbeat(&mut self, share: f64) {
        let span = self.heartbeat_at.saturating_since(self.last.at());
        let span = span_of(span.as_secs_f64() * share.clamp(0.0, 1.0));
        self.heartbeat_at = self.last.at() + span.max(self.config.min_interval);
    }

    /// Takes notice that the update about the moment `at` was lost on its way, as missing
    /// acknowledgements tell. Unless a newer one was exported since, the next observation is
    /// exported again ([`ExportReason::Requested`]), so that listeners need not wait for the
    /// heartbeat; `min_interval` holds.
    ///
    /// Whoever uses `reckoning-net` need not call this: there the host repairs losses.
    pub fn handle_lost(&mut self, at: SimTime) {
        self.lost |= self.last.at() == at;
    }

    /// Changes the threshold from the next tick on: tighter near a corner, wider in the
    /// open. It never goes below what rounding alone is off by.
    pub fn set_threshold(&mut self, threshold: Threshold) {
        self.config.threshold = threshold.at_least(self.config.quantiser.worst_position_m());
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &PublisherConfig {
        &self.config
    }

    /// What was exported last: what listeners guess from.
    #[must_use]
    pub const fn last_update(&self) -> &Update {
        &self.last
    }

    /// Counters for a status page.
    #[must_use]
    pub const fn stats(&self) -> &PublisherStats {
        &self.stats
    }

    /// Why listeners need this truth, if they do: the rule of [`export`](crate::export).
    #[inline]
    fn reason(
        &self,
        rule: &ExportRule,
        truth: &Kinematics,
        deviation: Deviation,
    ) -> Option<ExportReason> {
        let due = Due {
            requested: self.lost,
            full: truth.at >= self.full_at && !self.config.full_interval.is_zero(),
            heartbeat: truth.at >= self.heartbeat_at,
        };
        rule.reason(deviation, truth.at.saturating_since(self.last.at()), due)
    }

    #[inline]
    fn deviation(&self, rule: &ExportRule, truth: &Kinematics) -> Deviation {
        let mut deviation = rule.deviation(&Sight::from(truth), &self.last);
        // What began at rest did not come to rest.
        deviation.misses_stop &= self.last.kinematics().velocity != DVec3::ZERO;
        deviation
    }

    /// The truth as listeners shall carry it on: what brought a body to rest must not carry
    /// the guess backwards from there, and a zigzag must not fling it about.
    fn carried_on(&self, truth: &Kinematics, reason: ExportReason) -> Kinematics {
        let acceleration = if reason == ExportReason::Stop {
            DVec3::ZERO
        } else if self.config.damp_acceleration {
            damp_acceleration(truth.acceleration, self.last_acceleration)
        } else {
            truth.acceleration
        };
        Kinematics { acceleration, ..*truth }
    }

    fn send(
        &mut self,
        truth: &Kinematics,
        seen: Kinematics,
        model: Model,
        kind: UpdateKind,
    ) -> Update {
        let quantiser = self.config.quantiser;
        let teleports = self.last.teleports().wrapping_add(u32::from(kind == UpdateKind::Teleport));
        let update =
            Update::from_checked(quantiser.kinematics(&seen), quantiser.model(model), kind)
                .with_teleports(teleports);
        self.last = update;
        self.lost = false;
        self.last_acceleration = truth.acceleration;
        self.heartbeat_at = truth.at + self.spread(self.config.heartbeat);
        self.stats.exported += 1;
        if kind != UpdateKind::Partial {
            let span = self.spread(self.config.full_interval);
            let fold = self.config.full_interval / FOLD_SHARE;
            (self.fold_at, self.full_at) = (truth.at + span.saturating_sub(fold), truth.at + span);
            self.stats.full += 1;
        }
        if kind == UpdateKind::Teleport {
            (self.forecast_at, self.foreseen) = (truth.at, false);
        }
        update
    }

    /// The span, longer or shorter by a random part of the configured share.
    fn spread(&mut self, span: Duration) -> Duration {
        if self.config.heartbeat_spread == 0.0 {
            return span;
        }
        let roll = 2.0 * self.random.unit() - 1.0;
        span_of(span.as_secs_f64() * (1.0 + self.config.heartbeat_spread * roll))
    }
}
