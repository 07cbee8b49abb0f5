//! Prints the scene table: `cargo run --release -p reckoning-lab --example scenes`.
//!
//! With `--write` it goes to `testdata/scenes.txt` instead; with a path that ends in `.svg`
//! the picture goes there.

use std::error::Error;
use std::fs;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scenes.txt");
const USAGE: &str = "usage: scenes [--write] [PICTURE.svg]";

fn main() -> Result<(), Box<dyn Error>> {
    let mut write = false;
    let mut picture = None;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--write" => write = true,
            path if path.to_lowercase().ends_with(".svg") => picture = Some(argument),
            _ => return Err(format!("'{argument}' is not understood; {USAGE}").into()),
        }
    }
    let table = reckoning_lab::scene_table()?;
    if write {
        fs::write(TABLE, table)?;
    } else {
        print!("{table}");
    }
    if let Some(path) = picture {
        fs::write(path, reckoning_lab::scene_picture()?)?;
    }
    Ok(())
}
