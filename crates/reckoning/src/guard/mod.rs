//! Validation of client-owned motion: could an honest client have sent this update?
//!
//! Take a [`Guard`] per entity on a host whose clients own their bodies. It holds what it
//! accepted of one entity and judges every further update against what bodies of the game can
//! do, the [`Envelope`]: how far they get in how long, how they speed up and turn, that they do
//! not pass walls, that time does not run faster for them than for others.
//!
//! ```text
//!                 .- - - - .   reach after 0.1, 0.2 ... 3.2 s
//!      accepted  o---o---o  |
//!                 '- - - -o'   inside: accepted;  far outside: corrected;
//!                               a little outside: remembered, until it adds up
//! ```
//!
//! One odd update is no proof: networks delay, lose and bunch updates and games have
//! explosions. Small offences raise a suspicion that leaks away; verdicts rise with it.
//! Distances are judged by the timestamps that updates carry, so jitter cannot make an honest
//! body look fast, and timestamps are judged against the host's clock, so a client cannot make
//! itself slow by claiming time that has not passed.
//!
//! Carrying out a verdict is the host's task; a corrected client is expected to go on from
//! where it was put, and updates already in flight then are dropped without penalty.

mod accepted_positions;
mod envelope;
mod suspicion;
mod verdict;

use core::time::Duration;

use glam::DVec3;

use crate::error::{ConfigError, SettingError};
use crate::math::angle_between;
use crate::token_bucket::TokenBucket;
use crate::{Kinematics, SimTime, Terrain, Update, UpdateKind};
use accepted_positions::AcceptedPositions;
use envelope::{Ways, within};
use suspicion::{Pace, Suspicion};

pub use envelope::{ENVELOPE_SPANS_S, Envelope};
pub use verdict::{GuardStats, Offence, Verdict};

/// Settings for a [`Guard`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GuardConfig {
    /// What bodies of the game can do. Default: [`Envelope::of_speed`] with 10 m/s and 50 m/s^2. No
    /// limit negative.
    pub envelope: Envelope,
    /// Distances may be exceeded by this much: the publisher's threshold and rounding. Default: 0.5
    /// m. Finite, not negative.
    pub tolerance_m: f64,
    /// Distances exceeded by more than this share, and the tolerance, are corrected at once; by
    /// less, once it adds up. Default: 0.1. Not negative; zero corrects every excess.
    pub gross: f64,
    /// Timestamps may lie this far in the host's future: how wrong a client's clock may be.
    /// Default: 100 ms. Any span.
    pub max_lead: Duration,
    /// Updates older than this are rejected. Default: 2 s. Any span.
    pub max_age: Duration,
    /// Updates a second that are judged at all, in the long run. Default: 70. Finite, at least 0.1.
    pub updates_per_s: f64,
    /// Updates that may arrive at once, after a hiccup of the network. Default: 140. Finite, at
    /// least 1.
    pub burst: f64,
    /// A silence longer than this that ends with a burst of held-back updates is suspicious when it
    /// happens again and again. Default: 600 ms. Any span.
    pub max_silence: Duration,
    /// How long a client may take to obey a correction. Default: 1 s. Any span.
    pub obey_within: Duration,
    /// Suspicion at which a client is corrected. Default: 1. Not negative.
    pub correct_at: f64,
    /// Suspicion at which it is disconnected. Default: 20. At least `correct_at`; infinity never
    /// does.
    pub disconnect_at: f64,
    /// Suspicion that leaks away per second. Default: 0.25. Finite, not negative.
    pub leak_per_s: f64,
}

impl Default for GuardConfig {
    /// A person who runs at most 10 m/s, in a game measured in metres.
    fn default() -> Self {
        Self::new(Envelope::of_speed(10.0, 50.0), 0.5)
    }
}

impl GuardConfig {
    /// Settings for bodies of this envelope whose publisher lets them stray `tolerance_m`.
    #[must_use]
    pub fn new(envelope: Envelope, tolerance_m: f64) -> Self {
        Self {
            envelope,
            tolerance_m,
            gross: 0.1,
            max_lead: Duration::from_millis(100),
            max_age: Duration::from_secs(2),
            updates_per_s: 70.0,
            burst: 140.0,
            max_silence: Duration::from_millis(600),
            obey_within: Duration::from_secs(1),
            correct_at: 1.0,
            disconnect_at: 20.0,
            leak_per_s: 0.25,
        }
    }

    fn validate(&self) -> Result<(), SettingError> {
        self.envelope.validate()?;
        let far = f64::INFINITY;
        SettingError::in_range("tolerance_m", self.tolerance_m, 0.0, f64::MAX)?;
        SettingError::in_range("gross", self.gross, 0.0, far)?;
        SettingError::in_range("updates_per_s", self.updates_per_s, 0.1, f64::MAX)?;
        SettingError::in_range("burst", self.burst, 1.0, f64::MAX)?;
        SettingError::in_range("leak_per_s", self.leak_per_s, 0.0, f64::MAX)?;
        SettingError::in_range("correct_at", self.correct_at, 0.0, far)?;
        SettingError::in_range("disconnect_at", self.disconnect_at, self.correct_at, far)?;
        Ok(())
    }
}

/// Judges the updates of one entity that a client owns.
///
/// ```
/// use reckoning::{DVec3, Guard, Kinematics, Model, SimTime, Update, UpdateKind};
/// use reckoning::guard::{GuardConfig, Verdict};
/// let at = |ms, x| {
///     let seen = Kinematics::at_rest(SimTime::from_millis(ms), DVec3::X * x);
///     Update::new(seen, Model::Hold, UpdateKind::Partial)
/// };
///
/// let start = Kinematics::at_rest(SimTime::ZERO, DVec3::ZERO);
/// let mut guard = Guard::start(GuardConfig::default(), &start)?; // at most 10 m/s
/// let now = SimTime::from_millis;
/// assert_eq!(guard.judge(&at(500, 4.0)?, None, now(550)), Verdict::Accept);
/// assert!(matches!(guard.judge(&at(600, 90.0)?, None, now(650)), Verdict::Correct(_)));
/// # Ok::<(), reckoning::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Guard {
    config: GuardConfig,
    last: Kinematics,
    /// What the last accepted update promised, for the way round corners.
    promised: Option<Update>,
    history: AcceptedPositions,
    pace: Pace,
    /// A burst of updates that were kept back is coming in.
    kept_back: bool,
    suspicion: Suspicion,
    updates: TokenBucket,
    /// Until then a teleport is allowed.
    granted: Option<SimTime>,
    /// Until then a corrected client may not have received the correction.
    obeys_by: Option<SimTime>,
    offence: Option<Offence>,
    stats: GuardStats,
}

impl Guard {
    /// Begins to guard an entity that the host put at `start`.
    ///
    /// # Errors
    /// Refuses limits that are negative or NaN and a start that is not finite.
    pub fn start(config: GuardConfig, start: &Kinematics) -> Result<Self, ConfigError> {
        config.validate()?;
        start.validate()?;
        Ok(Self {
            config,
            last: *start,
            promised: None,
            history: AcceptedPositions::from(start),
            pace: Pace::default(),
            kept_back: false,
            suspicion: Suspicion::none(start.at),
            updates: TokenBucket::new(start.at, config.updates_per_s, config.burst),
            granted: None,
            obeys_by: None,
            offence: None,
            stats: GuardStats::default(),
        })
    }

    /// Judges an update that arrived `now`.
    ///
    /// Accepted updates become what the next is judged against; all others leave that as it
    /// is, but for a correction, from which the client is expected to go on.
    pub fn judge(&mut self, update: &Update, walls: Option<&dyn Terrain>, now: SimTime) -> Verdict {
        self.stats.judged += 1;
        self.offence = None;
        if !self.updates.try_take(now, 1.0) {
            return self.reject(Offence::Spam, 0.1, now);
        }
        if let Some(weight) = self.pace.arrived(update.at(), now, self.config.max_silence) {
            self.suspicion.add(weight, now, self.config.leak_per_s);
            self.kept_back = true;
        }
        if let Some((offence, weight)) = self.stamp_offence(update, now) {
            return self.reject(offence, weight, now);
        }
        if update.kind() == UpdateKind::Teleport && self.take_grant(now) {
            self.go_on_from(update.kinematics());
            return self.accept(update, now);
        }
        if update.kind() == UpdateKind::Teleport {
            return self.put_back(Offence::Teleport, 2.0, update, now);
        }
        match self.motion_offence(update.kinematics(), walls) {
            None => self.accept(update, now),
            Some((offence, weight)) => self.weigh(offence, weight, update, now),
        }
    }

    /// Allows one teleport, to be used within `within` from `now`: a gate, a respawn.
    pub fn grant_teleport(&mut self, now: SimTime, within: Duration) {
        self.granted = Some(now + within);
    }

    /// The host itself put the body there; nothing that was under way is held against the
    /// client.
    pub fn put(&mut self, at: &Kinematics, now: SimTime) {
        if at.validate().is_ok() {
            self.go_on_from(at);
            self.obeys_by = Some(now + self.config.obey_within);
        }
    }

    /// The last state that was accepted, or where the body was put.
    #[must_use]
    pub const fn last(&self) -> &Kinematics {
        &self.last
    }

    /// The offence of the last judged update; accepted ones may have a small one.
    #[must_use]
    pub const fn offence(&self) -> Option<Offence> {
        self.offence
    }

    /// How suspicious the client is at `now`.
    #[must_use]
    pub fn suspicion(&self, now: SimTime) -> f64 {
        self.suspicion.at(now, self.config.leak_per_s)
    }

    /// Counters for a status page.
    #[must_use]
    pub const fn stats(&self) -> &GuardStats {
        &self.stats
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &GuardConfig {
        &self.config
    }

    fn take_grant(&mut self, now: SimTime) -> bool {
        let granted = self.granted.is_some_and(|until| now <= until);
        self.granted = None;
        granted
    }

    /// What is wrong with the timestamp, and how bad that is.
    fn stamp_offence(&self, update: &Update, now: SimTime) -> Option<(Offence, f64)> {
        let at = update.at();
        if at <= self.last.at {
            return Some((Offence::NotNewer, 0.0));
        }
        if at > now + self.config.max_lead {
            let crept = self.pace.crept_ahead();
            return Some((if crept { Offence::FastClock } else { Offence::Future }, 0.25));
        }
        if at + self.config.max_age < now {
            return Some((Offence::TooOld, 0.0));
        }
        None
    }

    /// The worst thing about a motion, and how bad it is: 1 and more is corrected at once.
    fn motion_offence(
        &self,
        new: &Kinematics,
        walls: Option<&dyn Terrain>,
    ) -> Option<(Offence, f64)> {
        if walls.is_some_and(|walls| self.passes_wall(new, walls)) {
            return Some((Offence::Wall, 1.0));
        }
        let worst = [
            (Offence::Distance, self.distance_excess(new)),
            (Offence::Speed, self.speed_excess(new)),
            (Offence::Acceleration, self.acceleration_excess(new)),
            (Offence::Turn, self.turn_excess(new)),
        ]
        .into_iter()
        .reduce(|worst, next| if next.1 > worst.1 { next } else { worst });
        worst.filter(|(_, excess)| *excess > 0.0).map(|(offence, excess)| {
            let weight = if self.config.gross > 0.0 { excess / self.config.gross } else { 1.0 };
            (offence, weight)
        })
    }

    /// By which share it got further than a body can.
    fn distance_excess(&self, new: &Kinematics) -> f64 {
        let envelope = &self.config.envelope;
        let ways = Ways::of((new.at, new.position), self.history.newest_first());
        let over = |far_m: f64, limit_m: f64| {
            let limit_m = limit_m + self.config.tolerance_m;
            if far_m > limit_m { (far_m - limit_m) / limit_m.max(f64::MIN_POSITIVE) } else { 0.0 }
        };
        let mut worst: f64 = 0.0;
        for place in 0..ways.whole {
            worst = worst.max(over(ways.reach_m[place], envelope.reach_m[place]));
            worst = worst.max(over(ways.travel_m[place], envelope.travel_m[place]));
        }
        let (span_s, reach_m, travel_m) = ways.rest;
        if ways.whole < ENVELOPE_SPANS_S.len() && span_s > 0.0 {
            worst = worst.max(over(reach_m, within(&envelope.reach_m, span_s)));
            worst = worst.max(over(travel_m, within(&envelope.travel_m, span_s)));
        }
        worst.min(f64::MAX)
    }

    fn speed_excess(&self, new: &Kinematics) -> f64 {
        excess(new.velocity.length(), self.config.envelope.speed_mps)
    }

    fn acceleration_excess(&self, new: &Kinematics) -> f64 {
        let envelope = &self.config.envelope;
        let run_s = new.at.secs_since(self.last.at);
        let change_mps = (new.velocity - self.last.velocity).length();
        let allowed_mps = envelope.kick_mps + envelope.acceleration_mps2 * run_s;
        excess(change_mps, allowed_mps)
            .max(excess(new.acceleration.length(), envelope.acceleration_mps2))
    }

    fn turn_excess(&self, new: &Kinematics) -> f64 {
        let limit_radps = self.config.envelope.turn_radps;
        if limit_radps == f64::INFINITY {
            return 0.0;
        }
        let turned_rad = angle_between(self.last.orientation, new.orientation);
        let run_s = new.at.secs_since(self.last.at);
        // A tenth of a second of grace: orientations are rounded and have thresholds too.
        excess(turned_rad, limit_radps * (run_s + 0.1))
            .max(excess(new.angular_velocity.length(), limit_radps))
    }

    /// Whether no way near the straight one is free. Updates are few, so a straight line
    /// between two of them may cut a corner that the body went round.
    fn passes_wall(&self, new: &Kinematics, walls: &dyn Terrain) -> bool {
        let (from, to) = (self.last.position, new.position);
        let sees = |from, to| walls.first_hit(from, to).is_none();
        if sees(from, to) {
            return false;
        }
        let free = |via| sees(from, via) && sees(via, to);
        if self.promised.is_some_and(|update| free(update.position_at(new.at))) {
            return false;
        }
        let aside = (to - from).cross(DVec3::Z).normalize_or_zero() * self.config.tolerance_m;
        // Over it as well: bodies jump, and climb steps.
        let up = DVec3::Z * self.config.tolerance_m;
        let detours = [up, aside, -aside, aside * 0.5, aside * -0.5, aside + up, up - aside];
        let round = |share: f64| detours.iter().any(|way| free(from.lerp(to, share) + *way));
        ![0.5, 0.25, 0.75, 1.0, 0.0].into_iter().any(round)
    }

    fn accept(&mut self, update: &Update, now: SimTime) -> Verdict {
        if core::mem::take(&mut self.kept_back) {
            if self.suspicion(now) >= self.config.correct_at {
                return self.put_back(Offence::LagSwitch, 0.0, update, now);
            }
            self.note(Offence::LagSwitch);
        }
        self.pace.accepted(update.at(), now);
        self.obeys_by = None;
        self.last = *update.kinematics();
        self.promised = Some(*update);
        self.history.push(&self.last);
        self.stats.accepted += 1;
        Verdict::Accept
    }

    /// A motion beyond the envelope: corrected if it is gross or adds up.
    fn weigh(&mut self, offence: Offence, weight: f64, update: &Update, now: SimTime) -> Verdict {
        if self.obeys_by.is_some_and(|by| now <= by) {
            // Sent before the correction arrived.
            return self.reject(Offence::Disobeyed, 0.0, now);
        }
        if weight >= 1.0 {
            return self.put_back(offence, weight.min(2.0), update, now);
        }
        self.suspicion.add(weight, now, self.config.leak_per_s);
        if self.suspicion(now) >= self.config.correct_at {
            return self.put_back(offence, 0.0, update, now);
        }
        self.note(offence);
        self.accept(update, now)
    }

    fn put_back(
        &mut self,
        offence: Offence,
        weight: f64,
        update: &Update,
        now: SimTime,
    ) -> Verdict {
        if self.obeys_by.is_some_and(|by| now <= by) {
            return self.reject(Offence::Disobeyed, 0.0, now);
        }
        self.note(offence);
        self.suspicion.add(weight, now, self.config.leak_per_s);
        if self.suspicion(now) >= self.config.disconnect_at {
            self.stats.disconnected += 1;
            return Verdict::Disconnect(offence);
        }
        let place = Kinematics { at: update.at(), ..Kinematics::at_rest(now, self.last.position) };
        let place = Kinematics { orientation: self.last.orientation, ..place };
        self.go_on_from(&place);
        self.obeys_by = Some(now + self.config.obey_within);
        self.stats.corrected += 1;
        Verdict::Correct(place)
    }

    fn reject(&mut self, offence: Offence, weight: f64, now: SimTime) -> Verdict {
        self.note(offence);
        self.suspicion.add(weight, now, self.config.leak_per_s);
        if weight > 0.0 && self.suspicion(now) >= self.config.disconnect_at {
            self.stats.disconnected += 1;
            return Verdict::Disconnect(offence);
        }
        self.stats.rejected += 1;
        Verdict::Reject(offence)
    }

    fn note(&mut self, offence: Offence) {
        self.offence = Some(offence);
        self.stats.count(offence);
    }

    fn go_on_from(&mut self, place: &Kinematics) {
        self.last = *place;
        self.promised = None;
        self.history = AcceptedPositions::from(place);
    }
}

/// By which share `got` exceeds `limit`; a tenth is forgiven, for rounding and sampling.
fn excess(got: f64, limit: f64) -> f64 {
    let limit = limit * 1.1;
    if got > limit { ((got - limit) / limit.max(f64::MIN_POSITIVE)).min(f64::MAX) } else { 0.0 }
}
