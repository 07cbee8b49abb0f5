//! The DIS models against vectors computed by others with fifty digits.
//!
//! The vectors lie beside the repository, in `shared/dis/vectors.json`, or where
//! `RECKONING_DIS_VECTORS` points. Without them the test says so and passes; a path that was
//! given and cannot be read is a failure.

use std::f64::consts::TAU;

use reckoning::dis::{DisAlgorithm, DisFields, DisModel, euler_from_quat, quat_from_euler};
use reckoning::math::angle_between;
use reckoning::{DQuat, DVec3, Kinematics, SimTime};
use serde_json::Value;

const MAX_OFF: f64 = 1e-6; // metres, radians, and parts of the speed

fn vectors(test: &str) -> Option<Value> {
    let text = match std::env::var_os("RECKONING_DIS_VECTORS") {
        None => reckoning_testing::reference(test, "dis/vectors.json")?,
        Some(path) => std::fs::read_to_string(&path)
            .unwrap_or_else(|e| panic!("RECKONING_DIS_VECTORS {}: {e}", path.display())),
    };
    Some(serde_json::from_str(&text).unwrap_or_else(|e| panic!("the vectors: {e}")))
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let list = value.as_array().unwrap_or_else(|| panic!("{value} is not a list"));
    assert_eq!(list.len(), N, "{value}");
    std::array::from_fn(|i| list[i].as_f64().unwrap())
}

fn vector(value: &Value) -> DVec3 {
    DVec3::from_array(numbers(value))
}

fn fields(state: &Value) -> DisFields {
    let [psi, theta, phi] = numbers(&state["orientation_psi_theta_phi"]);
    DisFields {
        position: vector(&state["position"]),
        orientation: quat_from_euler(psi, theta, phi),
        velocity: vector(&state["velocity"]),
        acceleration: vector(&state["acceleration"]),
        angular_velocity: vector(&state["angular_velocity"]),
    }
}

/// The distance of two angles on the circle.
fn apart(a: f64, b: f64) -> f64 {
    let d = (a - b).rem_euclid(TAU);
    d.min(TAU - d)
}

fn model_of(row: &Value) -> DisModel {
    let number = row["drm"].as_u64().and_then(|n| u8::try_from(n).ok()).unwrap();
    DisModel::new(DisAlgorithm::from_number(number).unwrap())
}

/// The velocity the vectors mean. They let a static body keep its velocity field, which
/// moves nothing; the engine's own answer is the velocity it is shown with, zero.
fn velocity_of(model: DisModel, seen: &Kinematics, t_s: f64) -> DVec3 {
    if model.algorithm == DisAlgorithm::Static {
        assert_eq!(model.velocity_after(seen, t_s), DVec3::ZERO);
        return seen.velocity;
    }
    model.velocity_after(seen, t_s)
}

/// How far off one row is: position in metres, orientation in radians, velocity in parts.
fn row_off(row: &Value, state: &Value) -> [f64; 3] {
    let model = model_of(row);
    let t_s = row["t"].as_f64().unwrap();
    let seen = fields(state).to_kinematics(model, SimTime::ZERO);
    let expected = &row["expected"];

    let position = model.position_after(&seen, t_s) - vector(&expected["position"]);
    let [w, x, y, z] = numbers(&expected["orientation_quat_body_to_world_wxyz"]);
    let orientation = DQuat::from_xyzw(x, y, z, w);
    let turned = angle_between(model.orientation_after(&seen, t_s), orientation);
    let (psi, theta, phi) = euler_from_quat(model.orientation_after(&seen, t_s));
    let angles: [f64; 3] = numbers(&expected["orientation_psi_theta_phi"]);
    let named = [psi, theta, phi].into_iter().zip(angles).map(|(a, b)| apart(a, b));
    let velocity = vector(&expected["velocity_world"]);
    let speed_off = (velocity_of(model, &seen, t_s) - velocity).length();
    [position.length(), named.fold(turned, f64::max), speed_off / velocity.length().max(1.0)]
}

#[test]
fn every_row_of_the_vectors_is_met() {
    let Some(vectors) = vectors("every_row_of_the_vectors_is_met") else { return };
    let states = vectors["states"].as_array().unwrap();
    let rows = vectors["rows"].as_array().unwrap();
    let mut worst = [(0.0, "none"); 3];
    let mut checked = 0;
    let mut failed = Vec::new();
    for row in rows {
        let id = row["id"].as_str().unwrap();
        let state = states.iter().find(|s| s["name"] == row["state"]).unwrap();
        let off = row_off(row, state);
        // Written so that NaN fails too.
        if !off.iter().all(|&o| o <= MAX_OFF) {
            failed.push(format!("{id}: {off:?}"));
        }
        for (worst, off) in worst.iter_mut().zip(off) {
            if off > worst.0 {
                *worst = (off, id);
            }
        }
        checked += 1;
    }
    let [position, angle, speed] = worst;
    println!(
        "checked {checked} rows, worst position {:.1e} m ({}), worst angle {:.1e} rad ({}), \
         worst velocity {:.1e} ({})",
        position.0, position.1, angle.0, angle.1, speed.0, speed.1
    );
    assert!(checked > 0 && checked == rows.len(), "{checked} of {} rows", rows.len());
    assert!(failed.is_empty(), "{} rows are off:\n{}", failed.len(), failed.join("\n"));
}
