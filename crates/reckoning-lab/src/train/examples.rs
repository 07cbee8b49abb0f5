//! Training examples: rows of features, and where the body then went.

use std::time::Duration;

use reckoning::SimTime;
use reckoning_predict::Scene;
use reckoning_predict::learned::{FEATURES, Features, Frame, Framing, History};

use super::sender_context::SenderContext;
use crate::compare::{BodyCourse, Prepared, RecordedSurroundings, SceneMoment, on_each_thread};

/// Moments after an example at which the truth is kept: every 30 ms at first, then a fifth
/// further each time.
pub(crate) const HORIZONS: usize = 23;
/// Those moments in seconds.
pub(crate) fn horizons_s() -> [f64; HORIZONS] {
    let mut t_s = 0.0;
    std::array::from_fn(|_| {
        t_s = if t_s < 0.299 { t_s + 0.03 } else { t_s * 1.2 };
        t_s
    })
}

/// Examples of one or more sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Examples {
    pub(crate) axes: usize,
    /// A row each; the bound, the first feature, is left to the trainer.
    pub(crate) features: Vec<f32>,
    pub(crate) acts: Vec<u16>,
    /// By example, horizon and axis; NaN beyond the end of the segment.
    pub(crate) truths: Vec<f32>,
    /// Velocity seen, by example and axis.
    pub(crate) velocities: Vec<f32>,
    /// When it was; examples of one body stand in order.
    pub(crate) at: Vec<SimTime>,
    /// Which run of a body it belongs to: another number for every segment.
    pub(crate) runs: Vec<u32>,
}

impl Examples {
    pub(crate) fn len(&self) -> usize {
        self.acts.len()
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.axes = other.axes;
        self.features.append(&mut other.features);
        self.acts.append(&mut other.acts);
        self.truths.append(&mut other.truths);
        self.velocities.append(&mut other.velocities);
        self.at.append(&mut other.at);
        let before = self.runs.last().map_or(0, |last| last + 1);
        self.runs.extend(other.runs.into_iter().map(|run| before + run));
    }

    /// Every `step`-th sample of everyone in a session.
    pub(crate) fn from_prepared(
        prepared: &Prepared,
        surroundings: &RecordedSurroundings,
        context: &SenderContext<'_>,
        framing: Framing,
        step: usize,
    ) -> Self {
        let parts = on_each_thread(prepared.courses.len(), surroundings, |own, course| {
            let source = ExampleSource { prepared, surroundings: own, context, framing };
            source.examples(course, step)
        });
        let mut all = Self { axes: framing.axes(), ..Self::default() };
        for part in parts {
            all.append(part);
        }
        all
    }
}

/// Where examples come from.
pub(crate) struct ExampleSource<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) surroundings: &'a RecordedSurroundings,
    pub(crate) context: &'a SenderContext<'a>,
    pub(crate) framing: Framing,
}

impl ExampleSource<'_> {
    fn examples(&self, number: usize, step: usize) -> Examples {
        let course = &self.prepared.courses[number];
        let mut examples = Examples { axes: self.framing.axes(), ..Examples::default() };
        let mut history = History::new();
        let mut moment = SceneMoment::default();
        for place in 0..course.states.len() {
            let state = &course.states[place];
            if place == 0 || course.segment_end(place) != course.segment_end(place - 1) {
                history.restart();
            }
            history.observe(state.kinematics.at, state.kinematics.position);
            if place % step == number % step && state.alive && state.moving_known {
                self.surroundings.look_around(self.prepared, state.kinematics.at, &mut moment);
                let scene = self.surroundings.scene(&moment);
                self.add(number, place, &history, &scene, &mut examples);
            }
        }
        examples
    }

    fn add(
        &self,
        number: usize,
        place: usize,
        history: &History,
        scene: &Scene<'_>,
        out: &mut Examples,
    ) {
        let course = &self.prepared.courses[number];
        let seen = self.context.kinematics(number, place, &course.states[place].kinematics);
        let senses = self.context.senses(number, place, scene);
        let unit = self.prepared.body_width;
        let frame = Frame::new(self.framing, &seen, senses.facing_known, history, 0.5 * unit);
        if !push_truths(course, place, seen.at, &frame, out) {
            return;
        }
        let features = Features::new(&frame, &seen, history, &senses, unit, unit);
        debug_assert_eq!(features.values().len(), FEATURES);
        out.features.extend(features.values());
        out.acts.push(features.act());
        let velocity = frame.components(seen.velocity);
        out.at.push(seen.at);
        // The end of its segment tells it from others of this body.
        out.runs.push(course.segment_end(place) as u32);
        out.velocities.extend(velocity[..out.axes].iter().map(|&x| x as f32));
    }
}

/// Adds where the body went; nothing at all if its segment ends at once.
fn push_truths(
    course: &BodyCourse,
    place: usize,
    now: SimTime,
    frame: &Frame,
    out: &mut Examples,
) -> bool {
    let here = course.states[place].kinematics.position;
    let start = out.truths.len();
    for t_s in horizons_s() {
        let truth = course.truth_at(place, now + Duration::from_secs_f64(t_s));
        let way = truth.map(|truth| frame.components(truth - here));
        let way = way.unwrap_or([f64::NAN; 3]);
        out.truths.extend(way[..out.axes].iter().map(|&x| x as f32));
    }
    // A third of a second is the least that teaches anything.
    let known = !out.truths[start + 10 * out.axes].is_nan();
    if !known {
        out.truths.truncate(start);
    }
    known
}
