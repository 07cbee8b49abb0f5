//! Commands, notices and settings as bytes. Kinds of messages begin at 32, behind those of the flat
//! arena.

use reckoning::DVec3;

use super::{HillsCommand, HillsNotice, HillsTuning, JointsChoice};
use crate::hills::craft::Part;
use crate::protocol::bytes::{ByteReader, Put};
use crate::protocol::{Picture, ProtocolError};

const FIRE: u8 = 32;
const LOB: u8 = 33;
const SET_TUNING: u8 = 34;

const TUNING: u8 = 32;
const SHOT: u8 = 33;
const HIT: u8 = 34;
const BURST: u8 = 35;

impl JointsChoice {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Sent, Self::Derived, Self::Off];
}

impl HillsTuning {
    fn put(self, out: &mut Vec<u8>) {
        out.put_f32(self.threshold_m).put_u8(u8::from(self.prevents)).put_u8(self.joints as u8);
        out.put_u8(u8::from(self.train_on_path)).put_u8(u8::from(self.merchant_delayed));
    }

    fn take(from: &mut ByteReader<'_>) -> Result<Self, ProtocolError> {
        let wrong = |name| ProtocolError::Value { name };
        let threshold_m = from.f32("threshold_m")?;
        let [least, most] = Self::THRESHOLDS_M;
        if !(least..=most).contains(&threshold_m) {
            return Err(wrong("threshold_m"));
        }
        let prevents = from.flag("prevents")?;
        let joints = JointsChoice::ALL.get(usize::from(from.u8()?)).copied();
        Ok(Self {
            threshold_m,
            prevents,
            joints: joints.ok_or(wrong("joints"))?,
            train_on_path: from.flag("train_on_path")?,
            merchant_delayed: from.flag("merchant_delayed")?,
        })
    }
}

impl HillsCommand {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Fire { shown_at, from, aim, pictures } => {
                out.put_u8(FIRE).put_time(*shown_at);
                put_vector(&mut out, *from);
                put_vector(&mut out, *aim);
                Picture::put_all(pictures, &mut out);
            }
            Self::Lob => {
                out.put_u8(LOB);
            }
            Self::SetTuning(tuning) => tuning.put(out.put_u8(SET_TUNING)),
        }
        out
    }

    /// What the bytes say.
    ///
    /// # Errors
    /// When they are not exactly one of these within its limits.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let mut from = ByteReader::new(bytes);
        let command = match from.u8()? {
            FIRE => Self::Fire {
                shown_at: from.time()?,
                from: take_vector(&mut from, "from")?,
                aim: take_vector(&mut from, "aim")?,
                pictures: Picture::take_all(&mut from)?,
            },
            LOB => Self::Lob,
            SET_TUNING => Self::SetTuning(HillsTuning::take(&mut from)?),
            got => return Err(ProtocolError::Kind { got }),
        };
        from.end(()).map(|()| command)
    }
}

impl HillsNotice {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match *self {
            Self::Tuning(tuning) => tuning.put(out.put_u8(TUNING)),
            Self::Shot { shooter, from, to } => {
                out.put_u8(SHOT).put_u16(shooter);
                put_vector(&mut out, from);
                put_vector(&mut out, to);
            }
            Self::Hit { victim, by, part, damage } => {
                let is_turret = u8::from(part == Part::Turret);
                out.put_u8(HIT).put_u16(victim).put_u16(by).put_u8(is_turret).put_f32(damage);
            }
            Self::Burst { at } => put_vector(out.put_u8(BURST), at),
        }
        out
    }

    /// What the bytes say.
    ///
    /// # Errors
    /// When they are not exactly one of these within its limits.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let mut from = ByteReader::new(bytes);
        let notice = match from.u8()? {
            TUNING => Self::Tuning(HillsTuning::take(&mut from)?),
            SHOT => Self::Shot {
                shooter: from.u16()?,
                from: take_vector(&mut from, "from")?,
                to: take_vector(&mut from, "to")?,
            },
            HIT => Self::Hit {
                victim: from.u16()?,
                by: from.u16()?,
                part: if from.flag("part")? { Part::Turret } else { Part::Hull },
                damage: from.f32("damage")?,
            },
            BURST => Self::Burst { at: take_vector(&mut from, "at")? },
            got => return Err(ProtocolError::Kind { got }),
        };
        from.end(()).map(|()| notice)
    }
}

pub(super) fn put_vector(out: &mut Vec<u8>, vector: DVec3) {
    out.put_f32(vector.x as f32).put_f32(vector.y as f32).put_f32(vector.z as f32);
}

pub(super) fn take_vector(
    from: &mut ByteReader<'_>,
    name: &'static str,
) -> Result<DVec3, ProtocolError> {
    Ok(DVec3::new(from.f32(name)?.into(), from.f32(name)?.into(), from.f32(name)?.into()))
}
