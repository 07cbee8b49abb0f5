//! Errors of orientation and joints, on recordings that have them.
//!
//! The model that predicts positions predicts orientations as well, from the angular velocity. In the
//! closed loop orientation and joints are published for themselves: what is said of positions does not
//! depend on them.
//!
//! ```text
//! open loop    model, rate of a joint -> turned from the truth, by delay
//! closed loop  publisher -> 100 ms -> ghost, with a threshold of its own for angles
//! ```

mod joints;
mod open;
mod orientation;
mod tally;

use reckoning_recording::Recording;

use super::open_loop::Ready;
use super::prepare::{BodyCourse, Prepared};
use super::rows::{ClosedAngleRow, OpenAngleRow};
use super::{ChainOutcome, CompareConfig, Comparison, on_each_thread};
use open::ByDelay;

pub(super) use joints::run_joint;
pub(super) use orientation::run_orientation;
pub(crate) use tally::AngleTally;

/// What came of one angle of a body in the closed loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AngleOutcome {
    /// Updates that were sent for its sake.
    pub(crate) updates: u64,
    /// How long it was watched.
    pub(crate) seconds: f64,
    /// Guess and truth without any delay.
    pub(crate) guess: AngleTally,
    /// What a ghost shows, 100 ms late, and truth.
    pub(crate) shown: AngleTally,
}

impl AngleOutcome {
    fn merge(&mut self, other: &Self) {
        self.updates += other.updates;
        self.seconds += other.seconds;
        self.guess.merge(&other.guess);
        self.shown.merge(&other.shown);
    }
}

/// An angle that is judged: the orientation, or a joint by its name.
type Angle<'a> = Option<&'a str>;

/// Every angle that some body has; the orientation first, joints in order of appearance.
fn angles(prepared: &Prepared) -> Vec<Angle<'_>> {
    let oriented = prepared.courses.iter().any(|course| course.oriented);
    let mut angles: Vec<Angle<'_>> = oriented.then_some(None).into_iter().collect();
    for joint in prepared.courses.iter().flat_map(|course| &course.joints) {
        if !angles.contains(&Some(&joint.name)) {
            angles.push(Some(&joint.name));
        }
    }
    angles
}

fn joint_of(course: &BodyCourse, name: &str) -> Option<usize> {
    course.joints.iter().position(|joint| joint.name == name)
}

/// Adds the open loop of every angle. Predictors that speak of positions only are left out.
pub(super) fn push_open(
    config: &CompareConfig,
    recording: &Recording,
    prepared: &Prepared,
    ready: &[Ready],
    comparison: &mut Comparison,
) {
    for (predictor, name) in ready.iter().zip(&config.predictors) {
        let Ready::Model(_) = predictor else { continue };
        for angle in angles(prepared) {
            let errors = open_errors(config, prepared, predictor, angle);
            for (errors, delay) in errors.iter().zip(&config.delays) {
                comparison.open_angles.push(OpenAngleRow {
                    source: recording.source.clone(),
                    session: recording.session.clone(),
                    predictor: name.to_string(),
                    joint: angle.map(String::from),
                    delay_ms: delay.as_millis() as u64,
                    mean_deg: errors.mean_deg(),
                    p95_deg: errors.p95_deg(),
                    n: errors.n(),
                });
            }
        }
    }
}

/// The errors of one angle over all bodies, by delay.
fn open_errors(
    config: &CompareConfig,
    prepared: &Prepared,
    predictor: &Ready,
    angle: Angle<'_>,
) -> ByDelay {
    let of_body = |(): &mut (), body: usize| {
        let course = &prepared.courses[body];
        match (angle, predictor) {
            (None, Ready::Model(model)) => open::orientation_errors(course, *model, &config.delays),
            (Some(name), _) => joint_of(course, name).map_or_else(Vec::new, |joint| {
                open::joint_errors(course, joint, predictor, &config.delays)
            }),
            (None, _) => Vec::new(),
        }
    };
    let mut sum = vec![AngleTally::default(); config.delays.len()];
    for errors in on_each_thread(prepared.courses.len(), &(), of_body) {
        sum.iter_mut().zip(&errors).for_each(|(sum, part)| sum.merge(part));
    }
    sum
}

/// Adds the closed loop of every angle for one predictor.
pub(super) fn push_closed(
    config: &CompareConfig,
    recording: &Recording,
    prepared: &Prepared,
    predictor: usize,
    chains: &[ChainOutcome],
    comparison: &mut Comparison,
) {
    for angle in angles(prepared) {
        let mut all = AngleOutcome::default();
        for (course, chain) in prepared.courses.iter().zip(chains) {
            let outcome = match angle {
                None => Some(&chain.turning),
                Some(name) => joint_of(course, name).and_then(|joint| chain.joints.get(joint)),
            };
            if let Some(outcome) = outcome {
                all.merge(outcome);
            }
        }
        comparison.closed_angles.push(ClosedAngleRow {
            source: recording.source.clone(),
            session: recording.session.clone(),
            predictor: config.predictors[predictor].to_string(),
            joint: angle.map(String::from),
            bound_deg: config.angle_bound_deg,
            updates_per_entity_s: all.updates as f64 / all.seconds.max(f64::MIN_POSITIVE),
            mean_deg: all.guess.mean_deg(),
            p95_deg: all.guess.p95_deg(),
            shown_mean_deg: all.shown.mean_deg(),
            shown_p95_deg: all.shown.p95_deg(),
            n: all.guess.n(),
        });
    }
}
