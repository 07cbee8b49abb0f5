//! A model as bytes, and what can be wrong with them.
//!
//! ```text
//!   "RLRN"  version 2   framing u8   terms u8   hidden 2 x u8   inputs u8   act width u8   acts u16
//!   time constants, unit, fade in seconds as f64   rounding steps as f32
//!   input:  feature u8   mean, scale, low, high as f32
//!   numbers of the acts, weights and biases as f32   CRC-32 of all before    (little-endian)
//! ```
//!
//! The length of the file follows from the head and is checked before anything else is read.

use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use super::{Framing, LearnedInput, LearnedModel, LearnedParts};
use reckoning::CurveBasis;
use reckoning::error::ModelError;

const MAGIC: [u8; 4] = *b"RLRN";
const VERSION: u8 = 2;
/// Bytes up to the time constants.
const HEAD: usize = 13;

/// Why something is not a learned model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LearnedError {
    /// The bytes do not begin like one.
    NotAModel,
    /// They were written by another version.
    Version {
        /// The version they carry.
        got: u8,
    },
    /// There are too few or too many of them.
    Size {
        /// How many there are.
        got: usize,
        /// How many the head asks for.
        wanted: usize,
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
    /// A byte of the head has no meaning.
    Code {
        /// Its offset.
        offset: usize,
        /// Its value.
        got: u8,
    },
    /// The time constants cannot be.
    Basis(ModelError),
    /// There are too few or too many of something.
    Count {
        /// Of what.
        what: &'static str,
        /// How many.
        got: usize,
        /// At least this many.
        min: usize,
        /// At most this many.
        max: usize,
    },
    /// A number is NaN or infinite.
    NotFinite {
        /// Which.
        what: &'static str,
        /// Its value.
        got: f64,
    },
    /// A number is out of its range.
    Value {
        /// Which.
        what: &'static str,
        /// Its value.
        got: f64,
    },
}

impl fmt::Display for LearnedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAModel => f.write_str("byte 0: not a learned model"),
            Self::Version { got } => {
                write!(
                    f,
                    "byte 4: learned model version {got}; this reads {VERSION}, train it anew"
                )
            }
            Self::Size { got, wanted } => {
                write!(
                    f,
                    "a learned model of {got} bytes that should have {wanted}; fetch it again"
                )
            }
            Self::Checksum { offset, stored, computed } => {
                write!(f, "byte {offset}: checksum {stored:08x} is not {computed:08x}")
            }
            Self::Code { offset, got } => write!(f, "byte {offset}: {got} means nothing here"),
            Self::Basis(error) => error.fmt(f),
            Self::Count { what, got, min, max } => {
                write!(f, "{got} {what} in a learned model; {min} to {max} fit")
            }
            Self::NotFinite { what, got } => write!(f, "{what} {got} is not finite"),
            Self::Value { what, got } => write!(f, "{what} {got} is out of range"),
        }
    }
}

impl core::error::Error for LearnedError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Basis(error) => Some(error),
            _ => None,
        }
    }
}

impl LearnedModel {
    /// The model as bytes, to be shipped with the game.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = &self.parts;
        let mut bytes = MAGIC.to_vec();
        let framing = Framing::ALL.iter().position(|it| *it == parts.framing).unwrap_or(0);
        bytes.extend([VERSION, framing as u8, parts.basis.tau_s().len() as u8]);
        bytes.extend(parts.hidden);
        bytes.extend([parts.inputs.len() as u8, parts.act_width]);
        let acts = parts.acts.len() / usize::from(parts.act_width.max(1));
        bytes.extend((acts as u16).to_le_bytes());
        let doubles = parts.basis.tau_s().iter().chain([&parts.unit_m]);
        doubles.for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend(parts.fade.as_secs_f64().to_le_bytes());
        parts.steps_mps.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        for input in &parts.inputs {
            bytes.push(input.feature);
            let numbers = [input.mean, input.scale, input.low, input.high];
            bytes.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
        }
        let lists = core::iter::once(&parts.acts).chain(&parts.weights).chain(&parts.biases);
        lists.flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// Anything else is refused, with what is wrong and where; nothing in `bytes` can make
    /// this panic or take more memory than a few times their length.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LearnedError> {
        let head = Head::of(bytes)?;
        let offset = bytes.len() - 4;
        let mut end = LearnedReader(&bytes[offset..]);
        let (stored, computed) =
            (u32::from_le_bytes(end.take()), crc32fast::hash(&bytes[..offset]));
        if stored != computed {
            return Err(LearnedError::Checksum { offset, stored, computed });
        }
        let mut reader = LearnedReader(&bytes[HEAD..]);
        let mut tau_s = [0.0; 4];
        tau_s[..head.terms].iter_mut().for_each(|tau| *tau = reader.double());
        let basis = CurveBasis::new(&tau_s[..head.terms]).map_err(LearnedError::Basis)?;
        let unit_m = reader.double();
        let fade_s = reader.double();
        // Whole nanoseconds, or it would be written otherwise than it was read.
        let fade = Duration::try_from_secs_f64(fade_s)
            .ok()
            .filter(|fade| fade.as_secs_f64().to_bits() == fade_s.to_bits())
            .ok_or(LearnedError::Value { what: "fade", got: fade_s })?;
        let steps_mps = reader.floats(head.terms);
        let inputs = (0..head.inputs).map(|_| reader.input()).collect();
        let acts = reader.floats(head.acts * usize::from(head.act_width));
        let weights = head.weights().map(|count| reader.floats(count));
        let biases = head.biases().map(|count| reader.floats(count));
        Self::new(LearnedParts {
            framing: head.framing,
            basis,
            unit_m,
            fade,
            steps_mps,
            inputs,
            act_width: head.act_width,
            acts,
            hidden: head.hidden,
            weights,
            biases,
        })
    }
}

/// The counts at the beginning, from which the length follows.
struct Head {
    framing: Framing,
    terms: usize,
    hidden: [u8; 2],
    inputs: usize,
    act_width: u8,
    acts: usize,
}

impl Head {
    /// Reads the head and checks that the file has the length that follows from it.
    fn of(bytes: &[u8]) -> Result<Self, LearnedError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(LearnedError::NotAModel);
        }
        let Some(&[_, _, _, _, version, framing, terms, h1, h2, inputs, act_width, a, b]) =
            bytes.first_chunk::<HEAD>()
        else {
            return Err(LearnedError::Size { got: bytes.len(), wanted: HEAD });
        };
        if version != VERSION {
            return Err(LearnedError::Version { got: version });
        }
        let code = Framing::ALL.get(usize::from(framing)).copied();
        let framing = code.ok_or(LearnedError::Code { offset: 5, got: framing })?;
        if !(3..=4).contains(&terms) {
            return Err(LearnedError::Code { offset: 6, got: terms });
        }
        let head = Self {
            framing,
            terms: usize::from(terms),
            hidden: [h1, h2],
            inputs: usize::from(inputs),
            act_width,
            acts: usize::from(u16::from_le_bytes([a, b])),
        };
        if act_width == 0 && head.acts > 0 {
            let (what, got) = ("action states without numbers", head.acts);
            return Err(LearnedError::Count { what, got, min: 0, max: 0 });
        }
        let wanted = head.bytes();
        if bytes.len() != wanted {
            return Err(LearnedError::Size { got: bytes.len(), wanted });
        }
        Ok(head)
    }

    fn wide(&self) -> usize {
        self.inputs + usize::from(self.act_width)
    }

    fn outputs(&self) -> usize {
        self.framing.axes() * self.terms
    }

    fn weights(&self) -> [usize; 4] {
        let [first, second] = self.hidden.map(usize::from);
        let out = self.outputs();
        [self.wide() * first, first * second, second * out, self.wide() * out]
    }

    fn biases(&self) -> [usize; 3] {
        let [first, second] = self.hidden.map(usize::from);
        [first, second, self.outputs()]
    }

    fn bytes(&self) -> usize {
        let weights: usize = self.weights().iter().chain(&self.biases()).sum();
        let floats = self.terms + self.acts * usize::from(self.act_width) + weights;
        HEAD + 8 * (self.terms + 2) + 17 * self.inputs + 4 * floats + 4
    }
}

/// Reads on; the length was checked, and missing bytes would read as zero.
struct LearnedReader<'b>(&'b [u8]);

impl LearnedReader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((taken, rest)) = self.0.split_first_chunk::<N>() else { return [0; N] };
        self.0 = rest;
        *taken
    }

    fn double(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    fn float(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.float()).collect()
    }

    fn input(&mut self) -> LearnedInput {
        let [feature] = self.take();
        LearnedInput {
            feature,
            mean: self.float(),
            scale: self.float(),
            low: self.float(),
            high: self.float(),
        }
    }
}
