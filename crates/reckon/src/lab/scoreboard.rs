//! `reckon lab scoreboard`: one row for each predictor over all sources.

use std::time::Duration;

use reckoning_lab::bots;
use reckoning_lab::compare::predictor_costs;
use reckoning_lab::report::{
    DataSet, scoreboard_html, scoreboard_json, scoreboard_table, source_tables, to_text,
};
use reckoning_lab::scoreboard::Scoreboard as Board;

use super::compare::compared;
use super::load_parts;
use crate::args::{BoardFormat, Scoreboard};
use crate::failure::{Failure, write};
use crate::progress::Progress;
use crate::say;

pub fn run(command: &Scoreboard) -> Result<(), Failure> {
    let recordings = match command.data.paths.as_slice() {
        [] => bots::sessions(),
        paths => load_parts(paths, command.part, command.memory_mib)?,
    };
    if recordings.is_empty() {
        return Err(Failure::NoSessions);
    }
    let config = command.config();
    let found = compared(&config, &recordings, command.fresh)?;
    let costs = {
        let progress = Progress::start("measuring");
        progress.step("what plans cost on this machine");
        predictor_costs(&config, &recordings, &clock()).map_err(Failure::lab)?
    };
    let board = Board::new(&found, &config.predictors, &costs, command.delay);
    if let Some(path) = &command.out {
        let data = DataSet::from_recordings(&recordings);
        let html = scoreboard_html(&board, &data).map_err(Failure::lab)?;
        write(path, html.as_bytes())?;
    }
    say(&match command.format {
        BoardFormat::Json => scoreboard_json(&board),
        BoardFormat::Table => {
            let mut tables = source_tables(&board);
            tables.push(scoreboard_table(&board));
            tables.iter().map(to_text).collect::<Vec<_>>().join("\n")
        }
    })
}

#[expect(clippy::disallowed_methods, reason = "what a plan costs is about this machine's time")]
fn clock() -> impl Fn() -> Duration {
    let begin = std::time::Instant::now();
    move || begin.elapsed()
}
