//! The frontier: what its rows say, and what the committed table promises.

use std::path::Path;
use std::time::Duration;

use reckoning_lab::bots;
use reckoning_lab::frontier::{
    Frontier, FrontierConfig, FrontierRow, frontier, frontier_picture, frontier_text,
};
use serde_json::Value;

/// Methods that need no training, on one short session of bots cut into quarters.
fn measured(names: &[&str], loss: f64) -> (FrontierConfig, Frontier) {
    let config = FrontierConfig {
        methods: names.iter().map(|name| name.parse().unwrap()).collect(),
        delays: [50, 200].map(Duration::from_millis).to_vec(),
        loss,
        burst: 4.0,
        asteroids: false,
        ..FrontierConfig::default()
    };
    let sessions = bots::sessions().into_iter().take(1).collect();
    let found = frontier(&config, sessions, &|_| {}).unwrap();
    (config, found)
}

fn of<'a>(found: &'a Frontier, method: &str, delay_ms: u64) -> Vec<&'a FrontierRow> {
    let own = |row: &&FrontierRow| row.method == method && row.delay_ms == delay_ms;
    found.rows.iter().filter(own).collect()
}

#[test]
fn rows_have_the_keys_that_programs_read() {
    let (_, found) = measured(&["linear", "naive-20"], 0.0);
    let json: Value = serde_json::from_str(&found.to_json()).unwrap();
    let row = json["rows"][0].as_object().unwrap();
    for key in [
        "source",
        "method",
        "setting",
        "delay_ms",
        "bytes_per_s",
        "bytes_per_s_with_headers",
        "bytes_per_s_uplink",
        "updates_per_s",
        "error_widths",
        "p95_widths",
        "acceleration_error",
        "extra_speed",
    ] {
        assert!(row.contains_key(key), "{key}");
    }
    assert_eq!(row.len(), 12);
}

#[test]
fn a_wider_bound_costs_less_and_shows_more_error_and_delay_shows_more_still() {
    let (_, found) = measured(&["linear"], 0.0);
    let near = of(&found, "linear", 50);
    assert_eq!(near.len(), 5);
    for pair in near.windows(2) {
        assert!(pair[1].bytes_per_s < pair[0].bytes_per_s, "{pair:?}");
        assert!(pair[1].error_widths > pair[0].error_widths, "{pair:?}");
    }
    for (near, far) in near.iter().zip(of(&found, "linear", 200)) {
        assert!(far.error_widths > near.error_widths && far.p95_widths > near.p95_widths);
    }
}

#[test]
fn the_codec_shows_what_interpolation_shows_for_fewer_bytes() {
    let (_, found) = measured(&["interpolation-20", "codec-20"], 0.0);
    for delay in [50, 200] {
        let (plain, coded) =
            (of(&found, "interpolation-20", delay)[0], of(&found, "codec-20", delay)[0]);
        let off = (coded.error_widths / plain.error_widths - 1.0).abs();
        assert!(off < 0.02, "{delay} ms: {} and {}", coded.error_widths, plain.error_widths);
        assert!(coded.bytes_per_s < 0.7 * plain.bytes_per_s, "{coded:?} {plain:?}");
    }
}

#[test]
fn loss_shows_more_error_with_every_method() {
    let names = ["linear", "naive-20", "interpolation-20", "codec-20"];
    let ((_, clean), (_, lossy)) = (measured(&names, 0.0), measured(&names, 0.2));
    for (clean, lossy) in clean.rows.iter().zip(&lossy.rows) {
        assert!(lossy.error_widths > clean.error_widths, "{clean:?} {lossy:?}");
    }
}

#[test]
fn the_text_fits_a_terminal_and_the_picture_has_a_panel_for_each_delay() {
    let (config, found) = measured(&["linear", "naive-20"], 0.0);
    let text = frontier_text(&config, &found);
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 120, "{longest} columns");
    let picture = frontier_picture(&found).unwrap();
    for part in ["50 ms", "200 ms", "naive", "linear"] {
        assert!(picture.contains(part), "{part}");
    }
    assert!(!picture.contains("NaN"));
}

/// The errors of a method in a section of the committed table, by delay.
fn committed(source: &str, method: &str) -> Vec<f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/seen.txt");
    let table = std::fs::read_to_string(path).unwrap();
    let section = table.lines().skip_while(|line| *line != source);
    let line = section.into_iter().find(|line| line.split(' ').next() == Some(method)).unwrap();
    line.split_whitespace().skip(2).take(4).map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn the_committed_table_shows_less_error_for_the_same_bytes_up_to_200_ms() {
    for source in ["quakeworld", "slippi", "rocketleague", "football 50 Hz", "football 10 Hz"] {
        let (before, now) = (committed(source, "before"), committed(source, "default"));
        for (place, (before, now)) in before.iter().zip(&now).take(3).enumerate() {
            assert!(now < before, "{source}, delay {place}: {now} is not below {before}");
        }
    }
}
