//! Speed of the learned predictor beside constant velocity, as ratios taken in one run.
//!
//! `cargo bench -p reckoning-predict --features std`. The harness is the engine's: see
//! `crates/reckoning/benches/speed/measure.rs`.

mod learned;
#[path = "../../../reckoning/benches/speed/measure.rs"]
mod measure;

use measure::Table;

fn main() {
    // Without this, cargo only wants to see that it runs: `cargo test --all-targets`.
    let earnest = std::env::args().any(|arg| arg == "--bench");
    let mut table = Table::default();
    learned::measure(&mut table, if earnest { 60 } else { 1 });
    measure::report(&table);
}
