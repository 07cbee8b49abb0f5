//! Finite state entropy, as far as lengths need it (RFC 8878, section 4.1).

use super::blocks::Wrong;

const CUT_OFF: Wrong = "a table is cut off";
const UNEVEN: Wrong = "a table whose chances do not add up";

/// What a state means and where it leads.
#[derive(Clone, Copy, Default)]
struct FseState {
    symbol: u8,
    bits: u32,
    base: usize,
}

/// A table of states.
pub(super) struct FseTable {
    log: u32,
    states: Vec<FseState>,
}

impl FseTable {
    /// A table of one symbol, which takes no bits.
    pub(super) fn single(symbol: u8) -> Self {
        Self { log: 0, states: vec![FseState { symbol, ..FseState::default() }] }
    }

    /// Spreads symbols by their chances in `1 << log`; −1 is less than one.
    pub(super) fn new(chances: &[i16], log: u32) -> Result<Self, Wrong> {
        let size = 1_usize << log;
        let total: usize = chances.iter().map(|chance| usize::from(chance.unsigned_abs())).sum();
        if total != size {
            return Err(UNEVEN);
        }
        let mut states = vec![FseState::default(); size];
        let mut high = size;
        for (symbol, _) in chances.iter().enumerate().filter(|(_, chance)| **chance == -1) {
            high -= 1;
            states[high].symbol = symbol as u8;
        }
        let (step, mut at) = ((size >> 1) + (size >> 3) + 3, 0);
        for (symbol, &chance) in chances.iter().enumerate() {
            for _ in 0..chance.max(0) {
                states[at].symbol = symbol as u8;
                at = (at + step) & (size - 1);
                while at >= high && high > 0 {
                    at = (at + step) & (size - 1);
                }
            }
        }
        let mut seen: Vec<usize> =
            chances.iter().map(|chance| usize::from(chance.unsigned_abs())).collect();
        for state in &mut states {
            let next = &mut seen[usize::from(state.symbol)];
            state.bits = log.saturating_sub(next.max(&mut 1).ilog2());
            state.base = (*next << state.bits).saturating_sub(size);
            *next += 1;
        }
        Ok(Self { log, states })
    }

    /// Reads a table and passes over its bytes.
    pub(super) fn read(content: &mut &[u8], max_log: u32, codes: usize) -> Result<Self, Wrong> {
        let mut bits = ForwardBits { bytes: content, at: 0 };
        let log = bits.read(4)? + 5;
        if log > max_log {
            return Err("a table larger than allowed");
        }
        let (mut left, mut chances) = (1_u32 << log, Vec::new());
        while left > 0 && chances.len() < codes {
            let chance = bits.chance(left)?;
            left = left.checked_sub(u32::from(chance.unsigned_abs())).ok_or(UNEVEN)?;
            chances.push(chance);
            let mut more = chance == 0;
            while more {
                let zeros = bits.read(2)?;
                chances.extend((0..zeros).map(|_| 0));
                more = zeros == 3 && chances.len() < codes;
            }
        }
        let used = bits.at.div_ceil(8);
        *content = content.get(used..).ok_or(CUT_OFF)?;
        if chances.len() > codes {
            return Err("a table of too many symbols");
        }
        Self::new(&chances, log)
    }

    pub(super) const fn log(&self) -> u32 {
        self.log
    }

    pub(super) fn symbol(&self, state: usize) -> u8 {
        self.states.get(state).map_or(u8::MAX, |state| state.symbol)
    }

    /// The state after this one.
    pub(super) fn next(&self, state: usize, bits: &mut BackwardBits<'_>) -> Result<usize, Wrong> {
        let state = self.states.get(state).ok_or("a state outside its table")?;
        Ok(state.base + bits.read(state.bits)?)
    }
}

/// Bits from the lowest of the first byte on.
struct ForwardBits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl ForwardBits<'_> {
    fn read(&mut self, count: u32) -> Result<u32, Wrong> {
        let mut value = 0;
        for bit in 0..count {
            let byte = *self.bytes.get(self.at / 8).ok_or(CUT_OFF)?;
            value |= u32::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Ok(value)
    }

    /// The next chance when so many points are left: small ones take a bit less.
    fn chance(&mut self, left: u32) -> Result<i16, Wrong> {
        let low_bits = (left + 1).ilog2();
        let low = self.read(low_bits)?;
        let short = (1 << (low_bits + 1)) - 1 - (left + 1);
        if low < short {
            return Ok(low as i16 - 1);
        }
        let value = low | self.read(1)? << low_bits;
        let value = if value >> low_bits == 1 { value - short } else { value };
        Ok(value as i16 - 1)
    }
}

/// Bits from the last one down; the highest that is set only marks the end.
pub(super) struct BackwardBits<'a> {
    bytes: &'a [u8],
    /// Bits that are left.
    left: usize,
}

impl<'a> BackwardBits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, Wrong> {
        let last = bytes.last().and_then(|last| last.checked_ilog2());
        let last = last.ok_or("sequences without an end")?;
        Ok(Self { bytes, left: (bytes.len() - 1) * 8 + last as usize })
    }

    /// The next bits, at most 31.
    pub(super) fn read(&mut self, count: u32) -> Result<usize, Wrong> {
        self.left = self.left.checked_sub(count as usize).ok_or("sequences are cut off")?;
        let (first, shift) = (self.left / 8, self.left % 8);
        let byte = |index: usize| self.bytes.get(first + index).copied().unwrap_or_default();
        let word = u64::from_le_bytes(std::array::from_fn(byte));
        Ok((word >> shift & ((1 << count) - 1)) as usize)
    }
}
