//! Updates that a method sends of the bodies of a recording.

use std::time::Duration;

use reckoning::{
    ConfigError, Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, Quantiser, SimTime, Update,
    UpdateKind,
};
use reckoning_net::wire::{Codes, Format, Registry};

use super::FrontierError;
use crate::compare::{BodyCourse, ChainSetting, Ready};
use crate::predictor::{Learned, LearnedUse};
use crate::wire_cost::{COARSE_HZ, COARSE_STEPS};

/// Steps of a fine grid per threshold: of position, and of velocity per second.
const FINE_STEPS: (f64, f64) = (32.0, 4.0);
const FINE_HZ: u32 = 1_000;
/// How far a body may be turned from what is shown, where turning is sent.
pub(crate) const ANGLE_DEGREES: f64 = 2.0;

/// One life of a body, from its first sample to its last, and what was sent of it.
#[derive(Clone, Debug)]
pub(crate) struct LifeStream {
    /// Places of its samples in the course.
    pub(crate) places: Vec<usize>,
    /// In order of time. The first is of the first sample; receivers have it from the start.
    pub(crate) sent: Vec<Update>,
}

impl LifeStream {
    /// How long it lasted.
    pub(crate) fn seconds(&self, course: &BodyCourse) -> f64 {
        let at = |place: &usize| course.states[*place].kinematics.at;
        match (self.places.first(), self.places.last()) {
            (Some(first), Some(last)) => at(last).secs_since(at(first)),
            _ => 0.0,
        }
    }
}

/// The lives of a body: runs of samples in which it is alive and does not jump.
pub(crate) fn lives(course: &BodyCourse) -> Vec<Vec<usize>> {
    let (mut lives, mut place) = (Vec::new(), 0);
    while place < course.states.len() {
        let end = course.segment_end(place);
        let alive: Vec<usize> = (place..end).filter(|&it| course.states[it].alive).collect();
        if alive.len() > 1 {
            lives.push(alive);
        }
        place = end;
    }
    lives
}

/// The grid of a threshold: for aimed lines the coarse one of `testdata/wire.txt`; that of turning
/// is fine enough for [`ANGLE_DEGREES`].
pub(crate) fn format_for(
    bound: f64,
    flat: bool,
    models: &[Model],
    aimed: bool,
) -> Result<Format, FrontierError> {
    let (position, velocity) = if aimed { COARSE_STEPS } else { FINE_STEPS };
    let steps = Quantiser {
        position_m: bound / position,
        velocity_mps: bound / velocity,
        acceleration_mps2: bound,
        angular_velocity_radps: 1.0 / 64.0,
        orientation: 1.0 / 256.0,
    };
    let hz = if aimed { COARSE_HZ } else { FINE_HZ };
    let format = Format::new(flat, hz, steps, models, Registry::default())?;
    if !aimed {
        return Ok(format);
    }
    Ok(format.with_codes(&vec![Codes::COARSE; models.len()], Codes::COARSE)?)
}

/// Models that a published stream carries, the most frequent first: aimed ones are lines.
pub(crate) fn models_of(setting: &ChainSetting<'_>, aimed: bool) -> Vec<Model> {
    let mut models = foreseen_models(setting);
    if aimed {
        models.retain(|model| *model != Model::Linear);
        models.insert(0, Model::Linear);
    }
    models
}

fn foreseen_models(setting: &ChainSetting<'_>) -> Vec<Model> {
    match setting.predictor {
        Ready::Model(model) => vec![model],
        Ready::ByPlace | Ready::Learned(Learned { usage: LearnedUse::Velocity(_), .. }) => {
            vec![Model::Linear]
        }
        Ready::Chooser(config) => vec![
            Model::Linear,
            Model::Damped { fade: config.fade },
            Model::Curve(Curve::still(CurveBasis::FOUR)),
        ],
        Ready::Learned(learned) => vec![
            Model::Curve(Curve::still(learned.model.basis())),
            Model::Damped { fade: learned.model.fade() },
            Model::Linear,
        ],
        Ready::Behaviour(_) | Ready::Interest(_) => {
            vec![Model::Curve(Curve::still(CurveBasis::FOUR)), Model::Linear]
        }
    }
}

/// What a body says of itself on this format.
pub(crate) fn sayable(truth: &Kinematics, format: &Format, turning: bool) -> Kinematics {
    let mut truth = format.sayable(truth);
    if !turning {
        truth.orientation = DQuat::IDENTITY;
        truth.angular_velocity = DVec3::ZERO;
    }
    truth
}

/// Positions of one player at a steady rate, and which way it is turned if that is sent.
pub(crate) fn snapshots(
    course: &BodyCourse,
    interval: Duration,
    format: &Format,
    turning: bool,
) -> Result<Vec<LifeStream>, ConfigError> {
    let mut streams = Vec::new();
    for places in lives(course) {
        let mut sent = Vec::new();
        for (at, position) in ticks(course, &places, interval) {
            let mut seen = Kinematics::at_rest(at, position);
            seen.orientation = turn_at(course, &places, at);
            let seen = sayable(&seen, format, turning);
            sent.push(format.round(&Update::new(seen, Model::Hold, UpdateKind::Partial)?));
        }
        streams.push(LifeStream { places, sent });
    }
    Ok(streams)
}

/// Which way a body is turned at the last sample by then.
pub(crate) fn turn_at(course: &BodyCourse, places: &[usize], at: SimTime) -> DQuat {
    let later = places.partition_point(|&place| course.states[place].kinematics.at <= at);
    let place = places[later.saturating_sub(1)];
    course.states[place].kinematics.orientation
}

/// Where a body was at its first sample and at every tick after it. A server knows the truth at
/// its ticks, also of a body that was recorded less often.
pub(crate) fn ticks(
    course: &BodyCourse,
    places: &[usize],
    interval: Duration,
) -> Vec<(SimTime, DVec3)> {
    let at = |place: usize| course.states[place].kinematics.at;
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return Vec::new() };
    let mut ticks = vec![(at(first), course.states[first].kinematics.position)];
    let step_us = interval.as_micros() as i64;
    let mut next = SimTime::from_micros((at(first).as_micros().div_euclid(step_us) + 1) * step_us);
    while next <= at(last) {
        if let Some(position) = course.truth_at(first, next) {
            ticks.push((next, position));
        }
        next += interval;
    }
    ticks
}
