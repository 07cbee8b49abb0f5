//! Shared by the contract tests: random motions, random deliveries, and ways to compare.
//!
//! Everything is drawn from a fixed seed, so a test that passes once passes always; set
//! `PROPTEST_RNG_SEED` to look elsewhere.

// Every test file compiles this module and uses its own part of it.
#![allow(dead_code)]

pub mod extreme;
pub mod ghosts;

use std::sync::OnceLock;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use reckoning::dis::{BodyAcceleration, DisAlgorithm, DisModel, quat_from_euler};
use reckoning::model::{Ballistic, CustomModel, Landing, Path, PathRide};
use reckoning::{Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, SimTime, Update, UpdateKind};

/// As many random cases as asked for, from a fixed seed unless one is set outside.
pub fn cases(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(0x5eed);
    }
    config
}

pub fn vector(max: f64) -> impl Strategy<Value = DVec3> {
    (-max..max, -max..max, -max..max).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

pub fn orientation() -> impl Strategy<Value = DQuat> {
    (-3.1..3.1, -1.5..1.5, -3.1..3.1).prop_map(|(psi, theta, phi)| quat_from_euler(psi, theta, phi))
}

pub fn millis(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_millis)
}

/// A body of a game: some hundred metres, tens of metres a second. Every fourth stands or
/// does not turn.
pub fn kinematics() -> impl Strategy<Value = Kinematics> {
    let still = |max| prop_oneof![3 => vector(max), 1 => Just(DVec3::ZERO)];
    (vector(100.0), still(20.0), still(10.0), orientation(), still(2.0)).prop_map(
        |(position, velocity, acceleration, orientation, angular_velocity)| Kinematics {
            at: SimTime::ZERO,
            position,
            velocity,
            acceleration,
            orientation,
            angular_velocity,
        },
    )
}

/// A round track, smooth, and an open one with corners.
pub fn paths() -> [&'static Path; 2] {
    static PATHS: OnceLock<[&'static Path; 2]> = OnceLock::new();
    *PATHS.get_or_init(|| {
        let corners = [(0.0, 0.0), (60.0, 10.0), (80.0, 70.0), (-20.0, 50.0)];
        let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.1 * x));
        let round = Path::spline(1, &corners, true).unwrap();
        [round.leak(), Path::polyline(2, &corners, false).unwrap().leak()]
    })
}

/// Any three or four rising time constants.
pub fn basis() -> impl Strategy<Value = CurveBasis> {
    (0.02..0.5, prop::collection::vec(1.1..8.0, 2..=3)).prop_map(|(first, growth)| {
        let mut tau_s = vec![first];
        for factor in growth {
            tau_s.push(tau_s.last().unwrap() * factor);
        }
        CurveBasis::new(&tau_s).unwrap()
    })
}

fn curve() -> impl Strategy<Value = Model> {
    (basis(), prop::array::uniform4(vector(8.0))).prop_map(|(basis, coefficients)| {
        let terms = basis.tau_s().len();
        Model::Curve(Curve::new(basis, &coefficients[..terms]).unwrap())
    })
}

fn ballistic() -> impl Strategy<Value = Model> {
    let landing = prop_oneof![Just(Landing::Stop), Just(Landing::Run)];
    (-3.0..20.0, -120.0..120.0, landing).prop_map(|(gravity_mps2, floor_m, landing)| {
        Model::Ballistic(Ballistic::new(gravity_mps2, floor_m, landing).unwrap())
    })
}

fn ride() -> impl Strategy<Value = Model> {
    (0..2_usize, -50.0..300.0, -20.0..20.0).prop_map(|(path, progress_m, rate_mps)| {
        Model::Path(PathRide { path: paths()[path], progress_m, rate_mps })
    })
}

pub fn dis() -> impl Strategy<Value = Model> {
    (0..9_usize, any::<bool>()).prop_map(|(algorithm, inertial)| {
        let acceleration =
            if inertial { BodyAcceleration::Inertial } else { BodyAcceleration::BodyRate };
        Model::Dis(DisModel { algorithm: DisAlgorithm::ALL[algorithm], acceleration })
    })
}

fn swings(seen: &Kinematics, t_s: f64) -> DVec3 {
    seen.position + seen.velocity * libm::sin(t_s)
}

/// Every kind of model whose velocity never jumps by itself.
pub fn smooth_model() -> impl Strategy<Value = Model> {
    prop_oneof![
        Just(Model::Hold),
        Just(Model::Linear),
        Just(Model::Arc),
        Just(Model::Custom(CustomModel { id: 1, position_after: swings })),
        millis(0..3_000).prop_map(|trust| Model::Accelerating { trust }),
        millis(20..3_000).prop_map(|fade| Model::Damped { fade }),
        millis(0..3_000).prop_map(|fade| Model::Decaying { fade }),
        curve(),
        dis(),
    ]
}

/// Every kind of model there is: also those with corners, floors and ends.
pub fn model() -> impl Strategy<Value = Model> {
    prop_oneof![
        9 => smooth_model(),
        1 => Just(Model::Damped { fade: Duration::ZERO }),
        1 => ballistic(),
        1 => ride(),
    ]
}

/// Any motion, by any model, at time zero.
pub fn motion() -> impl Strategy<Value = (Kinematics, Model)> {
    (kinematics(), model())
}

pub fn update(at: SimTime, (seen, model): (Kinematics, Model), kind: UpdateKind) -> Update {
    Update::new(Kinematics { at, ..seen }, model, kind).unwrap()
}

/// An update and when it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    pub update: Update,
    pub now: SimTime,
}

/// Updates of one body as a bad network brings them, by time of arrival: late, early (from a
/// clock that is ahead), overtaken by newer ones, and some of them twice. The first to
/// arrive is a ghost's first.
pub fn deliveries() -> impl Strategy<Value = Vec<Delivery>> {
    deliveries_of(model())
}

/// The same, of bodies that move by one of these models.
pub fn deliveries_of(model: impl Strategy<Value = Model>) -> impl Strategy<Value = Vec<Delivery>> {
    // Gap before the update, time on the way, and for one in four the time its copy takes.
    let copy = prop::option::weighted(0.25, 0..900_000_i64);
    let one = (1..900_i64, -100_000..700_000_i64, copy, (kinematics(), model));
    (-5_000..5_000_i64, prop::collection::vec(one, 2..12)).prop_map(|(start_ms, sent)| {
        let mut at_ms = start_ms;
        let mut arriving = Vec::new();
        for (gap_ms, delay_us, copy_us, motion) in sent {
            at_ms += gap_ms;
            let update = update(SimTime::from_millis(at_ms), motion, UpdateKind::Partial);
            for delay_us in std::iter::once(delay_us).chain(copy_us) {
                let now = SimTime::from_micros(1_000 * at_ms + delay_us);
                arriving.push(Delivery { update, now });
            }
        }
        arriving.sort_by_key(|delivery| delivery.now);
        arriving
    })
}

/// A moment so many seconds after `from`; before it when negative.
pub fn after(from: SimTime, seconds: f64) -> SimTime {
    SimTime::from_micros(from.as_micros() + (seconds * 1e6) as i64)
}

/// Whether two positions differ by no more than rounding.
pub fn same_place(a: DVec3, b: DVec3) -> bool {
    (a - b).length() <= 1e-9 * (1.0 + a.length())
}

pub fn bits(v: DVec3) -> [u64; 3] {
    v.to_array().map(f64::to_bits)
}

/// Everything a ghost shows at one moment, to the last bit.
pub type Picture = ([u64; 3], [u64; 3], [u64; 4]);

pub fn picture(position: DVec3, velocity: DVec3, orientation: DQuat) -> Picture {
    (bits(position), bits(velocity), orientation.to_array().map(f64::to_bits))
}

/// One-sided slope of `position` at `now`, forwards or backwards by `step_us`, with an error
/// of the second order only.
pub fn slope(position: impl Fn(SimTime) -> DVec3, now: SimTime, step_us: i64) -> DVec3 {
    let at = |steps: i64| position(SimTime::from_micros(now.as_micros() + steps * step_us));
    let way = at(1) * 4.0 - at(0) * 3.0 - at(2);
    way / (2e-6 * step_us as f64)
}

/// Whether the position does not jump at `now`: it moves no further within two microseconds
/// than its speed and `slack_m` allow.
pub fn flows(
    position: impl Fn(SimTime) -> DVec3,
    velocity: impl Fn(SimTime) -> DVec3,
    now: SimTime,
    slack_m: f64,
) -> bool {
    let (before, after) = (now - Duration::from_micros(1), now + Duration::from_micros(1));
    let speed = velocity(before).length().max(velocity(after).length());
    (position(after) - position(before)).length() <= 4e-6 * speed + slack_m
}
