//! Settings that clients may change: their own simulated link, and how the server reckons.

use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::Model;
use reckoning::fairness::{Budget, Leftover, Policy, Weights};

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

/// How bodies are assumed to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Bots do what a trained predictor foresees, where the server has one; all others keep their
    /// acceleration for a moment.
    Learned = 4,
}

impl ModelChoice {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Linear, Self::Hold, Self::Damped, Self::Accelerating, Self::Learned];

    /// Those with a motion of their own.
    pub const PLAIN: [Self; 4] = [Self::Linear, Self::Hold, Self::Damped, Self::Accelerating];

    /// The engine's model. The spans suit walkers that stop within a fifth of a second.
    #[must_use]
    pub const fn model(self) -> Model {
        match self {
            Self::Linear => Model::Linear,
            Self::Hold => Model::Hold,
            Self::Damped => Model::Damped { fade: Duration::from_millis(800) },
            Self::Accelerating | Self::Learned => {
                Model::Accelerating { trust: Duration::from_millis(100) }
            }
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
    /// One in three on average by chance, clients with a larger claim more often.
    Probabilistic = 3,
    /// One in three on average by regular turns, clients with a larger claim more often.
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

    /// The engine's policy.
    #[must_use]
    pub const fn policy(self) -> Policy {
        let (budget, weights) = (Budget::THIRD, Weights::TEMPERED);
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

/// How the server reckons, for everyone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerTuning {
    /// How bodies are assumed to move.
    pub model: ModelChoice,
    /// Error of a client's guess that triggers an update; within [`Self::THRESHOLDS_PX`].
    pub threshold_px: f32,
    /// Which clients are sent an update when the budget does not allow all.
    pub policy: PolicyChoice,
}

impl Default for ServerTuning {
    fn default() -> Self {
        Self { model: ModelChoice::Accelerating, threshold_px: 4.0, policy: PolicyChoice::Base }
    }
}

impl ServerTuning {
    /// The least and the most of a threshold.
    pub const THRESHOLDS_PX: [f32; 2] = [0.5, 100.0];

    pub(super) fn put(self, out: &mut Vec<u8>) {
        out.put_u8(self.model as u8).put_f32(self.threshold_px).put_u8(self.policy as u8);
    }

    pub(super) fn take(from: &mut ByteReader<'_>) -> Result<Self, ProtocolError> {
        let wrong = |name| ProtocolError::Value { name };
        let model = ModelChoice::ALL.get(usize::from(from.u8()?)).copied();
        let threshold_px = from.f32("threshold_px")?;
        let policy = PolicyChoice::ALL.get(usize::from(from.u8()?)).copied();
        let [least, most] = Self::THRESHOLDS_PX;
        if !(least..=most).contains(&threshold_px) {
            return Err(wrong("threshold_px"));
        }
        let model = model.ok_or(wrong("model"))?;
        Ok(Self { model, threshold_px, policy: policy.ok_or(wrong("policy"))? })
    }
}
