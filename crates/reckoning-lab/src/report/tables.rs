//! The numbers as tables, for the terminal and for the page alike.

use super::{DataSet, angles, pool};
use crate::compare::{ClosedRow, Comparison, OpenRow, ReceiverRow};
use crate::reproduce::{Claim, ReportTable};

/// Five tables for each source, pooled over its sessions: error by delay, hits by delay,
/// intervals and LI's classes, costs at the bound, and what each receiver had. Three more on
/// orientations and joints where they are recorded.
#[must_use]
pub fn comparison_tables(comparison: &Comparison) -> Vec<ReportTable> {
    let (open, closed) = (pool::open(comparison), pool::closed(comparison));
    let sources = pool::sources(comparison);
    let tables = |source: &str| {
        let mut tables = tables_of(source, source, &open, &closed);
        tables.extend(angles::tables(comparison, source, None, source));
        tables
    };
    sources.into_iter().flat_map(tables).collect()
}

/// The same tables for each session.
#[must_use]
pub fn session_tables(comparison: &Comparison) -> Vec<ReportTable> {
    let open = comparison.open.iter().map(|row| (&row.source, &row.session));
    let closed = comparison.closed.iter().map(|row| (&row.source, &row.session));
    let sessions = pool::distinct(open.chain(closed));
    sessions
        .into_iter()
        .flat_map(|(source, session)| {
            let open = comparison.open.iter().filter(|it| it.session == *session);
            let closed = comparison.closed.iter().filter(|it| it.session == *session);
            let (open, closed): (Vec<_>, Vec<_>) =
                (open.cloned().collect(), closed.cloned().collect());
            let title = format!("{source} / {session}");
            let mut tables = tables_of(source, &title, &open, &closed);
            tables.extend(angles::tables(comparison, source, Some(session), &title));
            tables
        })
        .collect()
}

fn tables_of(
    source: &str,
    title: &str,
    open: &[OpenRow],
    closed: &[ClosedRow],
) -> Vec<ReportTable> {
    let open: Vec<OpenRow> = open.iter().filter(|row| row.source == source).cloned().collect();
    let closed: Vec<ClosedRow> =
        closed.iter().filter(|row| row.source == source).cloned().collect();
    let tables = [
        delay_table(format!("{title}: mean error by delay"), &open, |row| {
            judged(row, number(row.aee))
        }),
        delay_table(hits_title(title, &open), &open, |row| judged(row, percent(row.hit_rate))),
        class_table(title, &open),
        closed_table(title, &closed),
        receiver_table(title, &closed),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// One column for each delay, one row for each predictor.
fn delay_table(title: String, rows: &[OpenRow], cell: fn(&OpenRow) -> String) -> ReportTable {
    let delays = pool::delays(rows);
    let mut columns = vec!["predictor".to_string()];
    columns.extend(delays.iter().map(|delay| format!("{delay} ms")));
    columns.push("n".to_string());
    let cells = |predictor: &str| {
        let own: Vec<&OpenRow> = rows.iter().filter(|row| row.predictor == predictor).collect();
        let at = |delay: &u64| own.iter().find(|row| row.delay_ms == *delay);
        let at = |delay: &u64| at(delay).filter(|row| row.inert.is_none());
        let inert = own.first().and_then(|row| row.inert.as_deref());
        let mut cells = vec![named(predictor, inert)];
        cells.extend(delays.iter().map(|delay| at(delay).map_or_else(dash, |row| cell(row))));
        let n = own.iter().map(|row| row.n).sum::<u64>();
        cells.push(if inert.is_some() { dash() } else { n.to_string() });
        cells
    };
    let predictors = pool::distinct(rows.iter().map(|row| row.predictor.as_str()));
    ReportTable { title, columns, rows: predictors.into_iter().map(cells).collect() }
}

/// A value, unless nothing was judged.
fn judged(row: &OpenRow, value: String) -> String {
    if row.n == 0 { dash() } else { value }
}

/// The predictor's name, and that it had nothing to go by. The numbers of such a row are those of
/// another predictor, so they are not shown.
fn named(predictor: &str, inert: Option<&str>) -> String {
    inert.map_or_else(|| predictor.to_string(), |reason| format!("{predictor} (inert, {reason})"))
}

/// Says how near a hit is, as far as one number can.
fn hits_title(title: &str, rows: &[OpenRow]) -> String {
    let first = rows.first().map_or(f64::NAN, |row| row.hit_within);
    if rows.iter().all(|row| row.hit_within == first) {
        format!("{title}: share of hits (at most {} off) by delay", number(first))
    } else {
        format!("{title}: share of hits (at most the bound of each session off) by delay")
    }
}

/// One row for each predictor and delay.
fn class_table(title: &str, rows: &[OpenRow]) -> ReportTable {
    let columns =
        ["predictor", "delay", "mean error", "95 %", "best", "good", "bad", "unacceptable"];
    let cells = |row: &OpenRow| {
        if row.inert.is_some() {
            return inert_cells(&row.predictor, row.inert.as_deref(), columns.len());
        }
        let head = [row.predictor.clone(), format!("{} ms", row.delay_ms), number(row.aee)];
        let range = format!("{} to {}", number(row.aee_low), number(row.aee_high));
        head.into_iter().chain([range]).chain(row.classes.map(percent)).collect()
    };
    ReportTable {
        title: format!("{title}: how far the mean error can be trusted, and LI's four classes"),
        columns: columns.map(String::from).to_vec(),
        rows: deduplicated(rows.iter().map(cells)),
    }
}

/// A predictor with nothing to go by has one row, whatever the delay.
fn deduplicated(rows: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let mut kept: Vec<Vec<String>> = rows.collect();
    kept.dedup();
    kept
}

/// One row for each predictor and receiver, then mean and deviation of the receivers.
fn receiver_table(title: &str, rows: &[ClosedRow]) -> ReportTable {
    let columns = ["predictor", "receiver", "shown", "before", "after", "CEE", "EEE", "AEE"];
    let cells = |row: &ClosedRow| -> Vec<Vec<String>> {
        if row.inert.is_some() {
            return vec![inert_cells(&row.predictor, row.inert.as_deref(), columns.len())];
        }
        let line = |it: &ReceiverRow| {
            let values = [it.shown_error, it.before, it.after, it.cee, it.eee, it.aee];
            let names = [row.predictor.clone(), it.receiver.clone()];
            names.into_iter().chain(values.map(number)).collect()
        };
        pool::with_spread(row).iter().map(line).collect()
    };
    ReportTable {
        title: format!("{title}: export error of each receiver, the mean over time"),
        columns: columns.map(String::from).to_vec(),
        rows: rows.iter().flat_map(cells).collect(),
    }
}

fn closed_table(title: &str, rows: &[ClosedRow]) -> ReportTable {
    let link = rows.iter().any(|row| row.shown_error_link.is_some());
    let walls = rows.iter().any(|row| row.in_walls.is_some());
    let mut columns = vec!["predictor", "bound", "packets/s", "95 %", "mean error", "shown 100 ms"];
    columns.extend(link.then_some("shown links"));
    columns.push("roughness");
    columns.extend(walls.then_some("in walls"));
    ReportTable {
        title: format!("{title}: updates per body and second at the bound, and what is shown"),
        columns: columns.into_iter().map(String::from).collect(),
        rows: rows.iter().map(|row| closed_cells(row, link, walls)).collect(),
    }
}

/// A row without numbers.
fn inert_cells(predictor: &str, inert: Option<&str>, columns: usize) -> Vec<String> {
    let mut cells = vec![named(predictor, inert)];
    cells.resize(columns, dash());
    cells
}

fn closed_cells(row: &ClosedRow, link: bool, walls: bool) -> Vec<String> {
    if row.inert.is_some() {
        let columns = 7 + usize::from(link) + usize::from(walls);
        return inert_cells(&row.predictor, row.inert.as_deref(), columns);
    }
    let mut cells = vec![
        row.predictor.clone(),
        number(row.bound),
        number(row.packets_per_entity_s),
        format!("{} to {}", number(row.packets_low), number(row.packets_high)),
        number(row.mean_error),
        number(row.shown_error_100ms),
    ];
    cells.extend(link.then(|| row.shown_error_link.map_or_else(dash, number)));
    cells.push(number(row.roughness));
    cells.extend(walls.then(|| row.in_walls.map_or_else(dash, percent)));
    cells
}

/// Every claim with its verdict.
#[must_use]
pub fn claims_table(claims: &[Claim]) -> ReportTable {
    let columns =
        ["document", "place", "kind", "claim", "rule", "published", "measured", "verdict", "cause"];
    let cells = |it: &Claim| {
        let rule = format!("{}: {}", it.rule, it.why);
        let [document, kind] = [it.document.name(), it.kind.name()];
        let known = [document, &it.place, kind, &it.claim, &rule, &it.published];
        let found = [&it.measured, it.verdict.name(), &it.cause];
        known.into_iter().chain(found).map(str::to_owned).collect()
    };
    ReportTable {
        title: "Claims".to_string(),
        columns: columns.map(String::from).to_vec(),
        rows: claims.iter().map(cells).collect(),
    }
}

/// What was compared on, source by source.
#[must_use]
pub fn data_table(data: &[DataSet]) -> ReportTable {
    let columns = ["source", "sessions", "bodies", "samples", "minutes", "body width", "unit"];
    let row = |set: &DataSet| {
        vec![
            set.source.clone(),
            set.sessions.to_string(),
            set.bodies.to_string(),
            set.samples.to_string(),
            format!("{:.1}", set.seconds / 60.0),
            number(set.body_width),
            set.units.clone(),
        ]
    };
    ReportTable {
        title: "The recordings".to_string(),
        columns: columns.map(String::from).to_vec(),
        rows: data.iter().map(row).collect(),
    }
}

/// Three digits that count, more before the point if there are more.
pub(super) fn number(value: f64) -> String {
    // A sum of nothing is minus zero.
    let value = value + 0.0;
    match value.abs() {
        size if !size.is_finite() => dash(),
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.9995 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A share as per cent.
pub(super) fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1} %", 100.0 * share) } else { dash() }
}

fn dash() -> String {
    "-".to_string()
}
