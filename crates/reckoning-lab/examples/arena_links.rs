//! Prints the arena over six links:
//! `cargo run --release -p reckoning-lab --example arena_links`.
//!
//! With `--write` it goes to `testdata/arena-links.txt` instead.

use std::error::Error;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/arena-links.txt");
const USAGE: &str = "usage: arena_links [--write]";

fn main() -> Result<(), Box<dyn Error>> {
    let write = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--write") => true,
        Some(other) => return Err(format!("'{other}' is not understood; {USAGE}").into()),
    };
    let table = reckoning_lab::arena_links::arena_links_table()?;
    if write {
        std::fs::write(TABLE, table)?;
    } else {
        print!("{table}");
    }
    Ok(())
}
