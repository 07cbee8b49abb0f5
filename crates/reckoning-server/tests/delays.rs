//! Delays on the way, over real sockets: figure 2.2 of THESIS and its fairness table, in short.
//!
//! The full tables take minutes of real time; `testdata/delays.txt` is what they once were:
//! `cargo test -p reckoning-server --test delays -- --ignored --nocapture`

mod delayed;

use std::net::UdpSocket;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use delayed::drive::Drive;
use delayed::relay::{Direction, Roads};
use delayed::{MIXED, Outcome, Scene, THIRD, fairness_scenes, policies, real, tables, twin};

/// Measurements in real time do not share the machine with each other.
static ALONE: Mutex<()> = Mutex::new(());

/// Roads that are later than this on average are not the roads that were asked for.
const MAX_LATE_MS: f64 = 15.0;
const TRIES: u32 = 3;

/// Over sockets, and in virtual time. A machine that is too busy to keep to the delays is asked
/// again, and `None` in the end: then nothing was measured, and it says so.
fn measure(test: &str, scenes: &[Scene]) -> Option<[Vec<Outcome>; 2]> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..TRIES {
        let run = real::run(scenes);
        let clock_ms = run.outcomes.iter().map(|it| it.clock_error_ms).fold(0.0, f64::max);
        let late_ms = run.late_ms;
        println!(
            "roads late by {late_ms:.2} ms on average, clocks off by {clock_ms:.1} ms at most"
        );
        if late_ms < MAX_LATE_MS && !run.lost {
            return Some([run.outcomes, scenes.iter().map(twin::run).collect()]);
        }
    }
    reckoning_testing::skip(test, "the machine is too busy to measure delays");
    None
}

#[test]
fn a_road_delays_both_ways_and_loses_its_share() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    let roads = Roads::start();
    let up = Direction { loss: 0.5, ..Direction::new(60) };
    let road = roads.build(server.local_addr().unwrap(), up, Direction::new(90), 1);
    let sent = reckoning_server::Clock::start();
    for number in 0..100_u8 {
        client.send_to(&[number], road).unwrap();
    }
    server.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut arrived = 0;
    let mut byte = [0];
    while let Ok((_, from)) = server.recv_from(&mut byte) {
        if arrived == 0 {
            assert!(sent.now().as_secs_f64() >= 0.06);
            server.send_to(b"!", from).unwrap();
            client.recv_from(&mut byte).unwrap();
            assert!(sent.now().as_secs_f64() >= 0.15);
        }
        arrived += 1;
    }
    assert!((30..70).contains(&arrived), "{arrived} of 100");
}

/// What a machine that has other things to do makes of errors in virtual time.
const MACHINE: std::ops::Range<f64> = 0.8..1.3;

#[test]
fn a_common_clock_lowers_the_shown_error_at_every_delay() {
    let scenes = [Drive::Circular, Drive::Random].map(|drive| Scene::clocks(drive, 8));
    let Some([found, twins]) =
        measure("a_common_clock_lowers_the_shown_error_at_every_delay", &scenes)
    else {
        return;
    };
    println!("{}", tables::clocks(&scenes, &found, &twins));
    for ((scene, outcome), twin) in scenes.iter().zip(&found).zip(&twins) {
        for (place, pair) in outcome.errors_m.chunks(2).enumerate() {
            let delay_ms = scene.listeners[2 * place].delay_ms;
            // The delays were there: without them nobody would need a clock.
            let sockets = pair[0] / twin.errors_m[2 * place];
            assert!(MACHINE.contains(&sockets), "{} at {delay_ms} ms: {sockets}", scene.name);
            assert!(pair[1] < 0.7 * pair[0], "{} at {delay_ms} ms: {pair:?} m", scene.name);
        }
    }
}

/// The 1/3 base case and turns by error, over real sockets. A run this short has hardly got over its
/// first turns, which were given when nobody knew much of anybody: see the next test.
#[test]
fn turns_by_error_level_the_receivers_with_live_acknowledgements() {
    let (names, seeds) = ([THIRD, MIXED], 3);
    let scenes = fairness_scenes(&names, 90, 3);
    let Some(measured) =
        measure("turns_by_error_level_the_receivers_with_live_acknowledgements", &scenes)
    else {
        return;
    };
    let [found, twins] = measured.map(|all| Outcome::pooled_by(seeds, &all));
    println!("{}", tables::fairness(&names, &found, &twins));
    let (third, turns) = (&found[0], &found[1]);
    assert!(turns.deviation_m() < 0.9 * third.deviation_m(), "{turns:?} against {third:?}");
    let packets = turns.updates as f64 / third.updates as f64;
    assert!((0.85..1.2).contains(&packets), "{packets} of the packets");
    // What everyone gets at the same moments is what it would be without sockets.
    let sockets = third.mean_m() / twins[0].mean_m();
    assert!(MACHINE.contains(&sockets), "{sockets} of the error in virtual time");
}

#[test]
fn turns_by_error_keep_the_mean_within_a_twentieth_in_four_minutes() {
    let (names, seeds) = ([THIRD, MIXED], 24);
    let scenes = fairness_scenes(&names, 240, 24);
    let found: Vec<Outcome> = scenes.iter().map(twin::run).collect();
    let found = Outcome::pooled_by(seeds, &found);
    println!("{}", tables::fairness(&names, &found, &found));
    let (third, turns) = (&found[0], &found[1]);
    assert!(turns.deviation_m() < 0.8 * third.deviation_m(), "{turns:?} against {third:?}");
    assert!(turns.mean_m() < 1.05 * third.mean_m(), "{turns:?} against {third:?}");
}

fn setting(name: &str, usual: u32) -> u32 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

#[test]
#[ignore = "a minute of real time, for testdata/delays.txt"]
fn the_full_table_of_clocks() {
    let seconds = setting("DELAYS_CLOCKS_S", 60);
    let scenes = Drive::ALL.map(|drive| Scene::clocks(drive, seconds));
    let Some([found, twins]) = measure("the_full_table_of_clocks", &scenes) else { return };
    println!("{seconds} s of each drive\n{}", tables::clocks(&scenes, &found, &twins));
}

#[test]
#[ignore = "minutes of real time, for testdata/delays.txt"]
fn the_full_table_of_fairness() {
    let (seconds, seeds) = (setting("DELAYS_FAIRNESS_S", 240), setting("DELAYS_SEEDS", 3));
    let names: Vec<&str> = policies().into_iter().map(|(name, _)| name).collect();
    let scenes = fairness_scenes(&names, seconds, u64::from(seeds));
    let Some(measured) = measure("the_full_table_of_fairness", &scenes) else { return };
    let [found, twins] = measured.map(|all| Outcome::pooled_by(seeds as usize, &all));
    println!("{seeds} drives of {seconds} s\n{}", tables::fairness(&names, &found, &twins));
}
