//! Open loop of angles: a prediction at every sample, and how far it is turned from the truth.

use std::time::Duration;

use reckoning::math::angle_between;
use reckoning::orientation::shortest_turn_rad;
use reckoning::{DQuat, Joint, Model, SimTime};

use super::AngleTally;
use crate::compare::open_loop::Ready;
use crate::compare::prepare::BodyCourse;

/// Errors by delay.
pub(super) type ByDelay = Vec<AngleTally>;

/// The orientation of a body as a model predicts it; empty where none is recorded.
pub(super) fn orientation_errors(
    course: &BodyCourse,
    model: Model,
    delays: &[Duration],
) -> ByDelay {
    if !course.oriented {
        return Vec::new();
    }
    let mut errors = vec![AngleTally::default(); delays.len()];
    for (place, state) in course.states.iter().enumerate() {
        if !(state.alive && state.moving_known) {
            continue;
        }
        let seen = &state.kinematics;
        let model = model.fitted(seen);
        for (errors, &delay) in errors.iter_mut().zip(delays) {
            let at = seen.at + delay;
            if let Some(truth) = orientation_at(course, place, at) {
                errors.add(angle_between(model.orientation_at(seen, at), truth));
            }
        }
    }
    errors
}

/// A joint as a predictor has it: it keeps its rate, or its angle where everything is held.
pub(super) fn joint_errors(
    course: &BodyCourse,
    joint: usize,
    predictor: &Ready,
    delays: &[Duration],
) -> ByDelay {
    let states = &course.joints[joint].states;
    let mut errors = vec![AngleTally::default(); delays.len()];
    for (place, state) in states.iter().enumerate() {
        let Some(seen) = state.joint.filter(|_| state.turning_known) else { continue };
        if !course.states[place].alive {
            continue;
        }
        let guess = predictor.joint(seen);
        for (errors, &delay) in errors.iter_mut().zip(delays) {
            let at = seen.at + delay;
            if let Some(truth_rad) = joint_at(course, joint, place, at) {
                errors.add(shortest_turn_rad(guess.angle_at(at), truth_rad));
            }
        }
    }
    errors
}

/// The two states around a moment in the segment of the state at `place`, and how much of the way
/// between them has passed; `None` after the segment.
fn around(course: &BodyCourse, place: usize, at: SimTime) -> Option<(usize, usize, f64)> {
    let segment = &course.states[place..course.segment_end(place)];
    let next = segment.partition_point(|state| state.kinematics.at < at);
    let after = segment.get(next)?.kinematics.at;
    let before = segment[next.saturating_sub(1)].kinematics.at;
    let span_s = after.secs_since(before);
    let part = if span_s > 0.0 { at.secs_since(before) / span_s } else { 1.0 };
    Some((place + next.saturating_sub(1), place + next, part))
}

/// How the body truly stood at `at`.
fn orientation_at(course: &BodyCourse, place: usize, at: SimTime) -> Option<DQuat> {
    let (before, after, part) = around(course, place, at)?;
    let [before, after] = [before, after].map(|it| course.states[it].kinematics.orientation);
    Some(before.slerp(after, part))
}

/// The true angle of a joint at `at`; `None` where it is not known.
fn joint_at(course: &BodyCourse, joint: usize, place: usize, at: SimTime) -> Option<f64> {
    let (before, after, part) = around(course, place, at)?;
    let angle = |place: usize| course.joints[joint].states[place].joint.map(|it| it.angle_rad);
    let (before, after) = (angle(before)?, angle(after)?);
    Some(before + shortest_turn_rad(before, after) * part)
}

impl Ready {
    /// What is published of a joint: with its rate, unless everything is held.
    pub(in crate::compare) fn joint(&self, truth: Joint) -> Joint {
        if self.holds_still() { Joint { rate_radps: 0.0, ..truth } } else { truth }
    }
}
