//! `reckon`: Reckoning on the command line.
//!
//! Results go to stdout and nothing else does; progress and complaints go to stderr. The exit
//! code is 0 when all went well, 1 when something failed, 2 when the words were not
//! understood. A reader that has seen enough (`reckon ... | head`) is no failure.

mod arena;
mod args;
#[cfg(feature = "dis")]
mod dis;
mod failure;
#[cfg(feature = "lab")]
mod lab;
#[cfg(feature = "manual")]
mod manual;
#[cfg(feature = "lab")]
mod progress;
mod recording;
mod serve;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use args::{Cli, Command};
#[cfg(feature = "lab")]
use args::{Lab, Trend};
use clap::Parser;
use clap::error::ErrorKind as Usage;
use failure::Failure;

const USAGE_ERROR: u8 = 2;

fn main() -> ExitCode {
    let done = match Cli::try_parse() {
        Ok(cli) => run(&cli.command),
        Err(answer) if is_help(answer.kind()) => say(&answer.to_string()),
        Err(refusal) => Err(Failure::Usage(refusal)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Stdout(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Usage(refusal)) => {
            eprint!("{refusal}");
            ExitCode::from(USAGE_ERROR)
        }
        Err(failure) => {
            eprintln!("reckon: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Whether this is what was asked for, rather than a refusal. `reckon` and `reckon lab` alone ask
/// for help.
const fn is_help(kind: Usage) -> bool {
    matches!(
        kind,
        Usage::DisplayHelp
            | Usage::DisplayHelpOnMissingArgumentOrSubcommand
            | Usage::DisplayVersion
    )
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Play(command) => arena::play::run(command),
        Command::Bots(command) => arena::bots::run(command),
        Command::Watch(command) => arena::watch::run(command),
        Command::Serve(command) => serve::run(command),
        Command::Token(command) => serve::token(command),
        #[cfg(feature = "dis")]
        Command::Dis(command) => dis::run(command),
        #[cfg(feature = "lab")]
        Command::Lab(command) => run_lab(command),
        #[cfg(feature = "manual")]
        Command::Completions(command) => manual::completions(command),
        #[cfg(feature = "manual")]
        Command::Man(command) => manual::man(command),
    }
}

#[cfg(feature = "lab")]
fn run_lab(command: &Lab) -> Result<(), Failure> {
    match command {
        Lab::Compare(command) => lab::compare::run(command),
        Lab::Bytes(command) => lab::bytes::run(command),
        Lab::Scoreboard(command) => lab::scoreboard::run(command),
        Lab::Frontier(command) => lab::frontier::run(command),
        Lab::Reproduce(command) => lab::reproduce::run(command),
        Lab::Cheats(data) => lab::cheats::run(&data.paths),
        Lab::Train(command) => lab::train::train(command),
        Lab::LearnedTable(command) => lab::train::table(command),
        Lab::Fit(command) => lab::fit::run(command),
        Lab::Trend(Trend::Build(command)) => lab::trend::build(command),
        Lab::Trend(Trend::Draw(command)) => lab::trend::draw(command),
        Lab::Import(command) => lab::import::import(command),
        Lab::Export(command) => lab::import::export(command),
        Lab::Info(command) => lab::info::run(&command.file),
    }
}

/// Writes text to stdout.
fn say(text: &str) -> Result<(), Failure> {
    print(text.as_bytes())
}

/// Writes bytes to stdout.
fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::Stdout)
}

/// The command line that this was called with, as one would type it.
#[cfg(feature = "lab")]
fn command_line() -> String {
    let quoted = |word: String| {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,:".contains(letter);
        if !word.is_empty() && word.chars().all(is_plain) { word } else { format!("'{word}'") }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("reckon".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}
