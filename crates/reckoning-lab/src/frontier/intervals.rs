//! Intervals of the mean errors: how much they hang on which bodies happened to be recorded.
//!
//! The bodies of the measured sessions are drawn anew, with repetition, a thousand times, and each
//! time all is done again: bytes and errors of every setting, and a method's curve read off at the
//! bytes of `before`. Both methods are drawn together, so that their quotient has an interval of
//! its own. Samples of one body are not independent, bodies nearly are; of few bodies an interval
//! says little, so their number is printed.

use std::fmt::Write as _;

use reckoning::random::SplitMix64;

use super::{Frontier, FrontierRow};

/// How often bodies are drawn anew.
const DRAWS: usize = 1_000;
/// Share of the draws that lie below an interval, and as many above it.
const TAIL: f64 = 0.025;
/// Everybody's draws come from here.
const SEED: u64 = 0x5ee4;

/// What one body added to a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BodyShare {
    pub(crate) error_sum: f64,
    pub(crate) pictures: f64,
    pub(crate) bytes: f64,
    pub(crate) seconds: f64,
}

/// A point of a curve: bytes a second, mean error.
type CurvePoint = (f64, f64);

/// Mean errors with what 95 of 100 draws lie within, for `before` and `default`.
pub(super) fn intervals_text(found: &Frontier) -> String {
    let mut text = String::from(INTRODUCTION);
    for source in found.sources() {
        for delay_ms in found.delays_ms() {
            if let Some(line) = line(found, source, delay_ms) {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text
}

const INTRODUCTION: &str = "\
How much mean errors hang on which bodies were recorded: bodies drawn anew with repetition a thousand
times, within which 95 of 100 draws lie; for `default` read off anew at the bytes of `before` each time.

source          bodies    ms          before               default          default / before
";

fn line(found: &Frontier, source: &str, delay_ms: u64) -> Option<String> {
    let rows = |method: &str| -> Vec<&FrontierRow> {
        let own = |row: &&FrontierRow| {
            row.source == source && row.method == method && row.delay_ms == delay_ms
        };
        found.rows.iter().filter(own).collect()
    };
    let before = rows("before").into_iter().find(|row| row.setting == super::seen::BOUND)?;
    let default = rows("default");
    let bodies = before.bodies.len();
    if bodies < 2 || default.is_empty() {
        return None;
    }
    let errors = |drawn: &[usize]| {
        let (bytes, error) = drawn_point(before, drawn);
        let curve: Vec<CurvePoint> = default.iter().map(|row| drawn_point(row, drawn)).collect();
        let now = at_bytes(curve, bytes);
        [error, now, now / error]
    };
    let mut random = SplitMix64::new(SEED);
    let mut draws: [Vec<f64>; 3] = Default::default();
    for _ in 0..DRAWS {
        let drawn: Vec<usize> =
            (0..bodies).map(|_| (random.next_u64() % bodies as u64) as usize).collect();
        draws.iter_mut().zip(errors(&drawn)).for_each(|(list, error)| list.push(error));
    }
    let all: Vec<usize> = (0..bodies).collect();
    let mut line = format!("{source:<16}{bodies:>6}{delay_ms:>6}");
    for (mean, draws) in errors(&all).into_iter().zip(&mut draws) {
        draws.sort_by(f64::total_cmp);
        let at = |share: f64| draws[(share * (DRAWS - 1) as f64) as usize];
        let _ = write!(line, "   {mean:>5.2} ({:.2} to {:.2})", at(TAIL), at(1.0 - TAIL));
    }
    Some(line)
}

/// Bytes and error of a row if its bodies had been these.
fn drawn_point(row: &FrontierRow, drawn: &[usize]) -> CurvePoint {
    let mut sum = BodyShare::default();
    for body in drawn.iter().filter_map(|&number| row.bodies.get(number)) {
        sum.error_sum += body.error_sum;
        sum.pictures += body.pictures;
        sum.bytes += body.bytes;
        sum.seconds += body.seconds;
    }
    (sum.bytes / sum.seconds.max(1e-9), sum.error_sum / sum.pictures.max(1.0))
}

/// The error of a curve at these bytes, between two points along logarithms, or at its nearest end.
fn at_bytes(mut curve: Vec<CurvePoint>, wanted: f64) -> f64 {
    curve.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(place) = curve.windows(2).position(|pair| (pair[0].0..=pair[1].0).contains(&wanted))
    else {
        let end = if wanted < curve[0].0 { curve.first() } else { curve.last() };
        return end.map_or(f64::NAN, |point| point.1);
    };
    let (low, high) = (curve[place], curve[place + 1]);
    super::seen::mixed(low.1, high.1, super::seen::share_between(low.0, high.0, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(method: &str, setting: &str, errors: &[f64], bytes: f64) -> FrontierRow {
        let share = |&error: &f64| BodyShare {
            error_sum: 100.0 * error,
            pictures: 100.0,
            bytes: 10.0 * bytes,
            seconds: 10.0,
        };
        FrontierRow {
            source: "game".to_owned(),
            method: method.to_owned(),
            setting: setting.to_owned(),
            delay_ms: 100,
            bytes_per_s: bytes,
            bytes_per_s_with_headers: bytes,
            bytes_per_s_uplink: bytes,
            updates_per_s: 1.0,
            error_widths: errors.iter().sum::<f64>() / errors.len() as f64,
            p95_widths: 0.0,
            acceleration_error: 0.0,
            extra_speed: 0.0,
            bodies: errors.iter().map(share).collect(),
        }
    }

    /// The mean and both ends of an interval, of the numbers in a line.
    fn numbers(text: &str) -> Vec<f64> {
        let line = text.lines().last().unwrap_or("");
        let words = line.split(|it: char| !it.is_ascii_digit() && it != '.');
        words.filter_map(|word| word.parse().ok()).skip(2).collect()
    }

    fn interval(before: &[f64], default: &[f64]) -> Vec<f64> {
        let twice: Vec<f64> = default.iter().map(|it| it * 2.0).collect();
        let rows = vec![
            row("before", "bound 1", before, 40.0),
            row("default", "bound 1", default, 40.0),
            row("default", "bound 2", &twice, 20.0),
        ];
        numbers(&intervals_text(&Frontier { rows, ..Frontier::default() }))
    }

    #[test]
    fn bodies_that_are_alike_leave_no_doubt() {
        assert_eq!(interval(&[1.0; 6], &[0.5; 6]), [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    }

    #[test]
    fn bodies_that_differ_spread_the_means_but_not_the_quotient_of_two_methods() {
        let found = interval(&[0.5, 1.0, 1.5, 2.0, 3.0, 4.0], &[0.25, 0.5, 0.75, 1.0, 1.5, 2.0]);
        let [mean, low, high, .., quotient, least, most] = found[..] else { panic!("{found:?}") };
        assert_eq!(mean, 2.0);
        // A standard error of 0.49 of six bodies.
        assert!((1.0..1.4).contains(&low) && (2.7..3.2).contains(&high), "{found:?}");
        assert_eq!((quotient, least, most), (0.5, 0.5, 0.5));
    }
}
