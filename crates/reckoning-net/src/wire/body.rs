//! One update as differences from what its receiver can foresee.
//!
//! With a baseline, an update the receiver has, every part is counted in steps off what the
//! baseline's own model says for the new moment; without one, off zero. Both ends foresee
//! with the engine's functions, which give the same bits everywhere.

use reckoning::{Model, SimTime, Update, UpdateKind};

use super::baseline_prediction::{Foreseen, minus, plus};
use super::exp_golomb::{put_count, put_signed, signed_bits, take_count, take_signed};
use super::model_codec::{put_model, take_model};
use super::quantized_update::{Cells, Plan, Steps, Turn};
use super::{BitReader, BitWriter, DecodeError, Format};

// Orders of the codes, fitted to recordings with the steps that `Format::new` recommends:
// the figures are in `testdata/wire.txt`.
const AGE_ORDER: u32 = 4;
const POSITION_ORDER: u32 = 5;
const WHOLE_POSITION_ORDER: u32 = 10;
const VELOCITY_ORDER: u32 = 3;
const WHOLE_VELOCITY_ORDER: u32 = 5;
const ACCELERATION_ORDER: u32 = 4;
const TERM_ORDER: u32 = 4;
const CLOSING_ORDER: u32 = 0;
const TURN_ORDER: u32 = 3;
const ANGULAR_ORDER: u32 = 3;

/// An update between the bits and its baseline: read, not resolved yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// All but kind, tick, model and acceleration count from what the receiver foresees.
    off: Cells,
    /// Whether the last term of a curve counts from what the others leave of the velocity.
    closes: bool,
    /// Whether `off.turn` counts from what is foreseen; else it is what is foreseen.
    turns: bool,
    has_baseline: bool,
}

impl Body {
    /// How `update`, which lies on the grid of `format`, differs from what a receiver of
    /// `baseline` foresees.
    #[must_use]
    pub fn new(format: &Format, baseline: Option<&Update>, update: &Update) -> Self {
        let cells = Cells::of(format, update);
        let foreseen = Foreseen::at(format, baseline, &cells);
        let mut off = cells;
        off.position = minus(cells.position, foreseen.position());
        off.velocity = minus(cells.velocity, foreseen.velocity(cells.kind, off.position));
        off.angular_velocity = minus(cells.angular_velocity, foreseen.angular_velocity());
        let (plan, closes) = plan_off(&cells, foreseen.plan());
        off.plan = plan;
        let turns = !foreseen.is_turned(update.kinematics().orientation, cells.turn);
        off.turn = if turns { foreseen.turn_off(cells.turn) } else { Turn::none(format.flat) };
        Self { off, closes, turns, has_baseline: baseline.is_some() }
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
        let (off, foreseen) = (&self.off, Foreseen::at(format, baseline, &self.off));
        let mut cells = *off;
        cells.position = plus("position", off.position, foreseen.position())?;
        let velocity = foreseen.velocity(off.kind, off.position);
        cells.velocity = plus("velocity", off.velocity, velocity)?;
        cells.acceleration = plus("acceleration", off.acceleration, [0; 3])?;
        cells.angular_velocity =
            plus("angular velocity", off.angular_velocity, foreseen.angular_velocity())?;
        cells.plan = self.plan_on(cells.velocity, foreseen.plan())?;
        cells.turn = if self.turns { foreseen.turn_on(off.turn)? } else { foreseen.turn() };
        cells.update(format)
    }

    fn plan_on(&self, velocity: Steps, foreseen: Plan) -> Result<Plan, DecodeError> {
        Ok(match (self.off.plan, foreseen) {
            (Plan::Curve(mut terms), Plan::Curve(mut foreseen)) => {
                let last = terms_of(&self.off.model) - 1;
                for i in 0..=last {
                    if i == last && self.closes {
                        foreseen[i] = left_of(velocity, &terms[..last]);
                    }
                    terms[i] = plus("curve coefficient", terms[i], foreseen[i])?;
                }
                Plan::Curve(terms)
            }
            (Plan::Ride { progress, rate }, Plan::Ride { progress: p, rate: r }) => {
                let [progress, rate, _] = plus("ride", [progress, rate, 0], [p, r, 0])?;
                Plan::Ride { progress, rate }
            }
            (other, _) => other,
        })
    }

    /// Whether it was coded off a baseline.
    #[must_use]
    pub const fn has_baseline(&self) -> bool {
        self.has_baseline
    }

    /// The moment it speaks of.
    #[must_use]
    pub const fn at(&self) -> SimTime {
        self.off.at
    }

    /// Writes it, its stamp as steps before `near_tick`.
    pub(super) fn put(&self, out: &mut BitWriter, format: &Format, near_tick: i64) {
        let off = &self.off;
        put_kind(out, off.kind);
        put_model(out, format, &off.model);
        put_signed(out, near_tick - off.tick, AGE_ORDER);
        put_vector(out, format, off.position, self.position_order());
        put_vector(out, format, off.velocity, self.velocity_order());
        match &off.plan {
            Plan::None => {}
            Plan::Ride { progress, rate } => {
                put_signed(out, *progress, self.position_order());
                put_signed(out, *rate, self.velocity_order());
            }
            Plan::Curve(terms) => {
                out.write_bit(self.closes);
                for (i, &term) in terms[..terms_of(&off.model)].iter().enumerate() {
                    out.write_bit(term != [0; 3]);
                    if term != [0; 3] {
                        put_vector(out, format, term, self.term_order(i));
                    }
                }
            }
        }
        if off.model.uses_acceleration() {
            put_vector(out, format, off.acceleration, ACCELERATION_ORDER);
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
        let off = Cells::foreseen(format, kind, tick, model);
        let mut body = Self { off, closes: false, turns: false, has_baseline };
        body.off.position = take_vector(from, format, body.position_order())?;
        body.off.velocity = take_vector(from, format, body.velocity_order())?;
        body.take_plan(from, format)?;
        if model.uses_acceleration() {
            body.off.acceleration = take_vector(from, format, ACCELERATION_ORDER)?;
        }
        body.take_turning(from, format)?;
        Ok(body)
    }

    fn take_plan(&mut self, from: &mut BitReader, format: &Format) -> Result<(), DecodeError> {
        match self.off.plan {
            Plan::None => {}
            Plan::Ride { .. } => {
                let progress = take_signed(from, self.position_order())?;
                let rate = take_signed(from, self.velocity_order())?;
                self.off.plan = Plan::Ride { progress, rate };
            }
            Plan::Curve(mut terms) => {
                self.closes = from.read_bit()?;
                for (i, term) in terms[..terms_of(&self.off.model)].iter_mut().enumerate() {
                    if from.read_bit()? {
                        *term = take_vector(from, format, self.term_order(i))?;
                    }
                }
                self.off.plan = Plan::Curve(terms);
            }
        }
        Ok(())
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
        if self.has_baseline { POSITION_ORDER } else { WHOLE_POSITION_ORDER }
    }

    const fn velocity_order(&self) -> u32 {
        if self.has_baseline { VELOCITY_ORDER } else { WHOLE_VELOCITY_ORDER }
    }

    fn term_order(&self, term: usize) -> u32 {
        let closing = self.closes && term + 1 == terms_of(&self.off.model);
        if closing { CLOSING_ORDER } else { TERM_ORDER }
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
    Body::new(format, baseline, update).put(out, format, 0);
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

impl Format {
    const fn axes(&self) -> usize {
        if self.flat { 2 } else { 3 }
    }

    const fn turn_axes(&self) -> usize {
        if self.flat { 1 } else { 3 }
    }
}

/// The plan off the foreseen one, and whether its last term counts from what the others
/// leave of the velocity, whichever is shorter.
fn plan_off(cells: &Cells, foreseen: Plan) -> (Plan, bool) {
    match (cells.plan, foreseen) {
        (Plan::Curve(new), Plan::Curve(old)) => {
            let last = terms_of(&cells.model) - 1;
            let mut off = [0, 1, 2, 3].map(|i| minus(new[i], old[i]));
            let closing = minus(new[last], left_of(cells.velocity, &new[..last]));
            let closes = bits_of(closing, CLOSING_ORDER) <= bits_of(off[last], TERM_ORDER);
            if closes {
                off[last] = closing;
            }
            (Plan::Curve(off), closes)
        }
        (Plan::Ride { progress, rate }, Plan::Ride { progress: p, rate: r }) => {
            (Plan::Ride { progress: progress - p, rate: rate - r }, false)
        }
        (other, _) => (other, false),
    }
}

/// What the terms leave of a velocity.
fn left_of(velocity: Steps, terms: &[Steps]) -> Steps {
    terms.iter().fold(velocity, |left, &term| minus(left, term))
}

fn bits_of(steps: Steps, order: u32) -> u32 {
    if steps == [0; 3] { 0 } else { steps.iter().map(|&n| signed_bits(n, order)).sum() }
}

fn put_vector(out: &mut BitWriter, format: &Format, steps: Steps, order: u32) {
    for &n in &steps[..format.axes()] {
        put_signed(out, n, order);
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

pub(super) fn put_gap(out: &mut BitWriter, gap: u32, order: u32) {
    put_count(out, u64::from(gap), order);
}

pub(super) fn take_gap(from: &mut BitReader, order: u32) -> Result<u32, DecodeError> {
    let got = take_count(from, order)?;
    u32::try_from(got).map_err(|_| DecodeError::UnknownValue { name: "entity", got })
}
