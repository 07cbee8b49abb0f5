//! Prints the tables of losses: `cargo run --release -p reckoning-lab --example loss`.
//!
//! With `--write` they go to `testdata/loss.txt` and, where there are recordings, to
//! `testdata/loss-recorded.txt`. The recordings lie beside the repository as `shared/data`, or where
//! `RECKONING_DATA` says.

use std::error::Error;
use std::path::{Path, PathBuf};

use reckoning_lab::bots;
use reckoning_lab::loss::{loss_table, recorded_loss_table};
use reckoning_recording::load_sessions;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const USAGE: &str = "usage: loss [--write]";
const SOURCES: [&str; 3] = ["quakeworld", "slippi", "rocketleague"];

fn main() -> Result<(), Box<dyn Error>> {
    let write = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--write") => true,
        Some(other) => return Err(format!("'{other}' is not understood; {USAGE}").into()),
    };
    let mut tables = vec![("loss.txt", loss_table(&bots::sessions()[..1])?)];
    let beside = Path::new(ROOT).join("../shared/data");
    let data = std::env::var_os("RECKONING_DATA").map_or(beside, PathBuf::from);
    if data.is_dir() {
        let mut recordings = Vec::new();
        for source in SOURCES {
            recordings.extend(load_sessions(&data.join(source))?);
        }
        tables.push(("loss-recorded.txt", recorded_loss_table(recordings)?));
    } else {
        eprintln!(
            "SKIPPED recorded losses: no recordings at {}; set RECKONING_DATA",
            data.display()
        );
    }
    for (file, table) in tables {
        if write {
            std::fs::write(Path::new(ROOT).join("testdata").join(file), table)?;
        } else {
            print!("{table}");
        }
    }
    Ok(())
}
