//! The table of what bindings make of the golden scenes: one row for each language and scene.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// From the root folder.
const TABLE: &str = "testdata/bindings/results.txt";
const ROW: &str = "golden ";

/// Compares the rows among what a test printed with the table's, or puts them there.
pub fn compare(root: &Path, printed: &str, writes: bool) -> Result<(), Failure> {
    let path = root.join(TABLE);
    let table = fs::read_to_string(&path).unwrap_or_default();
    if writes {
        let text = merged(&table, printed);
        return fs::write(&path, text).map_err(|error| Failure::Unwritable { path, error });
    }
    match missing(&table, printed) {
        None => Ok(()),
        Some(row) => Err(Failure::Binding {
            complaint: format!("{TABLE} lacks the row `{row}`: is it right? then add --write"),
        }),
    }
}

fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|it| it.starts_with(ROW))
}

/// A row, or that there are none, which the table does not have.
fn missing(table: &str, printed: &str) -> Option<String> {
    if rows(printed).next().is_none() {
        return Some(format!("{ROW}..., for none was printed"));
    }
    rows(printed).find(|row| !rows(table).any(|it| it == *row)).map(String::from)
}

/// The table with these rows in place of those of the same language and scene.
fn merged(table: &str, printed: &str) -> String {
    let key = |row: &str| row.split(':').next().unwrap_or_default().to_owned();
    let new: Vec<&str> = rows(printed).collect();
    let kept = rows(table).filter(|row| !new.iter().any(|it| key(it) == key(row)));
    let mut all: Vec<&str> = kept.chain(new.iter().copied()).collect();
    all.sort_unstable();
    all.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "golden c car: 0 differ\ngolden js car: 0 differ\n";

    #[test]
    fn a_row_that_is_new_or_missing_is_named() {
        assert_eq!(missing(TABLE, "x\ngolden c car: 0 differ\n"), None);
        let row = missing(TABLE, "golden c car: 1 differ\n");
        assert_eq!(row.as_deref(), Some("golden c car: 1 differ"));
        assert!(missing(TABLE, "nothing\n").is_some());
    }

    #[test]
    fn new_rows_take_the_place_of_old_ones() {
        let merged = merged(TABLE, "golden c car: 2 differ\n");
        assert_eq!(merged, "golden c car: 2 differ\ngolden js car: 0 differ\n");
    }
}
