//! Updates and messages of every kind, for tests.
#![allow(dead_code)]

use std::time::Duration;

use reckoning::dis::{BodyAcceleration, DisAlgorithm, DisModel};
use reckoning::model::{Ballistic, CustomModel, Landing, Path, PathRide};
use reckoning::{
    Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, Quantiser, SimTime, Update, UpdateKind,
};
use reckoning_net::wire::{Codes, DisconnectReason, Format, Registry, VERSION};

pub const STEPS: Quantiser = Quantiser {
    position_m: 0.02,
    velocity_mps: 0.05,
    acceleration_mps2: 0.1,
    angular_velocity_radps: 0.01,
    orientation: 1.0 / 512.0,
};

fn sways(seen: &Kinematics, t_s: f64) -> DVec3 {
    seen.position + seen.velocity * (t_s / (1.0 + t_s))
}

pub fn custom() -> CustomModel {
    CustomModel { id: 9, position_after: sways }
}

pub fn path() -> &'static Path {
    static PATH: std::sync::OnceLock<&'static Path> = std::sync::OnceLock::new();
    PATH.get_or_init(|| {
        let corners = [DVec3::ZERO, DVec3::X * 10.0, DVec3::new(10.0, 8.0, 1.0), DVec3::Y * 8.0];
        Path::polyline(300, &corners, true).unwrap().leak()
    })
}

pub fn registry() -> Registry {
    Registry { customs: vec![custom()], paths: vec![path()] }
}

pub fn listed() -> [Model; 3] {
    [
        Model::Linear,
        Model::Curve(Curve::still(CurveBasis::FOUR)),
        Model::Accelerating { trust: Duration::from_millis(900) },
    ]
}

pub fn format(flat: bool) -> Format {
    let format = Format::new(flat, 1_000, STEPS, &listed(), registry()).unwrap();
    if !flat {
        return format;
    }
    // Priors of its own for the first model, on which most bodies turn, and for what is not listed.
    let mut first = Codes::default();
    (first.age, first.position, first.velocity, first.turning) = (2, 3, 1, true);
    (first.turn, first.spin, first.whole_position, first.whole_velocity) = (4, 1, 7, 6);
    let mut others = Codes::default();
    (others.term, others.closing, others.acceleration) = (2, 1, 6);
    format.with_codes(&[first], others).unwrap()
}

/// One model of every kind, some listed in [`format`] and some not.
pub fn models() -> Vec<Model> {
    let three = CurveBasis::new(&[0.15, 0.6, 4.0]).unwrap();
    let seen = seen();
    let coefficients = [DVec3::new(1.0, -2.0, 0.5), DVec3::ZERO, DVec3::new(-0.3, 4.0, 9.0)];
    let mut all = vec![
        Model::Hold,
        Model::Linear,
        Model::Accelerating { trust: Duration::from_millis(900) },
        Model::Accelerating { trust: Duration::from_micros(123_457) },
        Model::Damped { fade: Duration::from_millis(700) },
        Model::Decaying { fade: Duration::from_millis(300) },
        Model::Curve(Curve::coasting(CurveBasis::FOUR, &seen)),
        Model::Curve(Curve::new(three, &coefficients).unwrap()),
        Model::Arc,
        Model::Ballistic(Ballistic::new(9.81, -1.5, Landing::Run).unwrap()),
        Model::Ballistic(Ballistic::new(1.62, 0.25, Landing::Stop).unwrap()),
        Model::Path(PathRide { path: path(), progress_m: 3.0, rate_mps: -4.0 }),
        Model::Custom(custom()),
    ];
    for acceleration in [BodyAcceleration::BodyRate, BodyAcceleration::Inertial] {
        let dis = |algorithm| Model::Dis(DisModel { algorithm, acceleration });
        all.extend(DisAlgorithm::ALL.map(dis));
    }
    all
}

pub fn seen() -> Kinematics {
    Kinematics {
        at: SimTime::from_micros(12_345_678),
        position: DVec3::new(-123.456, 77.7, 3.21),
        velocity: DVec3::new(4.0, -11.0, 0.5),
        acceleration: DVec3::new(-1.0, 2.0, 0.25),
        orientation: DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9).normalize(),
        angular_velocity: DVec3::new(0.1, -0.3, 0.8),
    }
}

/// What `seen` may have become `t_s` later: elsewhere, faster, turned.
pub fn later(t_s: f64) -> Kinematics {
    let before = seen();
    Kinematics {
        at: SimTime::from_secs_f64(before.at.as_secs_f64() + t_s),
        position: before.position + before.velocity * t_s + DVec3::new(0.3, -0.2, 0.1),
        velocity: before.velocity + DVec3::new(-1.5, 0.7, 0.0),
        acceleration: DVec3::new(0.5, 0.0, -9.0),
        orientation: DQuat::from_xyzw(0.8, -0.2, -0.3, -0.5).normalize(),
        angular_velocity: DVec3::new(0.1, -0.3, 0.0),
    }
}

pub fn update(seen: Kinematics, model: Model, kind: UpdateKind) -> Update {
    Update::new(seen, model, kind).unwrap()
}

/// A reason of every kind, the game's own with that code.
pub const fn disconnect_reasons(game: u16) -> [DisconnectReason; 8] {
    [
        DisconnectReason::Version(VERSION),
        DisconnectReason::Token,
        DisconnectReason::Full,
        DisconnectReason::Silent,
        DisconnectReason::Conduct,
        DisconnectReason::Closing,
        DisconnectReason::Game(game),
        DisconnectReason::Format,
    ]
}

/// The bits of every number in an update.
pub fn bits(update: &Update) -> Vec<u64> {
    let seen = update.kinematics();
    let mut all = vec![seen.at.as_micros() as u64, update.kind() as u64];
    all.push(u64::from(update.teleports()));
    let vectors = [seen.position, seen.velocity, seen.acceleration, seen.angular_velocity];
    all.extend(vectors.iter().flat_map(DVec3::to_array).map(f64::to_bits));
    all.extend(seen.orientation.to_array().map(f64::to_bits));
    match update.model() {
        Model::Curve(curve) => {
            let axes = curve.coefficients().iter().flat_map(DVec3::to_array);
            all.extend(axes.chain(curve.basis().tau_s().iter().copied()).map(f64::to_bits));
        }
        Model::Path(ride) => {
            all.extend([u64::from(ride.path.id()), ride.progress_m.to_bits()]);
            all.push(ride.rate_mps.to_bits());
        }
        _ => {}
    }
    all
}

/// Equal to the last bit.
#[track_caller]
pub fn assert_same(got: &Update, expected: &Update) {
    assert_eq!(got, expected);
    assert_eq!(bits(got), bits(expected), "{got:?}");
}
