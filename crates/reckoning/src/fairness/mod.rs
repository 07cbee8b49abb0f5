//! Fairness: spend the byte budget so that listeners' errors stay level.
//!
//! Listeners receive updates after different delays. Those farther away receive every turn
//! later, and so show the body in a wrong place for longer: with every update to everyone, far
//! listeners are worse off. A [`Fairness`] stands between a publisher and its listeners,
//! keeps a [`ListenerAccount`] of each one's error, and decides which update is sent to whom,
//! and when. Take it when bandwidth does not allow every update to every listener, or when a
//! match must not favour those near the host.
//!
//! ```text
//!                 handle_export                    poll_delivery
//! Publisher ------------------------> Fairness ---------------------> network
//!                                      ^    |  next_wakeup
//!            handle_acknowledgement,   |    '-----------------------> your timer
//!            handle_loss, handle_delay '----------------------------- network
//! ```
//!
//! ```
//! use reckoning::fairness::{Budget, FairnessConfig, ListenerId, Policy, Weights};
//! use reckoning::{DVec3, Fairness, Kinematics, Model, SimTime, Update, UpdateKind};
//!
//! let mut config = FairnessConfig::default();
//! config.policy = Policy::Deterministic { budget: Budget::THIRD, weights: Weights::default() };
//! let mut fairness = Fairness::new(config)?;
//! fairness.add_listener(ListenerId(1), SimTime::ZERO);
//! fairness.add_listener(ListenerId(2), SimTime::ZERO);
//! let seen = Kinematics::at_rest(SimTime::ZERO, DVec3::ZERO);
//! fairness.handle_export(Update::new(seen, Model::Hold, UpdateKind::Full)?, SimTime::ZERO);
//! let mut sent_to = Vec::new();
//! while let Some(delivery) = fairness.poll_delivery(SimTime::ZERO) {
//!     sent_to.push(delivery.to); // your network carries delivery.update
//! }
//! assert_eq!(sent_to, [ListenerId(1), ListenerId(2)]); // both have nothing to show yet
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! What others rely on:
//! - equal calls and seeds give equal deliveries, bit for bit;
//! - memory is bounded per listener, however silent it is, and so is the work per call;
//! - without an export nothing is sent that was not planned at the last one, at most one
//!   update per listener: a body that moves as announced costs nothing.
//!
//! Whether an update is worth exporting is the [`Publisher`](crate::Publisher)'s choice, how
//! it travels the network's. The policies, and the errors they level, are those of chapter 3
//! of THESIS. Where it leaves cases open, this is what happens:
//! - a listener without anything to show is served at once, and so is everyone when the body
//!   teleports, whatever the policy and outside of any budget;
//! - a newcomer is taken to have had the mean error of those present, so that it is neither
//!   favoured nor starved;
//! - nobody's claim on a budget falls below a sixteenth of an equal share, so that nobody is
//!   forgotten;
//! - turns given in advance never add up to the budget exactly, because claims change before
//!   they come; what is left over is spent on later turns.

mod budget;
mod listener;
mod policy;
mod tuner;

pub use budget::{Budget, Weights};
pub use policy::{FairnessConfig, Leftover, Policy};
pub use tuner::ThresholdTuner;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

use crate::random::SplitMix64;
use crate::{ConfigError, ListenerAccount, SimTime, Update};
use budget::shares;
use listener::Listener;

/// The least claim on a budget, as a part of an equal share. A listener whose error happens
/// to be zero when it is served would otherwise never be served again.
const MIN_CLAIM: f64 = 1.0 / 16.0;

/// What is left of a budget, or overspent, is made up for within about this many rounds in
/// which everyone is served once: slowly, so that nobody's turns become irregular.
const CATCH_UP: f64 = 16.0;

/// The game's own number for one listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListenerId(pub u32);

/// An update that has to be sent to a listener now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FairDelivery {
    /// The receiver.
    pub to: ListenerId,
    /// The update to send: the latest export, or the one before.
    pub update: Update,
}

/// What a [`Fairness`] has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FairnessStats {
    /// Exports taken in.
    pub triggers: u64,
    /// Exports refused because they were not later than the one before.
    pub refused: u64,
    /// Updates handed out for sending.
    pub sent: u64,
    /// Planned sends given up because a new export came first.
    pub dropped: u64,
}

/// Decides for one body which listener gets which of its updates, and when.
#[derive(Clone, Debug)]
pub struct Fairness {
    config: FairnessConfig,
    listeners: BTreeMap<ListenerId, Listener>,
    latest: Option<Update>,
    triggered_at: SimTime,
    random: SplitMix64,
    /// What [`Policy::Deterministic`] may have sent and has not, in updates.
    unspent: f64,
    stats: FairnessStats,
}

impl Fairness {
    /// Starts without listeners.
    ///
    /// # Errors
    /// Refuses a planning horizon of zero.
    pub fn new(config: FairnessConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            listeners: BTreeMap::new(),
            latest: None,
            triggered_at: SimTime::MIN,
            random: SplitMix64::new(config.seed),
            unspent: 0.0,
            config,
            stats: FairnessStats::default(),
        })
    }

    /// A listener joins; it gets the latest update at once. Returns whether it is new.
    pub fn add_listener(&mut self, id: ListenerId, now: SimTime) -> bool {
        if self.listeners.contains_key(&id) {
            return false;
        }
        let mut newcomer = Listener::new(self.mean_level_at(now), now);
        if let Some(latest) = self.latest {
            if self.config.keeps_accounts() {
                newcomer.account.exported(latest.at(), latest);
            }
            newcomer.serve(now);
        }
        self.listeners.insert(id, newcomer);
        true
    }

    /// A listener joins that shows the body already, by what it was sent from elsewhere. It is
    /// served at the next export, not at once. Returns whether it is new.
    pub fn adopt_listener(&mut self, id: ListenerId, now: SimTime) -> bool {
        if self.listeners.contains_key(&id) {
            return false;
        }
        let newcomer = Listener::new(self.mean_level_at(now), now);
        self.listeners.insert(id, newcomer).is_none()
    }

    /// A listener leaves and is forgotten. Returns whether it was there.
    pub fn remove_listener(&mut self, id: ListenerId) -> bool {
        self.listeners.remove(&id).is_some()
    }

    /// The publisher exported an update, and it is known here at `now`. Then ask
    /// [`poll_delivery`](Self::poll_delivery).
    ///
    /// Refused, and counted, unless later than the export before.
    pub fn handle_export(&mut self, update: Update, now: SimTime) {
        if self.latest.is_some_and(|latest| latest.at() >= update.at()) {
            self.stats.refused += 1;
            return;
        }
        self.overtake(now);
        let teleported = self.latest.is_some_and(|latest| update.teleported_since(&latest));
        if self.config.keeps_accounts() {
            for listener in self.listeners.values_mut() {
                listener.account.exported(update.at(), update);
            }
        }
        self.latest = Some(update);
        self.triggered_at = now;
        self.choose(now);
        for listener in self.listeners.values_mut() {
            if !listener.greeted || teleported {
                listener.serve(now);
            }
        }
        self.stats.triggers += 1;
    }

    /// A listener acknowledges, as the owner learns at `now`, that the update exported at
    /// `export` arrived at `received_at`. Returns whether that changed anything, which without
    /// accounts every acknowledgement does.
    pub fn handle_acknowledgement(
        &mut self,
        from: ListenerId,
        export: SimTime,
        received_at: SimTime,
        now: SimTime,
    ) -> bool {
        let keeps = self.config.keeps_accounts();
        self.listeners.get_mut(&from).is_some_and(|listener| {
            let news = !keeps || listener.account.acknowledged(export, received_at, now);
            listener.heard |= news;
            news
        })
    }

    /// The update exported at `export` seems not to have reached a listener. Its error is
    /// estimated accordingly; if it never acknowledged anything, it gets the latest update
    /// at once.
    pub fn handle_loss(&mut self, to: ListenerId, export: SimTime, now: SimTime) {
        let Some(listener) = self.listeners.get_mut(&to) else { return };
        listener.account.lost(export);
        if !listener.heard && self.latest.is_some() {
            listener.greeted = false;
            listener.serve(now);
        }
    }

    /// How long an update takes to a listener, by the latest estimate.
    pub fn handle_delay(&mut self, to: ListenerId, estimate: Duration) {
        if let Some(listener) = self.listeners.get_mut(&to) {
            listener.account.expect_delay(estimate);
        }
    }

    /// What has to be sent at `now`; ask until `None`, after every export and wake-up.
    pub fn poll_delivery(&mut self, now: SimTime) -> Option<FairDelivery> {
        let latest = self.latest?;
        let mut listeners = self.listeners.iter_mut();
        let (to, update) =
            listeners.find_map(|(id, listener)| Some((*id, listener.take_due(latest, now)?)))?;
        self.stats.sent += 1;
        Some(FairDelivery { to, update })
    }

    /// When to ask [`poll_delivery`](Self::poll_delivery) next, unless an export comes first.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<SimTime> {
        self.listeners.values().filter_map(|listener| listener.due(self.triggered_at)).min()
    }

    /// The listeners, and what is known and guessed about the error of each.
    pub fn accounts(&self) -> impl Iterator<Item = (ListenerId, &ListenerAccount<Update>)> {
        self.listeners.iter().map(|(id, listener)| (*id, &listener.account))
    }

    /// How many listeners there are.
    #[must_use]
    pub fn listener_count(&self) -> usize {
        self.listeners.len()
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &FairnessConfig {
        &self.config
    }

    /// Counters for a status page.
    #[must_use]
    pub const fn stats(&self) -> &FairnessStats {
        &self.stats
    }

    fn mean_level_at(&self, now: SimTime) -> f64 {
        let sum: f64 = self.listeners.values().map(|listener| listener.level_at(now)).sum();
        sum / self.listeners.len().max(1) as f64
    }

    /// What was planned for the export before gives way to a new one.
    fn overtake(&mut self, now: SimTime) {
        let Some(old) = self.latest else { return };
        let keep =
            matches!(self.config.policy, Policy::Scheduled { leftover: Leftover::Flushed, .. });
        for listener in self.listeners.values_mut() {
            self.stats.dropped += u64::from(listener.overtake(old, keep, now));
        }
    }

    fn choose(&mut self, now: SimTime) {
        match self.config.policy {
            Policy::Base => self.serve_everyone(now),
            Policy::EveryKth { k } => {
                if self.stats.triggers.is_multiple_of(u64::from(k.get())) {
                    self.serve_everyone(now);
                }
            }
            Policy::Scheduled { horizon, .. } => self.schedule(horizon, now),
            Policy::Probabilistic { budget, weights } => self.draw(budget, weights, now),
            Policy::Deterministic { budget, weights } => self.take_turns(budget, weights, now),
        }
    }

    fn serve_everyone(&mut self, now: SimTime) {
        self.listeners.values_mut().for_each(|listener| listener.serve(now));
    }

    /// To the worst-off at once, and to everyone else when they are as badly off as it is now:
    /// equation 3.4 of THESIS.
    fn schedule(&mut self, horizon: Duration, now: SimTime) {
        let levels = self.listeners.values().map(|listener| listener.level_at(now));
        let worst = levels.fold(0.0, f64::max);
        for listener in self.listeners.values_mut() {
            if listener.level_at(now) >= worst {
                listener.serve(now);
            } else {
                listener.serve_at_level(worst, now, horizon);
            }
        }
    }

    fn draw(&mut self, budget: Budget, weights: Weights, now: SimTime) {
        let frequencies = budget.frequencies(&self.claims(weights, now));
        for (listener, frequency) in self.listeners.values_mut().zip(frequencies) {
            if self.random.unit() < frequency {
                listener.serve(now);
            }
        }
    }

    /// Serves those whose turn has come, and gives only them a new turn.
    fn take_turns(&mut self, budget: Budget, weights: Weights, now: SimTime) {
        let trigger = self.stats.triggers;
        let served = self.listeners.values().filter(|listener| listener.turn.has_come(trigger));
        let (served, round) = (served.count() as f64, self.listeners.len() as f64);
        self.unspent += budget.updates_for(self.listeners.len()) - served;
        if served == 0.0 {
            return;
        }
        // It goes up and down by a round by itself, because listeners' turns coincide.
        let beyond = self.unspent - self.unspent.clamp(-round, round);
        let budget = budget.raised_by(beyond / (CATCH_UP * round));
        let frequencies = budget.frequencies(&self.claims(weights, now));
        for (listener, frequency) in self.listeners.values_mut().zip(frequencies) {
            if listener.turn.has_come(trigger) {
                listener.turn.served(trigger, frequency);
                listener.serve(now);
            }
        }
    }

    /// Everyone's relative claim on the budget.
    fn claims(&self, weights: Weights, now: SimTime) -> Vec<f64> {
        let listeners = || self.listeners.values();
        // Estimating is the expensive part, and both sums need it.
        let estimated: Vec<f64> =
            listeners().map(|listener| listener.account.estimated_at(now)).collect();
        let levels = listeners()
            .zip(&estimated)
            .map(|(listener, recent)| listener.confirmed_level() + recent);
        let accumulated = shares(levels);
        let recent = shares(estimated.iter().copied());
        let waiting = shares(listeners().map(|listener| listener.waiting_s(now)));
        let least = MIN_CLAIM / self.listeners.len() as f64;
        let parts = accumulated.iter().zip(&recent).zip(&waiting);
        parts.map(|((a, r), w)| weights.mix(*a, *r, *w).max(least)).collect()
    }
}
