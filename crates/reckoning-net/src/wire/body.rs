//! One update as differences from what its receiver can foresee.
//!
//! With a baseline, an update the receiver has, every part is counted in steps off what the
//! baseline's own model says for the new moment; without one, off zero. Both ends foresee
//! with the engine's functions, which give the same bits everywhere.

use libm::exp;
use reckoning::{Model, Update, UpdateKind};

use super::cells::{Cells, MAX_CELL, Plan, Steps, Turn, cell, wrapped};
use super::code::{put_count, put_signed, take_count, take_signed};
use super::spec::{put_model, take_model};
use super::{BitReader, BitWriter, DecodeError, Format};

const POSITION_ORDER: u32 = 5;
const POSITION_WHOLE_ORDER: u32 = 9;
const VELOCITY_ORDER: u32 = 4;
const ACCELERATION_ORDER: u32 = 4;
const CURVE_ORDER: u32 = 4;
const CURVE_VELOCITY_ORDER: u32 = 0;
const TURN_ORDER: u32 = 4;
const ANGULAR_ORDER: u32 = 4;
const AGE_ORDER: u32 = 1;

/// An update between the bits and its baseline: read, not resolved yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// All but kind, tick and model count from what the receiver foresees.
    off: Cells,
    /// Whether `off.turn` counts from what is foreseen; else it is what is foreseen.
    turns: bool,
    has_baseline: bool,
}

impl Body {
    /// How `update`, which lies on the grid of `format`, differs from what a receiver of
    /// `baseline` foresees.
    #[must_use]
    pub fn of(format: &Format, baseline: Option<&Update>, update: &Update) -> Self {
        let cells = Cells::of(format, update);
        let foreseen = Foreseen::at(format, baseline, &cells);
        let mut off = cells;
        off.position = minus(cells.position, foreseen.position);
        off.velocity = minus(cells.velocity, foreseen.velocity(&cells.plan));
        off.acceleration = minus(cells.acceleration, foreseen.acceleration);
        off.angular_velocity = minus(cells.angular_velocity, foreseen.angular_velocity);
        off.plan = foreseen.plan_off(&cells.plan);
        let turns = cells.turn != foreseen.turn(format);
        if turns {
            let about = foreseen.turn_leaving_out(format, cells.turn.left_out);
            off.turn.parts = minus(cells.turn.parts, about.parts);
            if format.flat {
                off.turn.parts[0] = wrapped(off.turn.parts[0], format.turn_steps());
            }
        } else {
            off.turn = Turn::none(format.flat);
        }
        Self { off, turns, has_baseline: baseline.is_some() }
    }

    /// The update, to a receiver that has the baseline it was coded off.
    ///
    /// # Errors
    /// [`DecodeError::BaselineMismatch`] where a baseline is missing or not wanted, others
    /// where the numbers leave the grid.
    pub fn resolve(
        &self,
        format: &Format,
        baseline: Option<&Update>,
    ) -> Result<Update, DecodeError> {
        if self.has_baseline != baseline.is_some() {
            return Err(DecodeError::BaselineMismatch);
        }
        let foreseen = Foreseen::at(format, baseline, &self.off);
        let mut cells = self.off;
        cells.plan = foreseen.plan_on(&self.off.plan)?;
        cells.position = plus("position", self.off.position, foreseen.position)?;
        cells.velocity = plus("velocity", self.off.velocity, foreseen.velocity(&cells.plan))?;
        cells.acceleration = plus("acceleration", self.off.acceleration, foreseen.acceleration)?;
        cells.angular_velocity =
            plus("angular velocity", self.off.angular_velocity, foreseen.angular_velocity)?;
        cells.turn = if self.turns {
            let about = foreseen.turn_leaving_out(format, self.off.turn.left_out);
            let mut parts = plus("orientation", self.off.turn.parts, about.parts)?;
            if format.flat {
                parts[0] = wrapped(parts[0], format.turn_steps());
            }
            Turn { parts, ..self.off.turn }
        } else {
            foreseen.turn(format)
        };
        cells.update(format)
    }

    /// Whether it was coded off a baseline.
    #[must_use]
    pub const fn has_baseline(&self) -> bool {
        self.has_baseline
    }

    /// Writes it, its stamp as steps before `near_tick`.
    pub(super) fn put(&self, out: &mut BitWriter, format: &Format, near_tick: i64) {
        put_kind(out, self.off.kind);
        put_model(out, format, &self.off.model);
        put_signed(out, near_tick - self.off.tick, AGE_ORDER);
        let vectors = |out: &mut BitWriter, steps: Steps, order| {
            for &n in &steps[..format.axes()] {
                put_signed(out, n, order);
            }
        };
        vectors(out, self.off.position, self.position_order());
        match &self.off.plan {
            Plan::None => vectors(out, self.off.velocity, VELOCITY_ORDER),
            Plan::Ride { progress, rate } => {
                put_signed(out, *progress, self.position_order());
                put_signed(out, *rate, VELOCITY_ORDER);
                vectors(out, self.off.velocity, VELOCITY_ORDER);
            }
            Plan::Curve(terms) => {
                for &term in &terms[..terms_of(&self.off.model)] {
                    vectors(out, term, CURVE_ORDER);
                }
                vectors(out, self.off.velocity, CURVE_VELOCITY_ORDER);
            }
        }
        if self.off.model.uses_acceleration() {
            vectors(out, self.off.acceleration, ACCELERATION_ORDER);
        }
        self.put_turning(out, format);
    }

    fn put_turning(&self, out: &mut BitWriter, format: &Format) {
        let spins = self.off.angular_velocity != [0; 3];
        out.write_bit(self.turns || spins);
        if !(self.turns || spins) {
            return;
        }
        out.write_bit(self.turns);
        if self.turns {
            let turn = &self.off.turn;
            if !format.flat {
                out.write(u64::from(turn.left_out), 2);
            }
            for &n in &turn.parts[..format.turn_axes()] {
                put_signed(out, n, TURN_ORDER);
            }
        }
        out.write_bit(spins);
        if spins {
            for &n in &self.off.angular_velocity[3 - format.turn_axes()..] {
                put_signed(out, n, ANGULAR_ORDER);
            }
        }
    }

    pub(super) fn take(
        from: &mut BitReader,
        format: &Format,
        near_tick: i64,
        has_baseline: bool,
    ) -> Result<Self, DecodeError> {
        let kind = take_kind(from)?;
        let model = take_model(from, format)?;
        let tick = Format::checked_tick(near_tick - take_signed(from, AGE_ORDER)?)?;
        let none = Turn::none(format.flat);
        let mut off = Cells {
            kind,
            tick,
            position: [0; 3],
            velocity: [0; 3],
            acceleration: [0; 3],
            turn: none,
            angular_velocity: [0; 3],
            model,
            plan: Plan::None,
        };
        let mut body = Self { off, turns: false, has_baseline };
        off.position = take_vector(from, format, body.position_order())?;
        let mut velocity_order = VELOCITY_ORDER;
        match &model {
            Model::Curve(_) => {
                let mut terms = [[0; 3]; 4];
                for term in &mut terms[..terms_of(&model)] {
                    *term = take_vector(from, format, CURVE_ORDER)?;
                }
                off.plan = Plan::Curve(terms);
                velocity_order = CURVE_VELOCITY_ORDER;
            }
            Model::Path(_) => {
                let progress = take_signed(from, body.position_order())?;
                off.plan = Plan::Ride { progress, rate: take_signed(from, VELOCITY_ORDER)? };
            }
            _ => {}
        }
        off.velocity = take_vector(from, format, velocity_order)?;
        if model.uses_acceleration() {
            off.acceleration = take_vector(from, format, ACCELERATION_ORDER)?;
        }
        body.off = off;
        body.take_turning(from, format)?;
        Ok(body)
    }

    fn take_turning(&mut self, from: &mut BitReader, format: &Format) -> Result<(), DecodeError> {
        if !from.read_bit()? {
            return Ok(());
        }
        self.turns = from.read_bit()?;
        if self.turns {
            if !format.flat {
                self.off.turn.left_out = from.read(2)? as u8;
            }
            for n in &mut self.off.turn.parts[..format.turn_axes()] {
                *n = take_signed(from, TURN_ORDER)?;
            }
        }
        if from.read_bit()? {
            for n in &mut self.off.angular_velocity[3 - format.turn_axes()..] {
                *n = take_signed(from, ANGULAR_ORDER)?;
            }
        }
        Ok(())
    }

    const fn position_order(&self) -> u32 {
        if self.has_baseline { POSITION_ORDER } else { POSITION_WHOLE_ORDER }
    }
}

/// Writes `update`, which lies on the grid of `format`, off `baseline`, with its stamp
/// counted from the beginning of time.
///
/// A [`PacketWriter`](super::PacketWriter) does better for several: it counts stamps from
/// the datagram's.
pub fn write_update(
    out: &mut BitWriter,
    format: &Format,
    baseline: Option<&Update>,
    update: &Update,
) {
    Body::of(format, baseline, update).put(out, format, 0);
}

/// Reads what [`write_update`] wrote off the same baseline.
///
/// # Errors
/// Names what is wrong with the bits.
pub fn read_update(
    from: &mut BitReader,
    format: &Format,
    baseline: Option<&Update>,
) -> Result<Update, DecodeError> {
    Body::take(from, format, 0, baseline.is_some())?.resolve(format, baseline)
}

/// What a receiver of a baseline knows of a later moment.
struct Foreseen<'a> {
    baseline: Option<&'a Update>,
    /// Since the baseline.
    t_s: f64,
    at: reckoning::SimTime,
    position: Steps,
    straight: Steps,
    acceleration: Steps,
    angular_velocity: Steps,
    plan: Plan,
}

impl<'a> Foreseen<'a> {
    /// What is foreseen for the tick and the model of `cells`.
    fn at(format: &Format, baseline: Option<&'a Update>, cells: &Cells) -> Self {
        let at = format.time_of(cells.tick);
        let mut foreseen = Self {
            baseline,
            t_s: 0.0,
            at,
            position: [0; 3],
            straight: [0; 3],
            acceleration: [0; 3],
            angular_velocity: [0; 3],
            plan: empty_plan(&cells.model),
        };
        if let Some(baseline) = baseline {
            foreseen.look(format, baseline, &cells.model);
        }
        foreseen
    }

    fn look(&mut self, format: &Format, baseline: &Update, model: &Model) {
        let (seen, steps) = (baseline.kinematics(), &format.steps);
        self.t_s = self.at.secs_since(baseline.at());
        self.position = format.cells(baseline.position_at(self.at), steps.position_m);
        self.straight = format.cells(baseline.velocity_at(self.at), steps.velocity_mps);
        if model.uses_acceleration() {
            self.acceleration = format.cells(seen.acceleration, steps.acceleration_mps2);
        }
        self.angular_velocity = format.turn_cells(seen.angular_velocity);
        match (&mut self.plan, baseline.model(), model) {
            (Plan::Curve(terms), Model::Curve(old), Model::Curve(new))
                if old.basis() == new.basis() =>
            {
                let all = old.coefficients().iter().zip(old.basis().tau_s());
                for (term, (&c, &tau_s)) in terms.iter_mut().zip(all) {
                    let left = exp(-self.t_s.max(0.0) / tau_s);
                    *term = format.cells(c * left, steps.velocity_mps);
                }
            }
            (Plan::Ride { progress, rate }, Model::Path(old), Model::Path(new))
                if old.path.id() == new.path.id() =>
            {
                *progress = cell(old.progress_m + old.rate_mps * self.t_s, steps.position_m);
                *rate = cell(old.rate_mps, steps.velocity_mps);
            }
            _ => {}
        }
    }

    /// A body on a curve starts as fast as its terms together say.
    fn velocity(&self, plan: &Plan) -> Steps {
        match plan {
            Plan::Curve(terms) => {
                terms.iter().fold([0; 3], |sum, term| [0, 1, 2].map(|i| sum[i] + term[i]))
            }
            _ => self.straight,
        }
    }

    fn turn(&self, format: &Format) -> Turn {
        self.baseline.map_or(Turn::none(format.flat), |baseline| {
            Turn::of(format, baseline.orientation_at(self.at))
        })
    }

    fn turn_leaving_out(&self, format: &Format, left_out: u8) -> Turn {
        match self.baseline {
            Some(baseline) if format.flat => Turn::of(format, baseline.orientation_at(self.at)),
            Some(baseline) => Turn::leaving_out(format, baseline.orientation_at(self.at), left_out),
            None => Turn { left_out, parts: [0; 3] },
        }
    }

    fn plan_off(&self, plan: &Plan) -> Plan {
        match (plan, &self.plan) {
            (Plan::Curve(new), Plan::Curve(old)) => {
                Plan::Curve([0, 1, 2, 3].map(|i| minus(new[i], old[i])))
            }
            (Plan::Ride { progress, rate }, Plan::Ride { progress: p, rate: r }) => {
                Plan::Ride { progress: progress - p, rate: rate - r }
            }
            (other, _) => *other,
        }
    }

    fn plan_on(&self, off: &Plan) -> Result<Plan, DecodeError> {
        Ok(match (off, &self.plan) {
            (Plan::Curve(off), Plan::Curve(old)) => {
                let mut terms = [[0; 3]; 4];
                for (i, term) in terms.iter_mut().enumerate() {
                    *term = plus("curve coefficient", off[i], old[i])?;
                }
                Plan::Curve(terms)
            }
            (Plan::Ride { progress, rate }, Plan::Ride { progress: p, rate: r }) => {
                let [progress, rate, _] = plus("ride", [*progress, *rate, 0], [*p, *r, 0])?;
                Plan::Ride { progress, rate }
            }
            (other, _) => *other,
        })
    }
}

impl Format {
    const fn axes(&self) -> usize {
        if self.flat { 2 } else { 3 }
    }

    const fn turn_axes(&self) -> usize {
        if self.flat { 1 } else { 3 }
    }
}

fn take_vector(from: &mut BitReader, format: &Format, order: u32) -> Result<Steps, DecodeError> {
    let mut steps = [0; 3];
    for n in &mut steps[..format.axes()] {
        *n = take_signed(from, order)?;
    }
    Ok(steps)
}

fn put_kind(out: &mut BitWriter, kind: UpdateKind) {
    match kind {
        UpdateKind::Partial => out.write(0b0, 1),
        UpdateKind::Full => out.write(0b01, 2),
        UpdateKind::Teleport => out.write(0b11, 2),
    }
}

fn take_kind(from: &mut BitReader) -> Result<UpdateKind, DecodeError> {
    if !from.read_bit()? {
        return Ok(UpdateKind::Partial);
    }
    Ok(if from.read_bit()? { UpdateKind::Teleport } else { UpdateKind::Full })
}

fn terms_of(model: &Model) -> usize {
    match model {
        Model::Curve(curve) => curve.basis().tau_s().len(),
        _ => 0,
    }
}

const fn empty_plan(model: &Model) -> Plan {
    match model {
        Model::Curve(_) => Plan::Curve([[0; 3]; 4]),
        Model::Path(_) => Plan::Ride { progress: 0, rate: 0 },
        _ => Plan::None,
    }
}

fn minus(a: Steps, b: Steps) -> Steps {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The sum, where it stays on the grid. Neither side is near the ends of an `i64`.
fn plus(name: &'static str, a: Steps, b: Steps) -> Result<Steps, DecodeError> {
    let sum = [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    if sum.iter().any(|n| n.abs() > MAX_CELL) {
        return Err(DecodeError::OutOfRange { name });
    }
    Ok(sum)
}

pub(super) fn put_gap(out: &mut BitWriter, gap: u32, order: u32) {
    put_count(out, u64::from(gap), order);
}

pub(super) fn take_gap(from: &mut BitReader, order: u32) -> Result<u32, DecodeError> {
    let got = take_count(from, order)?;
    u32::try_from(got).map_err(|_| DecodeError::UnknownValue { name: "entity", got })
}
