//! Byte form of a stretch of one track.

use reckoning::{DVec3, SimTime};

use super::columns::{integers, numbers, put_integers, put_numbers};
use super::events::{put_text, text_within};
use crate::{Column, Cursor, Fault, MemoryBudget, RecordingError, Sample, Track};

/// Cells in the columns of one chunk. Equal cells take no bytes, so the length of a chunk alone
/// does not bound what it unpacks to.
const MAX_CELLS: u64 = 1 << 24;
const ALIVE: u8 = 1;
const HEIGHT: u8 = 2;
const YAW: u8 = 4;
const HEALTH: u8 = 8;
const AMMO: u8 = 16;

/// A stretch of a track, on one side throughout; `range` is within its samples.
pub(super) fn encode(track: &Track, range: std::ops::Range<usize>) -> Vec<u8> {
    let samples = &track.samples[range.clone()];
    let mut out = Vec::new();
    out.extend(track.id.to_le_bytes());
    let team = samples.first().map_or(track.team, |sample| track.team_at(sample.at));
    out.extend(team.to_le_bytes());
    out.extend((samples.len() as u32).to_le_bytes());
    out.extend((track.extras.len() as u16).to_le_bytes());
    out.extend(samples.iter().map(flags));
    put_integers(&mut out, samples.iter().map(|sample| sample.at.as_micros()));
    put_integers(&mut out, samples.iter().map(|sample| i64::from(sample.segment)));
    put_column(&mut out, samples, |sample| sample.position.x);
    put_column(&mut out, samples, |sample| sample.position.y);
    put_column(&mut out, samples, |sample| sample.position.z);
    put_column(&mut out, samples, |sample| unless_none(sample.yaw_rad));
    put_column(&mut out, samples, |sample| unless_none(sample.health));
    put_column(&mut out, samples, |sample| unless_none(sample.ammo));
    for column in &track.extras {
        put_extra(&mut out, column, range.clone());
    }
    out
}

fn put_column(out: &mut Vec<u8>, samples: &[Sample], value: impl Fn(&Sample) -> f64) {
    put_numbers(out, &samples.iter().map(value).collect::<Vec<_>>());
}

fn flags(sample: &Sample) -> u8 {
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    flag(sample.alive, ALIVE)
        | flag(sample.height_known, HEIGHT)
        | flag(sample.yaw_rad.is_some(), YAW)
        | flag(sample.health.is_some(), HEALTH)
        | flag(sample.ammo.is_some(), AMMO)
}

/// An `f32` as the shortest decimal that names it, in an `f64`: 0.7 stays 0.7, so that the
/// decimal way of storing fits. Rounding it to `f32` again gives the same bits.
fn widen(value: f32) -> f64 {
    if value.is_finite() {
        let decimal = (f64::from(value) * 1e4).round() / 1e4;
        if (decimal as f32).to_bits() == value.to_bits() { decimal } else { f64::from(value) }
    } else {
        f64::from_bits(u64::from(value.to_bits()))
    }
}

/// Undoes [`widen`]. What is not finite travels as its 32 bits in the low half, where a number
/// would be a denormal that [`widen`] never makes.
fn narrow(value: f64) -> f32 {
    let bits = value.to_bits();
    let special = bits != 0 && bits >> 32 == 0;
    if special { f32::from_bits(bits as u32) } else { value as f32 }
}

fn unless_none(value: Option<f32>) -> f64 {
    value.map_or(0.0, widen)
}

fn put_extra(out: &mut Vec<u8>, column: &Column, range: std::ops::Range<usize>) {
    put_text(out, &column.name);
    out.extend((column.labels.len() as u16).to_le_bytes());
    for label in column.labels.iter().take(usize::from(u16::MAX)) {
        put_text(out, label);
    }
    let values = range.map(|row| column.values.get(row).copied().unwrap_or(f32::NAN));
    put_numbers(out, &values.map(widen).collect::<Vec<_>>());
}

/// What a sample takes while the columns of all of them are still apart.
const COLUMNS_BYTES: u64 = 8 * size_of::<f64>() as u64;

/// A stretch of a track, read back; the budget holds it.
pub(super) fn decode(
    cursor: &mut Cursor<'_>,
    budget: &mut MemoryBudget,
) -> Result<Track, RecordingError> {
    let (id, team) = (cursor.i32_le()?, cursor.i32_le()?);
    let (count, columns) = (cursor.u32_le()? as usize, cursor.u16_le()?);
    // The flags alone take `count` bytes, so a wrong count fails here and allocates nothing.
    let flags = cursor.slice(count)?;
    let cells = count as u64 * u64::from(columns);
    if cells > MAX_CELLS {
        let fault = Fault::TooLarge { field: "samples", got: cells, limit: MAX_CELLS };
        return Err(RecordingError::at(cursor.offset(), fault));
    }
    budget.hold_each::<Sample>(count)?;
    // The planes of the column that is being read come on top.
    budget.check(count as u64 * (COLUMNS_BYTES + size_of::<u64>() as u64))?;
    let at = integers(cursor, count)?;
    let segment = integers(cursor, count)?;
    let mut column = || numbers(cursor, count);
    let (x, y, z) = (column()?, column()?, column()?);
    let (yaw, health, ammo) = (column()?, column()?, column()?);
    let sample = |(row, &flags): (usize, &u8)| Sample {
        at: SimTime::from_micros(at[row]),
        position: DVec3::new(x[row], y[row], z[row]),
        yaw_rad: (flags & YAW != 0).then(|| narrow(yaw[row])),
        health: (flags & HEALTH != 0).then(|| narrow(health[row])),
        ammo: (flags & AMMO != 0).then(|| narrow(ammo[row])),
        segment: segment[row] as u32,
        alive: flags & ALIVE != 0,
        height_known: flags & HEIGHT != 0,
    };
    let samples = flags.iter().enumerate().map(sample).collect();
    let mut extras = Vec::new();
    for _ in 0..columns {
        budget.reserve(&mut extras, 1)?;
        extras.push(extra(cursor, count, budget)?);
    }
    Ok(Track { id, team, samples, extras, ..Track::default() })
}

fn extra(
    cursor: &mut Cursor<'_>,
    count: usize,
    budget: &mut MemoryBudget,
) -> Result<Column, RecordingError> {
    let name = text_within(cursor, budget)?;
    let mut labels = Vec::new();
    for _ in 0..cursor.u16_le()? {
        budget.reserve(&mut labels, 1)?;
        labels.push(text_within(cursor, budget)?);
    }
    budget.hold_each::<f32>(count)?;
    budget.check(count as u64 * size_of::<f64>() as u64)?;
    let values = numbers(cursor, count)?.into_iter().map(narrow).collect();
    Ok(Column { name, values, labels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_float_survives_its_detour() {
        let odd =
            [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-45, f32::MAX, 0.1, 495.876_9];
        for value in odd {
            assert_eq!(narrow(widen(value)).to_bits(), value.to_bits(), "{value}");
        }
    }
}
