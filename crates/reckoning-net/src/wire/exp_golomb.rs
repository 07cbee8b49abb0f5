//! Exp-Golomb codes: whole numbers in as many bits as they need.
//!
//! Order `k` writes `v` as `u = v + 2^k`: as many zeros as `u` has binary digits beyond
//! `k + 1`, a one, then all digits of `u` but the first, the lowest first. Small numbers are
//! short; `k` says what counts as small.

use super::{BitReader, BitWriter, DecodeError};

/// The largest number: far above any count of steps, and `u` fits a word with room.
const MAX_DIGITS: u32 = 48;

/// Codes that are short as a rule, written a word at a time.
pub(crate) struct Codes<'o, 'a> {
    out: &'o mut BitWriter<'a>,
    /// Not written yet.
    held: u64,
    held_bits: u32,
}

impl<'o, 'a> Codes<'o, 'a> {
    pub(crate) const fn new(out: &'o mut BitWriter<'a>) -> Self {
        Self { out, held: 0, held_bits: 0 }
    }

    /// At most 56 bits, with nothing beyond them in `value`.
    #[inline]
    pub(crate) fn put(&mut self, value: u64, bits: u32) {
        if self.held_bits + bits > 56 {
            self.out.write_short(self.held, self.held_bits);
            (self.held, self.held_bits) = (0, 0);
        }
        self.held |= value << self.held_bits;
        self.held_bits += bits;
    }

    #[inline]
    pub(crate) fn put_count(&mut self, value: u64, order: u32) {
        let shifted = value + (1 << order);
        let digits = shifted.ilog2();
        debug_assert!(digits <= MAX_DIGITS);
        let zeros = digits - order;
        let low = shifted & ((1 << digits) - 1);
        if zeros + 1 + digits <= 56 {
            self.put((low << 1 | 1) << zeros, zeros + 1 + digits);
        } else {
            self.put(1 << zeros, zeros + 1);
            self.put(low, digits);
        }
    }

    pub(crate) fn finish(self) {
        self.out.write_short(self.held, self.held_bits);
    }
}

pub(crate) fn write_count(out: &mut BitWriter, value: u64, order: u32) {
    let mut codes = Codes::new(out);
    codes.put_count(value, order);
    codes.finish();
}

pub(crate) fn read_count(from: &mut BitReader, order: u32) -> Result<u64, DecodeError> {
    let zeros = from.peek().trailing_zeros();
    let digits = zeros + order;
    if digits > MAX_DIGITS {
        let left_bits = from.bits_left();
        // Zeros beyond the end look the same as zeros within it.
        return Err(if left_bits <= zeros as usize {
            DecodeError::TooShort { needed_bits: zeros as usize + 1, left_bits }
        } else {
            DecodeError::NumberTooLong
        });
    }
    from.skip(zeros + 1)?;
    let low = from.read_short(digits)?;
    Ok((1 << digits | low) - (1 << order))
}

/// Signed numbers as 0, -1, 1, -2, 2 and so on.
pub(crate) fn write_signed(out: &mut BitWriter, value: i64, order: u32) {
    write_count(out, ((value << 1) ^ (value >> 63)) as u64, order);
}

/// How many bits [`write_signed`] takes.
pub(crate) fn signed_bits(value: i64, order: u32) -> u32 {
    let shifted = (((value << 1) ^ (value >> 63)) as u64) + (1 << order);
    let digits = shifted.ilog2();
    2 * digits - order + 1
}

pub(crate) fn read_signed(from: &mut BitReader, order: u32) -> Result<i64, DecodeError> {
    let folded = read_count(from, order)?;
    // Below 2^49, so the sign stays free.
    let half = (folded >> 1).cast_signed();
    Ok(if folded & 1 == 0 { half } else { -1 - half })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_back_in_every_order() {
        for order in 0..12 {
            for value in (0..200).chain([1 << 20, (1 << 40) + 7, (1 << 47) - 1]) {
                let mut bytes = [0; 32];
                let mut out = BitWriter::new(&mut bytes);
                write_count(&mut out, value, order);
                write_signed(&mut out, -value.cast_signed() / 2, order);
                let length = out.finish().unwrap();
                let mut from = BitReader::new(&bytes[..length]);
                assert_eq!(read_count(&mut from, order), Ok(value));
                assert_eq!(read_signed(&mut from, order), Ok(-value.cast_signed() / 2));
            }
        }
    }

    #[test]
    fn a_code_without_an_end_is_refused() {
        assert!(matches!(
            read_count(&mut BitReader::new(&[0; 3]), 0),
            Err(DecodeError::TooShort { .. })
        ));
        assert_eq!(read_count(&mut BitReader::new(&[0; 30]), 0), Err(DecodeError::NumberTooLong));
    }
}
