//! Chooser: whichever of five predictors costs a body the fewest updates, learned while it moves.
//!
//! Constant velocity, a velocity that dies away, play patterns (SHI), interests (LI) and trends
//! (STEELE) each suit some bodies and not others, and nobody knows beforehand which. A
//! [`ChooserPlanner`] runs all five in the shadow as if each alone published the body, counts what
//! each would have sent, and publishes by the one that it trusts. Nothing is trained, and nothing
//! but the updates of the body itself is learned from.
//!
//! Whatever the body does, it costs in expectation at most `1.078 L + 12 + 0.0036 T` updates, where
//! L is what the best of the five would have sent and T counts the moments at which any of them
//! would have; `experts.rs` says why, and tests hold it.
//!
//! An expert that lacks what it looks at, a scene or a trend map, goes on as constant velocity does,
//! so that it never costs more than its share of the trust.

use core::time::Duration;

use crate::experts::Experts;
use crate::shadow::Shadow;
use crate::{
    Behaviour, Interest, InterestConfig, Patterns, PatternsConfig, Surroundings, Trended,
    TrendedConfig,
};
use reckoning::error::SettingError;
use reckoning::{ConfigError, ExportReason, Kinematics, Model, Planner};

/// Settings for a [`ChooserPlanner`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct ChooserConfig {
    /// How soon the velocity of the expert that lets it die away does so. Default: 1 s. Above zero.
    pub fade: Duration,
    /// The play patterns, in the units of the game; `avoid_walls` counts where the scene has routes.
    /// Default: [`PatternsConfig::default`].
    pub patterns: PatternsConfig,
    /// The interests, in the units of the game. Default: [`InterestConfig::default`].
    pub interest: InterestConfig,
    /// The trends. Default: [`TrendedConfig::default`].
    pub trend: TrendedConfig,
}

impl Default for ChooserConfig {
    /// Velocities that fade within a second; the others as their documents have them, in pixels.
    fn default() -> Self {
        Self {
            fade: Duration::from_secs(1),
            patterns: PatternsConfig::default(),
            interest: InterestConfig::default(),
            trend: TrendedConfig::default(),
        }
    }
}

impl ChooserConfig {
    /// Patterns and interests at another scale: every length times `factor`. A game in metres with
    /// players 0.6 m wide scales by 0.01.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.patterns = self.patterns.scaled(factor);
        self.interest = self.interest.scaled(factor);
        self
    }

    /// Checks every setting; [`ChooserPlanner::new`] does so too.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.behaviours().map(|_| ())
    }

    fn behaviours(&self) -> Result<[Behaviour; 3], ConfigError> {
        SettingError::in_range("fade", self.fade.as_secs_f64(), f64::MIN_POSITIVE, f64::MAX)?;
        Ok([
            Behaviour::Patterns(Patterns::new(self.patterns)?),
            Behaviour::Interest(Interest::new(self.interest)?),
            Behaviour::Trended(Trended::new(self.trend)?),
        ])
    }
}

/// What predicts a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChooserExpert {
    /// Constant velocity.
    Linear,
    /// A velocity that dies away.
    Damped,
    /// Play patterns: needs a scene.
    Patterns,
    /// Interests: needs a scene.
    Interest,
    /// Trends: needs a scene with a trend map.
    Trend,
}

const EXPERTS: usize = 5;
/// All are trusted alike before a body has moved.
const PRIOR: [f64; EXPERTS] = [1.0 / EXPERTS as f64; EXPERTS];

impl ChooserExpert {
    /// All of them, in the order of [`ChooserPlanner::trust`].
    pub const ALL: [Self; EXPERTS] =
        [Self::Linear, Self::Damped, Self::Patterns, Self::Interest, Self::Trend];

    const fn looks_around(self) -> bool {
        !matches!(self, Self::Linear | Self::Damped)
    }
}

/// Plans for one body by whichever expert it has been cheapest with.
///
/// Hand it to [`Publisher::observe_planned`](reckoning::Publisher::observe_planned) each tick.
///
/// ```
/// use reckoning::{DVec3, Kinematics, Publisher, PublisherConfig, SimTime};
/// use reckoning_predict::{ChooserConfig, ChooserExpert, ChooserPlanner, Surroundings};
///
/// // Starts fast and slows down, again and again: what dies away foresees it best.
/// let dashing = |tick: i64| {
///     let at = SimTime::from_tick(tick, 60);
///     let (dashes, left) = (tick / 120, (-((tick % 120) as f64) / 60.0).exp());
///     let x = 4.0 * (dashes as f64 * (1.0 - (-2.0_f64).exp()) + 1.0 - left);
///     Kinematics::moving(at, DVec3::X * x, DVec3::X * (4.0 * left))
/// };
/// let config = PublisherConfig::default();
/// let mut planner = ChooserPlanner::new(ChooserConfig::default(), 0.25, 1)?;
/// let (mut publisher, _) = Publisher::start(config, &dashing(0))?;
/// for tick in 1..6_000 {
///     publisher.observe_planned(&dashing(tick), &mut planner, &Surroundings::default());
/// }
/// assert_eq!(planner.expert(), ChooserExpert::Damped);
/// # Ok::<(), reckoning::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChooserPlanner {
    fade: Duration,
    behaviours: [Behaviour; 3],
    bound_m: f64,
    experts: Experts<EXPERTS>,
    shadows: [Option<Shadow>; EXPERTS],
}

impl ChooserPlanner {
    /// A planner for a body of which nothing is known yet, whose publisher allows a stray of
    /// `bound_m`. `seed` is that of the choice: give each body its own.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn new(config: ChooserConfig, bound_m: f64, seed: u64) -> Result<Self, ConfigError> {
        Ok(Self {
            fade: config.fade,
            behaviours: config.behaviours()?,
            bound_m,
            experts: Experts::new(PRIOR, seed),
            shadows: [None; EXPERTS],
        })
    }

    /// The expert in force.
    #[must_use]
    pub const fn expert(&self) -> ChooserExpert {
        ChooserExpert::ALL[self.experts.chosen()]
    }

    /// How much each expert is trusted; the sum is one.
    #[must_use]
    pub fn trust(&self) -> [(ChooserExpert, f64); EXPERTS] {
        let shares = self.experts.shares();
        core::array::from_fn(|k| (ChooserExpert::ALL[k], shares[k]))
    }

    /// Follows a change of the publisher's threshold.
    pub const fn set_bound_m(&mut self, bound_m: f64) {
        self.bound_m = bound_m;
    }

    /// The plan of an expert, whether or not it is in force.
    #[must_use]
    pub fn plan_of(
        &self,
        expert: ChooserExpert,
        truth: &Kinematics,
        around: &Surroundings<'_>,
    ) -> Model {
        let [patterns, interest, trended] = self.behaviours;
        let has_trends = around.scene.is_some_and(|scene| scene.trends.is_some());
        let mut behaviour = match expert {
            ChooserExpert::Damped => return Model::Damped { fade: self.fade },
            ChooserExpert::Patterns => patterns,
            ChooserExpert::Interest => interest,
            ChooserExpert::Trend if has_trends => trended,
            ChooserExpert::Linear | ChooserExpert::Trend => return Model::Linear,
        };
        Planner::plan(&mut behaviour, truth, around, ExportReason::Position)
    }

    /// Whether this expert, alone, would have to publish now.
    fn has_lost(&self, expert: usize, truth: &Kinematics) -> bool {
        self.shadows[expert].as_ref().is_none_or(|shadow| shadow.has_strayed(truth, self.bound_m))
    }

    /// Those not in force who, alone, would have to publish now. The one in force is watched by the
    /// publisher, who asks for a plan in time.
    fn losers(&self, truth: &Kinematics) -> [bool; EXPERTS] {
        let in_force = self.experts.chosen();
        core::array::from_fn(|expert| expert != in_force && self.has_lost(expert, truth))
    }
}

impl Planner<Surroundings<'_>> for ChooserPlanner {
    /// A truth that is not finite is ignored.
    fn observe(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        if truth.validate().is_err() {
            return;
        }
        let lost = self.losers(truth);
        for (place, _) in lost.iter().enumerate().filter(|(_, lost)| **lost) {
            let plan = self.plan_of(ChooserExpert::ALL[place], truth, around);
            self.shadows[place] = Some(Shadow::new(truth, &plan));
        }
        self.experts.judge(lost);
    }

    /// The plan of the expert in force; a body that came to rest holds still.
    fn plan(
        &mut self,
        truth: &Kinematics,
        around: &Surroundings<'_>,
        reason: ExportReason,
    ) -> Model {
        let in_force = self.experts.chosen();
        let plan = self.plan_of(self.expert(), truth, around);
        // An update for another reason, a heartbeat or a newcomer, is nobody's loss.
        if self.has_lost(in_force, truth) {
            self.shadows[in_force] = Some(Shadow::new(truth, &plan));
            self.experts.judge(core::array::from_fn(|expert| expert == in_force));
        }
        if reason == ExportReason::Stop { Model::Hold } else { plan }
    }

    /// The plan of the expert in force, of which nobody is told.
    fn forecast(&mut self, truth: &Kinematics, around: &Surroundings<'_>) -> Option<Model> {
        Some(self.plan_of(self.expert(), truth, around))
    }

    /// Only when an expert that looks around has strayed in the shadow.
    fn looks_around(&self, truth: &Kinematics) -> bool {
        let lost = self.losers(truth).into_iter().zip(ChooserExpert::ALL);
        lost.into_iter().any(|(lost, expert)| lost && expert.looks_around())
    }

    /// Whom to trust is kept.
    fn restart(&mut self) {
        self.shadows = [None; EXPERTS];
    }
}
