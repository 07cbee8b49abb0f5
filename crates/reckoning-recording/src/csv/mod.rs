//! CSV form of a session: one row for each body and moment.
//!
//! Columns `t`, `id`, `x` and `y` must be there; `team`, `z`, `yaw`, `health`, `ammo`, `alive` and
//! `seg` may be; then whatever else the source has, in any order. An empty cell means unknown. Time
//! is in seconds, yaw in degrees, everything else as it is in the source. The writer gives rows back
//! in order of time, then of first appearance; cells come back as they were.
//!
//! `docs/guide/11-your-own-data.md` describes the form for those who write such files.

mod cells;
mod header;
mod lines;
mod read;

use std::fmt::Write as _;

use reckoning::SimTime;

use super::{Recording, Track};

pub use lines::{TextLine, TextLines};
pub use read::{CsvStream, parse_csv};

/// The columns that we write, in this order.
const FIXED: [&str; 11] =
    ["t", "id", "team", "x", "y", "z", "yaw", "health", "ammo", "alive", "seg"];

/// Writes the tracks of a recording as csv.
#[must_use]
pub fn write_csv(recording: &Recording) -> Vec<u8> {
    let names = column_names(recording);
    let mut out = FIXED.join(",");
    for name in &names {
        out.push(',');
        out.push_str(name);
    }
    out.push('\n');
    for (track, sample) in row_order(recording) {
        write_row(&mut out, &recording.tracks[track], sample, &names);
    }
    out.into_bytes()
}

/// Names of all further columns, in order of first appearance.
#[must_use]
pub fn column_names(recording: &Recording) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for column in recording.tracks.iter().flat_map(|track| &track.extras) {
        if !names.contains(&column.name.as_str()) {
            names.push(&column.name);
        }
    }
    names
}

/// Track and sample of each row: by time, then as the tracks are listed.
#[must_use]
pub fn row_order(recording: &Recording) -> Vec<(usize, usize)> {
    let mut rows: Vec<(SimTime, usize, usize)> = Vec::with_capacity(recording.sample_count());
    for (index, track) in recording.tracks.iter().enumerate() {
        rows.extend(track.samples.iter().enumerate().map(|(row, sample)| (sample.at, index, row)));
    }
    rows.sort_by_key(|&(at, track, _)| (at, track));
    rows.into_iter().map(|(_, track, sample)| (track, sample)).collect()
}

fn write_row(out: &mut String, track: &Track, index: usize, names: &[&str]) {
    let sample = &track.samples[index];
    let p = sample.position;
    write_secs(out, sample.at);
    let _ = write!(out, ",{},{},{},{},", track.id, track.team_at(sample.at), p.x, p.y);
    write_optional(out, sample.height_known.then_some(p.z));
    write_optional(out, sample.yaw_rad.map(degrees));
    write_optional(out, sample.health);
    write_optional(out, sample.ammo);
    let _ = write!(out, "{},{}", u8::from(sample.alive), sample.segment);
    for name in names {
        out.push(',');
        let column = track.extras.iter().find(|column| column.name == *name);
        let value = column.and_then(|column| column.values.get(index)).copied();
        let value = value.filter(|value| !value.is_nan());
        match column.and_then(|column| column.label(index)) {
            Some(word) => out.push_str(word),
            None => {
                if let Some(value) = value {
                    let _ = write!(out, "{value}");
                }
            }
        }
    }
    out.push('\n');
}

fn write_optional(out: &mut String, value: Option<impl std::fmt::Display>) {
    if let Some(value) = value {
        let _ = write!(out, "{value}");
    }
    out.push(',');
}

/// Seconds with as many digits as they need, exact to the microsecond.
fn write_secs(out: &mut String, at: SimTime) {
    let micros = at.as_micros();
    let (whole, part) = (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
    let sign = if micros < 0 { "-" } else { "" };
    let _ = write!(out, "{sign}{whole}");
    if part > 0 {
        let digits = format!("{part:06}");
        let _ = write!(out, ".{}", digits.trim_end_matches('0'));
    }
}

/// Degrees with as few decimals as give the same radians back.
fn degrees(yaw_rad: f32) -> f64 {
    let exact = f64::from(yaw_rad).to_degrees();
    let rounded = |scale: f64| (exact * scale).round() / scale;
    let fits = |degrees: &f64| (degrees.to_radians() as f32).to_bits() == yaw_rad.to_bits();
    [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6].map(rounded).into_iter().find(fits).unwrap_or(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_written_exactly_and_briefly() {
        for (micros, text) in [(0, "0"), (-1, "-0.000001"), (1_200_029_000, "1200.029")] {
            let mut out = String::new();
            write_secs(&mut out, SimTime::from_micros(micros));
            assert_eq!(out, text);
        }
    }
}
