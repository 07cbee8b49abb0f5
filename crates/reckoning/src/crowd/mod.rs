//! Crowds: very many ghosts shown in one pass.
//!
//! Take a [`Crowd`] from some thousand bodies on, when positions are all that is drawn; below
//! that a [`Ghost`](crate::Ghost) each is simpler and knows more models.
//!
//! ```
//! use reckoning::crowd::CrowdView;
//! use reckoning::{Crowd, DVec3, Kinematics, Model, SimTime, Update, UpdateKind};
//!
//! let mut crowd = Crowd::new(DVec3::ZERO, SimTime::ZERO);
//! for walker in 0..1_000 {
//!     let start = DVec3::X * f64::from(walker);
//!     let seen = Kinematics::moving(SimTime::ZERO, start, DVec3::Y);
//!     crowd.insert(&Update::new(seen, Model::Linear, UpdateKind::Full)?, SimTime::ZERO)?;
//! }
//! let mut view = CrowdView::with_capacity(crowd.len());
//! crowd.show(SimTime::from_millis(500), &mut view); // once a frame
//! assert_eq!((view.x()[7], view.y()[7]), (7.0, 0.5));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! A crowd shows what as many ghosts with
//! [`Blend::ProjectiveVelocity`](crate::Blend::ProjectiveVelocity) would, in one pass at
//! about the speed of memory. Three things make the difference: the numbers lie side by
//! side, sixteen ghosts to a block; they are `f32` around an `f64` origin; and only
//! positions are shown.
//!
//! ```text
//! accept ---> record   f64, exact: when and where seen     read when the origin moves
//!        `--> block    f32, 16 ghosts side by side         read every frame
//!                        `--> CrowdView  x: [..]  y: [..]  z: [..]
//! ```
//!
//! The rest of the engine relies on these properties:
//! - it shows what a `Ghost` shows, up to the rounding of an `f32`;
//! - the machine's vector unit and the number of threads do not change a bit of it;
//! - showing allocates nothing once the view is large enough, and is pure: any frame rate,
//!   any order, same answer;
//! - neither a new origin nor the passing of time makes the picture jump.
//!
//! A crowd knows the models `Hold`, `Linear` and `Accelerating` and refuses the others: such
//! a body wants a `Ghost` of its own. Orientations are not kept.

mod block;
#[cfg(feature = "std")]
mod dispatch;
mod ghost;
#[cfg(feature = "rayon")]
mod parallel;
mod slots;
mod view;

/// Without the standard library the vector units of the machine are not known at run time.
#[cfg(not(feature = "std"))]
use block as dispatch;

use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use glam::DVec3;

use crate::error::SettingError;
use crate::ghost::Accepted;
use crate::{SimTime, Update, UpdateKind};
use block::{GhostBlock, LANES};
use ghost::{CrowdGhost, Moment, bounded};
use slots::Slots;

pub use slots::CrowdId;
pub use view::CrowdView;

/// Times are kept this close to the base, in microseconds: differences then fit an `i32`.
const REACH_US: i64 = (1 << 30) - 1;
/// The base follows once the present is this far from it: nine minutes.
const REBASE_US: u64 = 1 << 29;
/// Long before the base may follow, every silent ghost must have come to rest.
const LONGEST: Duration = Duration::from_mins(5);

/// Settings for a [`Crowd`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrowdConfig {
    /// How long a ghost takes to shed its error: the expected time between updates.
    /// [`Crowd::set_span`] changes it for one ghost. Default: 333 ms. At most five minutes; zero
    /// jumps at once.
    pub span: Duration,
    /// How far past an update its model is followed, as in
    /// [`GhostConfig`](crate::GhostConfig::max_extrapolation). Default: 4 s. Above zero, at most
    /// five minutes.
    pub max_extrapolation: Duration,
}

impl Default for CrowdConfig {
    /// The same as for a `Ghost`: three updates a second and half-second heartbeats.
    fn default() -> Self {
        Self { span: Duration::from_millis(333), max_extrapolation: Duration::from_secs(4) }
    }
}

/// Why a crowd did not take an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrowdError {
    /// The update has a model that crowds do not know; use a [`Ghost`](crate::Ghost).
    UnknownModel,
    /// The ghost was removed.
    Removed,
}

impl fmt::Display for CrowdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownModel => "a crowd knows the models hold, linear and accelerating only",
            Self::Removed => "the ghost was removed from the crowd",
        })
    }
}

impl core::error::Error for CrowdError {}

/// What is exact about a ghost, and needed when its update is replaced or the origin or the
/// base moves.
#[derive(Clone, Copy, Debug)]
struct Record {
    seen_at: SimTime,
    position: DVec3,
    teleports: u32,
    /// Of the blends to come.
    span_s: f32,
}

/// The stand-ins for very many bodies that live elsewhere.
///
/// Ghosts stand at places `0..len()`, the same in every [`CrowdView`]. Removing one moves
/// the last one to its place; a [`CrowdId`] finds its ghost wherever it is.
#[derive(Clone, Debug)]
pub struct Crowd {
    config: CrowdConfig,
    origin: DVec3,
    /// What the times in the blocks count from.
    base: SimTime,
    /// Enough for all ghosts; what fills up the last one is shown and ignored.
    blocks: Vec<GhostBlock>,
    /// By place, as are the ids in `slots`.
    records: Vec<Record>,
    slots: Slots,
}

impl Crowd {
    /// An empty crowd with default settings, shown relative to `origin`, in times near
    /// `epoch`.
    #[must_use]
    pub fn new(origin: DVec3, epoch: SimTime) -> Self {
        Self::empty(CrowdConfig::default(), origin, epoch)
    }

    /// An empty crowd with settings of its own.
    ///
    /// # Errors
    /// Refuses a `max_extrapolation` of zero and spans above five minutes.
    pub fn start(config: CrowdConfig, origin: DVec3, epoch: SimTime) -> Result<Self, SettingError> {
        if config.max_extrapolation.is_zero() {
            return Err(SettingError::SpanZero { name: "max_extrapolation" });
        }
        let spans = [("max_extrapolation", config.max_extrapolation), ("span", config.span)];
        match spans.into_iter().find(|(_, span)| *span > LONGEST) {
            Some((name, got)) => Err(SettingError::SpanTooLong { name, got, most: LONGEST }),
            None => Ok(Self::empty(config, origin, epoch)),
        }
    }

    fn empty(config: CrowdConfig, origin: DVec3, epoch: SimTime) -> Self {
        let (blocks, records) = (Vec::new(), Vec::new());
        Self { config, origin, base: epoch, blocks, records, slots: Slots::default() }
    }

    /// Adds a ghost, born from its first update, which arrives `now`.
    ///
    /// # Errors
    /// Refuses models other than `Hold`, `Linear` and `Accelerating`.
    pub fn insert(&mut self, first: &Update, now: SimTime) -> Result<CrowdId, CrowdError> {
        self.follow(now);
        let ghost = self.believed(first).ok_or(CrowdError::UnknownModel)?;
        let place = self.len();
        if place.is_multiple_of(LANES) {
            self.blocks.push(GhostBlock::default());
        }
        let (seen_at, position) = (first.at(), first.kinematics().position);
        let (teleports, span_s) = (first.teleports(), self.config.span.as_secs_f32());
        self.records.push(Record { seen_at, position, teleports, span_s });
        self.set_ghost(place, &ghost);
        Ok(self.slots.push())
    }

    /// Takes an update that arrives `now`. Late, repeated and reordered ones may be passed in:
    /// what is not newer changes nothing.
    ///
    /// # Errors
    /// Changes nothing either when the ghost was removed or the update has a model that
    /// crowds do not know.
    pub fn accept(
        &mut self,
        id: CrowdId,
        update: &Update,
        now: SimTime,
    ) -> Result<Accepted, CrowdError> {
        let place = self.place(id).ok_or(CrowdError::Removed)?;
        self.follow(now);
        let mut ghost = self.believed(update).ok_or(CrowdError::UnknownModel)?;
        let record = &mut self.records[place];
        if update.at() <= record.seen_at {
            return Ok(Accepted::Stale);
        }
        record.seen_at = update.at();
        let before = core::mem::replace(&mut record.teleports, update.teleports());
        let teleported = update.kind() == UpdateKind::Teleport || update.teleports() != before;
        record.position = update.kinematics().position;
        let span_s = record.span_s;
        if !teleported && span_s > 0.0 {
            let moment = self.moment(now);
            ghost.delay_us = moment.now_us.wrapping_sub(ghost.seen_us);
            ghost.per_span = 1.0 / span_s;
            ghost.lead_from(&self.ghost(place), &moment);
        }
        self.set_ghost(place, &ghost);
        Ok(Accepted::Newest)
    }

    /// Removes a ghost; the last one moves to its place. Whether there was one to remove.
    pub fn remove(&mut self, id: CrowdId) -> bool {
        let Some(place) = self.place(id) else {
            return false;
        };
        let last = self.ghost(self.len() - 1);
        self.set_ghost(place, &last);
        self.records.swap_remove(place);
        self.slots.swap_remove(place);
        self.blocks.truncate(self.len().div_ceil(LANES));
        true
    }

    /// Changes how long one ghost takes to shed its error, from its next update on: zero to
    /// five minutes, longer counts as that. Whether the ghost is there.
    pub fn set_span(&mut self, id: CrowdId, span: Duration) -> bool {
        let Some(place) = self.place(id) else {
            return false;
        };
        self.records[place].span_s = span.min(LONGEST).as_secs_f32();
        true
    }

    /// Where to draw all ghosts, relative to [`origin`](Self::origin).
    ///
    /// Right for a quarter of an hour around the latest `insert` or `accept`; moments
    /// further off are shown as the nearest one within. By then all ghosts are at rest.
    pub fn show(&self, now: SimTime, view: &mut CrowdView) {
        dispatch::show(&self.blocks, &self.moment(now), view.fit(self.len()));
    }

    /// Like [`show`](Self::show), bit for bit, with the vector unit that every machine of
    /// this kind has: to compare with.
    pub fn show_baseline(&self, now: SimTime, view: &mut CrowdView) {
        block::show(&self.blocks, &self.moment(now), view.fit(self.len()));
    }

    /// Where one ghost is shown, in the world. `None` when it was removed.
    #[must_use]
    pub fn position_at(&self, id: CrowdId, now: SimTime) -> Option<DVec3> {
        let shown = self.ghost(self.place(id)?).position_at(&self.moment(now));
        Some(self.origin + shown.as_dvec3())
    }

    /// Moves what positions are relative to: to the camera, when it is kilometres away.
    ///
    /// Takes one pass over the crowd. The picture stays the same, and gets more exact near
    /// the new origin.
    pub fn recentre(&mut self, origin: DVec3) {
        self.origin = origin;
        for place in 0..self.len() {
            let position = bounded(self.records[place].position - origin);
            self.set_ghost(place, &CrowdGhost { position, ..self.ghost(place) });
        }
    }

    /// What positions are relative to.
    #[must_use]
    pub const fn origin(&self) -> DVec3 {
        self.origin
    }

    /// How many ghosts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The id of the ghost at each place.
    #[must_use]
    pub fn ids(&self) -> &[CrowdId] {
        self.slots.ids()
    }

    /// The place of a ghost in the [`CrowdView`]. `None` when it was removed.
    #[must_use]
    pub fn place(&self, id: CrowdId) -> Option<usize> {
        self.slots.place(id)
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &CrowdConfig {
        &self.config
    }

    /// A ghost on the path an update describes, without a blend.
    fn believed(&self, update: &Update) -> Option<CrowdGhost> {
        let ghost = CrowdGhost::on_path(update.kinematics(), update.model(), self.origin)?;
        Some(CrowdGhost { seen_us: self.since_base_us(update.at()), ..ghost })
    }

    fn moment(&self, now: SimTime) -> Moment {
        let half_s = self.config.max_extrapolation.as_secs_f32() * 0.5;
        let per_four_halves = 0.25 / half_s;
        Moment { now_us: self.since_base_us(now), half_s, per_four_halves }
    }

    fn since_base_us(&self, at: SimTime) -> i32 {
        let us = at.as_micros().saturating_sub(self.base.as_micros());
        us.clamp(-REACH_US, REACH_US) as i32
    }

    /// Keeps the base near the present. All times move by the same whole number, so no
    /// difference between two changes, unless it is so long that the ghost is at rest.
    fn follow(&mut self, now: SimTime) {
        if now.as_micros().abs_diff(self.base.as_micros()) <= REBASE_US {
            return;
        }
        self.base = now;
        for place in 0..self.len() {
            let seen_us = self.since_base_us(self.records[place].seen_at);
            self.set_ghost(place, &CrowdGhost { seen_us, ..self.ghost(place) });
        }
    }

    fn ghost(&self, place: usize) -> CrowdGhost {
        self.blocks[place / LANES].ghost(place % LANES)
    }

    fn set_ghost(&mut self, place: usize, ghost: &CrowdGhost) {
        self.blocks[place / LANES].set_ghost(place % LANES, ghost);
    }
}
