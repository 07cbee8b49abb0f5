//! Closed loop of a joint: the engine's publisher, a link of 100 ms, the engine's ghost.

use std::ops::Range;
use std::time::Duration;

use reckoning::joints::{JointGhost, JointPublisher, JointPublisherConfig};
use reckoning::orientation::shortest_turn_rad;
use reckoning::{Joint, SimTime};
use reckoning_netsim::Link;

use super::AngleOutcome;
use crate::compare::CompareError;
use crate::compare::open_loop::Ready;
use crate::compare::prepare::BodyCourse;
use crate::compare::receiver::late_link;
use crate::publishing::NEVER;

/// How long an update of a joint is blended in, as kinds have it unless they say otherwise.
const BLEND: Duration = Duration::from_millis(200);
/// What an update of a joint weighs: an angle and a rate in a byte each.
const JOINT_BYTES: u32 = 2;

/// Runs one joint of a body over one of its segments.
pub(in crate::compare) fn run_joint(
    course: &BodyCourse,
    joint: usize,
    places: Range<usize>,
    predictor: &Ready,
    bound_rad: f64,
    outcome: &mut AngleOutcome,
) -> Result<(), CompareError> {
    let states = &course.joints[joint].states;
    let truths = places.filter(|&place| course.states[place].alive);
    let mut truths = truths.filter_map(|place| states[place].joint);
    let Some(first) = truths.next() else { return Ok(()) };
    let mut chain = JointChain::start(predictor.joint(first), bound_rad)?;
    let mut last = first.at;
    outcome.updates += 1;
    for truth in truths {
        let (sent, guess_rad) = chain.observe(predictor.joint(truth));
        outcome.updates += u64::from(sent);
        outcome.guess.add(shortest_turn_rad(guess_rad, truth.angle_rad));
        outcome.shown.add(shortest_turn_rad(chain.shown_rad(truth.at), truth.angle_rad));
        last = truth.at;
    }
    outcome.seconds += last.secs_since(first.at);
    Ok(())
}

struct JointChain {
    publisher: JointPublisher,
    sent: Joint,
    link: Link<Joint>,
    ghost: JointGhost,
}

impl JointChain {
    /// Both sides have the first update from the start.
    fn start(first: Joint, bound_rad: f64) -> Result<Self, CompareError> {
        let mut config = JointPublisherConfig::default();
        config.threshold_rad = bound_rad;
        (config.heartbeat, config.min_interval) = (NEVER, Duration::ZERO);
        let link = Link::new(late_link())?;
        let (publisher, sent) = JointPublisher::start(config, first)?;
        Ok(Self { publisher, sent, link, ghost: JointGhost::new(sent, BLEND) })
    }

    /// Whether an update was sent, and the angle that the newest one promises.
    fn observe(&mut self, truth: Joint) -> (bool, f64) {
        let update = self.publisher.observe(truth);
        if let Some(update) = update {
            self.link.send(truth.at, JOINT_BYTES, update);
            self.sent = update;
        }
        (update.is_some(), self.sent.angle_at(truth.at))
    }

    fn shown_rad(&mut self, now: SimTime) -> f64 {
        while let Some((arrival, update)) = self.link.poll(now) {
            self.ghost.accept(update, arrival);
        }
        self.ghost.angle_at(now)
    }
}
