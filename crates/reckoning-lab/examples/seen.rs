//! Prints the table of what is seen: `cargo run --release -p reckoning-lab --example seen`.
//!
//! With `--write` it goes to `testdata/seen.txt`, and the picture to `docs/frontier.svg`. The
//! recordings lie beside the repository as `shared/data`, or where `RECKONING_DATA` says; without
//! them nothing is done.

use std::error::Error;
use std::path::{Path, PathBuf};

use reckoning_lab::frontier::{frontier_picture, measure_seen, seen_text};
use reckoning_recording::load_sessions;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const USAGE: &str = "usage: seen [--write]";
const SOURCES: [&str; 4] = ["quakeworld", "slippi", "rocketleague", "football"];

fn main() -> Result<(), Box<dyn Error>> {
    let write = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--write") => true,
        Some(other) => return Err(format!("'{other}' is not understood; {USAGE}").into()),
    };
    let beside = Path::new(ROOT).join("../shared/data");
    let data = std::env::var_os("RECKONING_DATA").map_or(beside, PathBuf::from);
    if !data.is_dir() {
        eprintln!("SKIPPED seen: no recordings at {}; set RECKONING_DATA", data.display());
        return Ok(());
    }
    let mut recordings = Vec::new();
    for source in SOURCES {
        recordings.extend(load_sessions(&data.join(source))?);
    }
    let found = measure_seen(recordings, &|said| eprintln!("{said}"))?;
    let table = seen_text(&found);
    if write {
        std::fs::write(Path::new(ROOT).join("testdata/seen.txt"), table)?;
        let picture = frontier_picture(&found)?;
        std::fs::write(Path::new(ROOT).join("docs/frontier.svg"), picture)?;
    } else {
        print!("{table}");
    }
    Ok(())
}
