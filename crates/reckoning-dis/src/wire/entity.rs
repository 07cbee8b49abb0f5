//! Entity State and Entity State Update PDUs.

use reckoning::DVec3;
use reckoning::dis::{DisAlgorithm, DisFields, quat_from_euler};

use super::DecodeError;
use super::bytes::{Put, Reader};
use super::ids::{EntityId, EntityType};

/// Records that fit a PDU; more do not come in a byte.
pub const MAX_RECORDS: usize = 255;
/// Characters of a marking.
pub const MARKING_CHARS: usize = 11;
/// The character set that markings are in, nearly always.
const ASCII: u8 = 1;

/// Everything about an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityState {
    /// Which.
    pub id: EntityId,
    /// Its side: 0 other, 1 friendly, 2 opposing, 3 neutral.
    pub force: u8,
    /// What it is.
    pub kind: EntityType,
    /// What the other side takes it for.
    pub alternative_kind: EntityType,
    /// Metres per second; in body axes where the algorithm is one of those.
    pub velocity: [f32; 3],
    /// Geocentric (WGS-84), metres.
    pub location: DVec3,
    /// Psi, theta and phi from geocentric to body axes, radians.
    pub orientation: [f32; 3],
    /// Bits that depend on what it is.
    pub appearance: u32,
    /// How it is to be reckoned.
    pub reckoning: DeadReckoning,
    /// What is written on it.
    pub marking: Marking,
    /// Bits: what it can do.
    pub capabilities: u32,
    /// Its parts, at most [`MAX_RECORDS`].
    pub parts: Vec<PartRecord>,
}

/// What changes of an entity: the rest stays as its last [`EntityState`] said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityUpdate {
    /// Which.
    pub id: EntityId,
    /// As [`EntityState::velocity`].
    pub velocity: [f32; 3],
    /// As [`EntityState::location`].
    pub location: DVec3,
    /// As [`EntityState::orientation`].
    pub orientation: [f32; 3],
    /// As [`EntityState::appearance`].
    pub appearance: u32,
    /// As [`EntityState::parts`].
    pub parts: Vec<PartRecord>,
}

/// The dead-reckoning parameters of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeadReckoning {
    /// The number of the algorithm: 1 to 9, or 0 for another.
    pub algorithm: u8,
    /// Further parameters, for which only recent versions of the standard have a meaning.
    pub parameters: [u8; 15],
    /// Metres per second squared, in the axes of the velocity.
    pub acceleration: [f32; 3],
    /// Radians per second about body axes.
    pub angular_velocity: [f32; 3],
}

/// What is written on an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    /// 1 is ASCII.
    pub charset: u8,
    /// The text, padded with NUL or blanks.
    pub bytes: [u8; MARKING_CHARS],
}

impl Marking {
    /// A text in ASCII; what is not becomes `?`, and what does not fit is left out.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut bytes = [0; MARKING_CHARS];
        let plain = |it: char| if it.is_ascii_graphic() || it == ' ' { it as u8 } else { b'?' };
        for (byte, character) in bytes.iter_mut().zip(text.chars()) {
            *byte = plain(character);
        }
        Self { charset: ASCII, bytes }
    }

    /// The text without its padding; what is no printable ASCII becomes `?`.
    #[must_use]
    pub fn text(&self) -> String {
        let end = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(self.bytes.len());
        let text = self.bytes.iter().take(end).map(|byte| match byte {
            b' '..=b'~' => char::from(*byte),
            _ => '?',
        });
        text.collect::<String>().trim_end().to_string()
    }
}

/// A part of an entity, or something else that rides on its state: 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartRecord {
    /// Parameter of an articulated part.
    Articulated {
        /// Counts changes of the parameter.
        change: u8,
        /// The part that it is attached to; 0 is the entity itself.
        attached_to: u16,
        /// Class of the part (a multiple of 32) and metric: 11 azimuth, 12 its rate, 13 elevation, 14 its rate.
        parameter: u32,
        /// Radians, metres, or those per second.
        value: f32,
    },
    /// Anything else: attached parts, separations, associations.
    Other {
        /// Its type, not 0.
        kind: u8,
        /// What it holds.
        bytes: [u8; 15],
    },
}

const ARTICULATED: u8 = 0;

impl PartRecord {
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match from.u8()? {
            ARTICULATED => {
                let (change, attached_to) = (from.u8()?, from.u16()?);
                let (parameter, value) = (from.u32()?, from.f32()?);
                from.skip::<4>()?;
                Ok(Self::Articulated { change, attached_to, parameter, value })
            }
            kind => Ok(Self::Other { kind, bytes: from.array()? }),
        }
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        match *self {
            Self::Articulated { change, attached_to, parameter, value } => {
                to.put(&[ARTICULATED, change]);
                to.put_u16(attached_to);
                to.put_u32(parameter);
                to.put_f32(value);
                to.put(&[0; 4]);
            }
            Self::Other { kind, bytes } => {
                to.put_u8(kind);
                to.put(&bytes);
            }
        }
    }
}

pub(super) fn read_parts(from: &mut Reader<'_>, count: u8) -> Result<Vec<PartRecord>, DecodeError> {
    (0..count).map(|_| PartRecord::read(from)).collect()
}

/// How many of them are written.
pub(super) fn count_parts(parts: &[PartRecord]) -> u8 {
    parts.len().min(MAX_RECORDS) as u8
}

pub(super) fn write_parts(parts: &[PartRecord], to: &mut Vec<u8>) {
    for part in parts.iter().take(MAX_RECORDS) {
        part.write(to);
    }
}

impl EntityState {
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (id, force, count) = (EntityId::read(from)?, from.u8()?, from.u8()?);
        Ok(Self {
            id,
            force,
            kind: EntityType::read(from)?,
            alternative_kind: EntityType::read(from)?,
            velocity: from.vector()?,
            location: from.location()?,
            orientation: from.vector()?,
            appearance: from.u32()?,
            reckoning: DeadReckoning {
                algorithm: from.u8()?,
                parameters: from.array()?,
                acceleration: from.vector()?,
                angular_velocity: from.vector()?,
            },
            marking: Marking { charset: from.u8()?, bytes: from.array()? },
            capabilities: from.u32()?,
            parts: read_parts(from, count)?,
        })
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        self.id.write(to);
        to.put(&[self.force, count_parts(&self.parts)]);
        self.kind.write(to);
        self.alternative_kind.write(to);
        to.put_vector(self.velocity);
        to.put_location(self.location);
        to.put_vector(self.orientation);
        to.put_u32(self.appearance);
        to.put_u8(self.reckoning.algorithm);
        to.put(&self.reckoning.parameters);
        to.put_vector(self.reckoning.acceleration);
        to.put_vector(self.reckoning.angular_velocity);
        to.put_u8(self.marking.charset);
        to.put(&self.marking.bytes);
        to.put_u32(self.capabilities);
        write_parts(&self.parts, to);
    }

    /// Takes over what an update says of the same entity.
    pub fn apply(&mut self, update: EntityUpdate) {
        self.velocity = update.velocity;
        self.location = update.location;
        self.orientation = update.orientation;
        self.appearance = update.appearance;
        self.parts = update.parts;
    }

    /// Its motion as the engine takes it; `None` while a number of it is not finite, or the entity is
    /// not within a hundred million metres of the centre of the earth.
    #[must_use]
    pub fn fields(&self) -> Option<DisFields> {
        let [psi, theta, phi] = self.orientation.map(f64::from);
        let fields = DisFields {
            position: self.location,
            orientation: quat_from_euler(psi, theta, phi),
            velocity: wide(self.velocity),
            acceleration: wide(self.reckoning.acceleration),
            angular_velocity: wide(self.reckoning.angular_velocity),
        };
        let numbers = [fields.velocity, fields.acceleration, fields.angular_velocity];
        let is_sound = self.location.length_squared() <= FARTHEST_M * FARTHEST_M
            && self.location.is_finite()
            && fields.orientation.is_finite()
            && numbers.into_iter().all(|it| it.length_squared() <= FASTEST * FASTEST);
        is_sound.then_some(fields)
    }

    /// Its algorithm; `None` where that is none of the standard's nine.
    #[must_use]
    pub fn algorithm(&self) -> Option<DisAlgorithm> {
        DisAlgorithm::from_number(self.reckoning.algorithm)
    }

    /// Whether it is not to be moved by others: bit 21 of platforms.
    #[must_use]
    pub const fn is_frozen(&self) -> bool {
        self.appearance >> 21 & 1 == 1
    }

    /// Whether it is no longer part of the exercise: bit 23.
    #[must_use]
    pub const fn is_deactivated(&self) -> bool {
        self.appearance >> 23 & 1 == 1
    }

    /// Whether it is destroyed: 3 in bits 3 and 4 of platforms.
    #[must_use]
    pub const fn is_destroyed(&self) -> bool {
        self.appearance >> 3 & 3 == 3
    }
}

/// Beyond the moon is no exercise.
const FARTHEST_M: f64 = 1e8;
/// Nothing moves, accelerates or turns faster in SI units than light.
const FASTEST: f64 = 3e8;

fn wide([x, y, z]: [f32; 3]) -> DVec3 {
    DVec3::new(x.into(), y.into(), z.into())
}

impl EntityUpdate {
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let id = EntityId::read(from)?;
        from.skip::<1>()?;
        let count = from.u8()?;
        Ok(Self {
            id,
            velocity: from.vector()?,
            location: from.location()?,
            orientation: from.vector()?,
            appearance: from.u32()?,
            parts: read_parts(from, count)?,
        })
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        self.id.write(to);
        to.put(&[0, count_parts(&self.parts)]);
        to.put_vector(self.velocity);
        to.put_location(self.location);
        to.put_vector(self.orientation);
        to.put_u32(self.appearance);
        write_parts(&self.parts, to);
    }
}
