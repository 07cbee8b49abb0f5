//! Coding of motion models, and of a whole format as bytes.

use alloc::vec::Vec;
use core::time::Duration;

use reckoning::bytes::Registry;
use reckoning::dis::{BodyAcceleration, DisAlgorithm, DisModel};
use reckoning::model::{Ballistic, Landing, PathRide};
use reckoning::{Curve, CurveBasis, Model, Quantiser};

use super::{BitReader, BitWriter, Codes, DecodeError, Format, MAX_FORMAT_BYTES, MAX_MODELS};

const SPAN_BITS: u32 = 40;

/// Writes which model it is: its place in the format's table, or all of it.
pub(super) fn write_model(
    out: &mut BitWriter,
    format: &Format,
    place: Option<usize>,
    model: &Model,
) {
    if let Some(place) = place {
        out.write(1 << place, place as u32 + 1);
    } else {
        out.write(0, format.models().len() as u32);
        write_spec(out, model);
    }
}

/// The place in the table, where it has one, and the model.
pub(super) fn read_model(
    from: &mut BitReader,
    format: &Format,
) -> Result<(Option<usize>, Model), DecodeError> {
    for (place, &listed) in format.models().iter().enumerate() {
        if from.read_bit()? {
            return Ok((Some(place), listed));
        }
    }
    let model = read_spec(from, format.registry())?;
    // What is written in full although it is listed reads as if it had been listed.
    Ok((format.place_of(&model), model))
}

fn write_spec(out: &mut BitWriter, model: &Model) {
    let mut kind = |number: u64| out.write(number, 4);
    match model {
        Model::Linear => kind(1),
        Model::Accelerating { trust } => {
            kind(2);
            write_span(out, *trust);
        }
        Model::Damped { fade } => {
            kind(3);
            write_span(out, *fade);
        }
        Model::Decaying { fade } => {
            kind(4);
            write_span(out, *fade);
        }
        Model::Curve(curve) => {
            kind(5);
            let tau_s = curve.basis().tau_s();
            out.write_bit(tau_s.len() == 4);
            for tau_s in tau_s {
                out.write(tau_s.to_bits(), 64);
            }
        }
        Model::Arc => kind(6),
        Model::Ballistic(fall) => {
            kind(7);
            out.write(fall.gravity_mps2().to_bits(), 64);
            out.write(fall.floor_m().to_bits(), 64);
            out.write_bit(fall.landing() == Landing::Run);
        }
        Model::Path(ride) => {
            kind(8);
            out.write(u64::from(ride.path.id()), 16);
        }
        Model::Dis(dis) => {
            kind(9);
            out.write(u64::from(dis.algorithm.number()), 4);
            out.write_bit(dis.acceleration == BodyAcceleration::Inertial);
        }
        Model::Custom(custom) => {
            kind(10);
            out.write(u64::from(custom.id), 8);
        }
        // Hold; and a model newer than this version stands still rather than go astray.
        _ => kind(0),
    }
}

fn read_spec(from: &mut BitReader, registry: &Registry) -> Result<Model, DecodeError> {
    Ok(match from.read(4)? {
        0 => Model::Hold,
        1 => Model::Linear,
        2 => Model::Accelerating { trust: read_span(from)? },
        3 => Model::Damped { fade: read_span(from)? },
        4 => Model::Decaying { fade: read_span(from)? },
        5 => read_basis(from)?,
        6 => Model::Arc,
        7 => read_fall(from)?,
        8 => {
            let id = from.read(16)? as u16;
            let path = registry.path(id).ok_or(DecodeError::UnknownPath { id })?;
            Model::Path(PathRide { path, progress_m: 0.0, rate_mps: 0.0 })
        }
        9 => read_dis(from)?,
        10 => {
            let id = from.read(8)? as u8;
            Model::Custom(registry.custom(id).ok_or(DecodeError::UnknownCustom { id })?)
        }
        got => return Err(DecodeError::UnknownValue { name: "model", got }),
    })
}

fn read_basis(from: &mut BitReader) -> Result<Model, DecodeError> {
    let terms = if from.read_bit()? { 4 } else { 3 };
    let mut tau_s = [0.0; 4];
    for tau_s in &mut tau_s[..terms] {
        *tau_s = read_float(from)?;
    }
    Ok(Model::Curve(Curve::still(CurveBasis::new(&tau_s[..terms])?)))
}

fn read_fall(from: &mut BitReader) -> Result<Model, DecodeError> {
    let (gravity_mps2, floor_m) = (read_float(from)?, read_float(from)?);
    let landing = if from.read_bit()? { Landing::Run } else { Landing::Stop };
    Ok(Model::Ballistic(Ballistic::new(gravity_mps2, floor_m, landing)?))
}

fn read_dis(from: &mut BitReader) -> Result<Model, DecodeError> {
    let got = from.read(4)?;
    let algorithm = DisAlgorithm::from_number(got as u8)
        .ok_or(DecodeError::UnknownValue { name: "DIS algorithm", got })?;
    let acceleration =
        if from.read_bit()? { BodyAcceleration::Inertial } else { BodyAcceleration::BodyRate };
    Ok(Model::Dis(DisModel { algorithm, acceleration }))
}

fn write_span(out: &mut BitWriter, span: Duration) {
    // Formats and updates on the grid hold no longer spans.
    out.write(span.as_micros() as u64, SPAN_BITS);
}

fn read_span(from: &mut BitReader) -> Result<Duration, DecodeError> {
    Ok(Duration::from_micros(from.read(SPAN_BITS)?))
}

fn read_float(from: &mut BitReader) -> Result<f64, DecodeError> {
    Ok(f64::from_bits(from.read(64)?))
}

impl Format {
    /// All of it but the registry, for a [`Message::Welcome`](super::Message::Welcome).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = alloc::vec![0; MAX_FORMAT_BYTES];
        let mut out = BitWriter::new(&mut bytes);
        out.write_bit(self.flat);
        out.write(u64::from(self.stamp_hz), 17);
        for step in steps_of(&self.steps) {
            out.write(step.to_bits(), 64);
        }
        out.write(self.models().len() as u64, 4);
        for model in self.models() {
            write_spec(&mut out, model);
        }
        for place in 0..self.models().len() {
            self.codes_at(Some(place)).write(&mut out);
        }
        self.codes_at(None).write(&mut out);
        // Eight models of at most 261 bits and nine sets of codes of 42 fit with room to spare.
        let length = out.finish().unwrap_or(0);
        bytes.truncate(length);
        bytes
    }

    /// The format that [`to_bytes`](Self::to_bytes) described, with what this end has
    /// registered.
    ///
    /// # Errors
    /// Names what is wrong with the bytes, or missing in the registry.
    pub fn from_bytes(bytes: &[u8], registry: Registry) -> Result<Self, DecodeError> {
        let mut from = BitReader::new(bytes);
        let flat = from.read_bit()?;
        let stamp_hz = from.read(17)? as u32;
        let mut steps = [0.0; 5];
        for step in &mut steps {
            *step = read_float(&mut from)?;
        }
        let [position_m, velocity_mps, acceleration_mps2, angular_velocity_radps, orientation] =
            steps;
        let quantiser = Quantiser {
            position_m,
            velocity_mps,
            acceleration_mps2,
            angular_velocity_radps,
            orientation,
        };
        let count = from.read(4)?;
        if count > MAX_MODELS as u64 {
            return Err(DecodeError::UnknownValue { name: "count of models", got: count });
        }
        let mut models = Vec::new();
        for _ in 0..count {
            models.push(read_spec(&mut from, &registry)?);
        }
        let mut listed = Vec::new();
        for _ in 0..count {
            listed.push(Codes::read(&mut from)?);
        }
        let others = Codes::read(&mut from)?;
        let format = Self::new(flat, stamp_hz, quantiser, &models, registry)?;
        Ok(format.with_codes(&listed, others)?)
    }
}

fn steps_of(steps: &Quantiser) -> [f64; 5] {
    [
        steps.position_m,
        steps.velocity_mps,
        steps.acceleration_mps2,
        steps.angular_velocity_radps,
        steps.orientation,
    ]
}
