//! Predictors that have nothing to go by are marked, and their numbers are not shown as results.

use reckoning_arena::Mode;
use reckoning_lab::bots;
use reckoning_lab::compare::{CompareConfig, Comparison, compare};
use reckoning_lab::report::{comparison_csv, comparison_json, comparison_tables, to_text};
use reckoning_recording::Recording;

fn compared(recording: Recording) -> Comparison {
    let names = ["linear", "interest", "trend", "oaekb"];
    let config = CompareConfig {
        predictors: names.map(|name| name.parse().unwrap()).to_vec(),
        ..CompareConfig::default()
    };
    compare(&config, &[recording], &|_, _| ()).unwrap()
}

/// As many recordings are: no health, no ammunition, no items, no map.
fn bare() -> Recording {
    let mut play = bots::session("tank-field", 4, 20, Mode::FreeForAll, 9).unwrap();
    for sample in play.tracks.iter_mut().flat_map(|track| &mut track.samples) {
        (sample.health, sample.ammo) = (None, None);
    }
    play.level.shapes.clear();
    play.level.items.clear();
    play
}

#[test]
fn who_has_nothing_to_go_by_is_marked_in_every_form() {
    let found = compared(bare());
    for row in &found.open {
        assert_eq!(row.inert.is_some(), row.predictor != "linear", "{row:?}");
    }
    let text: String = comparison_tables(&found).iter().map(to_text).collect();
    let marked = |line: &&str| ["interest", "trend", "oaekb"].iter().any(|it| line.starts_with(it));
    for line in text.lines().filter(marked) {
        let digits = line.chars().any(|c| c.is_ascii_digit());
        assert!(!digits, "shown as a result: {line}");
    }
    assert!(text.contains("(inert,"), "{text}");
    assert!(comparison_json(&found).contains("\"inert\":\"as straight on: no health"));
    let csv = comparison_csv(&found);
    let columns = |line: &str| line.split(',').count();
    assert!(csv.lines().all(|line| columns(line) == columns(csv.lines().next().unwrap())), "{csv}");
}

#[test]
fn who_has_something_to_go_by_is_not_marked() {
    let play = bots::session("tank-field", 4, 20, Mode::FreeForAll, 9).unwrap();
    let found = compared(play);
    let inert: Vec<&str> = found
        .closed
        .iter()
        .filter(|row| row.inert.is_some())
        .map(|row| row.predictor.as_str())
        .collect();
    assert_eq!(inert, ["trend"], "nobody else was seen on this map");
}
