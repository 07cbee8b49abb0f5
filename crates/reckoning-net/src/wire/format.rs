//! Wire format that both ends agree on before an update means anything: grid and models.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::bytes::Registry;
use reckoning::error::PublisherError;
use reckoning::model::PathRide;
use reckoning::{
    AngleThreshold, Curve, DQuat, DVec3, Kinematics, Model, Quantiser, SimTime, Threshold, Update,
};

use super::quantized_update::QuantizedUpdate;
use super::{Codes, DecodeError, FormatError, MAX_CLASS, MAX_MODELS};

/// A threshold is reached a little below its number.
const ROUNDING_ROOM: f64 = 1.01;
/// Range of the steps that are lengths, speeds and the like.
const STEPS: (f64, f64) = (1e-9, 1e9);
/// Range of the orientation's step. Coarser classes stop at its upper end.
const TURN_STEPS: (f64, f64) = (1e-6, 0.25);
const MAX_STAMP_HZ: u32 = 100_000;
/// The longest trust or fade that travels, 12 days; longer ones are cut to it.
const MAX_SPAN_US: u64 = (1 << 40) - 1;

/// The grid that updates are rounded to, and the models they usually carry.
///
/// A class of updates may be coarser: its steps are those of the format, doubled as often
/// as the class's number says.
#[derive(Clone, Debug, PartialEq)]
pub struct Format {
    pub(super) flat: bool,
    pub(super) stamp_hz: u32,
    pub(super) steps: Quantiser,
    tables: Arc<Tables>,
}

#[derive(Debug, PartialEq)]
struct Tables {
    models: Vec<Model>,
    /// One set for each model, and one for all that are not listed.
    codes: Vec<Codes>,
    registry: Registry,
}

impl Format {
    /// A format. `flat` drops height and tilt; stamps are counted `stamp_hz` times a second, at
    /// least as often as anyone observes, since of two updates with one stamp the first counts;
    /// bodies on a path are stamped at least 60 times a second where `stamp_hz` allows, and their
    /// progress counts in four steps of position;
    /// `models` lists the usual models, the most frequent first, so that naming one costs a
    /// bit or two. Other models travel as well, at the price of their parameters.
    ///
    /// The least error for its bytes is shown with a step of position of a quarter of the threshold,
    /// one of velocity of two thresholds per second, 250 stamps a second and [`Codes::COARSE`]. Where
    /// bodies have to be drawn more exactly than their threshold asks, a thirtieth of it and a quarter
    /// of it per second, which is what [`Codes::default`] is for.
    ///
    /// # Errors
    /// Names the first setting out of its range.
    pub fn new(
        flat: bool,
        stamp_hz: u32,
        quantiser: Quantiser,
        models: &[Model],
        registry: Registry,
    ) -> Result<Self, FormatError> {
        if !(1..=MAX_STAMP_HZ).contains(&stamp_hz) {
            return Err(FormatError::StampRate { got_hz: stamp_hz });
        }
        if models.len() > MAX_MODELS {
            return Err(FormatError::TooManyModels { got: models.len() });
        }
        check_steps(&quantiser)?;
        let models: Vec<Model> = models.iter().map(|&model| bare(model)).collect();
        if let Some(index) = models.iter().position(|model| !is_registered(model, &registry)) {
            return Err(FormatError::NotRegistered { index });
        }
        let codes = alloc::vec![Codes::default(); models.len() + 1];
        let tables = Arc::new(Tables { models, codes, registry });
        Ok(Self { flat, stamp_hz, steps: quantiser, tables })
    }

    /// The same format with other priors: `listed` for its models in their order, as many as are
    /// given, and `others` for those that are not in its table.
    ///
    /// # Errors
    /// Refuses more sets than models, and an order above [`Codes::MAX_ORDER`].
    pub fn with_codes(mut self, listed: &[Codes], others: Codes) -> Result<Self, FormatError> {
        if listed.len() > self.models().len() {
            return Err(FormatError::TooManyCodes {
                got: listed.len(),
                models: self.models().len(),
            });
        }
        listed.iter().chain([&others]).try_for_each(Codes::validate)?;
        let mut codes = alloc::vec![Codes::default(); self.models().len()];
        codes[..listed.len()].copy_from_slice(listed);
        codes.push(others);
        let models = self.tables.models.clone();
        self.tables = Arc::new(Tables { models, codes, registry: self.tables.registry.clone() });
        Ok(self)
    }

    /// The same format with all steps doubled `factor_log2` times.
    #[must_use]
    pub fn coarser(&self, factor_log2: u8) -> Self {
        Self { steps: coarser_steps(&self.steps, factor_log2), ..self.clone() }
    }

    /// What is left of `update` on the wire: its numbers on the grid, without what its
    /// model does not use. Doing it twice changes nothing more.
    ///
    /// The stamp moves to the nearest count, and the body is carried along to that moment.
    #[must_use]
    pub fn round(&self, update: &Update) -> Update {
        QuantizedUpdate::from_update(self, update).update(self).unwrap_or(*update)
    }

    /// What of a truth this format can say at all: in a flat world nothing of height and tilt, so
    /// that nobody is due an update because of what no update tells.
    #[must_use]
    pub fn sayable(&self, truth: &Kinematics) -> Kinematics {
        let flat = |v: DVec3| DVec3::new(v.x, v.y, 0.0);
        if !self.flat {
            return *truth;
        }
        Kinematics {
            at: truth.at,
            position: flat(truth.position),
            velocity: flat(truth.velocity),
            acceleration: flat(truth.acceleration),
            orientation: upright(truth.orientation),
            angular_velocity: DVec3::Z * truth.angular_velocity.z,
        }
    }

    /// The finest threshold of position that rounding alone does not cross.
    #[must_use]
    pub fn finest_threshold_m(&self) -> f64 {
        let axes = if self.flat { 2.0 } else { 3.0 };
        // Half a step along each axis, and half a step of velocity over half a tick.
        let drift_m = self.steps.velocity_mps * 0.5 / f64::from(self.stamp_hz);
        0.5 * libm::sqrt(axes) * (self.steps.position_m + drift_m) * ROUNDING_ROOM
    }

    /// The finest threshold of orientation that rounding alone does not cross.
    #[must_use]
    pub fn finest_threshold_rad(&self) -> f64 {
        let worst_rad = if self.flat {
            core::f64::consts::PI / self.turn_steps() as f64 // half a step
        } else {
            self.steps.worst_orientation_rad()
        };
        worst_rad * ROUNDING_ROOM
    }

    /// Whether thresholds are coarser than what rounding alone is off by: finer ones would be
    /// crossed in every tick.
    ///
    /// # Errors
    /// Names the one that is not, and the finest that is.
    pub fn check_thresholds(
        &self,
        threshold: Threshold,
        angle_threshold: Option<AngleThreshold>,
    ) -> Result<(), PublisherError> {
        let angle_rad = angle_threshold.map_or(f64::INFINITY, |it| it.max_error_rad());
        let all = [
            ("threshold_m", threshold.max_error_m(), self.finest_threshold_m()),
            ("angle_threshold_rad", angle_rad, self.finest_threshold_rad()),
        ];
        match all.into_iter().find(|(_, got, finest)| got < finest) {
            Some((name, got, finest)) => {
                Err(PublisherError::ThresholdTooFine { name, got, finest })
            }
            None => Ok(()),
        }
    }

    /// The moment nearest to `at` that a stamp can say.
    #[must_use]
    pub fn round_time(&self, at: SimTime) -> SimTime {
        self.time_of(self.tick_of(at))
    }

    /// Stamps per second.
    #[must_use]
    pub const fn stamp_hz(&self) -> u32 {
        self.stamp_hz
    }

    /// The steps of the grid: what a publisher should round to.
    #[must_use]
    pub const fn quantiser(&self) -> &Quantiser {
        &self.steps
    }

    /// The usual models, the most frequent first.
    #[must_use]
    pub fn models(&self) -> &[Model] {
        &self.tables.models
    }

    /// The priors of updates that follow a model: those of the table, or those of all others.
    #[must_use]
    pub fn codes_of(&self, model: &Model) -> &Codes {
        self.codes_at(self.place_of(model))
    }

    /// The priors of updates whose model is not in the table.
    #[must_use]
    pub fn codes_of_others(&self) -> &Codes {
        self.codes_at(None)
    }

    pub(super) fn place_of(&self, model: &Model) -> Option<usize> {
        self.models().iter().position(|listed| listed == model)
    }

    pub(super) fn codes_at(&self, place: Option<usize>) -> &Codes {
        &self.tables.codes[place.unwrap_or(self.tables.models.len())]
    }

    /// Custom models and paths known here.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.tables.registry
    }

    pub(super) fn tick_of(&self, at: SimTime) -> i64 {
        // Within a hundred days of the beginning everything fits a word, which is quick.
        if at.as_micros().abs_diff(0) < 1 << 43 {
            let doubled = 2 * at.as_micros() * i64::from(self.stamp_hz) + 1_000_000;
            return doubled.div_euclid(2_000_000);
        }
        // 2^62 microseconds are 146,000 years; the product fits 80 bits.
        let micros = i128::from(at.as_micros().clamp(-(1 << 62), 1 << 62));
        let doubled = 2 * micros * i128::from(self.stamp_hz) + 1_000_000;
        doubled.div_euclid(2_000_000).clamp(-Self::MAX_TICK, Self::MAX_TICK) as i64
    }

    /// A tick that was read, where a stamp can say it.
    pub(super) fn checked_tick(tick: i64) -> Result<i64, DecodeError> {
        if i128::from(tick.abs()) <= Self::MAX_TICK {
            Ok(tick)
        } else {
            Err(DecodeError::OutOfRange { name: "stamp" })
        }
    }

    /// Far enough for 22 years at the finest rate, small enough for every code.
    const MAX_TICK: i128 = 1 << 46;

    pub(super) fn time_of(&self, tick: i64) -> SimTime {
        // The same as `from_tick`, in one word where it fits.
        if tick.abs_diff(0) < 1 << 43 {
            return SimTime::from_micros((tick * 1_000_000).div_euclid(i64::from(self.stamp_hz)));
        }
        SimTime::from_tick(tick, self.stamp_hz)
    }

    /// Steps of a whole turn in a flat world: the power of two that is fine enough.
    pub(super) fn turn_steps(&self) -> i64 {
        let needed = core::f64::consts::PI / self.steps.orientation;
        let mut steps = 4;
        while (steps as f64) < needed {
            steps *= 2;
        }
        steps
    }
}

/// The orientation without its tilt; bit for bit what it was if it had none.
fn upright(orientation: DQuat) -> DQuat {
    if orientation.x == 0.0 && orientation.y == 0.0 {
        return orientation;
    }
    let turned = DQuat::from_xyzw(0.0, 0.0, orientation.z, orientation.w).normalize();
    if turned.is_finite() { turned } else { DQuat::IDENTITY }
}

fn is_registered(model: &Model, registry: &Registry) -> bool {
    match model {
        Model::Path(ride) => registry.path(ride.path.id()).is_some(),
        Model::Custom(custom) => registry.custom(custom.id).is_some(),
        _ => true,
    }
}

/// The model without what each update carries of its own, and with spans that can travel.
pub(super) fn bare(model: Model) -> Model {
    match model {
        Model::Accelerating { trust } => Model::Accelerating { trust: whole_micros(trust) },
        Model::Damped { fade } => Model::Damped { fade: whole_micros(fade) },
        Model::Decaying { fade } => Model::Decaying { fade: whole_micros(fade) },
        Model::Curve(curve) => Model::Curve(Curve::still(*curve.basis())),
        Model::Path(ride) => Model::Path(PathRide { progress_m: 0.0, rate_mps: 0.0, ..ride }),
        other => other,
    }
}

fn whole_micros(span: Duration) -> Duration {
    let micros = u64::try_from(span.as_micros()).unwrap_or(MAX_SPAN_US);
    Duration::from_micros(micros.min(MAX_SPAN_US))
}

fn check_steps(steps: &Quantiser) -> Result<(), FormatError> {
    let all = [
        ("position_m", steps.position_m, STEPS),
        ("velocity_mps", steps.velocity_mps, STEPS),
        ("acceleration_mps2", steps.acceleration_mps2, STEPS),
        ("angular_velocity_radps", steps.angular_velocity_radps, STEPS),
        ("orientation", steps.orientation, TURN_STEPS),
    ];
    match all.into_iter().find(|(_, got, range)| !(range.0..=range.1).contains(got)) {
        Some((name, got, (finest, coarsest))) => {
            Err(FormatError::StepOutOfRange { name, got, finest, coarsest })
        }
        None => Ok(()),
    }
}

pub(super) fn coarser_steps(steps: &Quantiser, factor_log2: u8) -> Quantiser {
    let factor = f64::from(1_u32 << factor_log2.min(MAX_CLASS));
    Quantiser {
        position_m: steps.position_m * factor,
        velocity_mps: steps.velocity_mps * factor,
        acceleration_mps2: steps.acceleration_mps2 * factor,
        angular_velocity_radps: steps.angular_velocity_radps * factor,
        orientation: (steps.orientation * factor).min(TURN_STEPS.1),
    }
}
