//! The hills on a server: their settings, their page and their recording.

use reckoning::DVec3;
use reckoning_arena::hills::host::{HillsHost, HillsHostConfig, host_config, zones_m};
use reckoning_arena::hills::protocol::{HillsTuning, JointsChoice};
use reckoning_arena::hills::{Craft, HillsLevel};
use reckoning_recording::{Bounds, Level, Meta};
use reckoning_server::guests::Guests;
use reckoning_server::record::RecordingInfo;
use reckoning_server::{Running, ServeError, Server, Settings, unix_seconds};
use serde_json::{Value, json};

use super::game::Arena;
use super::page::Site;
use super::play::about_server;
use crate::failure::Failure;

/// Higher than birds fly.
const CEILING_M: f64 = 400.0;

/// Starts the hills with these settings of the server.
pub fn start(
    text: &str,
    level: &HillsLevel,
    settings: Settings,
    bots: u16,
) -> Result<Result<Running, ServeError>, Failure> {
    let base = reckoning_server::host_config(&settings);
    let host = host_config(base, level).map_err(Failure::server)?;
    let mut config = HillsHostConfig::default();
    (config.bots, config.demo, config.seed) = (bots, settings.is_demo(), unix_seconds());
    let site = site(text, level, &settings, &config);
    let stage = HillsHost::new(level.clone(), &config);
    let game = Guests::new(Arena::new(stage, site.players()), settings.limits.guest_bodies);
    let mut server = Server::new(settings);
    server.set_host(host);
    server.set_recording_info(recording_info(level));
    server.set_page(site.router());
    Ok(server.start(game))
}

fn site(text: &str, level: &HillsLevel, settings: &Settings, config: &HillsHostConfig) -> Site {
    let mut site = Site::new();
    site.put("/level.toml", "text/plain; charset=utf-8", text.to_string());
    site.put("/level.bin", "application/octet-stream", level.to_bytes());
    let mut about = about_server(level.name(), config.bots, settings);
    about["game"] = HillsLevel::NAME.into();
    about["zones_m"] = zones_m().to_vec().into();
    about["world"] = about_world(config.tuning);
    site.describe(about);
    site
}

fn about_world(tuning: HillsTuning) -> Value {
    json!({
        "least_threshold_m": HillsTuning::THRESHOLDS_M[0],
        "most_threshold_m": HillsTuning::THRESHOLDS_M[1],
        "threshold_m": tuning.threshold_m,
        "prevents": tuning.prevents,
        "joints": JointsChoice::ALL.map(|it| format!("{it:?}").to_lowercase()),
        "train_on_path": tuning.train_on_path,
        "merchant_delayed": tuning.merchant_delayed,
    })
}

/// Units and sizes of a level.
fn recording_info(level: &HillsLevel) -> RecordingInfo {
    let max = DVec3::new(level.size_m(), level.size_m(), CEILING_M);
    let bounds = Some(Bounds { min: DVec3::ZERO, max });
    let mut meta = Meta::default();
    meta.units = "m".to_string();
    meta.body_width = 2.0 * Craft::Tank.shape().hull_half.y;
    meta.dims = 3;
    meta.team_play = true;
    meta.bounds = bounds;
    meta.map = level.name().to_string();
    let name = level.name().to_string();
    let level = Level { name, bounds, shapes: Vec::new(), items: Vec::new() };
    RecordingInfo { source: HillsLevel::NAME.to_string(), meta, level: Some(level) }
}
