//! The committed fair fight is what the arena's planners do today.

use std::path::Path;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/fair-fight.txt");

#[test]
fn the_committed_fair_fight_is_current() {
    let new = reckoning_lab::fair_fight::fair_fight_table().unwrap();
    let old = std::fs::read_to_string(Path::new(COMMITTED)).unwrap_or_default();
    let first = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert!(
        old == new,
        "testdata/fair-fight.txt is not what the arena does now; the first difference is {first:#?}\n\
         If the change is wanted, regenerate it with `cargo xtask tables` and commit it."
    );
}
