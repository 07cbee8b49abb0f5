//! Publisher settings of experiments that count updates by their threshold.

use std::time::Duration;

use reckoning::{ConfigError, Model, PublisherConfig, Threshold};

/// Longer than any segment or match: no heartbeat falls due.
pub(crate) const NEVER: Duration = Duration::from_hours(24);

/// Settings under which the threshold alone asks for updates: no angle, no heartbeat, and no
/// export at stops. (Bodies that walk into walls stop a hundred times a minute.)
pub(crate) fn threshold_only(bound_m: f64, model: Model) -> Result<PublisherConfig, ConfigError> {
    let mut config = PublisherConfig::default();
    config.threshold = Threshold::metres(bound_m)?;
    config.angle_threshold = None;
    config.heartbeat = NEVER;
    config.full_interval = NEVER;
    config.export_stops = false;
    config.model = model;
    Ok(config)
}
