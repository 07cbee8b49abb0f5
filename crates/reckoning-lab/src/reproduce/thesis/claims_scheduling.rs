//! What section 3.3 of THESIS claims about scheduling, measured.

use super::fairness::{FairnessFindings, percent, percents};
use super::policies::{PolicyOutcome, VARIATIONS_MS};
use crate::reproduce::Finding;

const FIRST: &str = "scheduling #1";
const SECOND: &str = "scheduling #2";

pub(super) fn findings(policies: &FairnessFindings) -> Vec<Finding> {
    vec![
        first_deviation(policies),
        first_mean(policies),
        first_everyone(policies),
        second_deviation(policies),
        second_mean(policies),
        second_receivers(policies),
    ]
}

fn first_deviation(policies: &FairnessFindings) -> Finding {
    let ratios = policies.ratios(FIRST, "base", PolicyOutcome::deviation_m);
    let text = format!("static, +-100, +-180 ms: {} against base", percents(&ratios));
    Finding::new("first deviation", text).list("ratio", &ratios)
}

fn first_mean(policies: &FairnessFindings) -> Finding {
    let ratios = policies.ratios(FIRST, "base", PolicyOutcome::mean_m);
    let [one, two, three] = ratios;
    let text =
        format!("static, +-100, +-180 ms: {one:.1}, {two:.1}, {three:.1} times that of base");
    Finding::new("first mean", text).list("ratio", &ratios)
}

fn first_everyone(policies: &FairnessFindings) -> Finding {
    let best = VARIATIONS_MS.map(|variation_ms| {
        let least = |run: &PolicyOutcome| run.errors_m.into_iter().fold(f64::INFINITY, f64::min);
        let best_m = policies.series_of(FIRST, variation_ms).spread(least).mean;
        best_m / policies.series_of("base", variation_ms).spread(PolicyOutcome::worst_m).mean
    });
    let packets = policies.ratios(FIRST, "base", |run| run.packets as f64);
    let text = format!(
        "its best-off receiver has {:.1}, {:.1}, {:.1} times the error of base's worst-off; packets \
         {}",
        best[0],
        best[1],
        best[2],
        percents(&packets)
    );
    Finding::new("first everyone", text).list("best", &best).list("packets", &packets)
}

fn second_deviation(policies: &FairnessFindings) -> Finding {
    let ratios = policies.ratios(SECOND, "base", PolicyOutcome::deviation_m);
    let text =
        format!("{} static; {} with varying delays", percent(ratios[0]), percents(&ratios[1..]));
    Finding::new("second deviation", text).number("ratio", ratios[0])
}

fn second_mean(policies: &FairnessFindings) -> Finding {
    let [ratio, ..] = policies.ratios(SECOND, "base", PolicyOutcome::mean_m);
    let [first, ..] = policies.ratios(SECOND, FIRST, PolicyOutcome::mean_m);
    let text = format!("{} against base, {first:.2} times that of #1", percent(ratio));
    Finding::new("second mean", text).number("ratio", ratio).number("first", first)
}

fn second_receivers(policies: &FairnessFindings) -> Finding {
    let (second, base) = (policies.series_of(SECOND, 0), policies.series_of("base", 0));
    let ratios = [0, 1, 2].map(|who| second.ratio(base, |run| run.errors_m[who]));
    Finding::new("second receivers", format!("at 200, 500, 800 ms: {}", percents(&ratios)))
        .list("others", &ratios[..2])
        .number("farthest", ratios[2])
}

/// Scheduling #2 under varying delays.
pub(super) fn hysteresis(measure: &str, policies: &FairnessFindings) -> Finding {
    let ratios = policies.ratios(SECOND, "base", PolicyOutcome::mean_m);
    let [first, ..] = policies.ratios(FIRST, "base", PolicyOutcome::mean_m);
    let receivers: Vec<f64> = VARIATIONS_MS[1..]
        .iter()
        .flat_map(|&variation_ms| {
            let second = policies.series_of(SECOND, variation_ms);
            let base = policies.series_of("base", variation_ms);
            [0, 1, 2].map(|who| second.ratio(base, |run| run.errors_m[who]))
        })
        .collect();
    let rise = ratios[1].max(ratios[2]) - ratios[0];
    let text = format!(
        "static, +-100, +-180 ms: the mean {} against base, {rise:+.3} of base's by the varying \
         delays where #1 adds {:.2}; receivers at 200, 500, 800 ms: {} at +-100, {} at +-180 ms",
        percents(&ratios),
        first - 1.0,
        percents(&receivers[..3]),
        percents(&receivers[3..])
    );
    Finding::new(measure, text)
        .list("receivers", &receivers)
        .list("varied", &ratios[1..])
        .number("static", ratios[0])
        .number("rise", rise)
        .number("first", first - 1.0)
}
