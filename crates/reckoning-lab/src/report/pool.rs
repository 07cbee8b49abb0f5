//! One row per source from the rows of its sessions.
//!
//! Errors by delay are weighted with the number of predictions. Costs at the bound carry no
//! such number, so every session counts the same. The interval of a pooled mean treats
//! sessions as independent: half widths add up as squares.

use crate::compare::{ClosedRow, Comparison, OpenRow, ReceiverRow};

/// Stands in `session` for all sessions of a source.
pub(crate) const ALL: &str = "all";

/// The distinct values of a field, in order of first appearance.
pub(super) fn distinct<'a, T: PartialEq + 'a>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

pub(super) fn sources(comparison: &Comparison) -> Vec<&str> {
    let open = comparison.open.iter().map(|row| row.source.as_str());
    distinct(open.chain(comparison.closed.iter().map(|row| row.source.as_str())))
}

pub(super) fn predictors(comparison: &Comparison) -> Vec<&str> {
    let open = comparison.open.iter().map(|row| row.predictor.as_str());
    let closed = comparison.closed.iter().map(|row| row.predictor.as_str());
    distinct(open.chain(closed).chain(comparison.paths.iter().map(|it| it.predictor.as_str())))
}

/// The delays in the rows, shortest first.
pub(super) fn delays(rows: &[OpenRow]) -> Vec<u64> {
    let mut delays = distinct(rows.iter().map(|row| row.delay_ms));
    delays.sort_unstable();
    delays
}

/// One row for each source, predictor and delay.
pub(crate) fn open(comparison: &Comparison) -> Vec<OpenRow> {
    let key = |row: &OpenRow| (row.source.clone(), row.predictor.clone(), row.delay_ms);
    let keys = distinct(comparison.open.iter().map(key));
    let rows = |wanted| comparison.open.iter().filter(move |row| key(row) == wanted);
    keys.into_iter().map(|wanted| open_row(&rows(wanted).collect::<Vec<_>>())).collect()
}

fn open_row(rows: &[&OpenRow]) -> OpenRow {
    let n: u64 = rows.iter().map(|row| row.n).sum();
    let weight = |row: &OpenRow| row.n as f64 / n.max(1) as f64;
    let mean = |value: &dyn Fn(&OpenRow) -> f64| {
        rows.iter().filter(|row| row.n > 0).map(|row| weight(row) * value(row)).sum::<f64>()
    };
    let half = |value: &dyn Fn(&OpenRow) -> f64| {
        rows.iter().map(|row| weight(row) * value(row)).map(|part| part * part).sum::<f64>().sqrt()
    };
    let aee = mean(&|row| row.aee);
    OpenRow {
        session: ALL.to_string(),
        aee,
        aee_low: aee - half(&|row| row.aee - row.aee_low),
        aee_high: aee + half(&|row| row.aee_high - row.aee),
        hit_rate: mean(&|row| row.hit_rate),
        hit_within: common(rows.iter().map(|row| row.hit_within)),
        classes: [0, 1, 2, 3].map(|class| mean(&|row| row.classes[class])),
        n,
        inert: inert(rows.iter().map(|row| row.inert.as_ref())),
        ..rows[0].clone()
    }
}

/// One row for each source, predictor and bound.
pub(crate) fn closed(comparison: &Comparison) -> Vec<ClosedRow> {
    let key = |row: &ClosedRow| (row.source.clone(), row.predictor.clone(), row.bound.to_bits());
    let keys = distinct(comparison.closed.iter().map(key));
    let rows = |wanted| comparison.closed.iter().filter(move |row| key(row) == wanted);
    keys.into_iter().map(|wanted| closed_row(&rows(wanted).collect::<Vec<_>>())).collect()
}

fn closed_row(rows: &[&ClosedRow]) -> ClosedRow {
    let count = rows.len() as f64;
    let mean =
        |value: &dyn Fn(&ClosedRow) -> f64| rows.iter().map(|row| value(row)).sum::<f64>() / count;
    let half = |value: &dyn Fn(&ClosedRow) -> f64| {
        rows.iter().map(|row| value(row) * value(row)).sum::<f64>().sqrt() / count
    };
    let packets = mean(&|row| row.packets_per_entity_s);
    ClosedRow {
        session: ALL.to_string(),
        packets_per_entity_s: packets,
        packets_low: packets - half(&|row| row.packets_per_entity_s - row.packets_low),
        packets_high: packets + half(&|row| row.packets_high - row.packets_per_entity_s),
        mean_error: mean(&|row| row.mean_error),
        shown_error_100ms: mean(&|row| row.shown_error_100ms),
        shown_error_link: mean_known(rows.iter().map(|row| row.shown_error_link)),
        receivers: receiver_rows(rows),
        roughness: mean(&|row| row.roughness),
        in_walls: mean_known(rows.iter().map(|row| row.in_walls)),
        inert: inert(rows.iter().map(|row| row.inert.as_ref())),
        ..rows[0].clone()
    }
}

/// Why a predictor had nothing to go by: in every session, or nothing is said.
fn inert<'a>(mut reasons: impl Iterator<Item = Option<&'a String>>) -> Option<String> {
    let first = reasons.next()??;
    reasons.all(|it| it.is_some()).then(|| first.clone())
}

/// The value that all have in common, or not a number.
fn common(mut values: impl Iterator<Item = f64>) -> f64 {
    let first = values.next().unwrap_or(f64::NAN);
    if values.all(|value| value == first) { first } else { f64::NAN }
}

/// Each receiver's mean over the sessions that have it.
fn receiver_rows(rows: &[&ClosedRow]) -> Vec<ReceiverRow> {
    let names = distinct(rows.iter().flat_map(|row| &row.receivers).map(|it| &it.receiver));
    let pooled = |name: &String| {
        let all = rows.iter().flat_map(|row| &row.receivers);
        let own: Vec<&ReceiverRow> = all.filter(|it| it.receiver == *name).collect();
        let mean = |value: fn(&ReceiverRow) -> f64| {
            own.iter().map(|it| value(it)).sum::<f64>() / own.len() as f64
        };
        receiver_row(name.clone(), mean)
    };
    names.into_iter().map(pooled).collect()
}

/// The receivers of a row, then their mean and their standard deviation.
pub(super) fn with_spread(row: &ClosedRow) -> Vec<ReceiverRow> {
    let mut rows = row.receivers.clone();
    if !rows.is_empty() {
        let spread = |value: fn(&ReceiverRow) -> f64| row.across_receivers(value);
        let mean = |value| spread(value).unwrap_or_default().mean;
        let deviation = |value| spread(value).unwrap_or_default().deviation;
        rows.push(receiver_row("mean".to_string(), mean));
        rows.push(receiver_row("deviation".to_string(), deviation));
    }
    rows
}

fn receiver_row(receiver: String, of: impl Fn(fn(&ReceiverRow) -> f64) -> f64) -> ReceiverRow {
    ReceiverRow {
        receiver,
        shown_error: of(|it| it.shown_error),
        before: of(|it| it.before),
        after: of(|it| it.after),
        cee: of(|it| it.cee),
        eee: of(|it| it.eee),
        aee: of(|it| it.aee),
    }
}

/// The mean of those that are known.
fn mean_known(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let known: Vec<f64> = values.flatten().collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}
