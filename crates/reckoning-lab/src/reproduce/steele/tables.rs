//! The numbers behind STEELE's claims, by place.

use super::ahead::HORIZONS_S;
use super::chain::ChainTally;
use super::contrast::p_text;
use super::findings::{
    ChainRun, LevelFindings, Projected, SubjectMeasure, Thresholds, Where, late_m, now_m,
    updates_per_s,
};
use super::places::PlaceKind;
use crate::reproduce::ReportTable;
use crate::stats::mean;

pub(super) fn tables(findings: &LevelFindings) -> Vec<ReportTable> {
    let mut tables: Vec<ReportTable> =
        findings.thresholds.iter().map(|it| by_threshold(findings, it)).collect();
    tables.extend(findings.thresholds.first().map(by_kind));
    tables.push(tests(findings));
    let chains = "In the chain at the halfway threshold, by projection: means over subjects";
    tables.push(runs_table(chains, &findings.chains.iter().collect::<Vec<_>>()));
    tables.push(projections("Projected and believed for good", &findings.ahead));
    tables.push(projections("Projected and believed for 0.3 s", &findings.ahead_brief));
    tables
}

fn by_threshold(findings: &LevelFindings, found: &Thresholds) -> ReportTable {
    let title = format!(
        "Thresholds, {}: means over {} subjects; trends from {:.1} bot-hours",
        found.title, findings.subjects, findings.training_h
    );
    runs_table(&title, &[&found.by_place, &found.frugal, &found.middle])
}

fn allowed_m(tally: &ChainTally) -> f64 {
    tally.allowed_m / tally.ticks.max(1.0)
}

fn runs_table(title: &str, runs: &[&ChainRun]) -> ReportTable {
    let columns = ["method", "where", "allowed m", "updates/s", "error m", "100 ms late m"];
    let mut table = ReportTable::new(title, &columns);
    for run in runs {
        for place in Where::ALL {
            let number =
                |measure: SubjectMeasure| format!("{:.3}", mean(&run.values(place, measure)));
            let mut row = vec![run.name.clone(), place.name().to_owned()];
            row.extend(
                [allowed_m, updates_per_s, now_m, late_m].map(|it: SubjectMeasure| number(it)),
            );
            table.rows.push(row);
        }
    }
    table
}

/// All subjects together, by kind of place.
fn by_kind(found: &Thresholds) -> ReportTable {
    let columns = [
        "place",
        "time %",
        "allowed m",
        "updates/s",
        "fixed",
        "error m",
        "fixed",
        "100 ms late m",
        "fixed",
    ];
    let title =
        format!("By place beside {}, {}: all subjects together", found.frugal.name, found.title);
    let mut table = ReportTable::new(&title, &columns);
    let all = PlaceKind::ALL.map(|kind| pooled(&found.by_place, kind).ticks).iter().sum::<f64>();
    for kind in PlaceKind::ALL {
        let (ours, fixed) = (pooled(&found.by_place, kind), pooled(&found.frugal, kind));
        let mut row = vec![kind.name().to_owned(), format!("{:.1}", 100.0 * ours.ticks / all)];
        row.push(format!("{:.3}", allowed_m(&ours)));
        for measure in [updates_per_s, now_m, late_m] {
            row.extend([&ours, &fixed].map(|tally| format!("{:.3}", measure(tally))));
        }
        table.rows.push(row);
    }
    table
}

fn pooled(run: &ChainRun, kind: PlaceKind) -> ChainTally {
    let mut sum = ChainTally::default();
    run.subjects.iter().for_each(|subject| sum.add(&subject[kind as usize]));
    sum
}

/// Every paired test of the thresholds.
fn tests(findings: &LevelFindings) -> ReportTable {
    let columns =
        ["projection", "against", "where", "measure", "difference", "t", "p", "p ranks", "n"];
    let mut table = ReportTable::new("Threshold by place minus fixed, per subject", &columns);
    for found in &findings.thresholds {
        for (name, other) in [("as many", &found.frugal), ("halfway", &found.middle)] {
            for place in [Where::Critical, Where::Elsewhere] {
                test_rows(found, (name, other), place, &mut table);
            }
        }
    }
    table
}

fn test_rows(
    found: &Thresholds,
    (name, other): (&str, &ChainRun),
    place: Where,
    table: &mut ReportTable,
) {
    let measures: [(&str, SubjectMeasure); 3] =
        [("updates/s", updates_per_s), ("error m", now_m), ("100 ms late m", late_m)];
    for (label, measure) in measures {
        let contrast = found.by_place.against(other, place, measure);
        let mut row = [found.title, name, place.name(), label].map(str::to_owned).to_vec();
        row.push(format!("{:+.4}", contrast.t.difference));
        row.push(format!("{:.2}", contrast.t.statistic));
        row.extend([contrast.t.p, contrast.ranks.p].map(p_text));
        row.push(contrast.t.subjects.to_string());
        table.rows.push(row);
    }
}

fn projections(title: &str, all: &[Projected]) -> ReportTable {
    let heads = HORIZONS_S.map(|s| format!("{s} s"));
    let mut columns = vec!["acceleration", "where"];
    columns.extend(heads.iter().map(String::as_str));
    let mut table =
        ReportTable::new(&format!("{title}: error in m, means over subjects"), &columns);
    for projected in all {
        for place in Where::ALL {
            let mut row = vec![projected.name.to_owned(), place.name().to_owned()];
            let number = |horizon| format!("{:.3}", mean(&projected.values(place, horizon)));
            row.extend((0..HORIZONS_S.len()).map(number));
            table.rows.push(row);
        }
    }
    table
}
