//! Prints the table of losses: `cargo run --release -p reckoning-lab --example loss`.
//!
//! With `--write` it goes to `testdata/loss.txt` instead.

use std::error::Error;

use reckoning_lab::bots;
use reckoning_lab::loss::loss_table;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/loss.txt");
const USAGE: &str = "usage: loss [--write]";

fn main() -> Result<(), Box<dyn Error>> {
    let write = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--write") => true,
        Some(other) => return Err(format!("'{other}' is not understood; {USAGE}").into()),
    };
    let table = loss_table(&bots::sessions()[..1])?;
    if write {
        std::fs::write(TABLE, table)?;
    } else {
        print!("{table}");
    }
    Ok(())
}
