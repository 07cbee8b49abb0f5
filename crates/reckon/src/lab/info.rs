//! `reckon lab info`: facts about one recording.

use std::path::Path;

use reckoning_lab::report::to_text;
use reckoning_lab::reproduce::ReportTable;
use reckoning_recording::{Recording, Track};

use crate::failure::Failure;
use crate::recording::open;
use crate::say;

pub fn run(file: &Path) -> Result<(), Failure> {
    let (recording, state) = open(file)?;
    let rows = facts(&recording, &state);
    let columns = ["what", "value"].map(String::from).to_vec();
    let title = file.display().to_string();
    let facts = to_text(&ReportTable { title, columns, rows });
    say(&format!("{facts}\n{}", to_text(&bodies(&recording))))
}

fn facts(recording: &Recording, state: &str) -> Vec<Vec<String>> {
    let meta = &recording.meta;
    let seconds = recording.span().map_or(0.0, |(first, last)| last.secs_since(first));
    let level = &recording.level;
    let facts = [
        ("file", state.to_string()),
        ("source", recording.source.clone()),
        ("session", recording.session.clone()),
        ("map", meta.map.clone()),
        ("length", format!("{seconds:.1} s")),
        ("rate", format!("{:.1} Hz", meta.rate_hz)),
        ("unit of length", meta.units.clone()),
        ("body width", meta.body_width.to_string()),
        ("dimensions", meta.dims.to_string()),
        ("teams", if meta.team_play { "yes" } else { "no" }.to_string()),
        ("samples", recording.sample_count().to_string()),
        ("level", format!("{} walls and floors, {} items", level.shapes.len(), level.items.len())),
        ("births, deaths", format!("{}, {}", recording.births.len(), recording.deaths.len())),
        ("inputs", recording.inputs.len().to_string()),
        ("snapshots", recording.snapshots.len().to_string()),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(what, value)| vec![what.to_string(), value]).collect()
}

fn bodies(recording: &Recording) -> ReportTable {
    let row = |track: &Track| {
        let player = recording.players.iter().find(|player| player.id == track.id);
        let name = player.map_or("", |player| player.name.as_str());
        let name = if name.is_empty() { "-" } else { name };
        vec![
            name.to_string(),
            track.id.to_string(),
            track.team.to_string(),
            track.samples.len().to_string(),
            track.segments().count().to_string(),
        ]
    };
    ReportTable {
        title: "Bodies".to_string(),
        columns: ["name", "id", "team", "samples", "segments"].map(String::from).to_vec(),
        rows: recording.tracks.iter().map(row).collect(),
    }
}
