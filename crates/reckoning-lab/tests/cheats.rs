//! The committed table of cheats, and what it must say.

use std::path::Path;

use reckoning_lab::bots;
use reckoning_lab::cheats::cheat_tables;
use reckoning_recording::load_sessions;

#[path = "../../reckoning-recording/tests/support/mod.rs"]
mod support;

fn committed() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cheats.txt");
    std::fs::read_to_string(path).unwrap()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The whole table takes minutes: `reckon lab cheats --data ../shared/data`.
#[test]
fn the_quake_rows_of_the_committed_table_are_found_again() {
    let Some(data) = support::data("the_quake_rows_of_the_committed_table_are_found_again") else {
        return;
    };
    let recordings = load_sessions(&data.join("quakeworld")).unwrap();
    let tables = cheat_tables(&recordings, &|_, _| {}).unwrap();
    let committed = committed();
    for row in tables.iter().flat_map(|table| &table.rows) {
        let row = row.join(" ");
        let there = committed.lines().any(|line| words(line) == words(&row));
        assert!(there, "not in testdata/cheats.txt: {row}");
    }
}

#[test]
fn no_honest_player_of_any_recording_is_thrown_out() {
    let committed = committed();
    let honest = committed.lines().skip(3).take_while(|line| !line.is_empty());
    let mut rows = 0;
    for line in honest {
        assert_eq!(words(line).last(), Some(&"0"), "{line}");
        rows += 1;
    }
    // Five sources, four publishers, two links.
    assert!(rows >= 40, "only {rows} rows in testdata/cheats.txt");
}

#[test]
fn bots_that_play_honestly_are_not_thrown_out_and_fast_ones_are_caught() {
    let tables = cheat_tables(&bots::sessions(), &|_, _| {}).unwrap();
    for row in &tables[0].rows {
        assert_eq!(row.last().map(String::as_str), Some("0"), "{row:?}");
    }
    let row = tables[1].rows.iter().find(|row| row[1] == "speed x3").unwrap();
    let share: f64 = row[7].parse().unwrap();
    assert!(share > 20.0, "{row:?}");
}
