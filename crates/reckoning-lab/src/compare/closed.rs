//! The engine's real chain on a recording: publisher, link, ghost.

use reckoning::{
    Behaviour, Cause, ConfigError, CurveBasis, DVec3, Kinematics, Model, Publisher,
    PublisherConfig, SimTime, Threshold,
};
use std::time::Duration;

use super::CompareError;
use super::open::Ready;
use super::prepare::{Prepared, State};
use super::receiver::{Heard, Receiver, Viewer};
use super::surroundings::Surroundings;
use crate::LinkConfig;

/// How far ahead a behaviour's plan is laid into a curve.
const PLAN_S: f64 = 1.5;
/// Longer than any segment: the counts are of updates that the threshold asked for.
const NEVER: Duration = Duration::from_hours(24);

/// What one player's chain cost and showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chain {
    pub(crate) updates: u64,
    pub(crate) seconds: f64,
    /// Distance of guess and truth at every sample, without any delay.
    pub(crate) guess: Sum,
    /// Distance of what a ghost shows, 100 ms late, and truth.
    pub(crate) shown: Sum,
    /// What came of it at each receiver.
    pub(crate) heard: Vec<Heard>,
    /// Third differences of what is shown, per second cubed.
    pub(crate) rough: Sum,
    pub(crate) in_walls: Sum,
    /// A telling stretch: truth, shown and error.
    pub(crate) stretch: Vec<(SimTime, DVec3, DVec3)>,
}

/// A sum and how many there were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    pub(crate) sum: f64,
    pub(crate) n: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, value: f64) {
        self.sum += value;
        self.n += 1.0;
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.sum += other.sum;
        self.n += other.n;
    }

    pub(crate) fn mean(self) -> f64 {
        if self.n > 0.0 { self.sum / self.n } else { 0.0 }
    }
}

/// What the chains of one recording and predictor have in common.
pub(crate) struct Setting<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) predictor: Ready,
    pub(crate) bound: f64,
    pub(crate) receivers: &'a [LinkConfig],
}

/// How many samples of the stretch are kept for plots.
const STRETCH: usize = 400;

impl Setting<'_> {
    /// Runs one player's chain over all its segments.
    pub(crate) fn run(&self, player: usize) -> Result<Chain, CompareError> {
        let course = &self.prepared.courses[player];
        let heard = vec![Heard::default(); self.receivers.len()];
        let mut chain = Chain { heard, ..Chain::default() };
        let mut place = 0;
        while place < course.states.len() {
            let end = course.segment_end(place);
            self.run_segment(&course.states[place..end], player, &mut chain)?;
            place = end;
        }
        Ok(chain)
    }

    fn run_segment(
        &self,
        states: &[State],
        player: usize,
        chain: &mut Chain,
    ) -> Result<(), CompareError> {
        let alive: Vec<&State> = states.iter().filter(|state| state.alive).collect();
        let [first, .., last] = alive.as_slice() else { return Ok(()) };
        chain.seconds += last.kinematics.at.secs_since(first.kinematics.at);
        let (mut publisher, update) = Publisher::start(self.publishing()?, &first.kinematics)?;
        chain.updates += 1;
        let late = LinkConfig { delay: Duration::from_millis(100), ..LinkConfig::default() };
        let mut late = Viewer::new(late, update, player as u64)?;
        let start = |link: &LinkConfig| Receiver::start(*link, update, player as u64);
        let mut receivers: Vec<Receiver> =
            self.receivers.iter().map(start).collect::<Result<_, _>>()?;
        for state in &alive[1..] {
            let truth = &state.kinematics;
            if let Some(threshold) = self.threshold_at(truth) {
                publisher.set_threshold(threshold);
            }
            if let Some(cause) = publisher.due(truth) {
                let update = publisher.export(truth, self.plan(player, truth, cause), cause);
                chain.updates += 1;
                late.send(update, truth.at);
                for receiver in &mut receivers {
                    receiver.send(update, truth.at);
                }
            }
            let guess = publisher.last_update().position_at(truth.at);
            chain.guess.add(guess.distance(truth.position));
            self.look(&mut late, truth.at, truth.position, chain);
            for receiver in &mut receivers {
                receiver.look(truth.at, truth.position);
            }
        }
        for (sum, receiver) in chain.heard.iter_mut().zip(&receivers) {
            sum.merge(&receiver.heard());
        }
        Ok(())
    }

    /// STEELE's threshold, which varies with place: the bound where a body follows the trend
    /// of its place, down to half of it where it goes across. Only for `trend`.
    pub(crate) fn threshold_at(&self, truth: &Kinematics) -> Option<Threshold> {
        let Ready::Behaviour(Behaviour::Trended(_)) = self.predictor else { return None };
        let trends = self.surroundings.trends()?;
        let (min, max) = (0.5 * self.bound, self.bound);
        Threshold::metres(trends.threshold_m(truth.position, truth.velocity, min, max)).ok()
    }

    /// What the owner publishes: the model fitted to the truth, or its plan as a curve.
    pub(crate) fn plan(&self, player: usize, truth: &Kinematics, cause: Cause) -> Model {
        if let Ready::Model(model) = self.predictor {
            return model.fitted(truth);
        }
        // Who stands still has no plans.
        if cause == Cause::Stop {
            return Model::Hold;
        }
        let mut moment = self.surroundings.before(self.prepared, truth.at, 10);
        self.surroundings.look_around(self.prepared, truth.at, &mut moment);
        let learnt = self.surroundings.habit_of(player, truth.at);
        let id = self.prepared.courses[player].id as u32;
        let behaviour = self.predictor.behaviour(moment.li_scale(), learnt);
        let scene = self.surroundings.scene(&moment);
        let plan = behaviour.and_then(|it| it.plan(&scene, id, PLAN_S, CurveBasis::FOUR));
        plan.unwrap_or(Model::Linear)
    }

    fn publishing(&self) -> Result<PublisherConfig, ConfigError> {
        let mut config = PublisherConfig::default();
        config.threshold = Threshold::metres(self.bound)?;
        config.angle_threshold = None;
        config.heartbeat = NEVER;
        config.full_interval = NEVER;
        // Bodies that walk into walls stop a hundred times a minute; the bound decides here.
        config.export_stops = false;
        config.model = match self.predictor {
            Ready::Model(model) => model,
            Ready::Behaviour(_) | Ready::Drawn(_) => Model::Linear,
        };
        Ok(config)
    }

    fn look(&self, viewer: &mut Viewer, now: SimTime, truth: DVec3, chain: &mut Chain) {
        let shown = viewer.shown(now, |_, _| ());
        chain.shown.add(shown.distance(truth));
        if let Some(jerk) = viewer.jerk(now, shown) {
            chain.rough.add(jerk);
        }
        if let Some(inside) = self.surroundings.is_in_wall(shown) {
            chain.in_walls.add(f64::from(u8::from(inside)));
        }
        if chain.stretch.len() < STRETCH {
            chain.stretch.push((now, truth, shown));
        }
    }
}
