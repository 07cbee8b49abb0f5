//! Contract of the reproduction of STEELE: equal runs, trends that keep directions apart,
//! statistics that know the tables.

use reckoning::DVec3;
use reckoning_arena::{Level, Match, MatchConfig};
use reckoning_lab::reproduce::{Document, Effort, reproduce_with};
use reckoning_lab::stats::{paired_t, repeated_anova, signed_rank, student_p};
use reckoning_predict::{Sighting, TrendMap, TrendMapConfig};

const SMALL: Effort = Effort { seconds: 60, seeds: 2 };

#[test]
fn equal_effort_gives_equal_text() {
    let first = reproduce_with(Document::Steele, SMALL, &|_| ()).to_string();
    let second = reproduce_with(Document::Steele, SMALL, &|_| ()).to_string();
    assert_eq!(first, second);
    assert!(first.contains("elsewhere") && !first.contains("NaN"), "{first}");
}

#[test]
fn a_corridor_walked_both_ways_has_two_trends() {
    let map = TrendMap::new(&seen_in_corridors(), &TrendMapConfig::default()).unwrap();
    let corridor = DVec3::new(775.0, 800.0, 0.0);
    for way in [DVec3::X, DVec3::NEG_X] {
        let trend = map.trend_at(corridor, way).expect("bots pass here");
        assert!(trend.confidence > 0.8, "{way}: {trend:?}");
        assert!(trend.sightings > 10, "{way}: {trend:?}");
    }
}

/// Two minutes of bots, in pixels.
fn seen_in_corridors() -> Vec<Sighting> {
    let mut config = MatchConfig::default();
    config.seconds = 120;
    let game = Match::start(Level::built_in("corridors").unwrap(), &config);
    let players = game.step_by(6).flat_map(|frame| frame.players).filter(|it| it.is_alive);
    let sighting = |position, velocity| Sighting { position, velocity, acceleration: DVec3::ZERO };
    players.map(|it| sighting(it.position, it.velocity)).collect()
}

#[test]
fn the_three_tests_agree_on_who_differs() {
    let usual: Vec<f64> = (0..20).map(|n| 1.0 + 0.1 * f64::from(n * n % 11)).collect();
    let more: Vec<f64> = usual.iter().enumerate().map(|(n, x)| x + 0.2 + 0.01 * n as f64).collect();
    assert!(paired_t(&more, &usual).p < 1e-6);
    assert!(signed_rank(&more, &usual).p < 1e-4);
    assert!(repeated_anova(&[more, usual]).p < 1e-6);
    assert!((student_p(2.0, 60.0) - 0.05).abs() < 0.0005);
}
