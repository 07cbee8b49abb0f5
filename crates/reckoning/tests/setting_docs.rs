//! The docs of every setting state its default value.

#[path = "common/setting_docs.rs"]
mod setting_docs;

use reckoning::clock::ClockConfig;
use reckoning::crowd::CrowdConfig;
use reckoning::fairness::FairnessConfig;
use reckoning::ground::GroundClampConfig;
use reckoning::guard::GuardConfig;
use reckoning::joints::{JointPublisherConfig, Steering};
use reckoning::rewind::RewindConfig;
use reckoning::terrain::FlatGround;
use reckoning::{
    AimConfig, DelayedConfig, FollowerConfig, GhostConfig, Kinematics, PublisherConfig, Quantiser,
    SamplerConfig,
};

#[test]
fn the_docs_of_every_setting_state_its_default() {
    setting_docs::Settings::read(env!("CARGO_MANIFEST_DIR"))
        .check::<AimConfig>()
        .check::<ClockConfig>()
        .check::<CrowdConfig>()
        .check::<DelayedConfig>()
        .check::<FairnessConfig>()
        .check::<FlatGround>()
        .check::<FollowerConfig>()
        .check::<GhostConfig>()
        .check::<GroundClampConfig>()
        .check::<GuardConfig>()
        .check::<JointPublisherConfig>()
        .check::<Kinematics>()
        .check::<PublisherConfig>()
        .check::<Quantiser>()
        .check::<RewindConfig>()
        .check::<SamplerConfig>()
        .check::<Steering>()
        .check_is_complete();
}
