//! Delays on the way, over real sockets: figure 2.2 of THESIS and its fairness table, in short.
//!
//! The full tables take minutes of real time; `testdata/delays.txt` is what they once were:
//! `cargo test -p reckoning-server --test delays -- --ignored --nocapture`

mod delayed;

use std::net::UdpSocket;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use delayed::drive::Drive;
use delayed::relay::{Roads, Way};
use delayed::{Outcome, Scene, THIRD, TURNS, policies, real, tables, twin};

/// Measurements in real time do not share the machine with each other.
static ALONE: Mutex<()> = Mutex::new(());

/// Over sockets, and in virtual time.
fn measure(scenes: &[Scene]) -> (Vec<Outcome>, Vec<Outcome>) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let run = real::run(scenes);
    let clock_ms = run.outcomes.iter().map(|it| it.clock_error_ms).fold(0.0, f64::max);
    println!(
        "roads late by {:.2} ms on average, clocks off by {clock_ms:.1} ms at most",
        run.late_ms
    );
    (run.outcomes, scenes.iter().map(twin::run).collect())
}

fn fairness_scenes(seconds: u32, seed: u64) -> Vec<Scene> {
    let all = policies().into_iter();
    all.map(|(name, policy)| Scene::fairness(name, policy, seconds, seed)).collect()
}

/// The scenes of the two policies that are compared.
fn third_and_turns(seconds: u32, seed: u64) -> Vec<Scene> {
    let mut scenes = fairness_scenes(seconds, seed);
    scenes.retain(|scene| [THIRD, TURNS].contains(&scene.name.as_str()));
    scenes
}

#[test]
fn a_common_clock_lowers_the_shown_error_at_every_delay() {
    let scenes = [Drive::Circular, Drive::Random].map(|drive| Scene::clocks(drive, 8));
    let (found, twins) = measure(&scenes);
    println!("{}", tables::clocks(&scenes, &found, &twins));
    for (scene, outcome) in scenes.iter().zip(&found) {
        for (place, pair) in outcome.errors_m.chunks(2).enumerate() {
            let delay_ms = scene.listeners[2 * place].delay_ms;
            assert!(pair[1] < 0.6 * pair[0], "{} at {delay_ms} ms: {pair:?} m", scene.name);
        }
    }
}

#[test]
#[ignore = "virtual time only; for a quick look"]
fn twins() {
    let number =
        |name: &str, usual: u32| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (seconds, seeds) = (number("DELAYS_SECONDS", 60), number("DELAYS_SEEDS", 3));
    let scenes = Drive::ALL.map(|drive| Scene::clocks(drive, seconds));
    let twins: Vec<Outcome> = scenes.iter().map(twin::run).collect();
    println!("{}", tables::clocks(&scenes, &twins, &twins));
    for seed in 1..=u64::from(seeds) {
        let scenes = fairness_scenes(seconds, seed);
        let twins: Vec<Outcome> = scenes.iter().map(twin::run).collect();
        println!("seed {seed}\n{}", tables::fairness(&scenes, &twins, &twins));
    }
}

#[test]
#[ignore = "minutes of real time"]
fn the_full_tables() {
    let number =
        |name: &str, usual: u32| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (seconds, seeds) = (number("DELAYS_SECONDS", 60), number("DELAYS_SEEDS", 3));
    let scenes = Drive::ALL.map(|drive| Scene::clocks(drive, seconds));
    let (found, twins) = measure(&scenes);
    println!("{}", tables::clocks(&scenes, &found, &twins));
    for seed in 1..=u64::from(seeds) {
        let scenes = fairness_scenes(seconds, seed);
        let (found, twins) = measure(&scenes);
        println!("seed {seed}\n{}", tables::fairness(&scenes, &found, &twins));
    }
}
