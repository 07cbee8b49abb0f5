//! What was fitted, as text and as JSON.

use serde_json::json;

use super::{FitRow, Fitted};
use crate::report::to_text;
use crate::reproduce::ReportTable;
use crate::stats::mean;

/// The table of sessions held out, the verdict, and what to pass on.
#[must_use]
pub fn fit_text(fitted: &Fitted) -> String {
    let what = if fitted.parts { "part" } else { "session" };
    let columns = [what, "chosen on the others", "rounds", "as printed", "fitted"];
    let row = |it: &FitRow| {
        let numbers = [it.printed, it.fitted].map(|error| format!("{error:.3}"));
        let head = [it.held_out.clone(), it.predictor.clone(), it.rounds.to_string()];
        head.into_iter().chain(numbers).collect()
    };
    let table = ReportTable {
        title: format!(
            "{}: mean error as a share of linear's, each {what} predicted with constants chosen on the others",
            fitted.source
        ),
        columns: columns.map(str::to_owned).to_vec(),
        rows: fitted.rows.iter().map(row).collect(),
    };
    let better = fitted.rows.iter().filter(|it| it.fitted < it.printed).count();
    let [printed, own] = means(fitted);
    format!(
        "{}\nHeld out, the printed constants err {printed:.3} of linear, fitted ones {own:.3}; better in {better} of {} {what}s.\n\
         Chosen on all {what}s, after {} rounds: {}\n",
        to_text(&table),
        fitted.rows.len(),
        fitted.rounds,
        fitted.predictor
    )
}

fn means(fitted: &Fitted) -> [f64; 2] {
    let of = |value: fn(&FitRow) -> f64| mean(&fitted.rows.iter().map(value).collect::<Vec<_>>());
    [of(|it| it.printed), of(|it| it.fitted)]
}

/// One object: what was chosen, and a list of the sessions held out.
#[must_use]
pub fn fit_json(fitted: &Fitted) -> String {
    let row = |it: &FitRow| {
        json!({
            "held_out": it.held_out, "predictor": it.predictor, "rounds": it.rounds,
            "printed": it.printed, "fitted": it.fitted,
        })
    };
    let [printed, own] = means(fitted);
    let whole = json!({
        "source": fitted.source, "scheme": fitted.scheme.name(), "predictor": fitted.predictor,
        "rounds": fitted.rounds, "parts": fitted.parts, "printed": printed, "fitted": own,
        "rows": fitted.rows.iter().map(row).collect::<Vec<_>>(),
    });
    format!("{whole:#}\n")
}
