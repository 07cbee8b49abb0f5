//! STEELE: trend maps and what is done with them.

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_predict::{
    Behaviour, KnownBody, Outline, Pull, Scene, Sighting, TrendMap, TrendMapConfig, TrendMapError,
    Trended, TrendedConfig, Wall, Walls,
};

use crate::{Scatter, assert_near, at, roll};

/// A corridor along x, walked both ways; who goes right slows down near the end at x = 40.
fn corridor() -> Vec<Sighting> {
    let mut random = Scatter::new(2);
    (0..4000)
        .map(|n| {
            let position = at(random.between(0.0, 40.0), random.between(0.0, 3.0));
            let right = n % 2 == 0;
            let speed = if right { 4.0 } else { -4.0 };
            let velocity = at(speed, random.between(-0.5, 0.5));
            let brakes = right && position.x > 30.0;
            let acceleration = at(if brakes { -6.0 } else { 0.0 }, 0.0);
            Sighting { position, velocity, acceleration }
        })
        .collect()
}

fn map_of(sightings: &[Sighting]) -> TrendMap {
    TrendMap::new(sightings, &TrendMapConfig::default()).unwrap()
}

#[test]
fn opposite_directions_in_a_corridor_do_not_cancel() {
    let map = map_of(&corridor());
    for x in [5.0, 12.0, 20.0, 28.0] {
        for way in [1.0, -1.0] {
            let trend = map.trend_at(at(x, 1.5), at(way * 4.0, 0.0)).unwrap();
            assert!(trend.direction.x * way > 0.99, "at {x}: {trend:?}");
            assert!(trend.confidence > 0.99, "at {x}: {trend:?}");
            assert!(trend.acceleration.length() < 0.5, "at {x}: {trend:?}");
        }
    }
    let end = map.trend_at(at(36.0, 1.5), at(4.0, 0.0)).unwrap();
    assert!((end.acceleration.x + 6.0).abs() < 0.5, "braking: {end:?}");
    let other = map.trend_at(at(36.0, 1.5), at(-4.0, 0.0)).unwrap();
    assert!(other.acceleration.x.abs() < 0.5, "those who come do not brake: {other:?}");
}

#[test]
fn confidence_moves_the_threshold_between_its_ends() {
    let map = map_of(&corridor());
    let eta = |velocity: DVec3| map.threshold_m(at(12.0, 1.5), velocity, 0.1, 0.9);
    assert!((eta(at(3.0, 0.0)) - 0.9).abs() < 0.02);
    assert!((eta(at(0.0, 3.0)) - 0.1).abs() < 0.05, "across the corridor is critical");
    let slant = eta(at(1.0, 3.0_f64.sqrt()));
    assert!((slant - 0.5).abs() < 0.05, "C = cos 60 degrees: {slant}");
    assert_eq!(map.threshold_m(at(12.0, 90.0), at(3.0, 0.0), 0.1, 0.9), 0.1, "nobody was there");
    assert_eq!(eta(DVec3::ZERO), 0.1, "no direction, no confidence");
}

#[test]
fn the_acceleration_is_the_mean_of_what_is_known_and_what_is_usual() {
    let trend = reckoning_predict::Trend {
        direction: DVec3::X,
        acceleration: at(-6.0, 2.0),
        confidence: 0.5,
        sightings: 9,
    };
    let known = at(4.0, 0.0);
    assert_near(trend.acceleration_for(known, Pull::Mean), at(0.5, 0.5), 1e-12);
    assert_near(trend.acceleration_for(known, Pull::Kept), at(1.5, 0.5), 1e-12);
    let across = reckoning_predict::Trend { confidence: 0.0, ..trend };
    assert_near(across.acceleration_for(known, Pull::Mean), known * 0.5, 1e-12);
    assert_near(across.acceleration_for(known, Pull::Kept), known, 1e-12);
}

#[test]
fn busy_places_are_cut_finer_than_quiet_ones() {
    let mut random = Scatter::new(4);
    let mut seen = Vec::new();
    for n in 0..2200 {
        let position = if n < 2000 { random.place(10.0) } else { random.place(100.0) };
        seen.push(Sighting { position, velocity: DVec3::X, acceleration: DVec3::ZERO });
    }
    let cells: Vec<_> = map_of(&seen).cells().collect();
    let smallest = cells.iter().map(|cell| cell.1).fold(f64::MAX, f64::min);
    let largest = cells.iter().map(|cell| cell.1).fold(0.0, f64::max);
    assert!(smallest < 3.0 && largest > 20.0, "{smallest} to {largest}");
    let area: f64 = cells.iter().map(|cell| cell.1 * cell.1).sum();
    let whole = map_of(&seen).cells().fold(0.0_f64, |m, (low, side, _)| m.max(low.x + side));
    assert!((area - whole * whole).abs() < 0.2 * area, "cells cover the level once");
}

#[test]
fn a_lone_path_across_the_trend_is_an_outlier() {
    let mut seen: Vec<_> = (0..50)
        .map(|n| Sighting {
            position: at(f64::from(n) * 0.1, 0.0),
            velocity: at(4.0, 0.0),
            acceleration: at(if n == 7 { 900.0 } else { 1.0 }, 0.0),
        })
        .collect();
    seen[20].velocity = at(0.0, -4.0);
    let map = map_of(&seen);
    let trend = map.trend_at(at(2.0, 0.0), at(0.0, -1.0)).unwrap();
    assert!(trend.direction.x > 0.999, "{trend:?}");
    assert!((trend.acceleration.x - 1.0).abs() < 1e-6, "the jolt was left out: {trend:?}");
    assert_eq!(trend.sightings, 49);
}

#[test]
fn a_map_survives_saving_and_loading() {
    for seen in [corridor(), Vec::new(), corridor()[..1].to_vec()] {
        let map = map_of(&seen);
        let bytes = map.to_bytes();
        assert_eq!(TrendMap::from_bytes(&bytes), Ok(map));
    }
}

#[test]
fn damaged_bytes_are_refused_and_the_place_is_named() {
    let bytes = map_of(&corridor()[..300]).to_bytes();
    for end in 0..bytes.len() {
        let error = TrendMap::from_bytes(&bytes[..end]).unwrap_err();
        let TrendMapError::Truncated { offset, .. } = error else { panic!("{end}: {error}") };
        assert_eq!(offset, end);
    }
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(TrendMap::from_bytes(&flipped).is_err(), "bit {bit}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(TrendMap::from_bytes(&longer), Err(TrendMapError::TooLong { offset: bytes.len() }));
    let mut other = bytes.clone();
    other[4] = 3;
    let message = format!("{}", TrendMap::from_bytes(&other).unwrap_err());
    assert_eq!(message, "byte 4: trend map version 3; this reads 1 and 2");
}

fn runner(position: DVec3, velocity: DVec3, acceleration: DVec3) -> [KnownBody; 1] {
    let seen = Kinematics { acceleration, ..Kinematics::moving(SimTime::ZERO, position, velocity) };
    [KnownBody::new(0, 0, seen)]
}

fn trended(trust_s: f64) -> Behaviour {
    let mut config = TrendedConfig::default();
    config.trust_s = trust_s;
    Behaviour::Trended(Trended::new(config).unwrap())
}

#[test]
fn the_projection_brakes_where_bodies_brake() {
    let map = map_of(&corridor());
    let bodies = runner(at(36.0, 1.5), at(4.0, 0.0), DVec3::ZERO);
    let mut scene = Scene::new(&bodies, &[]);
    assert_near(roll(&trended(f64::INFINITY), &scene, &[1.0])[0], at(40.0, 1.5), 1e-12);

    scene.trends = Some(&map);
    let end = roll(&trended(f64::INFINITY), &scene, &[1.0])[0];
    // C = 1: half of -6 m/s^2, for a second.
    assert_near(end, at(36.0 + 4.0 - 1.5, 1.5), 0.1);
    let end = roll(&trended(0.5), &scene, &[1.0])[0];
    assert_near(end, at(36.0 + 4.0 - 1.5 * 0.75, 1.5), 0.1);
}

#[test]
fn nobody_is_projected_through_a_wall() {
    let wall = Outline::Line(at(10.0, -5.0), at(10.0, 5.0));
    let walls = Walls::new([Wall::from(wall)]).unwrap();
    let bodies = runner(at(6.0, 0.0), at(8.0, 1.0), at(9.0, 0.0));
    let mut scene = Scene::new(&bodies, &[]);
    let horizons_s: Vec<f64> = (1..=60).map(|n| f64::from(n) / 20.0).collect();
    assert!(roll(&trended(1.0), &scene, &horizons_s)[20].x > 10.0);

    scene.walls = Some(&walls);
    let path = roll(&trended(1.0), &scene, &horizons_s);
    for (n, place) in path.iter().enumerate() {
        assert!(place.x < 10.0 || place.y > 5.0, "{n}: {place}");
    }
}
