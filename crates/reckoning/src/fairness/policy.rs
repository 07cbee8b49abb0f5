//! Policies that choose among listeners.

use core::num::NonZeroU32;
use core::time::Duration;

use super::{Budget, Weights};
use crate::error::SettingError;

/// Policy that decides which listener is sent an update, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Policy {
    /// Every update to everyone at once. Listeners farther away see larger errors.
    Base,
    /// Every `k`-th update to everyone, the others to nobody.
    EveryKth {
        /// One in this many triggers counts.
        k: NonZeroU32,
    },
    /// To the worst-off listener at once; to each other one at the moment its error will
    /// have grown to the worst one's. Levels the errors upwards: fair, but everyone sees
    /// more error than without.
    Scheduled {
        /// What becomes of a send that the next trigger overtakes.
        leftover: Leftover,
        /// How far ahead a send is planned: the longest time until the next trigger, such
        /// as the publisher's heartbeat.
        horizon: Duration,
    },
    /// Each listener with a probability that rises with its claim, within a budget.
    Probabilistic {
        /// Which part of the triggers a listener gets on average.
        budget: Budget,
        /// What makes a claim.
        weights: Weights,
    },
    /// Each listener regularly, the more often the larger its claim, within a budget: by turns
    /// that are fixed as soon as it is served, not by chance. Levels the errors and hardly
    /// raises their mean, if claims change slowly from one turn to the next:
    /// [`Weights::RECENT`] alone do not.
    Deterministic {
        /// Which part of the triggers a listener gets on average.
        budget: Budget,
        /// What makes a claim.
        weights: Weights,
    },
}

impl Policy {
    /// Checks what its parts do not.
    ///
    /// # Errors
    /// Refuses a planning horizon of zero.
    pub const fn validate(&self) -> Result<(), SettingError> {
        match self {
            Self::Scheduled { horizon, .. } if horizon.is_zero() => {
                Err(SettingError::SpanZero { name: "horizon" })
            }
            _ => Ok(()),
        }
    }

    /// Its budget, if it has one.
    #[must_use]
    pub const fn budget(&self) -> Option<Budget> {
        match self {
            Self::Probabilistic { budget, .. } | Self::Deterministic { budget, .. } => {
                Some(*budget)
            }
            Self::Base | Self::EveryKth { .. } | Self::Scheduled { .. } => None,
        }
    }
}

/// What [`Policy::Scheduled`] does with a planned send when a new update comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// It is never made: fewest bytes, but errors escalate (scheduling algorithm #1 of
    /// THESIS).
    Dropped,
    /// It is made at that moment, with the older update (scheduling algorithm #2).
    Flushed,
}

/// Settings for a [`Fairness`](crate::Fairness).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FairnessConfig {
    /// How listeners are chosen. Default: [`Policy::Base`]. A horizon must be above zero.
    pub policy: Policy,
    /// Seeds the chance in [`Policy::Probabilistic`]; give each body its own. Default: 0. Any
    /// value.
    pub seed: u64,
    /// Whether accounts of the listeners' errors are kept where the policy does not ask for them,
    /// [`Policy::Base`] and [`Policy::EveryKth`]: for those who read
    /// [`Fairness::accounts`](crate::Fairness::accounts). They are the expensive part. Default:
    /// `true`.
    pub accounts: bool,
}

impl Default for FairnessConfig {
    /// A few listeners at similar distances, and bytes to spare: everything to everyone.
    fn default() -> Self {
        Self { policy: Policy::Base, seed: 0, accounts: true }
    }
}

impl FairnessConfig {
    pub(super) const fn keeps_accounts(&self) -> bool {
        self.accounts || !matches!(self.policy, Policy::Base | Policy::EveryKth { .. })
    }

    pub(super) fn validate(&self) -> Result<(), SettingError> {
        self.policy.validate()
    }
}
