//! The server under load, beside the same work done with renet.
//!
//! ```text
//! this process ---- starts, tells when to begin and end, prints the table
//!    |---- server process      the whole of it: game, host, sockets
//!    '---- clients' process    all clients: they decode, acknowledge and count
//! ```
//!
//! Server and clients share the machine, so what the clients cost bounds what the server can do.

mod figures;
mod ours;
mod rival;
mod run;
mod table;
mod usage;
mod walk;

use std::process::ExitCode;

use lexopt::prelude::*;

/// Whatever goes wrong ends the benchmark.
type Failure = Box<dyn std::error::Error>;

/// What is asked of a server.
#[derive(Clone, Copy, Debug)]
struct Load {
    clients: usize,
    seconds: f64,
    tick_hz: u32,
}

/// Which library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Ours,
    Renet,
}

/// Which process this is.
enum Role {
    Lead,
    Serve(Side),
    Play(Side, u16),
}

struct Args {
    role: Role,
    load: Load,
    search: bool,
    search_seconds: f64,
}

const HELP: &str = "\
How many clients a server carries, beside renet. Prints a table.

  --clients N         clients of the first run (64)
  --seconds S         its length (60)
  --tick-hz HZ        steps of the servers in a second, 20, 40 or 60 (20)
  --no-search         only the first run, not the largest number of clients
  --search-seconds S  length of each run of the search (10)
";

fn main() -> ExitCode {
    match args().and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<(), Failure> {
    match args.role {
        Role::Lead if run::is_alone()? => table::all(args.load, args.search, args.search_seconds),
        Role::Lead => Ok(()),
        Role::Serve(Side::Ours) => ours::serve(args.load),
        Role::Serve(Side::Renet) => rival::serve(args.load),
        Role::Play(Side::Ours, port) => ours::play(args.load, port),
        Role::Play(Side::Renet, port) => rival::play(args.load, port),
    }
}

fn args() -> Result<Args, Failure> {
    let load = Load { clients: 64, seconds: 60.0, tick_hz: 20 };
    let mut args = Args { role: Role::Lead, load, search: true, search_seconds: 10.0 };
    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("clients") => args.load.clients = parser.value()?.parse()?,
            Long("seconds") => args.load.seconds = parser.value()?.parse()?,
            Long("tick-hz") => args.load.tick_hz = parser.value()?.parse()?,
            Long("search-seconds") => args.search_seconds = parser.value()?.parse()?,
            Long("no-search") => args.search = false,
            // How this program starts itself.
            Long("serve") => args.role = Role::Serve(side(&parser.value()?.string()?)?),
            Long("play") => args.role = Role::Play(side(&parser.value()?.string()?)?, 0),
            Long("port") => {
                let port = parser.value()?.parse()?;
                if let Role::Play(_, it) = &mut args.role {
                    *it = port;
                }
            }
            Long("help") => {
                print!("{HELP}");
                std::process::exit(0);
            }
            _ => return Err(arg.unexpected().into()),
        }
    }
    Ok(args)
}

fn side(name: &str) -> Result<Side, Failure> {
    match name {
        "ours" => Ok(Side::Ours),
        "renet" => Ok(Side::Renet),
        _ => Err(format!("`{name}` is neither ours nor renet").into()),
    }
}
