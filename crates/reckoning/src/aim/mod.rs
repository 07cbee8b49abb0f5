//! Aimed lines: a foreseen path published as the straight line that fits it best a moment ahead.
//!
//! A curve costs more than twice the bytes of a line, and what listeners see of an update is mostly
//! what it says of the moments some tenths of a second after its stamp: before that it is under way.
//! An [`AimedPlanner`] takes the path that another [`Planner`] foresees and publishes the line that
//! comes closest to it there. More lines fit into the same bytes.
//!
//! ```text
//! foreseen  o-.                        the truth at the stamp
//!         p'   `-.                     where the line begins, if it may begin beside the truth
//!            *----`*=======*----       fits best from 200 to 500 ms ahead
//! ```
//!
//! Where that moment lies depends on the listeners: whoever hears of a body behind a delay sees a
//! line from then on, until the next arrives. [`AimConfig::for_delay`] moves the window there, and
//! [`AimConfig::judge_ahead`] says how far ahead a publisher judges that goes with a window.
//!
//! The rest of the engine relies on these properties:
//! - a line begins at the truth, or at most [`AimConfig::max_offset`] of the publisher's threshold
//!   from it; its velocity is that of a moment later. A [`Guard`] whose tolerance is so much wider at
//!   both ends of a way, and that allows for the
//!   [`foresight`](crate::guard::GuardConfig::foresight), corrects no honest body;
//! - a line is never faster than the foreseen path is within the window, unless it was bounded;
//! - a body at rest is published where it is, at rest.
//!
//! [`Guard`]: crate::Guard

mod line;
mod payload;

use core::time::Duration;

use glam::DVec3;

use crate::error::SettingError;
use crate::publisher::FORECAST_INTERVAL;
use crate::{ExportReason, Kinematics, Model, Planner, SimTime};
use payload::PayloadCost;

pub use line::{AimWindow, Line};

/// How long the window of a line is: about as long as one is shown.
const WINDOW: Duration = Duration::from_millis(300);
/// Delays that lines are aimed for. Behind a shorter one the rounding of moments to ticks counts for
/// more, and what is foreseen for longer than the longest is little more than a guess.
const AIMED_DELAYS: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(400)];

/// Settings for an [`AimedPlanner`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct AimConfig {
    /// Where the window begins, ahead of the stamp. Default: 200 ms. Any span below `to`.
    pub from: Duration,
    /// Where it ends. Default: 500 ms. At most ten seconds.
    pub to: Duration,
    /// How far from the truth a line may begin, as a share of the publisher's threshold. Zero keeps
    /// the true position and chooses the velocity only; half shows up to a twentieth less error
    /// behind short delays, and nobody can rely on positions any more. Default: 0. From 0 to 1.
    pub max_offset: f64,
    /// What an update costs besides its body: its share of the headers that it travels under.
    /// Little where many updates share a datagram, 40 and more where each is a datagram of its own.
    /// Default: 2 bytes. Finite, not negative.
    pub overhead_bytes: f64,
    /// What a line costs, its address and its motion. Default: 4.5 bytes, as `reckoning-net` writes
    /// it on the grid that is recommended for a threshold. Finite, above 0.
    pub line_bytes: f64,
    /// What a curve costs; infinite where lines shall be published, whatever they cost. Default:
    /// 11.5 bytes, likewise. Above 0.
    pub curve_bytes: f64,
}

impl Default for AimConfig {
    /// Updates of bodies that share their datagrams, as a host sends them.
    fn default() -> Self {
        Self {
            from: Duration::from_millis(200),
            to: Duration::from_millis(500),
            max_offset: 0.0,
            overhead_bytes: 2.0,
            line_bytes: 4.5,
            curve_bytes: 11.5,
        }
    }
}

impl AimConfig {
    /// For listeners who hear of a body behind this delay, one way and in all: the window begins
    /// when an update arrives and is 300 ms long. Delays count as 50 ms at least and 400 at most.
    ///
    /// ```
    /// use core::time::Duration;
    /// use reckoning::{AimConfig, PublisherConfig};
    ///
    /// let aim = AimConfig::for_delay(Duration::from_millis(120));
    /// assert_eq!((aim.from.as_millis(), aim.to.as_millis()), (120, 420));
    /// let mut config = PublisherConfig::default();
    /// config.judge_ahead = Some(aim.judge_ahead());
    /// assert_eq!(aim.judge_ahead().as_millis(), 270);
    /// ```
    #[must_use]
    pub fn for_delay(delay: Duration) -> Self {
        let [least, most] = AIMED_DELAYS;
        let from = delay.clamp(least, most);
        Self { from, to: from + WINDOW, ..Self::default() }
    }

    /// How far ahead a publisher does best to judge with this window: in its middle, where a line
    /// is to be right. See [`PublisherConfig::judge_ahead`](crate::PublisherConfig::judge_ahead).
    #[must_use]
    pub fn judge_ahead(&self) -> Duration {
        self.from + self.to.saturating_sub(self.from) / 2
    }

    /// Checks every setting; [`AimedPlanner::new`] does so too.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), SettingError> {
        AimWindow::new(self.from, self.to)?;
        SettingError::in_range("max_offset", self.max_offset, 0.0, 1.0)?;
        SettingError::in_range("overhead_bytes", self.overhead_bytes, 0.0, f64::MAX)?;
        SettingError::in_range("line_bytes", self.line_bytes, f64::MIN_POSITIVE, f64::MAX)?;
        SettingError::in_range("curve_bytes", self.curve_bytes, f64::MIN_POSITIVE, f64::INFINITY)?;
        Ok(())
    }
}

/// Publishes what another planner foresees as straight lines, where that is cheaper than curves.
///
/// ```
/// use reckoning::aim::{AimConfig, AimedPlanner};
/// use reckoning::{DVec3, Kinematics, Model, Publisher, PublisherConfig, SimTime};
/// use core::time::Duration;
///
/// let braking = Model::Damped { fade: Duration::from_millis(500) }; // any planner that foresees
/// let mut planner = AimedPlanner::new(braking, AimConfig::default(), 0.25)?;
/// let at = |ms, x| Kinematics::moving(SimTime::from_millis(ms), DVec3::X * x, DVec3::X * 4.0);
/// let (mut publisher, _) = Publisher::start(PublisherConfig::default(), &at(0, 0.0))?;
/// let update = publisher.observe_planned(&at(100, 1.0), &mut planner, &()).expect("0.6 m off");
/// assert_eq!(*update.model(), Model::Linear);
/// let ahead = update.position_at(SimTime::from_millis(450)).x; // braking would be at 2.007
/// assert!((ahead - 2.007).abs() < 0.02, "{ahead}");
/// # Ok::<(), reckoning::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AimedPlanner<P> {
    inner: P,
    aim: Aim,
}

impl<P> AimedPlanner<P> {
    /// Aims what `inner` foresees, for a publisher whose threshold is `bound_m`.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn new(inner: P, config: AimConfig, bound_m: f64) -> Result<Self, SettingError> {
        Ok(Self { inner, aim: Aim::new(config, bound_m)? })
    }

    /// The planner that foresees.
    pub const fn inner(&self) -> &P {
        &self.inner
    }

    /// The planner that foresees, to follow changes.
    pub const fn inner_mut(&mut self) -> &mut P {
        &mut self.inner
    }

    /// Follows a change of the publisher's threshold.
    pub const fn set_bound_m(&mut self, bound_m: f64) {
        self.aim.set_bound_m(bound_m);
    }

    /// Whether lines are published now, rather than curves.
    #[must_use]
    pub fn publishes_lines(&self) -> bool {
        self.aim.publishes_lines()
    }
}

impl<S: ?Sized, P: Planner<S>> Planner<S> for AimedPlanner<P> {
    fn observe(&mut self, truth: &Kinematics, around: &S) {
        self.inner.observe(truth, around);
    }

    /// What is foreseen, not aimed.
    fn plan(&mut self, truth: &Kinematics, around: &S, reason: ExportReason) -> Model {
        self.inner.plan(truth, around, reason)
    }

    fn plan_state(
        &mut self,
        truth: &Kinematics,
        around: &S,
        reason: ExportReason,
    ) -> (Kinematics, Model) {
        let foreseen = self.inner.plan(truth, around, reason);
        self.aim.published(truth, foreseen)
    }

    fn forecast(&mut self, truth: &Kinematics, around: &S) -> Option<Model> {
        let foreseen = self.inner.forecast(truth, around)?;
        self.aim.observe(truth, &foreseen);
        Some(foreseen)
    }

    fn looks_around(&self, truth: &Kinematics) -> bool {
        self.inner.looks_around(truth)
    }

    fn restart(&mut self) {
        self.aim.restart();
        self.inner.restart();
    }
}

/// The part of an [`AimedPlanner`] that aims, for callers that plan by themselves.
#[derive(Clone, Debug)]
pub struct Aim {
    config: AimConfig,
    window: AimWindow,
    bound_m: f64,
    cost: PayloadCost,
    /// When the next look is due.
    observe_at: SimTime,
}

impl Aim {
    /// Aims for a publisher whose threshold is `bound_m`.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn new(config: AimConfig, bound_m: f64) -> Result<Self, SettingError> {
        config.validate()?;
        let window = AimWindow::new(config.from, config.to)?;
        Ok(Self {
            config,
            window,
            bound_m,
            cost: PayloadCost::new(&config),
            observe_at: SimTime::MIN,
        })
    }

    /// Follows a change of the publisher's threshold.
    pub const fn set_bound_m(&mut self, bound_m: f64) {
        self.bound_m = bound_m;
    }

    /// Whether lines are published now, rather than curves.
    #[must_use]
    pub fn publishes_lines(&self) -> bool {
        self.cost.favours_lines()
    }

    /// Takes what is foreseen of a truth, to learn how long lines and curves last. Looked at twenty
    /// times a second at most.
    pub fn observe(&mut self, truth: &Kinematics, foreseen: &Model) {
        if self.cost.is_settled() || truth.at < self.observe_at {
            return;
        }
        self.observe_at = truth.at + FORECAST_INTERVAL;
        let line = self.line_of(truth, foreseen, self.config.max_offset * self.bound_m);
        let ahead_s = self.config.from.as_secs_f64();
        self.cost.observe(truth, foreseen, &line, ahead_s, self.bound_m);
    }

    /// What listeners shall have of a truth that is foreseen so, and the model to carry it on with.
    #[must_use]
    pub fn published(&self, truth: &Kinematics, foreseen: Model) -> (Kinematics, Model) {
        if self.publishes_lines() {
            self.as_line(truth, foreseen, self.config.max_offset * self.bound_m)
        } else {
            (*truth, foreseen)
        }
    }

    /// The same as a line that begins at the truth: where beside it is a wall.
    #[must_use]
    pub fn from_truth(&self, truth: &Kinematics, foreseen: Model) -> (Kinematics, Model) {
        self.as_line(truth, foreseen, 0.0)
    }

    fn as_line(&self, truth: &Kinematics, foreseen: Model, max_m: f64) -> (Kinematics, Model) {
        if !is_path(&foreseen) {
            return (*truth, foreseen);
        }
        let line = self.line_of(truth, &foreseen, max_m);
        if line.validate().is_ok() { (line, Model::Linear) } else { (*truth, foreseen) }
    }

    /// The line of a foreseen path, as a state.
    fn line_of(&self, truth: &Kinematics, foreseen: &Model, max_m: f64) -> Kinematics {
        if truth.velocity == DVec3::ZERO {
            return Kinematics { acceleration: DVec3::ZERO, ..*truth };
        }
        let free = self.window.line(truth, foreseen);
        let Line { offset, velocity } = self.window.bounded(&free, max_m);
        let position = truth.position + offset;
        Kinematics { position, velocity, acceleration: DVec3::ZERO, ..*truth }
    }

    /// The body is somewhere else.
    pub const fn restart(&mut self) {
        self.observe_at = SimTime::MIN;
        self.cost.restart();
    }
}

/// Whether a model foresees a free path through space that a line can stand for. What falls, rides
/// a line or is somebody else's motion is published as it is.
const fn is_path(model: &Model) -> bool {
    matches!(
        model,
        Model::Curve(_)
            | Model::Damped { .. }
            | Model::Decaying { .. }
            | Model::Accelerating { .. }
            | Model::Arc
            | Model::Linear
            | Model::Hold
    )
}
