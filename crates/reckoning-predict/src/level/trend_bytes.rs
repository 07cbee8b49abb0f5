//! A trend map as bytes.
//!
//! ```text
//!   "RTRM"  version 1   corner x, y and side as f64   root cell   CRC-32 of all before
//!   the same with version 2: between root cell and checksum, for each mode, error f32   count u32
//!   cell:   255, then its four quarters               or: number of modes, then the modes
//!   mode:   heading u16   acceleration 3 x f32   sightings u32        (little-endian)
//! ```

use alloc::vec::Vec;
use core::fmt;

use glam::DVec2;

use super::trend::{DEEPEST, Node, TrendMap, TrendMode};
use super::trend_error::{NotedErrors, put_errors};

const MAGIC: [u8; 4] = *b"RTRM";
const VERSION: u8 = 1;
/// The same with the errors that were noted of each mode.
const VERSION_WITH_ERRORS: u8 = 2;
const SPLIT: u8 = 255;
const MAX_MODES: u8 = 16;

/// Why bytes are not a trend map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrendMapError {
    /// They do not begin like one.
    NotATrendMap,
    /// They were written by another version.
    Version {
        /// The version they carry.
        got: u8,
    },
    /// They end too early.
    Truncated {
        /// Where the missing part should begin.
        offset: usize,
        /// How many bytes it should have.
        wanted: usize,
    },
    /// A number is out of its range.
    Value {
        /// Where it stands.
        offset: usize,
    },
    /// They go on after the end.
    TooLong {
        /// Where the end should be.
        offset: usize,
    },
    /// The checksum does not match: something before it was changed.
    Checksum {
        /// Its offset.
        offset: usize,
        /// The checksum in the bytes.
        stored: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
}

impl fmt::Display for TrendMapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATrendMap => f.write_str("byte 0: not a trend map"),
            Self::Version { got } => {
                write!(
                    f,
                    "byte 4: trend map version {got}; this reads {VERSION} and {VERSION_WITH_ERRORS}"
                )
            }
            Self::Truncated { offset, wanted } => {
                write!(f, "byte {offset}: the trend map ends, {wanted} more bytes expected")
            }
            Self::Value { offset } => write!(f, "byte {offset}: value out of range"),
            Self::TooLong { offset } => write!(f, "byte {offset}: the trend map should end here"),
            Self::Checksum { offset, stored, computed } => {
                write!(f, "byte {offset}: checksum {stored:08x} is not {computed:08x}")
            }
        }
    }
}

impl core::error::Error for TrendMapError {}

impl TrendMap {
    /// The map as bytes, to be kept with the level.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.push(if self.errors.is_empty() { VERSION } else { VERSION_WITH_ERRORS });
        for number in [self.corner.x, self.corner.y, self.side_m] {
            bytes.extend(number.to_le_bytes());
        }
        self.write_cell(0, &mut bytes);
        put_errors(&self.errors, &mut bytes);
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    fn write_cell(&self, node: usize, bytes: &mut Vec<u8>) {
        match self.nodes[node] {
            Node::Split(first) => {
                bytes.push(SPLIT);
                for quarter in 0..4 {
                    self.write_cell(first as usize + quarter, bytes);
                }
            }
            Node::Leaf(first, count) => {
                bytes.push(count);
                for mode in &self.modes[first as usize..][..usize::from(count)] {
                    bytes.extend(mode.heading.to_le_bytes());
                    mode.acceleration.iter().for_each(|a| bytes.extend(a.to_le_bytes()));
                    bytes.extend(mode.sightings.to_le_bytes());
                }
            }
        }
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// Anything else is refused with the place of the first byte that is wrong; nothing in
    /// `bytes` can make this panic or take more memory than a few times their length.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TrendMapError> {
        let mut reader = TrendReader { bytes, offset: 0 };
        if reader.take::<4>()? != MAGIC {
            return Err(TrendMapError::NotATrendMap);
        }
        let [got] = reader.take::<1>()?;
        if ![VERSION, VERSION_WITH_ERRORS].contains(&got) {
            return Err(TrendMapError::Version { got });
        }
        let corner = DVec2::new(reader.finite()?, reader.finite()?);
        let side_m = reader.finite()?;
        if side_m <= 0.0 {
            return Err(TrendMapError::Value { offset: reader.offset - 8 });
        }
        let nodes = alloc::vec![Node::Leaf(0, 0)];
        let mut map = Self { corner, side_m, nodes, modes: Vec::new(), errors: Vec::new() };
        map.read_cell(0, 0, &mut reader)?;
        if got == VERSION_WITH_ERRORS {
            let errors = (0..map.modes.len()).map(|_| reader.noted_errors());
            map.errors = errors.collect::<Result<_, _>>()?;
        }
        reader.end()?;
        Ok(map)
    }

    fn read_cell(
        &mut self,
        node: usize,
        depth: u32,
        reader: &mut TrendReader<'_>,
    ) -> Result<(), TrendMapError> {
        let offset = reader.offset;
        let [count] = reader.take::<1>()?;
        if count == SPLIT && depth < DEEPEST {
            let first = self.nodes.len();
            self.nodes[node] = Node::Split(first as u32);
            self.nodes.extend([Node::Leaf(0, 0); 4]);
            return (first..first + 4).try_for_each(|node| self.read_cell(node, depth + 1, reader));
        }
        if count > MAX_MODES {
            return Err(TrendMapError::Value { offset });
        }
        let first = self.modes.len() as u32;
        for _ in 0..count {
            self.modes.push(reader.mode()?);
        }
        self.nodes[node] = Node::Leaf(first, count);
        Ok(())
    }
}

struct TrendReader<'b> {
    bytes: &'b [u8],
    offset: usize,
}

impl TrendReader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], TrendMapError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let Some(taken) = rest.first_chunk::<N>() else {
            let wanted = N - rest.len();
            return Err(TrendMapError::Truncated { offset: self.bytes.len(), wanted });
        };
        self.offset += N;
        Ok(*taken)
    }

    fn finite(&mut self) -> Result<f64, TrendMapError> {
        let offset = self.offset;
        let number = f64::from_le_bytes(self.take()?);
        if number.is_finite() { Ok(number) } else { Err(TrendMapError::Value { offset }) }
    }

    fn mode(&mut self) -> Result<TrendMode, TrendMapError> {
        let heading = u16::from_le_bytes(self.take()?);
        let mut acceleration = [0.0; 3];
        for a in &mut acceleration {
            let offset = self.offset;
            *a = f32::from_le_bytes(self.take()?);
            if !a.is_finite() {
                return Err(TrendMapError::Value { offset });
            }
        }
        let sightings = u32::from_le_bytes(self.take()?);
        Ok(TrendMode { heading, acceleration, sightings })
    }

    fn noted_errors(&mut self) -> Result<NotedErrors, TrendMapError> {
        let offset = self.offset;
        let mean_m = f32::from_le_bytes(self.take()?);
        if !(mean_m >= 0.0 && mean_m.is_finite()) {
            return Err(TrendMapError::Value { offset });
        }
        Ok(NotedErrors { mean_m, count: u32::from_le_bytes(self.take()?) })
    }

    /// Checks the checksum and that nothing follows it.
    fn end(&mut self) -> Result<(), TrendMapError> {
        let offset = self.offset;
        let stored = u32::from_le_bytes(self.take()?);
        let computed = crc32fast::hash(&self.bytes[..offset]);
        if stored != computed {
            return Err(TrendMapError::Checksum { offset, stored, computed });
        }
        if self.offset < self.bytes.len() {
            return Err(TrendMapError::TooLong { offset: self.offset });
        }
        Ok(())
    }
}
