//! How far beliefs of one entity have strayed, computed once per tick.

use reckoning::{DQuat, DVec3, SimTime, Threshold, Update};

use crate::host::entities::BaselineRef;
use crate::zones::ZoneClass;

/// Beliefs whose straying is remembered within a tick: receivers differ by their baselines and
/// classes, and seldom by more.
const STRAYS: usize = 16;

/// How far a belief is off the knowledge at one moment, by the rules of a class.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reason of its own to push_event")]
pub(crate) struct PredictionError {
    /// The error as a share of the threshold.
    pub(crate) share: f32,
    /// The error crosses the threshold.
    pub(crate) crosses: bool,
    /// It is turned further than allowed.
    pub(crate) turned: bool,
    /// It is elsewhere, by more than a step of the grid.
    pub(crate) apart: bool,
    /// It moves, and the body does not any more.
    pub(crate) misses_stop: bool,
    /// It moves.
    pub(crate) moves: bool,
    /// It is what the host knows.
    pub(crate) is_newest: bool,
}

/// What was computed for this tick.
#[derive(Debug, Default)]
pub(crate) struct PredictionErrorCache {
    tick: Option<SimTime>,
    position: DVec3,
    orientation: DQuat,
    stands: bool,
    /// Each in the place that its name falls into, with its name; zero names nobody.
    kept: [(u64, PredictionError); STRAYS],
}

impl PredictionErrorCache {
    /// Looks at the knowledge at `now`, unless that was done.
    pub(crate) fn at(&mut self, now: SimTime, known: &Update) {
        if self.tick == Some(now) {
            return;
        }
        self.tick = Some(now);
        self.position = known.position_at(now);
        self.orientation = known.orientation_at(now);
        self.stands = known.velocity_at(now) == DVec3::ZERO;
        self.kept = [(0, PredictionError::default()); STRAYS];
    }

    /// The knowledge changed.
    pub(crate) const fn forget(&mut self) {
        self.tick = None;
    }

    pub(crate) fn kept(&self, held: BaselineRef, rules: u8) -> Option<PredictionError> {
        let (name, prediction_error) = self.kept[place(held, rules)];
        (name == named(held, rules)).then_some(prediction_error)
    }

    pub(crate) fn keep(&mut self, held: BaselineRef, rules: u8, prediction_error: PredictionError) {
        self.kept[place(held, rules)] = (named(held, rules), prediction_error);
    }

    pub(crate) fn measure(
        &self,
        believed: &Update,
        is_newest: bool,
        step_m: f64,
        rules: &ZoneClass,
        now: SimTime,
    ) -> PredictionError {
        let moves = believed.velocity_at(now) != DVec3::ZERO;
        let error = self.position - believed.position_at(now);
        let turned = rules.angle_threshold.is_some_and(|threshold| {
            threshold.is_crossed_between(believed.orientation_at(now), self.orientation)
        });
        PredictionError {
            share: share(&rules.threshold, error.length()),
            crosses: rules.threshold.is_crossed_by(error),
            turned,
            apart: error.length() > step_m,
            misses_stop: self.stands && moves && !is_newest,
            moves,
            is_newest,
        }
    }
}

const fn place(held: BaselineRef, rules: u8) -> usize {
    (held.number as usize + 3 * held.class as usize + 5 * rules as usize) % STRAYS
}

/// Never zero.
const fn named(held: BaselineRef, rules: u8) -> u64 {
    1 << 63 | (held.number as u64) << 16 | (held.class as u64) << 8 | rules as u64
}

/// How many times its threshold an error is.
fn share(threshold: &Threshold, error_m: f64) -> f32 {
    (error_m / threshold.max_error_m()).min(1e3) as f32
}
