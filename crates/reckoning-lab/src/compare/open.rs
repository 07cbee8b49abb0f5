//! Predictions at every sample for every player, and how far off they were.

use std::ops::Range;
use std::time::Duration;

use reckoning::{Behaviour, DVec3, Model, Scene};

use super::parallel::on_each_thread;
use super::prepare::{Course, Prepared};
use super::surroundings::Surroundings;
use super::tally::Errors;
use crate::predictor::Learned;
use crate::train::{Insight, Reader};

/// Frames to a piece of work: long enough that a piece's start-up does not count.
const PIECE: usize = 4_096;

/// A predictor ready for one recording.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ready {
    Model(Model),
    Behaviour(Behaviour),
    Learned(Learned),
}

/// The questions put to every predictor.
#[derive(Clone, Debug)]
pub(crate) struct Questions {
    pub(crate) delays: Vec<Duration>,
    pub(crate) hit_within: f64,
    pub(crate) li_px: f64,
}

/// Errors by predictor, player and delay, in that order.
pub(crate) type Grid = Vec<Errors>;

/// Asks all predictors at every sample. The answer does not depend on the number of threads.
pub(crate) fn ask(
    prepared: &Prepared,
    surroundings: &Surroundings,
    insight: &Insight<'_>,
    predictors: &[Ready],
    questions: &Questions,
    progress: &(dyn Fn(u64) + Sync),
) -> Grid {
    let frames = prepared.frames.len();
    let pieces: Vec<Range<usize>> =
        (0..frames).step_by(PIECE).map(|from| from..(from + PIECE).min(frames)).collect();
    let grids: Vec<Grid> = on_each_thread(pieces.len(), surroundings, |own, piece| {
        let frames = pieces[piece].clone();
        let done = frames.len() as u64;
        let mut ask = Ask::new(prepared, insight, predictors, questions, frames.start);
        ask.run(frames, own);
        progress(done);
        ask.grid
    });
    let mut sum = vec![Errors::default(); grid_len(prepared, predictors, questions)];
    for grid in &grids {
        sum.iter_mut().zip(grid).for_each(|(sum, part)| sum.merge(part));
    }
    sum
}

fn grid_len(prepared: &Prepared, predictors: &[Ready], questions: &Questions) -> usize {
    predictors.len() * prepared.courses.len() * questions.delays.len()
}

struct Ask<'a> {
    prepared: &'a Prepared,
    predictors: &'a [Ready],
    questions: &'a Questions,
    horizons_s: Vec<f64>,
    /// For each player the place of the next state at or after the current frame.
    next: Vec<usize>,
    truths: Vec<Option<DVec3>>,
    guesses: Vec<DVec3>,
    grid: Grid,
    reader: Reader<'a>,
}

impl<'a> Ask<'a> {
    fn new(
        prepared: &'a Prepared,
        insight: &'a Insight<'a>,
        predictors: &'a [Ready],
        questions: &'a Questions,
        start: usize,
    ) -> Self {
        let from = prepared.frames[start];
        let before = |course: &Course| course.states.partition_point(|s| s.kinematics.at < from);
        Self {
            prepared,
            predictors,
            questions,
            horizons_s: questions.delays.iter().map(Duration::as_secs_f64).collect(),
            next: prepared.courses.iter().map(before).collect(),
            truths: vec![None; questions.delays.len()],
            guesses: vec![DVec3::ZERO; questions.delays.len()],
            grid: vec![Errors::default(); grid_len(prepared, predictors, questions)],
            reader: Reader::new(prepared, insight),
        }
    }

    fn run(&mut self, frames: Range<usize>, surroundings: &Surroundings) {
        let needs_scene = self.predictors.iter().any(|it| !matches!(it, Ready::Model(_)));
        let start = self.prepared.frames[frames.start];
        let mut trails = surroundings.trails_before(self.prepared, start, 1);
        let mut bodies = Vec::new();
        for frame in frames {
            let now = self.prepared.frames[frame];
            if needs_scene {
                self.prepared.known_at(now, &mut bodies);
                trails.lay(&bodies, now, 1.0);
            }
            let scene = surroundings.scene(&bodies, &trails);
            for course in 0..self.prepared.courses.len() {
                let states = &self.prepared.courses[course].states;
                let place = self.next[course];
                if states.get(place).is_some_and(|state| state.kinematics.at == now) {
                    self.next[course] += 1;
                    self.ask_about(course, place, &scene);
                }
            }
        }
    }

    fn ask_about(&mut self, player: usize, place: usize, scene: &Scene<'_>) {
        let course = &self.prepared.courses[player];
        let state = &course.states[place];
        if !(state.alive && state.moving_known) {
            return;
        }
        for (truth, &delay) in self.truths.iter_mut().zip(&self.questions.delays) {
            *truth = course.truth_at(place, state.kinematics.at + delay);
        }
        if self.truths.iter().all(Option::is_none) {
            return;
        }
        for predictor in 0..self.predictors.len() {
            self.guess(predictor, player, place, scene);
            self.count(predictor, player);
        }
    }

    fn guess(&mut self, predictor: usize, player: usize, place: usize, scene: &Scene<'_>) {
        let course = &self.prepared.courses[player];
        let seen = &course.states[place].kinematics;
        match &self.predictors[predictor] {
            Ready::Model(model) => {
                let model = model.fitted(seen);
                for (guess, &delay) in self.guesses.iter_mut().zip(&self.questions.delays) {
                    *guess = model.position_at(seen, seen.at + delay);
                }
            }
            Ready::Behaviour(behaviour) => {
                self.guesses.fill(seen.position);
                behaviour.roll_out(scene, course.id as u32, &self.horizons_s, &mut self.guesses);
            }
            Ready::Learned(learned) => {
                let bound = self.questions.hit_within;
                let model = self.reader.curve(learned.model, player, place, scene, bound);
                for (guess, &delay) in self.guesses.iter_mut().zip(&self.questions.delays) {
                    *guess = model.position_at(seen, seen.at + delay);
                }
            }
        }
    }

    fn count(&mut self, predictor: usize, player: usize) {
        let delays = self.questions.delays.len();
        let start = (predictor * self.prepared.courses.len() + player) * delays;
        let cells = &mut self.grid[start..start + delays];
        for ((cell, truth), guess) in cells.iter_mut().zip(&self.truths).zip(&self.guesses) {
            if let Some(truth) = truth {
                let error = guess.distance(*truth);
                cell.add(error, self.questions.hit_within, self.questions.li_px);
            }
        }
    }
}
