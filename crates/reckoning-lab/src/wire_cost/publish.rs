//! Updates that owners would publish of a recording.

use reckoning::{
    ConfigError, Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, Publisher, PublisherConfig,
    Quantiser, SimTime, Update,
};
use reckoning_net::wire::{Codes, Format, FormatError, Registry};
use reckoning_predict::fit_curve;

use super::{COARSE_HZ, COARSE_STEPS};
use crate::compare::prepare::{BodyCourse, BodyState, Prepared};
use crate::publishing::threshold_only;

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
pub(super) struct BodyExport {
    pub(super) body: u32,
    /// Counts the updates of the body.
    pub(super) number: u16,
    /// Whether the body came from nowhere: what was said of it before is of no use.
    pub(super) fresh: bool,
    pub(super) update: Update,
}

impl PublishPlan {
    /// The grid: a quarter of the threshold, for velocities two thresholds a second.
    pub(super) fn format(&self) -> Result<Format, FormatError> {
        let steps = Quantiser {
            position_m: self.bound / COARSE_STEPS.0,
            velocity_mps: self.bound / COARSE_STEPS.1,
            acceleration_mps2: self.bound,
            angular_velocity_radps: 1.0 / 32.0,
            orientation: 1.0 / 128.0,
        };
        let mut codes = Codes::COARSE;
        codes.turning = self.heading;
        let models = [self.way.model()];
        let format = Format::new(self.flat, COARSE_HZ, steps, &models, Registry::default())?;
        format.with_codes(&[codes], codes)
    }

    /// Everything that is published of a recording, in order of time and body.
    pub(super) fn exports(
        &self,
        prepared: &Prepared,
        format: &Format,
    ) -> Result<Vec<BodyExport>, ConfigError> {
        let mut exports = Vec::new();
        for (body, course) in prepared.courses.iter().enumerate() {
            let (mut place, mut number) = (0, 0);
            while place < course.states.len() {
                let end = course.segment_end(place);
                let mut updates = self.segment(course, place..end, format)?;
                for (index, update) in updates.drain(..).enumerate() {
                    let (body, fresh) = (body as u32, index == 0);
                    exports.push(BodyExport { body, number, fresh, update: format.round(&update) });
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
        let mut config = threshold_only(self.bound, self.way.model())?;
        config.quantiser = *format.quantiser();
        Ok(config)
    }

    fn model(&self, course: &BodyCourse, place: usize, truth: &Kinematics) -> Model {
        match self.way {
            PublishedModel::Fitted(model) => model.fitted(truth),
            PublishedModel::Planned(basis) => {
                let (horizons_s, ways): (Vec<f64>, Vec<DVec3>) = (1..=PLAN_PLACES)
                    .map(|k| PLAN_S * k as f64 / PLAN_PLACES as f64)
                    .filter_map(|t_s| {
                        let at = SimTime::from_secs_f64(truth.at.as_secs_f64() + t_s);
                        Some((t_s, course.truth_at(place, at)? - truth.position))
                    })
                    .unzip();
                Model::Curve(fit_curve(basis, &horizons_s, &ways, RIDGE))
            }
        }
    }
}
