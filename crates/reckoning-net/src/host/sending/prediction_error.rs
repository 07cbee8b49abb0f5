//! Prediction errors of one entity, computed once per tick for all peers that have the same.

use core::time::Duration;

use reckoning::export::{Deviation, Sight};
use reckoning::{DVec3, SimTime, Threshold, Update};

use crate::host::entities::BaselineRef;
use crate::zones::ZoneClass;

/// Predictions whose errors are kept within a tick: peers differ by what they were sent last and
/// by their classes, and seldom by more.
const MAX_ERRORS: usize = 16;

/// How far a peer's prediction is from what the host knows at one moment, by a class's rules.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct PredictionError {
    /// What the export rule looks at. A stop is missed only while the host knows something newer.
    pub(crate) deviation: Deviation,
    /// The position's error as a share of the threshold, and whether that is one of each axis.
    pub(crate) share: f32,
    pub(crate) per_axis: bool,
    /// The position's error is more than a step of the grid.
    pub(crate) apart: bool,
    /// The prediction moves.
    pub(crate) moves: bool,
    /// It is predicted from what the host knows, so nothing newer could be sent.
    pub(crate) is_newest: bool,
}

impl PredictionError {
    /// How far the prediction from `sent` is off what is `known`, by a class's rules. `step_m` is
    /// the grid's step of position.
    pub(crate) fn measure(
        known: &KnownSight,
        sent: &Update,
        is_newest: bool,
        step_m: f64,
        class: &ZoneClass,
    ) -> Self {
        let (rule, now) = (class.export_rule(), &known.now);
        let mut deviation = rule.deviation(now, sent);
        let error = now.position - sent.position_at(now.at);
        let (error_m, mut judged_m) = (error.length(), error.length());
        if let Some((then, position)) = known.then {
            let foreseen = position - sent.position_at(then);
            deviation.position = rule.is_crossed_ahead(error, Some(foreseen));
            judged_m = foreseen.length().max(0.5 * error_m);
        }
        Self {
            deviation: Deviation { misses_stop: deviation.misses_stop && !is_newest, ..deviation },
            share: share(&class.threshold, judged_m),
            per_axis: class.threshold.is_per_axis(),
            apart: error_m > step_m,
            moves: sent.velocity_at(now.at) != DVec3::ZERO,
            is_newest,
        }
    }

    /// Judges the position by what is `expected` of it instead, if that differs.
    pub(crate) fn judge(&mut self, expected: Option<f32>) {
        let Some(share) = expected else { return };
        self.share = share;
        self.deviation.position =
            if self.per_axis { self.deviation.position || share > AXES } else { share >= 1.0 };
    }
}

/// No error within a box of the threshold is longer than this many times the threshold.
const AXES: f32 = 1.732_051;

/// Where a body is at one moment by what the host knows, and where it is foreseen to be if its kind
/// judges ahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownSight {
    pub(crate) now: Sight,
    pub(crate) then: Option<(SimTime, DVec3)>,
}

/// What was computed for one tick.
#[derive(Debug, Default)]
pub(crate) struct PredictionErrorCache {
    /// What the host knows at the moment of this tick; `None` when that has to be looked up.
    known: Option<KnownSight>,
    /// Each in the place that its key falls into, with its key; zero is no key.
    kept: [(u64, PredictionError); MAX_ERRORS],
}

impl PredictionErrorCache {
    /// Where the body is at `now` by what the host knows, looked up once per tick.
    pub(crate) fn known_at(
        &mut self,
        now: SimTime,
        known: &Update,
        ahead: Option<Duration>,
    ) -> KnownSight {
        if let Some(known) = self.known.filter(|known| known.now.at == now) {
            return known;
        }
        self.kept = [(0, PredictionError::default()); MAX_ERRORS];
        let sight = Sight {
            at: now,
            position: known.position_at(now),
            orientation: known.orientation_at(now),
            at_rest: known.velocity_at(now) == DVec3::ZERO,
        };
        let then = ahead.map(|ahead| (now + ahead, known.position_at(now + ahead)));
        *self.known.insert(KnownSight { now: sight, then })
    }

    /// What the host knows changed.
    pub(crate) const fn forget(&mut self) {
        self.known = None;
    }

    /// The error of a prediction from `sent` by the rules of a class, if it is kept.
    pub(crate) fn kept(&self, sent: BaselineRef, rules: u8) -> Option<PredictionError> {
        let (found, error) = self.kept[place(sent, rules)];
        (found == key(sent, rules)).then_some(error)
    }

    /// Keeps an error until the tick is over.
    pub(crate) fn keep(&mut self, sent: BaselineRef, rules: u8, error: PredictionError) {
        self.kept[place(sent, rules)] = (key(sent, rules), error);
    }
}

const fn place(sent: BaselineRef, rules: u8) -> usize {
    (sent.number.low() as usize + 3 * sent.class as usize + 5 * rules as usize) % MAX_ERRORS
}

/// Never zero.
const fn key(sent: BaselineRef, rules: u8) -> u64 {
    1 << 63 | sent.number.value() << 16 | (sent.class as u64) << 8 | rules as u64
}

/// How many times its threshold an error is.
fn share(threshold: &Threshold, error_m: f64) -> f32 {
    (error_m / threshold.max_error_m()).min(1e3) as f32
}
