//! Plain bytes of updates: every model survives, nothing hostile does harm.

use std::time::Duration;

use proptest::prelude::*;
use reckoning::bytes::{MAX_UPDATE_BYTES, Registry, UpdateBytesError};
use reckoning::dis::{BodyAcceleration, DisAlgorithm, DisModel};
use reckoning::model::{Ballistic, CustomModel, Landing, Path, PathRide};
use reckoning::{Curve, CurveBasis, DQuat, DVec3, Kinematics, Model, SimTime, Update, UpdateKind};

fn custom() -> CustomModel {
    CustomModel { id: 7, position_after: |seen, t_s| seen.position + seen.velocity * t_s }
}

fn registry() -> Registry {
    let path = Path::polyline(300, &[DVec3::ZERO, DVec3::X * 100.0], false).unwrap().leak();
    Registry { customs: vec![custom()], paths: vec![path] }
}

fn models(registry: &Registry) -> Vec<Model> {
    let span = Duration::from_nanos(1_234_567_891);
    let basis = CurveBasis::FOUR;
    let coefficients = [DVec3::X, DVec3::Y * -2.0, DVec3::Z * 1e-9, DVec3::splat(0.1)];
    vec![
        Model::Hold,
        Model::Linear,
        Model::Accelerating { trust: span },
        Model::Damped { fade: span },
        Model::Decaying { fade: span },
        Model::Curve(Curve::new(basis, &coefficients).unwrap()),
        Model::Curve(Curve::coasting(CurveBasis::THREE, &Kinematics::default())),
        Model::Arc,
        Model::Ballistic(Ballistic::new(9.81, -3.5, Landing::Run).unwrap()),
        Model::Path(PathRide { path: registry.paths[0], progress_m: 12.5, rate_mps: -3.0 }),
        Model::Dis(DisModel {
            algorithm: DisAlgorithm::Rvb,
            acceleration: BodyAcceleration::Inertial,
        }),
        Model::Custom(custom()),
    ]
}

fn turning() -> Kinematics {
    Kinematics {
        at: SimTime::from_micros(-123_456_789),
        position: DVec3::new(1.0, -2.5, 1e9),
        velocity: DVec3::new(0.1, 0.2, 0.3),
        acceleration: DVec3::Z * -9.81,
        orientation: DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8),
        angular_velocity: DVec3::Y * 0.5,
    }
}

#[test]
fn every_model_survives_its_bytes() {
    let registry = registry();
    for model in models(&registry) {
        for kind in [UpdateKind::Partial, UpdateKind::Full, UpdateKind::Teleport] {
            let update = Update::new(turning(), model, kind).unwrap();
            let bytes = update.to_bytes();
            assert!(bytes.len() <= MAX_UPDATE_BYTES, "{model:?} takes {}", bytes.len());
            assert_eq!(Update::from_bytes(&bytes, &registry), Ok(update));
        }
    }
}

#[test]
fn the_layout_is_the_documented_one() {
    let seen = Kinematics::moving(SimTime::from_micros(1), DVec3::X, DVec3::Y * 2.0);
    let bytes = Update::new(seen, Model::Linear, UpdateKind::Full).unwrap().to_bytes();

    let mut wanted = vec![1, 0b101, 1, 1, 0, 0, 0, 0, 0, 0, 0];
    for number in [1.0_f64, 0.0, 0.0, 0.0, 2.0, 0.0] {
        wanted.extend(number.to_le_bytes());
    }
    assert_eq!(bytes, wanted);
}

#[test]
fn what_is_not_a_whole_update_is_refused_with_its_place() {
    let registry = registry();
    for model in models(&registry) {
        let bytes = Update::new(turning(), model, UpdateKind::Full).unwrap().to_bytes();
        for cut in 0..bytes.len() {
            let error = Update::from_bytes(&bytes[..cut], &registry).unwrap_err();
            assert!(matches!(error, UpdateBytesError::TooShort { .. }), "{model:?}: {error}");
        }
        let longer = [&bytes[..], &[0]].concat();
        let error = Update::from_bytes(&longer, &registry).unwrap_err();
        assert_eq!(error, UpdateBytesError::TooLong { offset: bytes.len() }, "{model:?}");
    }
}

#[test]
fn what_is_not_registered_is_named() {
    let (full, empty) = (registry(), Registry::default());
    for model in models(&full) {
        let bytes = Update::new(turning(), model, UpdateKind::Full).unwrap().to_bytes();
        let message = Update::from_bytes(&bytes, &empty).err().map(|error| error.to_string());
        match model {
            Model::Path(_) => assert!(message.unwrap().starts_with("path 300 is not registered")),
            Model::Custom(_) => assert!(message.unwrap().starts_with("custom model 7 is not")),
            _ => assert_eq!(message, None),
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_do_harm(
        bytes in proptest::collection::vec(any::<u8>(), 0..MAX_UPDATE_BYTES + 8),
        model in 0_u8..14,
        flags in any::<u8>(),
    ) {
        let registry = registry();
        let _ = Update::from_bytes(&bytes, &registry);
        let likely = [&[1, flags & 0b11_1111, model][..], &bytes].concat();
        if let Ok(update) = Update::from_bytes(&likely, &registry) {
            prop_assert_eq!(Update::from_bytes(&update.to_bytes(), &registry), Ok(update));
            prop_assert!(update.position_at(SimTime::MAX).is_finite());
        }
    }
}
