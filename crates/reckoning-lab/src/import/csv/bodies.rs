//! The rows of each body, in as little memory as they need.

use std::collections::BTreeMap;
use std::ops::Range;

use reckoning::{DVec3, SimTime};
use reckoning_recording::{Column, Player, RecordingError, Sample, TextLine, Track};

use super::columns::{Columns, OURS, Use};
use super::rows::{Separator, cells, is_nothing, number};
use super::times::moment;
use super::{CsvImport, CsvNotes, TimeUnit};

/// Metres of one degree along a meridian of the sphere with the Earth's mean radius.
const METRES_PER_DEGREE: f64 = 6_371_008.8 * std::f64::consts::PI / 180.0;
/// Steps between rows that the rate is the middle of.
const STEPS: usize = 1 << 20;
/// Without a limit of one's own, a gap is longer than so many steps.
const STEPS_OF_A_GAP: f64 = 5.0;
/// A step so many times as long as the usual one is worth a word.
const LEAP: f64 = 20.0;
const MAX_LABELS: usize = u16::MAX as usize;

/// Places of values in `OURS`.
const T: usize = 0;
const ID: usize = 1;
const X: usize = 2;
const Y: usize = 3;
const Z: usize = 4;
const TEAM: usize = 5;
const YAW: usize = 6;
const HEALTH: usize = 7;
const AMMO: usize = 8;
const ALIVE: usize = 9;
const SEG: usize = 10;

/// One body.
#[derive(Default)]
struct CsvBody {
    at_us: Vec<i64>,
    place: Vec<[f64; 2]>,
    /// Empty without a column of heights.
    height: Vec<f64>,
    /// What else of ours and of theirs there is, column by column; NaN is unknown.
    values: Vec<Vec<f32>>,
    /// The rows at which a new stretch begins.
    starts: Vec<u32>,
}

/// All bodies.
pub(super) struct CsvBodies {
    bodies: Vec<CsvBody>,
    ids: BTreeMap<String, usize>,
    /// The id of each, and the word that it was.
    named: Vec<(i32, String)>,
    last: Option<(String, usize)>,
    /// Which of ours are kept in `values`, in that order.
    kept: Vec<usize>,
    extras: Vec<String>,
    labels: Vec<Vec<String>>,
    /// Whether a number was seen in a further column.
    numeric: Vec<bool>,
    has_height: bool,
    separator: Separator,
    unit: TimeUnit,
    lonlat: bool,
    origin: Option<[f64; 2]>,
    notes: CsvNotes,
}

/// One row's values.
struct CsvRow {
    ours: [f64; OURS.len()],
    extras: Vec<f32>,
    at: SimTime,
    id: String,
}

impl CsvBodies {
    pub(super) fn new(columns: &Columns, settings: &CsvImport) -> Self {
        Self {
            bodies: Vec::new(),
            ids: BTreeMap::new(),
            named: Vec::new(),
            last: None,
            kept: (TEAM..OURS.len()).filter(|&place| columns.has(OURS[place])).collect(),
            extras: columns.extras.clone(),
            labels: vec![Vec::new(); columns.extras.len()],
            numeric: vec![false; columns.extras.len()],
            has_height: columns.has("z"),
            separator: columns.separator,
            unit: settings.time,
            lonlat: settings.lonlat,
            origin: None,
            notes: CsvNotes::default(),
        }
    }

    pub(super) fn add(
        &mut self,
        columns: &Columns,
        line: &TextLine<'_>,
    ) -> Result<(), RecordingError> {
        let row = self.row(columns, line)?;
        self.notes.rows += 1;
        let place = self.place_of(&row, line.offset)?;
        let at = self.body(row.id);
        let body = &mut self.bodies[at];
        let at_us = row.at.as_micros();
        self.notes.unordered += u64::from(body.at_us.last().is_some_and(|last| *last > at_us));
        push(&mut body.at_us, at_us);
        push(&mut body.place, place);
        if self.has_height {
            push(&mut body.height, row.ours[Z]);
        }
        let ours = self.kept.iter().map(|&place| row.ours[place] as f32);
        for (list, value) in body.values.iter_mut().zip(ours.chain(row.extras)) {
            push(list, value);
        }
        Ok(())
    }

    fn row(&mut self, columns: &Columns, line: &TextLine<'_>) -> Result<CsvRow, RecordingError> {
        let mut row = CsvRow {
            ours: [f64::NAN; OURS.len()],
            extras: vec![f32::NAN; self.extras.len()],
            at: SimTime::ZERO,
            id: String::new(),
        };
        let (mut count, offset) = (0, line.offset);
        for (cell, use_of) in cells(line.text, self.separator).zip(&columns.uses) {
            count += 1;
            match *use_of {
                Use::Ours(T) => {
                    row.at = moment(&cell, self.unit, self.separator, columns.theirs(T), offset)?;
                }
                Use::Ours(ID) => row.id = cell.trim().to_string(),
                Use::Ours(ALIVE) => row.ours[ALIVE] = truth(&cell, columns.theirs(ALIVE), offset)?,
                Use::Ours(place) => {
                    let found = number(&cell, self.separator, columns.theirs(place), offset)?;
                    row.ours[place] = found.unwrap_or(f64::NAN);
                }
                Use::Extra(place) => row.extras[place] = self.extra(place, &cell, offset)?,
                Use::Unused => {}
            }
        }
        let there = cells(line.text, self.separator).count();
        if there == columns.uses.len() && count == there {
            return Ok(row);
        }
        let wanted =
            "as many as the header has; numbers with commas need quotes or other separators";
        Err(RecordingError::value(offset, "row", format!("{there} cells"), wanted))
    }

    /// Where a row is, in units of length.
    fn place_of(&mut self, row: &CsvRow, offset: u64) -> Result<[f64; 2], RecordingError> {
        let place = [row.ours[X], row.ours[Y]];
        let known = |value: f64, name| {
            if value.is_nan() {
                Err(RecordingError::value(offset, name, "", "a number"))
            } else {
                Ok(())
            }
        };
        known(place[0], "x")?;
        known(place[1], "y")?;
        if row.id.is_empty() {
            return Err(RecordingError::value(offset, "id", "", "a name or a number"));
        }
        if !self.lonlat {
            return Ok(place);
        }
        let [lon, lat] = place;
        if lon.abs() > 360.0 || lat.abs() > 90.0 {
            let wanted = "a longitude and a latitude in degrees; without --lonlat it is a length";
            return Err(RecordingError::value(offset, "x, y", format!("{lon}, {lat}"), wanted));
        }
        let [lon0, lat0] = *self.origin.get_or_insert(place);
        let east = (lon - lon0) * libm::cos(lat0.to_radians());
        Ok([east * METRES_PER_DEGREE, (lat - lat0) * METRES_PER_DEGREE])
    }

    fn extra(&mut self, place: usize, cell: &str, offset: u64) -> Result<f32, RecordingError> {
        let text = cell.trim();
        if is_nothing(text) {
            return Ok(f32::NAN);
        }
        let labels = &mut self.labels[place];
        let found = number(text, self.separator, &self.extras[place], offset);
        if let (Ok(Some(number)), true) = (&found, labels.is_empty()) {
            self.numeric[place] = true;
            return Ok(*number as f32);
        }
        let known = labels.iter().position(|label| label == text);
        if self.numeric[place] || (known.is_none() && labels.len() >= MAX_LABELS) {
            let wanted = "a number like those above it";
            return Err(RecordingError::value(offset, self.extras[place].as_str(), text, wanted));
        }
        Ok(known.unwrap_or_else(|| {
            labels.push(text.to_string());
            labels.len() - 1
        }) as f32)
    }

    /// Place of the body that a cell names.
    fn body(&mut self, id: String) -> usize {
        if let Some((last, place)) = &self.last
            && *last == id
        {
            return *place;
        }
        let next = self.bodies.len();
        let place = *self.ids.entry(id.clone()).or_insert(next);
        if place == next {
            let columns = self.kept.len() + self.extras.len();
            self.bodies.push(CsvBody { values: vec![Vec::new(); columns], ..CsvBody::default() });
            self.named.push((0, id.clone()));
        }
        self.last = Some((id, place));
        place
    }

    /// Sorts the rows, leaves repeats out, finds where stretches begin, and says the rate.
    pub(super) fn finish(&mut self, settings: &CsvImport) -> f64 {
        self.number_ids();
        for body in &mut self.bodies {
            self.notes.repeated += body.sort_out();
        }
        let rate_hz = settings.rate_hz.unwrap_or_else(|| self.rate_hz());
        let gap_s = settings.gap_s.unwrap_or(STEPS_OF_A_GAP / rate_hz.max(1e-9));
        let usual = self.usual_step();
        let (mut gaps, mut jumps, mut leaps) = (0, 0, 0);
        let (alive, seg) = (self.kept_place(ALIVE), self.kept_place(SEG));
        for body in &mut self.bodies {
            for row in 1..body.at_us.len() {
                let (pause_us, length) = body.step(row);
                let gap = pause_us as f64 * 1e-6 > gap_s;
                let jump = !gap && settings.jump.is_some_and(|jump| length > jump);
                let changes = |place: Option<usize>| {
                    place.is_some_and(|it| {
                        body.values[it][row].to_bits() != body.values[it][row - 1].to_bits()
                    })
                };
                gaps += u64::from(gap);
                jumps += u64::from(jump);
                leaps += u64::from(!gap && !jump && length > LEAP * usual);
                if gap || jump || changes(alive) || changes(seg) {
                    body.starts.push(row as u32);
                }
            }
        }
        (self.notes.gaps, self.notes.jumps, self.notes.leaps) = (gaps, jumps, leaps);
        rate_hz
    }

    /// Whole numbers stay what they are; if some id is no such number, all are counted.
    fn number_ids(&mut self) {
        let whole = |text: &String| -> Option<i32> {
            let text = text.strip_suffix(".0").unwrap_or(text);
            text.parse().ok().filter(|id| *id >= 0)
        };
        let ids: Option<Vec<i32>> = self.named.iter().map(|(_, name)| whole(name)).collect();
        let distinct = |ids: &Vec<i32>| {
            ids.iter().collect::<std::collections::BTreeSet<_>>().len() == ids.len()
        };
        let ids = ids.filter(distinct);
        self.notes.words = if ids.is_some() { 0 } else { self.named.len() as u64 };
        for (place, (id, name)) in self.named.iter_mut().enumerate() {
            match &ids {
                Some(ids) => {
                    *id = ids[place];
                    name.clear();
                }
                None => *id = i32::try_from(place).expect("rows that are in memory are fewer"),
            }
        }
        self.ids.clear();
    }

    fn kept_place(&self, ours: usize) -> Option<usize> {
        self.kept.iter().position(|it| *it == ours)
    }

    /// The middle one of the steps between rows of one body, as a rate.
    fn rate_hz(&self) -> f64 {
        let steps = |body: &'_ CsvBody| {
            body.at_us.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<i64>>()
        };
        let mut steps: Vec<i64> = self.bodies.iter().flat_map(steps).take(STEPS).collect();
        match middle(&mut steps) {
            Some(step_us) if step_us > 0 => 1e6 / step_us as f64,
            _ => 0.0,
        }
    }

    /// The middle one of the lengths of steps that are any; infinite without.
    fn usual_step(&self) -> f64 {
        let lengths = |body: &'_ CsvBody| {
            (1..body.at_us.len()).map(|row| body.step(row).1).collect::<Vec<f64>>()
        };
        let mut lengths: Vec<f64> =
            self.bodies.iter().flat_map(lengths).filter(|it| *it > 0.0).take(STEPS).collect();
        let half = lengths.len() / 2;
        if lengths.is_empty() {
            return f64::INFINITY;
        }
        *lengths.select_nth_unstable_by(half, f64::total_cmp).1
    }

    pub(super) fn notes(&self) -> CsvNotes {
        self.notes.clone()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.bodies.len()
    }

    pub(super) fn origin(&self) -> Option<[f64; 2]> {
        self.origin
    }

    /// First and last moment in microseconds.
    pub(super) fn span(&self) -> (i64, i64) {
        let ends = self.bodies.iter().filter_map(|it| it.at_us.first().zip(it.at_us.last()));
        ends.fold((i64::MAX, i64::MIN), |(low, high), (a, b)| (low.min(*a), high.max(*b)))
    }

    /// Ids that were words.
    pub(super) fn names(&self) -> impl Iterator<Item = (i32, &str)> {
        self.named
            .iter()
            .filter(|(_, name)| !name.is_empty())
            .map(|(id, name)| (*id, name.as_str()))
    }

    pub(super) fn players(&self) -> impl Iterator<Item = Player> + '_ {
        self.named.iter().enumerate().map(|(place, (id, name))| Player {
            id: *id,
            team: self.bodies[place].team(0, self.kept_place(TEAM)),
            name: name.clone(),
        })
    }

    pub(super) fn pieces(&self, rows: usize) -> impl Iterator<Item = Track> + '_ {
        (0..self.bodies.len()).flat_map(move |place| {
            let count = self.bodies[place].at_us.len();
            (0..count)
                .step_by(rows)
                .filter_map(move |from| self.track(place, from..from.saturating_add(rows)))
        })
    }

    /// So many rows of a body as a track; `None` without any.
    pub(super) fn track(&self, place: usize, rows: Range<usize>) -> Option<Track> {
        let body = &self.bodies[place];
        let rows = rows.start..rows.end.min(body.at_us.len());
        let team = self.kept_place(TEAM);
        let names: Vec<&str> = self.extras.iter().map(String::as_str).collect();
        let mut track = Track::new(self.named[place].0, body.team(rows.start, team), &names);
        let mut segment = body.starts.partition_point(|start| *start as usize <= rows.start) as u32;
        for row in rows.clone() {
            if row > rows.start && body.starts.binary_search(&(row as u32)).is_ok() {
                segment += 1;
            }
            let sample = self.sample(body, row, segment);
            track.change_team(sample.at, body.team(row, team));
            track.samples.push(sample);
        }
        for (extra, column) in track.extras.iter_mut().enumerate() {
            let values = &body.values[self.kept.len() + extra][rows.clone()];
            let labels = self.labels[extra].clone();
            *column = Column { values: values.to_vec(), labels, name: column.name.clone() };
        }
        (!track.samples.is_empty()).then_some(track)
    }

    fn sample(&self, body: &CsvBody, row: usize, segment: u32) -> Sample {
        let value = |ours: usize| {
            let value = body.values[self.kept_place(ours)?][row];
            (!value.is_nan()).then_some(value)
        };
        let [x, y] = body.place[row];
        let height = body.height.get(row).copied().filter(|z| !z.is_nan());
        Sample {
            at: SimTime::from_micros(body.at_us[row]),
            position: DVec3::new(x, y, height.unwrap_or_default()),
            yaw_rad: value(YAW).map(f32::to_radians),
            health: value(HEALTH),
            ammo: value(AMMO),
            segment,
            alive: value(ALIVE) != Some(0.0),
            height_known: height.is_some(),
        }
    }
}

impl CsvBody {
    fn team(&self, row: usize, column: Option<usize>) -> i32 {
        let value = column.and_then(|column| self.values[column].get(row)).copied();
        value.filter(|value| !value.is_nan()).map_or(-1, |value| value as i32)
    }

    /// Time and way from the row before.
    fn step(&self, row: usize) -> (i64, f64) {
        let ([x0, y0], [x1, y1]) = (self.place[row - 1], self.place[row]);
        let rise = match self.height.get(row - 1..=row) {
            Some([z0, z1]) if !z0.is_nan() && !z1.is_nan() => z1 - z0,
            _ => 0.0,
        };
        (self.at_us[row] - self.at_us[row - 1], DVec3::new(x1 - x0, y1 - y0, rise).length())
    }

    /// Rows in order of time, the first of each moment; how many others there were.
    fn sort_out(&mut self) -> u64 {
        let strictly = |pair: &[i64]| pair[0] < pair[1];
        if self.at_us.windows(2).all(strictly) {
            return 0;
        }
        let mut order: Vec<u32> = (0..self.at_us.len() as u32).collect();
        order.sort_by_key(|row| self.at_us[*row as usize]);
        order.dedup_by_key(|row| self.at_us[*row as usize]);
        let left_out = self.at_us.len() - order.len();
        self.at_us = picked(&self.at_us, &order);
        self.place = picked(&self.place, &order);
        if !self.height.is_empty() {
            self.height = picked(&self.height, &order);
        }
        self.values.iter_mut().for_each(|list| *list = picked(list, &order));
        left_out as u64
    }
}

fn picked<T: Copy>(list: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|row| list[*row as usize]).collect()
}

fn middle(list: &mut [i64]) -> Option<i64> {
    let half = list.len() / 2;
    (!list.is_empty()).then(|| *list.select_nth_unstable(half).1)
}

/// Grows by an eighth: of many rows, doubling would leave as much room free as they take.
fn push<T>(list: &mut Vec<T>, value: T) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 8).max(64));
    }
    list.push(value);
}

/// Yes or no, in any spelling; nothing means yes.
fn truth(cell: &str, name: &str, offset: u64) -> Result<f64, RecordingError> {
    match cell.trim().to_lowercase().as_str() {
        "1" | "1.0" | "true" | "yes" => Ok(1.0),
        "0" | "0.0" | "false" | "no" => Ok(0.0),
        text if is_nothing(text) => Ok(1.0),
        text => Err(RecordingError::value(offset, name, text, "1 or 0, true or false")),
    }
}
