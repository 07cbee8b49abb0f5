//! How much a Zstandard frame unpacks to, block by block, before anything is unpacked.
//!
//! RFC 8878 allows a block 128 KiB, but the decoder unpacks whatever a block says: two bytes of a
//! sequence can repeat 128 KiB, so a block of 128 KiB could take gigabytes before its length is
//! seen. Here the lengths alone are decoded and added up.

use super::fse::{BackwardBits, FseTable};

/// What a block may unpack to (RFC 8878, section 3.1.1.2.3).
const MAX_BLOCK_BYTES: u64 = 128 << 10;
const MAGIC_BYTES: usize = 4;

const LITERAL_LENGTHS: FseKind = FseKind {
    log: 6,
    max_log: 9,
    codes: 36,
    usual: &[
        4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1,
        1, 1, -1, -1, -1, -1,
    ],
};
const OFFSETS: FseKind = FseKind {
    log: 5,
    max_log: 8,
    codes: 32,
    usual: &[
        1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
    ],
};
const MATCH_LENGTHS: FseKind = FseKind {
    log: 6,
    max_log: 9,
    codes: 53,
    usual: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
};
/// Bits that follow the codes of literal lengths from 16 on.
const LITERAL_BITS: [u32; 20] = [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
/// Bits that follow the codes of match lengths from 32 on, and the shortest match of each.
const MATCH_BITS: [u32; 21] =
    [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const MATCH_BASES: [u64; 21] = [
    35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1_027, 2_051, 4_099, 8_195, 16_387,
    32_771, 65_539,
];

/// One of the three kinds of codes in a sequence, with its table where a block brings none.
struct FseKind {
    log: u32,
    max_log: u32,
    codes: usize,
    usual: &'static [i16],
}

/// What is wrong with a frame.
pub(super) type Wrong = &'static str;
const CUT_OFF: Wrong = "cut off";

/// The window of a frame none of whose blocks is longer than a block may be.
pub(super) fn check_frame(frame: &[u8]) -> Result<u64, Wrong> {
    let (window, mut rest) = window(frame)?;
    let mut tables = [None, None, None];
    loop {
        let header = take(&mut rest, 3)?;
        let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let (last, kind, size) = (header & 1 == 1, header >> 1 & 3, header >> 3);
        let (stored, unpacked) = match kind {
            0 => (size as usize, u64::from(size)),
            1 => (1, u64::from(size)),
            2 => (size as usize, 0),
            _ => return Err("a block of a reserved kind"),
        };
        let content = take(&mut rest, stored)?;
        let unpacked = if kind == 2 { compressed_block(content, &mut tables)? } else { unpacked };
        if unpacked > MAX_BLOCK_BYTES {
            return Err("a block unpacks to more than 128 KiB");
        }
        if last {
            return Ok(window);
        }
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], Wrong> {
    let (taken, after) = rest.split_at_checked(count).ok_or(CUT_OFF)?;
    *rest = after;
    Ok(taken)
}

/// The window that a frame wants kept, and its blocks.
fn window(frame: &[u8]) -> Result<(u64, &[u8]), Wrong> {
    let mut rest = frame.get(MAGIC_BYTES..).ok_or(CUT_OFF)?;
    let descriptor = take(&mut rest, 1)?[0];
    let single = descriptor >> 5 & 1 == 1;
    let window = if single { None } else { Some(take(&mut rest, 1)?[0]) };
    take(&mut rest, [0, 1, 2, 4][usize::from(descriptor & 3)])?;
    let size_bytes = [usize::from(single), 2, 4, 8][usize::from(descriptor >> 6)];
    let size = take(&mut rest, size_bytes)?;
    let size = size.iter().rev().fold(0, |size, &byte| size << 8 | u64::from(byte));
    let window = match window {
        Some(byte) => {
            let base = 1_u64 << (10 + (byte >> 3));
            base + base / 8 * u64::from(byte & 7)
        }
        // Two bytes count from 256 on.
        None => size + if size_bytes == 2 { 256 } else { 0 },
    };
    Ok((window, rest))
}

/// What a compressed block unpacks to: its literals and all matches.
fn compressed_block(mut content: &[u8], tables: &mut [Option<FseTable>; 3]) -> Result<u64, Wrong> {
    let literals = skip_literals(&mut content)?;
    let count = sequence_count(&mut content)?;
    if count == 0 {
        return Ok(literals);
    }
    let modes = take(&mut content, 1)?[0];
    let kinds = [(&LITERAL_LENGTHS, 6), (&OFFSETS, 4), (&MATCH_LENGTHS, 2)];
    for ((kind, shift), table) in kinds.into_iter().zip(tables.iter_mut()) {
        match modes >> shift & 3 {
            0 => *table = Some(FseTable::new(kind.usual, kind.log)?),
            1 => *table = Some(FseTable::single(take(&mut content, 1)?[0])),
            2 => *table = Some(FseTable::read(&mut content, kind.max_log, kind.codes)?),
            _ => {}
        }
    }
    let [Some(lengths), Some(offsets), Some(matches)] = tables else {
        return Err("a table is repeated that was never given");
    };
    Ok(literals + match_bytes(content, count, [lengths, offsets, matches])?)
}

/// Passes over the literals and returns how many bytes they unpack to.
fn skip_literals(content: &mut &[u8]) -> Result<u64, Wrong> {
    let &first = content.first().ok_or(CUT_OFF)?;
    let (kind, format) = (first & 3, first >> 2 & 3);
    let header_bytes = match (kind, format) {
        (0 | 1, 0 | 2) => 1,
        (0 | 1, 1) => 2,
        (2 | 3, 2) => 4,
        (2 | 3, 3) => 5,
        _ => 3,
    };
    let header = take(content, header_bytes)?;
    let header = header.iter().rev().fold(0_u64, |all, &byte| all << 8 | u64::from(byte));
    if kind < 2 {
        let size = header >> if header_bytes == 1 { 3 } else { 4 };
        take(content, if kind == 0 { size as usize } else { 1 })?;
        return Ok(size);
    }
    let bits = [10, 10, 14, 18][usize::from(format)];
    let mask = (1 << bits) - 1;
    take(content, (header >> (4 + bits) & mask) as usize)?;
    Ok(header >> 4 & mask)
}

fn sequence_count(content: &mut &[u8]) -> Result<u32, Wrong> {
    let first = u32::from(take(content, 1)?[0]);
    Ok(match first {
        0..=127 => first,
        128..=254 => (first - 128) << 8 | u32::from(take(content, 1)?[0]),
        _ => {
            let more = take(content, 2)?;
            u32::from(u16::from_le_bytes([more[0], more[1]])) + 0x7f00
        }
    })
}

/// The length of all matches.
fn match_bytes(content: &[u8], count: u32, tables: [&FseTable; 3]) -> Result<u64, Wrong> {
    let mut bits = BackwardBits::new(content)?;
    let mut states = [0; 3];
    for (state, table) in states.iter_mut().zip(tables) {
        *state = bits.read(table.log())?;
    }
    let mut sum = 0;
    for left in (0..count).rev() {
        let [length, offset, matched] = [0, 1, 2].map(|kind| tables[kind].symbol(states[kind]));
        bits.read(u32::from(offset).min(31))?;
        sum += match_length(matched, &mut bits)?;
        if let Some(code) = usize::from(length).checked_sub(16) {
            bits.read(*LITERAL_BITS.get(code).ok_or("a literal length of no known code")?)?;
        }
        if left > 0 {
            for kind in [0, 2, 1] {
                states[kind] = tables[kind].next(states[kind], &mut bits)?;
            }
        }
    }
    Ok(sum)
}

fn match_length(code: u8, bits: &mut BackwardBits<'_>) -> Result<u64, Wrong> {
    let Some(long) = usize::from(code).checked_sub(32) else { return Ok(u64::from(code) + 3) };
    let (&base, &extra) =
        MATCH_BASES.get(long).zip(MATCH_BITS.get(long)).ok_or("a match length of no known code")?;
    Ok(base + bits.read(extra)? as u64)
}
