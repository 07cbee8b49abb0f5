//! Settings, states and updates survive serde; what a constructor refuses is refused there too.
#![cfg(feature = "serde")]

use std::time::Duration;

use reckoning::dis::{DisAlgorithm, DisModel};
use reckoning::model::{Ballistic, CustomModel, Landing};
use reckoning::{
    Curve, CurveBasis, DVec3, GhostConfig, Kinematics, Model, PublisherConfig, SimTime, Threshold,
    Update, UpdateKind,
};

#[test]
fn updates_survive() {
    let seen = Kinematics::moving(SimTime::from_micros(7), DVec3::X, DVec3::Y * 0.1);
    for model in [
        Model::Hold,
        Model::Linear,
        Model::Damped { fade: Duration::from_millis(300) },
        Model::Curve(Curve::coasting(CurveBasis::FOUR, &seen)),
        Model::Ballistic(Ballistic::new(9.81, 0.0, Landing::Run).unwrap()),
        Model::Dis(DisModel::new(DisAlgorithm::Rvb)),
    ] {
        let update = Update::new(seen, model, UpdateKind::Teleport).unwrap();
        let text = serde_json::to_string(&update).unwrap();
        assert_eq!(serde_json::from_str::<Update>(&text).unwrap(), update, "{text}");
    }
}

#[test]
fn settings_are_as_short_as_their_difference_from_the_default() {
    let text = r#"{ "threshold": { "metres": 0.5 }, "model": "arc" }"#;
    let config: PublisherConfig = serde_json::from_str(text).unwrap();

    let mut wanted = PublisherConfig::default();
    wanted.threshold = Threshold::metres(0.5).unwrap();
    wanted.model = Model::Arc;
    assert_eq!(config, wanted);
    let ghost: GhostConfig = serde_json::from_str(r#"{ "blend": "hermite" }"#).unwrap();
    assert_eq!(ghost.blend, reckoning::Blend::Hermite);
}

#[test]
fn what_does_not_construct_is_not_read() {
    let refused = |text| serde_json::from_str::<PublisherConfig>(text).unwrap_err().to_string();
    assert!(refused(r#"{ "threshold": { "metres": -1 } }"#).contains("threshold -1 m"));
    let curve = r#"{ "model": { "curve": { "tau_s": [1, 2, 3], "coefficients": [] } } }"#;
    assert!(refused(curve).contains("one coefficient for each"));

    let custom = CustomModel { id: 1, position_after: |seen, _| seen.position };
    let error = serde_json::to_string(&Model::Custom(custom)).unwrap_err().to_string();
    assert!(error.contains("use Update::to_bytes"), "{error}");
}
