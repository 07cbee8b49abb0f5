//! `reckon lab info`: facts about one recording.

use std::collections::BTreeMap;
use std::path::Path;

use reckoning_lab::report::to_text;
use reckoning_lab::reproduce::ReportTable;
use reckoning_recording::{BodySummary, SessionSummary};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::recording::summarize;
use crate::say;

pub fn run(file: &Path) -> Result<(), Failure> {
    let progress = Progress::start("reading");
    let (summary, state) = summarize(file)?;
    drop(progress);
    let rows = facts(&summary, &state);
    let columns = ["what", "value"].map(String::from).to_vec();
    let title = file.display().to_string();
    let facts = to_text(&ReportTable { title, columns, rows });
    say(&format!("{facts}\n{}", to_text(&bodies(&summary))))
}

fn facts(summary: &SessionSummary, state: &str) -> Vec<Vec<String>> {
    let meta = &summary.meta;
    let seconds = summary.span().map_or(0.0, |(first, last)| last.secs_since(first));
    let level = &summary.level;
    let facts = [
        ("file", state.to_string()),
        ("source", summary.source.clone()),
        ("session", summary.session.clone()),
        ("map", meta.map.clone()),
        ("length", format!("{seconds:.1} s")),
        ("rate", format!("{:.1} Hz", meta.rate_hz)),
        ("unit of length", meta.units.clone()),
        ("body width", meta.body_width.to_string()),
        ("dimensions", meta.dims.to_string()),
        ("orientation", oriented(summary)),
        ("kinds", kinds(summary)),
        ("joints", summary.joints.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
        ("teams", if meta.team_play { "yes" } else { "no" }.to_string()),
        ("samples", summary.sample_count().to_string()),
        ("level", format!("{} walls and floors, {} items", level.shapes.len(), level.items.len())),
        ("births, deaths", format!("{}, {}", summary.births, summary.deaths)),
        ("inputs", summary.inputs.to_string()),
        ("snapshots", summary.snapshots.to_string()),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(what, value)| vec![what.to_string(), value]).collect()
}

/// How many bodies are known to lean or turn; nothing where none is.
fn oriented(summary: &SessionSummary) -> String {
    let (all, known) = (&summary.bodies, summary.bodies.iter().filter(|body| body.oriented));
    match known.count() {
        0 => String::new(),
        known => format!("of {known} of {} bodies", all.len()),
    }
}

/// Each kind with the number of its bodies.
fn kinds(summary: &SessionSummary) -> String {
    let mut counts = BTreeMap::<&str, usize>::new();
    for kind in summary.kinds.values() {
        *counts.entry(kind).or_default() += 1;
    }
    let words: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    words.join(", ")
}

fn bodies(summary: &SessionSummary) -> ReportTable {
    let row = |body: &BodySummary| {
        let name = summary.players.get(&body.id).map_or("", |player| player.name.as_str());
        let name = if name.is_empty() { "-" } else { name };
        let kind = summary.kinds.get(&body.id).map_or("-", String::as_str);
        let mut cells = vec![
            name.to_string(),
            body.id.to_string(),
            body.team.to_string(),
            body.samples.to_string(),
            body.segments.to_string(),
        ];
        cells.extend((!summary.kinds.is_empty()).then(|| kind.to_string()));
        cells
    };
    let columns = ["name", "id", "team", "samples", "segments", "kind"];
    let count = if summary.kinds.is_empty() { columns.len() - 1 } else { columns.len() };
    ReportTable {
        title: "Bodies".to_string(),
        columns: columns[..count].iter().map(ToString::to_string).collect(),
        rows: summary.bodies.iter().map(row).collect(),
    }
}
