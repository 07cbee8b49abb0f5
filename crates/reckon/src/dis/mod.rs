//! `reckon dis`: exercises of DIS from the command line. The state is in `reckoning-dis`; here are the
//! socket, the clock, the server and the terminal.

mod bridge;
mod exercise;
mod listen;
mod record;
mod replay;
mod wire;

use std::error::Error;

use reckoning_dis::mapping;

use crate::args::Dis;
use crate::failure::Failure;
use crate::say;

/// Runs a command.
pub fn run(command: &Dis) -> Result<(), Failure> {
    match command {
        Dis::Bridge(command) => bridge::run(command),
        Dis::Listen(command) => listen::run(command),
        Dis::Record(command) => record::run(command),
        Dis::Replay(command) => replay::run(command),
        Dis::Mapping => say(mapping::DEFAULT_FILE),
    }
}

/// An error that says itself what is wrong.
fn failed(text: impl Into<Box<dyn Error>>) -> Failure {
    Failure::Server(text.into())
}
