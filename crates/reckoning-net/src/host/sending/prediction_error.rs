//! Prediction errors of one entity, computed once per tick for all peers that have the same.

use reckoning::{DQuat, DVec3, SimTime, Threshold, Update};

use crate::host::entities::BaselineRef;
use crate::zones::ZoneClass;

/// Predictions whose errors are kept within a tick: peers differ by what they were sent last and
/// by their classes, and seldom by more.
const MAX_ERRORS: usize = 16;

/// How far a peer's prediction is from what the host knows at one moment, by a class's rules.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct PredictionError {
    /// The error as a share of the threshold.
    pub(crate) share: f32,
    /// The position's error crosses the threshold.
    pub(crate) crosses: bool,
    /// The orientation's error crosses the angle threshold.
    pub(crate) turned: bool,
    /// The position's error is more than a step of the grid.
    pub(crate) apart: bool,
    /// The prediction moves, and the body stands.
    pub(crate) missed_stop: bool,
    /// The prediction moves.
    pub(crate) moves: bool,
    /// It is predicted from what the host knows, so nothing newer could be sent.
    pub(crate) is_newest: bool,
}

impl PredictionError {
    /// Whether the host knows something newer than it is predicted from.
    pub(super) const fn is_outdated(&self) -> bool {
        !self.is_newest
    }
}

/// What was computed for one tick.
#[derive(Debug, Default)]
pub(crate) struct PredictionErrorCache {
    tick: Option<SimTime>,
    position: DVec3,
    orientation: DQuat,
    stands: bool,
    /// Each in the place that its key falls into, with its key; zero is no key.
    kept: [(u64, PredictionError); MAX_ERRORS],
}

impl PredictionErrorCache {
    /// Takes over what the host knows at `now`, unless that was done.
    pub(crate) fn at(&mut self, now: SimTime, known: &Update) {
        if self.tick == Some(now) {
            return;
        }
        self.tick = Some(now);
        self.position = known.position_at(now);
        self.orientation = known.orientation_at(now);
        self.stands = known.velocity_at(now) == DVec3::ZERO;
        self.kept = [(0, PredictionError::default()); MAX_ERRORS];
    }

    /// What the host knows changed.
    pub(crate) const fn forget(&mut self) {
        self.tick = None;
    }

    /// The error of a prediction from `sent` by the rules of a class, if it is kept.
    pub(crate) fn kept(&self, sent: BaselineRef, rules: u8) -> Option<PredictionError> {
        let (found, prediction_error) = self.kept[place(sent, rules)];
        (found == key(sent, rules)).then_some(prediction_error)
    }

    /// Keeps an error until the tick is over.
    pub(crate) fn keep(&mut self, sent: BaselineRef, rules: u8, prediction_error: PredictionError) {
        self.kept[place(sent, rules)] = (key(sent, rules), prediction_error);
    }

    /// How far the prediction from `predicted` is off. `step_m` is the grid's step of position.
    pub(crate) fn measure(
        &self,
        predicted: &Update,
        is_newest: bool,
        step_m: f64,
        rules: &ZoneClass,
        now: SimTime,
    ) -> PredictionError {
        let moves = predicted.velocity_at(now) != DVec3::ZERO;
        let error = self.position - predicted.position_at(now);
        let turned = rules.angle_threshold.is_some_and(|threshold| {
            threshold.is_crossed_between(predicted.orientation_at(now), self.orientation)
        });
        PredictionError {
            share: share(&rules.threshold, error.length()),
            crosses: rules.threshold.is_crossed_by(error),
            turned,
            apart: error.length() > step_m,
            missed_stop: self.stands && moves && !is_newest,
            moves,
            is_newest,
        }
    }
}

const fn place(sent: BaselineRef, rules: u8) -> usize {
    (sent.number as usize + 3 * sent.class as usize + 5 * rules as usize) % MAX_ERRORS
}

/// Never zero.
const fn key(sent: BaselineRef, rules: u8) -> u64 {
    1 << 63 | (sent.number as u64) << 16 | (sent.class as u64) << 8 | rules as u64
}

/// How many times its threshold an error is.
fn share(threshold: &Threshold, error_m: f64) -> f32 {
    (error_m / threshold.max_error_m()).min(1e3) as f32
}
