//! The committed table of the arena over six links is what the arena does today, and says what is
//! promised of it.

use std::path::Path;

use reckoning_lab::arena_links::{GOALS, LINKS, rows};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/arena-links.txt");

fn committed() -> String {
    std::fs::read_to_string(Path::new(COMMITTED)).unwrap_or_default()
}

/// The committed rows of one link.
fn committed_rows(number: usize) -> String {
    let begins = format!("{:<15} ", LINKS[number].0);
    let text = committed();
    let lines = text.lines().filter(|line| line.starts_with(&begins));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn the_rows_are_current(number: usize) {
    let (old, new) = (committed_rows(number), rows(number).unwrap());
    let first = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert!(
        old == new,
        "testdata/arena-links.txt is not what the arena does now; the first difference is \
         {first:#?}\nIf the change is wanted, regenerate it with `cargo xtask tables` and commit it."
    );
}

#[test]
fn the_committed_rows_without_delay_are_current() {
    the_rows_are_current(0);
}

#[test]
fn the_committed_rows_at_50_ms_are_current() {
    the_rows_are_current(1);
}

#[test]
fn the_committed_rows_at_150_ms_with_loss_are_current() {
    the_rows_are_current(2);
}

#[test]
fn the_committed_rows_at_350_ms_are_current() {
    the_rows_are_current(3);
}

#[test]
fn the_committed_rows_at_350_ms_with_bursts_are_current() {
    the_rows_are_current(4);
}

#[test]
fn the_committed_rows_at_300_ms_with_half_lost_are_current() {
    the_rows_are_current(5);
}

/// A field of a row, counted from the right.
fn field(line: &str, back: usize) -> f64 {
    line.split_whitespace().rev().nth(back).unwrap().parse().unwrap()
}

#[test]
fn the_arena_keeps_to_its_goals_and_is_never_worse_than_what_was_received() {
    for (number, goal) in GOALS.into_iter().enumerate() {
        let (name, rows) = (LINKS[number].0, committed_rows(number));
        let of = |way: &str| {
            let named = format!("{name:<15} {way:<19} ");
            rows.lines().find(|line| line.starts_with(&named)).unwrap().to_string()
        };
        let (arena, calm) = (of("arena"), of("calm"));
        let ratio = field(&arena, 5);
        assert!(ratio <= goal && ratio < 1.0, "{name}: {ratio} of the naive game's error");
        let (bytes, before) = (field(&arena, 0), field(&calm, 0));
        assert!(bytes <= 1.05 * before, "{name}: {bytes} bytes/s, {before} when calm");
        for way in ["arena, accelerating", "arena, linear"] {
            let ratio = field(&of(way), 5);
            assert!(ratio < 1.0, "{name}, {way}: {ratio} of the naive game's error");
        }
    }
}
