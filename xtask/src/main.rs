//! Commands for people who work on Reckoning: `cargo xtask test`, `play` and some smaller ones.
//!
//! Each command is a list of ordinary command lines, printed before they run, so that a
//! failing one can be repeated by hand. What they need beyond a Rust toolchain is installed
//! when that is one harmless call (a compiler target, Node on a Debian machine) and
//! otherwise named, with the way to get it. Nothing else touches the network.

mod bindings;
mod browser;
mod checks;
mod command;
mod documents;
mod examples;
mod failure;
mod figures;
mod fuzz;
mod golden;
mod page;
mod report;
mod say;
mod shows;
mod skips;
mod soak;
mod tools;
mod workspace;

use std::process::ExitCode;

use command::{Command, Figures};
use failure::Failure;
use workspace::Workspace;

/// Bad words on the command line, as most programs answer them.
const USAGE_ERROR: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match command::parse(&words) {
        Ok(Command::Help) => {
            print!("{}", command::help());
            ExitCode::SUCCESS
        }
        Ok(command) => exit_code(&Workspace::find().and_then(|it| carry_out(command, &it))),
        Err(unknown) => {
            eprintln!("{unknown}");
            ExitCode::from(USAGE_ERROR)
        }
    }
}

fn carry_out(command: Command, workspace: &Workspace) -> Result<(), Failure> {
    match command {
        Command::Help => Ok(()), // printed without looking for a workspace
        Command::Test => checks::run(workspace),
        Command::Play(words) => page::play(workspace, &words),
        Command::Page => page::build(workspace),
        Command::Scenes => shows::scenes_drawn(workspace),
        Command::Bench => shows::bench(workspace),
        Command::Tables => shows::tables(workspace),
        Command::Soak => soak::run(workspace),
        Command::Bindings(asked) => bindings::run(workspace, &asked),
        Command::Fuzz(asked) => fuzz::run(workspace, &asked),
        Command::Figures(Figures::Measure(names)) => figures::measure(workspace, &names),
        Command::Figures(Figures::Splice) => figures::splice(workspace),
    }
}

fn exit_code(outcome: &Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::failure(&failure.to_string());
            ExitCode::FAILURE
        }
    }
}
