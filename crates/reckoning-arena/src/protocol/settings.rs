//! Settings that clients may change: their own simulated link, and how the server reckons.

use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::Model;
use reckoning::fairness::{Budget, Leftover, Policy, Weights};
use reckoning_net::{LearnedKind, PlannerKind};
use reckoning_predict::{InterestConfig, PatternsConfig, PheromoneConfig, TrendedConfig};

use super::ProtocolError;
use super::bytes::{ByteReader, Put};

/// A simulated link between the server and one client, the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkChoice {
    /// One way; at most [`Self::MAX_DELAY_MS`].
    pub delay_ms: u16,
    /// Standard deviation of the delay; at most [`Self::MAX_JITTER_MS`].
    pub jitter_ms: u16,
    /// Lost datagrams in a hundred; at most [`Self::MAX_LOSS_PERCENT`].
    pub loss_percent: u8,
    /// Mean length of a run of losses; 1 loses single ones, at most [`Self::MAX_BURST`].
    pub burst: u8,
}

impl LinkChoice {
    /// The longest delay.
    pub const MAX_DELAY_MS: u16 = 1_000;
    /// The strongest jitter.
    pub const MAX_JITTER_MS: u16 = 300;
    /// The heaviest loss.
    pub const MAX_LOSS_PERCENT: u8 = 50;
    /// The longest runs of losses.
    pub const MAX_BURST: u8 = 20;
    /// Nothing is simulated.
    pub const NONE: Self = Self { delay_ms: 0, jitter_ms: 0, loss_percent: 0, burst: 1 };

    pub(super) fn put(self, out: &mut Vec<u8>) {
        out.put_u16(self.delay_ms).put_u16(self.jitter_ms);
        out.put_u8(self.loss_percent).put_u8(self.burst);
    }

    pub(super) fn take(from: &mut ByteReader<'_>) -> Result<Self, ProtocolError> {
        let (delay_ms, jitter_ms) = (from.u16()?, from.u16()?);
        let (loss_percent, burst) = (from.u8()?, from.u8()?);
        let checks = [
            ("delay_ms", delay_ms <= Self::MAX_DELAY_MS),
            ("jitter_ms", jitter_ms <= Self::MAX_JITTER_MS),
            ("loss_percent", loss_percent <= Self::MAX_LOSS_PERCENT),
            ("burst", (1..=Self::MAX_BURST).contains(&burst)),
        ];
        match checks.into_iter().find(|it| !it.1) {
            Some((name, _)) => Err(ProtocolError::Value { name }),
            None => Ok(Self { delay_ms, jitter_ms, loss_percent, burst }),
        }
    }
}

/// How bodies are assumed to move: by a plain model, or as a planner foresees.
///
/// Planners look at what is around a body: [`Planning`](crate::planning::Planning). Where the side
/// that moves a body cannot run the chosen one, the body keeps its acceleration for a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ModelChoice {
    /// They keep their velocity.
    Linear = 0,
    /// They stay where they were last seen.
    Hold = 1,
    /// They lose their velocity, as players do.
    Damped = 2,
    /// They keep their acceleration for a moment.
    Accelerating = 3,
    /// They do what a trained network foresees.
    Learned = 4,
    /// They are drawn by weaker players and by items (LI).
    Interest = 5,
    /// They go straight on for half a second, then as [`Interest`](Self::Interest).
    InterestHybrid = 6,
    /// They follow friends, and face or flee enemies (SHI).
    Ekb = 7,
    /// As [`Ekb`](Self::Ekb), or straight on for those who keep their direction.
    EkbHybrid = 8,
    /// As [`Ekb`](Self::Ekb), round the walls.
    Oaekb = 9,
    /// As [`EkbHybrid`](Self::EkbHybrid), round the walls.
    OaekbHybrid = 10,
    /// They accelerate as bodies do at that place (STEELE).
    Trend = 11,
    /// They are drawn by the trails of others.
    Pheromone = 12,
}

/// How wide SHI's players are, and how fast LI's tanks: the lengths of their settings.
const SHI_WIDTH_PX: f64 = 60.0;
const LI_SPEED_PX_S: f64 = 40.0;

impl ModelChoice {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 13] = [
        Self::Linear,
        Self::Hold,
        Self::Damped,
        Self::Accelerating,
        Self::Learned,
        Self::Interest,
        Self::InterestHybrid,
        Self::Ekb,
        Self::EkbHybrid,
        Self::Oaekb,
        Self::OaekbHybrid,
        Self::Trend,
        Self::Pheromone,
    ];

    /// Those with a motion of their own.
    pub const PLAIN: [Self; 4] = [Self::Linear, Self::Hold, Self::Damped, Self::Accelerating];

    /// As settings files and the lab call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Hold => "hold",
            Self::Damped => "damped",
            Self::Accelerating => "accelerating",
            Self::Learned => "learned",
            Self::Interest => "interest",
            Self::InterestHybrid => "interest-hybrid",
            Self::Ekb => "ekb",
            Self::EkbHybrid => "ekb-hybrid",
            Self::Oaekb => "oaekb",
            Self::OaekbHybrid => "oaekb-hybrid",
            Self::Trend => "trend",
            Self::Pheromone => "pheromone",
        }
    }

    /// The engine's model, for all that no planner plans. The spans suit walkers that stop within a
    /// fifth of a second.
    #[must_use]
    pub const fn model(self) -> Model {
        match self {
            Self::Linear => Model::Linear,
            Self::Hold => Model::Hold,
            Self::Damped => Model::Damped { fade: Duration::from_millis(800) },
            _ => Model::Accelerating { trust: Duration::from_millis(100) },
        }
    }

    /// The planner, its lengths scaled to bodies of this width and top speed.
    #[must_use]
    pub fn planner(self, width_px: f64, top_speed_px_s: f64) -> PlannerKind {
        let interest = InterestConfig::default().scaled(top_speed_px_s / LI_SPEED_PX_S);
        let patterns = PatternsConfig::default().scaled(width_px / SHI_WIDTH_PX);
        match self {
            Self::Linear | Self::Hold | Self::Damped | Self::Accelerating => PlannerKind::Model,
            Self::Learned => PlannerKind::Learned(LearnedKind::default()),
            Self::Interest => PlannerKind::Interest(interest),
            Self::InterestHybrid => PlannerKind::InterestHybrid(interest),
            Self::Ekb => PlannerKind::Ekb(patterns),
            Self::EkbHybrid => PlannerKind::EkbHybrid(patterns),
            Self::Oaekb => PlannerKind::Oaekb(patterns),
            Self::OaekbHybrid => PlannerKind::OaekbHybrid(patterns),
            Self::Trend => PlannerKind::Trend(TrendedConfig::default()),
            Self::Pheromone => PlannerKind::Pheromone(PheromoneConfig::default()),
        }
    }
}

/// Which clients are sent an update when the budget does not allow all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PolicyChoice {
    /// All that need it, as the budget allows.
    Base = 0,
    /// Every third.
    EveryThird = 1,
    /// By a schedule of errors.
    Scheduled = 2,
    /// A part of them by chance, clients with a larger claim more often.
    Probabilistic = 3,
    /// A part of them by regular turns, clients with a larger claim more often.
    Deterministic = 4,
    /// By a schedule of errors; what the next update overtakes is not sent.
    ScheduledDropped = 5,
}

/// A planned update comes at the latest with the next heartbeat of an ordinary publisher.
const HORIZON: Duration = Duration::from_millis(500);
const EVERY: NonZeroU32 = NonZeroU32::new(3).expect("three is not zero");

impl PolicyChoice {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Base,
        Self::EveryThird,
        Self::Scheduled,
        Self::Probabilistic,
        Self::Deterministic,
        Self::ScheduledDropped,
    ];

    /// Whether it shares a budget out by weights.
    #[must_use]
    pub const fn has_weights(self) -> bool {
        matches!(self, Self::Probabilistic | Self::Deterministic)
    }

    /// The engine's policy. Budget and weights count where it [has them](Self::has_weights).
    #[must_use]
    pub const fn policy(self, budget: Budget, weights: Weights) -> Policy {
        match self {
            Self::Base => Policy::Base,
            Self::EveryThird => Policy::EveryKth { k: EVERY },
            Self::Scheduled => Policy::Scheduled { leftover: Leftover::Flushed, horizon: HORIZON },
            Self::ScheduledDropped => {
                Policy::Scheduled { leftover: Leftover::Dropped, horizon: HORIZON }
            }
            Self::Probabilistic => Policy::Probabilistic { budget, weights },
            Self::Deterministic => Policy::Deterministic { budget, weights },
        }
    }
}

/// What makes a client deserve the next update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum WeightsChoice {
    /// Three quarters by all of its error, one by how long it waits.
    Tempered = 0,
    /// All of its error.
    Accumulated = 1,
    /// Its latest error.
    Recent = 2,
    /// How long it waits.
    Waiting = 3,
    /// A third of each.
    Thirds = 4,
    /// Half by all of its error, half by the latest.
    Errors = 5,
}

impl WeightsChoice {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Tempered,
        Self::Accumulated,
        Self::Recent,
        Self::Waiting,
        Self::Thirds,
        Self::Errors,
    ];

    /// The engine's weights.
    #[must_use]
    pub const fn weights(self) -> Weights {
        match self {
            Self::Tempered => Weights::TEMPERED,
            Self::Accumulated => Weights::ACCUMULATED,
            Self::Recent => Weights::RECENT,
            Self::Waiting => Weights::WAITING,
            Self::Thirds => Weights::THIRDS,
            Self::Errors => Weights::ERRORS,
        }
    }
}

/// How the server reckons, for everyone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerTuning {
    /// How bodies are assumed to move.
    pub model: ModelChoice,
    /// Error of a client's guess that triggers an update; within [`Self::THRESHOLDS_PX`].
    pub threshold_px: f32,
    /// Which clients are sent an update when the budget does not allow all.
    pub policy: PolicyChoice,
    /// Part of the updates that each client gets, in hundredths, where the policy has a budget; within
    /// [`Self::BUDGETS_PERCENT`].
    pub budget_percent: u8,
    /// What makes a claim on it.
    pub weights: WeightsChoice,
    /// Whether bodies near a client are shown as they were a moment ago. Shots through the past do
    /// not hit them then.
    pub near_delayed: bool,
    /// The same for those that are far away.
    pub far_delayed: bool,
}

impl Default for ServerTuning {
    fn default() -> Self {
        Self {
            model: ModelChoice::Accelerating,
            threshold_px: 4.0,
            policy: PolicyChoice::Base,
            budget_percent: 33,
            weights: WeightsChoice::Tempered,
            near_delayed: false,
            far_delayed: false,
        }
    }
}

impl ServerTuning {
    /// The least and the most of a threshold.
    pub const THRESHOLDS_PX: [f32; 2] = [0.5, 100.0];
    /// The least and the most of a budget.
    pub const BUDGETS_PERCENT: [u8; 2] = [5, 100];

    /// The engine's policy.
    #[must_use]
    pub fn policy(&self) -> Policy {
        let share = f64::from(self.budget_percent) / 100.0;
        let budget = Budget::per_listener(share).unwrap_or(Budget::THIRD);
        self.policy.policy(budget, self.weights.weights())
    }

    pub(super) fn put(self, out: &mut Vec<u8>) {
        out.put_u8(self.model as u8).put_f32(self.threshold_px).put_u8(self.policy as u8);
        out.put_u8(self.budget_percent).put_u8(self.weights as u8);
        out.put_u8(u8::from(self.near_delayed)).put_u8(u8::from(self.far_delayed));
    }

    pub(super) fn take(from: &mut ByteReader<'_>) -> Result<Self, ProtocolError> {
        let wrong = |name| ProtocolError::Value { name };
        let model = ModelChoice::ALL.get(usize::from(from.u8()?)).copied();
        let threshold_px = from.f32("threshold_px")?;
        let policy = PolicyChoice::ALL.get(usize::from(from.u8()?)).copied();
        let budget_percent = from.u8()?;
        let weights = WeightsChoice::ALL.get(usize::from(from.u8()?)).copied();
        let [least, most] = Self::THRESHOLDS_PX;
        if !(least..=most).contains(&threshold_px) {
            return Err(wrong("threshold_px"));
        }
        let [least, most] = Self::BUDGETS_PERCENT;
        if !(least..=most).contains(&budget_percent) {
            return Err(wrong("budget_percent"));
        }
        Ok(Self {
            model: model.ok_or(wrong("model"))?,
            threshold_px,
            policy: policy.ok_or(wrong("policy"))?,
            budget_percent,
            weights: weights.ok_or(wrong("weights"))?,
            near_delayed: from.flag("near_delayed")?,
            far_delayed: from.flag("far_delayed")?,
        })
    }
}
