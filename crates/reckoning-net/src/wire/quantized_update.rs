//! Quantized updates: every number as whole steps of the wire's grid.
//!
//! The engine's numbers are multiples of a step, `n * step` with `n` whole, so that turning
//! them into steps and back changes nothing. Orientation is the exception: three components
//! of the quaternion are multiples and the fourth, the largest, follows from them; in a flat
//! world it is one count of parts of a turn.

use libm::{atan2, sincos, sqrt};
use reckoning::model::PathRide;
use reckoning::{Curve, DQuat, DVec3, Kinematics, Model, SimTime, Update, UpdateKind};

use super::DecodeError;
use super::format::{Format, bare};

/// No count of steps is larger: 10 million kilometres in centimetres.
pub(super) const MAX_CELL: i64 = 1 << 40;

/// Steps that the velocity of a curve and the sum of its four terms may differ by when each is
/// rounded: half a step each.
const MAX_ROUNDED: i64 = 2;

/// A vector in steps.
pub(super) type Steps = [i64; 3];

/// How a body is turned, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuantizedTurn {
    /// Which component of `x y z w` is left out: the largest. Zero in a flat world.
    pub left_out: u8,
    /// The other three in order, or in a flat world parts of a turn and two zeros.
    pub parts: Steps,
}

/// What a model carries of its own, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuantizedModel {
    None,
    Curve([Steps; 4]),
    Ride { progress: i64, rate: i64 },
}

/// An update in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct QuantizedUpdate {
    pub kind: UpdateKind,
    /// How often the body has teleported; in a delta, how much more often than predicted.
    pub teleports: u32,
    pub tick: i64,
    /// The moment of `tick`.
    pub at: SimTime,
    /// Of one that rides a path, off the path.
    pub position: Steps,
    /// Zero of one that rides a path, like acceleration and angular velocity: the path tells.
    pub velocity: Steps,
    pub acceleration: Steps,
    /// Of one that rides a path, against the path's heading.
    pub turn: QuantizedTurn,
    pub angular_velocity: Steps,
    /// [`bare`].
    pub model: Model,
    pub plan: QuantizedModel,
}

impl QuantizedUpdate {
    pub(super) fn from_update(format: &Format, update: &Update) -> Self {
        if let Model::Path(ride) = update.model() {
            return Self::from_ride(format, update, ride);
        }
        let (seen, steps) = (update.kinematics(), &format.steps);
        let tick = format.tick_of(seen.at);
        let at = format.time_of(tick);
        let position = if at == seen.at { seen.position } else { update.position_at(at) };
        let plan = QuantizedModel::from_model(format, update.model());
        let velocity = format.cells(seen.velocity, steps.velocity_mps);
        Self {
            kind: update.kind(),
            teleports: update.teleports(),
            tick,
            at,
            position: format.cells(position, steps.position_m),
            velocity: plan.closed(velocity),
            acceleration: if update.model().uses_acceleration() {
                format.cells(seen.acceleration, steps.acceleration_mps2)
            } else {
                [0; 3]
            },
            turn: QuantizedTurn::from_orientation(format, seen.orientation),
            angular_velocity: format.turn_cells(seen.angular_velocity),
            model: bare(*update.model()),
            plan,
        }
    }

    /// An update that equals its prediction in everything.
    pub(super) fn as_predicted(format: &Format, kind: UpdateKind, tick: i64, model: Model) -> Self {
        let none = [0; 3];
        Self {
            kind,
            teleports: 0,
            tick,
            at: format.time_of(tick),
            position: none,
            velocity: none,
            acceleration: none,
            turn: QuantizedTurn::none(format.flat),
            angular_velocity: none,
            model,
            plan: QuantizedModel::empty(&model),
        }
    }

    /// Whether this delta leads to where the body did not move: what it is off says nothing of how
    /// fast it is.
    pub(super) fn is_leap(&self) -> bool {
        self.kind == UpdateKind::Teleport || self.teleports != 0
    }

    pub(super) fn update(&self, format: &Format) -> Result<Update, DecodeError> {
        let model = self.plan.model(format, self.model)?;
        let seen = match model {
            Model::Path(ride) => self.riding(format, ride)?,
            _ => self.moving(format)?,
        };
        Ok(Update::new(seen, model, self.kind)?.with_teleports(self.teleports))
    }

    fn moving(&self, format: &Format) -> Result<Kinematics, DecodeError> {
        let steps = &format.steps;
        Ok(Kinematics {
            at: self.at,
            position: vector(self.position, steps.position_m),
            velocity: vector(self.velocity, steps.velocity_mps),
            acceleration: vector(self.acceleration, steps.acceleration_mps2),
            orientation: self.turn.orientation(format)?,
            angular_velocity: vector(self.angular_velocity, steps.angular_velocity_radps),
        })
    }
}

impl Format {
    /// A vector in steps, without its height in a flat world.
    pub(super) fn cells(&self, v: DVec3, step: f64) -> Steps {
        if v == DVec3::ZERO {
            return [0; 3];
        }
        [cell(v.x, step), cell(v.y, step), if self.flat { 0 } else { cell(v.z, step) }]
    }

    /// An angular velocity in steps; a flat world turns about the vertical only.
    pub(super) fn turn_cells(&self, v: DVec3) -> Steps {
        let step = self.steps.angular_velocity_radps;
        if self.flat {
            return [0, 0, cell(v.z, step)];
        }
        self.cells(v, step)
    }
}

impl QuantizedModel {
    /// The plan of a model that carries nothing, which is all zeros.
    pub(super) const fn empty(model: &Model) -> Self {
        match model {
            Model::Curve(_) => Self::Curve([[0; 3]; 4]),
            Model::Path(_) => Self::Ride { progress: 0, rate: 0 },
            _ => Self::None,
        }
    }

    fn from_model(format: &Format, model: &Model) -> Self {
        let steps = &format.steps;
        match model {
            Model::Curve(curve) => {
                let mut cells = [[0; 3]; 4];
                for (cells, &c) in cells.iter_mut().zip(curve.coefficients()) {
                    *cells = format.cells(c, steps.velocity_mps);
                }
                Self::Curve(cells)
            }
            _ => Self::None,
        }
    }

    /// The velocity, or what the terms of a curve add up to where that is the same but for their
    /// rounding: a curve moves by its terms alone, and what follows from them need not be told.
    pub(super) fn closed(&self, velocity: Steps) -> Steps {
        let Self::Curve(terms) = self else { return velocity };
        let sum = [0, 1, 2].map(|axis| terms.iter().map(|term| term[axis]).sum::<i64>());
        let rounded = |(a, b): (&i64, &i64)| a.abs() <= MAX_CELL && (a - b).abs() <= MAX_ROUNDED;
        if sum.iter().zip(&velocity).all(rounded) { sum } else { velocity }
    }

    /// The whole model, from the bare one.
    fn model(&self, format: &Format, bare: Model) -> Result<Model, DecodeError> {
        let steps = &format.steps;
        Ok(match (self, bare) {
            (Self::Curve(cells), Model::Curve(curve)) => {
                let coefficients = cells.map(|c| vector(c, steps.velocity_mps));
                let terms = curve.basis().tau_s().len();
                Model::Curve(Curve::new(*curve.basis(), &coefficients[..terms])?)
            }
            (Self::Ride { progress, rate }, Model::Path(ride)) => Model::Path(PathRide {
                progress_m: *progress as f64 * format.progress_step_m(),
                rate_mps: *rate as f64 * format.rate_step_mps(),
                ..ride
            }),
            (_, other) => other,
        })
    }
}

impl QuantizedTurn {
    /// Not turned at all.
    pub(super) const fn none(flat: bool) -> Self {
        Self { left_out: if flat { 0 } else { 3 }, parts: [0; 3] }
    }

    pub(super) fn from_orientation(format: &Format, orientation: DQuat) -> Self {
        if orientation == DQuat::IDENTITY {
            return Self::none(format.flat);
        }
        if format.flat {
            let steps = format.turn_steps();
            let turns = atan2(orientation.z, orientation.w) / core::f64::consts::PI;
            return Self {
                left_out: 0,
                parts: [wrapped(cell(turns * steps as f64, 1.0), steps), 0, 0],
            };
        }
        let parts = orientation.to_array();
        let left_out =
            (0..4).fold(0, |best, i| if parts[i].abs() > parts[best].abs() { i } else { best });
        let mut turn = Self::leaving_out(format, orientation, left_out as u8);
        while !turn.leaves_out_largest(format.steps.orientation) {
            turn.shorten();
        }
        turn
    }

    /// The orientation with component `left_out` left out, whether or not it is the largest.
    pub(super) fn leaving_out(format: &Format, orientation: DQuat, left_out: u8) -> Self {
        let all = orientation.to_array();
        let skipped = usize::from(left_out).min(3);
        let sign = if all[skipped] < 0.0 { -1.0 } else { 1.0 };
        let mut parts = [0; 3];
        let kept = (0..4).filter(|&i| i != skipped);
        for (part, i) in parts.iter_mut().zip(kept) {
            *part = cell(all[i] * sign, format.steps.orientation);
        }
        Self { left_out, parts }
    }

    /// Whether what is left out is larger than the rest, with room for rounding: else the
    /// orientation would be taken apart in another way the next time.
    fn leaves_out_largest(&self, step: f64) -> bool {
        const ROOM: f64 = 1e-9;
        let largest = self.parts.iter().fold(0, |best, n| n.abs().max(best)) as f64 * step;
        self.rest(step) > largest + ROOM
    }

    fn rest(&self, step: f64) -> f64 {
        let [a, b, c] = self.parts.map(|n| n as f64 * step);
        sqrt((1.0 - (a * a + b * b + c * c)).max(0.0))
    }

    /// Takes a step off the largest of the three, the first of equals.
    fn shorten(&mut self) {
        let largest = self.parts.iter().fold(0, |best, n| n.abs().max(best));
        if let Some(part) = self.parts.iter_mut().find(|n| n.abs() == largest) {
            *part -= part.signum();
        }
    }

    pub(super) fn orientation(&self, format: &Format) -> Result<DQuat, DecodeError> {
        if format.flat {
            let half = self.parts[0] as f64 * core::f64::consts::PI / format.turn_steps() as f64;
            let (sine, cosine) = sincos(half);
            return Ok(DQuat::from_xyzw(0.0, 0.0, sine, cosine));
        }
        let step = format.steps.orientation;
        // Both sides of 1 / step are far inside the range where squares are exact enough.
        let too_long = self.parts.iter().any(|n| n.abs() as f64 * step > 1.0);
        if too_long || !self.leaves_out_largest(step) {
            return Err(DecodeError::OutOfRange { name: "orientation" });
        }
        let mut all = [0.0; 4];
        let skipped = usize::from(self.left_out).min(3);
        let kept = (0..4).filter(|&i| i != skipped);
        for (part, i) in self.parts.iter().zip(kept) {
            all[i] = *part as f64 * step;
        }
        all[skipped] = self.rest(step);
        Ok(DQuat::from_array(all))
    }
}

/// `n` parts of a turn within half a turn to either side.
pub(super) fn wrapped(n: i64, steps: i64) -> i64 {
    (n + steps / 2).rem_euclid(steps) - steps / 2
}

/// The number of steps nearest to `x`, halves away from zero.
pub(super) fn cell(x: f64, step: f64) -> i64 {
    let steps = x / step;
    // Towards zero; what is left is exact below 2^52 and of no matter above.
    let whole = steps as i64;
    let left = steps - whole as f64;
    let nearest = if left >= 0.5 {
        whole.saturating_add(1)
    } else if left <= -0.5 {
        whole.saturating_sub(1)
    } else {
        whole
    };
    nearest.clamp(-MAX_CELL, MAX_CELL)
}

pub(super) fn vector(cells: Steps, step: f64) -> DVec3 {
    let [x, y, z] = cells.map(|n| n as f64 * step);
    DVec3::new(x, y, z)
}
