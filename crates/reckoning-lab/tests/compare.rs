//! Comparisons on a recording whose answers are known, and their cache.

use std::time::Duration;

use reckoning::{DVec3, SimTime};
use reckoning_lab::compare::{Cache, CompareConfig, Comparison, compare, compare_cached};
use reckoning_lab::recording::{Recording, Sample, Track};

/// Two runners at 60 Hz: one straight at 3 units a second, one who stands.
fn runners() -> Recording {
    let mut recording =
        Recording { source: "made".into(), session: "two".into(), ..Recording::default() };
    recording.meta.body_width = 0.5;
    for (id, speed) in [(0, 3.0), (1, 0.0)] {
        let mut track = Track::new(id, id, &[]);
        for tick in 0..600 {
            let at = SimTime::from_tick(tick, 60);
            let position = DVec3::new(speed * at.as_secs_f64(), f64::from(id) * 9.0, 0.0);
            track.push(Sample { at, position, alive: true, ..Sample::default() }, &[]);
        }
        recording.tracks.push(track);
    }
    recording.tidy();
    recording
}

fn compared(names: &str) -> Comparison {
    let config = CompareConfig {
        predictors: names.split(',').map(|name| name.parse().unwrap()).collect(),
        delays: vec![Duration::from_millis(500)],
        ..CompareConfig::default()
    };
    compare(&config, &[runners()], &|_, _| {}).unwrap()
}

#[test]
fn a_straight_runner_is_foreseen_by_linear_and_missed_by_hold() {
    let result = compared("hold,linear,ekb,interest,trend,ant");
    let row = |name: &str| result.open.iter().find(|row| row.predictor == name).unwrap();
    // One of the two stands: half of 1.5 units on average.
    assert!((row("hold").aee - 0.75).abs() < 1e-6, "{}", row("hold").aee);
    assert!(row("linear").aee < 1e-4, "{}", row("linear").aee);
    assert_eq!((row("hold").hit_rate, row("linear").hit_rate), (0.5, 1.0));
    assert_eq!(row("linear").n, 2 * (600 - 4 - 30)); // 60 ms to know, 500 ms to be judged
}

#[test]
fn the_closed_loop_counts_updates_and_keeps_the_bound() {
    let result = compared("hold,linear");
    let [hold, linear] = result.closed.as_slice() else { panic!("two predictors, two rows") };
    // Half a width at 3 units a second is passed about six times a second by one of two.
    assert!((2.5..3.5).contains(&hold.packets_per_entity_s), "{hold:?}");
    assert!(linear.packets_per_entity_s < 0.5, "{linear:?}");
    assert!(hold.mean_error < 0.5 && linear.mean_error < hold.mean_error);
}

#[test]
fn a_comparison_is_found_again_by_its_content_alone() {
    let folder = std::env::temp_dir().join(format!("reckoning-cache-{}", std::process::id()));
    let cache = Cache { folder: folder.clone() };
    let config = CompareConfig::default();
    let first = compare_cached(&cache, &config, &[runners()], &|_, _| {}).unwrap();
    let steps = std::sync::atomic::AtomicU64::new(0);
    let count = |_, _| {
        steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let again = compare_cached(&cache, &config, &[runners()], &count).unwrap();
    assert_eq!(first, again);
    assert_eq!(steps.into_inner(), 1, "it was computed again");
    let mut moved = runners();
    moved.tracks[0].samples[300].position.x += 1e-9;
    compare_cached(&cache, &config, &[moved], &|_, _| {}).unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nothing_to_compare_is_said() {
    let config = CompareConfig { delays: Vec::new(), ..CompareConfig::default() };
    let message = compare(&config, &[runners()], &|_, _| {}).unwrap_err().to_string();
    assert_eq!(message, "no delays to compare; give at least one");
}
