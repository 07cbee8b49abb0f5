//! Prediction of a later update from a baseline, equal to the last bit on both ends.

use libm::exp;
use reckoning::{DQuat, DVec3, Model, SimTime, Update};

use super::quantized_update::{
    MAX_CELL, QuantizedModel, QuantizedTurn, QuantizedUpdate, Steps, wrapped,
};
use super::ride::{RidePrediction, path_of};
use super::{DecodeError, Format};

/// How much of its mean velocity since the baseline a body that strayed has more than the
/// baseline says: one for a body that changed course at once, two for one that accelerated
/// evenly. Fitted to recordings, see `testdata/wire.txt`.
const KICK: f64 = 1.5;

/// Everything that is predicted for the tick and the model of an update.
pub(super) struct BaselinePrediction<'a> {
    format: &'a Format,
    baseline: Option<&'a Update>,
    at: SimTime,
    /// Since the baseline; zero without one.
    t_s: f64,
    position: Steps,
    velocity: DVec3,
    angular_velocity: Steps,
    plan: QuantizedModel,
    /// Of an update whose model is a path.
    ride: Option<RidePrediction>,
}

impl<'a> BaselinePrediction<'a> {
    pub(super) fn at(
        format: &'a Format,
        baseline: Option<&'a Update>,
        quantized: &QuantizedUpdate,
    ) -> Self {
        let mut predicted = Self {
            format,
            baseline,
            at: quantized.at,
            t_s: 0.0,
            position: [0; 3],
            velocity: DVec3::ZERO,
            angular_velocity: [0; 3],
            plan: QuantizedModel::empty(&quantized.model),
            ride: path_of(&quantized.model).map(|path| RidePrediction::new(format, path)),
        };
        if let Some(baseline) = baseline {
            predicted.project(baseline, &quantized.model);
        }
        predicted
    }

    fn project(&mut self, baseline: &Update, model: &Model) {
        let (format, steps) = (self.format, &self.format.steps);
        self.t_s = self.at.secs_since(baseline.at());
        if let Some(path) = path_of(model) {
            let ride = RidePrediction::at(format, baseline, path, self.t_s);
            self.position = ride.offset;
            self.ride = Some(ride);
            return;
        }
        self.position = format.cells(baseline.position_at(self.at), steps.position_m);
        self.angular_velocity = format.turn_cells(baseline.kinematics().angular_velocity);
        match (&mut self.plan, baseline.model(), model) {
            (QuantizedModel::Curve(terms), Model::Curve(old), Model::Curve(new))
                if old.basis() == new.basis() =>
            {
                // What is left of the terms adds up to the velocity, as the engine adds them.
                let mut velocity = DVec3::ZERO;
                let all = old.coefficients().iter().zip(old.basis().tau_s());
                for (term, (&c, &tau_s)) in terms.iter_mut().zip(all) {
                    let left = c * exp(-self.t_s.max(0.0) / tau_s);
                    *term = format.cells(left, steps.velocity_mps);
                    velocity += left;
                }
                self.velocity = if velocity.is_finite() { velocity } else { DVec3::ZERO };
                return;
            }
            _ => {}
        }
        self.velocity = baseline.velocity_at(self.at);
    }

    pub(super) fn teleports(&self) -> u32 {
        self.baseline.map_or(0, Update::teleports)
    }

    pub(super) const fn position(&self) -> Steps {
        self.position
    }

    /// The velocity of a body that is `off` its predicted position: the baseline's, plus what must
    /// have taken it there, unless it leapt.
    pub(super) fn velocity(&self, leapt: bool, off: Steps) -> Steps {
        if self.ride.is_some() {
            return [0; 3];
        }
        let steps = &self.format.steps;
        let mut velocity = self.velocity;
        if self.t_s > 0.0 && !leapt {
            let [x, y, z] = off.map(|n| n as f64 * steps.position_m * KICK / self.t_s);
            velocity += DVec3::new(x, y, z);
        }
        self.format.cells(velocity, steps.velocity_mps)
    }

    pub(super) const fn angular_velocity(&self) -> Steps {
        self.angular_velocity
    }

    pub(super) const fn plan(&self) -> QuantizedModel {
        self.plan
    }

    /// How far a rider is off its predicted progress, and off the rate that follows from that.
    pub(super) fn ride_delta(&self, leapt: bool, (progress, rate): (i64, i64)) -> (i64, i64) {
        let ride = self.ride.unwrap_or_default();
        let off = ride.off(progress);
        (off, rate - ride.rate(self.format, off, self.t_s, leapt))
    }

    /// The inverse of [`ride_delta`](Self::ride_delta).
    pub(super) fn ride_from_delta(
        &self,
        leapt: bool,
        (off, rate): (i64, i64),
    ) -> Result<(i64, i64), DecodeError> {
        let ride = self.ride.unwrap_or_default();
        let predicted = ride.rate(self.format, off, self.t_s, leapt);
        let [progress, rate, _] = plus("ride", [ride.progress(off), rate, 0], [0, predicted, 0])?;
        Ok((progress, rate))
    }

    pub(super) fn turn(&self) -> QuantizedTurn {
        self.baseline.map_or(QuantizedTurn::none(self.format.flat), |baseline| {
            QuantizedTurn::from_orientation(self.format, self.orientation(baseline))
        })
    }

    /// Whether a body is turned as predicted. `orientation` is what `turn` was made of.
    pub(super) fn is_turned(&self, orientation: DQuat, turn: QuantizedTurn) -> bool {
        // Equal numbers fall into equal steps, and most bodies turn as predicted.
        let equal = self.baseline.is_some_and(|known| self.orientation(known) == orientation);
        (equal && self.ride.is_none()) || turn == self.turn()
    }

    /// Against its path for an update that rides one. A body that has left its path is taken to be
    /// turned as it was on it.
    fn orientation(&self, baseline: &Update) -> DQuat {
        if let Some(ride) = &self.ride {
            return ride.orientation;
        }
        match baseline.model() {
            Model::Path(_) => baseline.kinematics().orientation,
            _ => baseline.orientation_at(self.at),
        }
    }

    /// The same with another component left out.
    fn turn_leaving_out(&self, left_out: u8) -> QuantizedTurn {
        match self.baseline {
            Some(_) if self.format.flat => self.turn(),
            Some(baseline) => {
                QuantizedTurn::leaving_out(self.format, self.orientation(baseline), left_out)
            }
            None => QuantizedTurn { left_out, parts: [0; 3] },
        }
    }

    /// How `turn` differs, in the components it is made of.
    pub(super) fn turn_delta(&self, turn: QuantizedTurn) -> QuantizedTurn {
        let mut parts = minus(turn.parts, self.turn_leaving_out(turn.left_out).parts);
        if self.format.flat {
            parts[0] = wrapped(parts[0], self.format.turn_steps());
        }
        QuantizedTurn { parts, ..turn }
    }

    /// The inverse of [`turn_delta`](Self::turn_delta).
    pub(super) fn turn_from_delta(&self, off: QuantizedTurn) -> Result<QuantizedTurn, DecodeError> {
        let about = self.turn_leaving_out(off.left_out);
        let mut parts = plus("orientation", off.parts, about.parts)?;
        if self.format.flat {
            parts[0] = wrapped(parts[0], self.format.turn_steps());
        }
        Ok(QuantizedTurn { parts, ..off })
    }
}

pub(super) fn minus(a: Steps, b: Steps) -> Steps {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The sum, where it stays on the grid. Neither side is near the ends of an `i64`.
pub(super) fn plus(name: &'static str, a: Steps, b: Steps) -> Result<Steps, DecodeError> {
    let sum = [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    if sum.iter().any(|n| n.abs() > MAX_CELL) {
        return Err(DecodeError::OutOfRange { name });
    }
    Ok(sum)
}
