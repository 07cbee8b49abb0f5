//! Many players whose server is restarted come back at once, and the server keeps its pace.

mod support;

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::Duration;

use support::process::{Process, serve_as_child};
use support::{Native, instant, wait_for};

/// Steps of the server in a second.
const TICK_HZ: f64 = 60.0;

/// All of them are behind one address, and the operator knows.
const CROWD: [&str; 5] = [
    "limits.connections_per_address=1000",
    "limits.connects_per_s_per_address=1000",
    "limits.datagrams_per_s_per_address=100000",
    "limits.pending_handshakes=512",
    "limits.peers=300",
];

#[test]
#[ignore = "the server that the other tests start"]
fn server_process() {
    serve_as_child();
}

fn start(address: Option<SocketAddr>, flags: &[&str]) -> Process {
    let listen = address.map(|address| format!("listen={:?}", address.to_string()));
    let flags: Vec<&str> = flags.iter().copied().chain(listen.as_deref()).collect();
    Process::start(&flags)
}

/// A frame of all; whether each has joined so often and owns a body.
fn joined(players: &mut [Native], times: u32) -> usize {
    players.iter_mut().for_each(Native::frame);
    players.iter().filter(|it| it.joins >= times && it.is_joined() && it.mine.is_some()).count()
}

/// The time that this share of all steps took at most, by the buckets of the histogram.
fn tick_quantile_s(server: &Process, share: f64) -> f64 {
    let text = support::get(server.operator, "/metrics");
    let bucket = |line: &str| {
        let (le, count) =
            line.strip_prefix("reckoning_tick_seconds_bucket{le=\"")?.split_once("\"} ")?;
        Some((le.parse().unwrap_or(f64::INFINITY), count.parse::<f64>().ok()?))
    };
    let buckets: Vec<(f64, f64)> = text.lines().filter_map(bucket).collect();
    let all = buckets.last().expect("a histogram").1;
    buckets.iter().find(|(_, count)| *count >= share * all).map_or(f64::INFINITY, |it| it.0)
}

/// Restarts the server under so many players. How long until all are back, and the 99 % and longest
/// steps of the new server until they have played for a while.
fn restart_under(count: usize, plays: Duration) -> (Duration, f64, f64) {
    let mut server = start(None, &CROWD);
    let address = server.address;
    let mut players: Vec<Native> = (0..count).map(|_| Native::new(address)).collect();
    wait_for("all have joined", 60.0, || joined(&mut players, 1) == count);
    server.kill();
    drop(server);
    // As long as it takes to start anew; nobody may have noticed yet.
    let begin = instant();
    while begin.elapsed() < Duration::from_secs(1) {
        joined(&mut players, 1);
        sleep(support::FRAME);
    }
    let server = start(Some(address), &CROWD);
    let started = instant();
    // Sessions notice after three seconds of silence; from then on they try.
    let back = wait_for("all are back", 10.0, || joined(&mut players, 2) == count);
    while started.elapsed() < plays {
        joined(&mut players, 2);
        sleep(support::FRAME);
    }
    (back, tick_quantile_s(&server, 0.99), tick_quantile_s(&server, 1.0))
}

#[test]
fn a_crowd_whose_server_was_restarted_is_back_within_ten_seconds() {
    let (back, p99_s, longest_s) = restart_under(48, Duration::ZERO);
    println!("48 players: back after {back:.2?}, steps of {p99_s} s (99 %), {longest_s} s at most");
}

#[test]
#[ignore = "wants a quiet machine and release; cargo xtask soak runs it"]
fn two_hundred_and_fifty_six_are_back_within_ten_seconds() {
    let (back, p99_s, longest_s) = restart_under(256, Duration::from_secs(10));
    println!(
        "256 players: back after {back:.2?}, steps of {p99_s} s (99 %), {longest_s} s at most"
    );
    assert!(p99_s <= 1.0 / TICK_HZ, "a step has {:.4} s", 1.0 / TICK_HZ);
}

/// With the usual limits an address may have 64 connections and open 32 a second: the others back
/// off, are turned away, try again, and get in as soon as there is room.
#[test]
fn more_than_an_address_may_connect_at_once_get_in_one_after_the_other() {
    let limits = ["limits.connects_per_s_per_address=4", "limits.connections_per_address=24"];
    let server = start(None, &limits);
    let mut players: Vec<Native> = (0..30).map(|_| Native::new(server.address)).collect();
    wait_for("the address is full", 30.0, || joined(&mut players, 1) == 24);
    assert!(players.iter().all(|it| it.refusals.is_empty()), "nobody gives up");
    let (inside, mut outside): (Vec<_>, Vec<_>) = players.into_iter().partition(Native::is_joined);
    let left = outside.len();
    drop(inside); // they go, and there is room
    wait_for("the others get in", 30.0, || joined(&mut outside, 1) == left);
}
