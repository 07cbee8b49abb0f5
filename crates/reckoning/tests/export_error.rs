//! Contract of the export error.
#![allow(missing_docs)]

use std::time::Duration;

use proptest::prelude::*;
use reckoning::accounting::{error_between, linear_error, linear_error_between};
use reckoning::{DVec3, FlightLog, Kinematics, ListenerAccount, SimTime};

fn ms(millis: i64) -> SimTime {
    SimTime::from_millis(millis)
}

/// The relative difference; zero for two zeros.
fn apart(got: f64, want: f64) -> f64 {
    (got - want).abs() / want.abs().max(got.abs()).max(f64::MIN_POSITIVE)
}

/// A length in any of the sizes games and simulations meet, and zero.
fn size() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -100.0..100.0,
        1 => Just(0.0),
        2 => (-9.0..7.0, any::<bool>()).prop_map(|(exponent, negative)| {
            let size = libm::exp10(exponent);
            if negative { -size } else { size }
        }),
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    (size(), size(), size()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

/// Offset and drift: unrelated, parallel, nearly parallel, tiny against each other.
fn courses() -> impl Strategy<Value = (DVec3, DVec3)> {
    prop_oneof![
        (vector(), vector()),
        (vector(), size()).prop_map(|(v, k)| (v * k, v)),
        (vector(), vector(), size(), -14.0..-2.0)
            .prop_map(|(v, off, k, tiny)| { (v * k + off * libm::exp10(tiny), v) }),
        (vector(), vector(), -16.0..-6.0).prop_map(|(x, v, tiny)| (x, v * libm::exp10(tiny))),
        (vector(), vector(), -16.0..-6.0).prop_map(|(x, v, tiny)| (x * libm::exp10(tiny), v)),
    ]
}

/// Two moments: anywhere, a short span, or a span around the closest approach.
fn moments() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![
        (size(), size()),
        (size(), -9.0..1.0).prop_map(|(from, span)| (from, from + libm::exp10(span))),
    ]
}

/// Seven-point Gauss-Legendre on -1..1.
const GAUSS_7: [(f64, f64); 7] = [
    (-0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
    (-0.741_531_185_599_394_4, 0.279_705_391_489_276_64),
    (-0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.0, 0.417_959_183_673_469_4),
    (0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.741_531_185_599_394_4, 0.279_705_391_489_276_64),
    (0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
];

fn gauss(from: f64, to: f64, f: &impl Fn(f64) -> f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    GAUSS_7.iter().map(|(node, weight)| weight * f(middle + half * node)).sum::<f64>() * half
}

/// Panels that shrink towards `kink`, from `end`: there the distance bends most sharply, and
/// on each panel it is smooth, so this is good to 15 digits.
fn graded(kink: f64, end: f64, f: &impl Fn(f64) -> f64) -> f64 {
    let mut width = end - kink;
    let mut sum = 0.0;
    for _ in 0..120 {
        let inner = width * std::f64::consts::FRAC_1_SQRT_2;
        sum += gauss(kink + inner, kink + width, f);
        width = inner;
    }
    sum + gauss(kink, kink + width, f)
}

/// [`linear_error`] without its formulas.
fn by_quadrature(x: DVec3, v: DVec3, from: f64, to: f64) -> f64 {
    let start = DVec3::from_array([0, 1, 2].map(|i| libm::fma(v[i], from, x[i])));
    let span = to - from;
    let nearest = -start.dot(v) / v.length_squared();
    let kink = if nearest.is_nan() { 0.0 } else { nearest.clamp(span.min(0.0), span.max(0.0)) };
    let distance = |t: f64| (start + v * t).length();
    graded(kink, span, &distance) - graded(kink, 0.0, &distance)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_closed_form_is_the_integral((x, v) in courses(), (from, to) in moments()) {
        let (got, want) = (linear_error(x, v, from, to), by_quadrature(x, v, from, to));
        prop_assert!(apart(got, want) < 1e-12, "{got:e} {want:e}: {:e}", apart(got, want));
        prop_assert!(got * (to - from) >= 0.0, "{got:e}");
    }

    #[test]
    fn the_closest_approach_is_no_special_case(
        (x, v) in courses(),
        before in -9.0..3.0_f64,
        after in -9.0..3.0_f64,
    ) {
        let nearest = -x.dot(v) / v.length_squared();
        prop_assume!(nearest.abs() < 1e9);
        let (from, to) = (nearest - libm::exp10(before), nearest + libm::exp10(after));
        let (got, want) = (linear_error(x, v, from, to), by_quadrature(x, v, from, to));
        prop_assert!(apart(got, want) < 1e-12, "{got:e} {want:e}: {:e}", apart(got, want));
    }

    #[test]
    fn adjacent_spans_add_up((x, v) in courses(), a in size(), b in size(), c in size()) {
        let (first, second) = (linear_error(x, v, a, b), linear_error(x, v, b, c));
        let whole = linear_error(x, v, a, c);
        let scale = first.abs() + second.abs();
        prop_assert!((first + second - whole).abs() <= 1e-13 * scale, "{first} {second} {whole}");
    }

    #[test]
    fn either_side_may_be_the_truth((x, v) in courses(), (from, to) in moments()) {
        let error = linear_error(x, v, from, to);
        prop_assert_eq!(linear_error(-x, -v, from, to).to_bits(), error.to_bits());
        prop_assert!(apart(linear_error(x, -v, -to, -from), error) < 1e-14);
    }

    #[test]
    fn units_do_not_matter(
        (x, v) in courses(),
        (from, to) in moments(),
        length in -700..700_i32,
        time in -200..200_i32,
    ) {
        let (unit, second) = (f64::powi(2.0, length), f64::powi(2.0, time));
        let scaled = linear_error(x * unit, v * unit / second, from * second, to * second);
        let want = linear_error(x, v, from, to) * unit * second;
        prop_assert_eq!(scaled.to_bits(), want.to_bits());
    }

    #[test]
    fn whatever_fits_stays_finite(
        x in prop::array::uniform3(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL),
        v in prop::array::uniform3(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL),
        from in prop::num::f64::NORMAL,
        to in prop::num::f64::NORMAL,
    ) {
        let (x, v) = (DVec3::from_array(x), DVec3::from_array(v));
        let error = linear_error(x, v, from, to);
        prop_assert!(!error.is_nan());
        let reach = from.abs().max(to.abs());
        let most = (x.abs().max_element() + v.abs().max_element() * reach) * 2.0 * reach * 2.0;
        prop_assert!(error.abs() <= most || most == 0.0, "{error:e} {most:e}");
    }
}

#[derive(Clone, Copy, Debug)]
struct Arc {
    start: DVec3,
    heading_rad: f64,
    speed_mps: f64,
    turn_radps: f64,
}

impl Arc {
    fn position_at(&self, t: f64) -> DVec3 {
        if self.turn_radps == 0.0 {
            let ahead = DVec3::new(libm::cos(self.heading_rad), libm::sin(self.heading_rad), 0.0);
            return self.start + ahead * (self.speed_mps * t);
        }
        let radius = self.speed_mps / self.turn_radps;
        let (from, to) = (self.heading_rad, self.heading_rad + self.turn_radps * t);
        self.start
            + DVec3::new(libm::sin(to) - libm::sin(from), libm::cos(from) - libm::cos(to), 0.0)
                * radius
    }
}

fn arc() -> impl Strategy<Value = Arc> {
    let turn = prop_oneof![Just(0.0), 0.1..6.0, -6.0..-0.1];
    (-20.0..20.0, -20.0..20.0, -3.0..3.0, 0.0..40.0, turn).prop_map(
        |(x, y, heading_rad, speed_mps, turn_radps)| Arc {
            start: DVec3::new(x, y, 0.0),
            heading_rad,
            speed_mps,
            turn_radps,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn arcs_are_integrated_as_arcs(truth in arc(), shown in arc(), span_ms in 1..5000_i64) {
        let (from, to) = (ms(777), ms(777 + span_ms));
        let got = error_between(
            from, to, |t| truth.position_at(t), |t| shown.position_at(t), 1e-9,
        );

        let (pieces, span) = (20_000, to.secs_since(from));
        let step = span / f64::from(pieces);
        let at = |i: i32| (f64::from(i) + 0.5) * step;
        let distance = |t| (truth.position_at(t) - shown.position_at(t)).length();
        let want: f64 = (0..pieces).map(|i| distance(at(i)) * step).sum();
        // The midpoint rule errs by the acceleration, below 500 m/s^2, times step^2 / 24,
        // and once more at each near miss.
        let slack = 1e-9 + span * step * step * 100.0 + step * step * 200.0;
        prop_assert!((got - want).abs() < slack, "{got} {want} {slack:e}");
    }

    #[test]
    fn straight_arcs_give_the_closed_form(
        x in vector(), v in vector(), span_ms in 1..10_000_i64,
    ) {
        let (from, to) = (ms(50), ms(50 + span_ms));
        let want = linear_error(x, v, 0.0, to.secs_since(from));
        let got = error_between(from, to, |t| x + v * t, |_| DVec3::ZERO, want * 1e-12);
        prop_assert!(apart(got, want) < 1e-11, "{got} {want}");
    }
}

/// The rules of nine and of seventeen points agree on this kink and are both wrong.
#[test]
fn a_kink_on_which_both_rules_agree_is_found() {
    let (x, v) = (DVec3::Y * -12.657_739_211_681_248, DVec3::Y * 42_190.218_497_814_74);
    let (from, to) = (ms(50), ms(50 + 4_706));
    let want = linear_error(x, v, 0.0, to.secs_since(from));
    let got = error_between(from, to, |t| x + v * t, |_| DVec3::ZERO, want * 1e-12);
    assert!(apart(got, want) < 1e-11, "{got} {want}");
}

/// One export on its way to one listener, all in milliseconds.
#[derive(Clone, Debug)]
struct Trip {
    exported: i64,
    sent: Option<i64>,
    received: Option<i64>,
    /// When the owner hears of it.
    heard: Option<i64>,
    course: Kinematics,
}

/// Up to 40 exports, at least 100 ms apart. Every acknowledgement that comes at all comes
/// within 900 ms, before the account stops waiting for it.
fn trips(lossy: bool) -> impl Strategy<Value = Vec<Trip>> {
    let trip = (
        100..400_i64,
        prop::option::weighted(0.8, 0..100_i64),
        prop::option::weighted(0.8, 10..500_i64),
        prop::option::weighted(0.8, 10..280_i64),
        prop::array::uniform4(-30.0..30.0),
    );
    prop::collection::vec(trip, 1..40).prop_map(move |trips| {
        let mut exported = 0;
        let mut flown = Vec::new();
        for (gap, wait, flight, back, [x, y, vx, vy]) in trips {
            exported += gap;
            if !(lossy || wait.is_some() && flight.is_some() && back.is_some()) {
                continue;
            }
            let sent = wait.map(|wait| exported + wait);
            let received = sent.zip(flight).map(|(sent, flight)| sent + flight);
            let heard = received.zip(back).map(|(received, back)| received + back);
            let (position, velocity) = (DVec3::new(x, y, 0.0), DVec3::new(vx, vy, 0.0));
            let course = Kinematics::moving(ms(exported), position, velocity);
            flown.push(Trip { exported, sent, received, heard, course });
        }
        flown
    })
}

/// The account after all that happened until `now`, told in order.
fn account_of(trips: &[Trip], delay_ms: i64, now: i64) -> ListenerAccount<Kinematics> {
    let mut account = ListenerAccount::new(linear_error_between);
    account.expect_delay(Duration::from_millis(delay_ms.unsigned_abs()));
    for t in 0..=now {
        for trip in trips {
            let name = ms(trip.exported);
            if trip.exported == t {
                account.exported(name, trip.course);
            }
            if trip.sent == Some(t) {
                account.sent(name, ms(t));
            }
            if trip.heard == Some(t) {
                let received = trip.received.expect("what is heard of was received");
                account.acknowledged(name, ms(received), ms(t));
            }
        }
    }
    account
}

/// Confirmed and total error, millisecond by millisecond, from the definitions.
fn by_brute_force(trips: &[Trip], delay_ms: i64, now: i64) -> (f64, f64) {
    let heard = |trip: &&Trip| trip.heard.is_some_and(|heard| heard <= now);
    let known_until = trips.iter().filter(heard).filter_map(|trip| trip.received).max();
    let newest_known = trips.iter().filter(heard).map(|trip| trip.exported).max();
    let arrived = |trip: &Trip, t: i64| {
        if heard(&trip) {
            return trip.received.is_some_and(|received| received <= t);
        }
        let newer = newest_known.is_none_or(|newest| trip.exported > newest);
        let sent = trip.sent.filter(|&sent| sent <= now && sent + delay_ms <= t);
        newer && sent.is_some() && known_until.is_none_or(|known| known <= t)
    };
    let (mut confirmed, mut total) = (0.0, 0.0);
    for t in 0..now {
        let truth = trips.iter().rfind(|trip| trip.exported <= t);
        let shown = trips.iter().rfind(|trip| arrived(trip, t));
        if let (Some(truth), Some(shown)) = (truth, shown) {
            let error = linear_error_between(&truth.course, &shown.course, ms(t), ms(t + 1));
            total += error;
            if known_until.is_some_and(|known| t < known) {
                confirmed += error;
            }
        }
    }
    (confirmed, total)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_account_is_the_sum_over_its_timeline(
        trips in trips(true), delay in 0..400_i64, now in 0..9000_i64,
    ) {
        let account = account_of(&trips, delay, now);
        let (confirmed, total) = by_brute_force(&trips, delay, now);
        let near = |got: f64, want: f64| (got - want).abs() < 1e-9 * (1.0 + want);
        prop_assert!(near(account.confirmed(), confirmed), "{} {confirmed}", account.confirmed());
        let got = account.total_at(ms(now));
        prop_assert!(near(got, total), "{got} {total}");
    }

    #[test]
    fn the_total_never_falls_while_nothing_happens(
        trips in trips(true), delay in 0..400_i64, now in 0..9000_i64,
    ) {
        let account = account_of(&trips, delay, now);
        let mut last = account.confirmed();
        for later in (0..2000).step_by(7) {
            let total = account.total_at(ms(now - 500 + later));
            prop_assert!(total >= last - 1e-12 * last, "{total} {last}");
            last = total;
        }
    }

    #[test]
    fn all_of_it_is_before_when_bodies_do_as_exported(trips in trips(false)) {
        let mut log = FlightLog::new();
        for trip in &trips {
            log.exported(ms(trip.exported));
            log.received(ms(trip.exported), ms(trip.received.expect("nothing is lost")));
        }
        let end = trips.iter().filter_map(|trip| trip.heard).max().unwrap_or(0);
        let course_of = |newest: Option<&Trip>| newest.expect("asked once shown").course;
        let split = log.split(ms(0), ms(end), |from, to| {
            let exported = |trip: &&Trip| ms(trip.exported) <= from;
            let received = |trip: &&Trip| trip.received.is_some_and(|at| ms(at) <= from);
            let truth = course_of(trips.iter().rfind(exported));
            let shown = course_of(trips.iter().rfind(received));
            linear_error_between(&truth, &shown, from, to)
        });
        let account = account_of(&trips, 0, end);
        prop_assert!(apart(split.before, account.total_at(ms(end))) < 1e-9);
        prop_assert!(split.after.abs() < 1e-12, "{split:?}");
    }
}
