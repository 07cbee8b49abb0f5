//! Reports of comparisons and reproductions, as text, HTML, JSON and CSV.
//!
//! ```text
//!   Comparison, Reproduction --pool--> numbers per source --tables--> text on a terminal
//!                |                            |
//!                |                            +--charts, summary--> one HTML file
//!                +--json, csv--> every row as it is
//! ```
//!
//! The HTML file holds everything it shows: no scripts, no fonts, nothing to fetch. Its
//! summary is computed from the rows. Lengths are in the units of each source, so nothing is
//! ever averaged over two sources.

mod angles;
mod bars;
mod charts;
mod claims;
mod conclusion;
mod csv;
mod evidence;
mod html;
mod json;
mod page;
mod paths;
pub(crate) mod plot;
mod pool;
mod scoreboard;
mod summary;
mod tables;
mod text;
mod traffic;
mod verdicts;
mod words;

use std::error::Error;
use std::fmt;

use reckoning_predict::TrendMap;
use reckoning_recording::{Level, Recording};

use crate::compare::Comparison;
use crate::reproduce::{ReportTable, Reproduction};

pub use conclusion::{verdict, verdict_text};
pub use csv::comparison_csv;
pub use json::{comparison_json, reproduction_json};
pub use page::to_html;
pub(crate) use pool::{ALL as ALL_SESSIONS, closed as pooled_closed, open as pooled_open};
pub use scoreboard::{scoreboard_html, scoreboard_json, scoreboard_table, source_tables};
pub use tables::{claims_table, comparison_tables, data_table, session_tables};
pub use text::to_text;
pub use traffic::{traffic_html, traffic_json, traffic_strip, traffic_tables};
pub use verdicts::{claims_text, numbers_text};
pub use words::words_text;

/// What goes into an HTML report. Whatever is empty is left out.
#[derive(Debug, Default)]
pub struct Contents<'a> {
    /// The headline.
    pub title: String,
    /// What was compared.
    pub comparison: Option<&'a Comparison>,
    /// What it was compared on.
    pub data: Vec<DataSet>,
    /// Claims of documents, measured.
    pub reproduction: Option<&'a Reproduction>,
    /// Errors of near and far listeners.
    pub fairness: Vec<FairnessRow>,
    /// The command line that this comes from.
    pub command: String,
    /// Where recordings came from, in a sentence.
    pub recordings: String,
    /// Trend maps over their levels.
    pub trends: Vec<TrendPicture<'a>>,
}

/// The recordings of one source, in a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataSet {
    /// Which game or sport.
    pub source: String,
    /// How many sessions.
    pub sessions: usize,
    /// How many bodies in all of them.
    pub bodies: usize,
    /// How many samples in all of them.
    pub samples: usize,
    /// How long they are together.
    pub seconds: f64,
    /// What one unit of length means.
    pub units: String,
    /// How wide a body is, in those units.
    pub body_width: f64,
}

/// How wrong the picture of one listener is under one delivery policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FairnessRow {
    /// Name of the sending policy.
    pub policy: String,
    /// Which listener, such as `200 ms`.
    pub listener: String,
    /// Its mean export error.
    pub error: f64,
}

impl FairnessRow {
    /// The listeners of the first table with a policy per row and a column `at ...` per
    /// listener, as THESIS has it; none without such a table.
    #[must_use]
    pub fn from_tables(tables: &[ReportTable]) -> Vec<Self> {
        let is_listener = |column: &String| column.starts_with("at ");
        let has_listeners = |table: &&ReportTable| table.columns.iter().any(is_listener);
        let Some(table) = tables.iter().find(has_listeners) else { return Vec::new() };
        let listeners = table.columns.iter().enumerate().filter(|(_, name)| is_listener(name));
        let cells = |row: &Vec<String>| -> Vec<Self> {
            let cell = |(place, name): (usize, &String)| {
                let error = row.get(place)?.trim().parse().ok()?;
                let listener = format!("{} ms", name.trim_start_matches("at "));
                Some(Self { policy: row.first()?.clone(), listener, error })
            };
            listeners.clone().filter_map(cell).collect()
        };
        table.rows.iter().flat_map(cells).collect()
    }
}

/// A trend map to draw over its level.
#[derive(Debug)]
pub struct TrendPicture<'a> {
    /// Which level, and who walked it.
    pub title: String,
    /// Which way they went.
    pub map: TrendMap,
    /// Its walls and floors, where they are known.
    pub level: Option<&'a Level>,
}

/// Why a report could not be drawn.
#[derive(Debug)]
pub struct ReportError {
    /// The drawing that failed.
    pub chart: String,
    /// What the drawing library reports.
    pub reason: String,
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the chart \"{}\" cannot be drawn: {}", self.chart, self.reason)
    }
}

impl Error for ReportError {}

impl DataSet {
    /// One line for each source, in order of first appearance.
    #[must_use]
    pub fn from_recordings(recordings: &[Recording]) -> Vec<Self> {
        let mut sets: Vec<Self> = Vec::new();
        for recording in recordings {
            let known = sets.iter().position(|set| set.source == recording.source);
            let index = known.unwrap_or_else(|| {
                sets.push(Self::empty(recording));
                sets.len() - 1
            });
            let set = &mut sets[index];
            set.sessions += 1;
            set.bodies += recording.tracks.len();
            set.samples += recording.sample_count();
            set.seconds += recording.span().map_or(0.0, |(first, last)| last.secs_since(first));
        }
        sets
    }

    fn empty(recording: &Recording) -> Self {
        Self {
            source: recording.source.clone(),
            units: recording.meta.units.clone(),
            body_width: recording.meta.body_width,
            ..Self::default()
        }
    }
}
