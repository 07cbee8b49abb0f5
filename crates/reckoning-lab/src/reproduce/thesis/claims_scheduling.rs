//! Claims of THESIS, section 3.3, about scheduling.

use super::fairness::{FairnessFindings, percent, percents};
use super::figure_claim;
use super::policies::{PolicyOutcome, VARIATIONS_MS};
use crate::reproduce::Claim;

const FIRST: &str = "scheduling #1";
const SECOND: &str = "scheduling #2";

pub(super) fn claims(findings: &FairnessFindings) -> Vec<Claim> {
    vec![
        first_deviation(findings),
        first_mean(findings),
        first_everyone(findings),
        second_deviation(findings),
        second_mean(findings),
        second_farthest(findings),
    ]
}

fn first_deviation(findings: &FairnessFindings) -> Claim {
    let ratios = findings.ratios(FIRST, "base", PolicyOutcome::deviation_m);
    figure_claim(
        "Scheduling #1 lowers the standard deviation of the error among receivers by much",
        "3.2 to 3.4",
        format!("static, +-100, +-180 ms: {} against base", percents(&ratios)),
        ratios.iter().all(|&ratio| ratio < 0.5),
        "by much: at least halved",
    )
}

fn first_mean(findings: &FairnessFindings) -> Claim {
    let ratios = findings.ratios(FIRST, "base", PolicyOutcome::mean_m);
    figure_claim(
        "Scheduling #1 multiplies the mean error",
        "3.5 to 3.7",
        format!(
            "static, +-100, +-180 ms: {:.1}, {:.1}, {:.1} times that of base",
            ratios[0], ratios[1], ratios[2]
        ),
        ratios.iter().all(|&ratio| ratio > 2.0),
        "multifold: more than twice",
    )
}

fn first_everyone(findings: &FairnessFindings) -> Claim {
    let best = VARIATIONS_MS.map(|variation_ms| {
        let least = |run: &PolicyOutcome| run.errors_m.into_iter().fold(f64::INFINITY, f64::min);
        let best_m = findings.series_of(FIRST, variation_ms).spread(least).mean;
        best_m / findings.series_of("base", variation_ms).spread(PolicyOutcome::worst_m).mean
    });
    let packets = findings.ratios(FIRST, "base", |run| run.packets as f64);
    figure_claim(
        "Under scheduling #1 every receiver is worse off than the worst one in the base case, \
         with fewer packets",
        "3.8 to 3.10",
        format!(
            "its best-off receiver has {:.1}, {:.1}, {:.1} times the error of base's worst-off; \
             packets {}",
            best[0],
            best[1],
            best[2],
            percents(&packets)
        ),
        best.iter().all(|&ratio| ratio > 1.0) && packets.iter().all(|&ratio| ratio < 1.0),
        "static, +-100 and +-180 ms alike",
    )
}

fn second_deviation(findings: &FairnessFindings) -> Claim {
    let ratios = findings.ratios(SECOND, "base", PolicyOutcome::deviation_m);
    figure_claim(
        "Scheduling #2 lowers the standard deviation",
        "3.11, static delays",
        format!("{} static; {} with varying delays", percent(ratios[0]), percents(&ratios[1..])),
        ratios[0] < 1.0,
        "judged by the static delays, which alone were published",
    )
}

fn second_mean(findings: &FairnessFindings) -> Claim {
    let ratios = findings.ratios(SECOND, "base", PolicyOutcome::mean_m);
    let to_first = findings.ratios(SECOND, FIRST, PolicyOutcome::mean_m);
    figure_claim(
        "Scheduling #2 raises the mean moderately, far less than #1",
        "3.12, static delays",
        format!("{} against base, {:.2} times that of #1", percent(ratios[0]), to_first[0]),
        ratios[0] > 1.0 && ratios[0] < 2.0 && to_first[0] < 0.5,
        "moderately: less than doubled, and less than half of #1",
    )
}

fn second_farthest(findings: &FairnessFindings) -> Claim {
    let (second, base) = (findings.series_of(SECOND, 0), findings.series_of("base", 0));
    let ratios = [0, 1, 2].map(|who| second.ratio(base, |run| run.errors_m[who]));
    figure_claim(
        "Under scheduling #2 the farthest receiver does as well as in the base case, the others \
         worse",
        "3.13, static delays",
        format!("at 200, 500, 800 ms: {}", percents(&ratios)),
        ratios[0] > 1.0 && ratios[1] > 1.0 && (ratios[2] - 1.0).abs() < 0.05,
        "as well: within 5 %",
    )
}
