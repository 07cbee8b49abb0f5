//! Settings of a simulated link, and their validation.

use std::fmt;
use std::time::Duration;

/// What a simulated network does to the datagrams of one receiver.
///
/// The default is perfect: everything arrives once, in order, at once. Write
/// `LinkConfig { delay, ..LinkConfig::default() }`, so that a new field does not break you.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkConfig {
    /// One-way delay without jitter. Default: zero.
    pub delay: Duration,
    /// Variation of the delay from datagram to datagram; large jitter reorders. Default: none.
    pub jitter: Jitter,
    /// Which datagrams never arrive. Default: all arrive.
    pub loss: Loss,
    /// The share of datagrams that arrive twice, from 0 to 1; the copy has jitter of its own.
    /// Default: 0.
    pub duplicate: f64,
    /// The share of datagrams, from 0 to 1, that are held back for [`hold`](Self::hold) on top of
    /// everything else, so that later ones overtake them. Default: 0.
    pub reorder: f64,
    /// How long a held-back datagram is held. Default: 100 ms; unused while `reorder` is 0.
    pub hold: Duration,
    /// The narrowest place on the path. Default: `None`, unlimited bandwidth.
    pub bottleneck: Option<Bottleneck>,
    /// Seeds all random numbers; the same seed gives the same arrivals. Default: 0.
    pub seed: u64,
}

/// Variation of the delay from datagram to datagram.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Jitter {
    /// Not at all.
    None,
    /// Normally distributed about the delay; the sum is never negative.
    Normal {
        /// The standard deviation.
        deviation: Duration,
    },
    /// Mostly a little longer than the delay and sometimes very much: what queues of others
    /// do.
    Pareto {
        /// What is added on average.
        mean: Duration,
        /// How rare the long waits are; above 1, and below 2 the variance is infinite.
        shape: f64,
    },
}

/// Which datagrams never arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// Each datagram independently of the others.
    Independent {
        /// The share that is lost.
        share: f64,
    },
    /// In bursts: the link is in a good or a bad state and may change with every datagram
    /// (Gilbert and Elliott).
    Bursts {
        /// Chance to turn bad, per datagram sent while good.
        enter: f64,
        /// Chance to turn good, per datagram sent while bad: one over the mean length.
        leave: f64,
        /// The share lost while good.
        lost_in_good: f64,
        /// The share lost while bad.
        lost_in_bad: f64,
    },
    /// In outages that last a time, whatever is sent: Gilbert's model by the clock. Bursts
    /// counted in datagrams last longer for a peer that sends seldom; outages do not.
    Outages {
        /// The share of time, and so of datagrams, that is lost; below 1.
        share: f64,
        /// How long an outage lasts on average; above zero.
        mean: Duration,
    },
}

impl Loss {
    /// Nothing is lost.
    pub const NONE: Self = Self::Independent { share: 0.0 };

    /// Loses `share` of all datagrams in unbroken runs of `length` on average (Gilbert).
    ///
    /// Not every pair is possible: runs of `length` cannot make up a larger share than
    /// `length / (length + 1)`. [`LinkConfig::validate`] refuses those.
    #[must_use]
    pub fn bursts(share: f64, length: f64) -> Self {
        let leave = 1.0 / length;
        let enter = leave * share / (1.0 - share);
        Self::Bursts { enter, leave, lost_in_good: 0.0, lost_in_bad: 1.0 }
    }

    /// The share lost in the long run.
    #[must_use]
    pub fn share(&self) -> f64 {
        match *self {
            Self::Independent { share } | Self::Outages { share, .. } => share,
            Self::Bursts { enter: 0.0, lost_in_good, .. } => lost_in_good,
            Self::Bursts { enter, leave, lost_in_good, lost_in_bad } => {
                let bad = enter / (enter + leave);
                lost_in_bad * bad + lost_in_good * (1.0 - bad)
            }
        }
    }
}

/// The narrowest place on the path: a queue that is emptied at a fixed rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    /// How fast it is emptied. At least 1.
    pub bytes_per_s: u32,
    /// How much may be under way in it; what would exceed this is dropped. A datagram
    /// that finds it empty always fits.
    pub queue_bytes: u32,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            delay: Duration::ZERO,
            jitter: Jitter::None,
            loss: Loss::NONE,
            duplicate: 0.0,
            reorder: 0.0,
            hold: Duration::from_millis(100),
            bottleneck: None,
            seed: 0,
        }
    }
}

impl LinkConfig {
    /// Checks that every share is from 0 to 1, that losses and outages end, and that a bottleneck
    /// lets something through.
    ///
    /// # Errors
    /// Names the first setting that is not usable, its value and what would be.
    pub fn validate(&self) -> Result<(), LinkError> {
        let shares = [("dup", self.duplicate), ("reorder", self.reorder)];
        let shares = shares.into_iter().chain(self.loss_shares());
        for (name, got) in shares {
            if !(0.0..=1.0).contains(&got) {
                return Err(LinkError::NotAShare { name, got });
            }
        }
        match self.loss {
            Loss::Bursts { leave: 0.0, .. } | Loss::Outages { share: 1.0, .. } => {
                return Err(LinkError::BurstWithoutEnd);
            }
            Loss::Outages { mean: Duration::ZERO, .. } => return Err(LinkError::OutageZero),
            _ => {}
        }
        if let Jitter::Pareto { shape, .. } = self.jitter
            && !(shape > 1.0 && shape.is_finite())
        {
            return Err(LinkError::TailTooHeavy { got: shape });
        }
        if self.bottleneck.is_some_and(|b| b.bytes_per_s == 0) {
            return Err(LinkError::RateZero);
        }
        Ok(())
    }

    fn loss_shares(&self) -> Vec<(&'static str, f64)> {
        match self.loss {
            Loss::Independent { share } | Loss::Outages { share, .. } => vec![("loss", share)],
            Loss::Bursts { enter, leave, lost_in_good, lost_in_bad } => vec![
                ("chance to enter a burst", enter),
                ("chance to leave a burst", leave),
                ("loss outside bursts", lost_in_good),
                ("loss in bursts", lost_in_bad),
            ],
        }
    }
}

/// Why a link was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LinkError {
    /// A share must be from 0 to 1.
    NotAShare {
        /// Which one.
        name: &'static str,
        /// Its value.
        got: f64,
    },
    /// A burst of losses must end some time.
    BurstWithoutEnd,
    /// An outage must last.
    OutageZero,
    /// A Pareto tail must have a mean.
    TailTooHeavy {
        /// The shape given.
        got: f64,
    },
    /// A bottleneck must let something through.
    RateZero,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAShare { name, got } => {
                write!(f, "{name} {got} is not a share; give a number from 0 to 1")
            }
            Self::BurstWithoutEnd => {
                write!(f, "losses never end; give a finite burst, or loss=1 without one")
            }
            Self::OutageZero => {
                write!(f, "outage 0 has no length; leave it out for independent losses")
            }
            Self::TailTooHeavy { got } => {
                write!(f, "tail {got} has no mean; give a finite shape above 1, such as 2.5")
            }
            Self::RateZero => {
                write!(f, "rate 0 lets nothing through; leave it out for no limit, or use loss=1")
            }
        }
    }
}

impl std::error::Error for LinkError {}
