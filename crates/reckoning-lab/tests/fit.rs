//! Constants fitted to a user's recordings.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reckoning_arena::Mode;
use reckoning_lab::bots;
use reckoning_lab::compare::Predictor;
use reckoning_lab::fit::{FitConfig, Scheme, fit, fit_json, fit_text};
use reckoning_recording::Recording;

fn sessions() -> Vec<Recording> {
    let play = |seed| bots::session("proving-grounds", 6, 20, Mode::TwoTeams, seed).unwrap();
    (1..=3).map(play).collect()
}

fn config(scheme: Scheme) -> FitConfig {
    FitConfig { scheme, delays: [600, 1_500].map(Duration::from_millis).to_vec() }
}

#[test]
fn constants_that_are_fitted_err_less_on_sessions_nothing_was_chosen_on() {
    let asked = AtomicU64::new(0);
    let count = |_, _| {
        asked.fetch_add(1, Ordering::Relaxed);
    };
    let config = FitConfig { scheme: Scheme::Ekb, delays: vec![Duration::from_millis(600)] };
    let fitted = fit(&config, &sessions(), &count).unwrap();
    assert_eq!(fitted.rows.len(), 3, "each session is held out once");
    let mean =
        |of: fn(&reckoning_lab::fit::FitRow) -> f64| fitted.rows.iter().map(of).sum::<f64>() / 3.0;
    assert!(mean(|it| it.fitted) < 0.97 * mean(|it| it.printed), "{fitted:?}");
    assert!(fitted.predictor.parse::<Predictor>().is_ok(), "{}", fitted.predictor);
    assert!(asked.load(Ordering::Relaxed) > 20, "progress is told");
    let text = fit_text(&fitted);
    assert!(text.contains(&fitted.predictor) && text.contains("Held out"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&fit_json(&fitted)).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 3);
}

#[test]
fn what_is_said_of_a_session_does_not_depend_on_that_session() {
    let mut changed = sessions();
    for sample in changed[0].tracks.iter_mut().flat_map(|track| &mut track.samples) {
        sample.position.x *= 0.5;
    }
    let chosen = |list: &[Recording]| {
        fit(&config(Scheme::Interest), list, &|_, _| ()).unwrap().rows[0].predictor.clone()
    };
    assert_eq!(chosen(&sessions()), chosen(&changed));
}

#[test]
fn recordings_of_two_games_are_refused_by_name() {
    let mut list = sessions();
    list[1].source = "football".into();
    let said = fit(&config(Scheme::Ekb), &list, &|_, _| ()).unwrap_err().to_string();
    assert_eq!(said, "sessions of arena and of football; give those of one game at a time");
}
