//! Comparison on a game of the hills: orientation and joints, against sums of this test's own.

use std::sync::OnceLock;
use std::time::Duration;

use reckoning::math::angle_between;
use reckoning::orientation::shortest_turn_rad;
use reckoning_lab::compare::{ClosedAngleRow, CompareConfig, Comparison, OpenAngleRow, compare};
use reckoning_lab::hills;
use reckoning_lab::report::{
    Contents, comparison_csv, comparison_json, comparison_tables, session_tables, to_html, to_text,
};
use reckoning_recording::{Recording, Track, open_session, write_session};

const DELAY_MS: u64 = 250;
/// Half a minute, sixty times a second; a delay that is a whole number of ticks.
const SECONDS: u32 = 30;
const DELAY_TICKS: usize = 15;
/// Rates are known after this many ticks of a life: the first span of 60 ms or more.
const PAST_TICKS: usize = 4;

/// As it was written to a session file and read back.
fn game() -> &'static Recording {
    static GAME: OnceLock<Recording> = OnceLock::new();
    GAME.get_or_init(|| {
        let played = hills::session(4, 2, SECONDS, 7);
        let file = write_session(&played, Vec::new()).unwrap();
        let read = open_session(&file).unwrap().recording;
        assert!(read.tracks == played.tracks, "a session file keeps everything");
        read
    })
}

fn compared() -> &'static Comparison {
    static COMPARED: OnceLock<Comparison> = OnceLock::new();
    COMPARED.get_or_init(|| {
        let config = CompareConfig {
            predictors: ["hold", "linear", "interest"].map(|it| it.parse().unwrap()).to_vec(),
            delays: vec![Duration::from_millis(DELAY_MS)],
            receivers: Vec::new(),
            ..CompareConfig::default()
        };
        compare(&config, std::slice::from_ref(game()), &|_, _| {}).unwrap()
    })
}

fn open(predictor: &str, joint: Option<&str>) -> &'static OpenAngleRow {
    let mut rows = compared().open_angles.iter();
    rows.find(|row| row.predictor == predictor && row.joint.as_deref() == joint).unwrap()
}

fn closed(predictor: &str, joint: Option<&str>) -> &'static ClosedAngleRow {
    let mut rows = compared().closed_angles.iter();
    rows.find(|row| row.predictor == predictor && row.joint.as_deref() == joint).unwrap()
}

/// Samples that a prediction can start from, and those a delay later in the same life.
fn pairs(track: &Track) -> impl Iterator<Item = (usize, usize)> {
    let samples = &track.samples;
    let life = |place: usize| samples.get(place).map(|it| it.segment);
    let first = move |place: usize| place.checked_sub(PAST_TICKS).and_then(life);
    let fits = move |&(from, to): &(usize, usize)| {
        samples[from].alive && first(from) == life(from) && life(to) == life(from)
    };
    (0..samples.len()).map(|from| (from, from + DELAY_TICKS)).filter(fits)
}

/// Mean and 95th percentile, in degrees, by sorting all of them.
fn mean_and_p95(mut errors_deg: Vec<f64>) -> (f64, f64) {
    errors_deg.sort_by(f64::total_cmp);
    let mean = errors_deg.iter().sum::<f64>() / errors_deg.len() as f64;
    (mean, errors_deg[errors_deg.len() * 95 / 100])
}

fn assert_agrees(row: &OpenAngleRow, errors_deg: Vec<f64>) {
    assert_eq!(row.n, errors_deg.len() as u64);
    let (mean, p95) = mean_and_p95(errors_deg);
    assert!((row.mean_deg / mean - 1.0).abs() < 1e-6, "{row:?}: mean {mean}");
    assert!((row.p95_deg / p95 - 1.0).abs() < 0.01, "{row:?}: p95 {p95}");
}

#[test]
fn a_game_of_the_hills_has_three_dimensions_turrets_and_kinds() {
    let recording = game();
    let tanks = recording.tracks.iter().filter(|it| it.last_kind() == Some("tank")).count();
    assert_eq!((tanks, recording.meta.map.as_str(), recording.meta.dims), (4, "hills", 3));
    let rises = |track: &Track| track.samples.iter().any(|it| it.position.z > 1.0);
    assert!(recording.tracks.iter().any(rises));
    let tank = recording.tracks.iter().find(|it| it.last_kind() == Some("tank")).unwrap();
    assert_eq!(tank.joints().map(|it| it.0).collect::<Vec<_>>(), ["turret", "barrel"]);
    let again = hills::session(4, 2, SECONDS, 7);
    assert!(recording.tracks == again.tracks, "the same game twice");
}

#[test]
fn hold_is_off_by_what_bodies_truly_turned_in_the_delay() {
    let oriented = game().tracks.iter().filter(|it| it.has_orientation());
    let turned = |track: &'static Track| {
        let angle = |(from, to)| angle_between(track.orientation(from), track.orientation(to));
        pairs(track).map(move |pair| angle(pair).to_degrees())
    };
    assert_agrees(open("hold", None), oriented.flat_map(turned).collect());
}

#[test]
fn hold_is_off_by_what_turrets_truly_turned_in_the_delay() {
    for joint in ["turret", "barrel"] {
        let turned = |track: &'static Track| {
            let angle = move |place| track.joint_rad(joint, place);
            let turn = move |(from, to)| Some(shortest_turn_rad(angle(from)?, angle(to)?));
            pairs(track).filter_map(move |pair| turn(pair).map(|it| it.abs().to_degrees()))
        };
        let errors = game().tracks.iter().flat_map(turned).collect();
        assert_agrees(open("hold", Some(joint)), errors);
    }
}

#[test]
fn angular_velocities_and_rates_foresee_more_than_holding_still() {
    for joint in [None, Some("turret")] {
        let (hold, linear) = (open("hold", joint), open("linear", joint));
        println!("open {joint:?}: hold {} linear {}", hold.mean_deg, linear.mean_deg);
        assert!(linear.mean_deg.is_finite() && linear.mean_deg > 0.0, "{linear:?}");
        assert!(linear.mean_deg < hold.mean_deg, "{linear:?}\n{hold:?}");
        let (hold, linear) = (closed("hold", joint), closed("linear", joint));
        println!("closed {joint:?}: {hold:?}\n{linear:?}");
        assert!(linear.updates_per_entity_s < hold.updates_per_entity_s, "{linear:?}\n{hold:?}");
        assert!(linear.shown_mean_deg < hold.shown_mean_deg, "{linear:?}\n{hold:?}");
    }
}

#[test]
fn guesses_stay_within_the_bound_of_angles() {
    for row in &compared().closed_angles {
        assert_eq!(row.bound_deg, 3.0);
        assert!(row.n > 1_000 && row.p95_deg <= 3.02 && row.mean_deg < 3.0, "{row:?}");
        assert!(row.shown_mean_deg.is_finite() && row.shown_p95_deg >= row.p95_deg, "{row:?}");
    }
}

#[test]
fn what_speaks_of_positions_only_is_not_asked_of_angles() {
    assert!(compared().open_angles.iter().all(|row| row.predictor != "interest"));
    assert!(compared().closed_angles.iter().any(|row| row.predictor == "interest"));
}

#[test]
fn the_error_of_a_position_includes_its_height() {
    let mut climbing = game().clone();
    let sum = |recording: &Recording| {
        let way = |track: &Track| {
            let at = |place: usize| track.samples[place].position;
            pairs(track).map(|(from, to)| at(from).distance(at(to))).collect::<Vec<_>>()
        };
        let ways: Vec<f64> = recording.tracks.iter().flat_map(way).collect();
        (ways.iter().sum::<f64>() / ways.len() as f64, ways.len() as u64)
    };
    let ten_mps = |track: &mut Track| {
        track.samples.iter_mut().for_each(|it| it.position.z += 10.0 * it.at.as_secs_f64());
    };
    climbing.tracks.iter_mut().for_each(ten_mps);
    let config = CompareConfig {
        predictors: vec!["hold".parse().unwrap()],
        delays: vec![Duration::from_millis(DELAY_MS)],
        closed_loop: false,
        ..CompareConfig::default()
    };
    let found = compare(&config, std::slice::from_ref(&climbing), &|_, _| {}).unwrap();
    let (mean, n) = sum(&climbing);
    assert_eq!(found.open[0].n, n);
    assert!((found.open[0].aee / mean - 1.0).abs() < 1e-9, "{} and {mean}", found.open[0].aee);
    assert!(mean > sum(game()).0 + 0.1, "rising counts");
}

#[test]
fn tables_json_csv_and_report_tell_of_angles() {
    let text: String = comparison_tables(compared()).iter().map(to_text).collect();
    for part in ["orientation and joints, mean error by delay in degrees", "turret", "barrel"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(session_tables(compared()).iter().any(|it| it.title.contains("at the bound, errors")));
    let rows: Vec<serde_json::Value> = serde_json::from_str(&comparison_json(compared())).unwrap();
    let kinds = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).count();
    // Orientation and two joints, of two predictors in the open loop and of three in the closed.
    assert_eq!((kinds("open-angle"), kinds("closed-angle")), (6, 9));
    let csv = comparison_csv(compared());
    let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{csv}");
    let contents = Contents { comparison: Some(compared()), ..Contents::default() };
    assert!(to_html(&contents).unwrap().contains("orientation, joints"));
}

#[test]
fn without_columns_of_orientation_nothing_is_told_of_angles() {
    let mut plain = game().clone();
    plain.tracks.iter_mut().for_each(|track| track.extras.clear());
    let config = CompareConfig {
        predictors: vec!["linear".parse().unwrap()],
        delays: vec![Duration::from_millis(DELAY_MS)],
        ..CompareConfig::default()
    };
    let found = compare(&config, std::slice::from_ref(&plain), &|_, _| {}).unwrap();
    assert!(found.open_angles.is_empty() && found.closed_angles.is_empty());
    assert_eq!(comparison_tables(&found).len(), 5);
    assert!(!comparison_csv(&found).contains("deg") && !comparison_json(&found).contains("deg"));
}
