//! Prints the table of bytes: `cargo run --release -p reckoning-lab --example wire`.
//!
//! With `--write` it goes to `testdata/wire.txt` instead. The recordings lie beside the
//! repository as `shared/data`, or where `RECKONING_DATA` says; without them nothing is done.

use std::error::Error;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const USAGE: &str = "usage: wire [--write]";

fn main() -> Result<(), Box<dyn Error>> {
    let write = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--write") => true,
        Some(other) => return Err(format!("'{other}' is not understood; {USAGE}").into()),
    };
    let beside = Path::new(ROOT).join("../shared/data");
    let data = std::env::var_os("RECKONING_DATA").map_or(beside, PathBuf::from);
    if !data.is_dir() {
        eprintln!("SKIPPED wire: no recordings at {}; set RECKONING_DATA", data.display());
        return Ok(());
    }
    let table = reckoning_lab::wire_cost::wire_table(&data)?;
    if write {
        std::fs::write(Path::new(ROOT).join("testdata/wire.txt"), table)?;
    } else {
        print!("{table}");
    }
    Ok(())
}
