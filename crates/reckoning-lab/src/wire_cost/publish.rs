//! The updates that owners would publish of a recording.

use std::time::Duration;

use reckoning::{
    ConfigError, Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, Publisher, PublisherConfig,
    Quantiser, SimTime, Threshold, Update,
};
use reckoning_net::wire::{Format, FormatError, Registry};

use crate::compare::prepare::{BodyCourse, BodyState, Prepared};

/// Longer than any segment: the updates are those that the threshold asks for.
const NEVER: Duration = Duration::from_hours(24);
/// How far ahead a plan is laid, and in how many places.
const PLAN_S: f64 = 1.5;
const PLAN_PLACES: usize = 15;
/// Keeps coefficients of terms that look alike from growing against each other.
const RIDGE: f64 = 1e-3;

/// How an owner says that its body goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PublishedModel {
    /// With this model, fitted to what it does now.
    Fitted(Model),
    /// On a curve through where it will in fact be: an owner with a perfect plan, whose
    /// coefficients all matter.
    Planned(CurveBasis),
}

impl PublishedModel {
    pub(super) fn model(self) -> Model {
        match self {
            Self::Fitted(model) => model,
            Self::Planned(basis) => Model::Curve(Curve::still(basis)),
        }
    }
}

/// One experiment on one recording.
#[derive(Clone, Debug)]
pub(super) struct PublishPlan {
    pub(super) way: PublishedModel,
    pub(super) bound: f64,
    pub(super) flat: bool,
    /// Whether the heading travels, too.
    pub(super) heading: bool,
}

/// An update of one of the bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Export {
    pub(super) body: u32,
    /// Counts the updates of the body.
    pub(super) number: u16,
    /// Whether the body came from nowhere: what was said of it before is of no use.
    pub(super) fresh: bool,
    pub(super) update: Update,
}

impl PublishPlan {
    /// The grid: a thirty-second of the threshold, for velocities a quarter a second.
    pub(super) fn format(&self) -> Result<Format, FormatError> {
        let steps = Quantiser {
            position_m: self.bound / 32.0,
            velocity_mps: self.bound / 4.0,
            acceleration_mps2: self.bound,
            angular_velocity_radps: 1.0 / 32.0,
            orientation: 1.0 / 128.0,
        };
        Format::new(self.flat, 1_000, steps, &[self.way.model()], Registry::default())
    }

    /// Everything that is published of a recording, in order of time and body.
    pub(super) fn exports(
        &self,
        prepared: &Prepared,
        format: &Format,
    ) -> Result<Vec<Export>, ConfigError> {
        let mut exports = Vec::new();
        for (body, course) in prepared.courses.iter().enumerate() {
            let (mut place, mut number) = (0, 0);
            while place < course.states.len() {
                let end = course.segment_end(place);
                let mut updates = self.segment(course, place..end, format)?;
                for (index, update) in updates.drain(..).enumerate() {
                    let (body, fresh) = (body as u32, index == 0);
                    exports.push(Export { body, number, fresh, update: format.round(&update) });
                    number = number.wrapping_add(1);
                }
                place = end;
            }
        }
        exports.sort_by_key(|export| (export.update.at(), export.body));
        Ok(exports)
    }

    fn segment(
        &self,
        course: &BodyCourse,
        places: std::ops::Range<usize>,
        format: &Format,
    ) -> Result<Vec<Update>, ConfigError> {
        let mut publisher: Option<Publisher> = None;
        let mut updates = Vec::new();
        for place in places {
            let state = &course.states[place];
            if !state.alive {
                continue;
            }
            let truth = self.seen(state, format);
            match &mut publisher {
                None => {
                    let (started, first) = Publisher::start(self.publishing(format)?, &truth)?;
                    publisher = Some(started);
                    updates.push(first);
                }
                Some(publisher) => {
                    if let Some(cause) = publisher.due(&truth) {
                        let model = self.model(course, place, &truth);
                        updates.push(publisher.export(&truth, model, cause));
                    }
                }
            }
        }
        Ok(updates)
    }

    fn seen(&self, state: &BodyState, format: &Format) -> Kinematics {
        let mut truth = state.kinematics;
        truth.at = format.round_time(truth.at);
        if self.flat {
            (truth.position.z, truth.velocity.z, truth.acceleration.z) = (0.0, 0.0, 0.0);
        }
        if !self.heading {
            truth.orientation = DQuat::IDENTITY;
            truth.angular_velocity = DVec3::ZERO;
        }
        truth
    }

    fn publishing(&self, format: &Format) -> Result<PublisherConfig, ConfigError> {
        let mut config = PublisherConfig::default();
        config.threshold = Threshold::metres(self.bound)?;
        config.angle_threshold = None;
        config.heartbeat = NEVER;
        config.full_interval = NEVER;
        config.export_stops = false;
        config.quantiser = *format.quantiser();
        config.model = self.way.model();
        Ok(config)
    }

    fn model(&self, course: &BodyCourse, place: usize, truth: &Kinematics) -> Model {
        match self.way {
            PublishedModel::Fitted(model) => model.fitted(truth),
            PublishedModel::Planned(basis) => {
                let ahead: Vec<(f64, DVec3)> = (1..=PLAN_PLACES)
                    .map(|k| PLAN_S * k as f64 / PLAN_PLACES as f64)
                    .filter_map(|t_s| {
                        let at = SimTime::from_secs_f64(truth.at.as_secs_f64() + t_s);
                        Some((t_s, course.truth_at(place, at)? - truth.position))
                    })
                    .collect();
                Model::Curve(fit(basis, &ahead).unwrap_or(Curve::still(basis)))
            }
        }
    }
}

/// The curve that passes nearest to the displacements, in the least squares.
fn fit(basis: CurveBasis, ahead: &[(f64, DVec3)]) -> Option<Curve> {
    let tau_s = basis.tau_s();
    let n = tau_s.len();
    let mut rows = vec![vec![0.0; n]; n];
    let mut right = vec![DVec3::ZERO; n];
    for &(t_s, way) in ahead {
        let weights: Vec<f64> =
            tau_s.iter().map(|&tau_s| tau_s * (1.0 - libm::exp(-t_s / tau_s))).collect();
        for (i, row) in rows.iter_mut().enumerate() {
            right[i] += way * weights[i];
            row.iter_mut().zip(&weights).for_each(|(cell, weight)| *cell += weights[i] * weight);
        }
    }
    let largest = (0..n).fold(0.0_f64, |most, i| most.max(rows[i][i]));
    rows.iter_mut().enumerate().for_each(|(i, row)| row[i] += largest * RIDGE);
    eliminate(&mut rows, &mut right);
    Curve::new(basis, &right).ok()
}

/// Gauss without pivots: the matrix is symmetric and positive.
fn eliminate(rows: &mut [Vec<f64>], right: &mut [DVec3]) {
    let n = rows.len();
    for i in 0..n {
        let (pivot, pushed) = (rows[i].clone(), right[i]);
        for j in (0..n).filter(|&j| j != i) {
            let factor = rows[j][i] / pivot[i];
            rows[j].iter_mut().zip(&pivot).for_each(|(cell, above)| *cell -= factor * above);
            right[j] -= pushed * factor;
        }
    }
    for i in 0..n {
        right[i] /= rows[i][i];
    }
}
