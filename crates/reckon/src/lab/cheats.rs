//! `reckon lab cheats`: cheats injected into recordings, and how many are caught.

use std::path::PathBuf;

use reckoning_lab::cheats::cheat_tables;
use reckoning_lab::report::to_text;

use super::sessions_or_bots;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::say;

pub fn run(data: &[PathBuf]) -> Result<(), Failure> {
    let recordings = sessions_or_bots(data)?;
    let progress = Progress::start("judging");
    let tables = cheat_tables(&recordings, &|done, count| progress.show(done, count));
    let texts: Vec<String> = tables.map_err(Failure::lab)?.iter().map(to_text).collect();
    say(&texts.join("\n"))
}
