//! The committed table of the hills is what they do today.

use std::path::Path;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/hills.txt");

#[test]
fn the_committed_table_of_the_hills_is_current() {
    let new = reckoning_lab::hills::hills_table().unwrap();
    let old = std::fs::read_to_string(Path::new(COMMITTED)).unwrap_or_default();
    let first = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert!(
        old == new,
        "testdata/hills.txt is not what the hills do now; the first difference is {first:#?}\n\
         If the change is wanted, regenerate it with `cargo xtask tables` and commit it."
    );
}
