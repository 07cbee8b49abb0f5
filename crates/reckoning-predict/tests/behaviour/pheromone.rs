//! Trails that draw others on.

use std::time::Duration;

use reckoning::{DVec3, SimTime};
use reckoning_predict::{Behaviour, Pheromone, PheromoneConfig, PheromoneMap, Scene};

use crate::{assert_near, at, player, roll};

fn map() -> PheromoneMap {
    PheromoneMap::new(DVec3::ZERO, 1.0, 40, 40, Duration::from_secs(10)).unwrap()
}

#[test]
fn a_trail_fades_to_a_third_and_does_not_come_back() {
    let mut map = map();
    map.evaporate(SimTime::ZERO);
    map.deposit(at(5.5, 5.5), 3.0);
    map.deposit(at(5.1, 5.9), 1.0);
    assert_eq!(map.strength(at(5.0, 5.0)), 4.0);
    map.evaporate(SimTime::from_millis(10_000));
    assert!((map.strength(at(5.0, 5.0)) - 4.0 / std::f64::consts::E).abs() < 1e-12);
    map.evaporate(SimTime::from_millis(5_000));
    assert!((map.strength(at(5.0, 5.0)) - 4.0 / std::f64::consts::E).abs() < 1e-12);
    map.evaporate(SimTime::from_millis(3_000_000));
    map.deposit(at(5.5, 5.5), 1.0);
    assert!((map.strength(at(5.0, 5.0)) - 1.0).abs() < 1e-12, "after five minutes");
}

#[test]
fn a_body_is_drawn_along_the_trail_ahead_and_keeps_its_speed() {
    let mut map = map();
    for step in 0..30_u8 {
        map.deposit(at(10.5 + f64::from(step) * 0.5, 10.5 + f64::from(step) * 0.5), 5.0);
    }
    let bodies = [player(0, 0, at(10.0, 10.4), at(3.0, 0.0))];
    let mut scene = Scene::new(&bodies, &[]);
    let behaviour = Behaviour::Pheromone(Pheromone::new(PheromoneConfig::default()).unwrap());
    let end = roll(&behaviour, &scene, &[2.0])[0];
    assert_near(end, at(16.0, 10.4), 1e-9);

    scene.pheromones = Some(&map);
    let horizons_s: Vec<f64> = (0..=20).map(|slice| f64::from(slice) * 0.1).collect();
    let path = roll(&behaviour, &scene, &horizons_s);
    assert!(path[20].y > 11.5, "{}", path[20]);
    for pair in path.windows(2) {
        assert!((pair[0].distance(pair[1]) - 0.3).abs() < 1e-9);
    }
}

#[test]
fn a_body_does_not_turn_back_to_its_own_trail() {
    let mut map = map();
    for step in 0..20_u8 {
        // Came up a slope and now goes level.
        map.deposit(at(f64::from(step) * 0.5, 5.5 + f64::from(step) * 0.25), 5.0);
    }
    let bodies = [player(0, 0, at(10.2, 10.5), at(3.0, 0.0))];
    let mut scene = Scene::new(&bodies, &[]);
    scene.pheromones = Some(&map);
    let behaviour = Behaviour::Pheromone(Pheromone::new(PheromoneConfig::default()).unwrap());
    assert_near(roll(&behaviour, &scene, &[2.0])[0], at(16.2, 10.5), 1e-9);
}
