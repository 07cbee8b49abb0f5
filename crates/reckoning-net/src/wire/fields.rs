//! Which field of an update takes how many bits.

use super::bits::BitWriter;
use super::packet::PacketReader;
use super::{Format, UpdateBody};

/// A field of an update's body, in the order of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpdateField {
    /// What sort of update it is, its model, and how often the body was put elsewhere.
    Model,
    /// The moment it describes.
    Stamp,
    /// Where the body is.
    Position,
    /// How fast it is.
    Velocity,
    /// The terms of a curve.
    Curve,
    /// How its velocity changes.
    Acceleration,
    /// How it stands, and how fast it turns.
    Turning,
    /// Where it is on its path, and how fast along it.
    Ride,
}

impl UpdateField {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Model,
        Self::Stamp,
        Self::Position,
        Self::Velocity,
        Self::Curve,
        Self::Acceleration,
        Self::Turning,
        Self::Ride,
    ];

    /// Its name, as tables have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Stamp => "stamp",
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Curve => "curve",
            Self::Acceleration => "acceleration",
            Self::Turning => "turning",
            Self::Ride => "ride",
        }
    }
}

/// Bits by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldBits([u32; UpdateField::ALL.len()]);

impl FieldBits {
    /// Bits of one field.
    #[must_use]
    pub const fn of(&self, field: UpdateField) -> u32 {
        self.0[field as usize]
    }

    /// Bits of all fields.
    #[must_use]
    pub fn sum(&self) -> u32 {
        self.0.iter().sum()
    }
}

/// More than the longest body takes.
const BODY_BYTES: usize = 256;

impl PacketReader<'_> {
    /// What each field of an update takes that was read from this datagram: it is written once more,
    /// by the code that wrote it. What a message takes besides says whose update it is and against
    /// which other one.
    #[must_use]
    pub fn bits_by_field(&self, format: &Format, body: &UpdateBody) -> FieldBits {
        let mut bytes = [0; BODY_BYTES];
        let mut out = BitWriter::new(&mut bytes);
        let (mut bits, mut before) = (FieldBits::default(), 0);
        body.write_noting(&mut out, format, self.near_tick(format), &mut |field, now| {
            bits.0[field as usize] += (now - before) as u32;
            before = now;
        });
        bits
    }
}
