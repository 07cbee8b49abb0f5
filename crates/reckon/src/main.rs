//! `reckon`: Reckoning on the command line.
//!
//! Results go to stdout and nothing else does; progress and complaints go to stderr. The exit
//! code is 0 when all went well, 1 when something failed, 2 when the words were not
//! understood. A reader that has seen enough (`reckon ... | head`) is no failure.

mod arena;
mod args;
mod failure;
mod help;
mod lab;
mod progress;
mod serve;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use args::Command;
use failure::Failure;

const USAGE_ERROR: u8 = 2;

fn main() -> ExitCode {
    let command = match args::parse(lexopt::Parser::from_env()) {
        Ok(command) => command,
        Err(refusal) => {
            eprintln!("reckon: {refusal}");
            return ExitCode::from(USAGE_ERROR);
        }
    };
    match carry_out(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Stdout(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("reckon: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out(command: Command) -> Result<(), Failure> {
    match command {
        Command::Help(text) => say(&text),
        Command::Compare(command) => lab::compare::run(&command),
        Command::Reproduce(command) => lab::reproduce::run(&command),
        Command::Cheats { data } => lab::cheats::run(&data),
        Command::TrendBuild { data, out } => lab::trend::build(&data, &out),
        Command::TrendDraw { map, level, out } => lab::trend::draw(&map, level.as_deref(), &out),
        Command::Import { kind, file, out } => lab::import::import(kind, &file, &out),
        Command::Export { file, parquet } => lab::import::export(&file, &parquet),
        Command::Info { file } => lab::info::run(&file),
        Command::Play(command) => arena::play::run(&command),
        Command::Bots(command) => arena::bots::run(&command),
        Command::Watch(command) => arena::watch::run(&command),
        Command::Serve(command) => serve::run(&command),
        Command::NewKey => serve::new_key(),
        Command::Mint(command) => serve::mint(&command),
        Command::Train(command) => lab::train::train(&command),
        Command::LearnedTable(command) => lab::train::table(&command),
    }
}

/// Puts text on stdout.
fn say(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Stdout)
}
