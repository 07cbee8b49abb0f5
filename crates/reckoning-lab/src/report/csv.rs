//! Every row as comma-separated values.

use std::fmt::Write;

use crate::compare::{ClosedRow, Comparison, OpenRow};

/// The names of [`comparison_json`](super::comparison_json), in the order of the columns.
const HEADER: &str = "kind,source,session,predictor,delay_ms,aee,aee_low,aee_high,hit_rate,best,good,bad,\
                      unacceptable,n,bound,packets_per_entity_s,packets_low,packets_high,mean_error,\
                      shown_error_100ms,shown_error_link,roughness,in_walls";

/// One table with all rows of both kinds; cells that a kind does not have, or whose value is
/// not known, are empty. Texts are quoted where they must be.
#[must_use]
pub fn comparison_csv(comparison: &Comparison) -> String {
    let mut csv = format!("{HEADER}\n");
    comparison.open.iter().for_each(|row| push_open(&mut csv, row));
    comparison.closed.iter().for_each(|row| push_closed(&mut csv, row));
    csv
}

fn push_open(csv: &mut String, row: &OpenRow) {
    push_names(csv, "open", [&row.source, &row.session, &row.predictor]);
    let _ = write!(csv, ",{}", row.delay_ms);
    push_numbers(csv, [row.aee, row.aee_low, row.aee_high, row.hit_rate].map(Some));
    push_numbers(csv, row.classes.map(Some));
    let _ = writeln!(csv, ",{}{}", row.n, ",".repeat(9));
}

fn push_closed(csv: &mut String, row: &ClosedRow) {
    push_names(csv, "closed", [&row.source, &row.session, &row.predictor]);
    csv.push_str(&",".repeat(10));
    push_numbers(csv, [row.bound, row.packets_per_entity_s].map(Some));
    push_numbers(csv, [row.packets_low, row.packets_high].map(Some));
    push_numbers(csv, [row.mean_error, row.shown_error_100ms].map(Some));
    push_numbers(csv, [row.shown_error_link, Some(row.roughness), row.in_walls]);
    csv.push('\n');
}

fn push_names(csv: &mut String, kind: &str, names: [&String; 3]) {
    csv.push_str(kind);
    for name in names {
        csv.push(',');
        csv.push_str(&quoted(name));
    }
}

fn push_numbers<const N: usize>(csv: &mut String, values: [Option<f64>; N]) {
    for value in values {
        csv.push(',');
        if let Some(value) = value.filter(|value| value.is_finite()) {
            let _ = write!(csv, "{value}");
        }
    }
}

/// As RFC 4180 wants it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
