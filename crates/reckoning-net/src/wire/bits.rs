//! Bit streams over byte buffers, the lowest bit of a byte first.
//!
//! Neither side can run over its end: a writer that is full remembers it and writes no
//! more, a reader that is empty returns an error.

use super::DecodeError;

/// Writes numbers of any width into a byte buffer.
#[derive(Debug)]
pub struct BitWriter<'a> {
    out: &'a mut [u8],
    /// Whole bytes written.
    at: usize,
    /// Bits that do not fill a byte yet, the lowest first.
    held: u64,
    held_bits: u32,
    full: bool,
}

/// A place in a [`BitWriter`] to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    at: usize,
    held: u64,
    held_bits: u32,
    full: bool,
}

impl<'a> BitWriter<'a> {
    /// Writes into `out` from its beginning.
    #[must_use]
    pub const fn new(out: &'a mut [u8]) -> Self {
        Self { out, at: 0, held: 0, held_bits: 0, full: false }
    }

    /// Writes the lowest `bits` bits of `value`; at most 64.
    pub fn write(&mut self, value: u64, bits: u32) {
        if bits > 32 {
            self.write_short(value & 0xffff_ffff, 32);
            self.write_short(value >> 32, bits - 32);
        } else {
            self.write_short(value, bits);
        }
    }

    /// Writes one bit.
    pub fn write_bit(&mut self, bit: bool) {
        self.write_short(u64::from(bit), 1);
    }

    /// At most 56 bits, which with the seven held at most fit a word.
    pub(crate) fn write_short(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= 56);
        if self.full {
            return;
        }
        self.held |= (value & ((1 << bits) - 1)) << self.held_bits;
        self.held_bits += bits;
        let whole = (self.held_bits / 8) as usize;
        if let Some(room) = self.out.get_mut(self.at..self.at + 8) {
            room.copy_from_slice(&self.held.to_le_bytes());
        } else if let Some(room) = self.out.get_mut(self.at..self.at + whole) {
            room.copy_from_slice(&self.held.to_le_bytes()[..whole]);
        } else {
            self.full = true;
            return;
        }
        self.at += whole;
        self.held >>= 8 * whole;
        self.held_bits %= 8;
    }

    /// Fills up the current byte with zeros and writes `bytes`.
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        self.write_short(0, (8 - self.held_bits % 8) % 8);
        match self.out.get_mut(self.at..self.at + bytes.len()) {
            Some(room) if !self.full => {
                room.copy_from_slice(bytes);
                self.at += bytes.len();
            }
            _ => self.full = true,
        }
    }

    /// Where it stands now.
    #[must_use]
    pub const fn mark(&self) -> Mark {
        Mark { at: self.at, held: self.held, held_bits: self.held_bits, full: self.full }
    }

    /// Forgets everything written since `mark` was taken.
    pub fn rewind(&mut self, mark: Mark) {
        (self.at, self.held, self.held_bits) = (mark.at, mark.held, mark.held_bits);
        self.full = mark.full;
    }

    /// Bits written so far.
    #[must_use]
    pub const fn bits(&self) -> usize {
        self.at * 8 + self.held_bits as usize
    }

    /// Whether everything written fits the buffer, the unfinished byte included.
    #[must_use]
    pub const fn fits(&self) -> bool {
        !self.full && (self.held_bits == 0 || self.at < self.out.len())
    }

    /// Fills up the last byte with zeros; gives the number of bytes written, or `None`
    /// where not everything fitted.
    #[must_use]
    pub fn finish(mut self) -> Option<usize> {
        self.write_short(0, (8 - self.held_bits % 8) % 8);
        (!self.full).then_some(self.at)
    }
}

/// Reads numbers of any width from bytes.
#[derive(Clone, Copy, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    at_bit: usize,
}

impl<'a> BitReader<'a> {
    /// Reads `bytes` from their beginning.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at_bit: 0 }
    }

    /// Bits not read yet.
    #[must_use]
    pub const fn bits_left(&self) -> usize {
        self.bytes.len() * 8 - self.at_bit
    }

    /// Reads a number of `bits` bits; at most 64.
    ///
    /// # Errors
    /// [`DecodeError::TooShort`] where fewer are left.
    pub fn read(&mut self, bits: u32) -> Result<u64, DecodeError> {
        if bits > 32 {
            let low = self.read_short(32)?;
            return Ok(low | self.read_short(bits - 32)? << 32);
        }
        self.read_short(bits)
    }

    /// Reads one bit.
    ///
    /// # Errors
    /// [`DecodeError::TooShort`] where none is left.
    pub fn read_bit(&mut self) -> Result<bool, DecodeError> {
        Ok(self.read_short(1)? == 1)
    }

    /// At most 56 bits.
    pub(crate) fn read_short(&mut self, bits: u32) -> Result<u64, DecodeError> {
        let value = self.peek() & ((1 << bits) - 1);
        self.skip(bits)?;
        Ok(value)
    }

    /// The next bits without taking them: at least 57, zeros beyond the end.
    pub(crate) fn peek(&self) -> u64 {
        let at = self.at_bit / 8;
        let word = if let Some(&word) = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            word
        } else {
            let mut word = [0; 8];
            let rest = self.bytes.get(at..).unwrap_or_default();
            word[..rest.len()].copy_from_slice(rest);
            word
        };
        u64::from_le_bytes(word) >> (self.at_bit % 8)
    }

    pub(crate) fn skip(&mut self, bits: u32) -> Result<(), DecodeError> {
        let needed_bits = bits as usize;
        if self.bits_left() < needed_bits {
            return Err(DecodeError::TooShort { needed_bits, left_bits: self.bits_left() });
        }
        self.at_bit += needed_bits;
        Ok(())
    }

    /// Skips to the next whole byte and takes `count` bytes.
    ///
    /// # Errors
    /// [`DecodeError::TooShort`] where fewer are left, [`DecodeError::Padding`] where the
    /// skipped bits are not zero.
    pub fn read_bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        self.align()?;
        let at = self.at_bit / 8;
        let Some(bytes) = self.bytes.get(at..at + count) else {
            let left_bits = self.bits_left();
            return Err(DecodeError::TooShort { needed_bits: count * 8, left_bits });
        };
        self.at_bit += count * 8;
        Ok(bytes)
    }

    /// Skips to the next whole byte.
    fn align(&mut self) -> Result<(), DecodeError> {
        let bits = (8 - self.at_bit % 8) % 8;
        if self.read_short(bits as u32)? != 0 {
            return Err(DecodeError::Padding);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_width_come_back() {
        let mut bytes = [0xff; 64];
        let mut out = BitWriter::new(&mut bytes);
        for bits in 1..=64 {
            if out.bits() + bits as usize > 500 {
                break;
            }
            out.write(0xdead_beef_1234_5678_u64.rotate_left(bits), bits);
        }
        let used = out.bits();
        let length = out.finish().unwrap();
        assert_eq!(length, used.div_ceil(8));
        let mut from = BitReader::new(&bytes[..length]);
        let mut read = 0;
        for bits in 1..=64 {
            if read + bits as usize > 500 {
                break;
            }
            let expected = 0xdead_beef_1234_5678_u64.rotate_left(bits);
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            assert_eq!(from.read(bits).unwrap(), expected & mask, "{bits} bits");
            read += bits as usize;
        }
    }

    #[test]
    fn the_lowest_bit_of_a_byte_comes_first() {
        let mut bytes = [0; 2];
        let mut out = BitWriter::new(&mut bytes);
        out.write_bit(true);
        out.write(0b10, 2);
        out.write(0x7f, 7);
        assert_eq!(out.finish(), Some(2));
        assert_eq!(bytes, [0b1111_1101, 0b0000_0011]);
    }

    #[test]
    fn a_full_writer_says_so_and_can_go_back() {
        let mut bytes = [0; 3];
        let mut out = BitWriter::new(&mut bytes);
        out.write(0x1234, 16);
        let mark = out.mark();
        out.write(0xfff, 12);
        assert!(!out.fits());
        out.rewind(mark);
        out.write(0x56, 8);
        assert!(out.fits());
        assert_eq!(out.finish(), Some(3));
        assert_eq!(bytes, [0x34, 0x12, 0x56]);
    }

    #[test]
    fn an_empty_reader_says_so() {
        let mut from = BitReader::new(&[0xff]);
        assert_eq!(from.read(7), Ok(0x7f));
        assert_eq!(from.read(2), Err(DecodeError::TooShort { needed_bits: 2, left_bits: 1 }));
        assert!(from.read_bytes(0).is_err(), "padding must be zero");
    }
}
