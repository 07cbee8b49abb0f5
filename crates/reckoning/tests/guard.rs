//! Contract of a guard.

use std::ops::RangeInclusive;
use std::time::Duration;

use proptest::prelude::*;
use reckoning::guard::{Envelope, GuardConfig, Offence, Verdict};
use reckoning::terrain::Contact;
use reckoning::{DVec3, Guard, Kinematics, Model, SimTime, Terrain, Update, UpdateKind};

/// At most 10 m/s.
fn guard() -> Guard {
    Guard::start(GuardConfig::default(), &Kinematics::default()).unwrap()
}

fn ms(at: i64) -> SimTime {
    SimTime::from_millis(at)
}

fn moving(at_ms: i64, x: f64, speed: f64, kind: UpdateKind) -> Update {
    let seen = Kinematics::moving(ms(at_ms), DVec3::X * x, DVec3::X * speed);
    Update::new(seen, Model::Linear, kind).unwrap()
}

fn at(at_ms: i64, x: f64) -> Update {
    moving(at_ms, x, 0.0, UpdateKind::Partial)
}

/// Runs at a speed, ten updates a second; when was the first that was not accepted?
fn caught_ms(guard: &mut Guard, speed: f64, until_ms: i64) -> Option<i64> {
    (1..=until_ms / 100).map(|n| n * 100).find(|&t| {
        let update = moving(t, speed * t as f64 / 1e3, speed.min(10.0), UpdateKind::Partial);
        guard.judge(&update, None, ms(t + 50)) != Verdict::Accept
    })
}

#[test]
fn a_body_at_its_top_speed_is_never_bothered() {
    assert_eq!(caught_ms(&mut guard(), 10.0, 600_000), None);
}

#[test]
fn speeding_adds_up_however_small_its_steps_are() {
    for (speed, within_ms) in [(12.0, 2_000), (15.0, 700), (20.0, 300), (30.0, 200)] {
        let caught = caught_ms(&mut guard(), speed, 10_000);
        assert!(caught.is_some_and(|t| t <= within_ms), "{speed} m/s: {caught:?}");
    }
}

#[test]
fn a_cheat_that_obeys_no_correction_is_thrown_out() {
    let mut guard = guard();
    let thrown = (1..600).find(|n| {
        let update = at(n * 100, 3.0 * *n as f64);
        matches!(guard.judge(&update, None, ms(n * 100 + 50)), Verdict::Disconnect(_))
    });
    assert!(thrown.is_some_and(|n| n < 300), "{thrown:?}");
}

#[test]
fn one_leap_is_put_right_and_forgotten() {
    let mut guard = guard();
    assert_eq!(guard.judge(&at(100, 0.5), None, ms(150)), Verdict::Accept);
    let Verdict::Correct(place) = guard.judge(&at(200, 80.0), None, ms(250)) else {
        panic!("80 m in a tenth of a second was not put right");
    };
    assert_eq!(place.position, DVec3::X * 0.5);
    assert_eq!(guard.offence(), Some(Offence::Distance));
    // Under way before the client heard of it: dropped, not punished.
    let before = guard.suspicion(ms(350));
    assert_eq!(guard.judge(&at(300, 80.5), None, ms(350)), Verdict::Reject(Offence::Disobeyed));
    assert!(guard.suspicion(ms(350)) <= before);
    assert_eq!(guard.judge(&at(400, 0.9), None, ms(450)), Verdict::Accept);
    assert_eq!(guard.suspicion(ms(60_000)), 0.0);
}

#[test]
fn teleports_need_leave_and_leave_runs_out() {
    let mut guard = guard();
    let jump = |t, x| moving(t, x, 0.0, UpdateKind::Teleport);
    guard.grant_teleport(ms(0), Duration::from_secs(1));
    assert_eq!(guard.judge(&jump(500, 500.0), None, ms(550)), Verdict::Accept);
    assert!(matches!(guard.judge(&jump(600, 0.0), None, ms(650)), Verdict::Correct(_)));
    assert_eq!(guard.offence(), Some(Offence::Teleport));

    let mut late = self::guard();
    late.grant_teleport(ms(0), Duration::from_secs(1));
    assert!(matches!(late.judge(&jump(1_500, 500.0), None, ms(1_550)), Verdict::Correct(_)));
}

/// A fence along y, as high as the sky.
struct Fence {
    x: f64,
    y: RangeInclusive<f64>,
}

impl Terrain for Fence {
    fn ground_below(&self, _point: DVec3) -> Option<Contact> {
        None
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        let share = (self.x - from.x) / (to.x - from.x);
        let point = from.lerp(to, share);
        let meets = (0.0..=1.0).contains(&share) && self.y.contains(&point.y);
        meets.then_some(Contact { point, normal: DVec3::X * (from.x - to.x).signum() })
    }
}

#[test]
fn walls_stop_but_corners_may_be_cut() {
    let walls = Fence { x: 2.0, y: -50.0..=0.2 };
    let step = |y: f64| {
        let seen = Kinematics::at_rest(ms(500), DVec3::new(4.0, y, 0.0));
        let start = Kinematics::at_rest(ms(0), DVec3::new(0.0, y, 0.0));
        let update = Update::new(seen, Model::Hold, UpdateKind::Partial).unwrap();
        let mut guard = Guard::start(GuardConfig::default(), &start).unwrap();
        guard.judge(&update, Some(&walls), ms(550))
    };
    assert!(matches!(step(-10.0), Verdict::Correct(_)));
    assert_eq!(step(0.0), Verdict::Accept, "the end of the wall is within the tolerance");
    assert_eq!(step(1.0), Verdict::Accept);
}

#[test]
fn stamps_from_the_future_are_dropped_and_fast_clocks_named() {
    let mut guard = guard();
    assert_eq!(guard.judge(&at(5_000, 0.0), None, ms(100)), Verdict::Reject(Offence::Future));
    // 1.1 times as fast, with 50 ms on the way.
    let caught = (1..40)
        .map(|n| n * 100)
        .find(|&t| guard.judge(&at(t * 11 / 10, 0.0), None, ms(t + 50)) != Verdict::Accept);
    assert_eq!(guard.offence(), Some(Offence::FastClock));
    assert!(caught.is_some_and(|t| t <= 1_700), "{caught:?}");
}

#[test]
fn spam_is_dropped_and_then_thrown_out() {
    let mut guard = guard();
    let mut verdicts = (1..2_000).map(|n| guard.judge(&at(n, 0.0), None, ms(n)));
    assert!(verdicts.any(|verdict| verdict == Verdict::Reject(Offence::Spam)));
    assert!(verdicts.any(|verdict| verdict == Verdict::Disconnect(Offence::Spam)));
}

/// Ten updates a second at 9 m/s; each is held until the end of a hold that it falls into.
fn with_holds(holds: &[(i64, i64)]) -> (Guard, usize) {
    let mut guard = guard();
    let mut refused = 0;
    for n in 1..300 {
        let t = n * 100;
        let hold = holds.iter().find(|(from, to)| (*from..*to).contains(&t));
        let sent = hold.map_or(t, |(_, to)| *to);
        let update = moving(t, 9.0 * t as f64 / 1e3, 9.0, UpdateKind::Partial);
        refused += usize::from(guard.judge(&update, None, ms(sent + 50)) != Verdict::Accept);
    }
    (guard, refused)
}

#[test]
fn one_lag_spike_is_forgiven_and_a_lag_switch_is_not() {
    assert_eq!(with_holds(&[(5_000, 6_500)]).1, 0);
    assert_eq!(with_holds(&[(5_000, 6_500), (15_000, 16_500), (25_000, 26_500)]).1, 0);
    let switching: Vec<(i64, i64)> =
        (0..6).map(|n| (5_000 + n * 1_200, 5_800 + n * 1_200)).collect();
    let (guard, refused) = with_holds(&switching);
    assert!(refused > 0 && guard.stats().of(Offence::LagSwitch) >= 2, "{:?}", guard.stats());
    assert_eq!(guard.stats().disconnected, 0);
}

#[test]
fn loss_and_shuffling_cause_no_alarm() {
    let mut guard = guard();
    let mut t = 0;
    for n in 0..3_000_i64 {
        t += 100;
        if n % 3 == 0 || n % 50 < 8 {
            continue; // a third lost, and bursts of eight
        }
        let delay = 50 + (n * 37) % 160;
        let update = moving(t, 9.9 * t as f64 / 1e3, 9.9, UpdateKind::Partial);
        let verdict = guard.judge(&update, None, ms(t + delay));
        let fine = matches!(verdict, Verdict::Accept | Verdict::Reject(Offence::NotNewer));
        assert!(fine, "{n}: {verdict:?}");
    }
}

#[test]
fn an_envelope_holds_what_it_was_learnt_from() {
    let track: Vec<Kinematics> = (0..600)
        .map(|n| {
            let t = f64::from(n) * 0.1;
            let x = if n % 100 < 20 { 9.0 } else { 3.0 };
            Kinematics::moving(
                ms(i64::from(n) * 100),
                DVec3::new(3.0 * t, x * 0.1, 0.0),
                DVec3::X * x,
            )
        })
        .collect();
    let envelope = Envelope::learnt_from([track.as_slice()], 1.0, 0.0).unwrap();
    assert!((envelope.speed_mps - 9.0).abs() < 1e-9);
    let mut guard = Guard::start(GuardConfig::new(envelope, 0.01), &track[0]).unwrap();
    for seen in &track[1..] {
        let update = Update::new(*seen, Model::Linear, UpdateKind::Partial).unwrap();
        assert_eq!(guard.judge(&update, None, seen.at), Verdict::Accept, "{seen:?}");
    }
    assert_eq!(Envelope::learnt_from([&track[..1]], 1.0, 0.0), None);
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e3..1e3,
        1 => Just(f64::MAX),
        1 => Just(-f64::MAX),
        1 => Just(f64::MIN_POSITIVE),
        1 => any::<f64>().prop_filter("finite", |x| x.is_finite()),
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn moment() -> impl Strategy<Value = SimTime> {
    prop_oneof![
        6 => (0_i64..20_000_000).prop_map(SimTime::from_micros),
        1 => any::<i64>().prop_map(SimTime::from_micros),
        1 => Just(SimTime::MAX),
        1 => Just(SimTime::MIN),
    ]
}

proptest! {
    #[test]
    fn no_numbers_break_it(
        list in proptest::collection::vec((moment(), vector(), vector(), vector(), moment(), 0..3), 1..60),
    ) {
        let walls = Fence { x: 2.0, y: -50.0..=50.0 };
        let mut guard = guard();
        for (at, position, velocity, acceleration, now, kind) in list {
            let kind = [UpdateKind::Partial, UpdateKind::Full, UpdateKind::Teleport][kind as usize];
            let seen = Kinematics { acceleration, ..Kinematics::moving(at, position, velocity) };
            let Ok(update) = Update::new(seen, Model::Linear, kind) else { continue };
            if let Verdict::Correct(place) = guard.judge(&update, Some(&walls), now) {
                prop_assert!(place.validate().is_ok());
            }
            prop_assert!(guard.suspicion(now) >= 0.0);
        }
        let stats = guard.stats();
        let sum = stats.accepted + stats.corrected + stats.rejected + stats.disconnected;
        prop_assert_eq!(sum, stats.judged);
    }
}
