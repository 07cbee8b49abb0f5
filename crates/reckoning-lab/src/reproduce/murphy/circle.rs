//! Table 18.1 of MURPHY: projective velocity against a cubic Bezier on circles.

use reckoning::Blend;

use super::drive::{CircleDrive, PUBLISHED, grid};
use crate::reproduce::{Finding, ReportTable};

/// Up to this much turn between updates the next one is foreseeable.
const GENTLE_RAD: f64 = 0.5;

/// One circle with all blends that are compared.
struct CircleRow {
    drive: CircleDrive,
    bezier_m: f64,
    printed: f64,
    ours: f64,
}

/// Runs the grid.
pub(super) fn run() -> (Vec<Finding>, ReportTable) {
    let rows: Vec<CircleRow> = grid().map(row).collect();
    let mut findings: Vec<Finding> = PUBLISHED.map(|(rate, _)| by_rate(&rows, rate)).into();
    findings.push(everywhere(&rows));
    findings.push(without_acceleration(&rows));
    (findings, table(&rows))
}

fn row(drive: CircleDrive) -> CircleRow {
    CircleRow {
        drive,
        bezier_m: drive.mean_error_m(Blend::Bezier),
        printed: drive.closer_percent(Blend::ProjectiveVelocityPrinted),
        ours: drive.closer_percent(Blend::ProjectiveVelocity),
    }
}

fn mean<'a>(rows: impl Iterator<Item = &'a CircleRow>, number: fn(&CircleRow) -> f64) -> f64 {
    let numbers: Vec<f64> = rows.map(number).collect();
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// The circles of one update rate with acceleration, as in the printed table.
fn gentle(rows: &[CircleRow], rate: i64, accelerating: bool) -> impl Iterator<Item = &CircleRow> {
    rows.iter().filter(move |row| {
        row.drive.updates_per_s == rate
            && row.drive.accelerating == accelerating
            && row.drive.turn_rad() < GENTLE_RAD
    })
}

fn by_rate(rows: &[CircleRow], rate: i64) -> Finding {
    let printed = mean(gentle(rows, rate, true), |row| row.printed);
    let ours = mean(gentle(rows, rate, true), |row| row.ours);
    let text =
        format!("{printed:.1} % closer with the printed formula, {ours:.1} % with the engine's");
    Finding::new(&format!("circle at {rate}"), text).number("printed", printed)
}

fn everywhere(rows: &[CircleRow]) -> Finding {
    let wins = |number: fn(&CircleRow) -> f64| rows.iter().filter(|row| number(row) > 0.0).count();
    let worst = rows.iter().map(|row| row.printed).fold(f64::INFINITY, f64::min);
    let least = rows.iter().map(|row| row.ours).fold(f64::INFINITY, f64::min);
    let text = format!(
        "printed formula closer on {} of {} circles, at worst {worst:.1} %; ours on {}, at least \
         {least:.1} %",
        wins(|row| row.printed),
        rows.len(),
        wins(|row| row.ours)
    );
    Finding::new("circles", text).number("printed", worst)
}

fn without_acceleration(rows: &[CircleRow]) -> Finding {
    let [with, without] = [true, false].map(|accelerating| {
        PUBLISHED.map(|(rate, _)| mean(gentle(rows, rate, accelerating), |row| row.printed))
    });
    let texts = |numbers: [f64; 3]| numbers.map(|number| format!("{number:.1}")).join(", ");
    let text = format!(
        "1, 3, 5 updates a second: {} % without, {} % with acceleration",
        texts(without),
        texts(with)
    );
    let apart = without.iter().zip(&with).map(|(without, with)| (without - with).abs());
    let apart = apart.fold(0.0, f64::max);
    Finding::new("circles without acceleration", text)
        .list("without", &without)
        .list("with", &with)
        .note(format!("the two are at most {apart:.2} points apart"))
}

fn table(rows: &[CircleRow]) -> ReportTable {
    let columns = [
        "updates/s",
        "accel",
        "speed m/s",
        "radius m",
        "turn rad",
        "bezier m",
        "printed %",
        "ours %",
    ];
    let title = "MURPHY Table 18.1 on a grid of circles: mean error of the cubic Bezier, and how \
                 much closer projective velocity is, as printed and as the engine has it";
    let mut table = ReportTable::new(title, &columns);
    for row in rows {
        table.rows.push(vec![
            row.drive.updates_per_s.to_string(),
            if row.drive.accelerating { "yes" } else { "no" }.to_owned(),
            row.drive.speed_mps.to_string(),
            row.drive.radius_m.to_string(),
            format!("{:.2}", row.drive.turn_rad()),
            format!("{:.4}", row.bezier_m),
            format!("{:.2}", row.printed),
            format!("{:.2}", row.ours),
        ]);
    }
    table
}
