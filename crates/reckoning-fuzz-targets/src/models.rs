//! Files that a game ships: trained models and trend maps.

use reckoning::{DVec3, ExportReason, Kinematics, Planner, SimTime};
use reckoning_predict::learned::{LearnedConfig, LearnedModel, LearnedPlanner};
use reckoning_predict::{Surroundings, TrendMap};

/// Any bytes as a model file, and any bytes behind a right checksum, which reach the rest.
pub fn learned(bytes: &[u8]) {
    read_and_plan(bytes);
    let mut sealed = bytes.to_vec();
    sealed.extend(crc32fast::hash(bytes).to_le_bytes());
    read_and_plan(&sealed);
}

/// What is read can be written again, and plans only what is finite.
fn read_and_plan(bytes: &[u8]) {
    let Ok(model) = LearnedModel::from_bytes(bytes) else { return };
    assert_eq!(model.to_bytes(), bytes);
    let mut planner = LearnedPlanner::new(&model, LearnedConfig::default());
    let around = Surroundings::default();
    for tick in 0..4 {
        let at = SimTime::from_tick(tick, 60);
        let truth = Kinematics::moving(at, DVec3::X * (tick * tick) as f64, DVec3::X * 3.0);
        planner.observe(&truth, &around);
        let plan = planner.plan(&truth, &around, ExportReason::Position);
        assert!(plan.position_at(&truth, SimTime::from_tick(tick + 60, 60)).is_finite());
    }
}

/// Any bytes as a trend map: refused, or read, asked and written back.
pub fn trend_map(bytes: &[u8]) {
    let Ok(map) = TrendMap::from_bytes(bytes) else { return };
    assert_eq!(map.to_bytes(), bytes, "what is read is written back");
    for (place, side_m, _) in map.cells() {
        let threshold_m = map.threshold_m(place, DVec3::X * side_m, 0.5, 1.0);
        assert!((0.5..=1.0).contains(&threshold_m), "{threshold_m}");
    }
}
