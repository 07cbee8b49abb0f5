//! Reproductions as text that a person can read and a difference can show.

use std::fmt;

use super::{Claim, ReportTable, Reproduction};

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.document, self.claim)?;
        writeln!(f, "  published  {}", self.published)?;
        writeln!(f, "  measured   {}", self.measured)?;
        writeln!(f, "  rule       {}: {}", self.rule, self.why)?;
        writeln!(f, "  verdict    {} ({}, {})", self.verdict, self.kind, self.place)?;
        if self.cause.is_empty() { Ok(()) } else { writeln!(f, "  cause      {}", self.cause) }
    }
}

impl fmt::Display for ReportTable {
    /// The first column to the left, the others to the right.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let widths = self.widths();
        for row in std::iter::once(&self.columns).chain(&self.rows) {
            let cells = row.iter().zip(&widths).enumerate().map(|(place, (cell, &width))| {
                if place == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            writeln!(f, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

impl ReportTable {
    /// How wide each column is.
    fn widths(&self) -> Vec<usize> {
        let width = |place: usize| {
            let rows = std::iter::once(&self.columns).chain(&self.rows);
            rows.filter_map(|row| row.get(place)).map(|cell| cell.chars().count()).max()
        };
        (0..self.columns.len()).map(|place| width(place).unwrap_or(0)).collect()
    }
}

impl fmt::Display for Reproduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for claim in &self.claims {
            writeln!(f, "{claim}")?;
        }
        for table in &self.tables {
            writeln!(f, "{table}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = ReportTable::new("lengths", &["name", "m"]);
        table.rows.push(vec!["a".to_owned(), "12.5".to_owned()]);
        assert_eq!(table.to_string(), "lengths\n  name     m\n  a     12.5\n");
    }
}
