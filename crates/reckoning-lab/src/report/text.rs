//! Table as aligned text.

use crate::reproduce::ReportTable;

/// Columns wider than this are broken into lines, so that prose fits a terminal.
const WIDEST: usize = 44;
/// What is longer than `12.3 to 45.6 m/s` is prose, whatever it begins with.
const LONGEST_NUMBER: usize = 18;

/// The table with its title above it, columns aligned: words to the left, numbers to the right.
#[must_use]
pub fn to_text(table: &ReportTable) -> String {
    to_text_within(table, &vec![WIDEST; table.columns.len()])
}

/// The same with the greatest width of each column given.
#[must_use]
pub fn to_text_within(table: &ReportTable, widest: &[usize]) -> String {
    let rows: Vec<Vec<Vec<String>>> =
        table.rows.iter().map(|row| broken_row(row, widest)).collect();
    let count = table.columns.len();
    let widths: Vec<usize> = (0..count).map(|column| width(table, &rows, column)).collect();
    let right: Vec<bool> = (0..count).map(|column| is_numeric(table, column)).collect();
    let mut text = format!("{}\n", table.title);
    push_line(&mut text, &widths, &right, |column| &table.columns[column]);
    text.push_str(&"-".repeat(widths.iter().sum::<usize>() + 2 * count.saturating_sub(1)));
    text.push('\n');
    for row in &rows {
        let high = row.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..high {
            let cell = |column: usize| row.get(column).and_then(|it| it.get(line));
            push_line(&mut text, &widths, &right, |column| cell(column).map_or("", String::as_str));
        }
    }
    text
}

fn push_line<'a>(
    text: &mut String,
    widths: &[usize],
    right: &[bool],
    cell: impl Fn(usize) -> &'a str,
) {
    let mut line = String::new();
    for (column, (&width, &right)) in widths.iter().zip(right).enumerate() {
        let cell = cell(column);
        let space = if column == 0 { "" } else { "  " };
        let padded =
            if right { format!("{space}{cell:>width$}") } else { format!("{space}{cell:<width$}") };
        line.push_str(&padded);
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

fn width(table: &ReportTable, rows: &[Vec<Vec<String>>], column: usize) -> usize {
    let lines = rows.iter().filter_map(|row| row.get(column)).flatten();
    lines.chain([&table.columns[column]]).map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Whether every cell of a column is short and begins like a number.
pub(super) fn is_numeric(table: &ReportTable, column: usize) -> bool {
    let mut cells = table.rows.iter().filter_map(|row| row.get(column));
    let looks = |cell: &String| {
        let starts = cell.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c));
        starts && cell.chars().count() <= LONGEST_NUMBER
    };
    column > 0 && !table.rows.is_empty() && cells.all(looks)
}

fn broken_row(row: &[String], widest: &[usize]) -> Vec<Vec<String>> {
    row.iter().zip(widest).map(|(cell, &widest)| broken(cell, widest)).collect()
}

/// Prose in lines of at most so many characters, broken at spaces; longer words anywhere.
pub(super) fn broken(cell: &str, widest: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in cell.split_whitespace().flat_map(|word| pieces(word, widest)) {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.is_empty() {
            line.push_str(&word);
        } else if line.chars().count() + 1 + word.chars().count() <= widest {
            line.push(' ');
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

/// A word in parts that fit a line.
fn pieces(word: &str, widest: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(widest.max(1)).map(|part| part.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 2]]) -> ReportTable {
        ReportTable {
            title: "ways".into(),
            columns: vec!["name".into(), "error".into()],
            rows: rows.iter().map(|row| row.map(String::from).to_vec()).collect(),
        }
    }

    #[test]
    fn numbers_stand_right_and_words_left() {
        let text = to_text(&table(&[["hold", "12.5"], ["accelerating", "3"]]));
        assert_eq!(
            text,
            "ways\nname          error\n-------------------\nhold           12.5\naccelerating      3\n"
        );
    }

    #[test]
    fn long_prose_is_broken_at_spaces() {
        let why = "the published setting leaves open how often the body turns";
        let text = to_text(&table(&[["li", why]]));
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.contains("how often\n") && text.contains("  the body turns\n"), "{text}");
    }
}
