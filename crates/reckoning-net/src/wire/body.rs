//! Delta coding of one update against its baseline.
//!
//! With a baseline, an update the receiver has, every part is counted in steps from what the
//! baseline's own model predicts for the new moment; without one, from zero. Both ends predict
//! with the engine's functions, which give the same bits everywhere.

use reckoning::{Model, SimTime, Update, UpdateKind};

use super::baseline_prediction::{BaselinePrediction, minus, plus};
use super::exp_golomb::{read_count, read_signed, signed_bits, write_count, write_signed};
use super::model_codec::{read_model, write_model};
use super::quantized_update::{QuantizedModel, QuantizedTurn, QuantizedUpdate, Steps};
use super::ride::path_of;
use super::{BitReader, BitWriter, Codes, DecodeError, Format, UpdateField};

// Orders of the codes of rides, fitted to the trains of `testdata/wire.txt`. All others are told
// with the format: see `Codes`.
const TELEPORTS_ORDER: u32 = 0;
const FULL_TELEPORTS_ORDER: u32 = 2;
const RIDE_AGE_ORDER: u32 = 1;
const PROGRESS_ORDER: u32 = 5;
const RATE_ORDER: u32 = 2;
const POSITION_ORDER: u32 = 5;
const FULL_POSITION_ORDER: u32 = 10;
const FULL_VELOCITY_ORDER: u32 = 5;

/// A delta-coded update: read from the bits, not yet resolved against its baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpdateBody {
    /// All but kind, tick, model and acceleration count from what the receiver predicts.
    delta: QuantizedUpdate,
    /// Whether the last term of a curve counts from what the others leave of the velocity.
    closes: bool,
    /// Whether `delta.turn` counts from what is predicted; else it is what is predicted.
    turns: bool,
    has_baseline: bool,
}

impl UpdateBody {
    /// How `update`, which lies on the grid of `format`, differs from what a receiver of
    /// `baseline` predicts.
    #[must_use]
    pub fn new(format: &Format, baseline: Option<&Update>, update: &Update) -> Self {
        let quantized = QuantizedUpdate::from_update(format, update);
        let predicted = BaselinePrediction::at(format, baseline, &quantized);
        let mut delta = quantized;
        delta.teleports = quantized.teleports.wrapping_sub(predicted.teleports());
        delta.position = minus(quantized.position, predicted.position());
        delta.velocity =
            minus(quantized.velocity, predicted.velocity(delta.is_leap(), delta.position));
        delta.angular_velocity = minus(quantized.angular_velocity, predicted.angular_velocity());
        let codes = format.codes_of(&quantized.model);
        let (plan, closes) = plan_delta(codes, &quantized, &predicted, delta.is_leap());
        delta.plan = plan;
        let turns = !predicted.is_turned(update.kinematics().orientation, quantized.turn);
        delta.turn = if turns {
            predicted.turn_delta(quantized.turn)
        } else {
            QuantizedTurn::none(format.flat)
        };
        Self { delta, closes, turns, has_baseline: baseline.is_some() }
    }

    /// The update, for a receiver that has the baseline it was coded against.
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
        let (delta, predicted) =
            (&self.delta, BaselinePrediction::at(format, baseline, &self.delta));
        let mut quantized = *delta;
        quantized.teleports = delta.teleports.wrapping_add(predicted.teleports());
        quantized.position = plus("position", delta.position, predicted.position())?;
        let velocity = predicted.velocity(delta.is_leap(), delta.position);
        quantized.velocity = plus("velocity", delta.velocity, velocity)?;
        quantized.acceleration = plus("acceleration", delta.acceleration, [0; 3])?;
        quantized.angular_velocity =
            plus("angular velocity", delta.angular_velocity, predicted.angular_velocity())?;
        quantized.plan = self.plan_from_delta(quantized.velocity, &predicted)?;
        quantized.velocity = quantized.plan.closed(quantized.velocity);
        quantized.turn =
            if self.turns { predicted.turn_from_delta(delta.turn)? } else { predicted.turn() };
        quantized.update(format)
    }

    fn plan_from_delta(
        &self,
        velocity: Steps,
        predicted: &BaselinePrediction,
    ) -> Result<QuantizedModel, DecodeError> {
        Ok(match (self.delta.plan, predicted.plan()) {
            (QuantizedModel::Curve(mut terms), QuantizedModel::Curve(mut predicted)) => {
                let last = terms_of(&self.delta.model) - 1;
                for i in 0..=last {
                    if i == last && self.closes {
                        predicted[i] = left_of(velocity, &terms[..last]);
                    }
                    terms[i] = plus("curve coefficient", terms[i], predicted[i])?;
                }
                QuantizedModel::Curve(terms)
            }
            (QuantizedModel::Ride { progress, rate }, _) => {
                let leaps = self.delta.is_leap();
                let (progress, rate) = predicted.ride_from_delta(leaps, (progress, rate))?;
                QuantizedModel::Ride { progress, rate }
            }
            (other, _) => other,
        })
    }

    /// Whether it was coded against a baseline.
    #[must_use]
    pub const fn has_baseline(&self) -> bool {
        self.has_baseline
    }

    /// Whether it is of a body that rides a path.
    pub(super) const fn rides(&self) -> bool {
        path_of(&self.delta.model).is_some()
    }

    /// The moment the update describes.
    #[must_use]
    pub const fn at(&self) -> SimTime {
        self.delta.at
    }

    /// Writes it, its stamp as steps before `near_tick`.
    pub(super) fn write(&self, out: &mut BitWriter, format: &Format, near_tick: i64) {
        self.write_noting(out, format, near_tick, &mut |_, _| {});
    }

    /// The same, saying after each field how many bits there are by then.
    #[inline]
    pub(super) fn write_noting(
        &self,
        out: &mut BitWriter,
        format: &Format,
        near_tick: i64,
        note: &mut impl FnMut(UpdateField, usize),
    ) {
        let delta = &self.delta;
        let place = format.place_of(&delta.model);
        let codes = format.codes_at(place);
        let usual = place == Some(0) && self.is_usual(codes);
        out.write_bit(usual);
        if !usual {
            self.write_kind(out);
            write_model(out, format, place, &delta.model);
        }
        note(UpdateField::Model, out.bits());
        if let QuantizedModel::Ride { progress, rate } = delta.plan {
            return self.write_ride(out, format, near_tick, (progress, rate), note);
        }
        write_signed(out, near_tick - delta.tick, codes.age.into());
        note(UpdateField::Stamp, out.bits());
        write_vector(out, format, delta.position, self.position_code(codes));
        note(UpdateField::Position, out.bits());
        write_vector(out, format, delta.velocity, self.velocity_code(codes));
        note(UpdateField::Velocity, out.bits());
        if let QuantizedModel::Curve(terms) = &delta.plan {
            out.write_bit(self.closes);
            for (i, &term) in terms[..terms_of(&delta.model)].iter().enumerate() {
                out.write_bit(term != [0; 3]);
                if term != [0; 3] {
                    write_vector(out, format, term, self.term_code(codes, i));
                }
            }
            note(UpdateField::Curve, out.bits());
        }
        if delta.model.uses_acceleration() {
            write_vector(out, format, delta.acceleration, codes.acceleration.into());
            note(UpdateField::Acceleration, out.bits());
        }
        if !usual {
            out.write_bit(self.is_turning());
        }
        if self.is_turning() {
            self.write_turning(out, format, codes);
        }
        note(UpdateField::Turning, out.bits());
    }

    /// Whether one bit says all that is told before and behind the numbers: a partial update of the
    /// first model of the table, turning as most do. Riders tell of their turning by themselves.
    fn is_usual(&self, codes: &Codes) -> bool {
        let turns_usually =
            self.is_turning() == codes.turning || path_of(&self.delta.model).is_some();
        self.delta.kind == UpdateKind::Partial && !self.delta.is_leap() && turns_usually
    }

    fn is_turning(&self) -> bool {
        self.turns || self.delta.angular_velocity != [0; 3]
    }

    /// Progress and rate of a rider; stamp and the rest where they are not as predicted.
    fn write_ride(
        &self,
        out: &mut BitWriter,
        format: &Format,
        near_tick: i64,
        (progress, rate): (i64, i64),
        note: &mut impl FnMut(UpdateField, usize),
    ) {
        let ticks = format.ride_ticks();
        let age = (near_tick - self.delta.tick).div_euclid(ticks);
        let aside = self.delta.position != [0; 3];
        let plain = age == 0 && !aside && !self.turns;
        out.write_bit(plain);
        if !plain {
            write_signed(out, age, RIDE_AGE_ORDER);
        }
        note(UpdateField::Stamp, out.bits());
        write_signed(out, progress, self.progress_order());
        write_signed(out, rate, self.rate_order());
        note(UpdateField::Ride, out.bits());
        if plain {
            return;
        }
        out.write_bit(aside);
        if aside {
            write_vector(out, format, self.delta.position, self.position_order());
        }
        note(UpdateField::Position, out.bits());
        out.write_bit(self.turns);
        if self.turns {
            self.write_turn(out, format, format.codes_of(&self.delta.model));
        }
        note(UpdateField::Turning, out.bits());
    }

    /// The kind; and the count of teleports, where it is not as predicted.
    fn write_kind(&self, out: &mut BitWriter) {
        let (kind, teleports) = (self.delta.kind, self.delta.teleports.cast_signed());
        if self.delta.is_leap() {
            out.write(0b11, 2);
        }
        match kind {
            UpdateKind::Partial => out.write(0b0, 1),
            UpdateKind::Full => out.write(0b01, 2),
            UpdateKind::Teleport => out.write(0b11, 2),
        }
        if self.delta.is_leap() {
            write_signed(out, i64::from(teleports), teleports_order(self.has_baseline));
        }
    }

    fn write_turning(&self, out: &mut BitWriter, format: &Format, codes: &Codes) {
        let spins = self.delta.angular_velocity != [0; 3];
        out.write_bit(self.turns);
        if self.turns {
            self.write_turn(out, format, codes);
        }
        out.write_bit(spins);
        if spins {
            for &n in &self.delta.angular_velocity[3 - format.turn_axes()..] {
                write_signed(out, n, codes.spin.into());
            }
        }
    }

    fn write_turn(&self, out: &mut BitWriter, format: &Format, codes: &Codes) {
        let turn = &self.delta.turn;
        if !format.flat {
            out.write(u64::from(turn.left_out), 2);
        }
        for &n in &turn.parts[..format.turn_axes()] {
            write_signed(out, n, codes.turn.into());
        }
    }

    pub(super) fn read(
        from: &mut BitReader,
        format: &Format,
        near_tick: i64,
        has_baseline: bool,
    ) -> Result<Self, DecodeError> {
        let usual = from.read_bit()?;
        let (kind, teleports) =
            if usual { (UpdateKind::Partial, 0) } else { read_kind(from, has_baseline)? };
        let (place, model) = if usual { usual_model(format)? } else { read_model(from, format)? };
        let codes = format.codes_at(place);
        if path_of(&model).is_some() {
            let delta = QuantizedUpdate::as_predicted(format, kind, 0, model);
            let delta = QuantizedUpdate { teleports, ..delta };
            let body = Self { delta, closes: false, turns: false, has_baseline };
            return body.read_ride(from, format, near_tick);
        }
        let tick = Format::checked_tick(near_tick - read_signed(from, codes.age.into())?)?;
        let mut delta = QuantizedUpdate::as_predicted(format, kind, tick, model);
        delta.teleports = teleports;
        let mut body = Self { delta, closes: false, turns: false, has_baseline };
        body.delta.position = read_vector(from, format, body.position_code(codes))?;
        body.delta.velocity = read_vector(from, format, body.velocity_code(codes))?;
        body.read_plan(from, format, codes)?;
        if model.uses_acceleration() {
            body.delta.acceleration = read_vector(from, format, codes.acceleration.into())?;
        }
        let turning = if usual { codes.turning } else { from.read_bit()? };
        if turning {
            body.read_turning(from, format, codes)?;
        }
        Ok(body)
    }

    /// The inverse of [`write_ride`](Self::write_ride).
    fn read_ride(
        mut self,
        from: &mut BitReader,
        format: &Format,
        near_tick: i64,
    ) -> Result<Self, DecodeError> {
        let ticks = format.ride_ticks();
        let plain = from.read_bit()?;
        let age = if plain { 0 } else { read_signed(from, RIDE_AGE_ORDER)? };
        let tick = near_tick.div_euclid(ticks).saturating_sub(age).saturating_mul(ticks);
        self.delta.tick = Format::checked_tick(tick)?;
        self.delta.at = format.time_of(self.delta.tick);
        let progress = read_signed(from, self.progress_order())?;
        let rate = read_signed(from, self.rate_order())?;
        self.delta.plan = QuantizedModel::Ride { progress, rate };
        if plain {
            return Ok(self);
        }
        if from.read_bit()? {
            self.delta.position = read_vector(from, format, self.position_order())?;
        }
        self.turns = from.read_bit()?;
        if self.turns {
            let codes = format.codes_of(&self.delta.model);
            self.read_turn(from, format, codes)?;
        }
        Ok(self)
    }

    fn read_plan(
        &mut self,
        from: &mut BitReader,
        format: &Format,
        codes: &Codes,
    ) -> Result<(), DecodeError> {
        let QuantizedModel::Curve(mut terms) = self.delta.plan else { return Ok(()) };
        self.closes = from.read_bit()?;
        for (i, term) in terms[..terms_of(&self.delta.model)].iter_mut().enumerate() {
            if from.read_bit()? {
                *term = read_vector(from, format, self.term_code(codes, i))?;
            }
        }
        self.delta.plan = QuantizedModel::Curve(terms);
        Ok(())
    }

    fn read_turning(
        &mut self,
        from: &mut BitReader,
        format: &Format,
        codes: &Codes,
    ) -> Result<(), DecodeError> {
        self.turns = from.read_bit()?;
        if self.turns {
            self.read_turn(from, format, codes)?;
        }
        if from.read_bit()? {
            for n in &mut self.delta.angular_velocity[3 - format.turn_axes()..] {
                *n = read_signed(from, codes.spin.into())?;
            }
        }
        Ok(())
    }

    fn read_turn(
        &mut self,
        from: &mut BitReader,
        format: &Format,
        codes: &Codes,
    ) -> Result<(), DecodeError> {
        if !format.flat {
            self.delta.turn.left_out = from.read(2)? as u8;
        }
        for n in &mut self.delta.turn.parts[..format.turn_axes()] {
            *n = read_signed(from, codes.turn.into())?;
        }
        Ok(())
    }

    const fn progress_order(&self) -> u32 {
        if self.has_baseline { PROGRESS_ORDER } else { FULL_POSITION_ORDER }
    }

    const fn rate_order(&self) -> u32 {
        if self.has_baseline { RATE_ORDER } else { FULL_VELOCITY_ORDER }
    }

    const fn position_order(&self) -> u32 {
        if self.has_baseline { POSITION_ORDER } else { FULL_POSITION_ORDER }
    }

    fn position_code(&self, codes: &Codes) -> u32 {
        u32::from(if self.has_baseline { codes.position } else { codes.whole_position })
    }

    fn velocity_code(&self, codes: &Codes) -> u32 {
        u32::from(if self.has_baseline { codes.velocity } else { codes.whole_velocity })
    }

    fn term_code(&self, codes: &Codes, term: usize) -> u32 {
        let closing = self.closes && term + 1 == terms_of(&self.delta.model);
        u32::from(if closing { codes.closing } else { codes.term })
    }
}

/// Writes `update`, which lies on the grid of `format`, against `baseline`, with its time stamp
/// counted from time zero.
///
/// A [`PacketWriter`](super::PacketWriter) does better for several: it counts stamps from
/// the datagram's.
pub fn write_update(
    out: &mut BitWriter,
    format: &Format,
    baseline: Option<&Update>,
    update: &Update,
) {
    UpdateBody::new(format, baseline, update).write(out, format, 0);
}

/// Reads what [`write_update`] wrote against the same baseline.
///
/// # Errors
/// Names what is wrong with the bits.
pub fn read_update(
    from: &mut BitReader,
    format: &Format,
    baseline: Option<&Update>,
) -> Result<Update, DecodeError> {
    UpdateBody::read(from, format, 0, baseline.is_some())?.resolve(format, baseline)
}

impl Format {
    const fn axes(&self) -> usize {
        if self.flat { 2 } else { 3 }
    }

    const fn turn_axes(&self) -> usize {
        if self.flat { 1 } else { 3 }
    }
}

/// The plan's difference from the predicted one, and whether its last term counts from what the
/// others leave of the velocity, whichever is shorter.
fn plan_delta(
    codes: &Codes,
    quantized: &QuantizedUpdate,
    predicted: &BaselinePrediction,
    leaps: bool,
) -> (QuantizedModel, bool) {
    match (quantized.plan, predicted.plan()) {
        (QuantizedModel::Curve(new), QuantizedModel::Curve(old)) => {
            let last = terms_of(&quantized.model) - 1;
            let mut delta = [0, 1, 2, 3].map(|i| minus(new[i], old[i]));
            let closing = minus(new[last], left_of(quantized.velocity, &new[..last]));
            let closes =
                bits_of(closing, codes.closing.into()) <= bits_of(delta[last], codes.term.into());
            if closes {
                delta[last] = closing;
            }
            (QuantizedModel::Curve(delta), closes)
        }
        (QuantizedModel::Ride { progress, rate }, _) => {
            let (progress, rate) = predicted.ride_delta(leaps, (progress, rate));
            (QuantizedModel::Ride { progress, rate }, false)
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

fn write_vector(out: &mut BitWriter, format: &Format, steps: Steps, order: u32) {
    for &n in &steps[..format.axes()] {
        write_signed(out, n, order);
    }
}

fn read_vector(from: &mut BitReader, format: &Format, order: u32) -> Result<Steps, DecodeError> {
    let mut steps = [0; 3];
    for n in &mut steps[..format.axes()] {
        *n = read_signed(from, order)?;
    }
    Ok(steps)
}

fn usual_model(format: &Format) -> Result<(Option<usize>, Model), DecodeError> {
    let first = format.models().first().copied();
    first.map(|model| (Some(0), model)).ok_or(DecodeError::UnknownValue { name: "usual", got: 1 })
}

/// The kind, and how many teleports more than predicted.
fn read_kind(from: &mut BitReader, has_baseline: bool) -> Result<(UpdateKind, u32), DecodeError> {
    let kind = read_plain_kind(from)?;
    if kind != UpdateKind::Teleport {
        return Ok((kind, 0));
    }
    let kind = read_plain_kind(from)?;
    let got = read_signed(from, teleports_order(has_baseline))?;
    match i32::try_from(got) {
        Ok(0) if kind != UpdateKind::Teleport => {}
        Ok(teleports) => return Ok((kind, teleports.cast_unsigned())),
        Err(_) => {}
    }
    Err(DecodeError::UnknownValue { name: "teleports", got: got.cast_unsigned() })
}

fn read_plain_kind(from: &mut BitReader) -> Result<UpdateKind, DecodeError> {
    if !from.read_bit()? {
        return Ok(UpdateKind::Partial);
    }
    Ok(if from.read_bit()? { UpdateKind::Teleport } else { UpdateKind::Full })
}

const fn teleports_order(has_baseline: bool) -> u32 {
    if has_baseline { TELEPORTS_ORDER } else { FULL_TELEPORTS_ORDER }
}

fn terms_of(model: &Model) -> usize {
    match model {
        Model::Curve(curve) => curve.basis().tau_s().len(),
        _ => 0,
    }
}

pub(super) fn write_gap(out: &mut BitWriter, gap: u32, order: u32) {
    write_count(out, u64::from(gap), order);
}

pub(super) fn read_gap(
    from: &mut BitReader,
    order: u32,
    name: &'static str,
) -> Result<u32, DecodeError> {
    let got = read_count(from, order)?;
    u32::try_from(got).map_err(|_| DecodeError::UnknownValue { name, got })
}
