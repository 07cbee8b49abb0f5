//! Updates that a method sends of the bodies of a recording.

use std::time::Duration;

use reckoning::{
    ConfigError, Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, Publisher, Quantiser, SimTime,
    Update, UpdateKind,
};
use reckoning_net::wire::{Format, Registry};
use reckoning_predict::learned::{LearnedModel, LearnedPlanner};

use super::FrontierError;
use crate::compare::{BodyCourse, ChainSetting};

/// Steps of a grid per threshold: of position, and of velocity per second.
const POSITION_STEPS: f64 = 32.0;
const VELOCITY_STEPS: f64 = 4.0;

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

/// The grid of a threshold, as `testdata/wire.txt` has it.
pub(crate) fn format_for(
    bound: f64,
    flat: bool,
    models: &[Model],
) -> Result<Format, FrontierError> {
    let steps = Quantiser {
        position_m: bound / POSITION_STEPS,
        velocity_mps: bound / VELOCITY_STEPS,
        acceleration_mps2: bound,
        angular_velocity_radps: 1.0 / 32.0,
        orientation: 1.0 / 128.0,
    };
    Ok(Format::new(flat, 1_000, steps, models, Registry::default())?)
}

/// Models that a published stream carries, the most frequent first.
pub(crate) fn models_of(setting: &ChainSetting<'_>) -> Vec<Model> {
    use crate::compare::Ready;
    match setting.predictor {
        Ready::Model(model) => vec![model],
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

/// What a body says of itself on this format: no turning, which the tables leave out.
pub(crate) fn sayable(truth: &Kinematics, format: &Format) -> Kinematics {
    let mut truth = format.sayable(truth);
    truth.orientation = DQuat::IDENTITY;
    truth.angular_velocity = DVec3::ZERO;
    truth
}

/// Everything that a publisher sends of one player.
pub(crate) fn published(
    setting: &ChainSetting<'_>,
    player: usize,
    format: &Format,
) -> Result<Vec<LifeStream>, FrontierError> {
    let course = &setting.prepared.courses[player];
    let mut planner = setting.planner(player);
    let mut streams = Vec::new();
    for places in lives(course) {
        if let Some(planner) = &mut planner {
            reckoning::Planner::<reckoning_predict::Surroundings<'_>>::restart(planner);
        }
        let sent = published_life(setting, player, &places, planner.as_mut(), format)?;
        streams.push(LifeStream { places, sent });
    }
    Ok(streams)
}

fn published_life(
    setting: &ChainSetting<'_>,
    player: usize,
    places: &[usize],
    mut planner: Option<&mut LearnedPlanner<&LearnedModel>>,
    format: &Format,
) -> Result<Vec<Update>, FrontierError> {
    let states = &setting.prepared.courses[player].states;
    let first = sayable(&states[places[0]].kinematics, format);
    let (mut publisher, update) =
        setting.start(&first, player, places[0], planner.as_deref_mut())?;
    let mut sent = vec![said(&mut publisher, &update, format)];
    for &place in &places[1..] {
        if let Some(planner) = &mut planner {
            setting.tell(planner, player, place);
        }
        let truth = sayable(&states[place].kinematics, format);
        let planner = planner.as_deref_mut();
        if let Some(update) = setting.export(&mut publisher, &truth, player, place, planner) {
            sent.push(said(&mut publisher, &update, format));
        }
    }
    Ok(sent)
}

/// What the wire keeps of an update; the publisher guesses from that.
pub(crate) fn said(publisher: &mut Publisher, update: &Update, format: &Format) -> Update {
    let rounded = format.round(update);
    publisher.handle_sent(rounded);
    rounded
}

/// Positions of one player at a steady rate.
pub(crate) fn snapshots(
    course: &BodyCourse,
    interval: Duration,
    format: &Format,
) -> Result<Vec<LifeStream>, ConfigError> {
    let mut streams = Vec::new();
    for places in lives(course) {
        let mut sent = Vec::new();
        for (at, position) in ticks(course, &places, interval) {
            let seen = sayable(&Kinematics::at_rest(at, position), format);
            sent.push(format.round(&Update::new(seen, Model::Hold, UpdateKind::Partial)?));
        }
        streams.push(LifeStream { places, sent });
    }
    Ok(streams)
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
        next = next + interval;
    }
    ticks
}
