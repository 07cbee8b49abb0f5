//! Writes a game of the hills as a session file, to compare on or to watch:
//! `cargo run --release -p reckoning-lab --example hills_recording -- hills.reck`.

use std::error::Error;

use reckoning_recording::write_session;

const USAGE: &str = "usage: hills_recording FILE.reck";

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or(USAGE)?;
    let game = reckoning_lab::hills::session(4, 2, 60, 7);
    std::fs::write(path, write_session(&game, Vec::new())?)?;
    Ok(())
}
