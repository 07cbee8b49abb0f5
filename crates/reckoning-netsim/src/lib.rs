//! Simulated network link to one receiver, seeded: delay, jitter, loss, duplication, reordering
//! and a bottleneck.
//!
//! ```text
//! send -> bottleneck (queue, drop) -> loss -> delay + jitter (+ hold) -> poll
//!                                         \-> a copy with jitter of its own
//! ```
//!
//! ```
//! use reckoning::SimTime;
//! use reckoning_netsim::{Link, LinkConfig};
//!
//! let config: LinkConfig = "delay=80,jitter=20,loss=0.05,seed=7".parse()?;
//! let mut link = Link::new(config)?;
//!
//! // Sixty datagrams of 100 bytes in a second.
//! for tick in 0..60 {
//!     link.send(SimTime::from_tick(tick, 60), 100, tick);
//! }
//! let mut arrived = Vec::new();
//! while let Some((at, tick)) = link.poll(SimTime::from_millis(2_000)) {
//!     arrived.push((at, tick));
//! }
//!
//! assert_eq!(arrived.len() as u64 + link.stats().lost, 60);
//! assert!(arrived.is_sorted_by_key(|&(at, _)| at));
//! assert_eq!(link.next_arrival(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Users may rely on these properties:
//! - the same seed and the same sends give the same arrivals, to the microsecond;
//! - each impairment has random numbers of its own: turning duplication on does not change which
//!   datagrams are lost;
//! - arrivals come in the order of their time, and those of the same microsecond in the
//!   order they were sent.
//!
//! Time is an argument: nothing moves until somebody polls.

mod config;
mod spec;

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::SimTime;
use reckoning::random::SplitMix64;

pub use config::{Bottleneck, Jitter, LinkConfig, LinkError, Loss};
pub use spec::SpecError;

/// Counters of a [`Link`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkStats {
    /// Datagrams handed to the link.
    pub sent: u64,
    /// Of those, lost on the way.
    pub lost: u64,
    /// Of those, dropped because the bottleneck was full.
    pub overflowed: u64,
    /// Copies made.
    pub duplicated: u64,
    /// Datagrams held back.
    pub held: u64,
    /// Datagrams polled, copies included.
    pub delivered: u64,
}

/// A one-way network to one receiver, carrying payloads of type `T`.
#[derive(Clone, Debug)]
pub struct Link<T> {
    config: LinkConfig,
    /// By arrival, then by the order of sending.
    under_way: BTreeMap<(SimTime, u64), T>,
    next_key: u64,
    /// When the bottleneck will have passed on everything in it, in true seconds.
    busy_until_s: f64,
    in_burst: bool,
    /// When `in_burst` was looked at last.
    burst_seen: SimTime,
    loss_dice: SplitMix64,
    jitter_dice: SplitMix64,
    duplicate_dice: SplitMix64,
    reorder_dice: SplitMix64,
    stats: LinkStats,
}

impl<T: Clone> Link<T> {
    /// A link with nothing under way.
    ///
    /// # Errors
    /// Refuses settings that [`LinkConfig::validate`] refuses.
    pub fn new(config: LinkConfig) -> Result<Self, LinkError> {
        config.validate()?;
        let random = SplitMix64::new(config.seed);
        Ok(Self {
            config,
            under_way: BTreeMap::new(),
            next_key: 0,
            busy_until_s: f64::NEG_INFINITY,
            in_burst: false,
            burst_seen: SimTime::ZERO,
            loss_dice: random.fork(1),
            jitter_dice: random.fork(2),
            duplicate_dice: random.fork(3),
            reorder_dice: random.fork(4),
            stats: LinkStats::default(),
        })
    }

    /// Hands over a datagram of `size_bytes` at `now`, which must not go back between calls.
    pub fn send(&mut self, now: SimTime, size_bytes: u32, payload: T) {
        self.stats.sent += 1;
        let Some(leaves) = self.pass_bottleneck(now, size_bytes) else {
            self.stats.overflowed += 1;
            return;
        };
        if self.is_lost(now) {
            self.stats.lost += 1;
            return;
        }
        if self.duplicate_dice.chance(self.config.duplicate) {
            self.stats.duplicated += 1;
            self.put_under_way(leaves, payload.clone());
        }
        self.put_under_way(leaves, payload);
    }

    /// The next datagram that has arrived by `now`, with the moment it did; call until `None`.
    pub fn poll(&mut self, now: SimTime) -> Option<(SimTime, T)> {
        let first = self.under_way.first_entry().filter(|entry| entry.key().0 <= now)?;
        let ((arrival, _), payload) = first.remove_entry();
        self.stats.delivered += 1;
        Some((arrival, payload))
    }

    /// When the next datagram arrives, if one is under way.
    #[must_use]
    pub fn next_arrival(&self) -> Option<SimTime> {
        self.under_way.first_key_value().map(|((arrival, _), _)| *arrival)
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// Counters for a report.
    #[must_use]
    pub const fn stats(&self) -> &LinkStats {
        &self.stats
    }

    /// When the datagram has left the bottleneck, or `None` when it does not fit in.
    fn pass_bottleneck(&mut self, now: SimTime, size_bytes: u32) -> Option<SimTime> {
        let Some(neck) = self.config.bottleneck else {
            return Some(now);
        };
        let rate = f64::from(neck.bytes_per_s);
        let waiting_s = (self.busy_until_s - now.as_secs_f64()).max(0.0);
        let filled_bytes = waiting_s * rate + f64::from(size_bytes);
        // A thousandth of a byte of grace: seconds are rounded, bytes are whole.
        if waiting_s > 0.0 && filled_bytes > f64::from(neck.queue_bytes) + 1e-3 {
            return None;
        }
        let takes_s = filled_bytes / rate;
        self.busy_until_s = now.as_secs_f64() + takes_s;
        Some(now + span(takes_s))
    }

    fn is_lost(&mut self, now: SimTime) -> bool {
        match self.config.loss {
            Loss::Independent { share } => self.loss_dice.chance(share),
            Loss::Bursts { enter, leave, lost_in_good, lost_in_bad } => {
                let turns = self.loss_dice.chance(if self.in_burst { leave } else { enter });
                self.in_burst ^= turns;
                self.loss_dice.chance(if self.in_burst { lost_in_bad } else { lost_in_good })
            }
            Loss::Outages { share, mean } => {
                let since_s = now.secs_since(self.burst_seen).max(0.0);
                self.burst_seen = now;
                // Outages begin and end at constant rates. What was known fades, and what
                // remains to be expected is the share.
                let fade_per_s = 1.0 / (mean.as_secs_f64() * (1.0 - share));
                let known = if self.in_burst { 1.0 } else { 0.0 };
                let expected = share + (known - share) * libm::exp(-fade_per_s * since_s);
                self.in_burst = self.loss_dice.chance(expected);
                self.in_burst
            }
        }
    }

    fn put_under_way(&mut self, leaves: SimTime, payload: T) {
        let mut arrival = leaves + self.time_on_the_way();
        if self.reorder_dice.chance(self.config.reorder) {
            self.stats.held += 1;
            arrival += self.config.hold;
        }
        self.under_way.insert((arrival, self.next_key), payload);
        self.next_key += 1;
    }

    fn time_on_the_way(&mut self) -> Duration {
        let delay_s = self.config.delay.as_secs_f64();
        match self.config.jitter {
            Jitter::None => self.config.delay,
            Jitter::Normal { deviation } => loop {
                // At least every second roll is good, for the delay is not negative.
                let way_s = delay_s + deviation.as_secs_f64() * self.jitter_dice.normal();
                if way_s >= 0.0 {
                    return span(way_s);
                }
            },
            Jitter::Pareto { mean, shape } => {
                span(delay_s + mean.as_secs_f64() * self.jitter_dice.pareto(shape))
            }
        }
    }
}

/// A span of seconds; one that is too long to hold never ends.
fn span(secs: f64) -> Duration {
    Duration::try_from_secs_f64(secs).unwrap_or(Duration::MAX)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
