//! Every row as comma-separated values.

use std::fmt::Write;

use super::angles;
use super::pool::with_spread;
use crate::compare::{ClosedAngleRow, ClosedRow, Comparison, OpenAngleRow, OpenRow, ReceiverRow};

/// The names of [`comparison_json`](super::comparison_json), in the order of the columns.
const HEADER: &str = "kind,source,session,predictor,delay_ms,aee,aee_low,aee_high,hit_rate,hit_within,best,good,\
                      bad,unacceptable,n,bound,packets_per_entity_s,packets_low,packets_high,mean_error,\
                      shown_error_100ms,shown_error_link,roughness,in_walls,receiver,shown_error,before,\
                      after,cee,eee,receiver_aee,inert";

/// Columns that only rows of one kind have.
const OPEN: usize = 11;
const CLOSED: usize = 9;
const RECEIVER: usize = 7;

/// One table with all rows of both kinds, and one for each receiver of a closed row, followed
/// by the receivers' mean and standard deviation under these names; cells that a kind does not have, or whose value is
/// not known, are empty. Texts are quoted where they must be. Where orientations or joints are
/// recorded, further columns and rows tell of them (`open-angle`, `closed-angle`).
#[must_use]
pub fn comparison_csv(comparison: &Comparison) -> String {
    let angled = angles::any(comparison);
    let more: Vec<&str> = angles::COLUMNS.into_iter().filter(|_| angled).collect();
    let header = more.iter().fold(HEADER.to_string(), |line, name| line + "," + name);
    // What rows without angles have in the columns of angles.
    let none = ",".repeat(more.len());
    let mut csv = format!("{header}\n");
    comparison.open.iter().for_each(|row| push_open(&mut csv, row, &none));
    comparison.closed.iter().for_each(|row| push_closed(&mut csv, row, &none));
    for row in &comparison.closed {
        for receiver in with_spread(row) {
            push_receiver(&mut csv, row, &receiver, &none);
        }
    }
    comparison.open_angles.iter().for_each(|row| push_open_angle(&mut csv, row));
    comparison.closed_angles.iter().for_each(|row| push_closed_angle(&mut csv, row));
    csv
}

fn push_open_angle(csv: &mut String, row: &OpenAngleRow) {
    push_names(csv, "open-angle", [&row.source, &row.session, &row.predictor]);
    let _ = write!(csv, ",{}{}{}", row.delay_ms, ",".repeat(OPEN - 1), row.n);
    let _ = writeln!(csv, "{}{}", ",".repeat(CLOSED + RECEIVER + 1), angles::open_csv(row));
}

fn push_closed_angle(csv: &mut String, row: &ClosedAngleRow) {
    push_names(csv, "closed-angle", [&row.source, &row.session, &row.predictor]);
    let _ = write!(csv, "{}{}", ",".repeat(OPEN), row.n);
    let _ = writeln!(csv, "{}{}", ",".repeat(CLOSED + RECEIVER + 1), angles::closed_csv(row));
}

fn push_open(csv: &mut String, row: &OpenRow, none: &str) {
    push_names(csv, "open", [&row.source, &row.session, &row.predictor]);
    let _ = write!(csv, ",{}", row.delay_ms);
    push_numbers(csv, [row.aee, row.aee_low, row.aee_high].map(Some));
    push_numbers(csv, [row.hit_rate, row.hit_within].map(Some));
    push_numbers(csv, row.classes.map(Some));
    let inert = reason(row.inert.as_ref());
    let _ = writeln!(csv, ",{}{},{inert}{none}", row.n, ",".repeat(CLOSED + RECEIVER));
}

fn push_closed(csv: &mut String, row: &ClosedRow, none: &str) {
    push_names(csv, "closed", [&row.source, &row.session, &row.predictor]);
    csv.push_str(&",".repeat(OPEN));
    push_numbers(csv, [row.bound, row.packets_per_entity_s].map(Some));
    push_numbers(csv, [row.packets_low, row.packets_high].map(Some));
    push_numbers(csv, [row.mean_error, row.shown_error_100ms].map(Some));
    push_numbers(csv, [row.shown_error_link, Some(row.roughness), row.in_walls]);
    let inert = reason(row.inert.as_ref());
    let _ = writeln!(csv, "{},{inert}{none}", ",".repeat(RECEIVER));
}

fn push_receiver(csv: &mut String, row: &ClosedRow, it: &ReceiverRow, none: &str) {
    push_names(csv, "receiver", [&row.source, &row.session, &row.predictor]);
    let _ = write!(csv, "{},{}", ",".repeat(OPEN + CLOSED), quoted(&it.receiver));
    push_numbers(csv, [it.shown_error, it.before, it.after].map(Some));
    push_numbers(csv, [it.cee, it.eee, it.aee].map(Some));
    let _ = writeln!(csv, ",{}{none}", reason(row.inert.as_ref()));
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

/// Why a predictor had nothing to go by; empty where it had.
fn reason(inert: Option<&String>) -> String {
    inert.map_or_else(String::new, |it| quoted(it))
}

/// As RFC 4180 wants it.
pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
