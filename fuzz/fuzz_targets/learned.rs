//! Model files: any bytes, and any bytes behind a right checksum, which reach the rest.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning_predict::learned::{LearnedConfig, LearnedModel, LearnedPlanner, Senses};
use reckoning::{DVec3, Kinematics, SimTime};

fuzz_target!(|bytes: &[u8]| {
    try_it(bytes);
    let mut sealed = bytes.to_vec();
    sealed.extend(crc32fast::hash(bytes).to_le_bytes());
    try_it(&sealed);
});

/// What is read can be written again, and plans only what is finite.
fn try_it(bytes: &[u8]) {
    let Ok(model) = LearnedModel::from_bytes(bytes) else { return };
    assert_eq!(model.to_bytes(), bytes);
    let mut planner = LearnedPlanner::new(LearnedConfig::default());
    for tick in 0..4 {
        let at = SimTime::from_tick(tick, 60);
        let truth = Kinematics::moving(at, DVec3::X * (tick * tick) as f64, DVec3::X * 3.0);
        planner.observe(&model, &truth, &Senses::default());
        let plan = planner.plan(&model, &truth, &Senses::default());
        assert!(plan.position_at(&truth, SimTime::from_tick(tick + 60, 60)).is_finite());
    }
}
