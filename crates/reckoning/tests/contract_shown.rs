//! Contract of what a ghost shows of bad news: hedged guesses, and blends that keep a pace.

mod common;

use std::time::Duration;

use common::{cases, vector};
use proptest::prelude::*;
use reckoning::ghost::Pace;
use reckoning::random::SplitMix64;
use reckoning::{Blend, DVec3, Ghost, GhostConfig, Kinematics, Model, SimTime, Update, UpdateKind};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn hedged() -> GhostConfig {
    let mut config = GhostConfig::default();
    (config.blend, config.hedged) = (Blend::Snap, true);
    config.max_extrapolation = Duration::from_mins(10);
    config
}

fn update(at: SimTime, position: DVec3, velocity: DVec3, model: Model) -> Update {
    Update::new(Kinematics::moving(at, position, velocity), model, UpdateKind::Partial).unwrap()
}

/// What the three experts make of an update at a moment.
fn experts(update: &Update, at: SimTime) -> [DVec3; 3] {
    let age_s = at.secs_since(update.at());
    let damped_s = 0.4 * (1.0 - libm::exp(-age_s / 0.4));
    [age_s, damped_s, 0.0].map(|t_s| update.position_at(common::after(update.at(), t_s)))
}

/// Sums in which what is older counts less, and the bound that the choice keeps to.
#[derive(Default)]
struct Account {
    own_m: f64,
    each_m: [f64; 3],
    spread_m2: f64,
    widest_m: f64,
}

impl Account {
    fn add(&mut self, own_m: f64, each_m: [f64; 3]) {
        const KEPT: f64 = 0.95;
        let most = each_m.into_iter().fold(0.0, f64::max);
        let spread_m = most - each_m.into_iter().fold(f64::INFINITY, f64::min);
        self.own_m = self.own_m * KEPT + own_m;
        self.spread_m2 = self.spread_m2 * KEPT * KEPT + spread_m * spread_m;
        self.widest_m = (self.widest_m * KEPT).max(spread_m);
        for (sum_m, loss_m) in self.each_m.iter_mut().zip(each_m) {
            *sum_m = *sum_m * KEPT + loss_m;
        }
    }

    /// The most that the choice may have lost, against each expert.
    fn allowed_m(&self) -> [f64; 3] {
        let d = libm::log(10.0);
        let gap_m = 0.5 * (d * self.spread_m2).sqrt() + 2.0 * self.widest_m;
        let priors = [0.8, 0.1, 0.1];
        core::array::from_fn(|k| self.each_m[k] + (1.0 - libm::log(priors[k]) / d) * gap_m)
    }
}

fn model() -> impl Strategy<Value = Model> {
    prop_oneof![
        Just(Model::Linear),
        (50_u64..2_000).prop_map(|fade| Model::Damped { fade: ms(fade) }),
        Just(Model::Hold),
    ]
}

fn history() -> impl Strategy<Value = Vec<(u64, DVec3, DVec3, Model)>> {
    prop::collection::vec((200_u64..900, vector(5.0), vector(20.0), model()), 3..60)
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// Whatever bodies do, promise and suffer on their way: the error of the picture before any
    /// blend is at most that of the best of carrying on, damping and holding, and the bound.
    #[test]
    fn no_history_makes_a_hedged_picture_much_worse_than_the_best_expert(
        history in history(), delay in 1_u64..200,
    ) {
        let mut now = SimTime::ZERO;
        let mut place = DVec3::ZERO;
        let mut held = update(now, place, DVec3::X, Model::Linear);
        let mut ghost = Ghost::with_config(hedged(), held, now).unwrap();
        let mut account = Account::default();
        for (gap, step, velocity, model) in history {
            now += ms(gap);
            place += step;
            let losses_m = experts(&held, now).map(|guess| guess.distance(place));
            account.add(ghost.position_at(now).distance(place), losses_m);
            for (expert, allowed_m) in account.allowed_m().into_iter().enumerate() {
                let own_m = account.own_m;
                prop_assert!(own_m <= allowed_m + 1e-6, "{} m, {} allowed by {}", own_m, allowed_m, expert);
            }
            held = update(now, place, velocity, model);
            ghost.accept(held, now + ms(delay));
        }
        let trust: f64 = ghost.trust().into_iter().sum();
        prop_assert!((trust - 1.0).abs() < 1e-9);
    }

    /// Nothing is shown faster than the pace, as long as blends may be as long as that takes.
    #[test]
    fn a_pace_bounds_the_speed_of_the_picture(
        off in vector(6.0), velocities in (vector(6.0), vector(6.0)),
        blend in prop::sample::select(vec![Blend::ProjectiveVelocity, Blend::Fade, Blend::Hermite]),
    ) {
        // Both motions keep to 10.4 m/s, and a change of direction overshoots by a quarter.
        let pace = Pace { max_speed_mps: 18.0, max_span: Duration::from_mins(1) };
        let mut config = GhostConfig::default();
        (config.blend, config.pace) = (blend, Some(pace));
        config.max_extrapolation = Duration::from_mins(10);
        let at = SimTime::from_millis(1_000);
        let first = update(SimTime::ZERO, DVec3::ZERO, velocities.0, Model::Linear);
        let mut ghost = Ghost::with_config(config, first, SimTime::ZERO).unwrap();
        let place = ghost.position_at(at) + off;
        ghost.accept(update(at, place, velocities.1, Model::Linear), at);
        for step in 0..2_000 {
            let speed = ghost.velocity_at(at + ms(2 * step)).length();
            prop_assert!(speed <= pace.max_speed_mps + 1e-9, "{} m/s after {} ms", speed, 2 * step);
        }
    }
}

/// Whoever is trusted, a picture that hears nothing comes to rest.
#[test]
fn silence_ends_at_rest_whoever_is_trusted() {
    let mut config = hedged();
    config.max_extrapolation = ms(2_000);
    let at = SimTime::from_millis;
    let first = update(at(0), DVec3::ZERO, DVec3::X * 3.0, Model::Linear);
    let mut ghost = Ghost::with_config(config, first, at(0)).unwrap();
    for n in 1..9 {
        let place = DVec3::X * if n % 2 == 0 { 1.2 } else { 0.3 } * n as f64;
        ghost.accept(update(at(400 * n), place, DVec3::X * 3.0, Model::Linear), at(400 * n + 90));
        assert!(ghost.trust().into_iter().all(|it| it > 0.0), "{:?}", ghost.trust());
    }
    let rest = ghost.position_at(at(400 * 8 + 3_000));
    assert!(rest.distance(ghost.position_at(at(400 * 8 + 1_000))) > 0.1, "it goes on for a while");
    for later in [3_100, 10_000, 1_000_000] {
        assert_eq!(ghost.position_at(at(400 * 8 + later)), rest);
        assert_eq!(ghost.velocity_at(at(400 * 8 + later)), DVec3::ZERO);
    }
}

/// Ends up near what is best by far: straight runners are carried on, those who dart about are
/// held where they were seen.
#[test]
fn trust_goes_to_whoever_is_right() {
    let trust_after = |place_and_velocity: &dyn Fn(i64, &mut SplitMix64) -> (DVec3, DVec3)| {
        let mut dice = SplitMix64::new(5);
        let mut ghost: Option<Ghost> = None;
        for n in 0..40 {
            let at = SimTime::from_millis(400 * n);
            let (position, velocity) = place_and_velocity(n, &mut dice);
            let update = update(at, position, velocity, Model::Linear);
            match &mut ghost {
                None => ghost = Ghost::with_config(hedged(), update, at).ok(),
                Some(ghost) => {
                    ghost.accept(update, at + ms(350));
                }
            }
        }
        ghost.unwrap().trust()
    };
    let [carries, ..] = trust_after(&|n, _| (DVec3::X * 2.0 * n as f64, DVec3::X * 5.0));
    assert!(carries > 0.95, "{carries}");
    let [.., holds] = trust_after(&|_, dice| {
        let (sin, cos) = libm::sincos(dice.between(0.0, 6.28));
        (DVec3::ZERO, DVec3::new(cos, sin, 0.0) * 5.0)
    });
    assert!(holds > 0.9, "{holds}");
}

/// With delays of several updates, errors are judged at the age at which updates are shown, not at
/// the few milliseconds between two of them.
#[test]
fn errors_are_judged_at_the_age_that_is_shown() {
    let mut ghost: Option<Ghost> = None;
    // To and fro within 0.8 s: right for 100 ms, wrong for the 400 ms that each is shown later.
    for n in 0..100 {
        let at = SimTime::from_millis(100 * n);
        let (sin, cos) = libm::sincos(core::f64::consts::TAU * at.as_secs_f64() / 0.8);
        let velocity = DVec3::X * (cos * core::f64::consts::TAU / 0.8);
        let update = update(at, DVec3::X * sin, velocity, Model::Linear);
        match &mut ghost {
            None => ghost = Ghost::with_config(hedged(), update, at).ok(),
            Some(ghost) => {
                ghost.accept(update, at + ms(400));
            }
        }
    }
    let [carries, _, holds] = ghost.unwrap().trust();
    assert!(carries < 0.01 && holds > 0.5, "{carries} {holds}");
}

#[test]
fn without_hedging_motion_is_carried_on() {
    let first = update(SimTime::ZERO, DVec3::ZERO, DVec3::X, Model::Linear);
    let ghost = Ghost::new(first, Blend::Snap);
    assert_eq!(ghost.trust(), [1.0, 0.0, 0.0]);
    assert_eq!(ghost.position_at(SimTime::from_millis(900)).x, 0.9);
}

#[test]
fn a_pace_that_makes_no_sense_is_refused_by_name() {
    let first = update(SimTime::ZERO, DVec3::ZERO, DVec3::X, Model::Linear);
    for (max_speed_mps, max_span, name) in [
        (0.0, ms(1), "max_speed_mps"),
        (f64::NAN, ms(1), "max_speed_mps"),
        (1.0, ms(0), "max_span"),
    ] {
        let mut config = GhostConfig::default();
        config.pace = Some(Pace { max_speed_mps, max_span });
        let error = Ghost::with_config(config, first, SimTime::ZERO).unwrap_err();
        assert!(format!("{error}").contains(name), "{error}");
    }
}
