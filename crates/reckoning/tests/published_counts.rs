//! The publisher against counts that others printed: Ryan and Oliver's number of updates per
//! orbit at 200 m/s on a circle, for the DIS models FPW and FVW, at 20 ticks a second.

use std::f64::consts::TAU;
use std::time::Duration;

use reckoning::dis::{DisAlgorithm, DisModel};
use reckoning::{DVec3, Kinematics, Model, Publisher, PublisherConfig, SimTime, Threshold};

const SPEED_MPS: f64 = 200.0;
const TICKS_PER_S: u32 = 20;

fn on_orbit(radius_m: f64, at: SimTime) -> Kinematics {
    let rate = SPEED_MPS / radius_m;
    let (sin, cos) = libm::sincos(rate * at.as_secs_f64());
    Kinematics {
        velocity: DVec3::new(-sin, cos, 0.0) * SPEED_MPS,
        acceleration: DVec3::new(-cos, -sin, 0.0) * (SPEED_MPS * rate),
        ..Kinematics::at_rest(at, DVec3::new(cos, sin, 0.0) * radius_m)
    }
}

fn updates_per_orbit(algorithm: DisAlgorithm, radius_m: f64, threshold_m: f64) -> u64 {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(threshold_m).unwrap();
    config.model = Model::Dis(DisModel::new(algorithm));
    config.heartbeat = Duration::from_hours(1); // the counts are of threshold updates
    config.full_interval = Duration::from_hours(1);
    let (mut publisher, _) = Publisher::start(config, &on_orbit(radius_m, SimTime::ZERO)).unwrap();
    let ticks = (TAU * radius_m / SPEED_MPS * f64::from(TICKS_PER_S)) as i64;
    let tick_at = |tick| SimTime::from_tick(tick, TICKS_PER_S);
    (1..=ticks).filter(|&t| publisher.observe(&on_orbit(radius_m, tick_at(t))).is_some()).count()
        as u64
}

#[test]
fn orbits_take_as_many_updates_as_were_published() {
    let test = "orbits_take_as_many_updates_as_were_published";
    let counts = reckoning_testing::reference(test, "dis/published_pdu_counts.json");
    let Some(text) = counts else { return };
    let published: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = published["rows"].as_array().unwrap();
    assert!(!rows.is_empty(), "no rows to check against");
    println!("table  radius  threshold   FPW: published  ours   FVW: published  ours");
    for row in rows {
        let (radius_m, threshold_m) =
            (row["radius"].as_f64().unwrap(), row["threshold"].as_f64().unwrap());
        let ours = [DisAlgorithm::Fpw, DisAlgorithm::Fvw]
            .map(|algorithm| updates_per_orbit(algorithm, radius_m, threshold_m));
        let theirs = [0, 1].map(|i| row["published"][i].as_u64().unwrap());
        println!(
            "{:>5}  {radius_m:>6}  {threshold_m:>9}  {:>15}  {:>4}  {:>15}  {:>4}",
            row["table"], theirs[0], ours[0], theirs[1], ours[1]
        );
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            let allowed = if row["table"] == 2 { 0.0 } else { 0.05 * theirs as f64 };
            let off = ours.abs_diff(theirs) as f64;
            assert!(off <= allowed, "{radius_m} m, {threshold_m} m: {ours}, published {theirs}");
        }
    }
}
