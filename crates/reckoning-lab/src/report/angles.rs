//! Errors of orientation and joints, as tables, JSON and comma-separated values.

use std::fmt::Write;

use serde_json::{Value, json};

use super::csv::quoted;
use super::pool::distinct;
use super::tables::number;
use crate::compare::{ClosedAngleRow, Comparison, OpenAngleRow};
use crate::reproduce::ReportTable;

/// Columns of the comma-separated values that only recordings with angles have.
pub(super) const COLUMNS: [&str; 7] = [
    "joint",
    "bound_deg",
    "updates_per_entity_s",
    "mean_deg",
    "p95_deg",
    "shown_mean_deg",
    "shown_p95_deg",
];

/// What the words of the tables mean; only reports with such tables explain them.
pub(super) const WORDS: [(&str, &str); 2] = [
    (
        "orientation, joints",
        "how far a body or one of its joints is turned away from the truth, in degrees, the short way \
         round. p95 is what 95 of 100 samples are at most; of several sessions, the mean of theirs.",
    ),
    (
        "updates/s of an angle",
        "of the updates that would be sent for this angle alone, per body that has it and second.",
    ),
];

/// Whether there is anything to tell.
pub(super) const fn any(comparison: &Comparison) -> bool {
    !(comparison.open_angles.is_empty() && comparison.closed_angles.is_empty())
}

/// Three tables of one source, or of one of its sessions; none where no angles are recorded.
pub(super) fn tables(
    comparison: &Comparison,
    source: &str,
    session: Option<&str>,
    title: &str,
) -> Vec<ReportTable> {
    let wanted = |of: &str, own: &str| of == source && session.is_none_or(|it| it == own);
    let open = comparison.open_angles.iter().filter(|row| wanted(&row.source, &row.session));
    let closed = comparison.closed_angles.iter().filter(|row| wanted(&row.source, &row.session));
    let open = pooled_open(&open.collect::<Vec<_>>());
    let closed = pooled_closed(&closed.collect::<Vec<_>>());
    let what = format!("{title}: orientation and joints");
    let tables = [
        delay_table(format!("{what}, mean error by delay in degrees"), &open, |row| row.mean_deg),
        delay_table(format!("{what}, p95 by delay in degrees"), &open, |row| row.p95_deg),
        closed_table(format!("{what} at the bound, errors in degrees"), &closed),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// The name of an angle in tables.
fn name(joint: Option<&String>) -> &str {
    joint.map_or("orientation", String::as_str)
}

fn delay_table(
    title: String,
    rows: &[OpenAngleRow],
    value: fn(&OpenAngleRow) -> f64,
) -> ReportTable {
    let mut delays = distinct(rows.iter().map(|row| row.delay_ms));
    delays.sort_unstable();
    let columns = ["predictor", "angle"].map(String::from).into_iter();
    let columns = columns.chain(delays.iter().map(|delay| format!("{delay} ms")));
    let keys = distinct(rows.iter().map(|row| (&row.predictor, &row.joint)));
    let cells = |key: (&String, &Option<String>)| {
        let own = |row: &&OpenAngleRow| (&row.predictor, &row.joint) == key;
        let at = |delay: &u64| rows.iter().filter(own).find(|row| row.delay_ms == *delay);
        let cell = |delay: &u64| at(delay).map_or_else(|| "-".to_string(), |it| number(value(it)));
        let names = [key.0.clone(), name(key.1.as_ref()).to_string()];
        names.into_iter().chain(delays.iter().map(cell)).collect()
    };
    let columns = columns.chain(["n".to_string()]).collect();
    let count = |key: (&String, &Option<String>)| -> u64 {
        rows.iter().filter(|row| (&row.predictor, &row.joint) == key).map(|row| row.n).sum()
    };
    let line = |key| {
        let mut line: Vec<String> = cells(key);
        line.push(count(key).to_string());
        line
    };
    ReportTable { title, columns, rows: keys.into_iter().map(line).collect() }
}

fn closed_table(title: String, rows: &[ClosedAngleRow]) -> ReportTable {
    let columns = [
        "predictor",
        "angle",
        "bound",
        "updates/s",
        "mean error",
        "p95",
        "shown 100 ms",
        "shown p95",
    ];
    let cells = |row: &ClosedAngleRow| {
        let names = [row.predictor.clone(), name(row.joint.as_ref()).to_string()];
        names.into_iter().chain(closed_values(row).map(number)).collect()
    };
    ReportTable {
        title,
        columns: columns.map(String::from).to_vec(),
        rows: rows.iter().map(cells).collect(),
    }
}

const fn closed_values(row: &ClosedAngleRow) -> [f64; 6] {
    let shown = [row.shown_mean_deg, row.shown_p95_deg];
    [row.bound_deg, row.updates_per_entity_s, row.mean_deg, row.p95_deg, shown[0], shown[1]]
}

/// One row for each predictor, angle and delay; sessions count by their predictions.
fn pooled_open(rows: &[&OpenAngleRow]) -> Vec<OpenAngleRow> {
    let keys = distinct(rows.iter().map(|row| (&row.predictor, &row.joint, row.delay_ms)));
    let pooled = |key| {
        let is_own = |row: &&&OpenAngleRow| (&row.predictor, &row.joint, row.delay_ms) == key;
        let own: Vec<&OpenAngleRow> = rows.iter().filter(is_own).copied().collect();
        let n: u64 = own.iter().map(|row| row.n).sum();
        let mean = |value: fn(&OpenAngleRow) -> f64| {
            own.iter().map(|row| value(row) * row.n as f64).sum::<f64>() / n.max(1) as f64
        };
        let (mean_deg, p95_deg) = (mean(|row| row.mean_deg), mean(|row| row.p95_deg));
        OpenAngleRow { mean_deg, p95_deg, n, ..own[0].clone() }
    };
    keys.into_iter().map(pooled).collect()
}

/// One row for each predictor and angle; sessions count by their samples.
fn pooled_closed(rows: &[&ClosedAngleRow]) -> Vec<ClosedAngleRow> {
    let key_of =
        |row: &ClosedAngleRow| (row.predictor.clone(), row.joint.clone(), row.bound_deg.to_bits());
    let pooled = |key| {
        let own: Vec<&ClosedAngleRow> =
            rows.iter().filter(|row| key_of(row) == key).copied().collect();
        let n: u64 = own.iter().map(|row| row.n).sum();
        let mean = |value: fn(&ClosedAngleRow) -> f64| {
            own.iter().map(|row| value(row) * row.n as f64).sum::<f64>() / n.max(1) as f64
        };
        ClosedAngleRow {
            updates_per_entity_s: mean(|row| row.updates_per_entity_s),
            mean_deg: mean(|row| row.mean_deg),
            p95_deg: mean(|row| row.p95_deg),
            shown_mean_deg: mean(|row| row.shown_mean_deg),
            shown_p95_deg: mean(|row| row.shown_p95_deg),
            n,
            ..own[0].clone()
        }
    };
    distinct(rows.iter().map(|row| key_of(row))).into_iter().map(pooled).collect()
}

pub(super) fn open_json(row: &OpenAngleRow) -> Value {
    json!({
        "kind": "open-angle", "source": row.source, "session": row.session,
        "predictor": row.predictor, "joint": row.joint, "delay_ms": row.delay_ms,
        "mean_deg": row.mean_deg, "p95_deg": row.p95_deg, "n": row.n,
    })
}

pub(super) fn closed_json(row: &ClosedAngleRow) -> Value {
    json!({
        "kind": "closed-angle", "source": row.source, "session": row.session,
        "predictor": row.predictor, "joint": row.joint, "bound_deg": row.bound_deg,
        "updates_per_entity_s": row.updates_per_entity_s, "mean_deg": row.mean_deg,
        "p95_deg": row.p95_deg, "shown_mean_deg": row.shown_mean_deg,
        "shown_p95_deg": row.shown_p95_deg, "n": row.n,
    })
}

/// The cells of [`COLUMNS`] for an open row, each with a comma before it.
pub(super) fn open_csv(row: &OpenAngleRow) -> String {
    let joint = quoted(name(row.joint.as_ref()));
    format!(",{joint},,,{},{},,", row.mean_deg, row.p95_deg)
}

/// The same for a closed row.
pub(super) fn closed_csv(row: &ClosedAngleRow) -> String {
    let mut cells = format!(",{}", quoted(name(row.joint.as_ref())));
    for value in closed_values(row) {
        let _ = write!(cells, ",{value}");
    }
    cells
}
