//! Speed of the engine, as figures a reader can compare.
//!
//! Absolute times differ between machines and moods of one machine. So every comparison
//! here is a ratio, taken in one run with the opponents in turns, and the run ends with one
//! table. Nothing is asserted: a slow day is not a bug.
//!
//! `cargo bench -p reckoning --features std` (or `rayon`, which adds the threads); the
//! trained predictor has `cargo bench -p reckoning-predict`.

mod crowd;
mod measure;
mod single;

use measure::Table;

fn main() {
    // Without this, cargo only wants to see that it runs: `cargo test --all-targets`.
    let earnest = std::env::args().any(|arg| arg == "--bench");
    let rounds = if earnest { 60 } else { 1 };
    let mut table = Table::default();
    // 88 MB, beyond any core's own cache, and 0.9 MB, within the second level of most.
    crowd::measure(&mut table, if earnest { 1_000_000 } else { 1_000 }, 1, rounds);
    crowd::measure(&mut table, 10_000, if earnest { 50 } else { 1 }, rounds);
    single::measure(&mut table, rounds);
    measure::report(&table);
}
