//! The committed table of bytes is what the wire costs today.

#[path = "../../reckoning-recording/tests/support/mod.rs"]
mod support;

use std::path::Path;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/wire.txt");

#[test]
fn the_committed_wire_table_is_current_and_within_its_goals() {
    let Some(data) = support::data("the_committed_wire_table_is_current") else { return };
    let new = reckoning_lab::wire_cost::wire_table(&data).unwrap();
    let old = std::fs::read_to_string(Path::new(COMMITTED)).unwrap_or_default();
    let first = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert!(
        old == new,
        "testdata/wire.txt is not what the wire costs now; the first difference is {first:#?}\n\
         If the change is wanted, regenerate it with `cargo xtask tables` and commit it."
    );
    let goals = "16 bytes 2-D, 24 bytes 3-D and 4 bytes on a path at most, on average";
    assert_eq!(over_goal(&new), [""; 0], "{goals}");
}

/// Rows whose mean of `acked` is above the goal of their section.
fn over_goal(table: &str) -> Vec<&str> {
    let mut goal = f64::NAN;
    let mut over = Vec::new();
    for line in table.lines() {
        if line.contains(", 2-D (") || line.contains(", 3-D (") {
            goal = if line.contains("2-D") { 16.0 } else { 24.0 };
        }
        let row = line.split_once(" width ").map(|(_, cells)| cells.split_whitespace());
        if let Some(mean) = row.and_then(|mut cells| cells.nth(1)?.parse::<f64>().ok()) {
            let goal = if line.trim_start().starts_with("path,") { 4.0 } else { goal };
            // A goal that was not found is not met.
            if !matches!(mean.partial_cmp(&goal), Some(std::cmp::Ordering::Less)) {
                over.push(line);
            }
        }
    }
    over
}

#[test]
fn rows_above_the_goal_are_found() {
    let table = "x, 2-D (a)\n  linear, 1 width   5  16.1  1\n  linear, 1/2 width 5  15.9  1\n  \
                 path, 1 width 5 4.1 1\n  path, 1/2 width 5 3.9 1\n";
    let over = ["  linear, 1 width   5  16.1  1", "  path, 1 width 5 4.1 1"];
    assert_eq!(over_goal(table), over);
}
