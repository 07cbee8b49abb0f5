//! The ghost of a remote entity, of whichever sort its kind and class say.
//!
//! A picture that changes from one sort to the other shows another moment: it would leap by the
//! delay times the speed. What it is off in that moment, in place, speed and turn, is added to the
//! new picture and fades along a cubic that takes several times the difference of the delays, so
//! that nobody is shown at much more than its speed:
//!
//! ```text
//! old sort  ----------.
//!                      `-._       what it was off, fading
//! new sort  . . . . . . . .`----
//!                     ^ changes
//! ```

use core::time::Duration;

use reckoning::error::SettingError;
use reckoning::ghost::{Accepted, GhostStats};
use reckoning::ground::Pose;
use reckoning::math::{rotation, scaled_axis};
use reckoning::{
    Blend, DQuat, DVec3, DelayedGhost, Ghost, GhostConfig, Kinematics, SimTime, Update,
};

use crate::kinds::Show;

/// A change takes this many times the difference of the delays. The cubic is steepest at one and a
/// half times its mean, so a body is shown at up to 1.2 times its speed, and there is room for the
/// blends of updates that arrive meanwhile.
const SPANS_PER_DELAY: u32 = 8;
/// A change takes at least this long.
const LEAST_SPAN: Duration = Duration::from_millis(300);

/// Shows one entity of others, reckoned or delayed, and changes between the two without a jump.
#[derive(Clone, Debug)]
pub struct RemoteGhost {
    sort: Sort,
    change: Option<Change>,
}

/// Most entities are shown by one sort for all of their stay, so a box would only add a hop.
#[expect(clippy::large_enum_variant, reason = "few of a game's bodies are delayed, or nearly all")]
#[derive(Clone, Debug)]
enum Sort {
    Reckoned(Ghost),
    Delayed(DelayedGhost),
}

/// What the picture is off since it changed.
#[derive(Clone, Copy, Debug)]
struct Change {
    since: SimTime,
    span: Duration,
    /// The moment of the body from which on this is void: it leapt then.
    until: SimTime,
    position: DVec3,
    velocity: DVec3,
    turn: DVec3,
}

impl Change {
    /// How far it has come, from 0 to 1.
    fn progress(&self, now: SimTime) -> f64 {
        now.secs_since(self.since).max(0.0) / self.span.as_secs_f64()
    }

    /// What is left of place and turn.
    fn left(&self, now: SimTime) -> (DVec3, DVec3) {
        let s = self.progress(now);
        if s >= 1.0 {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let (place, speed) = (1.0 - s * s * (3.0 - 2.0 * s), s * (1.0 - s) * (1.0 - s));
        let span_s = self.span.as_secs_f64();
        (self.position * place + self.velocity * (speed * span_s), self.turn * place)
    }

    /// How fast what is left changes.
    fn velocity(&self, now: SimTime) -> DVec3 {
        let s = self.progress(now);
        if s >= 1.0 {
            return DVec3::ZERO;
        }
        let (place, speed) = (-6.0 * s * (1.0 - s), (1.0 - s) * (1.0 - 3.0 * s));
        self.position * (place / self.span.as_secs_f64()) + self.velocity * speed
    }
}

impl RemoteGhost {
    /// A ghost, born from the first update, which arrives `now`.
    pub(crate) fn born(show: Show, first: Update, now: SimTime) -> Result<Self, SettingError> {
        Ok(Self { sort: Sort::born(show, first, now)?, change: None })
    }

    /// A ghost that sets out at `now` from what is `shown` then, and goes to its first update.
    pub(crate) fn from_shown(
        show: Show,
        first: Update,
        shown: &Kinematics,
        now: SimTime,
    ) -> Result<Self, SettingError> {
        if let Show::Reckoned(config) = show {
            return Ok(Ghost::from_shown(config, first, shown, now)?.into());
        }
        let mut ghost = Self::born(show, first, now)?;
        let pose = Pose { position: shown.position, orientation: shown.orientation };
        ghost.change_from(pose, shown.velocity, Duration::ZERO, now);
        Ok(ghost)
    }

    /// Takes the first update of another owner, whatever its stamp: see [`Ghost::hand_over`].
    pub(crate) fn hand_over(&mut self, update: Update, now: SimTime) -> Accepted {
        match &mut self.sort {
            Sort::Reckoned(ghost) => ghost.hand_over(update, now),
            Sort::Delayed(ghost) => ghost.hand_over(update, now),
        }
    }

    /// Takes an update that arrives `now`.
    pub(crate) fn accept(&mut self, update: Update, now: SimTime) -> Accepted {
        let leaps = update.teleported_since(self.update());
        let accepted = match &mut self.sort {
            Sort::Reckoned(ghost) => ghost.accept(update, now),
            Sort::Delayed(ghost) => ghost.accept(update, now),
        };
        if let (true, Accepted::Newest, Some(change)) = (leaps, accepted, &mut self.change) {
            change.until = change.until.min(update.at());
        }
        accepted
    }

    /// Reckons by other settings from `now` on, as a host that rebuilds the picture has it.
    pub(crate) fn set_config(
        &mut self,
        config: GhostConfig,
        now: SimTime,
    ) -> Result<(), SettingError> {
        match &mut self.sort {
            Sort::Reckoned(ghost) => ghost.set_config(config, now),
            Sort::Delayed(_) => self.set_show(Show::Reckoned(config), now),
        }
    }

    /// Shows by other settings from `now` on, without a jump.
    pub(crate) fn set_show(&mut self, show: Show, now: SimTime) -> Result<(), SettingError> {
        if let (Sort::Reckoned(ghost), Show::Reckoned(config)) = (&mut self.sort, show)
            && config.blend != Blend::Snap
        {
            return ghost.set_config(config, now); // its own blend leads over
        }
        let before = (self.pose_at(now), self.velocity_at(now), self.delay_at(now));
        self.sort.set_show(show, now)?;
        let (pose, velocity, delay) = before;
        self.change_from(pose, velocity, delay, now);
        Ok(())
    }

    /// The picture was there until `now`, and so long ago.
    fn change_from(&mut self, pose: Pose, velocity: DVec3, delay: Duration, now: SimTime) {
        self.change = None;
        let moved = delay.abs_diff(self.delay_at(now)).saturating_mul(SPANS_PER_DELAY);
        let change = Change {
            since: now,
            span: moved.max(LEAST_SPAN),
            until: SimTime::MAX,
            position: pose.position - self.position_at(now),
            velocity: velocity - self.velocity_at(now),
            turn: scaled_axis(self.orientation_at(now).conjugate() * pose.orientation),
        };
        self.change = Some(change).filter(|it| it.position.is_finite() && it.velocity.is_finite());
    }

    /// How the drawn body moves.
    #[must_use]
    pub fn kinematics_at(&self, now: SimTime) -> Kinematics {
        let inner = match &self.sort {
            Sort::Reckoned(ghost) => ghost.kinematics_at(now),
            Sort::Delayed(ghost) => ghost.kinematics_at(now),
        };
        let (position, velocity) = (self.position_at(now), self.velocity_at(now));
        Kinematics { position, velocity, orientation: self.orientation_at(now), ..inner }
    }

    /// By which settings it shows.
    #[must_use]
    pub fn show(&self) -> Show {
        match &self.sort {
            Sort::Reckoned(ghost) => Show::Reckoned(*ghost.config()),
            Sort::Delayed(ghost) => Show::Delayed(*ghost.config()),
        }
    }

    /// Where to draw the body. Pure: any frame rate, any order, same answer.
    #[must_use]
    pub fn position_at(&self, now: SimTime) -> DVec3 {
        let shown = match &self.sort {
            Sort::Reckoned(ghost) => ghost.position_at(now),
            Sort::Delayed(ghost) => ghost.position_at(now),
        };
        self.change_at(now).map_or(shown, |change| shown + change.left(now).0)
    }

    /// How fast the drawn body moves.
    #[must_use]
    pub fn velocity_at(&self, now: SimTime) -> DVec3 {
        let shown = match &self.sort {
            Sort::Reckoned(ghost) => ghost.velocity_at(now),
            Sort::Delayed(ghost) => ghost.velocity_at(now),
        };
        self.change_at(now).map_or(shown, |change| shown + change.velocity(now))
    }

    /// How the drawn body is turned.
    #[must_use]
    pub fn orientation_at(&self, now: SimTime) -> DQuat {
        let shown = match &self.sort {
            Sort::Reckoned(ghost) => ghost.orientation_at(now),
            Sort::Delayed(ghost) => ghost.orientation_at(now),
        };
        let Some(change) = self.change_at(now) else { return shown };
        (shown * rotation(change.left(now).1)).normalize()
    }

    /// Where and how to draw the body.
    #[must_use]
    pub fn pose_at(&self, now: SimTime) -> Pose {
        Pose { position: self.position_at(now), orientation: self.orientation_at(now) }
    }

    /// The newest update it has.
    #[must_use]
    pub fn update(&self) -> &Update {
        match &self.sort {
            Sort::Reckoned(ghost) => ghost.update(),
            Sort::Delayed(ghost) => ghost.update(),
        }
    }

    /// How far in the past the body is shown; zero where it is reckoned.
    #[must_use]
    pub fn delay_at(&self, now: SimTime) -> Duration {
        match &self.sort {
            Sort::Reckoned(_) => Duration::ZERO,
            Sort::Delayed(ghost) => ghost.delay_at(now),
        }
    }

    /// The reckoned ghost; `None` where it is delayed.
    #[must_use]
    pub const fn reckoned(&self) -> Option<&Ghost> {
        if let Sort::Reckoned(ghost) = &self.sort { Some(ghost) } else { None }
    }

    /// The delayed ghost; `None` where it is reckoned.
    #[must_use]
    pub const fn delayed(&self) -> Option<&DelayedGhost> {
        if let Sort::Delayed(ghost) = &self.sort { Some(ghost) } else { None }
    }

    /// Counters for a status page, since it was last another sort.
    #[must_use]
    pub const fn stats(&self) -> &GhostStats {
        match &self.sort {
            Sort::Reckoned(ghost) => ghost.stats(),
            Sort::Delayed(ghost) => ghost.stats(),
        }
    }

    /// Whether the picture is between two sorts or settings.
    #[must_use]
    pub fn is_changing(&self, now: SimTime) -> bool {
        self.change_at(now).is_some()
    }

    fn change_at(&self, now: SimTime) -> Option<&Change> {
        let change = self.change.as_ref().filter(|change| change.progress(now) < 1.0)?;
        (now - self.delay_at(now) < change.until).then_some(change)
    }
}

impl From<Ghost> for RemoteGhost {
    fn from(ghost: Ghost) -> Self {
        Self { sort: Sort::Reckoned(ghost), change: None }
    }
}

impl Sort {
    fn born(show: Show, first: Update, now: SimTime) -> Result<Self, SettingError> {
        match show {
            Show::Reckoned(config) => Ghost::with_config(config, first, now).map(Self::Reckoned),
            Show::Delayed(config) => {
                DelayedGhost::with_config(config, first, now).map(Self::Delayed)
            }
            // A session puts its own settings in its place before.
            Show::BySession => Self::born(Show::Reckoned(GhostConfig::default()), first, now),
        }
    }

    /// A ghost of another sort begins with the newest update; one of the same keeps what it has.
    fn set_show(&mut self, show: Show, now: SimTime) -> Result<(), SettingError> {
        match (&mut *self, show) {
            (Self::Reckoned(ghost), Show::Reckoned(config)) => ghost.set_config(config, now),
            (Self::Delayed(ghost), Show::Delayed(config)) => ghost.set_config(config, now),
            (Self::Reckoned(ghost), Show::Delayed(_)) => {
                *self = Self::born(show, *ghost.update(), now)?;
                Ok(())
            }
            (Self::Delayed(ghost), Show::Reckoned(_)) => {
                *self = Self::born(show, *ghost.update(), now)?;
                Ok(())
            }
            (_, Show::BySession) => Ok(()),
        }
    }
}
