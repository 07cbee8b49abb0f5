//! `cargo xtask soak`: the long versions of tests that are short in `cargo xtask test`.

use crate::failure::Failure;
use crate::say;
use crate::workspace::{self, Workspace};

/// A day of play and as many histories, in virtual time.
const ENDURANCE: &str = "test --release -p reckoning-net --test endurance -- --nocapture";
const HOURS: &str = "24";
const HISTORIES: &str = "10000";

/// Plays for a day of virtual time and tries ten thousand histories of faults.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut endurance = workspace.cargo(ENDURANCE);
    endurance.env("RECKONING_SOAK_HOURS", HOURS).env("RECKONING_HISTORIES", HISTORIES);
    workspace::run(&mut endurance)?;
    say::success("\nA day was played, and all had the same picture at every check.");
    Ok(())
}
