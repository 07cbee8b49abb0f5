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
//! What an update promises is judged as well: the models owners may use are listed, and whatever the
//! promises are, the picture that listeners get of a body never moves faster by the host's clock than
//! the body can; see [`Guard::restrained`].
//!
//! Carrying out a verdict is the host's task; a corrected client is expected to go on from
//! where it was put, and updates already in flight then are dropped without penalty.

mod accepted_positions;
mod config;
mod envelope;
mod motion;
mod motion_test;
mod owner_models;
mod shown;
mod suspicion;
mod verdict;

use core::time::Duration;

use glam::DVec3;

use crate::error::ConfigError;
use crate::token_bucket::TokenBucket;
use crate::{Kinematics, Model, SimTime, Terrain, Update, UpdateKind};
use accepted_positions::AcceptedPositions;
use envelope::within;
use motion_test::MotionLevel;
use shown::{Picture, ShownBound, ShownPath};
use suspicion::{Pace, Suspicion, TimeBank};

pub use config::GuardConfig;
pub use envelope::{ENVELOPE_SPANS_S, Envelope};
pub use motion_test::MotionTest;
pub use owner_models::OwnerModels;
pub use verdict::{GuardStats, Offence, Verdict};

/// Time in which a correction that was lost is sent again and arrives.
const REPAIR: Duration = Duration::from_millis(400);

/// Suspicion added to a correction for each one before it that was ignored: the fourth of a grave
/// offence disconnects.
const IGNORED: f64 = 3.0;

/// Suspicion of a promise that no body could keep: now and then a publisher of accelerations sends one,
/// again and again only a cheat does.
const WILD_PROMISE: f64 = 0.25;

/// An update that is judged.
struct Arrived<'a> {
    update: &'a Update,
    walls: Option<&'a dyn Terrain>,
    now: SimTime,
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
    shown: ShownPath,
    /// Longest that an update of this client takes to the host and back, as far as measured.
    round_trip: Option<Duration>,
    pace: Pace,
    bank: TimeBank,
    /// A burst of updates that were kept back is coming in.
    kept_back: bool,
    suspicion: Suspicion,
    updates: TokenBucket,
    /// Until then a teleport is allowed.
    granted: Option<SimTime>,
    /// Until then a corrected client may not have received the correction.
    obeys_by: Option<SimTime>,
    /// Corrections since the last update that was accepted.
    ignored: u32,
    motion: MotionLevel,
    offence: Option<Offence>,
    restrained: Option<Kinematics>,
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
            shown: ShownPath::from(start),
            round_trip: None,
            pace: Pace::default(),
            bank: TimeBank::default(),
            kept_back: false,
            suspicion: Suspicion::none(start.at),
            updates: TokenBucket::new(start.at, config.updates_per_s, config.burst),
            granted: None,
            obeys_by: None,
            ignored: 0,
            motion: MotionLevel::default(),
            offence: None,
            restrained: None,
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
        self.restrained = None;
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
        if !self.config.models.contains(update.model()) {
            return self.reject(Offence::Model, 0.0, now);
        }
        self.shown.advance(now);
        let arrived = Arrived { update, walls, now };
        if update.kind() == UpdateKind::Teleport {
            return self.judge_teleport(&arrived);
        }
        let (jitter, most) = (self.config.stamp_margin, self.config.max_age);
        let credited = self.bank.credited(update.at(), now, jitter, most);
        if ShownPath::is_wild(update, now, &self.bound()) {
            return self.reject(Offence::Promise, WILD_PROMISE, now);
        }
        match self.motion_offence(update.kinematics(), walls) {
            None if self.distance_excess(update.kinematics(), credited) > self.config.gross => {
                self.put_back(Offence::Burst, 0.0, &arrived)
            }
            None => self.accept(&arrived),
            Some((offence, weight)) => self.weigh(offence, weight, &arrived),
        }
    }

    fn judge_teleport(&mut self, arrived: &Arrived<'_>) -> Verdict {
        let (update, now) = (arrived.update, arrived.now);
        if !self.take_grant(now) || ShownPath::is_wild(update, now, &self.bound()) {
            return self.put_back(Offence::Teleport, 2.0, arrived);
        }
        self.put_at(update.kinematics());
        self.accept(arrived)
    }

    /// Tells how long updates of this client take at most, to the host and back, as measured: older
    /// stamps are not believed then, and a correction has to be obeyed in time.
    pub const fn set_round_trip(&mut self, round_trip: Duration) {
        self.round_trip = Some(round_trip);
    }

    /// Allows one teleport, to be used within `within` from `now`: a gate, a respawn.
    pub fn grant_teleport(&mut self, now: SimTime, within: Duration) {
        self.granted = Some(now + within);
    }

    /// The host itself put the body there; nothing that was under way is held against the
    /// client.
    pub fn put(&mut self, at: &Kinematics, now: SimTime) {
        if at.validate().is_ok() {
            self.put_at(at);
            self.obeys_by = Some(now + self.obey_within());
            self.ignored = 0;
        }
    }

    /// The last state that was accepted, or where the body was put.
    #[must_use]
    pub const fn last(&self) -> &Kinematics {
        &self.last
    }

    /// What to show in place of the last judged update, which was accepted, at constant velocity
    /// ([`Model::Linear`]); `None` where it may be shown as it is.
    ///
    /// An update can be honest and still move the picture further than a body gets: the picture ran
    /// straight on while the news of a turn was under way, the model promises too much, or many
    /// updates were held up. Then the picture lags behind and catches up as fast as a body can. The
    /// owner need not be notified.
    #[must_use]
    pub const fn restrained(&self) -> Option<&Kinematics> {
        self.restrained.as_ref()
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
        if at + self.max_age() < now {
            return Some((Offence::TooOld, 0.0));
        }
        None
    }

    /// How old an update may be: what the link explains, and some more.
    fn max_age(&self) -> Duration {
        let explained = self.round_trip.map(|round_trip| round_trip + self.config.stamp_margin);
        explained.map_or(self.config.max_age, |most| most.min(self.config.max_age))
    }

    /// How long a correction takes to be obeyed: the way there and back, and what a lost datagram
    /// costs.
    fn obey_within(&self) -> Duration {
        let explained = self.round_trip.map(|round_trip| round_trip + REPAIR);
        explained.map_or(self.config.obey_within, |most| most.min(self.config.obey_within))
    }

    fn bound(&self) -> ShownBound {
        let round_trip_s = self.round_trip.map(|round_trip| round_trip.as_secs_f64());
        ShownBound::new(&self.config.envelope, self.config.tolerance_m, round_trip_s)
    }

    fn accept(&mut self, arrived: &Arrived<'_>) -> Verdict {
        let (update, now) = (arrived.update, arrived.now);
        if core::mem::take(&mut self.kept_back) {
            if self.suspicion(now) >= self.config.correct_at {
                return self.put_back(Offence::LagSwitch, 0.0, arrived);
            }
            self.note(Offence::LagSwitch);
        }
        if self.config.motion.is_some_and(|test| self.motion.observe(test, update.kinematics())) {
            return self.weigh(Offence::Pace, 1.0, arrived);
        }
        let picture = self.shown.restrain(update, now, &self.bound());
        let trail_s = self.config.max_trail.as_secs_f64();
        let most_m = within(&self.config.envelope.reach_m, trail_s) + self.config.tolerance_m;
        if matches!(picture, Picture::Restrained(_, behind_m) if behind_m > most_m) {
            return self.put_back(Offence::Burst, 0.0, arrived);
        }
        self.pace.accepted(update.at(), now);
        self.obeys_by = None;
        self.ignored = 0;
        self.last = *update.kinematics();
        self.promised = Some(*update);
        self.history.push(&self.last);
        self.stats.accepted += 1;
        self.show(&picture, update, now);
        Verdict::Accept
    }

    fn show(&mut self, picture: &Picture, update: &Update, now: SimTime) {
        match picture {
            Picture::AsClaimed => self.shown.show(update, now),
            Picture::Restrained(state, _) => {
                let shown = Update::from_checked(*state, Model::Linear, UpdateKind::Partial);
                self.shown.show(&shown, now);
                self.restrained = Some(*state);
                self.stats.restrained += 1;
            }
        }
    }

    /// A motion beyond the envelope: corrected if it is gross or adds up.
    fn weigh(&mut self, offence: Offence, weight: f64, arrived: &Arrived<'_>) -> Verdict {
        let now = arrived.now;
        if self.obeys_by.is_some_and(|by| now <= by) {
            // Sent before the correction arrived.
            return self.reject(Offence::Disobeyed, 0.0, now);
        }
        if weight >= 1.0 {
            return self.put_back(offence, weight.min(2.0), arrived);
        }
        self.suspicion.add(weight, now, self.config.leak_per_s);
        if self.suspicion(now) >= self.config.correct_at {
            return self.put_back(offence, 0.0, arrived);
        }
        self.note(offence);
        self.accept(arrived)
    }

    fn put_back(&mut self, offence: Offence, weight: f64, arrived: &Arrived<'_>) -> Verdict {
        let now = arrived.now;
        if self.obeys_by.is_some_and(|by| now <= by) {
            return self.reject(Offence::Disobeyed, 0.0, now);
        }
        self.note(offence);
        // Keeping updates back is no defiance: nothing that obeys may have come through since.
        let ignored = if weight > 0.0 { self.ignored } else { 0 };
        let weight = weight + IGNORED * f64::from(ignored);
        self.suspicion.add(weight, now, self.config.leak_per_s);
        if self.suspicion(now) >= self.config.disconnect_at {
            self.stats.disconnected += 1;
            return Verdict::Disconnect(offence);
        }
        let position = self.place_to_put(arrived);
        let place = Kinematics { at: arrived.update.at(), ..Kinematics::at_rest(now, position) };
        let place = Kinematics { orientation: self.last.orientation, ..place };
        self.go_on_from(&place);
        self.bank.settle();
        let shown = Update::from_checked(place, Model::Hold, UpdateKind::Full);
        self.shown.show(&shown, now);
        self.ignored += 1;
        self.obeys_by = Some(now + self.obey_within());
        self.stats.corrected += 1;
        Verdict::Correct(place)
    }

    /// Where it was last accepted, or nearer to where it is shown if it would be shown to leap; but
    /// not behind a wall.
    fn place_to_put(&self, arrived: &Arrived<'_>) -> DVec3 {
        let last = self.last.position;
        let place = self.shown.rest_near(last, arrived.now, &self.bound());
        let hidden = arrived.walls.is_some_and(|walls| walls.first_hit(last, place).is_some());
        if hidden { last } else { place }
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

    /// The body is there now, and did not move there.
    fn put_at(&mut self, place: &Kinematics) {
        self.go_on_from(place);
        self.shown = ShownPath::from(place);
    }

    fn go_on_from(&mut self, place: &Kinematics) {
        self.last = *place;
        self.motion = MotionLevel::default();
        self.promised = None;
        self.history = AcceptedPositions::from(place);
    }
}
