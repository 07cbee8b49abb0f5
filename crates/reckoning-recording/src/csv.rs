//! CSV form of a session: one row for each body and moment.
//!
//! Columns `t,id,team,x,y,z,yaw,health,ammo,alive,seg`, then whatever else the source has. An
//! empty cell means unknown. Time is in seconds, yaw in degrees, everything else as it is in
//! the source. The writer gives rows back in order of time, then of first appearance; cells
//! come back as they were.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use reckoning::{DVec3, SimTime};

use super::{Birth, Column, Fault, MemoryBudget, Recording, RecordingError, Sample, Track, zstd};

/// The columns every csv has, in this order.
const FIXED: [&str; 11] =
    ["t", "id", "team", "x", "y", "z", "yaw", "health", "ammo", "alive", "seg"];

/// No csv is larger than this when unpacked: 28 minutes of 15 players are 0.2 GB.
const MAX_CSV_BYTES: u64 = 1 << 30;

/// Reads the tracks of a csv, packed by zstd or not.
///
/// # Errors
/// Names line and byte of the first cell that does not belong where it stands.
pub fn parse_csv(bytes: &[u8]) -> Result<Vec<Track>, RecordingError> {
    let mut budget = MemoryBudget::for_input(bytes.len());
    if bytes.starts_with(&zstd::MAGIC) {
        let text = zstd::unpack(bytes, MAX_CSV_BYTES, &mut budget)?;
        return parse_text(&text, budget);
    }
    parse_text(bytes, budget)
}

fn parse_text(text: &[u8], mut budget: MemoryBudget) -> Result<Vec<Track>, RecordingError> {
    let mut lines = CsvLines { text, at: 0, number: 0 };
    let Some(header) = lines.next() else {
        let fault = Fault::Foreign { expected: "a csv of samples: it is empty" };
        return Err(RecordingError::at(0, fault));
    };
    let extras = parse_header(&header, &mut budget)?;
    let (tracks, index) = (Vec::new(), BTreeMap::new());
    let mut reader = CsvReader { tracks, index, extras, last: None, budget };
    for line in lines.filter(|line| !line.text.is_empty()) {
        reader.row(&line).map_err(|error| error.on_line(line.number))?;
    }
    Ok(reader.tracks)
}

struct CsvLine<'a> {
    text: &'a [u8],
    offset: u64,
    number: u64,
}

struct CsvLines<'a> {
    text: &'a [u8],
    at: usize,
    number: u64,
}

impl<'a> Iterator for CsvLines<'a> {
    type Item = CsvLine<'a>;

    fn next(&mut self) -> Option<CsvLine<'a>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let offset = self.at as u64;
        self.at += end + 1;
        self.number += 1;
        let text = rest.get(..end)?;
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Some(CsvLine { text, offset, number: self.number })
    }
}

/// Names of the further columns.
fn parse_header(
    header: &CsvLine<'_>,
    budget: &mut MemoryBudget,
) -> Result<Vec<String>, RecordingError> {
    let mut names = header.text.split(|&byte| byte == b',');
    for wanted in FIXED {
        if names.next() != Some(wanted.as_bytes()) {
            let expected = "a csv of samples: its header must begin t,id,team,x,y,z,yaw,…";
            let fault = Fault::Foreign { expected };
            return Err(RecordingError::at(header.offset, fault).on_line(header.number));
        }
    }
    let mut extras = Vec::new();
    for name in names {
        let name = String::from_utf8_lossy(name).into_owned();
        budget.hold(name.capacity() as u64)?;
        budget.reserve(&mut extras, 1)?;
        extras.push(name);
    }
    Ok(extras)
}

struct CsvReader {
    tracks: Vec<Track>,
    index: BTreeMap<i32, usize>,
    extras: Vec<String>,
    /// The track of the last row, with its id: rows often come in the same order again.
    last: Option<(i32, usize)>,
    budget: MemoryBudget,
}

/// What a row may add beside its sample: a birth or a death, and a change of sides, with the room
/// that their lists leave free.
const ROW_EVENT_BYTES: u64 = 2 * (size_of::<Birth>() + size_of::<(SimTime, i32)>()) as u64;
/// What a track takes beside its columns: its entry by id, and a player.
const TRACK_BYTES: u64 = 256;
/// Words of one column; the session file counts no further.
const MAX_LABELS: usize = u16::MAX as usize;

impl CsvReader {
    fn row(&mut self, line: &CsvLine<'_>) -> Result<(), RecordingError> {
        let mut cells = CsvCells { rest: Some(line.text), offset: line.offset };
        let at = micros(&cells.take("t")?)?;
        let id = cells.take("id")?.integer("id")?;
        let team = cells.take("team")?.integer("team")?;
        let mut axis = |name| cells.take(name).and_then(|cell| cell.number(name));
        let (x, y, z) = (axis("x")?, axis("y")?, axis("z")?);
        let mut single = |name| cells.take(name).and_then(|cell| cell.single(name));
        let (yaw, health, ammo) = (single("yaw")?, single("health")?, single("ammo")?);
        let alive = cells.take("alive")?.integer("alive")? != 0;
        let segment = cells.take("seg")?;
        let segment =
            u32::try_from(segment.integer("seg")?).map_err(|_| segment.refuse("seg", "a count"))?;
        let (Some(x), Some(y)) = (x, y) else {
            let field = if x.is_none() { "x" } else { "y" };
            return Err(RecordingError::value(line.offset, field, "", "a number"));
        };
        let sample = Sample {
            at,
            position: DVec3::new(x, y, z.unwrap_or_default()),
            yaw_rad: yaw.map(|degrees| degrees.to_radians() as f32),
            health: health.map(|value| value as f32),
            ammo: ammo.map(|value| value as f32),
            segment,
            alive,
            height_known: z.is_some(),
        };
        let index = self.track(id, team)?;
        let (track, budget) = (&mut self.tracks[index], &mut self.budget);
        if track.samples.last().is_some_and(|last| last.at > at) {
            return Err(RecordingError::value(line.offset, "t", at, "after the row before"));
        }
        let known = track.samples.last().is_some_and(|last| last.alive == alive);
        if !known || track.team_at(at) != team {
            budget.hold(ROW_EVENT_BYTES)?;
        }
        track.change_team(at, team);
        budget.reserve(&mut track.samples, 1)?;
        track.samples.push(sample);
        extra_cells(track, &mut cells, budget)
    }

    /// Place of the track of a body.
    fn track(&mut self, id: i32, team: i32) -> Result<usize, RecordingError> {
        let index = match self.last {
            Some((last, index)) if last == id => index,
            _ => *self.index.entry(id).or_insert(self.tracks.len()),
        };
        self.last = Some((id, index));
        if index == self.tracks.len() {
            let texts: usize = self.extras.iter().map(String::len).sum();
            self.budget.hold_each::<(Column, &str)>(self.extras.len())?;
            self.budget.hold(texts as u64 + TRACK_BYTES)?;
            self.budget.reserve(&mut self.tracks, 1)?;
            let names: Vec<&str> = self.extras.iter().map(String::as_str).collect();
            self.tracks.push(Track::new(id, team, &names));
        }
        Ok(index)
    }
}

fn extra_cells(
    track: &mut Track,
    cells: &mut CsvCells<'_>,
    budget: &mut MemoryBudget,
) -> Result<(), RecordingError> {
    for column in &mut track.extras {
        let cell = cells.take(&column.name)?;
        let value = match cell.single(&column.name) {
            Ok(None) => f32::NAN,
            Ok(Some(number)) if column.labels.is_empty() => number as f32,
            _ if column.labels.is_empty() && column.values.iter().any(|v| !v.is_nan()) => {
                return Err(cell.refuse(&column.name, "a number like those above it"));
            }
            _ => label(column, &cell, budget)?,
        };
        budget.reserve(&mut column.values, 1)?;
        column.values.push(value);
    }
    match cells.rest {
        None => Ok(()),
        Some(_) => Err(RecordingError::value(cells.offset, "row", "more cells", "as the header")),
    }
}

fn label(
    column: &mut Column,
    cell: &CsvCell<'_>,
    budget: &mut MemoryBudget,
) -> Result<f32, RecordingError> {
    let word = String::from_utf8_lossy(cell.text);
    if let Some(index) = column.labels.iter().position(|label| *label == word) {
        return Ok(index as f32);
    }
    if column.labels.len() >= MAX_LABELS {
        return Err(cell.refuse(&column.name, "one of 65535 words"));
    }
    budget.hold(word.len() as u64)?;
    budget.reserve(&mut column.labels, 1)?;
    column.labels.push(word.into_owned());
    Ok((column.labels.len() - 1) as f32)
}

struct CsvCells<'a> {
    rest: Option<&'a [u8]>,
    offset: u64,
}

impl<'a> CsvCells<'a> {
    fn take(&mut self, name: &str) -> Result<CsvCell<'a>, RecordingError> {
        let Some(rest) = self.rest else {
            let fault = Fault::NoField { field: name.to_string() };
            return Err(RecordingError::at(self.offset, fault));
        };
        let offset = self.offset;
        let end = rest.iter().position(|&byte| byte == b',');
        let text = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        self.rest = end.and_then(|end| rest.get(end + 1..));
        self.offset += text.len() as u64 + u64::from(end.is_some());
        Ok(CsvCell { text, offset })
    }
}

struct CsvCell<'a> {
    text: &'a [u8],
    offset: u64,
}

impl CsvCell<'_> {
    /// The number in the cell; `None` when it is empty.
    fn number(&self, name: &str) -> Result<Option<f64>, RecordingError> {
        if self.text.is_empty() {
            return Ok(None);
        }
        let slow = || std::str::from_utf8(self.text).ok()?.parse::<f64>().ok();
        match short_decimal(self.text).or_else(slow).filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.refuse(name, "a number")),
        }
    }

    /// A number that an `f32` can hold; `None` when the cell is empty.
    fn single(&self, name: &str) -> Result<Option<f64>, RecordingError> {
        match self.number(name)? {
            Some(number) if number.abs() > f64::from(f32::MAX) => {
                Err(self.refuse(name, "a number below 3.4e38"))
            }
            number => Ok(number),
        }
    }

    fn integer(&self, name: &str) -> Result<i32, RecordingError> {
        let number = std::str::from_utf8(self.text).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.refuse(name, "a whole number"))
    }

    fn refuse(&self, name: &str, wanted: &'static str) -> RecordingError {
        RecordingError::value(self.offset, name, String::from_utf8_lossy(self.text), wanted)
    }
}

fn micros(cell: &CsvCell<'_>) -> Result<SimTime, RecordingError> {
    match cell.number("t")? {
        Some(secs) => Ok(SimTime::from_secs_f64(secs)),
        None => Err(cell.refuse("t", "a number")),
    }
}

/// A decimal of at most 15 digits, rounded exactly: both its digits and its power of ten are
/// whole numbers that an `f64` holds, and one division rounds once.
fn short_decimal(text: &[u8]) -> Option<f64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let (mut whole, mut scale, mut point) = (0_u64, 1_u64, false);
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                whole = whole * 10 + u64::from(byte - b'0');
                scale *= if point { 10 } else { 1 };
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    if digits.len() - usize::from(point) > 15 || (point && digits.len() == 1) {
        return None;
    }
    let value = whole as f64 / scale as f64;
    Some(if negative { -value } else { value })
}

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
    fn the_short_way_reads_the_same_number_as_the_long_one() {
        for text in ["0", "-0", "1.5", "-928.125", "0.0001", ".5", "5.", "123456789012345"] {
            let long: f64 = text.parse().unwrap();
            assert_eq!(short_decimal(text.as_bytes()).map(f64::to_bits), Some(long.to_bits()));
        }
        for text in ["", "-", ".", "1e5", "1.2.3", "nan", "1234567890123456"] {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn seconds_are_written_exactly_and_briefly() {
        for (micros, text) in [(0, "0"), (-1, "-0.000001"), (1_200_029_000, "1200.029")] {
            let mut out = String::new();
            write_secs(&mut out, SimTime::from_micros(micros));
            assert_eq!(out, text);
        }
    }

    #[test]
    fn a_bad_cell_is_named_by_line_and_byte() {
        let text =
            "t,id,team,x,y,z,yaw,health,ammo,alive,seg\n0,1,0,1,2,,,,,1,0\n0,1,0,one,2,,,,,1,0\n";
        let message = parse_csv(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(message, "line 3, byte 66: x is `one`, not a number");
        let huge = "t,id,team,x,y,z,yaw,health,ammo,alive,seg\n0,1,0,1,2,,,1e99,,1,0\n";
        let message = parse_csv(huge.as_bytes()).unwrap_err().to_string();
        assert_eq!(message, "line 2, byte 54: health is `1e99`, not a number below 3.4e38");
        let short = "t,id,team,x,y,z,yaw,health,ammo,alive,seg\n0,1,0,1,2\n";
        let message = parse_csv(short.as_bytes()).unwrap_err().to_string();
        assert_eq!(message, "line 2, byte 51: z is missing");
    }
}
