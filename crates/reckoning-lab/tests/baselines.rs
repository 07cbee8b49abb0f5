//! Hold and constant velocity on recorded play against baselines that others measured.

use std::time::Duration;

use reckoning_lab::compare::{CompareConfig, compare};
use reckoning_recording::{VELOCITY_COLUMNS, load_sessions};

const DELAYS_MS: [u64; 6] = [100, 300, 600, 900, 1200, 2100];

/// Source, predictor and mean error in native units at the delays above. Velocities were
/// differenced over 50 to 100 ms; ours are over 60 ms everywhere.
const BASELINES: [(&str, &str, [f64; 6]); 8] = [
    ("quakeworld", "hold", [32.8, 92.3, 165.0, 224.0, 273.0, 381.0]),
    ("quakeworld", "linear", [12.2, 59.1, 151.0, 248.0, 351.0, 665.0]),
    ("slippi", "hold", [6.03, 15.7, 25.3, 31.6, 36.4, 46.3]),
    ("slippi", "linear", [4.28, 18.0, 40.4, 61.1, 81.0, 139.0]),
    ("rocketleague", "hold", [143.0, 427.0, 839.0, 1229.0, 1592.0, 2524.0]),
    ("rocketleague", "linear", [18.6, 97.9, 304.0, 588.0, 932.0, 2199.0]),
    ("football/hawkeye_1_1.csv.zst", "hold", [0.245, 0.732, 1.45, 2.16, 2.84, 4.73]),
    ("football/hawkeye_1_1.csv.zst", "linear", [0.025, 0.118, 0.355, 0.704, 1.14, 2.82]),
];

#[test]
fn hold_and_linear_agree_with_the_baselines() {
    let test = "hold_and_linear_agree_with_the_baselines";
    let Some(data) = reckoning_testing::recordings(test) else { return };
    let config = CompareConfig {
        predictors: vec!["hold".parse().unwrap(), "linear".parse().unwrap()],
        delays: DELAYS_MS.map(Duration::from_millis).to_vec(),
        closed_loop: false,
        ..CompareConfig::default()
    };
    for pair in BASELINES.chunks(2) {
        let source = pair[0].0;
        let mut recordings = load_sessions(&data.join(source)).unwrap();
        // The baselines are of positions alone, velocities that a source gives not among them.
        for track in recordings.iter_mut().flat_map(|it| &mut it.tracks) {
            track.extras.retain(|it| !VELOCITY_COLUMNS.contains(&it.name.as_str()));
        }
        let result = compare(&config, &recordings, &|_, _| {}).unwrap();
        for (_, predictor, published) in pair {
            let mut ours = [0.0; 6];
            for (k, ours) in ours.iter_mut().enumerate() {
                let rows = result.open.iter();
                let rows = rows.filter(|r| r.predictor == *predictor && r.delay_ms == DELAYS_MS[k]);
                let (sum, n) =
                    rows.fold((0.0, 0.0), |(s, n), r| (s + r.aee * r.n as f64, n + r.n as f64));
                *ours = sum / n;
            }
            println!("{source:<30} {predictor:<7} {ours:.3?}");
            for (ours, published) in ours.into_iter().zip(published) {
                let off = (ours - published) / published;
                // The Hawk-Eye baseline took the whole 100 ms, which a fresher velocity beats
                // by a sixth at the shortest delay; over 100 ms we find its six numbers too.
                let least = if source.contains("hawkeye") { -0.17 } else { -0.03 };
                let fits = (least..0.03).contains(&off);
                assert!(fits, "{source} {predictor}: {ours}, published {published}");
            }
        }
    }
}
