//! Sessions of a source pooled, with confidence intervals.

use reckoning::random::SplitMix64;

use super::table::TableRow;
use crate::compare::{CompareConfig, Comparison};

/// How often sessions are drawn anew for a range.
const DRAWS: usize = 2_000;
/// The delay whose error is compared with that of constant velocity: the second.
const DELAY: usize = 1;
/// The bound whose updates are: the second.
const BOUND: usize = 1;

/// Sums of one predictor in one session.
#[derive(Clone, Debug, Default)]
struct SessionSums {
    errors: Vec<(f64, f64)>,
    hits: Vec<(f64, f64)>,
    packets: Vec<(f64, f64)>,
    shown: (f64, f64),
}

pub(super) fn rows(
    config: &CompareConfig,
    found: &[Comparison],
    seconds: &[f64],
    widths: usize,
) -> Vec<TableRow> {
    let names: Vec<String> = config.predictors.iter().map(ToString::to_string).collect();
    let sums = |name: &str| -> Vec<SessionSums> {
        found.iter().zip(seconds).map(|(it, &seconds)| sums_of(it, name, seconds)).collect()
    };
    let linear = sums("linear");
    let row = |name: &String| {
        let own = sums(name);
        let delays = own.first().map_or(0, |it| it.errors.len());
        let ratio = |part: fn(&SessionSums) -> (f64, f64)| {
            let pairs: Vec<_> = own.iter().zip(&linear).map(|(a, b)| (part(a), part(b))).collect();
            ratio_with_range(&pairs)
        };
        TableRow {
            predictor: name.clone(),
            inert: inert(found, name),
            aee: (0..delays).map(|k| mean(own.iter().map(|it| it.errors[k]))).collect(),
            hits: (0..delays).map(|k| mean(own.iter().map(|it| it.hits[k]))).collect(),
            packets: (0..widths).map(|k| mean(own.iter().map(|it| it.packets[k]))).collect(),
            shown: mean(own.iter().map(|it| it.shown)),
            error_ratio: ratio(|it| it.errors[DELAY]),
            packet_ratio: ratio(|it| it.packets[BOUND]),
        }
    };
    names.iter().map(row).collect()
}

/// Why a predictor had nothing to go by, if that is so in every session.
fn inert(found: &[Comparison], name: &str) -> Option<String> {
    let rows = found.iter().flat_map(|it| &it.open).filter(|row| row.predictor == name);
    let reasons: Option<Vec<&String>> = rows.map(|row| row.inert.as_ref()).collect();
    reasons?.first().map(|it| (*it).clone())
}

fn sums_of(found: &Comparison, name: &str, seconds: f64) -> SessionSums {
    let mut sums = SessionSums::default();
    for row in found.open.iter().filter(|row| row.predictor == name) {
        let n = row.n as f64;
        sums.errors.push((row.aee * n, n));
        sums.hits.push((row.hit_rate * n, n));
    }
    for (bound, row) in found.closed.iter().filter(|row| row.predictor == name).enumerate() {
        sums.packets.push((row.packets_per_entity_s * seconds, seconds));
        if bound == BOUND {
            sums.shown = (row.shown_error_100ms * seconds, seconds);
        }
    }
    sums
}

fn mean(parts: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, n) = parts.fold((0.0, 0.0), |all, it| (all.0 + it.0, all.1 + it.1));
    if n > 0.0 { sum / n } else { 0.0 }
}

type SumAndCount = (f64, f64);

/// The ratio of two means, and the range that holds it in 95 of 100 draws of the sessions.
fn ratio_with_range(pairs: &[(SumAndCount, SumAndCount)]) -> [f64; 3] {
    let ratio = |chosen: &[(SumAndCount, SumAndCount)]| {
        mean(chosen.iter().map(|it| it.0)) / mean(chosen.iter().map(|it| it.1)).max(1e-12)
    };
    let mut random = SplitMix64::new(pairs.len() as u64);
    let mut drawn: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let one = |_| pairs[(random.next_u64() % pairs.len() as u64) as usize];
            ratio(&(0..pairs.len()).map(one).collect::<Vec<_>>())
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    [ratio(pairs), drawn[DRAWS * 25 / 1000], drawn[DRAWS * 975 / 1000]]
}
