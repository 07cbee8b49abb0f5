//! Sessions of one source: some to train on, the others to measure.

use reckoning::Model;
use reckoning_recording::Recording;

use super::asteroids;
use super::{FrontierConfig, FrontierError};
use crate::compare::{CompareConfig, Prepared, Ready, RecordedSurroundings, Trials, made_ready};
use crate::frontier::method::{Method, MethodKind};
use crate::predictor::{Learned, LearnedUse, Planned, PredictorKind};
use crate::train::{name_of, quarters, train_prepared};

/// One session of so many is measured, the others are trained on.
const EVERY: usize = 4;

const fn is_held(number: usize) -> bool {
    number.is_multiple_of(EVERY)
}

/// The sessions of a source: its recordings, or quarters of them where they are few. For inner
/// measurements only those that the tables train on.
fn sessions_of(list: Vec<Recording>, inner: bool) -> Vec<Recording> {
    let list = if list.len() < 3 { list.iter().flat_map(quarters).collect() } else { list };
    let kept = |(number, _): &(usize, Recording)| !(inner && is_held(*number));
    list.into_iter().enumerate().filter(kept).map(|(_, recording)| recording).collect()
}

/// Those sessions of a source that tables measure.
pub(crate) fn measured_sessions(list: Vec<Recording>) -> Vec<Recording> {
    let held = |(number, _): &(usize, Recording)| is_held(*number);
    sessions_of(list, false).into_iter().enumerate().filter(held).map(|it| it.1).collect()
}

/// The recordings by their source, in the order they come.
pub(crate) fn by_name(recordings: Vec<Recording>) -> Vec<(String, Vec<Recording>)> {
    let mut sources: Vec<(String, Vec<Recording>)> = Vec::new();
    for recording in recordings {
        let name = name_of(&recording);
        match sources.iter_mut().find(|(known, _)| *known == name) {
            Some((_, list)) => list.push(recording),
            None => sources.push((name, vec![recording])),
        }
    }
    sources
}

/// A source with what was trained for it.
pub(crate) struct MeasuredSource {
    pub(crate) name: String,
    pub(crate) list: Vec<Recording>,
    pub(crate) prepared: Vec<Prepared>,
    /// Numbers of the sessions to measure.
    pub(crate) held: Vec<usize>,
    /// Whether turning is sent.
    pub(crate) turning: bool,
    /// Bodies that share the datagrams of a batched downlink.
    pub(crate) bodies: u32,
    trained: Option<Learned>,
    trials: Trials,
}

impl MeasuredSource {
    /// Trains on the sessions that are not measured. A source of fewer than three sessions is
    /// cut into quarters in time, which stand for sessions.
    pub(crate) fn train(
        config: &FrontierConfig,
        (name, list): (String, Vec<Recording>),
        say: &dyn Fn(&str),
    ) -> Result<Self, FrontierError> {
        let list = sessions_of(list, config.inner);
        let prepared: Vec<Prepared> = list.iter().map(Prepared::with_own_velocities).collect();
        let held: Vec<usize> = (0..list.len()).filter(|&number| is_held(number)).collect();
        let mut trained = None;
        if config.methods.iter().any(Method::is_learned) {
            let training: Vec<(&Recording, &Prepared)> = (0..list.len())
                .filter(|number| !held.contains(number))
                .map(|number| (&list[number], &prepared[number]))
                .collect();
            say(&format!("{name}: training on {} sessions", training.len()));
            let model = train_prepared(&config.train, &training, &mut |_, _| {})?.model;
            let model = Box::leak(Box::new(model));
            trained = Some(Learned { model, usage: LearnedUse::Chosen });
        }
        let trials = Trials::new(&fitted_by(config), &prepared);
        let bodies = config.bodies;
        Ok(Self { name, list, prepared, held, turning: false, bodies, trained, trials })
    }

    /// The scene of asteroids, which has nothing to learn: published on straight lines.
    pub(crate) fn asteroids(config: &FrontierConfig) -> Self {
        let (recording, prepared) = asteroids::scene();
        let (list, prepared) = (vec![recording], vec![prepared]);
        let trials = Trials::new(&fitted_by(config), &prepared);
        let (name, held) = (asteroids::NAME.to_owned(), vec![0]);
        let bodies = prepared[0].courses.len() as u32;
        Self { name, list, prepared, held, turning: true, bodies, trained: None, trials }
    }

    /// Whether height is dropped.
    pub(crate) fn is_flat(&self, number: usize) -> bool {
        self.list[number].meta.dims == 2
    }

    /// What a session is surrounded by, as far as the methods look at it.
    pub(crate) fn surroundings(
        &self,
        config: &FrontierConfig,
        number: usize,
    ) -> Result<RecordedSurroundings, FrontierError> {
        let recording = &self.list[number];
        let other = |k: &usize| *k != number && self.list[*k].meta.map == recording.meta.map;
        let others: Vec<&Prepared> =
            (0..self.list.len()).filter(other).map(|k| &self.prepared[k]).collect();
        let mut planned = vec![Planned::Trend];
        planned.extend(config.methods.iter().filter_map(|method| match &method.kind {
            MethodKind::Published(predictor) => match predictor.kind() {
                PredictorKind::Behaviour(planned) => Some(planned),
                _ => None,
            },
            _ => None,
        }));
        Ok(RecordedSurroundings::new(recording, &self.prepared[number], &planned, &others)?)
    }

    /// The predictor of a method that publishes; `None` for snapshots.
    pub(crate) fn predictor(
        &self,
        method: &Method,
        number: usize,
    ) -> Result<Option<Ready>, FrontierError> {
        let others: Vec<usize> = (0..self.list.len()).filter(|k| *k != number).collect();
        Ok(match &method.kind {
            MethodKind::Before | MethodKind::Aimed(_) => {
                Some(self.trained.map_or(Ready::Model(Model::Linear), Ready::Learned))
            }
            MethodKind::Published(predictor) => {
                Some(made_ready(predictor, &self.prepared[number], &others, &self.trials)?)
            }
            MethodKind::Naive { .. }
            | MethodKind::Interpolation { .. }
            | MethodKind::Codec { .. } => None,
        })
    }
}

/// The predictors whose constants are fitted, as the comparison takes them.
fn fitted_by(config: &FrontierConfig) -> CompareConfig {
    let mut compared = CompareConfig::default();
    let published = config.methods.iter().filter_map(|method| match &method.kind {
        MethodKind::Published(predictor) => Some((**predictor).clone()),
        _ => None,
    });
    compared.predictors = published.collect();
    compared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots;

    #[test]
    fn inner_measurements_never_see_a_session_of_the_tables() {
        let names = |list: Vec<Recording>| -> Vec<String> {
            list.into_iter().map(|recording| recording.session).collect()
        };
        let few: Vec<Recording> = bots::sessions().into_iter().take(1).collect();
        let (tables, inner) =
            (names(sessions_of(few.clone(), false)), names(sessions_of(few, true)));
        assert_eq!(inner, tables[1..], "the first quarter is measured");
        let many: Vec<Recording> = bots::sessions().into_iter().cycle().take(9).collect();
        let (tables, inner) =
            (names(sessions_of(many.clone(), false)), names(sessions_of(many, true)));
        assert_eq!(inner, [&tables[1..4], &tables[5..8]].concat());
    }
}
