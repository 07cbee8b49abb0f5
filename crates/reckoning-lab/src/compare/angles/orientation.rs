//! Closed loop of an orientation: the engine's publisher, a link of 100 ms, the engine's ghost.
//!
//! It is published for itself, whatever the position does, so that what is said of positions is the
//! same with orientations and without.

use std::ops::Range;

use reckoning::math::angle_between;
use reckoning::{AngleThreshold, Model, Publisher};

use super::AngleOutcome;
use crate::compare::CompareError;
use crate::compare::open_loop::Ready;
use crate::compare::prepare::BodyCourse;
use crate::compare::receiver::{LinkedViewer, late_link};
use crate::publishing::threshold_only;

/// No position is ever this far off, in units of a recording.
const ANYWHERE: f64 = 1e12;

/// Runs the orientation of a body over one of its segments.
pub(in crate::compare) fn run_orientation(
    course: &BodyCourse,
    places: Range<usize>,
    predictor: &Ready,
    bound: AngleThreshold,
    outcome: &mut AngleOutcome,
) -> Result<(), CompareError> {
    let mut truths = places.map(|place| &course.states[place]).filter(|it| it.alive);
    let Some(first) = truths.next().filter(|_| course.oriented) else { return Ok(()) };
    let model = if let Ready::Model(model) = predictor { *model } else { Model::Linear };
    let mut config = threshold_only(ANYWHERE, model)?;
    config.angle_threshold = Some(bound);
    let (mut publisher, update) = Publisher::start(config, &first.kinematics)?;
    let mut viewer = LinkedViewer::new(late_link(), update, 0)?;
    let mut last = first.kinematics.at;
    outcome.updates += 1;
    for truth in truths.map(|it| &it.kinematics) {
        if let Some(update) = publisher.observe(truth) {
            outcome.updates += 1;
            viewer.send(update, truth.at);
        }
        let guess = publisher.last_update().orientation_at(truth.at);
        outcome.guess.add(angle_between(guess, truth.orientation));
        viewer.shown(truth.at, |_, _| ());
        outcome.shown.add(angle_between(viewer.orientation(truth.at), truth.orientation));
        last = truth.at;
    }
    outcome.seconds += last.secs_since(first.kinematics.at);
    Ok(())
}
