//! Lag compensation: hits checked by the host from the shooter's own view.
//!
//! Take a [`Rewind`] on a host that decides about hits. A player aims at what is on screen,
//! which is a ghost: late, extrapolated, blended. A `Rewind` keeps the updates of every entity
//! and, for every shooter, which of them it acknowledged at which moment. From that it rebuilds
//! the very ghost the shooter had, so a request "I hit this one, which I saw at that moment"
//! can be checked from the shooter's own view (MURPHY; SHI calls it time warp).
//!
//! ```text
//! updates    u1--------u2--------u3         kept per entity, a bounded ring
//! shooter      `-u1 arrived `-u2            kept per shooter and entity: when, which
//! asks                         ^ shown_at   the ghost after u2, at this moment
//! ```
//!
//! Requests are refused when they reach back too far or into the future, come too often, or
//! when the shooter claims a position it did not have.
//!
//! ```
//! use reckoning::rewind::{Aim, HitRequest, HitVerdict, RewindConfig};
//! use reckoning::{DVec3, Kinematics, Model, Rewind, SimTime, Update, UpdateKind};
//!
//! let (shooter, body, target) = (7_u32, 1_u32, 2_u32);
//! let ms = SimTime::from_millis;
//! let mut rewind = Rewind::new(RewindConfig::default())?;
//! rewind.observe(body, &Kinematics::at_rest(ms(0), DVec3::ZERO));
//! let runner = Kinematics::moving(ms(0), DVec3::X * 10.0, DVec3::Y * 5.0);
//! rewind.remember(target, 0, Update::new(runner, Model::Linear, UpdateKind::Full)?);
//! rewind.handle_shown(shooter, target, 0, ms(60)); // the acknowledgement of the shooter
//!
//! let request = HitRequest {
//!     body,
//!     stood: DVec3::ZERO,
//!     target,
//!     target_radius_m: 0.5,
//!     shown_at: ms(200), // the target was drawn at (10, 1)
//!     aim: Aim::Ray { from: DVec3::ZERO, direction: DVec3::new(10.0, 1.0, 0.0), reach_m: 50.0 },
//! };
//! assert!(matches!(rewind.hit_check(shooter, &request, ms(260)), HitVerdict::Hit { .. }));
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! The answer is exactly what the ghost showed as long as the client runs the settings of
//! [`RewindConfig::view`] and acknowledges updates with the moments at which its ghosts
//! accepted them. Entities and shooters are named by whatever the host numbers them with.

mod hit;
mod position_history;
mod view;

use alloc::collections::{BTreeMap, VecDeque};
use core::time::Duration;

use glam::DVec3;

use crate::error::SettingError;
use crate::ground::Pose;
use crate::token_bucket::TokenBucket;
use crate::{DelayedConfig, GhostConfig, Kinematics, SimTime, Update};
use position_history::PositionHistory;
use view::ShooterView;

pub use hit::{Aim, HitRefusal, HitRequest, HitVerdict};

/// How clients of this host show other bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RewindView {
    /// With a [`Ghost`](crate::Ghost): as it must be now.
    Now(GhostConfig),
    /// With a [`DelayedGhost`](crate::DelayedGhost): as it was a moment ago.
    Delayed(DelayedConfig),
}

/// Settings for a [`Rewind`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RewindConfig {
    /// How clients show other bodies. Default: [`RewindView::Now`] with the default
    /// [`GhostConfig`]. Settings that a ghost of that kind accepts.
    pub view: RewindView,
    /// How far back a request may reach; older views are forgotten. Default: 1 s. Above zero.
    pub span: Duration,
    /// How far a shooter's clock may be ahead of the host's. Default: 100 ms. Any span.
    pub max_lead: Duration,
    /// Updates, and truths, kept per entity. Default: 96. From 2 to a million.
    pub kept_per_entity: usize,
    /// Arrivals kept per shooter and entity. Default: 48. From 2 to a million.
    pub kept_per_view: usize,
    /// How far from where the host knows it a shooter may claim to have stood. Default: 1 m.
    /// Finite, not negative.
    pub origin_tolerance_m: f64,
    /// Requests a second per shooter, in the long run. Default: 12. Finite, not negative.
    pub requests_per_s: f64,
    /// Requests a shooter may make at once. Default: 6. Finite, at least 1.
    pub burst: f64,
}

impl Default for RewindConfig {
    /// A shooter with ten shots a second, seen with default ghosts.
    fn default() -> Self {
        Self {
            view: RewindView::Now(GhostConfig::default()),
            span: Duration::from_secs(1),
            max_lead: Duration::from_millis(100),
            kept_per_entity: 96,
            kept_per_view: 48,
            origin_tolerance_m: 1.0,
            requests_per_s: 12.0,
            burst: 6.0,
        }
    }
}

impl RewindConfig {
    fn validate(&self) -> Result<(), SettingError> {
        if self.span.is_zero() {
            return Err(SettingError::SpanZero { name: "span" });
        }
        SettingError::in_range("kept_per_entity", self.kept_per_entity as f64, 2.0, 1e6)?;
        SettingError::in_range("kept_per_view", self.kept_per_view as f64, 2.0, 1e6)?;
        SettingError::in_range("origin_tolerance_m", self.origin_tolerance_m, 0.0, f64::MAX)?;
        SettingError::in_range("requests_per_s", self.requests_per_s, 0.0, f64::MAX)?;
        SettingError::in_range("burst", self.burst, 1.0, f64::MAX)?;
        ShooterView::validate(&self.view)
    }
}

/// Counters of a [`Rewind`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RewindStats {
    /// Requests that were hits.
    pub hits: u64,
    /// Requests that were misses.
    pub misses: u64,
    /// Requests refused, by [`HitRefusal::ALL`].
    pub refused: [u64; 6],
    /// Acknowledgements of updates that were no longer, or never, remembered.
    pub unknown: u64,
    /// Acknowledgements that arrived too late to be put in order.
    pub late: u64,
}

/// History of entities, and of what each shooter was shown of them; `E` names entities, `S`
/// shooters.
#[derive(Clone, Debug)]
pub struct Rewind<E, S> {
    config: RewindConfig,
    truths: BTreeMap<E, PositionHistory>,
    updates: BTreeMap<E, VecDeque<(u32, Update)>>,
    views: BTreeMap<(S, E), ShooterView>,
    requests: BTreeMap<S, TokenBucket>,
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
            updates: BTreeMap::new(),
            views: BTreeMap::new(),
            requests: BTreeMap::new(),
            stats: RewindStats::default(),
        })
    }

    /// Remembers where an entity truly is: each tick, or each accepted update of its owner.
    /// States that are not finite or not newer change nothing.
    pub fn observe(&mut self, entity: E, truth: &Kinematics) {
        if truth.validate().is_ok() {
            let kept = self.config.kept_per_entity;
            self.truths.entry(entity).or_default().push(truth, self.config.span, kept);
        }
    }

    /// Remembers an update that is being sent out, under a key of the host's own that names
    /// it among the latest of its entity.
    pub fn remember(&mut self, entity: E, key: u32, update: Update) {
        let ring = self.updates.entry(entity).or_default();
        if ring.len() >= self.config.kept_per_entity {
            ring.pop_front();
        }
        ring.push_back((key, update));
    }

    /// A shooter acknowledged an update: its ghost accepted it at `arrived`.
    pub fn handle_shown(&mut self, shooter: S, entity: E, key: u32, arrived: SimTime) {
        let ring = self.updates.get(&entity);
        let known = ring.and_then(|ring| ring.iter().rev().find(|(held, _)| *held == key));
        let Some(&(_, update)) = known else {
            self.stats.unknown += 1;
            return;
        };
        let config = &self.config;
        match self.views.get_mut(&(shooter, entity)) {
            Some(view) => {
                let placed = view.accept(update, arrived, config.span, config.kept_per_view);
                self.stats.late += u64::from(!placed);
            }
            None => {
                if let Ok(view) = ShooterView::start(&config.view, update, arrived) {
                    self.views.insert((shooter, entity), view);
                }
            }
        }
    }

    /// The entity left the shooter's zone: it is shown no longer.
    pub fn handle_hidden(&mut self, shooter: S, entity: E) {
        self.views.remove(&(shooter, entity));
    }

    /// The entity is gone.
    pub fn forget_entity(&mut self, entity: E) {
        self.truths.remove(&entity);
        self.updates.remove(&entity);
        self.views.retain(|(_, seen), _| *seen != entity);
    }

    /// The shooter is gone.
    pub fn forget_shooter(&mut self, shooter: S) {
        self.requests.remove(&shooter);
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
        self.views.get(&(shooter, entity))?.pose_at(at)
    }

    /// Checks a hit from the shooter's own view.
    pub fn hit_check(&mut self, shooter: S, request: &HitRequest<E>, now: SimTime) -> HitVerdict {
        let verdict = self.examine(shooter, request, now);
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

    fn examine(&mut self, shooter: S, request: &HitRequest<E>, now: SimTime) -> HitVerdict {
        let config = self.config;
        let bucket = TokenBucket::new(now, config.requests_per_s, config.burst);
        if !self.requests.entry(shooter).or_insert(bucket).try_take(now, 1.0) {
            return HitVerdict::Refused(HitRefusal::TooOften);
        }
        if let Some(why) = self.refusal(request, now) {
            return HitVerdict::Refused(why);
        }
        match self.shown_at(shooter, request.target, request.shown_at) {
            Some(pose) => request.aim.judge(pose.position, request.target_radius_m),
            None => HitVerdict::Refused(HitRefusal::NotShown),
        }
    }

    fn refusal(&self, request: &HitRequest<E>, now: SimTime) -> Option<HitRefusal> {
        if !request.is_finite() {
            return Some(HitRefusal::NotFinite);
        }
        if request.shown_at > now + self.config.max_lead {
            return Some(HitRefusal::Future);
        }
        if request.shown_at + self.config.span < now {
            return Some(HitRefusal::TooOld);
        }
        let stood = self.truth_at(request.body, request.shown_at);
        let tolerance_m = self.config.origin_tolerance_m;
        let there = stood.is_some_and(|at| at.distance(request.stood) <= tolerance_m);
        (!there).then_some(HitRefusal::NotThere)
    }
}
