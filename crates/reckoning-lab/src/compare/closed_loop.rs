//! Closed-loop evaluation: the publisher, link and ghost of the engine on a recording.

mod remembering;
#[cfg(test)]
mod through_host;

use std::ops::Range;

use reckoning::{
    AngleThreshold, ConfigError, DVec3, ExportReason, Kinematics, Model, Planner, Publisher,
    PublisherConfig, SimTime, Threshold, Update,
};
use reckoning_netsim::LinkConfig;
use reckoning_predict as predict;
use reckoning_predict::Behaviour;

use super::CompareError;
use super::angles::{AngleOutcome, run_joint, run_orientation};
use super::open_loop::Ready;
use super::prepare::{BodyCourse, Prepared};
use super::receiver::{AccountedReceiver, Heard, LinkedViewer, late_link};
use super::surroundings::{RecordedSurroundings, SceneMoment};
use crate::publishing::threshold_only;
use crate::train::SenderContext;

pub(crate) use remembering::{RememberingPlanner, through_foreseen};

/// What one player's chain cost and showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChainOutcome {
    pub(crate) updates: u64,
    pub(crate) seconds: f64,
    /// Distance of guess and truth at every sample, without any delay.
    pub(crate) guess: MeanSum,
    /// Distance of what a ghost shows, 100 ms late, and truth.
    pub(crate) shown: MeanSum,
    /// What came of it at each receiver.
    pub(crate) heard: Vec<Heard>,
    /// Third differences of what is shown, per second cubed.
    pub(crate) rough: MeanSum,
    pub(crate) in_walls: MeanSum,
    /// Its orientation, if that is judged.
    pub(crate) turning: AngleOutcome,
    /// Its joints, in the order of its course.
    pub(crate) joints: Vec<AngleOutcome>,
    /// A telling stretch: truth, shown and error.
    pub(crate) stretch: Vec<(SimTime, DVec3, DVec3)>,
}

/// A sum and how many there were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MeanSum {
    pub(crate) sum: f64,
    pub(crate) n: f64,
}

impl MeanSum {
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
pub(crate) struct ChainSetting<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) surroundings: &'a RecordedSurroundings,
    pub(crate) context: &'a SenderContext<'a>,
    pub(crate) predictor: Ready,
    pub(crate) bound: f64,
    /// The same for orientations and joints, where they are known.
    pub(crate) angle_bound: AngleThreshold,
    pub(crate) receivers: &'a [LinkConfig],
}

/// All receivers of the updates of one segment.
struct Listeners {
    /// A ghost that receives every update 100 ms late.
    late: LinkedViewer,
    receivers: Vec<AccountedReceiver>,
}

impl Listeners {
    fn start(links: &[LinkConfig], first: Update, salt: u64) -> Result<Self, CompareError> {
        let start = |link: &LinkConfig| AccountedReceiver::start(*link, first, salt);
        Ok(Self {
            late: LinkedViewer::new(late_link(), first, salt)?,
            receivers: links.iter().map(start).collect::<Result<_, _>>()?,
        })
    }

    fn send(&mut self, update: Update, now: SimTime) {
        self.late.send(update, now);
        for receiver in &mut self.receivers {
            receiver.send(update, now);
        }
    }
}

/// How many samples of the stretch are kept for plots.
const STRETCH: usize = 400;

impl ChainSetting<'_> {
    /// Runs one player's chain over all its segments.
    pub(crate) fn run(&self, player: usize) -> Result<ChainOutcome, CompareError> {
        let course = &self.prepared.courses[player];
        let heard = vec![Heard::default(); self.receivers.len()];
        let joints = vec![AngleOutcome::default(); course.joints.len()];
        let mut chain = ChainOutcome { heard, joints, ..ChainOutcome::default() };
        let mut planner = self.planner(player);
        let mut place = 0;
        while place < course.states.len() {
            let end = course.segment_end(place);
            if let Some(planner) = &mut planner {
                planner.restart();
            }
            self.run_segment(course, place..end, player, planner.as_mut(), &mut chain)?;
            self.run_angles(course, place..end, &mut chain)?;
            place = end;
        }
        Ok(chain)
    }

    /// Runs what turns on a body over a segment, each for itself.
    fn run_angles(
        &self,
        course: &BodyCourse,
        places: Range<usize>,
        chain: &mut ChainOutcome,
    ) -> Result<(), CompareError> {
        let (predictor, bound) = (&self.predictor, self.angle_bound);
        run_orientation(course, places.clone(), predictor, bound, &mut chain.turning)?;
        for (joint, outcome) in chain.joints.iter_mut().enumerate() {
            let bound_rad = bound.max_error_rad();
            run_joint(course, joint, places.clone(), predictor, bound_rad, outcome)?;
        }
        Ok(())
    }

    fn run_segment(
        &self,
        course: &BodyCourse,
        places: Range<usize>,
        player: usize,
        mut planner: Option<&mut RememberingPlanner>,
        chain: &mut ChainOutcome,
    ) -> Result<(), CompareError> {
        let alive: Vec<usize> = places.filter(|&place| course.states[place].alive).collect();
        let [begin, .., last] = alive.as_slice() else { return Ok(()) };
        let (first, last) = (&course.states[*begin], &course.states[*last]);
        chain.seconds += last.kinematics.at.secs_since(first.kinematics.at);
        let (mut publisher, update) =
            self.start(&first.kinematics, player, *begin, planner.as_deref_mut())?;
        chain.updates += 1;
        let mut listeners = Listeners::start(self.receivers, update, player as u64)?;
        for &place in &alive[1..] {
            let truth = &course.states[place].kinematics;
            if let Some(planner) = &mut planner {
                self.tell(planner, player, place);
            }
            let planner = planner.as_deref_mut();
            if let Some(update) = self.export(&mut publisher, truth, player, place, planner) {
                chain.updates += 1;
                listeners.send(update, truth.at);
            }
            let guess = publisher.last_update().position_at(truth.at);
            chain.guess.add(guess.distance(truth.position));
            self.look(&mut listeners.late, truth.at, truth.position, chain);
            for receiver in &mut listeners.receivers {
                receiver.look(truth.at, truth.position);
            }
        }
        for (sum, receiver) in chain.heard.iter_mut().zip(&listeners.receivers) {
            sum.merge(&receiver.heard());
        }
        Ok(())
    }

    /// The publisher of a segment, with its first update.
    fn start(
        &self,
        first: &Kinematics,
        player: usize,
        place: usize,
        planner: Option<&mut RememberingPlanner>,
    ) -> Result<(Publisher, Update), ConfigError> {
        let mut publishing = self.publishing()?;
        let Some(planner) = planner else { return Publisher::start(publishing, first) };
        self.tell(planner, player, place);
        let (seen, model) = self.remembered_plan(planner, first, player, place, ExportReason::Full);
        publishing.model = model;
        Publisher::start(publishing, &seen)
    }

    /// The update that is due at a sample, if one is.
    pub(crate) fn export(
        &self,
        publisher: &mut Publisher,
        truth: &Kinematics,
        player: usize,
        place: usize,
        planner: Option<&mut RememberingPlanner>,
    ) -> Option<Update> {
        if let Some(threshold) = self.threshold_at(truth) {
            publisher.set_threshold(threshold);
        }
        let reason = publisher.due(truth)?;
        let (seen, model) = match planner {
            Some(planner) => self.remembered_plan(planner, truth, player, place, reason),
            None => (*truth, self.plan(player, truth, reason)),
        };
        Some(publisher.export_state(truth, &seen, model, reason))
    }

    /// Lets the planner observe the truth of a sample.
    pub(crate) fn tell(&self, planner: &mut RememberingPlanner, player: usize, place: usize) {
        let truth = self.own_motion(player, place);
        if !planner.looks_around(&truth) {
            planner.observe(&truth, &predict::Surroundings::default());
            return;
        }
        let moment = self.seen_at(truth.at);
        let scene = self.surroundings.scene(&moment);
        planner.observe(&truth, &self.context.senses(player, place, &scene));
    }

    /// What listeners shall have of a truth: the truth, but for a line through somewhere else.
    pub(crate) fn remembered_plan(
        &self,
        planner: &mut RememberingPlanner,
        truth: &Kinematics,
        player: usize,
        place: usize,
        reason: ExportReason,
    ) -> (Kinematics, Model) {
        self.with_senses(player, place, |own, around| {
            let (seen, model) = planner.plan_state(own, around, reason);
            let velocity = if seen == *own { truth.velocity } else { seen.velocity };
            (Kinematics { velocity, ..*truth }, model)
        })
    }

    /// Asks with what an owner knows of its motion and of what is around it at a sample.
    pub(crate) fn with_senses<R>(
        &self,
        player: usize,
        place: usize,
        ask: impl FnOnce(&Kinematics, &predict::Surroundings<'_>) -> R,
    ) -> R {
        let truth = self.own_motion(player, place);
        let moment = self.seen_at(truth.at);
        let scene = self.surroundings.scene(&moment);
        ask(&truth, &self.context.senses(player, place, &scene))
    }

    /// What an owner knows of its motion at a sample.
    pub(crate) fn own_motion(&self, player: usize, place: usize) -> Kinematics {
        let plain = &self.prepared.courses[player].states[place].kinematics;
        self.context.kinematics(player, place, plain)
    }

    /// Bodies and items at a moment. Nothing learned looks at trails.
    fn seen_at(&self, now: SimTime) -> SceneMoment {
        let mut moment = SceneMoment::default();
        self.surroundings.look_around(self.prepared, now, &mut moment);
        moment
    }

    /// STEELE's threshold, which varies with place: the bound where a body follows the trend
    /// of its place, down to half of it where it goes across. Only for `trend`; for
    /// `linear-by-place` between the same two by what was measured.
    pub(crate) fn threshold_at(&self, truth: &Kinematics) -> Option<Threshold> {
        let trends = match self.predictor {
            Ready::Behaviour(Behaviour::Trended(_)) => self.surroundings.trends()?,
            Ready::ByPlace => self.surroundings.measured()?,
            _ => return None,
        };
        let (min, max) = (0.5 * self.bound, self.bound);
        Threshold::metres(trends.threshold_m(truth.position, truth.velocity, min, max)).ok()
    }

    /// What the owner publishes: the model fitted to the truth, or its plan as a curve.
    pub(crate) fn plan(&self, player: usize, truth: &Kinematics, reason: ExportReason) -> Model {
        if let Ready::Model(model) = self.predictor {
            return model.fitted(truth);
        }
        if let Ready::ByPlace = self.predictor {
            return Model::Linear;
        }
        let mut moment = self.surroundings.before(self.prepared, truth.at, 10);
        self.surroundings.look_around(self.prepared, truth.at, &mut moment);
        let learnt = self.surroundings.habit_of(player, truth.at);
        let id = self.prepared.courses[player].id as u32;
        let behaviour = self.predictor.behaviour(moment.li_scale(), learnt);
        let scene = self.surroundings.scene(&moment);
        let around = predict::Surroundings { scene: Some(&scene), id, ..Default::default() };
        behaviour.map_or(Model::Linear, |mut it| Planner::plan(&mut it, truth, &around, reason))
    }

    fn publishing(&self) -> Result<PublisherConfig, ConfigError> {
        threshold_only(self.bound, self.plain_model())
    }

    /// The model that is published where nothing is planned.
    pub(crate) const fn plain_model(&self) -> Model {
        if let Ready::Model(model) = self.predictor { model } else { Model::Linear }
    }

    fn look(
        &self,
        viewer: &mut LinkedViewer,
        now: SimTime,
        truth: DVec3,
        chain: &mut ChainOutcome,
    ) {
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
