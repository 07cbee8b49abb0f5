//! Prints how the hills fare over the network:
//! `cargo run --release -p reckoning-lab --example hills`.
//!
//! With `--write` it goes to `testdata/hills.txt` instead.

use std::error::Error;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/hills.txt");
const USAGE: &str = "usage: hills [--write]";

fn main() -> Result<(), Box<dyn Error>> {
    let write = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--write") => true,
        Some(other) => return Err(format!("'{other}' is not understood; {USAGE}").into()),
    };
    let table = reckoning_lab::hills::hills_table()?;
    if write {
        std::fs::write(TABLE, table)?;
    } else {
        print!("{table}");
    }
    Ok(())
}
