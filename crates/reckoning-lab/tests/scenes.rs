//! The committed scene table is what the engine does today.

use std::path::Path;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scenes.txt");
/// How many differing lines a failure prints.
const SHOWN: usize = 8;

#[test]
fn the_committed_scene_table_is_current() {
    let new = reckoning_lab::scene_table().unwrap();
    let old = std::fs::read_to_string(Path::new(COMMITTED)).unwrap_or_default();
    assert!(
        old == new,
        "testdata/scenes.txt is not what the engine does now:\n{}\n\
         If the change is wanted, regenerate it with `cargo xtask tables` and commit it.",
        first_differences(&old, &new)
    );
}

fn first_differences(old: &str, new: &str) -> String {
    let (mut old_lines, mut new_lines) = (old.lines(), new.lines());
    let mut differences = Vec::new();
    for number in 1.. {
        let pair = (old_lines.next(), new_lines.next());
        match pair {
            (None, None) => break,
            (old, new) if old == new => {}
            (old, new) => differences.push(format!(
                "line {number}\n  old {}\n  new {}",
                old.unwrap_or("(none)"),
                new.unwrap_or("(none)")
            )),
        }
    }
    let more = differences.len().saturating_sub(SHOWN);
    differences.truncate(SHOWN);
    if more > 0 {
        differences.push(format!("and {more} more lines"));
    }
    differences.join("\n")
}
