//! Byte form of columns of numbers, made to compress well.
//!
//! Neighbouring samples differ little, so a column is stored as differences, and the bytes of
//! equal weight of all differences stand together: the high planes are then zeros, which cost
//! nothing after zstd. Two ways, chosen for each column of each chunk:
//!
//! - **decimal**: most sources round to a few decimals. When every value is exactly a whole
//!   number over a power of ten, second differences of those whole numbers are stored.
//! - **bits**: else each value's bits are combined by XOR with those of the one before.
//!
//! Both give back every bit.

use crate::{Cursor, RecordingError};

/// Powers of ten that values are tried against.
const SCALES: [f64; 6] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5];
/// Marks a column stored by its bits.
const BITS: u8 = 255;
/// Whole numbers beyond this are not exact in an `f64`.
const EXACT: u64 = 1 << 53;

/// Appends whole numbers: second differences, planes of bytes.
pub(super) fn put_integers(out: &mut Vec<u8>, values: impl Iterator<Item = i64>) {
    let (mut before, mut step) = (0_i64, 0_i64);
    let differences = values.map(|value| {
        let new_step = value.wrapping_sub(before);
        let difference = new_step.wrapping_sub(step);
        (before, step) = (value, new_step);
        ((difference << 1) ^ (difference >> 63)).cast_unsigned()
    });
    put_planes(out, &differences.collect::<Vec<_>>());
}

/// Reads back what [`put_integers`] wrote.
pub(super) fn integers(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<i64>, RecordingError> {
    let (mut value, mut step) = (0_i64, 0_i64);
    let undo = |zigzag: u64| {
        let difference = (zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed();
        step = step.wrapping_add(difference);
        value = value.wrapping_add(step);
        value
    };
    Ok(planes(cursor, count)?.into_iter().map(undo).collect())
}

/// Appends numbers by the better of the two ways.
pub(super) fn put_numbers(out: &mut Vec<u8>, values: &[f64]) {
    let whole = SCALES.iter().zip(0_u8..).find_map(|(&scale, index)| {
        let whole = values.iter().map(|&value| as_whole(value, scale));
        Some((index, whole.collect::<Option<Vec<i64>>>()?))
    });
    if let Some((index, whole)) = whole {
        out.push(index);
        put_integers(out, whole.into_iter());
        return;
    }
    out.push(BITS);
    let mut before = 0;
    let xor = |&value: &f64| std::mem::replace(&mut before, value.to_bits()) ^ value.to_bits();
    put_planes(out, &values.iter().map(xor).collect::<Vec<_>>());
}

/// Reads back what [`put_numbers`] wrote.
pub(super) fn numbers(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<f64>, RecordingError> {
    let way = cursor.u8()?;
    if way == BITS {
        let mut bits = 0;
        let undo = |xor: u64| {
            bits ^= xor;
            f64::from_bits(bits)
        };
        return Ok(planes(cursor, count)?.into_iter().map(undo).collect());
    }
    let Some(&scale) = SCALES.get(usize::from(way)) else {
        return Err(cursor.fault(1, "column", way, "a known way to store numbers"));
    };
    Ok(integers(cursor, count)?.into_iter().map(|whole| whole as f64 / scale).collect())
}

/// The whole number that gives back exactly `value` when divided by `scale`.
fn as_whole(value: f64, scale: f64) -> Option<i64> {
    let whole = (value * scale).round() as i64;
    let back = whole as f64 / scale;
    (whole.unsigned_abs() < EXACT && back.to_bits() == value.to_bits()).then_some(whole)
}

/// Appends the lowest bytes of all values, then the next, up to the highest that is not all
/// zeros; a leading byte says how many there are.
fn put_planes(out: &mut Vec<u8>, values: &[u64]) {
    let all = values.iter().fold(0, |all, value| all | value);
    let count = (64 - all.leading_zeros()).div_ceil(8);
    out.push(count as u8);
    for plane in 0..count {
        out.extend(values.iter().map(|value| (value >> (8 * plane)) as u8));
    }
}

fn planes(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<u64>, RecordingError> {
    let planes = cursor.u8()?;
    if planes > 8 {
        return Err(cursor.fault(1, "planes", planes, "at most eight"));
    }
    let mut values = vec![0; count];
    for plane in 0..planes {
        for (value, &byte) in values.iter_mut().zip(cursor.slice(count)?) {
            *value |= u64::from(byte) << (8 * plane);
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_comes_back_either_way() {
        let columns: [&[f64]; 6] = [
            &[],
            &[0.1, 0.25, -928.125, 1e9],
            &[f64::NAN, f64::NAN],
            &[std::f64::consts::PI, 0.0, -0.0, f64::INFINITY, f64::MIN_POSITIVE],
            &[-0.0],
            &[9e15, -9e15, 1.0],
        ];
        for column in columns {
            let mut bytes = Vec::new();
            put_numbers(&mut bytes, column);
            let back = numbers(&mut Cursor::new(&bytes), column.len()).unwrap();
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&back), bits(column));
        }
    }

    #[test]
    fn integers_wrap_around_the_ends_of_their_range() {
        let column = [i64::MIN, i64::MAX, 0, -1, i64::MIN];
        let mut bytes = Vec::new();
        put_integers(&mut bytes, column.into_iter());
        assert_eq!(integers(&mut Cursor::new(&bytes), 5).unwrap(), column);
    }
}
