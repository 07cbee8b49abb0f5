//! Several watchers, near and far, and one budget for all.

use std::time::Duration;

use reckoning::fairness::{Budget, FairnessConfig, ListenerId, Policy, Weights};
use reckoning::{ConfigError, DVec3, Fairness, Ghost, Kinematics, SimTime, Update};
use reckoning_arena::protocol::LinkChoice;

use super::line::{LineSetup, Owner};
use super::{Lane, Recent};
use crate::replay::ReplayLink;

/// How far away the watchers are, in milliseconds.
const DELAYS_MS: [u16; 5] = [20, 80, 160, 300, 500];
/// Errors are compared over so many seconds: at a tenth of the updates each hears little in five.
const OVER_S: usize = 20;

/// Somebody who watches from so far away.
#[derive(Clone, Debug)]
pub struct Watcher {
    /// One way.
    pub delay_ms: u16,
    link: ReplayLink<Update>,
    /// Word of what arrived, on its way back.
    acks: ReplayLink<Update>,
    ghost: Ghost,
    /// What was sent to it.
    pub lane: Lane,
    /// How far off its picture was.
    pub errors: Recent,
}

impl Watcher {
    fn link(&self) -> LinkChoice {
        LinkChoice { delay_ms: self.delay_ms, ..LinkChoice::NONE }
    }

    /// Where it draws the ball.
    #[must_use]
    pub fn shown(&self, now: SimTime) -> DVec3 {
        self.ghost.position_at(now)
    }
}

/// One owner, its watchers, and who of them is sent what.
#[derive(Clone, Debug)]
pub struct Audience {
    owner: Owner,
    fairness: Fairness,
    watchers: Vec<Watcher>,
    /// Exports since the figures began.
    exports: u64,
}

impl Audience {
    /// Watchers that all know of this truth.
    ///
    /// # Errors
    /// Refuses what the engine refuses.
    pub fn new(
        setup: &LineSetup,
        budget: f64,
        weights: Weights,
        truth: &Kinematics,
    ) -> Result<Self, ConfigError> {
        let (owner, first) = Owner::start(setup, truth)?;
        let mut watchers = Vec::new();
        for delay_ms in DELAYS_MS {
            watchers.push(Watcher {
                delay_ms,
                link: ReplayLink::default(),
                acks: ReplayLink::default(),
                ghost: Ghost::with_config(setup.showing(), first, truth.at)?,
                lane: Lane::new(),
                errors: Recent::over_s(OVER_S),
            });
        }
        let fairness = fairness(budget, weights, truth.at)?;
        Ok(Self { owner, fairness, watchers, exports: 0 })
    }

    /// Another budget or another rule; the accounts begin anew.
    ///
    /// # Errors
    /// Refuses a budget of nothing.
    pub fn set_policy(
        &mut self,
        budget: f64,
        weights: Weights,
        now: SimTime,
    ) -> Result<(), ConfigError> {
        self.fairness = fairness(budget, weights, now)?;
        Ok(())
    }

    /// The next truth, and what arrives at its moment.
    pub fn tick(&mut self, truth: &Kinematics) {
        let now = truth.at;
        if let Some(update) = self.owner.observe(truth) {
            self.exports += 1;
            self.fairness.handle_export(update, now);
        }
        while let Some(sent) = self.fairness.poll_delivery(now) {
            let Some(watcher) = self.watchers.get_mut(sent.to.0 as usize) else { continue };
            watcher.link.send(now, watcher.link(), sent.update);
            watcher.lane.note(now, false);
        }
        for (id, watcher) in (0..).map(ListenerId).zip(&mut self.watchers) {
            while let Some(update) = watcher.link.arrive(now) {
                watcher.ghost.accept(update, now);
                watcher.acks.send(now, watcher.link(), update);
            }
            while let Some(update) = watcher.acks.arrive(now) {
                // The way back is as long as the way there.
                let came = now - Duration::from_millis(watcher.delay_ms.into());
                self.fairness.handle_acknowledgement(id, update.at(), came, now);
            }
            watcher.errors.note(watcher.shown(now).distance(truth.position));
        }
    }

    /// From near to far.
    #[must_use]
    pub fn watchers(&self) -> &[Watcher] {
        &self.watchers
    }

    /// Mean errors of the best-off and of the worst-off, in metres.
    #[must_use]
    pub fn extremes_m(&self) -> (f64, f64) {
        let means = self.watchers.iter().map(|it| it.errors.mean());
        means.fold((f64::MAX, 0.0), |(least, most), mean| (mean.min(least), mean.max(most)))
    }

    /// Updates sent, and what sending each to everyone would have come to.
    #[must_use]
    pub fn sent_of(&self) -> (u64, u64) {
        let sent = self.watchers.iter().map(|it| it.lane.sent).sum();
        (sent, self.exports * self.watchers.len() as u64)
    }

    /// Figures begin anew.
    pub fn reset(&mut self, now: SimTime) {
        self.exports = 0;
        for watcher in &mut self.watchers {
            watcher.lane.reset(now);
            watcher.errors.reset();
        }
    }
}

fn fairness(budget: f64, weights: Weights, now: SimTime) -> Result<Fairness, ConfigError> {
    let mut config = FairnessConfig::default();
    config.policy = Policy::Deterministic { budget: Budget::per_listener(budget)?, weights };
    let mut fairness = Fairness::new(config)?;
    for (id, delay_ms) in (0..).map(ListenerId).zip(DELAYS_MS) {
        fairness.adopt_listener(id, now);
        fairness.handle_delay(id, Duration::from_millis(delay_ms.into()));
    }
    Ok(fairness)
}
