//! Importer of anyone's csv: columns under any name, any order of rows, ids that are words.
//!
//! ```text
//!   lines --columns: which is what--> cells --rows: numbers, moments--> bodies, row by row
//!   bodies --finish: sorted, without repeats, parted where they jump--> tracks, piece by piece
//! ```
//!
//! Rows are kept in as little memory as they need, and become samples only piece by piece: a
//! long file does not take more than itself.

mod bodies;
mod columns;
mod rows;
mod times;

use std::fmt;
use std::path::Path;

use reckoning_recording::{Fault, Meta, Player, Recording, RecordingError, TextLines, Track};
use serde_json::{Value, json};

use bodies::CsvBodies;
use columns::Columns;
pub use columns::{ColumnMap, ColumnMapError};
pub use times::TimeUnit;

/// What a csv does not say of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvImport {
    /// Which column is what. Default: each is what it is called.
    pub map: ColumnMap,
    /// What a number in the column of time counts. Default: seconds.
    pub time: TimeUnit,
    /// Rows a second of each body. Default: `None`, the middle one of all steps.
    pub rate_hz: Option<f64>,
    /// How wide a body is, in the unit of length. Default: 1. Above zero.
    pub body_width: f64,
    /// What one unit of length means. Default: `m`.
    pub units: String,
    /// Which game or fleet it is from. Default: `csv`.
    pub source: String,
    /// Whether x and y are longitude and latitude in degrees, to become metres east and north of
    /// the first row. Default: `false`.
    pub lonlat: bool,
    /// A body without a row for longer than this begins a new stretch, in seconds. Default: `None`,
    /// five steps.
    pub gap_s: Option<f64>,
    /// So does one that goes further in one step, as over the edge of a world without end. Default:
    /// `None`, any step is a motion.
    pub jump: Option<f64>,
}

impl Default for CsvImport {
    fn default() -> Self {
        Self {
            map: ColumnMap::default(),
            time: TimeUnit::Seconds,
            rate_hz: None,
            body_width: 1.0,
            units: "m".into(),
            source: "csv".into(),
            lonlat: false,
            gap_s: None,
            jump: None,
        }
    }
}

/// What was noticed on the way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CsvNotes {
    /// Rows that were read.
    pub rows: u64,
    /// Rows left out because their body has another one of the same moment.
    pub repeated: u64,
    /// Rows that stood after a later one of their body, and were sorted.
    pub unordered: u64,
    /// Gaps at which a body begins a new stretch.
    pub gaps: u64,
    /// Steps longer than `jump`, at which a body begins a new stretch.
    pub jumps: u64,
    /// Steps twenty times as long as the usual ones that were taken for motion.
    pub leaps: u64,
    /// Columns that were not taken.
    pub columns: Vec<String>,
    /// Ids that are words, and were numbered.
    pub words: u64,
}

impl fmt::Display for CsvNotes {
    /// One line for each thing that should be looked at; nothing for a plain file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.rows;
        let lines = [
            (
                self.repeated,
                format!(
                    "{} of {of} rows left out: their body has another one of the same moment",
                    self.repeated
                ),
            ),
            (
                self.unordered,
                format!(
                    "{} of {of} rows stood after later ones of their body, and were sorted",
                    self.unordered
                ),
            ),
            (
                self.gaps,
                format!("{} gaps: the body begins a new stretch there (--gap SECONDS)", self.gaps),
            ),
            (self.jumps, format!("{} jumps: the body begins a new stretch there", self.jumps)),
            (
                self.leaps,
                format!(
                    "{} steps are twenty times as long as the usual ones and taken for motion; if bodies cannot move so, part them there with --jump LENGTH",
                    self.leaps
                ),
            ),
            (
                self.words,
                format!("{} ids are words, and were numbered; the names are kept", self.words),
            ),
            (
                self.columns.len() as u64,
                format!(
                    "columns left out: {}; take one with --map NAME={}",
                    self.columns.join(", "),
                    self.columns.first().map_or("", String::as_str)
                ),
            ),
        ];
        lines.iter().filter(|(count, _)| *count > 0).try_for_each(|(_, line)| writeln!(f, "{line}"))
    }
}

/// A csv that was read, to be taken out piece by piece.
pub struct ImportedCsv {
    /// What was noticed.
    pub notes: CsvNotes,
    /// Source, session, settings and players; without any track.
    pub head: Recording,
    bodies: CsvBodies,
}

/// Samples in one piece of a track.
const PIECE_SAMPLES: usize = 1 << 16;

impl ImportedCsv {
    /// Reads a csv with these settings.
    ///
    /// # Errors
    /// Names the file, and line and byte of the first cell that does not belong where it stands; a
    /// column that is not there; and a file without rows.
    pub fn read(path: &Path, settings: &CsvImport) -> Result<Self, RecordingError> {
        let (mut lines, _) = TextLines::open(path)?;
        let read = Self::from_lines(&mut lines, &session_of(path), settings);
        read.map_err(|error| error.in_file(path))
    }

    fn from_lines(
        lines: &mut TextLines<'_>,
        session: &str,
        settings: &CsvImport,
    ) -> Result<Self, RecordingError> {
        let Some(header) = lines.next()? else { return Err(empty()) };
        let columns = Columns::of(&header, &settings.map)?;
        let mut bodies = CsvBodies::new(&columns, settings);
        while let Some(line) = lines.next()? {
            if !line.text.is_empty() {
                bodies.add(&columns, &line).map_err(|error| error.on_line(line.number))?;
            }
        }
        if bodies.is_empty() {
            return Err(empty());
        }
        let rate_hz = bodies.finish(settings);
        let mut notes = bodies.notes();
        notes.columns.clone_from(&columns.unused);
        let head = head(&bodies, &columns, session, settings, rate_hz);
        Ok(Self { notes, head, bodies })
    }

    /// Every body's samples, body by body in pieces that follow each other. A word of a column
    /// keeps its place among the labels.
    pub fn pieces(&self) -> impl Iterator<Item = Track> + '_ {
        self.bodies.pieces(PIECE_SAMPLES)
    }

    /// All of it.
    #[must_use]
    pub fn into_recording(self) -> Recording {
        let mut recording = self.head.clone();
        for index in 0..self.bodies.count() {
            recording.tracks.extend(self.bodies.track(index, 0..usize::MAX));
        }
        recording.tidy();
        recording.derive_events();
        recording
    }
}

fn session_of(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("unnamed");
    let name = name.strip_suffix(".zst").unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_string()
}

fn empty() -> RecordingError {
    refusal("it has no rows".to_string())
}

fn refusal(reason: String) -> RecordingError {
    RecordingError::new(Fault::Decoder { format: "csv", reason })
}

fn head(
    bodies: &CsvBodies,
    columns: &Columns,
    session: &str,
    settings: &CsvImport,
    rate_hz: f64,
) -> Recording {
    let (first, last) = bodies.span();
    let mut meta = Meta {
        rate_hz,
        units: settings.units.clone(),
        body_width: settings.body_width,
        dims: if columns.has("z") { 3 } else { 2 },
        duration_s: (last - first) as f64 * 1e-6,
        ..Meta::default()
    };
    let named = bodies.names().map(|(id, name)| (id.to_string(), json!({ "name": name })));
    let entities: serde_json::Map<String, Value> = named.collect();
    if !entities.is_empty() {
        meta.other.insert("entities".into(), entities.into());
    }
    if let Some([lon, lat]) = bodies.origin() {
        meta.other.insert("origin_lonlat_deg".into(), json!([lon, lat]));
    }
    let players: Vec<Player> = bodies.players().collect();
    let (source, session) = (settings.source.clone(), session.to_string());
    Recording { source, session, meta, players, ..Recording::default() }
}
