//! The scoreboard as a table, as JSON and as a page.

use std::fmt::Write;

use serde_json::{Value, json};

use super::bars::Bar;
use super::html::{escape, table};
use super::page::{bar_figure, opening, summary};
use super::plot::SeriesStyle;
use super::tables::{data_table, number, percent};
use super::{DataSet, ReportError};
use crate::reproduce::ReportTable;
use crate::scoreboard::{BASELINE, ScoreRow, Scoreboard, Scored};

/// What the words of the page mean.
const WORDS: [(&str, &str); 5] = [
    (
        "updates / linear, error / linear",
        "what a predictor needs and errs on a source over what constant velocity does there; over \
         several sources the geometric mean of those ratios. Below 1 is better.",
    ),
    (
        "updates",
        "per body and second, so many that the guess stays within the bound, the width of a body unless \
         --bound says otherwise.",
    ),
    (
        "error",
        "the mean distance of guess and truth when the last news is as old as the title says.",
    ),
    (
        "95 %",
        "by resampling over players, as if a predictor and constant velocity were measured on different \
         ones: the true intervals are narrower. Sources count as independent.",
    ),
    (
        "plan, look",
        "nanoseconds to plan an update, paid by the owner for each update; and to ask where a body is, \
         paid by every listener for every frame. The median over bodies and moments, measured by this run \
         on this machine with the scene already gathered; other work on it makes them larger.",
    ),
];

/// The board as one table.
#[must_use]
pub fn scoreboard_table(board: &Scoreboard) -> ReportTable {
    let columns = [
        "predictor",
        "updates / linear",
        "95 %",
        "error / linear",
        "95 %",
        "plan ns",
        "look ns",
        "needs, besides the motion",
    ];
    let cells = |row: &ScoreRow| {
        vec![
            row.predictor.clone(),
            number(row.packets.value),
            range(row.packets),
            number(row.error.value),
            range(row.error),
            nanoseconds(row.plan_ns),
            nanoseconds(row.look_ns),
            if row.is_inert() {
                format!("{}; not there, so as linear", row.needs)
            } else {
                row.needs.to_owned()
            },
        ]
    };
    ReportTable {
        title: format!("Scoreboard over {}, errors at {} ms", sources(board), board.delay_ms),
        columns: columns.map(String::from).to_vec(),
        rows: board.rows.iter().map(cells).collect(),
    }
}

/// A list of objects, one for each predictor, with a list of its sources. What is not finite is
/// `null`.
#[must_use]
pub fn scoreboard_json(board: &Scoreboard) -> String {
    let scored = |it: Scored| json!({"value": it.value, "low": it.low, "high": it.high});
    let row = |row: &ScoreRow| -> Value {
        let source = |it: &crate::scoreboard::SourceScore| {
            json!({
                "source": it.source, "packets_per_entity_s": scored(it.packets),
                "aee": scored(it.error), "as_baseline": it.as_baseline,
            })
        };
        json!({
            "predictor": row.predictor, "needs": row.needs, "baseline": BASELINE,
            "packets_ratio": scored(row.packets), "aee_ratio": scored(row.error),
            "delay_ms": board.delay_ms, "plan_ns": row.plan_ns, "look_ns": row.look_ns,
            "sources": row.sources.iter().map(source).collect::<Vec<_>>(),
        })
    };
    let rows: Vec<String> = board.rows.iter().map(|it| format!("  {}", row(it))).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// The page: self-contained, without scripts, for light and dark screens.
///
/// # Errors
/// Names the chart that could not be drawn.
pub fn scoreboard_html(board: &Scoreboard, data: &[DataSet]) -> Result<String, ReportError> {
    let mut html = opening("Scoreboard of predictors");
    html.push_str(&summary(&sentences(board)));
    html.push_str(&table(&scoreboard_table(board)));
    html.push_str("<div class=\"pair\">\n");
    let bars = |value: fn(&ScoreRow) -> Scored| -> Vec<Bar> {
        let bar = |(number, row): (usize, &ScoreRow)| {
            let Scored { value, low, high } = value(row);
            let look = SeriesStyle::from_index(number);
            Bar { label: row.predictor.clone(), value, interval: Some((low, high)), look }
        };
        board.rows.iter().enumerate().map(bar).collect()
    };
    let caption = "Updates, constant velocity is 1 (strokes: 95 % intervals)";
    html.push_str(&bar_figure(caption, &bars(|row| row.packets))?);
    let caption = format!("Mean error at {} ms, constant velocity is 1", board.delay_ms);
    html.push_str(&bar_figure(&caption, &bars(|row| row.error))?);
    html.push_str("</div>\n<h2>Source by source</h2>\n");
    for it in source_tables(board) {
        html.push_str(&table(&it));
    }
    html.push_str("<h2>What it was measured on</h2>\n");
    html.push_str(&table(&data_table(data)));
    html.push_str("<dl>\n");
    for (word, meaning) in WORDS {
        let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(word), escape(meaning));
    }
    html.push_str("</dl>\n</main>\n</body>\n</html>\n");
    Ok(html)
}

/// One table for each source; a predictor that had nothing to go by says so.
#[must_use]
pub fn source_tables(board: &Scoreboard) -> Vec<ReportTable> {
    let names = board.rows.first().map_or(&[][..], |row| &row.sources);
    let of_source = |source: &str| {
        let cells = |row: &ScoreRow| {
            let own = row.sources.iter().find(|it| it.source == source)?;
            let note = if own.as_baseline { "as linear: nothing to go by here" } else { "" };
            let told = [own.packets, own.error].map(|it| [number(it.value), range(it)]);
            let told = told.into_iter().flatten();
            let cells = std::iter::once(row.predictor.clone()).chain(told);
            Some(cells.chain([note.to_owned()]).collect())
        };
        let columns = ["predictor", "updates/s", "95 %", "error", "95 %", ""];
        ReportTable {
            title: format!("{source}: updates per body and second, error at {} ms", board.delay_ms),
            columns: columns.map(String::from).to_vec(),
            rows: board.rows.iter().filter_map(cells).collect(),
        }
    };
    names.iter().map(|it| of_source(&it.source)).collect()
}

/// Who needs the fewest updates, who errs least, and what the best of those costs that need
/// nothing.
fn sentences(board: &Scoreboard) -> Vec<String> {
    let least = |value: fn(&ScoreRow) -> Scored| {
        board.rows.iter().min_by(|a, b| value(a).value.total_cmp(&value(b).value))
    };
    let (Some(cheapest), Some(closest)) = (least(|row| row.packets), least(|row| row.error)) else {
        return Vec::new();
    };
    let mut told = vec![
        lead("The fewest updates", cheapest, cheapest.packets),
        lead("The smallest error", closest, closest.error),
    ];
    let plain = board.rows.iter().find(|row| row.needs == "nothing");
    told.extend(plain.filter(|row| ![BASELINE, &cheapest.predictor].contains(&row.predictor.as_str())).map(|row| {
        format!(
            "Of those that need to know nothing but the motion, {} needs the fewest updates: {} of \
             what {BASELINE} does.",
            row.predictor,
            percent(row.packets.value)
        )
    }));
    told
}

fn lead(what: &str, row: &ScoreRow, scored: Scored) -> String {
    let sure = if scored.high < 1.0 {
        "surely less"
    } else if row.predictor == BASELINE {
        "nobody is better"
    } else {
        "which may be chance"
    };
    format!("{what}: {}, {} of {BASELINE}; {sure}.", row.predictor, percent(scored.value))
}

fn sources(board: &Scoreboard) -> String {
    let names: Vec<&str> = board
        .rows
        .first()
        .map_or(&[][..], |row| &row.sources)
        .iter()
        .map(|it| it.source.as_str())
        .collect();
    names.join(", ")
}

fn range(it: Scored) -> String {
    if it.low == it.high {
        String::from("-")
    } else {
        format!("{} to {}", number(it.low), number(it.high))
    }
}

/// Whole ones, where there are enough of them.
fn nanoseconds(ns: f64) -> String {
    if ns.is_finite() && ns >= 10.0 { format!("{ns:.0}") } else { number(ns) }
}
