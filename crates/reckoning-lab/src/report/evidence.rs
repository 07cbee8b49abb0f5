//! Which tables stand behind which claims.

use crate::reproduce::{Claim, ReportTable};

/// Ids of claims as they begin, with how the title of a table behind them begins. The longest
/// beginning that fits counts; a claim that none fits has all tables of its document behind it.
const BEHIND: [(&str, &str); 33] = [
    ("murphy-", "MURPHY by the book"),
    ("murphy-table", "MURPHY Table 18.1"),
    ("murphy-five", "MURPHY Table 18.1"),
    ("murphy-falling", "MURPHY Table 18.1"),
    ("murphy-every", "MURPHY Table 18.1"),
    ("murphy-narrow", "MURPHY Table 18.1"),
    ("murphy-without", "MURPHY Table 18.1"),
    ("murphy-c1", "MURPHY on continuity"),
    ("murphy-hidden", "MURPHY on continuity"),
    ("murphy-average", "MURPHY on publishing"),
    ("murphy-rates", "MURPHY on publishing"),
    ("murphy-traffic", "MURPHY on publishing"),
    ("murphy-acceleration", "MURPHY on acceleration"),
    ("murphy-spikes", "MURPHY on acceleration"),
    ("murphy-frames-help", "MURPHY on acceleration"),
    ("murphy-damping", "MURPHY on acceleration"),
    ("murphy-clamping", "MURPHY on the ground"),
    ("murphy-prevention", "MURPHY on the ground"),
    ("murphy-path", "MURPHY on other modes"),
    ("murphy-delayed", "MURPHY on other modes"),
    ("thesis-", "THESIS chapter 2"),
    ("thesis-first", "THESIS chapter 3"),
    ("thesis-second", "THESIS chapter 3"),
    ("thesis-hysteresis", "THESIS chapter 3"),
    ("thesis-lottery", "THESIS chapter 3"),
    ("thesis-heartbeats", "THESIS section 3.5"),
    ("thesis-budget", "THESIS chapter 3"),
    ("thesis-drawn", "THESIS chapter 3"),
    ("thesis-turns", "THESIS chapter 3"),
    ("thesis-lower", "THESIS section 3.5"),
    ("thesis-threshold", "THESIS section 3.5"),
    ("shi-quakeworld", "SHI: mean error on QuakeWorld"),
    ("shi-football", "SHI: mean error on football"),
];

/// Beginnings of titles that name no document.
const DOCUMENTS: [&str; 5] = ["MURPHY", "THESIS", "LI", "SHI", "AntReckoning"];

/// The tables behind a claim, with their places.
pub(super) fn tables_behind<'a>(
    claim: &Claim,
    tables: &'a [ReportTable],
) -> impl Iterator<Item = (usize, &'a ReportTable)> {
    let fitting = BEHIND.iter().filter(|(id, _)| claim.id.starts_with(id));
    let title = fitting.max_by_key(|(id, _)| id.len()).map(|(_, title)| *title);
    let title = title.filter(|title| tables.iter().any(|table| table.title.starts_with(title)));
    let document = claim.document.name().to_uppercase();
    tables.iter().enumerate().filter(move |(_, table)| match title {
        Some(title) => table.title.starts_with(title),
        None => is_of(&document, &table.title),
    })
}

/// Whether a table is of this document. Those of STEELE do not say so.
fn is_of(document: &str, title: &str) -> bool {
    let named = DOCUMENTS
        .iter()
        .find(|name| title.strip_prefix(**name).is_some_and(|rest| rest.starts_with([' ', ':'])));
    named.map_or(document == "STEELE", |name| name.to_uppercase().starts_with(document))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(title: &str) -> ReportTable {
        ReportTable { title: title.to_owned(), columns: Vec::new(), rows: Vec::new() }
    }

    #[test]
    fn tables_are_told_apart_by_document() {
        assert!(is_of("LI", "LI: mean error") && !is_of("LI", "LINES of sight"));
        assert!(is_of("ANT", "AntReckoning: mean error") && !is_of("STEELE", "AntReckoning: mean"));
        assert!(is_of("STEELE", "Thresholds, open") && !is_of("SHI", "Thresholds, open"));
        assert!(table("SHI: hits").title.starts_with("SHI"));
    }
}
