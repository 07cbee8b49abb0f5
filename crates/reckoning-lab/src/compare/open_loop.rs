//! Open-loop evaluation: a prediction at every sample for every player, and its error.

use std::ops::Range;
use std::time::Duration;

use reckoning::dis::DisAlgorithm;
use reckoning::{DVec3, Model};
use reckoning_predict::{
    Behaviour, ChooserConfig, ChooserExpert, ChooserPlanner, Preference, Scene, Surroundings,
};

use super::closed_loop::through_foreseen;
use super::parallel::on_each_thread;
use super::prepare::{BodyCourse, Prepared};
use super::surroundings::RecordedSurroundings;
use super::tally::ErrorSums;
use crate::predictor::{InterestScheme, Learned, LearnedUse};
use crate::train::{ModelReader, SenderContext};

/// Frames to a piece of work: long enough that a piece's start-up does not count.
const PIECE: usize = 4_096;

/// A predictor ready for one recording.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ready {
    Model(Model),
    Behaviour(Behaviour),
    /// LI's scheme: its scale and the player's preference are what is known by then.
    Interest(InterestScheme),
    Learned(Learned),
    /// Constant velocity with thresholds by measured error.
    ByPlace,
    /// Whichever expert was cheapest, by what is known by then.
    Chooser(ChooserConfig),
}

impl Ready {
    /// Whether it leaves everything as it was last seen, joints included.
    pub(crate) fn holds_still(&self) -> bool {
        match self {
            Self::Model(Model::Dis(dis)) => dis.algorithm == DisAlgorithm::Static,
            Self::Model(model) => *model == Model::Hold,
            _ => false,
        }
    }

    /// How it judges a player of this preference, where speeds so far were `li_scale` times
    /// those of LI; `None` for a model, plain or trained.
    pub(crate) fn behaviour(&self, li_scale: f64, learnt: Preference) -> Option<Behaviour> {
        match *self {
            Self::Model(_) | Self::Learned(_) | Self::Chooser(_) | Self::ByPlace => None,
            Self::Behaviour(behaviour) => Some(behaviour),
            Self::Interest(scheme) => Some(scheme.behaviour(li_scale, learnt)),
        }
    }
}

/// The questions put to every predictor.
#[derive(Clone, Debug)]
pub(crate) struct Questions {
    pub(crate) delays: Vec<Duration>,
    pub(crate) hit_within: f64,
    pub(crate) li_px: f64,
    /// Where one of the predictors chooses: which expert was in force, by player and sample.
    pub(crate) in_force: Vec<Vec<ChooserExpert>>,
}

/// Errors by predictor, player and delay, in that order.
pub(crate) type ErrorGrid = Vec<ErrorSums>;

/// Asks all predictors at every sample. The answer does not depend on the number of threads.
pub(crate) fn ask(
    prepared: &Prepared,
    surroundings: &RecordedSurroundings,
    context: &SenderContext<'_>,
    predictors: &[Ready],
    questions: &Questions,
    progress: &(dyn Fn(u64) + Sync),
) -> ErrorGrid {
    let frames = prepared.frames.len();
    let pieces: Vec<Range<usize>> =
        (0..frames).step_by(PIECE).map(|from| from..(from + PIECE).min(frames)).collect();
    let grids: Vec<ErrorGrid> = on_each_thread(pieces.len(), surroundings, |own, piece| {
        let frames = pieces[piece].clone();
        let done = frames.len() as u64;
        let mut grid = vec![ErrorSums::default(); grid_len(prepared, predictors, questions)];
        let mut ask = OpenLoop::new(prepared, context, predictors, questions, frames.start);
        ask.run(frames, own, &mut |told| count(told, prepared, questions, &mut grid));
        progress(done);
        grid
    });
    let mut sum = vec![ErrorSums::default(); grid_len(prepared, predictors, questions)];
    for grid in &grids {
        sum.iter_mut().zip(grid).for_each(|(sum, part)| sum.merge(part));
    }
    sum
}

fn grid_len(prepared: &Prepared, predictors: &[Ready], questions: &Questions) -> usize {
    predictors.len() * prepared.courses.len() * questions.delays.len()
}

/// Adds the errors of one answer to the grid.
fn count(told: &Told<'_>, prepared: &Prepared, questions: &Questions, grid: &mut [ErrorSums]) {
    let delays = questions.delays.len();
    let start = (told.predictor * prepared.courses.len() + told.player) * delays;
    let cells = &mut grid[start..start + delays];
    for ((cell, truth), guess) in cells.iter_mut().zip(told.truths).zip(told.guesses) {
        if let Some(truth) = truth {
            cell.add(guess.distance(*truth), questions.hit_within, questions.li_px);
        }
    }
}

/// What one predictor said about one player at one sample, by delay, and what came true. A
/// guess is made whether or not its truth is in the recording.
pub(crate) struct Told<'a> {
    pub(crate) predictor: usize,
    pub(crate) player: usize,
    pub(crate) guesses: &'a [DVec3],
    truths: &'a [Option<DVec3>],
}

/// Goes through the frames and asks.
pub(crate) struct OpenLoop<'a> {
    prepared: &'a Prepared,
    predictors: &'a [Ready],
    questions: &'a Questions,
    horizons_s: Vec<f64>,
    /// For each player the place of the next state at or after the current frame.
    next: Vec<usize>,
    truths: Vec<Option<DVec3>>,
    guesses: Vec<DVec3>,
    reader: ModelReader<'a>,
}

/// The scene of one frame, and how fast bodies went by then.
struct FrameScene<'a> {
    scene: Scene<'a>,
    surroundings: &'a RecordedSurroundings,
    li_scale: f64,
}

impl<'a> OpenLoop<'a> {
    pub(crate) fn new(
        prepared: &'a Prepared,
        context: &'a SenderContext<'a>,
        predictors: &'a [Ready],
        questions: &'a Questions,
        start: usize,
    ) -> Self {
        let from = prepared.frames[start];
        let before =
            |course: &BodyCourse| course.states.partition_point(|s| s.kinematics.at < from);
        Self {
            prepared,
            predictors,
            questions,
            horizons_s: questions.delays.iter().map(Duration::as_secs_f64).collect(),
            next: prepared.courses.iter().map(before).collect(),
            truths: vec![None; questions.delays.len()],
            guesses: vec![DVec3::ZERO; questions.delays.len()],
            reader: ModelReader::new(prepared, context),
        }
    }

    pub(crate) fn run(
        &mut self,
        frames: Range<usize>,
        surroundings: &RecordedSurroundings,
        tell: &mut impl FnMut(&Told<'_>),
    ) {
        let needs_scene = self.predictors.iter().any(|it| !matches!(it, Ready::Model(_)));
        let start = self.prepared.frames[frames.start];
        let mut moment = surroundings.before(self.prepared, start, 1);
        for frame in frames {
            let now = self.prepared.frames[frame];
            if needs_scene {
                surroundings.look_around(self.prepared, now, &mut moment);
                moment.lay_trails(now, 1.0);
            }
            let (scene, li_scale) = (surroundings.scene(&moment), moment.li_scale());
            let seen = FrameScene { scene, surroundings, li_scale };
            for course in 0..self.prepared.courses.len() {
                let states = &self.prepared.courses[course].states;
                let place = self.next[course];
                if states.get(place).is_some_and(|state| state.kinematics.at == now) {
                    self.next[course] += 1;
                    self.ask_about(course, place, &seen, tell);
                }
            }
        }
    }

    fn ask_about(
        &mut self,
        player: usize,
        place: usize,
        seen: &FrameScene<'_>,
        tell: &mut impl FnMut(&Told<'_>),
    ) {
        let course = &self.prepared.courses[player];
        let state = &course.states[place];
        if !(state.alive && state.moving_known) {
            return;
        }
        for (truth, &delay) in self.truths.iter_mut().zip(&self.questions.delays) {
            *truth = course.truth_at(place, state.kinematics.at + delay);
        }
        for predictor in 0..self.predictors.len() {
            self.guess(predictor, player, place, seen);
            let (guesses, truths) = (&self.guesses, &self.truths);
            tell(&Told { predictor, player, guesses, truths });
        }
    }

    fn guess(&mut self, predictor: usize, player: usize, place: usize, seen: &FrameScene<'_>) {
        let course = &self.prepared.courses[player];
        let last = &course.states[place].kinematics;
        let predictor = &self.predictors[predictor];
        let learnt = seen.surroundings.habit_of(player, last.at);
        if let Some(behaviour) = predictor.behaviour(seen.li_scale, learnt) {
            self.guesses.fill(last.position);
            let id = course.id as u32;
            behaviour.roll_out(&seen.scene, id, &self.horizons_s, &mut self.guesses);
            return;
        }
        let bound = self.questions.hit_within;
        let (from, model) = match predictor {
            Ready::Model(model) => (*last, model.fitted(last)),
            Ready::ByPlace => (*last, Model::Linear),
            Ready::Learned(learned) => {
                let curve = self.reader.curve(learned.model, player, place, &seen.scene, bound);
                match learned.usage {
                    LearnedUse::Velocity(horizon) => {
                        (through_foreseen(last, &curve, horizon), Model::Linear)
                    }
                    LearnedUse::Chosen | LearnedUse::Alone => (*last, curve),
                }
            }
            Ready::Chooser(config) => {
                let expert = self.questions.in_force.get(player).and_then(|it| it.get(place));
                let id = course.id as u32;
                let around = Surroundings { scene: Some(&seen.scene), id, ..Default::default() };
                let chooser = ChooserPlanner::new(*config, bound, 0);
                let (Ok(chooser), Some(expert)) = (chooser, expert) else { return };
                (*last, chooser.plan_of(*expert, last, &around))
            }
            Ready::Behaviour(_) | Ready::Interest(_) => return,
        };
        for (guess, &delay) in self.guesses.iter_mut().zip(&self.questions.delays) {
            *guess = model.position_at(&from, from.at + delay);
        }
    }
}
