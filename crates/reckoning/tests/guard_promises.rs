//! Contract of a guard for what updates promise: models, pictures, stamps, detours, defiance.

use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig, MotionTest, Offence, OwnerModels, Verdict};
use reckoning::model::{Ballistic, Landing};
use reckoning::random::SplitMix64;
use reckoning::terrain::Contact;
use reckoning::{
    Curve, CurveBasis, DVec3, Guard, Kinematics, Model, SimTime, Terrain, Update, UpdateKind,
};

const SPEED_MPS: f64 = 8.0;
const TOLERANCE_M: f64 = 0.5;

fn ms(at: i64) -> SimTime {
    SimTime::from_millis(at)
}

fn config() -> GuardConfig {
    GuardConfig::new(Envelope::of_speed(SPEED_MPS, 50.0), TOLERANCE_M)
}

fn guard() -> Guard {
    Guard::start(config(), &Kinematics::default()).unwrap()
}

fn update(at_ms: i64, x: f64, velocity: f64, model: Model) -> Update {
    let seen = Kinematics::moving(ms(at_ms), DVec3::X * x, DVec3::X * velocity);
    Update::new(seen, model, UpdateKind::Partial).unwrap()
}

fn fall(gravity: f64) -> Model {
    Model::Ballistic(Ballistic::new(gravity, -1e6, Landing::Run).unwrap())
}

fn curve(push: f64) -> Model {
    let coefficients = [DVec3::X * push, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    Model::Curve(Curve::new(CurveBasis::FOUR, &coefficients).unwrap())
}

/// What everybody is shown, tick by tick, and the farthest it got within a second.
struct Screen {
    guard: Guard,
    shown: Update,
    places: Vec<DVec3>,
    now: i64,
}

impl Screen {
    fn new() -> Self {
        let guard = guard();
        let shown = update(0, 0.0, 0.0, Model::Hold);
        Self { guard, shown, places: Vec::new(), now: 0 }
    }

    fn run_to(&mut self, now: i64) {
        while self.now < now {
            self.now += 5;
            self.places.push(self.shown.position_at(ms(self.now)));
        }
    }

    fn judge(&mut self, update: &Update) -> Verdict {
        let verdict = self.guard.judge(update, None, ms(self.now));
        let place = match (verdict, self.guard.restrained()) {
            (Verdict::Accept, None) => Some(*update),
            (Verdict::Accept, Some(state)) => {
                Some(Update::new(*state, Model::Linear, UpdateKind::Partial).unwrap())
            }
            (Verdict::Correct(place), _) => {
                Some(Update::new(place, Model::Hold, UpdateKind::Full).unwrap())
            }
            _ => None,
        };
        self.shown = place.unwrap_or(self.shown);
        verdict
    }

    /// Way within any second, as a share of what the envelope allows.
    fn gained(&mut self) -> f64 {
        self.run_to(self.now + 2_000);
        let ways = self
            .places
            .windows(201)
            .map(|window| window.iter().map(|place| place.distance(window[0])).fold(0.0, f64::max));
        ways.fold(0.0, f64::max) / (SPEED_MPS + TOLERANCE_M)
    }
}

#[test]
fn owners_use_the_models_that_are_listed() {
    let falls = update(100, 0.1, 1.0, fall(9.81));
    assert_eq!(guard().judge(&falls, None, ms(150)), Verdict::Reject(Offence::Model));

    let mut wider = config();
    wider.models = OwnerModels::PLAIN.and(&fall(9.81));
    let mut wider = Guard::start(wider, &Kinematics::default()).unwrap();
    assert_eq!(wider.judge(&falls, None, ms(150)), Verdict::Accept);
}

#[test]
fn wild_promises_are_refused_although_place_and_velocity_are_sound() {
    let mut config = config();
    config.models = OwnerModels::ALL;
    let wild = [curve(900.0), fall(1_000.0), fall(9.81e6)];
    for model in wild {
        let mut guard = Guard::start(config, &Kinematics::default()).unwrap();
        let verdict = guard.judge(&update(100, 0.2, 2.0, model), None, ms(150));
        assert_eq!(verdict, Verdict::Reject(Offence::Promise), "{model:?}");
    }
}

#[test]
fn a_promise_that_overshoots_is_accepted_and_shown_within_bounds() {
    let mut screen = Screen::new();
    for n in 1..40 {
        screen.run_to(n * 50);
        let seen = Kinematics {
            acceleration: DVec3::X * 50.0,
            ..Kinematics::moving(ms(n * 50 - 40), DVec3::X * 0.3 * n as f64, DVec3::X * 7.0)
        };
        let model = Model::Accelerating { trust: Duration::from_millis(500) };
        let verdict = screen.judge(&Update::new(seen, model, UpdateKind::Partial).unwrap());
        assert_eq!(verdict, Verdict::Accept, "{n}");
    }
    assert!(screen.guard.stats().restrained > 0);
    assert!(screen.gained() <= 1.05, "{}", screen.gained());
}

#[test]
fn a_promise_that_is_taken_back_is_displacement_too() {
    let mut screen = Screen::new();
    for n in 1..30 {
        screen.run_to(n * 400);
        let way = if n % 2 == 0 { 8.0 } else { -8.0 };
        screen.judge(&update(n * 400 - 30, 0.0, way, Model::Linear));
    }
    assert!(screen.gained() <= 1.05, "{}", screen.gained());
}

#[test]
fn banked_time_cannot_be_spent_on_screen() {
    let mut screen = Screen::new();
    // For three seconds stamps fall behind by 0.6 s for each second, standing.
    for n in 1..=60 {
        screen.run_to(n * 50);
        let stamp = n * 20;
        screen.judge(&update(stamp, 8.0 * stamp as f64 / 1e3, 0.0, Model::Linear));
    }
    // Then they catch up within a fifth of a second: all by the rules, by the stamps.
    for n in 1..=10 {
        screen.run_to(3_000 + n * 20);
        let stamp = 1_200 + n * 180;
        screen.judge(&update(stamp, 8.0 * stamp as f64 / 1e3, 0.0, Model::Linear));
    }
    assert!(screen.gained() <= 1.05, "{}", screen.gained());
}

#[test]
fn catching_up_again_and_again_is_judged_by_the_hosts_time() {
    let mut guard = guard();
    let mut corrected = 0;
    for n in 0..600_i64 {
        let now = n * 50 + 50;
        // Two seconds behind within two seconds, and back at once.
        let lag = 40 + (n % 42) * 45;
        let stamp = now - lag;
        let x = 7.9 * stamp as f64 / 1e3;
        let verdict = guard.judge(&update(stamp, x, 7.9, Model::Linear), None, ms(now));
        corrected += u32::from(matches!(verdict, Verdict::Correct(_) | Verdict::Disconnect(_)));
    }
    assert!(corrected > 0, "{:?}", guard.stats());
}

#[test]
fn stamps_older_than_the_link_explains_are_dropped() {
    let old = update(100, 0.2, 2.0, Model::Linear);
    assert_eq!(guard().judge(&old, None, ms(900)), Verdict::Accept);
    let mut near = guard();
    near.set_round_trip(Duration::from_millis(80));
    assert_eq!(near.judge(&old, None, ms(900)), Verdict::Reject(Offence::TooOld));
    let mut far = guard();
    far.set_round_trip(Duration::from_millis(700));
    assert_eq!(far.judge(&old, None, ms(900)), Verdict::Accept);
}

/// A wall of 24 m: whoever gets behind it goes a long way round.
struct Fence;

impl Terrain for Fence {
    fn ground_below(&self, _point: DVec3) -> Option<Contact> {
        None
    }

    fn first_hit(&self, from: DVec3, to: DVec3) -> Option<Contact> {
        let share = (2.0 - from.x) / (to.x - from.x);
        let point = from.lerp(to, share);
        let meets = (0.0..=1.0).contains(&share) && point.y.abs() < 12.0;
        meets.then_some(Contact { point, normal: DVec3::X })
    }
}

/// What is said of a body that is behind the wall this long after it was before it.
fn behind_wall(after_ms: i64) -> (Verdict, Option<Offence>) {
    let mut guard = guard();
    // The promise goes far aside of the wall, to where both ends are in sight.
    let before = Kinematics {
        acceleration: DVec3::Y * 50.0,
        ..Kinematics::moving(ms(100), DVec3::X * 0.5, DVec3::Y * 8.0)
    };
    let model = Model::Accelerating { trust: Duration::from_millis(500) };
    let before = Update::new(before, model, UpdateKind::Partial).unwrap();
    assert_eq!(guard.judge(&before, Some(&Fence), ms(150)), Verdict::Accept);
    let behind = update(100 + after_ms, 3.5, 0.0, Model::Linear);
    (guard.judge(&behind, Some(&Fence), ms(150 + after_ms)), guard.offence())
}

#[test]
fn a_way_round_a_wall_is_no_longer_than_a_body_goes() {
    let (verdict, offence) = behind_wall(1_000);
    assert!(matches!(verdict, Verdict::Correct(_)), "{verdict:?}");
    assert_eq!(offence, Some(Offence::Wall), "24 m in a second");
    // There was time enough to go round.
    assert_ne!(behind_wall(3_500).1, Some(Offence::Wall));
}

/// When a client that defies every correction is put out, with a measured round trip or without.
fn put_out_ms(speed: f64, round_trip: Option<u64>) -> Option<i64> {
    let mut guard = guard();
    if let Some(round_trip) = round_trip {
        guard.set_round_trip(Duration::from_millis(round_trip));
    }
    (1..400).map(|n| n * 50).find(|&t| {
        let update = update(t, speed * t as f64 / 1e3, 8.0, Model::Linear);
        matches!(guard.judge(&update, None, ms(t + 40)), Verdict::Disconnect(_))
    })
}

#[test]
fn whoever_defies_corrections_is_put_out_within_three_seconds() {
    for round_trip in [None, Some(20), Some(150), Some(400), Some(2_000)] {
        for speed in [20.0, 40.0, 400.0] {
            let out = put_out_ms(speed, round_trip);
            assert!(out.is_some_and(|t| t <= 3_000), "{speed} m/s, {round_trip:?} ms: {out:?}");
        }
    }
}

#[test]
fn a_client_that_is_late_to_obey_is_not_put_out() {
    let mut guard = guard();
    guard.set_round_trip(Duration::from_millis(300));
    let mut place = 0.0;
    let mut obeys_at = i64::MAX;
    for n in 1..4_800_i64 {
        let now = n * 50;
        // A leap every half minute; each correction needs a second until the client obeys.
        let leap = if n % 600 == 0 { 30.0 } else { 0.0 };
        if now >= obeys_at {
            (place, obeys_at) = (guard.last().position.x, i64::MAX);
        }
        place += leap;
        let verdict = guard.judge(&update(now - 40, place, 0.0, Model::Hold), None, ms(now));
        if matches!(verdict, Verdict::Correct(_)) && obeys_at == i64::MAX {
            obeys_at = now + 1_000;
        }
        assert!(!matches!(verdict, Verdict::Disconnect(_)), "{n}");
    }
    assert!(guard.stats().corrected > 3);
}

#[test]
fn numbers_that_are_none_make_no_guard() {
    let wrong: [fn(&mut GuardConfig); 9] = [
        |it| it.envelope.speed_mps = f64::NAN,
        |it| it.envelope.reach_m[2] = f64::NAN,
        |it| it.envelope.travel_m[5] = -1.0,
        |it| it.tolerance_m = f64::NAN,
        |it| it.gross = f64::NAN,
        |it| it.updates_per_s = 0.0,
        |it| it.burst = f64::NAN,
        |it| it.leak_per_s = f64::NAN,
        |it| it.disconnect_at = f64::NAN,
    ];
    for (number, change) in wrong.into_iter().enumerate() {
        let mut config = config();
        change(&mut config);
        assert!(Guard::start(config, &Kinematics::default()).is_err(), "{number}");
    }
}

/// Somebody who runs about, faster and slower, with turns: samples ten times a second.
fn wanderer(seed: u64, seconds: i64, times: f64) -> Vec<Kinematics> {
    let mut random = SplitMix64::new(seed);
    let (mut place, mut velocity) = (DVec3::ZERO, DVec3::ZERO);
    let mut wanted = DVec3::ZERO;
    (0..seconds * 10)
        .map(|n| {
            // The faster game draws the same, for less time each.
            for _ in 0..(times * 10.0) as usize {
                if random.between(0.0, 1.0) < 0.01 {
                    let angle = random.between(0.0, std::f64::consts::TAU);
                    let pace = random.between(0.0, 6.0);
                    wanted = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0) * pace;
                }
                velocity += (wanted - velocity).clamp_length_max(0.08);
                place += velocity * 0.01;
            }
            Kinematics::moving(ms(n * 100), place, velocity * times)
        })
        .collect()
}

#[test]
fn whoever_plays_a_faster_game_is_told_from_honest_play_in_time() {
    let honest: Vec<Vec<Kinematics>> = (0..20).map(|seed| wanderer(seed, 600, 1.0)).collect();
    let tracks = honest.iter().map(Vec::as_slice);
    let test = MotionTest::learnt_from(tracks, 1.5, 0.2).expect("three hours are enough");
    let alarms = |times: f64, within: i64| {
        let found = (100..150).filter(|seed| {
            let track = wanderer(*seed, 60, times);
            test.alarm(&track).is_some_and(|at| at <= ms(within * 1_000))
        });
        found.count()
    };
    assert_eq!(alarms(1.0, 60), 0, "of fifty honest minutes");
    assert!(alarms(1.5, 30) >= 45, "{} of 50 within half a minute", alarms(1.5, 30));
    assert!(alarms(2.0, 10) >= 45, "{} of 50 within ten seconds", alarms(2.0, 10));
}

#[test]
fn a_guard_with_a_motion_test_corrects_a_faster_game_within_the_envelope() {
    let honest: Vec<Vec<Kinematics>> = (0..20).map(|seed| wanderer(seed, 600, 1.0)).collect();
    let tracks = honest.iter().map(Vec::as_slice);
    let test = MotionTest::learnt_from(tracks, 1.5, 0.2).expect("three hours are enough");
    let mut config = GuardConfig::new(Envelope::of_speed(20.0, 500.0), TOLERANCE_M);
    config.motion = Some(Box::leak(Box::new(test)));
    let corrected = |track: &[Kinematics]| {
        let mut guard = Guard::start(config, &track[0]).unwrap();
        for seen in &track[1..] {
            let update = Update::new(*seen, Model::Linear, UpdateKind::Partial).unwrap();
            let now = seen.at + Duration::from_millis(50);
            if matches!(guard.judge(&update, None, now), Verdict::Correct(_)) {
                guard.put(seen, now); // it obeys, and goes on as before
            }
        }
        guard.stats().of(Offence::Pace)
    };
    assert_eq!(corrected(&wanderer(100, 600, 1.0)), 0, "of ten honest minutes");
    assert!(corrected(&wanderer(100, 60, 2.0)) >= 2);
    let short: [&[Kinematics]; 1] = [&honest[0][..2]];
    assert_eq!(MotionTest::learnt_from(short, 1.5, 0.2), None);
}
