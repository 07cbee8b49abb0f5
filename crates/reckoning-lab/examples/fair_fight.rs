//! Prints the fair fight of planners in the arena:
//! `cargo run --release -p reckoning-lab --example fair_fight`.
//!
//! With `--write` it goes to `testdata/fair-fight.txt` instead.

use std::error::Error;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/fair-fight.txt");
const USAGE: &str = "usage: fair_fight [--write]";

fn main() -> Result<(), Box<dyn Error>> {
    let write = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--write") => true,
        Some(other) => return Err(format!("'{other}' is not understood; {USAGE}").into()),
    };
    let table = reckoning_lab::fair_fight::fair_fight_table()?;
    if write {
        std::fs::write(TABLE, table)?;
    } else {
        print!("{table}");
    }
    Ok(())
}
