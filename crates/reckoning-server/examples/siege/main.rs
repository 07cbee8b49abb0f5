//! The siege table: attacks over real sockets of this machine against a server, while honest players play.
//!
//! ```sh
//! cargo build --release -p reckon
//! cargo run --release -p reckoning-server --example siege -- \
//!     --server target/release/reckon --write testdata/siege.txt --as now
//! ```
//!
//! The server is any executable of `reckon serve`, an older one too; each attack is a process of its own
//! that speaks nothing but sockets. All of it stays on loopback, or in a network namespace made for it.

mod attack;
mod field;
mod proxy;
mod table;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use field::{Field, Measured};
use table::Row;

/// One line of the table.
struct Siege {
    name: &'static str,
    what: &'static str,
}

/// Every attack, in the order of the table.
const SIEGES: [Siege; 9] = [
    Siege { name: "nobody", what: "no attack: how far two measurements differ anyway" },
    Siege { name: "handshakes", what: "handshakes that never end, from one address" },
    Siege { name: "handshakes-100", what: "the same from 100 addresses" },
    Siege {
        name: "loiterers-100",
        what: "whole handshakes of those who never join, 100 addresses",
    },
    Siege { name: "slow-requests-100", what: "requests that never end, 100 addresses" },
    Siege {
        name: "slow-readers-100",
        what: "WebSockets and pages that are never read, 100 addresses",
    },
    Siege { name: "requests-100", what: "requests without a pause, 100 addresses" },
    Siege { name: "ipv6-48", what: "loiterers and slow requests, each from a /64 of one /48" },
    Siege { name: "proxy", what: "WebSockets of one client through a proxy that others use" },
];

/// What was asked for.
struct Asked {
    server: PathBuf,
    seconds: f64,
    only: Option<String>,
    write: Option<PathBuf>,
    label: String,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["attack", name, server, seconds] => {
            attack::run(
                name,
                &server.parse().expect("an address"),
                seconds.parse().expect("seconds"),
            );
            ExitCode::SUCCESS
        }
        _ => besiege(&asked(&words)),
    }
}

fn asked(words: &[&str]) -> Asked {
    let value = |name: &str| {
        let place = words.iter().position(|word| *word == name)?;
        words.get(place + 1).map(ToString::to_string)
    };
    let server = value("--server").expect("--server PATH names an executable of reckon");
    let seconds = value("--seconds").map_or(8.0, |it| it.parse().expect("seconds"));
    let label = value("--as").unwrap_or_else(|| "now".to_string());
    let write = value("--write").map(PathBuf::from);
    Asked { server: server.into(), seconds, only: value("--only"), write, label }
}

fn besiege(asked: &Asked) -> ExitCode {
    let chosen = |siege: &&Siege| asked.only.as_deref().is_none_or(|only| only == siege.name);
    let mut rows = Vec::new();
    for siege in SIEGES.iter().filter(chosen) {
        let row = if siege.name == "ipv6-48" && !field::is_in_namespace() {
            in_namespace(asked, siege)
        } else {
            Some(Row::new(siege.name, siege.what, &measure(asked, siege.name)))
        };
        let Some(row) = row else {
            eprintln!("SKIPPED {}: no network namespace can be made here", siege.name);
            continue;
        };
        println!("{row}");
        rows.push(row);
    }
    if let Some(path) = &asked.write {
        table::write(path, &asked.label, asked.seconds, &rows);
    }
    ExitCode::SUCCESS
}

/// Measures one attack in a network namespace of its own; `None` where none can be made.
fn in_namespace(asked: &Asked, siege: &Siege) -> Option<Row> {
    let this = std::env::current_exe().expect("this program");
    let output = Command::new("unshare")
        .args(["-rn", "--"])
        .arg(this)
        .args(["--only", siege.name, "--seconds", &asked.seconds.to_string(), "--server"])
        .arg(&asked.server)
        .env(field::NAMESPACE, "1")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.starts_with(siege.name))?;
    Some(Row::parsed(line))
}

/// Quiet, then besieged.
fn measure(asked: &Asked, name: &str) -> Measured {
    let span = Duration::from_secs_f64(asked.seconds);
    let mut field = Field::new(&asked.server, name);
    let quiet_m = field.play(span).error_m;
    let attack = (name != "nobody").then(|| field.attack(name, asked.seconds + 4.0));
    // It takes effect first.
    field.play(Duration::from_secs(2));
    let besieged = field.play(span);
    if let Some(mut attack) = attack {
        let _ = attack.kill();
        let _ = attack.wait();
    }
    Measured { quiet_m, ..besieged }
}

/// This instant.
#[expect(clippy::disallowed_methods, reason = "real sockets need real deadlines")]
fn instant() -> Instant {
    Instant::now()
}
