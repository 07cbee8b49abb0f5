//! The table as text, for a file that is committed and compared.

use std::fmt::Write;

use super::table::SourceTable;

/// The whole page.
#[must_use]
pub fn table_text(tables: &[SourceTable]) -> String {
    let mut text = String::from(HEAD);
    for table in tables {
        source(table, &mut text);
    }
    text
}

const HEAD: &str = "\
Predictors on sessions that nothing was trained or fitted on (cross-validation by session).

AEE: mean error in units of the source, so long after the last news. hits: share within one
body width. upd/s: updates per body and second that keep the guess within half, one and two
body widths. shown: error of what a ghost shows 100 ms late, at one body width. /CV: ratio to
constant velocity, with the range that holds it in 95 of 100 draws of the sessions.
inert: the recordings give a predictor nothing to go by, so that it does what a simpler one does.
Every session is predicted with what was trained on the others (outer folds); no setting is chosen
here, but only on sessions held back from the training of a fold (inner folds).
";

fn source(table: &SourceTable, text: &mut String) {
    let what = if table.parts { "parts of one session" } else { "sessions" };
    let (source, count, hours) = (&table.source, table.sessions, table.seconds / 3_600.0);
    let _ = writeln!(text, "\n{source}: {count} {what}, {hours:.2} hours of bodies\n");
    let _ = writeln!(
        text,
        "{:<17}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}  {:>7}{:>7}  {:>7}{:>7}{:>7}{:>8}",
        "",
        "AEE 100",
        "300",
        "600",
        "900",
        "1500",
        "2100",
        "hit300",
        "hit900",
        "upd/s .5",
        "1",
        "2",
        "shown"
    );
    for row in &table.rows {
        if let Some(reason) = &row.inert {
            let _ = writeln!(text, "{:<17}  inert, {reason}", row.predictor);
            continue;
        }
        let _ = write!(text, "{:<17}", row.predictor);
        for x in &row.aee {
            let _ = write!(text, "{:>9}", short(*x));
        }
        let _ = write!(text, "  {:>7.3}{:>7.3} ", row.hits[1], row.hits[3]);
        for x in &row.packets {
            let _ = write!(text, "{x:>7.2}");
        }
        let _ = writeln!(text, "{:>9}", short(row.shown));
    }
    let best = best_plain(table);
    let _ = writeln!(text, "{:<17}{best}  (least of hold, linear, damped)", "least plain AEE");
    let _ = writeln!(text, "\n{:<17}{:>24}{:>26}", "", "AEE 300 /CV", "upd/s at one width /CV");
    for row in table.rows.iter().filter(|row| row.inert.is_none()) {
        let range = |[x, low, high]: [f64; 3]| format!("{x:.3} ({low:.3}..{high:.3})");
        let (error, packets) = (range(row.error_ratio), range(row.packet_ratio));
        let _ = writeln!(text, "{:<17}{error:>24}{packets:>26}", row.predictor);
    }
    let worst: Vec<String> = table.worst.iter().map(|it| format!("{it:.3}")).collect();
    let _ = writeln!(text, "learned, worst session: upd/s /CV at .5, 1, 2: {}", worst.join(", "));
}

/// The least error of the plain predictors at each delay.
fn best_plain(table: &SourceTable) -> String {
    let plain = ["hold", "linear", "damped"];
    let rows: Vec<_> =
        table.rows.iter().filter(|it| plain.contains(&it.predictor.as_str())).collect();
    let delays = rows.first().map_or(0, |row| row.aee.len());
    let least = |k: usize| rows.iter().map(|row| row.aee[k]).fold(f64::INFINITY, f64::min);
    let mut text = String::new();
    for delay in 0..delays {
        let _ = write!(text, "{:>9}", short(least(delay)));
    }
    text
}

/// Four digits that count.
fn short(x: f64) -> String {
    match x {
        x if x >= 1_000.0 => format!("{x:.0}"),
        x if x >= 100.0 => format!("{x:.1}"),
        x if x >= 10.0 => format!("{x:.2}"),
        _ => format!("{x:.3}"),
    }
}
