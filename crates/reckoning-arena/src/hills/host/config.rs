//! Settings shared by both ends of the hills, in metres. Names of kinds and joints stand in `kinds`.

use std::sync::Arc;
use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig};
use reckoning::rewind::RewindConfig;
use reckoning::{AngleThreshold, ConfigError, Quantiser, Threshold};
use reckoning_net::{
    Format, HostConfig, PlanningAssets, Registry, SessionConfig, SharedTerrain, ZoneClass,
};

use super::kinds::{kinds, usual_models};
use crate::TICK_S;
use crate::hills::file::DriveRules;
use crate::hills::level::HillsLevel;
use crate::hills::protocol::HillsTuning;
use crate::host::ArenaHostError;

/// Stamps of updates in a second.
const STAMP_HZ: u32 = 1_000;
/// The grid of shells, which fly for seconds and must land where everyone sees them land, and of
/// owners. Distance classes are coarser.
const STEPS: Quantiser = Quantiser {
    position_m: 0.002,
    velocity_mps: 0.004,
    acceleration_mps2: 0.06,
    angular_velocity_radps: 0.005,
    orientation: 0.001_25,
};
/// How often the steps are doubled for what is near: to 1.6 cm, which nobody sees, and a degree.
const NEAR_LOG2: u8 = 3;
/// Between two rounds of sending.
const ROUND: Duration = Duration::from_millis(33);
pub(super) const HEARTBEAT: Duration = Duration::from_secs(1);
/// Distance classes: to there everything is as exact as chosen; beyond it twice as coarse, and far
/// away four times.
const NEAR_M: f64 = 150.0;
const MIDDLE_M: f64 = 400.0;
/// How far the shown heading may be off, by class.
const ANGLES_DEG: [f64; 3] = [4.0, 8.0, 15.0];
/// A client may be put right over the slowest link that can be simulated.
const OBEYS_WITHIN: Duration = Duration::from_secs(4);
const OLDEST: Duration = Duration::from_secs(3);
const LONGEST_SILENCE: Duration = Duration::from_secs(2);
/// How far an owner's guess may stray before it publishes, whatever receivers are served with.
pub(super) const OWN_M: f64 = 0.15;

/// A host for a level. Limits, budgets and times are taken from `base`.
///
/// # Errors
/// When the level's numbers make no envelope, or a setting is out of range.
pub fn host_config(base: HostConfig, level: &HillsLevel) -> Result<HostConfig, ArenaHostError> {
    let mut host = base;
    host.format = Format::new(false, STAMP_HZ, STEPS, &usual_models(level)?, registry(level))?;
    host.zones.classes = zone_classes()?;
    host.tick = ROUND;
    host.kinds = kinds(level)?;
    host.planning = planning(level);
    let mut rewind = RewindConfig::default();
    // The gun's pause is held by the game, by the moments that screens showed.
    rewind.requests_per_s = 2.0 / level.file().gun.pause_s.max(TICK_S);
    host.rewind = Some(rewind);
    // The gun reaches into the second class, and a tank on a ridge is hit wherever it is seen.
    host.rewind_classes = ANGLES_DEG.len() as u8;
    Ok(host)
}

/// How clients join. What they publish and show say the kinds; for that they need the level's track
/// and its ground.
#[must_use]
pub fn session_config(level: &HillsLevel) -> SessionConfig {
    let mut session = SessionConfig::default();
    session.registry = registry(level);
    session.planning = planning(level);
    session
}

/// The line that trains ride, known to both ends.
fn registry(level: &HillsLevel) -> Registry {
    Registry { paths: vec![level.lasting_track()], ..Registry::default() }
}

fn planning(level: &HillsLevel) -> PlanningAssets {
    let mut assets = PlanningAssets::default();
    let ground = Arc::clone(level.ground());
    assets.ground = Some(SharedTerrain::new(ground));
    assets
}

fn zone_classes() -> Result<Vec<ZoneClass>, ConfigError> {
    let near_m = f64::from(HillsTuning::default().threshold_m);
    let mut classes = Vec::new();
    let radii_m = [NEAR_M, MIDDLE_M, f64::INFINITY];
    for (place, (radius_m, angle_deg)) in (0_u8..).zip(radii_m.into_iter().zip(ANGLES_DEG)) {
        let mut class = ZoneClass::default();
        class.radius_m = radius_m;
        class.threshold = Threshold::metres(near_m * f64::from(1_u8 << place))?;
        class.angle_threshold = AngleThreshold::degrees(angle_deg).ok();
        class.heartbeat = HEARTBEAT;
        class.coarser_log2 = NEAR_LOG2 + place;
        classes.push(class);
    }
    Ok(classes)
}

/// The borders between the distance classes, in metres from a player.
#[must_use]
pub const fn zones_m() -> [f64; 2] {
    [NEAR_M, MIDDLE_M]
}

/// What an honest vehicle can do. Downhill it is faster than on the level, and the ground lifts it
/// at once where a ramp begins.
pub(super) fn guard_for(rules: &DriveRules) -> GuardConfig {
    let fastest_mps = rules.speed_mps * DOWNHILL + STEP_UP_MPS;
    let most_mps2 = rules.acceleration_mps2.max(rules.braking_mps2).max(rules.grip_mps2) * 2.0;
    let envelope = Envelope::of_speed(fastest_mps, most_mps2);
    // The owner's threshold, rounding, and a step either way.
    let tolerance_m = OWN_M * 2.0 + fastest_mps * 2.0 * TICK_S;
    let mut guard = GuardConfig::new(envelope, tolerance_m);
    guard.obey_within = OBEYS_WITHIN;
    guard.max_age = OLDEST;
    guard.max_silence = LONGEST_SILENCE;
    guard
}

/// How much faster than its top speed on the level a vehicle gets down a slope.
const DOWNHILL: f64 = 1.3;
/// What a ramp adds for a moment.
const STEP_UP_MPS: f64 = 3.0;
