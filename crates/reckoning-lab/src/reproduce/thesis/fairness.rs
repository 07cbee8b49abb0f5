//! The tables of chapter 3.

use super::policies::{DELAYS_MS, Outcome, Series, VARIATIONS_MS};
use crate::reproduce::Table;

/// One table for each variation of delay.
pub(super) fn tables(series: &[Series]) -> Vec<Table> {
    VARIATIONS_MS.into_iter().map(|variation_ms| table(series, variation_ms)).collect()
}

fn table(series: &[Series], variation_ms: u32) -> Table {
    let title = format!(
        "THESIS chapter 3, delays 200, 500 and 800 ms, varying by {variation_ms} ms: accumulated \
         export error over the length of the run, in metres; mean and deviation are those of \
         the three receivers, +- their spread over seeds"
    );
    let columns =
        ["policy", "packets", "mean", "+-", "deviation", "+-", "at 200", "at 500", "at 800"];
    let mut table = Table::new(&title, &columns);
    for series in series.iter().filter(|series| series.variation_ms == variation_ms) {
        let (mean, deviation) =
            (series.spread(Outcome::mean_m), series.spread(Outcome::deviation_m));
        let mut row = vec![
            series.name.clone(),
            format!("{:.0}", series.spread(|outcome| outcome.packets as f64).mean),
        ];
        let numbers = [mean.mean, mean.deviation, deviation.mean, deviation.deviation];
        row.extend(numbers.map(|number| format!("{number:.3}")));
        let each = (0..DELAYS_MS.len()).map(|who| series.spread(|run| run.errors_m[who]).mean);
        row.extend(each.map(|error_m| format!("{error_m:.3}")));
        table.rows.push(row);
    }
    table
}
