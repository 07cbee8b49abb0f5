//! SHI's evaluation at full size: six predictors, seven delays, every tick, every player.
//!
//! First a session as long as the document's longest, 28 minutes of 15 players at 60 Hz; the
//! goal is a minute on two cores. Then shorter ones with up to ten times the players: SHI's
//! cost of a prediction grows with the square of their number, ours must not.
//!
//! `cargo bench -p reckoning-lab --bench shi`

use std::time::Instant;

use reckoning_arena::Mode;
use reckoning_lab::bots;
use reckoning_lab::compare::{CompareConfig, compare};
use reckoning_recording::Recording;

const PREDICTORS: [&str; 6] = ["linear", "interest", "ekb", "oaekb", "ekb-hybrid", "oaekb-hybrid"];

fn main() {
    // Without this, cargo only wants to see that it runs: `cargo test --all-targets`.
    let earnest = std::env::args().any(|arg| arg == "--bench");
    let (long_s, short_s) = if earnest { (28 * 60, 60) } else { (2, 1) };
    println!("players  seconds  predictions     took  ns each  to the first");
    let first = measure(15, long_s, None);
    for players in [15, 30, 60, 150] {
        measure(players, short_s, Some(first));
    }
}

/// Prints a row and gives the nanoseconds of a prediction.
fn measure(players: u16, seconds: u32, first_ns: Option<f64>) -> f64 {
    let played: Recording = bots::session("proving-grounds", players, seconds, Mode::TwoTeams, 3)
        .expect("the level is built in");
    let config = CompareConfig {
        predictors: PREDICTORS.map(|name| name.parse().expect("a name of the lab")).to_vec(),
        closed_loop: false,
        ..CompareConfig::default()
    };
    let start = now();
    let result = compare(&config, &[played], &|_, _| {}).expect("sound settings");
    let took_s = start.elapsed().as_secs_f64();
    let predictions: u64 = result.open.iter().map(|row| row.n).sum();
    let each_ns = took_s * 1e9 / predictions as f64;
    let ratio = each_ns / first_ns.unwrap_or(each_ns);
    println!(
        "{players:>7}  {seconds:>7}  {predictions:>11}  {took_s:>5.1} s  {each_ns:>7.0}  {ratio:>12.2}"
    );
    each_ns
}

#[expect(clippy::disallowed_methods, reason = "time is what is measured here")]
fn now() -> Instant {
    Instant::now()
}
