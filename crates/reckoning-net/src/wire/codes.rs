//! Codes of an update's numbers: static priors, told with the format.
//!
//! Every number of a body is off what the receiver foresees, and written with an Exp-Golomb code.
//! The order of that code is the prior: it says how large such a number usually is. Orders are
//! trained by the lab on recordings (`reckon lab frontier --decompose`), one set for each model of a
//! [`Format`](super::Format), and travel with it. Nothing adapts, so that there is no state to
//! lose, and the bits of a body are the same to everyone who has its baseline.

use super::{BitReader, BitWriter, DecodeError, FormatError};

/// Bits of an order on the wire.
const ORDER_BITS: u32 = 4;
/// Orders of a set.
const ORDERS: usize = 10;

/// Orders of the codes of an update that follows one model.
///
/// Order `k` is best for numbers that are spread over about `2^k` steps; a wrong one costs bits
/// and nothing else. The default is for steps of a thirtieth of the threshold, and for velocities of a quarter
/// of it a second; for coarser ones see [`COARSE`](Self::COARSE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Codes {
    /// Ticks from the update's stamp to the datagram's. Default: 4.
    pub age: u8,
    /// Position off what the baseline's model foresees. Default: 5.
    pub position: u8,
    /// Velocity off what the baseline and the way there say. Default: 3.
    pub velocity: u8,
    /// Coefficients of curves off what is left of the baseline's. Default: 4.
    pub term: u8,
    /// The last coefficient, where it is what the others leave of the velocity. Default: 0.
    pub closing: u8,
    /// Acceleration. Default: 4.
    pub acceleration: u8,
    /// Orientation off what is foreseen. Default: 3.
    pub turn: u8,
    /// Angular velocity off the baseline's. Default: 3.
    pub spin: u8,
    /// Position without a baseline. Default: 10.
    pub whole_position: u8,
    /// Velocity without a baseline. Default: 5.
    pub whole_velocity: u8,
    /// Whether most bodies are turned otherwise than foreseen. Default: `false`.
    pub turning: bool,
}

impl Default for Codes {
    fn default() -> Self {
        Self::from_numbers([4, 5, 3, 4, 0, 4, 3, 3, 10, 5, 0])
    }
}

impl Codes {
    /// For the grid that [`Format::new`](super::Format::new) recommends, and stamps about 250 times a
    /// second: what is best for aimed lines and learned curves of all the lab's recordings.
    pub const COARSE: Self = Self::from_numbers([3, 2, 1, 3, 0, 3, 3, 3, 7, 2, 0]);
    /// How many numbers a set is.
    pub const NUMBERS: usize = ORDERS + 1;
    /// The highest order that travels.
    pub const MAX_ORDER: u8 = 15;

    /// All of it as numbers, in the order of the fields; the last is 1 or 0.
    #[must_use]
    pub const fn numbers(&self) -> [u8; Self::NUMBERS] {
        [
            self.age,
            self.position,
            self.velocity,
            self.term,
            self.closing,
            self.acceleration,
            self.turn,
            self.spin,
            self.whole_position,
            self.whole_velocity,
            self.turning as u8,
        ]
    }

    /// From its [`numbers`](Self::numbers).
    #[must_use]
    pub const fn from_numbers(numbers: [u8; Self::NUMBERS]) -> Self {
        let [age, position, velocity, term, closing, acceleration, turn, spin, rest @ ..] = numbers;
        let [whole_position, whole_velocity, turning] = rest;
        Self {
            age,
            position,
            velocity,
            term,
            closing,
            acceleration,
            turn,
            spin,
            whole_position,
            whole_velocity,
            turning: turning != 0,
        }
    }

    pub(crate) fn orders(&self) -> impl Iterator<Item = u8> {
        self.numbers().into_iter().take(ORDERS)
    }

    /// Refuses an order that cannot be told.
    ///
    /// # Errors
    /// Names the first one above [`MAX_ORDER`](Self::MAX_ORDER).
    pub fn validate(&self) -> Result<(), FormatError> {
        match self.orders().find(|&order| order > Self::MAX_ORDER) {
            Some(got) => Err(FormatError::CodeOrder { got }),
            None => Ok(()),
        }
    }

    /// A bit for the default.
    pub(super) fn write(&self, out: &mut BitWriter) {
        let told = *self != Self::default();
        out.write_bit(told);
        if told {
            self.orders().for_each(|order| out.write(u64::from(order), ORDER_BITS));
            out.write_bit(self.turning);
        }
    }

    pub(super) fn read(from: &mut BitReader) -> Result<Self, DecodeError> {
        if !from.read_bit()? {
            return Ok(Self::default());
        }
        let mut numbers = [0; Self::NUMBERS];
        for order in &mut numbers[..ORDERS] {
            *order = from.read(ORDER_BITS)? as u8;
        }
        numbers[ORDERS] = u8::from(from.read_bit()?);
        Ok(Self::from_numbers(numbers))
    }
}
