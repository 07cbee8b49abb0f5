//! Rows of a csv as tracks, all at once or piece by piece.

use std::collections::BTreeMap;
use std::path::Path;

use reckoning::SimTime;

use super::cells::{CsvCell, CsvCells, micros};
use super::header::{Header, Slot};
use super::lines::{TextLine, TextLines, no_csv};
use crate::{Birth, Column, MemoryBudget, RecordingError, Sample, Track};

/// Reads the tracks of a csv, packed by zstd or not.
///
/// # Errors
/// Names line and byte of the first cell that does not belong where it stands.
pub fn parse_csv(bytes: &[u8]) -> Result<Vec<Track>, RecordingError> {
    let mut budget = MemoryBudget::for_input(bytes.len());
    let lines = TextLines::of_bytes(bytes, &mut budget)?;
    CsvStream::start(lines, budget)?.rest()
}

/// Rows of a csv, piece by piece: of a long file only a piece need be in memory.
pub struct CsvStream<'a> {
    lines: TextLines<'a>,
    rows: CsvRows,
}

impl CsvStream<'static> {
    /// Opens a csv, packed by zstd or not.
    ///
    /// # Errors
    /// Names what is no csv, and the column that is missing.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let (lines, bytes) = TextLines::open(path)?;
        let budget = MemoryBudget::for_input(bytes as usize);
        Self::start(lines, budget).map_err(|error| error.in_file(path))
    }
}

impl<'a> CsvStream<'a> {
    fn start(mut lines: TextLines<'a>, mut budget: MemoryBudget) -> Result<Self, RecordingError> {
        let Some(line) = lines.next()? else {
            return Err(no_csv(0, "it is empty".to_string()));
        };
        let header = Header::parse(&line, &mut budget)?;
        let rows = CsvRows {
            tracks: Vec::new(),
            ends: Vec::new(),
            index: BTreeMap::new(),
            header,
            last: None,
            budget,
        };
        Ok(Self { lines, rows })
    }

    /// The next so many rows as tracks, in order of first appearance in the whole file; `None` at
    /// its end. A word of a column keeps its place among the labels in all pieces of a track.
    ///
    /// # Errors
    /// Names line and byte of the first cell that does not belong where it stands.
    pub fn next_piece(&mut self, rows: usize) -> Result<Option<Vec<Track>>, RecordingError> {
        if self.read(rows)? == 0 { Ok(None) } else { Ok(Some(self.rows.take_piece())) }
    }

    /// All further rows as tracks.
    ///
    /// # Errors
    /// As [`CsvStream::next_piece`].
    pub fn rest(mut self) -> Result<Vec<Track>, RecordingError> {
        self.read(usize::MAX)?;
        Ok(self.rows.tracks)
    }

    fn read(&mut self, most: usize) -> Result<usize, RecordingError> {
        let mut count = 0;
        while count < most
            && let Some(line) = self.lines.next()?
        {
            if !line.text.is_empty() {
                self.rows.add(&line).map_err(|error| error.on_line(line.number))?;
                count += 1;
            }
        }
        Ok(count)
    }
}

struct CsvRows {
    tracks: Vec<Track>,
    /// Of each track, its last moment and whether it was alive.
    ends: Vec<Option<(SimTime, bool)>>,
    index: BTreeMap<i32, usize>,
    header: Header,
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

/// One row, before it is known whose it is.
struct CsvRow<'a> {
    sample: Sample,
    id: i32,
    team: i32,
    /// The row once more, for its further cells.
    cells: CsvCells<'a>,
}

impl<'a> CsvRow<'a> {
    fn parse(line: &TextLine<'a>, slots: &[Slot]) -> Result<Self, RecordingError> {
        let all = CsvCells { rest: Some(line.text), offset: line.offset };
        let mut cells = all;
        let mut sample = Sample { alive: true, ..Sample::default() };
        let (mut id, mut team) = (0, -1);
        let position = &mut sample.position;
        for &slot in slots {
            let name = slot.name();
            let cell = cells.take(name)?;
            match slot {
                Slot::T => sample.at = micros(&cell)?,
                Slot::Id => id = cell.integer(name)?,
                Slot::Team => team = cell.optional_integer(name)?.unwrap_or(-1),
                Slot::X => position.x = needed(&cell, name)?,
                Slot::Y => position.y = needed(&cell, name)?,
                Slot::Z => {
                    let z = cell.number(name)?;
                    (position.z, sample.height_known) = (z.unwrap_or_default(), z.is_some());
                }
                Slot::Yaw => {
                    sample.yaw_rad = cell.single(name)?.map(|degrees| degrees.to_radians() as f32);
                }
                Slot::Health => sample.health = cell.single(name)?.map(|value| value as f32),
                Slot::Ammo => sample.ammo = cell.single(name)?.map(|value| value as f32),
                Slot::Alive => sample.alive = cell.optional_integer(name)? != Some(0),
                Slot::Segment => {
                    let segment = cell.optional_integer(name)?.unwrap_or(0);
                    sample.segment =
                        u32::try_from(segment).map_err(|_| cell.refuse(name, "a count"))?;
                }
                Slot::Extra(_) => {}
            }
        }
        match cells.rest {
            None => Ok(Self { sample, id, team, cells: all }),
            Some(_) => Err(too_many(&cells)),
        }
    }
}

fn needed(cell: &CsvCell<'_>, name: &str) -> Result<f64, RecordingError> {
    cell.number(name)?.ok_or_else(|| cell.refuse(name, "a number"))
}

fn too_many(cells: &CsvCells<'_>) -> RecordingError {
    let wanted = "as many cells as the header; numbers need points, not commas";
    RecordingError::value(cells.offset, "row", "more cells", wanted)
}

impl CsvRows {
    fn add(&mut self, line: &TextLine<'_>) -> Result<(), RecordingError> {
        let CsvRow { sample, id, team, cells } = CsvRow::parse(line, &self.header.slots)?;
        let at = sample.at;
        let index = self.track(id, team)?;
        let (track, budget) = (&mut self.tracks[index], &mut self.budget);
        let end = &mut self.ends[index];
        if end.is_some_and(|(last, _)| last > at) {
            return Err(RecordingError::value(line.offset, "t", at, "after the row before"));
        }
        if end.is_none_or(|(_, alive)| alive != sample.alive) || track.team_at(at) != team {
            budget.hold(ROW_EVENT_BYTES)?;
        }
        *end = Some((at, sample.alive));
        track.change_team(at, team);
        budget.reserve(&mut track.samples, 1)?;
        track.samples.push(sample);
        if self.header.extras.is_empty() {
            return Ok(());
        }
        extra_cells(track, cells, &self.header, budget)
    }

    /// Place of the track of a body.
    fn track(&mut self, id: i32, team: i32) -> Result<usize, RecordingError> {
        let index = match self.last {
            Some((last, index)) if last == id => index,
            _ => *self.index.entry(id).or_insert(self.tracks.len()),
        };
        self.last = Some((id, index));
        if index == self.tracks.len() {
            let extras = &self.header.extras;
            let texts: usize = extras.iter().map(String::len).sum();
            self.budget.hold_each::<(Column, &str)>(extras.len())?;
            self.budget.hold(texts as u64 + TRACK_BYTES)?;
            self.budget.reserve(&mut self.tracks, 1)?;
            let names: Vec<&str> = extras.iter().map(String::as_str).collect();
            self.tracks.push(Track::new(id, team, &names));
            self.ends.push(None);
        }
        Ok(index)
    }

    /// What was read, of those who have any; the tracks go on with their sides and words.
    fn take_piece(&mut self) -> Vec<Track> {
        let mut pieces = Vec::new();
        for track in self.tracks.iter_mut().filter(|track| !track.samples.is_empty()) {
            let team = track.samples.last().map_or(track.team, |last| track.team_at(last.at));
            let next = Track {
                id: track.id,
                team,
                extras: track.extras.iter().map(Column::clone_words).collect(),
                ..Track::default()
            };
            let piece = std::mem::replace(track, next);
            let columns: u64 = piece.extras.iter().map(|it| 4 * it.values.capacity() as u64).sum();
            self.budget.release((size_of::<Sample>() * piece.samples.capacity()) as u64 + columns);
            pieces.push(piece);
        }
        pieces
    }
}

impl Column {
    /// The same column with its words and no values.
    fn clone_words(&self) -> Self {
        Self { name: self.name.clone(), labels: self.labels.clone(), values: Vec::new() }
    }
}

fn extra_cells(
    track: &mut Track,
    mut cells: CsvCells<'_>,
    header: &Header,
    budget: &mut MemoryBudget,
) -> Result<(), RecordingError> {
    for &slot in &header.slots {
        let cell = cells.take(slot.name())?;
        let Slot::Extra(place) = slot else { continue };
        let column = &mut track.extras[place];
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
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use reckoning::DVec3;

    use super::*;

    const HEADER: &str = "t,id,team,x,y,z,yaw,health,ammo,alive,seg\n";

    fn said(text: &str) -> String {
        parse_csv(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_bad_cell_is_named_by_line_and_byte() {
        let message = said(&format!("{HEADER}0,1,0,1,2,,,,,1,0\n0,1,0,one,2,,,,,1,0\n"));
        assert_eq!(message, "line 3, byte 66: x is `one`, not a number");
        let message = said(&format!("{HEADER}0,1,0,1,2,,,1e99,,1,0\n"));
        assert_eq!(message, "line 2, byte 54: health is `1e99`, not a number below 3.4e38");
        let message = said(&format!("{HEADER}0,1,0,1,2\n"));
        assert_eq!(message, "line 2, byte 51: z is missing");
    }

    #[test]
    fn time_body_and_place_are_enough_in_any_order() {
        let tracks = parse_csv(b"\xef\xbb\xbfy,x,speed,id,t\r\n2,1,7,5,0.5\r\n").unwrap();
        let (track, sample) = (&tracks[0], tracks[0].samples[0]);
        assert_eq!((track.id, track.team, track.extras[0].values[0]), (5, -1, 7.0));
        assert_eq!(sample.position, DVec3::new(1.0, 2.0, 0.0));
        assert_eq!((sample.at, sample.alive), (SimTime::from_millis(500), true));
        assert!(!sample.height_known && sample.health.is_none() && sample.segment == 0);
    }

    #[test]
    fn what_is_no_such_csv_is_refused_by_its_name() {
        for (text, part) in [
            (&b"\x1f\x8b\x08 packed"[..], "packed by gzip; unpack it first"),
            (b"\xff\xfet\0,\0", "it is UTF-16; save it as UTF-8"),
            (b"PK\x03\x04", "a zip archive or a spreadsheet"),
            (b"t;id;x;y\n", "parted by semicolons"),
            (b"t\tid\tx\ty\n", "parted by tabs"),
            (b"\"t\",\"id\",\"x\",\"y\"\n", "names are quoted"),
            (b"time,id,x,y\n", "there is no column `t`; a csv needs the columns t, id, x and y"),
            (b"t,id,x,y,x\n", "the column `x` is there twice"),
            (b"t,id,x,y\n0,1,1,5,2,5\n", "numbers need points, not commas"),
            (b"", "it is empty"),
        ] {
            let message = parse_csv(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn pieces_together_are_the_whole() {
        let mut text = String::from("t,id,team,x,y,seg,way\n");
        for row in 0..100 {
            let (id, team) = (row % 3, i32::from(row > 50));
            let way = ["on", "off"][row as usize % 2];
            writeln!(text, "{row},{id},{team},{row},0,0,{way}").unwrap();
        }
        let whole = parse_csv(text.as_bytes()).unwrap();
        let mut budget = MemoryBudget::for_input(text.len());
        let lines = TextLines::of_bytes(text.as_bytes(), &mut budget).unwrap();
        let mut stream = CsvStream::start(lines, budget).unwrap();
        let mut joined: BTreeMap<i32, Track> = BTreeMap::new();
        while let Some(pieces) = stream.next_piece(7).unwrap() {
            for piece in pieces {
                let track = joined
                    .entry(piece.id)
                    .or_insert_with(|| Track { team: piece.team, ..piece.clone_empty() });
                for sample in &piece.samples {
                    track.change_team(sample.at, piece.team_at(sample.at));
                }
                track.samples.extend(piece.samples);
                let (own, more) = (&mut track.extras[0], &piece.extras[0]);
                own.values.extend(&more.values);
                own.labels.clone_from(&more.labels);
            }
        }
        assert_eq!(joined.into_values().collect::<Vec<_>>(), whole);
    }

    impl Track {
        fn clone_empty(&self) -> Self {
            Self {
                extras: self.extras.iter().map(Column::clone_words).collect(),
                ..Self::new(self.id, self.team, &[])
            }
        }
    }
}
