//! What section 3.4 of THESIS claims about budgets, measured.

use super::THRESHOLDS_M;
use super::fairness::{FairnessFindings, percent, percents};
use super::policies::{Lowering, PolicyOutcome, PolicySeries, VARIATIONS_MS, WEIGHTS};
use crate::reproduce::Finding;
use crate::stats::Spread;

const THIRD: &str = "1/3 base";
const TURNS: &str = "deterministic, accumulated";

pub(super) fn findings(policies: &FairnessFindings) -> Vec<Finding> {
    vec![
        budget(policies),
        drawn_deviation(policies),
        drawn_mean(policies),
        drawn_everyone(policies),
        lottery(policies),
        turns_deviation(policies),
        turns_mean(policies),
        turns_worst(policies),
        turns_best(policies),
    ]
}

fn budget(policies: &FairnessFindings) -> Finding {
    let packets = |run: &PolicyOutcome| run.packets as f64;
    let third = policies.series_of(THIRD, 0);
    let off = |series: &&PolicySeries| series.ratio(third, packets);
    let turns = policies.series_of(TURNS, 0).ratio(third, packets);
    let widest = |policy| {
        let ratios = policies.cases(policy, 0).each_ref().map(off);
        let far = |a: &f64, b: &f64| (a - 1.0).abs().total_cmp(&(b - 1.0).abs());
        ratios.into_iter().max_by(far).unwrap_or(1.0)
    };
    // A thousandth, and one round of the three receivers.
    let allowed = 0.001 + 3.0 / third.spread(packets).mean;
    let text = format!(
        "deterministic by accumulated error {}, {:.2} % allowed; the farthest off of the five cases: \
         deterministic {}, probabilistic {}",
        percent(turns),
        100.0 * allowed,
        percent(widest("deterministic")),
        percent(widest("probabilistic"))
    );
    Finding::new("budget", text).number("turns", turns).number("allowed", allowed)
}

/// A number of each weight case against the 1/3 base case.
fn by_case(
    policies: &FairnessFindings,
    policy: &str,
    number: impl Fn(&PolicyOutcome) -> f64,
) -> [f64; 5] {
    let third = policies.series_of(THIRD, 0);
    policies.cases(policy, 0).map(|series| series.ratio(third, &number))
}

fn named(ratios: &[f64; 5]) -> String {
    let parts = WEIGHTS.iter().zip(ratios);
    parts
        .map(|((name, _), &ratio)| format!("{name} {}", percent(ratio)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn drawn_deviation(policies: &FairnessFindings) -> Finding {
    let ratios = by_case(policies, "probabilistic", PolicyOutcome::deviation_m);
    let varied = VARIATIONS_MS.map(|variation_ms| {
        let third = policies.series_of(THIRD, variation_ms);
        let cases = policies.cases("probabilistic", variation_ms);
        cases.into_iter().filter(|case| case.ratio(third, PolicyOutcome::deviation_m) < 1.0).count()
    });
    let upper = policies.cases("probabilistic", 0).map(|case| {
        let by_seed = case.ratios(policies.series_of(THIRD, 0), PolicyOutcome::deviation_m);
        let spread = Spread::from_values(&by_seed);
        let freedom = by_seed.len().saturating_sub(1).max(1) as f64;
        spread.mean + 2.0 * spread.deviation / libm::sqrt(freedom)
    });
    let by_error = [upper[0], upper[1], upper[3], upper[4]];
    let text = format!(
        "static: {}; lower in {}, {}, {} of 5 cases at 0, +-100, +-180 ms",
        named(&ratios),
        varied[0],
        varied[1],
        varied[2]
    );
    Finding::new("drawn deviation", text)
        .list("ratio", &ratios)
        .number("instantaneous", ratios[1])
        .list("upper", &upper)
        .list("upper_by_error", &by_error)
        .note(format!("with two standard errors: {}", named(&upper)))
}

fn drawn_mean(policies: &FairnessFindings) -> Finding {
    let ratios = by_case(policies, "probabilistic", PolicyOutcome::mean_m);
    Finding::new("drawn mean", format!("static: {}", named(&ratios))).list("ratio", &ratios)
}

fn drawn_everyone(policies: &FairnessFindings) -> Finding {
    let each = [0, 1, 2].map(|who| {
        let ratios = by_case(policies, "probabilistic", |run| run.errors_m[who]);
        ratios.into_iter().fold(f64::INFINITY, f64::min)
    });
    let text = format!("least rise of the five cases at 200, 500, 800 ms: {}", percents(&each));
    Finding::new("drawn everyone", text).list("ratio", &each)
}

fn lottery(policies: &FairnessFindings) -> Finding {
    let (lot, third) = (policies.series_of("1/3 by lot", 0), policies.series_of(THIRD, 0));
    let ratios = [0, 1, 2].map(|who| lot.ratio(third, |run| run.errors_m[who]));
    Finding::new("lottery", format!("at 200, 500, 800 ms: {}", percents(&ratios)))
        .list("ratio", &ratios)
}

fn turns_deviation(policies: &FairnessFindings) -> Finding {
    let third = policies.ratios(TURNS, THIRD, PolicyOutcome::deviation_m);
    let base = policies.ratios(TURNS, "base", PolicyOutcome::deviation_m);
    let text = format!(
        "static, +-100, +-180 ms: {} against 1/3 base, {} against base",
        percents(&third),
        percents(&base)
    );
    Finding::new("turns deviation", text).list("third", &third).list("base", &base)
}

fn turns_mean(policies: &FairnessFindings) -> Finding {
    let ratios = policies.ratios(TURNS, THIRD, PolicyOutcome::mean_m);
    let by_seed =
        policies.series_of(TURNS, 0).ratios(policies.series_of(THIRD, 0), PolicyOutcome::mean_m);
    let between_seeds = 100.0 * Spread::from_values(&by_seed).deviation;
    let text = format!(
        "static, +-100, +-180 ms: {}, and +-{between_seeds:.1} % between seeds (static)",
        percents(&ratios)
    );
    Finding::new("turns mean", text).list("ratio", &ratios)
}

fn turns_worst(policies: &FairnessFindings) -> Finding {
    let worst = policies.ratios(TURNS, THIRD, PolicyOutcome::worst_m);
    let nearest = policies.ratios(TURNS, THIRD, |run| run.errors_m[0]);
    let text = format!(
        "static, +-100, +-180 ms: worst {}, nearest {}",
        percents(&worst),
        percents(&nearest)
    );
    Finding::new("turns worst", text).list("worst", &worst).list("nearest", &nearest)
}

fn turns_best(policies: &FairnessFindings) -> Finding {
    let deviations = by_case(policies, "deterministic", PolicyOutcome::deviation_m);
    let means = by_case(policies, "deterministic", PolicyOutcome::mean_m);
    let rivals = (1..5).filter(|&case| deviations[case] < 0.9).map(|case| means[case]);
    let text = format!("deviation: {}; mean: {}", named(&deviations), named(&means));
    Finding::new("turns best", text)
        .number("deviation", deviations[0])
        .number("mean", means[0])
        .number("rivals", rivals.fold(f64::INFINITY, f64::min))
        .note(format!("by deviation alone it would be {}", WEIGHTS[least_of(&deviations)].0))
}

fn least_of(numbers: &[f64; 5]) -> usize {
    (1..5).fold(0, |best, case| if numbers[case] < numbers[best] { case } else { best })
}

/// The share of triggers that are heartbeats, at the coarsest threshold.
pub(super) fn heartbeats(share: f64) -> Finding {
    let [coarsest, ..] = THRESHOLDS_M;
    let text = format!("{:.0} % of the triggers at {coarsest} m are heartbeats", 100.0 * share);
    Finding::new("heartbeats", text).number("share", share)
}

/// The same packets at three thresholds.
pub(super) fn lowered(lowering: Lowering, thresholds: &[PolicySeries; 3]) -> Finding {
    let of =
        |number: fn(&PolicyOutcome) -> f64| thresholds.each_ref().map(|s| s.spread(number).mean);
    let (mean, deviation, worst) =
        (of(PolicyOutcome::mean_m), of(PolicyOutcome::deviation_m), of(PolicyOutcome::worst_m));
    let metres = |numbers: [f64; 3]| numbers.map(|number| format!("{number:.2}")).join(", ");
    let text = format!(
        "at {} m: mean {} m, deviation {} m, worst receiver {} m",
        metres(THRESHOLDS_M),
        metres(mean),
        metres(deviation),
        metres(worst)
    );
    Finding::new(lowering.measure, text)
        .list("deviation", &deviation)
        .list("worst", &worst)
        .list("first_deviation", &deviation[..2])
        .list("first_worst", &worst[..2])
}
