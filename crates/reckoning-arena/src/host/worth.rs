//! What each planner is worth here: its error and its updates beside those of constant velocity,
//! measured while the game runs.
//!
//! Every planner that the server can run publishes the same bots in the shadow: same truths, same
//! threshold, same heartbeat, same rounding. What a listener would show by it is measured over the
//! delay of that listener's link, without its jitter and losses, and without blending:
//!
//! ```text
//! truth  -> Publisher of each planner -> its updates, counted
//!                                     -> the newest one that is older than the delay
//!                                        -> its guess of now, compared with the truth
//! ```
//!
//! Nothing of it is sent to anyone but the figures, once a second, to those who are shown the truth.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use reckoning::{Publisher, PublisherConfig, SimTime, Threshold, Update};
use reckoning_net::PeerId;
use reckoning_predict::Scene;

use super::bot_predictor::Acting;
use super::config::{HEARTBEAT, STEPS};
use crate::planning::{ArenaPlanner, Planning};
use crate::protocol::{ModelChoice, PlannerFigures};
use crate::world::PlayerId;

/// Figures are of the last seconds,
const WINDOW: Duration = Duration::from_secs(5);
/// in so many parts.
const PARTS: u32 = 10;
/// More bots than that change no figure.
const MOST_BOTS: usize = 12;
/// More listeners than that would cost too much; the first ones count.
pub(super) const MOST_LISTENERS: usize = 8;
/// Updates of one shadow that are remembered: more than are sent in the longest delay of a link.
const REMEMBERED: usize = 80;

/// One bot as one planner publishes it.
#[derive(Debug)]
struct Shadow {
    life: u32,
    publisher: Publisher,
    planner: Option<ArenaPlanner>,
    recent: VecDeque<Update>,
}

impl Shadow {
    fn start(
        bot: &Acting,
        choice: ModelChoice,
        config: &PublisherConfig,
        planning: &Planning,
    ) -> Option<Self> {
        let (publisher, first) = Publisher::start(config.clone(), &bot.truth).ok()?;
        let mut planner = planning.planner(choice, u64::from(bot.id.0));
        if let Some(planner) = &mut planner {
            planner.set_bound_px(config.threshold.max_error_m());
        }
        Some(Self { life: bot.life, publisher, planner, recent: VecDeque::from([first]) })
    }

    /// Whether an update would be sent.
    fn observe(&mut self, bot: &Acting, planning: &Planning, scene: &Scene<'_>) -> bool {
        let update = match &mut self.planner {
            None => self.publisher.observe(&bot.truth),
            Some(planner) => {
                let around = planning.around(scene, u32::from(bot.id.0));
                self.publisher.observe_planned(&bot.truth, planner, &around)
            }
        };
        let Some(update) = update else { return false };
        self.recent.push_back(update);
        if self.recent.len() > REMEMBERED {
            self.recent.pop_front();
        }
        true
    }

    /// How far off the guess of a listener is to whom updates take that long.
    fn error_px(&self, bot: &Acting, delay: Duration) -> Option<f64> {
        let now = bot.truth.at;
        let known = self.recent.iter().rev().find(|update| update.at() + delay <= now)?;
        Some(known.position_at(now).distance(bot.truth.position))
    }
}

/// What was counted of one planner since it began.
#[derive(Clone, Debug, Default)]
struct Totals {
    updates: u64,
    bot_steps: u64,
    /// Sum of errors and their number, for each listener.
    errors: BTreeMap<PeerId, (f64, u64)>,
}

/// One planner with its shadows.
#[derive(Debug)]
struct Contender {
    choice: ModelChoice,
    shadows: BTreeMap<PlayerId, Shadow>,
    totals: Totals,
}

/// All planners, measured beside each other.
#[derive(Debug)]
pub(super) struct WorthMeter {
    threshold_px: f32,
    contenders: Vec<Contender>,
    /// What the totals were at moments of the last seconds.
    marks: VecDeque<(SimTime, Vec<Totals>)>,
}

impl WorthMeter {
    pub fn new(threshold_px: f32, planning: &Planning) -> Self {
        let choices = ModelChoice::ALL.into_iter().filter(|it| planning.missing(*it).is_none());
        let contender =
            |choice| Contender { choice, shadows: BTreeMap::new(), totals: Totals::default() };
        Self { threshold_px, contenders: choices.map(contender).collect(), marks: VecDeque::new() }
    }

    /// The threshold that is measured with.
    pub const fn threshold_px(&self) -> f32 {
        self.threshold_px
    }

    /// A step of the game. Listeners come with the delays of their links.
    pub fn observe(
        &mut self,
        at: SimTime,
        acting: &[Acting],
        planning: &Planning,
        listeners: &[(PeerId, Duration)],
    ) {
        let scene = planning.scene();
        let bots: Vec<&Acting> = acting.iter().filter(|bot| bot.is_alive).take(MOST_BOTS).collect();
        let threshold = Threshold::metres(f64::from(self.threshold_px));
        for contender in &mut self.contenders {
            let mut config = publisher_config(contender.choice);
            config.threshold = threshold.unwrap_or(config.threshold);
            contender.shadows.retain(|id, _| bots.iter().any(|bot| bot.id == *id));
            for bot in &bots {
                contender.observe(bot, &config, planning, &scene, listeners);
            }
        }
        if self.marks.back().is_none_or(|mark| at.saturating_since(mark.0) >= WINDOW / PARTS) {
            let totals = self.contenders.iter().map(|it| it.totals.clone()).collect();
            self.marks.push_back((at, totals));
        }
        while self.marks.get(1).is_some_and(|mark| at.saturating_since(mark.0) >= WINDOW) {
            self.marks.pop_front();
        }
    }

    /// The figures of the last five seconds for a listener, in the order of
    /// [`ModelChoice::ALL`]; none until there are five.
    pub fn figures(&self, now: SimTime, listener: PeerId) -> Vec<Option<PlannerFigures>> {
        let Some((since, before)) = self.marks.front() else { return Vec::new() };
        if now.saturating_since(*since) < WINDOW {
            return Vec::new();
        }
        let of = |choice| {
            let place = self.contenders.iter().position(|it| it.choice == choice)?;
            self.contenders[place].totals.since(&before[place], listener)
        };
        ModelChoice::ALL.into_iter().map(of).collect()
    }
}

impl Contender {
    fn observe(
        &mut self,
        bot: &Acting,
        config: &PublisherConfig,
        planning: &Planning,
        scene: &Scene<'_>,
        listeners: &[(PeerId, Duration)],
    ) {
        let known = self.shadows.get_mut(&bot.id).filter(|it| it.life == bot.life);
        let Some(shadow) = known else {
            if let Some(shadow) = Shadow::start(bot, self.choice, config, planning) {
                self.shadows.insert(bot.id, shadow);
            }
            return;
        };
        self.totals.updates += u64::from(shadow.observe(bot, planning, scene));
        self.totals.bot_steps += 1;
        for (listener, delay) in listeners {
            if let Some(error_px) = shadow.error_px(bot, *delay) {
                let sum = self.totals.errors.entry(*listener).or_default();
                *sum = (sum.0 + error_px, sum.1 + 1);
            }
        }
    }
}

impl Totals {
    fn since(&self, before: &Self, listener: PeerId) -> Option<PlannerFigures> {
        let sum = self.errors.get(&listener)?;
        let from = before.errors.get(&listener)?;
        let (count, steps) = (sum.1 - from.1, self.bot_steps - before.bot_steps);
        let seconds = steps as f64 * super::STEP.as_secs_f64();
        (count > 0 && steps > 0).then(|| PlannerFigures {
            error_px: ((sum.0 - from.0) / count as f64) as f32,
            updates_per_s: ((self.updates - before.updates) as f64 / seconds) as f32,
        })
    }
}

/// How the shadows publish: as clients do, but for which way a body looks.
fn publisher_config(choice: ModelChoice) -> PublisherConfig {
    let mut config = PublisherConfig::default();
    (config.model, config.quantiser) = (choice.model(), STEPS);
    (config.heartbeat, config.angle_threshold) = (HEARTBEAT, None);
    config
}
