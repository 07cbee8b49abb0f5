//! Adaptive binary range coder: bits cost what they surprise.
//!
//! The carry-propagating coder of LZMA (Martin's range coder), with probabilities of sixteen bits
//! that follow what was seen at two speeds. The code is our own because it is short, needs no
//! crate, and must never panic on bytes of others. Past the end of the bytes the decoder reads
//! zeros, so the encoder may leave out the zeros at the end.

/// Below this the range is widened by a byte.
const TOP: u32 = 1 << 24;
/// Probabilities are in shares of this.
const ONE: u32 = 1 << 16;
/// No bit is ever taken for certain.
const LEAST: u32 = 48;
/// How fast the two halves of a probability follow.
const FAST: u32 = 4;
const SLOW: u32 = 7;

/// The chance that a bit is zero, by what was seen so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BitModel {
    fast: u16,
    slow: u16,
}

impl Default for BitModel {
    fn default() -> Self {
        Self { fast: 1 << 15, slow: 1 << 15 }
    }
}

impl BitModel {
    fn zero(self) -> u32 {
        u32::midpoint(u32::from(self.fast), u32::from(self.slow)).clamp(LEAST, ONE - LEAST)
    }

    fn learn(&mut self, bit: bool) {
        for (chance, speed) in [(&mut self.fast, FAST), (&mut self.slow, SLOW)] {
            if bit {
                *chance -= *chance >> speed;
            } else {
                *chance += (u16::MAX - *chance) >> speed;
            }
        }
    }
}

/// What codes bits, in one direction or the other: an encoder gives back the bit it was given, a
/// decoder the bit it reads. So one function describes both sides of a format.
pub(super) trait BitCoder {
    /// Codes a bit whose chance is learned.
    fn code(&mut self, model: &mut BitModel, bit: bool) -> bool;

    /// Codes a bit that is as often one as zero.
    fn code_even(&mut self, bit: bool) -> bool;
}

/// Writes bits.
#[derive(Debug)]
pub(super) struct RangeEncoder {
    low: u64,
    range: u32,
    /// The last byte, which a carry may still change, and how many of 255 follow it.
    held: u8,
    followers: usize,
    out: Vec<u8>,
    /// Bytes before the code, kept whatever they are.
    head: usize,
    /// The first byte is always zero and is not written.
    started: bool,
}

impl RangeEncoder {
    /// Writes behind `head`.
    pub(super) const fn new(out: Vec<u8>) -> Self {
        let (low, range, head) = (0, u32::MAX, out.len());
        Self { low, range, held: 0, followers: 0, out, head, started: false }
    }

    fn encode(&mut self, zero: u32, bit: bool) {
        let bound = (self.range >> 16) * zero;
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        while self.range < TOP {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Moves a byte out of `low`.
    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if self.low < 0xff00_0000 || carry > 0 {
            if self.started {
                self.out.push(self.held.wrapping_add(carry));
            }
            self.started = true;
            let follower = 0xff_u8.wrapping_add(carry);
            self.out.extend(std::iter::repeat_n(follower, self.followers));
            self.followers = 0;
            self.held = (self.low >> 24) as u8;
        } else {
            self.followers += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    /// The bytes, without zeros at the end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let end = self.low + u64::from(self.range);
        // The roundest number in the range that is left.
        for bits in [24_u32, 16, 8] {
            let mask = (1_u64 << bits) - 1;
            let round = (self.low + mask) & !mask;
            if round < end {
                self.low = round;
                break;
            }
        }
        (0..5).for_each(|_| self.shift());
        while self.out.len() > self.head && self.out.last() == Some(&0) {
            self.out.pop();
        }
        self.out
    }
}

impl BitCoder for RangeEncoder {
    fn code(&mut self, model: &mut BitModel, bit: bool) -> bool {
        self.encode(model.zero(), bit);
        model.learn(bit);
        bit
    }

    fn code_even(&mut self, bit: bool) -> bool {
        self.encode(ONE / 2, bit);
        bit
    }
}

/// Reads bits.
#[derive(Debug)]
pub(super) struct RangeDecoder<'a> {
    code: u32,
    range: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> RangeDecoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { code: 0, range: u32::MAX, bytes: bytes.iter() };
        (0..4).for_each(|_| decoder.pull());
        decoder
    }

    fn pull(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.next().copied().unwrap_or(0));
    }

    fn decode(&mut self, zero: u32) -> bool {
        let bound = (self.range >> 16) * zero;
        let bit = self.code >= bound;
        if bit {
            self.code -= bound;
            self.range -= bound;
        } else {
            self.range = bound;
        }
        while self.range < TOP {
            self.range <<= 8;
            self.pull();
        }
        bit
    }
}

impl BitCoder for RangeDecoder<'_> {
    fn code(&mut self, model: &mut BitModel, _: bool) -> bool {
        let bit = self.decode(model.zero());
        model.learn(bit);
        bit
    }

    fn code_even(&mut self, _: bool) -> bool {
        self.decode(ONE / 2)
    }
}

#[cfg(test)]
mod tests {
    use reckoning::random::SplitMix64;

    use super::*;

    /// Bits of every sort of chance, from a seed.
    fn bits(seed: u64, count: usize) -> Vec<bool> {
        let mut random = SplitMix64::new(seed);
        let share = [0.0, 0.001, 0.1, 0.5, 0.9, 1.0][seed as usize % 6];
        (0..count).map(|_| random.chance(share)).collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        for seed in 0..3_000 {
            let bits = bits(seed, (seed as usize * 7) % 400);
            let mut encoder = RangeEncoder::new(vec![0; 4]);
            let (mut adaptive, mut again) = (BitModel::default(), BitModel::default());
            for (n, &bit) in bits.iter().enumerate() {
                if n % 3 == 0 {
                    encoder.code_even(bit);
                } else {
                    encoder.code(&mut adaptive, bit);
                }
            }
            let bytes = encoder.finish();
            let mut decoder = RangeDecoder::new(&bytes[4..]);
            for (n, &bit) in bits.iter().enumerate() {
                let got = if n % 3 == 0 {
                    decoder.code_even(false)
                } else {
                    decoder.code(&mut again, false)
                };
                assert_eq!(got, bit, "seed {seed}, bit {n}");
            }
            assert_eq!(adaptive, again);
        }
    }

    #[test]
    fn bits_that_are_nearly_always_the_same_cost_little() {
        let mut encoder = RangeEncoder::new(Vec::new());
        let mut model = BitModel::default();
        for n in 0..8_000 {
            encoder.code(&mut model, n % 100 == 99);
        }
        let bits = encoder.finish().len() * 8;
        // The entropy is 0.081 bits each.
        assert!((600..1_200).contains(&bits), "{bits} bits");
    }
}
