//! Comparisons on a recording whose answers are known, and their cache.

use std::time::Duration;

use reckoning::{DVec3, SimTime};
use reckoning_lab::compare::{Cache, CompareConfig, Comparison, compare, compare_cached};
use reckoning_recording::{LevelItem, Recording, Sample, Track};

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

/// Runners on a lane along x: each goes the way `heading` says and turns round at the ends.
fn lane(session: &str, heading: f64) -> Recording {
    let mut recording =
        Recording { source: "made".into(), session: session.into(), ..Recording::default() };
    recording.meta.body_width = 0.5;
    for id in 0..3 {
        let mut track = Track::new(id, id, &[]);
        for tick in 0..3_600 {
            let at = SimTime::from_tick(tick, 60);
            let way = at.as_secs_f64() * 3.0 + f64::from(id) * 7.0;
            // Swaying across the lane, so that there is something to send.
            let across = libm::sin(way * 1.7) * 0.4;
            let position = DVec3::new(heading * (way % 40.0), across, 0.0);
            let segment = (way / 40.0) as u32;
            let sample = Sample { at, position, alive: true, segment, ..Sample::default() };
            track.push(sample, &[]);
        }
        recording.tracks.push(track);
    }
    recording.tidy();
    recording
}

fn packets(result: &Comparison, session: &str, predictor: &str) -> f64 {
    let row = |row: &&reckoning_lab::compare::ClosedRow| {
        row.session == session && row.predictor == predictor
    };
    result.closed.iter().find(row).unwrap().packets_per_entity_s
}

fn along_and_across() -> Comparison {
    let config = CompareConfig {
        predictors: ["trend", "linear"].map(|name| name.parse().unwrap()).to_vec(),
        delays: vec![Duration::from_millis(500)],
        bound: Some(0.4),
        ..CompareConfig::default()
    };
    // The third goes against the trend that the first two set.
    let mut against = lane("against", 1.0);
    for track in &mut against.tracks {
        for sample in &mut track.samples {
            std::mem::swap(&mut sample.position.x, &mut sample.position.y);
            sample.position += DVec3::new(20.0, -20.0, 0.0);
        }
    }
    compare(&config, &[lane("one", 1.0), lane("two", 1.0), against], &|_, _| {}).unwrap()
}

#[test]
fn trend_speaks_more_often_where_bodies_cross_the_trend_of_a_place() {
    let result = along_and_across();
    let ratio = |session| packets(&result, session, "trend") / packets(&result, session, "linear");
    println!("trend over linear: {:.3} along, {:.3} across", ratio("two"), ratio("against"));
    // Linear has one threshold for all, so it is the measure of the motion itself.
    assert!(ratio("against") > 1.1 * ratio("two"), "{} and {}", ratio("against"), ratio("two"));
    assert_eq!(result, along_and_across(), "the same question, another answer");
}

#[test]
fn trend_without_other_sessions_of_the_map_goes_straight_at_the_whole_bound() {
    let result = compared("trend,linear");
    let row = |name: &str| result.open.iter().find(|row| row.predictor == name).unwrap();
    assert!((row("trend").aee - row("linear").aee).abs() < 1e-4, "{}", row("trend").aee);
    let [trend, linear] = ["trend", "linear"].map(|name| packets(&result, "two", name));
    assert_eq!(trend, linear);
}

#[test]
fn a_preference_is_learnt_from_what_a_player_did_so_far() {
    let config = CompareConfig {
        predictors: ["interest", "interest(preference=learnt)"]
            .map(|it| it.parse().unwrap())
            .into(),
        delays: vec![Duration::from_secs(2)],
        closed_loop: false,
        ..CompareConfig::default()
    };
    let result = compare(&config, &[collector()], &|_, _| {}).unwrap();
    let [plain, learnt] = result.open.as_slice() else { panic!("two predictors, one delay") };
    println!("interest {:.3}, learnt {:.3}", plain.aee, learnt.aee);
    assert!(learnt.aee < 0.9 * plain.aee, "{} and {}", learnt.aee, plain.aee);
}

/// One who walks to a box of health, again and again, while a weaker enemy, who would draw him
/// by LI's formula, stands aside.
fn collector() -> Recording {
    let mut recording =
        Recording { source: "made".into(), session: "collector".into(), ..Recording::default() };
    recording.meta.body_width = 10.0;
    let health = |x: f64| LevelItem {
        kind: "health".into(),
        class: "health 40".into(),
        position: DVec3::new(x, 0.0, 0.0),
    };
    recording.level.items = vec![health(120.0)];
    for (id, points) in [(0, 60.0), (1, 10.0)] {
        let mut track = Track::new(id, id, &[]);
        for tick in 0..3_600 {
            let at = SimTime::from_tick(tick, 60);
            let way = at.as_secs_f64() * 40.0;
            let walk = DVec3::X * (way % 200.0 - 100.0);
            let position = if id == 0 { walk } else { DVec3::new(0.0, 40.0, 0.0) };
            // Both were whole once, so that what they could have is known.
            let health = Some(if tick < 300 { 100.0 } else { points });
            let segment = (way / 200.0) as u32;
            let sample = Sample { at, position, alive: true, health, segment, ..Sample::default() };
            track.push(sample, &[]);
        }
        recording.tracks.push(track);
    }
    recording.tidy();
    recording
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
