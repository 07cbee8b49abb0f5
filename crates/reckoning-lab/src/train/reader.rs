//! A trained model evaluated at any sample of a recording.

use std::time::Duration;

use reckoning::Model;
use reckoning_predict::Scene;
use reckoning_predict::learned::{Features, Frame, History, LearnedModel};

use super::SenderContext;
use crate::compare::Prepared;

/// What a history reaches back over, and a little more.
const REACH: Duration = Duration::from_millis(1_900);

/// Asks a model about any body at any sample; samples in order are quick.
pub(crate) struct ModelReader<'a> {
    prepared: &'a Prepared,
    context: &'a SenderContext<'a>,
    /// For each body its history, and the sample it reaches up to.
    histories: Vec<(History, Option<usize>)>,
}

impl<'a> ModelReader<'a> {
    pub(crate) fn new(prepared: &'a Prepared, context: &'a SenderContext<'a>) -> Self {
        let histories = prepared.courses.iter().map(|_| (History::new(), None)).collect();
        Self { prepared, context, histories }
    }

    /// The model's curve for a body at a sample, or what it falls back to.
    pub(crate) fn curve(
        &mut self,
        model: &LearnedModel,
        body: usize,
        place: usize,
        scene: &Scene<'_>,
        bound: f64,
    ) -> Model {
        self.follow(body, place);
        let history = &self.histories[body].0;
        let plain = &self.prepared.courses[body].states[place].kinematics;
        let seen = self.context.kinematics(body, place, plain);
        let senses = self.context.senses(body, place, scene);
        let (facing, slow) = (senses.facing_known, model.slow_mps());
        let frame = Frame::new(model.framing(), &seen, facing, history, slow);
        let features = Features::new(&frame, &seen, history, &senses, model.unit_m(), bound);
        let told = model.coefficients(&features);
        let damped = Model::Damped { fade: model.fade() };
        told.map_or(damped, |told| Model::Curve(model.curve(&frame, &told)))
    }

    /// Brings a body's history up to a sample.
    fn follow(&mut self, body: usize, place: usize) {
        let course = &self.prepared.courses[body];
        let (history, last) = &mut self.histories[body];
        let same = |a: usize, b: usize| course.segment_end(a) == course.segment_end(b);
        let from = match *last {
            Some(last) if last <= place && same(last, place) => last + 1,
            _ => {
                history.restart();
                let now = course.states[place].kinematics.at;
                let recent = |&k: &usize| course.states[k].kinematics.at + REACH >= now;
                let back = (0..=place).rev().take_while(|&k| same(k, place)).take_while(recent);
                back.last().unwrap_or(place)
            }
        };
        for state in &course.states[from..=place] {
            history.observe(state.kinematics.at, state.kinematics.position);
        }
        *last = Some(place);
    }
}
