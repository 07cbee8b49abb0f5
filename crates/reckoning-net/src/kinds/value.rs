//! Values of properties, and how they travel: a mask, then the values it names.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::properties::{PropertyId, PropertyType, Schema};
use crate::wire::{BitReader, BitWriter, EntityId};

/// The longest text, and the most bytes, that a value is.
pub const MAX_VALUE_BYTES: usize = 255;
/// The most bytes of values in one message; those of any one property fit, and the smallest
/// datagram carries them.
pub(crate) const MAX_VALUES_BYTES: usize = 300;

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PropertyValue {
    /// Of [`PropertyType::Bool`].
    Bool(bool),
    /// Of [`PropertyType::U8`].
    U8(u8),
    /// Of [`PropertyType::U16`].
    U16(u16),
    /// Of [`PropertyType::U32`].
    U32(u32),
    /// Of [`PropertyType::I32`].
    I32(i32),
    /// Of [`PropertyType::F32`].
    F32(f32),
    /// Of [`PropertyType::Text`].
    Text(Box<str>),
    /// Of [`PropertyType::Bytes`].
    Bytes(Box<[u8]>),
}

macro_rules! from {
    ($($from:ty => $variant:ident),*) => {
        $(impl From<$from> for PropertyValue {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        })*
    };
}
from!(bool => Bool, u8 => U8, u16 => U16, u32 => U32, i32 => I32, f32 => F32, &str => Text, &[u8] => Bytes);

impl PropertyValue {
    /// What it is.
    #[must_use]
    pub const fn property_type(&self) -> PropertyType {
        match self {
            Self::Bool(_) => PropertyType::Bool,
            Self::U8(_) => PropertyType::U8,
            Self::U16(_) => PropertyType::U16,
            Self::U32(_) => PropertyType::U32,
            Self::I32(_) => PropertyType::I32,
            Self::F32(_) => PropertyType::F32,
            Self::Text(_) => PropertyType::Text,
            Self::Bytes(_) => PropertyType::Bytes,
        }
    }

    /// Validates it for a property.
    pub(crate) fn check(&self, schema: &Schema, id: PropertyId) -> Result<(), PropertyError> {
        let property = schema.get(id).ok_or(PropertyError::UnknownProperty { property: id })?;
        let (expected, got) = (property.value, self.property_type());
        if expected != got {
            return Err(PropertyError::Type { expected, got });
        }
        match self {
            Self::Text(text) if text.len() > MAX_VALUE_BYTES => {
                Err(PropertyError::TooLong { got_bytes: text.len() })
            }
            Self::Bytes(bytes) if bytes.len() > MAX_VALUE_BYTES => {
                Err(PropertyError::TooLong { got_bytes: bytes.len() })
            }
            Self::F32(number) if !number.is_finite() => Err(PropertyError::NotFinite),
            _ => Ok(()),
        }
    }

    fn write(&self, out: &mut BitWriter) {
        match self {
            Self::Bool(value) => out.write_bit(*value),
            Self::U8(value) => out.write(u64::from(*value), 8),
            Self::U16(value) => out.write(u64::from(*value), 16),
            Self::U32(value) => out.write(u64::from(*value), 32),
            Self::I32(value) => out.write(u64::from(value.cast_unsigned()), 32),
            Self::F32(value) => out.write(u64::from(value.to_bits()), 32),
            Self::Text(text) => write_bytes(out, text.as_bytes()),
            Self::Bytes(bytes) => write_bytes(out, bytes),
        }
    }

    fn read(from: &mut BitReader, value: PropertyType) -> Option<Self> {
        Some(match value {
            PropertyType::Bool => Self::Bool(from.read_bit().ok()?),
            PropertyType::U8 => Self::U8(from.read(8).ok()? as u8),
            PropertyType::U16 => Self::U16(from.read(16).ok()? as u16),
            PropertyType::U32 => Self::U32(from.read(32).ok()? as u32),
            PropertyType::I32 => Self::I32((from.read(32).ok()? as u32).cast_signed()),
            PropertyType::F32 => {
                let number = f32::from_bits(from.read(32).ok()? as u32);
                Self::F32(Some(number).filter(|it| it.is_finite())?)
            }
            PropertyType::Text => Self::Text(core::str::from_utf8(read_bytes(from)?).ok()?.into()),
            PropertyType::Bytes => Self::Bytes(read_bytes(from)?.into()),
        })
    }
}

fn write_bytes(out: &mut BitWriter, bytes: &[u8]) {
    out.write(bytes.len() as u64, 8);
    out.write_bytes(bytes);
}

fn read_bytes<'a>(from: &mut BitReader<'a>) -> Option<&'a [u8]> {
    let count = from.read(8).ok()?;
    from.read_bytes(count as usize).ok()
}

/// Bytes of values, of as many of the properties in `mask` as fit, and which those are. Of at
/// least one, if any of them has a value.
pub(crate) fn encode_values<'a>(
    schema: &Schema,
    mask: u32,
    value_of: impl Fn(PropertyId) -> Option<&'a PropertyValue>,
) -> (u32, Vec<u8>) {
    let known = |mask: u32| {
        let ids = (0..schema.len() as u8).map(PropertyId).filter(move |id| mask & id.bit() != 0);
        ids.filter_map(|id| Some((id, value_of(id)?)))
    };
    let (mut chosen, mut bits) = (0, schema.len());
    for (id, value) in known(mask) {
        bits += max_bits(value);
        if bits.div_ceil(8) > MAX_VALUES_BYTES {
            break;
        }
        chosen |= id.bit();
    }
    let mut buffer = [0; MAX_VALUES_BYTES];
    let mut out = BitWriter::new(&mut buffer);
    out.write(u64::from(chosen), schema.len() as u32);
    known(chosen).for_each(|(_, value)| value.write(&mut out));
    let length = out.finish().unwrap_or(0);
    (chosen, buffer[..length].to_vec())
}

/// Room that a value takes, wherever it begins.
fn max_bits(value: &PropertyValue) -> usize {
    match value {
        PropertyValue::Bool(_) => 1,
        PropertyValue::U8(_) => 8,
        PropertyValue::U16(_) => 16,
        PropertyValue::U32(_) | PropertyValue::I32(_) | PropertyValue::F32(_) => 32,
        PropertyValue::Text(text) => 15 + 8 * text.len(),
        PropertyValue::Bytes(bytes) => 15 + 8 * bytes.len(),
    }
}

/// The values in bytes; `None` for what does not follow the schema to its end.
pub(crate) fn decode_values(
    schema: &Schema,
    bytes: &[u8],
) -> Option<Vec<(PropertyId, PropertyValue)>> {
    let mut from = BitReader::new(bytes);
    let mask = from.read(schema.len() as u32).ok()? as u32;
    let named = (0..schema.len() as u8).map(PropertyId).filter(|id| mask & id.bit() != 0);
    let read = |id| Some((id, PropertyValue::read(&mut from, schema.get(id)?.value)?));
    let values = named.map(read).collect::<Option<Vec<_>>>()?;
    // Nothing follows but what fills up the last byte.
    let left = from.bits_left();
    (left < 8 && from.peek() == 0).then_some(values)
}

/// Why a property was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PropertyError {
    /// There is no such entity.
    UnknownEntity {
        /// The entity.
        entity: EntityId,
    },
    /// The property was not declared.
    UnknownProperty {
        /// The property.
        property: PropertyId,
    },
    /// Its values are something else.
    Type {
        /// What they are.
        expected: PropertyType,
        /// What was given.
        got: PropertyType,
    },
    /// The value is longer than [`MAX_VALUE_BYTES`].
    TooLong {
        /// Its length.
        got_bytes: usize,
    },
    /// The number is not finite.
    NotFinite,
    /// Somebody else owns the entity.
    NotOwner {
        /// The entity.
        entity: EntityId,
    },
    /// Only the host sets it: see [`Writer`](crate::Writer).
    HostOnly {
        /// The property.
        property: PropertyId,
    },
}

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownEntity { entity: EntityId(id) } => {
                write!(f, "there is no entity {id}; has it been despawned?")
            }
            Self::UnknownProperty { property: PropertyId(number) } => {
                write!(f, "property {number} was not declared; declare it with the host's kinds")
            }
            Self::Type { expected, got } => {
                write!(f, "a value of {got:?} for a property of {expected:?}; convert it")
            }
            Self::TooLong { got_bytes } => write!(
                f,
                "a value of {got_bytes} bytes is longer than {MAX_VALUE_BYTES}; send a message"
            ),
            Self::NotFinite => f.write_str("a number that is not finite; set one that is"),
            Self::NotOwner { entity: EntityId(id) } => {
                write!(f, "somebody else owns entity {id}; ask the host to set it")
            }
            Self::HostOnly { property: PropertyId(number) } => write!(
                f,
                "only the host sets property {number}; declare it with Writer::Owner, or ask"
            ),
        }
    }
}

impl core::error::Error for PropertyError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{Kinds, Seen};

    fn kinds() -> Kinds {
        let mut kinds = Kinds::default();
        for (name, value) in [
            ("a", PropertyType::Bool),
            ("b", PropertyType::U8),
            ("c", PropertyType::Text),
            ("d", PropertyType::I32),
            ("e", PropertyType::Bytes),
            ("f", PropertyType::F32),
            ("g", PropertyType::U16),
            ("h", PropertyType::U32),
        ] {
            kinds.property(name, value, Seen::ByAll).unwrap();
        }
        kinds
    }

    fn values() -> [PropertyValue; 8] {
        let text = "grüß dich";
        let bytes: &[u8] = &[7; MAX_VALUE_BYTES];
        [
            true.into(),
            200_u8.into(),
            text.into(),
            (-5_i32).into(),
            bytes.into(),
            1.5_f32.into(),
            40_000_u16.into(),
            u32::MAX.into(),
        ]
    }

    #[test]
    fn every_choice_of_values_comes_back() {
        let (kinds, values) = (kinds(), values());
        for mask in 0..=255 {
            let value_of = |id: PropertyId| values.get(usize::from(id.0));
            let (written, bytes) = encode_values(&kinds.schema, mask, value_of);
            assert_eq!(written, mask, "all fit");
            let read = decode_values(&kinds.schema, &bytes).unwrap();
            assert_eq!(read.iter().fold(0, |mask, (id, _)| mask | id.bit()), mask);
            assert!(read.iter().all(|(id, value)| values[usize::from(id.0)] == *value));
        }
    }

    #[test]
    fn what_does_not_fit_waits_and_what_is_cut_or_goes_on_is_refused() {
        let mut kinds = Kinds::default();
        for name in ["a", "b"] {
            kinds.property(name, PropertyType::Bytes, Seen::ByAll).unwrap();
        }
        let long: &[u8] = &[1; 200];
        let value = long.into();
        let (written, mut bytes) = encode_values(&kinds.schema, 0b11, |_| Some(&value));
        assert_eq!(written, 0b01);
        assert!((0..bytes.len()).all(|end| decode_values(&kinds.schema, &bytes[..end]).is_none()));
        bytes.push(0);
        assert_eq!(decode_values(&kinds.schema, &bytes), None);
    }

    #[test]
    fn only_values_of_the_declared_type_are_sound() {
        let (kinds, values) = (kinds(), values());
        for (number, value) in (0..).zip(&values) {
            for other in 0..8 {
                let sound = value.check(&kinds.schema, PropertyId(other)).is_ok();
                assert_eq!(sound, other == number);
            }
        }
        let (id, long): (_, &[u8]) = (PropertyId(4), &[0; MAX_VALUE_BYTES + 1]);
        assert!(PropertyValue::from(long).check(&kinds.schema, id).is_err());
        assert!(PropertyValue::from(f32::NAN).check(&kinds.schema, PropertyId(5)).is_err());
        assert!(PropertyValue::from(true).check(&kinds.schema, PropertyId(8)).is_err());
    }
}
