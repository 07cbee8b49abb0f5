//! The engine's real chain on a recording: publisher, link, ghost.

use reckoning::learned::{LearnedConfig, LearnedPlanner, Senses};
use reckoning::{
    Behaviour, Blend, Cause, ConfigError, CurveBasis, DVec3, Ghost, GhostConfig, Known, Model,
    Publisher, PublisherConfig, SimTime, Threshold, Update,
};
use std::ops::Range;
use std::time::Duration;

use super::CompareError;
use super::open::Ready;
use super::prepare::{Course, Prepared};
use super::surroundings::{Surroundings, Trails};
use crate::train::Insight;
use crate::{Link, LinkConfig};

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
    /// The same over the link that was asked for.
    pub(crate) linked: Sum,
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
    fn add(&mut self, value: f64) {
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
    pub(crate) insight: &'a Insight<'a>,
    pub(crate) predictor: Ready,
    pub(crate) bound: f64,
    pub(crate) link: Option<LinkConfig>,
}

/// How many samples of the stretch are kept for plots.
const STRETCH: usize = 400;

impl Setting<'_> {
    /// Runs one player's chain over all its segments.
    pub(crate) fn run(&self, player: usize) -> Result<Chain, CompareError> {
        let course = &self.prepared.courses[player];
        let mut chain = Chain::default();
        let mut planner = self.planner(player);
        let mut place = 0;
        while place < course.states.len() {
            let end = course.segment_end(place);
            if let Some(planner) = &mut planner {
                planner.restart();
            }
            self.run_segment(course, place..end, player, planner.as_mut(), &mut chain)?;
            place = end;
        }
        Ok(chain)
    }

    fn run_segment(
        &self,
        course: &Course,
        places: Range<usize>,
        player: usize,
        mut planner: Option<&mut LearnedPlanner>,
        chain: &mut Chain,
    ) -> Result<(), CompareError> {
        let alive: Vec<usize> = places.filter(|&place| course.states[place].alive).collect();
        let [first, .., last] = alive.as_slice() else { return Ok(()) };
        let (first, last) = (&course.states[*first], &course.states[*last]);
        chain.seconds += last.kinematics.at.secs_since(first.kinematics.at);
        let (mut publisher, update) = Publisher::start(self.publishing()?, &first.kinematics)?;
        chain.updates += 1;
        let late = LinkConfig { delay: Duration::from_millis(100), ..LinkConfig::default() };
        let mut late = Viewer::new(late, update, player as u64)?;
        let mut linked = match &self.link {
            Some(link) => Some(Viewer::new(*link, update, player as u64)?),
            None => None,
        };
        let mut bodies = Vec::new();
        for &place in &alive[1..] {
            let truth = &course.states[place].kinematics;
            if let Some(planner) = &mut planner {
                self.tell(planner, player, place, &mut bodies);
            }
            if let Some(threshold) = self.threshold_at(truth) {
                publisher.set_threshold(threshold);
            }
            if let Some(cause) = publisher.due(truth) {
                let model = match &mut planner {
                    Some(planner) => self.learned_plan(planner, player, place, &mut bodies),
                    None => self.plan(course, truth.at, &mut bodies, cause)(truth),
                };
                let update = publisher.export(truth, model, cause);
                chain.updates += 1;
                late.send(update, truth.at);
                if let Some(viewer) = &mut linked {
                    viewer.send(update, truth.at);
                }
            }
            let guess = publisher.last_update().position_at(truth.at);
            chain.guess.add(guess.distance(truth.position));
            self.look(&mut late, truth.at, truth.position, chain);
            if let Some(viewer) = &mut linked {
                chain.linked.add(viewer.shown(truth.at).distance(truth.position));
            }
        }
        Ok(())
    }

    /// Whoever plans with a trained model, if that is the predictor.
    fn planner(&self, player: usize) -> Option<LearnedPlanner> {
        let Ready::Learned(learned) = self.predictor else { return None };
        let mut config = LearnedConfig::default();
        (config.choose, config.adapt) = (learned.choose, learned.adapt);
        (config.bound_m, config.seed) = (self.bound, player as u64);
        Some(LearnedPlanner::new(config))
    }

    /// Tells the planner the truth of a sample.
    fn tell(
        &self,
        planner: &mut LearnedPlanner,
        player: usize,
        place: usize,
        bodies: &mut Vec<Known>,
    ) {
        let Ready::Learned(learned) = self.predictor else { return };
        let plain = &self.prepared.courses[player].states[place].kinematics;
        let truth = self.insight.kinematics(player, place, plain);
        if !planner.is_curious(&truth) {
            planner.observe(learned.model, &truth, &Senses::default());
            return;
        }
        self.prepared.known_at(truth.at, bodies);
        let trails = Trails::default();
        let scene = self.surroundings.scene(bodies, &trails);
        planner.observe(learned.model, &truth, &self.insight.senses(player, place, &scene));
    }

    fn learned_plan(
        &self,
        planner: &mut LearnedPlanner,
        player: usize,
        place: usize,
        bodies: &mut Vec<Known>,
    ) -> Model {
        let Ready::Learned(learned) = self.predictor else { return Model::Linear };
        let plain = &self.prepared.courses[player].states[place].kinematics;
        let truth = self.insight.kinematics(player, place, plain);
        self.prepared.known_at(truth.at, bodies);
        let trails = Trails::default();
        let scene = self.surroundings.scene(bodies, &trails);
        planner.plan(learned.model, &truth, &self.insight.senses(player, place, &scene))
    }

    /// STEELE's threshold, which varies with place: the bound where a body follows the trend
    /// of its place, down to half of it where it goes across. Only for `trend`.
    fn threshold_at(&self, truth: &reckoning::Kinematics) -> Option<Threshold> {
        let Ready::Behaviour(Behaviour::Trended(_)) = self.predictor else { return None };
        let trends = self.surroundings.trends()?;
        let (min, max) = (0.5 * self.bound, self.bound);
        Threshold::metres(trends.threshold_m(truth.position, truth.velocity, min, max)).ok()
    }

    /// What the owner publishes: the model fitted to the truth, or its plan as a curve.
    fn plan(
        &self,
        course: &Course,
        now: SimTime,
        bodies: &mut Vec<Known>,
        cause: Cause,
    ) -> impl Fn(&reckoning::Kinematics) -> Model + use<> {
        let planned = match self.predictor {
            Ready::Model(model) => Err(model),
            Ready::Learned(_) => Ok(Model::Linear),
            // Who stands still has no plans.
            Ready::Behaviour(_) if cause == Cause::Stop => Ok(Model::Hold),
            Ready::Behaviour(behaviour) => {
                self.prepared.known_at(now, bodies);
                let trails = self.surroundings.trails_before(self.prepared, now, 10);
                let scene = self.surroundings.scene(bodies, &trails);
                let plan = behaviour.plan(&scene, course.id as u32, PLAN_S, CurveBasis::FOUR);
                Ok(plan.unwrap_or(Model::Linear))
            }
        };
        move |truth| match planned {
            Ok(plan) => plan,
            Err(model) => model.fitted(truth),
        }
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
            Ready::Behaviour(_) | Ready::Learned(_) => Model::Linear,
        };
        Ok(config)
    }

    fn look(&self, viewer: &mut Viewer, now: SimTime, truth: DVec3, chain: &mut Chain) {
        let shown = viewer.shown(now);
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

/// One listener behind a link.
struct Viewer {
    link: Link<Update>,
    ghost: Ghost,
    last: [(SimTime, DVec3); 3],
}

impl Viewer {
    fn new(mut config: LinkConfig, first: Update, salt: u64) -> Result<Self, CompareError> {
        config.seed ^= salt;
        let mut ghost = GhostConfig::default();
        ghost.blend = Blend::ProjectiveVelocity;
        ghost.max_extrapolation = Duration::from_mins(1);
        let now = first.at();
        let link = Link::new(config)?;
        let last = [(now, first.kinematics().position); 3];
        Ok(Self { link, ghost: Ghost::start(ghost, first, now)?, last })
    }

    fn send(&mut self, update: Update, now: SimTime) {
        self.link.send(now, crate::plain_bytes(&update), update);
    }

    fn shown(&mut self, now: SimTime) -> DVec3 {
        while let Some((arrival, update)) = self.link.poll(now) {
            self.ghost.accept(update, arrival);
        }
        self.ghost.position_at(now)
    }

    /// The third difference of what was shown over the last four samples.
    fn jerk(&mut self, now: SimTime, shown: DVec3) -> Option<f64> {
        let [a, b, c] = self.last;
        self.last = [b, c, (now, shown)];
        let step_s = now.secs_since(a.0) / 3.0;
        let third = shown - c.1 * 3.0 + b.1 * 3.0 - a.1;
        (a.0 != b.0 && b.0 != c.0 && c.0 != now)
            .then(|| third.length() / (step_s * step_s * step_s))
    }
}
