//! The docs of every setting state its default value.

#[path = "../../reckoning/tests/common/setting_docs.rs"]
mod setting_docs;

use reckoning_predict::learned::LearnedConfig;
use reckoning_predict::{
    ChooserConfig, InterestConfig, PatternsConfig, PheromoneConfig, RoutesConfig, TrendMapConfig,
    TrendedConfig,
};

#[test]
fn the_docs_of_every_setting_state_its_default() {
    setting_docs::Settings::read(env!("CARGO_MANIFEST_DIR"))
        .check::<ChooserConfig>()
        .check::<InterestConfig>()
        .check::<LearnedConfig>()
        .check::<PatternsConfig>()
        .check::<PheromoneConfig>()
        .check::<RoutesConfig>()
        .check::<TrendMapConfig>()
        .check::<TrendedConfig>()
        .check_is_complete();
}
