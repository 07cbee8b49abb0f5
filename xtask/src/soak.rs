//! `cargo xtask soak`: the long versions of tests that are short in `cargo xtask test`.

use crate::failure::Failure;
use crate::say;
use crate::workspace::{self, Workspace};

/// Virtual time. The day has a process of its own, whose memory is looked at.
const DAY: &str = "test --release -p reckoning-net --test endurance soak -- --nocapture";
const OTHERS: &str = "test --release -p reckoning-net --test endurance -- --skip soak";
/// Real sockets, and the clock of this machine.
const RECONNECT: &str =
    "test --release -p reckoning-server --test reconnect two_hundred -- --ignored --nocapture";
const HOURS: &str = "24";
const HISTORIES: &str = "10000";

/// Plays for a day of virtual time, tries ten thousand histories of faults, and restarts a server
/// under 256 players.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    workspace::run(workspace.cargo(DAY).env("RECKONING_SOAK_HOURS", HOURS))?;
    workspace::run(workspace.cargo(OTHERS).env("RECKONING_HISTORIES", HISTORIES))?;
    workspace::run(&mut workspace.cargo(RECONNECT))?;
    say::success("\nA day was played, and all had the same picture at every check.");
    Ok(())
}
