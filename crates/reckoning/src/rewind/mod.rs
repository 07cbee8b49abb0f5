//! Lag compensation: hits checked by the host from the shooter's own view.
//!
//! Take a [`Rewind`] on a host that decides about hits. A player aims at what is on screen,
//! which is a ghost: late, extrapolated, blended. A `Rewind` keeps what was sent to every shooter
//! and when each of it came to be shown. From that it rebuilds the very ghost the shooter had, so
//! a request "I hit this one, which I saw at that moment" can be checked from the shooter's own
//! view (MURPHY; SHI calls it time warp).
//!
//! ```text
//! sent to the shooter    u1--------u2--------u3        kept per shooter and entity
//! shown there              `-u1      `-u2      `-u3    by a reference, an acknowledgement,
//! shot                                    ^            or at the latest by a deadline
//!                                         shown_at     the ghost after u2, at this moment
//! ```
//!
//! A shooter may lie about all it says, so nothing it says, or keeps to itself, makes an old
//! picture last:
//! - a picture is at most as old as the shooter's round trip and a margin, and never older than
//!   [`RewindConfig::max_past`];
//! - what was sent longer ago than that counts as shown, acknowledged or not; what was reported
//!   lost has until [`RewindConfig::max_past`];
//! - shots are about moments that pass no faster than time does, so they cannot be saved up;
//! - a reference to a picture ([`ShownAs`]) names only what was sent, and never contradicts an
//!   earlier one;
//! - a target that reached cover in time is safe, if [`RewindConfig::cover_after`] says so.
//!
//! Requests are also refused when they come too often, or when the shooter claims a position it
//! did not have.
//!
//! ```
//! use reckoning::rewind::{Aim, HitRequest, HitVerdict, RewindConfig, Sent, ShownAs, ShownUpdate};
//! use reckoning::{DVec3, Kinematics, Model, Rewind, SimTime, Update, UpdateKind};
//!
//! let (shooter, body, target) = (7_u32, 1_u32, 2_u32);
//! let ms = SimTime::from_millis;
//! let mut rewind = Rewind::new(RewindConfig::default())?;
//! rewind.observe(body, &Kinematics::at_rest(ms(0), DVec3::ZERO));
//! let runner = Kinematics::moving(ms(0), DVec3::X * 10.0, DVec3::Y * 5.0);
//! let update = Update::new(runner, Model::Linear, UpdateKind::Full)?;
//! rewind.handle_sent(shooter, target, 0, Sent::Enter(update), ms(10));
//!
//! // With its shot the shooter says of what its picture was made: update 0, which came at 60 ms.
//! let shown = ShownAs::new(ms(200), &[ShownUpdate { key: 0, arrived: ms(60) }]);
//! assert_eq!(rewind.handle_reference(shooter, target, &shown, ms(260)), Ok(()));
//! let request = HitRequest {
//!     body,
//!     stood: DVec3::ZERO,
//!     target,
//!     target_radius_m: 0.5,
//!     shown_at: shown.shown_at, // the target was drawn at (10, 1)
//!     aim: Aim::Ray { from: DVec3::ZERO, direction: DVec3::new(10.0, 1.0, 0.0), reach_m: 50.0 },
//! };
//! assert!(matches!(rewind.hit_check(shooter, &request, ms(260)), HitVerdict::Hit { .. }));
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! The answer is exactly what the ghost showed if the shooter refers to its picture
//! ([`handle_reference`](Rewind::handle_reference)) and shows by the view it stated
//! ([`state_view`](Rewind::state_view)). Without references the picture is dated by
//! acknowledgements and as exact as these are. Entities and shooters are named by whatever the
//! host numbers them with.

mod config;
mod cover;
mod hit;
mod position_history;
mod shooter;
mod shown_as;
mod shown_ghost;
mod view;

use alloc::collections::{BTreeMap, VecDeque};
use core::time::Duration;

use glam::DVec3;

use crate::error::SettingError;
use crate::ground::Pose;
use crate::{Kinematics, SimTime};
use position_history::PositionHistory;
use shooter::Shooter;
use view::{Acknowledged, Deadlines, ShooterView};

pub use config::{RewindConfig, RewindStats};
pub use cover::Defence;
pub use hit::{Aim, HitRefusal, HitRequest, HitVerdict};
pub use shown_as::{ShownAs, ShownUpdate};
pub use shown_ghost::RewindView;
pub use view::Sent;

/// Truths are kept for this long beyond what can be asked about.
const TRUTH_HELD_AFTER: Duration = Duration::from_secs(1);

/// History of entities, and of what each shooter was shown of them; `E` names entities, `S`
/// shooters.
#[derive(Clone, Debug)]
pub struct Rewind<E, S> {
    config: RewindConfig,
    truths: BTreeMap<E, PositionHistory>,
    shooters: BTreeMap<S, Shooter>,
    views: BTreeMap<(S, E), ShooterView>,
    /// Views whose exit was acknowledged, and when; oldest first.
    gone: VecDeque<(SimTime, (S, E))>,
    stats: RewindStats,
}

impl<E: Copy + Ord, S: Copy + Ord> Rewind<E, S> {
    /// Remembers nothing yet.
    ///
    /// # Errors
    /// Refuses spans of zero, rings of fewer than two and limits that are negative.
    pub fn new(config: RewindConfig) -> Result<Self, SettingError> {
        config.validate()?;
        Ok(Self {
            config,
            truths: BTreeMap::new(),
            shooters: BTreeMap::new(),
            views: BTreeMap::new(),
            gone: VecDeque::new(),
            stats: RewindStats::default(),
        })
    }

    /// Remembers where an entity truly is: each tick, or each accepted update of its owner.
    /// States that are not finite or not newer change nothing.
    pub fn observe(&mut self, entity: E, truth: &Kinematics) {
        if truth.validate().is_ok() {
            let kept = self.config.kept_per_entity;
            let span = self.config.max_past + TRUTH_HELD_AFTER;
            self.truths.entry(entity).or_default().push(truth, span, kept);
        }
    }

    /// Remembers what is being sent to a shooter about an entity: what its ghost will accept, as
    /// the wire keeps it. The key is the host's own and rises with each sending.
    pub fn handle_sent(&mut self, shooter: S, entity: E, key: u64, sent: Sent, now: SimTime) {
        self.handle_sent_as(shooter, entity, key, sent, None, now);
    }

    /// As [`handle_sent`](Self::handle_sent), of an entity that every shooter shows by the `view`
    /// prescribed, whatever it states of others. Where that is another one than before, the picture
    /// begins anew.
    pub fn handle_sent_as(
        &mut self,
        shooter: S,
        entity: E,
        key: u64,
        sent: Sent,
        view: Option<RewindView>,
        now: SimTime,
    ) {
        let (config, kept) = (&self.config, self.config.kept_per_view);
        let shooter_state = Self::shooter(&mut self.shooters, config, shooter, now);
        let deadlines = shooter_state.deadlines(config);
        let born = || ShooterView::new(view, shooter_state.view);
        let remembered = self.views.entry((shooter, entity)).or_insert_with(born);
        // What leaves the picture is shown by no view; shots at it may be under way.
        let begins = sent != Sent::Exit && remembered.prescribed() != view;
        if begins {
            *remembered = born();
        }
        let sent = match sent {
            Sent::Update(update) if begins => Sent::Enter(update),
            sent => sent,
        };
        let view = remembered;
        view.sent(key, sent, now);
        view.forget(deadlines, kept, now);
        self.forget_gone(now);
    }

    /// A shooter acknowledged something sent: by that, its ghost accepted it at about `arrived`.
    pub fn handle_acknowledged(
        &mut self,
        shooter: S,
        entity: E,
        key: u64,
        arrived: SimTime,
        now: SimTime,
    ) {
        let place = (shooter, entity);
        let view = self.views.get_mut(&place);
        match view.map_or(Acknowledged::Unknown, |view| view.acknowledged(key, arrived, now)) {
            Acknowledged::Known => {}
            Acknowledged::Unknown => self.stats.unknown += 1,
            Acknowledged::Gone => self.gone.push_back((now, place)),
        }
        self.forget_gone(now);
    }

    /// Forgets what left pictures so long ago that no shot may be about it any more. That it left
    /// is acknowledged before the last shots at it come in.
    fn forget_gone(&mut self, now: SimTime) {
        let by = now - self.config.max_past;
        while let Some((_, place)) = self.gone.pop_front_if(|(at, _)| *at <= by) {
            if self.views.get(&place).is_some_and(|view| view.is_gone(by)) {
                self.views.remove(&place);
            }
        }
    }

    /// Whether anything is remembered of what the shooter was sent about the entity.
    #[must_use]
    pub fn remembers(&self, shooter: S, entity: E) -> bool {
        self.views.contains_key(&(shooter, entity))
    }

    /// Something sent was lost on the way, as far as the host can tell.
    pub fn handle_lost(&mut self, shooter: S, entity: E, key: u64) {
        if let Some(view) = self.views.get_mut(&(shooter, entity)) {
            view.lost(key);
        }
    }

    /// A shooter's round trip was measured. Until then [`RewindConfig::max_past`] is its only
    /// bound.
    pub fn set_round_trip(&mut self, shooter: S, round_trip: Duration, now: SimTime) {
        Self::shooter(&mut self.shooters, &self.config, shooter, now).round_trip = Some(round_trip);
    }

    /// A shooter states how it shows others, from `at` on its own screen.
    ///
    /// # Errors
    /// Refuses what its kind of ghost refuses, and what would show old pictures for long:
    /// [`RewindConfig::max_view_span`]. A shooter that changes its view all the time is not
    /// followed, and that is counted.
    pub fn state_view(
        &mut self,
        shooter: S,
        view: RewindView,
        at: SimTime,
        now: SimTime,
    ) -> Result<(), SettingError> {
        let sound = self.config.validate_stated(&view);
        let state = Self::shooter(&mut self.shooters, &self.config, shooter, now);
        if state.view == view {
            return sound;
        }
        if sound.is_err() || !state.try_state_view(view, now) {
            self.stats.views_refused += 1;
            return sound;
        }
        let at = at.clamp(now - self.config.max_past, now);
        for (_, view_of_one) in self.views.iter_mut().filter(|((who, _), _)| *who == shooter) {
            view_of_one.set_view(view, at);
        }
        Ok(())
    }

    /// A shooter says of what its picture of an entity was made. From then on that is what it was
    /// shown, as far as the deadlines allow.
    ///
    /// # Errors
    /// Refuses a reference to what was never sent to this shooter, to what cannot have arrived,
    /// and one that contradicts what the shooter said before.
    pub fn handle_reference(
        &mut self,
        shooter: S,
        entity: E,
        shown: &ShownAs,
        now: SimTime,
    ) -> Result<(), HitRefusal> {
        let max_lead = self.config.max_lead;
        let taken = match self.views.get_mut(&(shooter, entity)) {
            None => Err(HitRefusal::NotShown),
            Some(_) if !shown.is_ordered() => Err(HitRefusal::NotSent),
            Some(_) if shown.shown_at > now + max_lead => Err(HitRefusal::Future),
            Some(view) => view.claim(shown, max_lead, now),
        };
        if let Err(why) = taken {
            self.stats.refused[why as usize] += 1;
        }
        taken
    }

    /// The shooter no longer shows the entity, at once.
    pub fn handle_hidden(&mut self, shooter: S, entity: E) {
        self.views.remove(&(shooter, entity));
    }

    /// The entity is gone.
    pub fn forget_entity(&mut self, entity: E) {
        self.truths.remove(&entity);
        self.views.retain(|(_, seen), _| *seen != entity);
    }

    /// The shooter is gone.
    pub fn forget_shooter(&mut self, shooter: S) {
        self.shooters.remove(&shooter);
        self.views.retain(|(who, _), _| *who != shooter);
    }

    /// Where the entity truly was; `None` if that is not remembered.
    #[must_use]
    pub fn truth_at(&self, entity: E, at: SimTime) -> Option<DVec3> {
        self.truths.get(&entity)?.position_at(at)
    }

    /// Where, and how turned, the shooter saw the entity at a moment; `None` if it had not
    /// seen it yet or that is forgotten.
    #[must_use]
    pub fn shown_at(&self, shooter: S, entity: E, at: SimTime) -> Option<Pose> {
        let view = self.views.get(&(shooter, entity))?;
        view.pose_at(at, self.deadlines(shooter)).map(|(pose, _)| pose)
    }

    /// The oldest moment that a shot which comes in now may be about.
    #[must_use]
    pub fn earliest_shown(&self, shooter: S, now: SimTime) -> SimTime {
        now - self.deadlines(shooter).usual
    }

    /// Admits a shot that the game follows itself, asking [`shown_at`](Self::shown_at) step by
    /// step, under the rules of [`hit_check`](Self::hit_check): how often, about which moment.
    ///
    /// # Errors
    /// Names the rule that refuses it.
    pub fn admit_shot(
        &mut self,
        shooter: S,
        shown_at: SimTime,
        now: SimTime,
    ) -> Result<(), HitRefusal> {
        let admitted = self.admit(shooter, shown_at, now);
        if let Err(why) = admitted {
            self.stats.refused[why as usize] += 1;
        }
        admitted
    }

    /// Checks a hit from the shooter's own view.
    pub fn hit_check(&mut self, shooter: S, request: &HitRequest<E>, now: SimTime) -> HitVerdict {
        self.hit_check_against(shooter, request, &Defence::default(), now)
    }

    /// As [`hit_check`](Self::hit_check), with what speaks for the target.
    pub fn hit_check_against(
        &mut self,
        shooter: S,
        request: &HitRequest<E>,
        defence: &Defence,
        now: SimTime,
    ) -> HitVerdict {
        let verdict =
            self.examine(shooter, request, defence, now).unwrap_or_else(HitVerdict::Refused);
        match verdict {
            HitVerdict::Hit { .. } => self.stats.hits += 1,
            HitVerdict::Miss { .. } => self.stats.misses += 1,
            HitVerdict::Refused(why) => self.stats.refused[why as usize] += 1,
        }
        verdict
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &RewindConfig {
        &self.config
    }

    /// Counters for a status page.
    #[must_use]
    pub const fn stats(&self) -> &RewindStats {
        &self.stats
    }

    fn shooter<'a>(
        shooters: &'a mut BTreeMap<S, Shooter>,
        config: &RewindConfig,
        shooter: S,
        now: SimTime,
    ) -> &'a mut Shooter {
        shooters.entry(shooter).or_insert_with(|| Shooter::new(config, now))
    }

    fn deadlines(&self, shooter: S) -> Deadlines {
        let max_past = self.config.max_past;
        let unknown = Deadlines { usual: max_past, lost: max_past };
        self.shooters.get(&shooter).map_or(unknown, |it| it.deadlines(&self.config))
    }

    fn admit(&mut self, shooter: S, shown_at: SimTime, now: SimTime) -> Result<(), HitRefusal> {
        let config = &self.config;
        Self::shooter(&mut self.shooters, config, shooter, now).admit(shown_at, config, now)
    }

    fn examine(
        &mut self,
        shooter: S,
        request: &HitRequest<E>,
        defence: &Defence,
        now: SimTime,
    ) -> Result<HitVerdict, HitRefusal> {
        if !request.is_finite() {
            return Err(HitRefusal::NotFinite);
        }
        self.admit(shooter, request.shown_at, now)?;
        // A clock that is ahead shows nobody what is still to come.
        let shown_at = request.shown_at.min(now);
        let stood = self.truth_at(request.body, shown_at);
        let tolerance_m = self.config.origin_tolerance_m;
        if !stood.is_some_and(|at| at.distance(request.stood) <= tolerance_m) {
            return Err(HitRefusal::NotThere);
        }
        let view = self.views.get(&(shooter, request.target)).ok_or(HitRefusal::NotShown)?;
        let shown = view.pose_at(shown_at, self.deadlines(shooter));
        let (pose, delay) = shown.ok_or(HitRefusal::NotShown)?;
        // A delay that the host prescribes is nothing that a shooter gains by.
        let delay = if view.prescribed().is_some() { Duration::ZERO } else { delay };
        if shown_at + self.config.max_past < now + delay {
            return Err(HitRefusal::TooOld);
        }
        let verdict = request.aim.judge(pose.position, request.target_radius_m);
        let hits = matches!(verdict, HitVerdict::Hit { .. });
        if hits && self.is_covered(request.body, request.target, defence, now) {
            return Err(HitRefusal::Covered);
        }
        Ok(verdict)
    }
}
