//! `reckon play` and `reckon serve --level`: the arena, its page and a recording.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use reckoning_arena::host::{
    ArenaHost, ArenaHostConfig, TRAINED_ON, host_config, trained, with_learned, zones_px,
};
use reckoning_arena::planning::trend_map;
use reckoning_arena::protocol::{
    LinkChoice, ModelChoice, PolicyChoice, ServerTuning, WeightsChoice,
};
use reckoning_arena::{Level, TICKS_PER_S};
use reckoning_predict::learned::LearnedModel;
use reckoning_server::settings::{ClockSetting, LogLevel};
use reckoning_server::{Running, ServeError, Server, Settings, logs, unix_seconds};
use serde_json::{Value, json};

use super::Chosen;
use super::game::Arena;
use super::hills;
use super::level::Scene;
use super::page::Site;
use super::recording_info;
use crate::args::Play;
use crate::failure::{Failure, MAX_MODEL_BYTES, read};
use crate::say;

/// Ports that are tried when none was asked for.
const PORTS: std::ops::Range<u16> = 4433..4453;

/// Plays until it is told to stop.
pub fn run(command: &Play) -> Result<(), Failure> {
    let chosen = Chosen::load(&command.level)?;
    let mut settings = Settings::default();
    settings.log = LogLevel::Warn;
    settings.recording.folder.clone_from(&command.record);
    settings.recording.rate_hz = TICKS_PER_S;
    settings.replication.learned.clone_from(&command.learned);
    if command.clock == ClockSetting::PerHop.name() {
        settings.replication.clock = ClockSetting::PerHop;
    }
    logs::start(settings.log, settings.log_format);
    let running = match command.port {
        Some(port) => start(&chosen, on_port(settings, port), command.bots)?,
        None => start_on_free_port(&chosen, &settings, command.bots)?,
    };
    say(&greeting(chosen.scene.name(), &running, command.bots))?;
    running.run().map_err(Failure::server)
}

fn greeting(level: &str, running: &Running, bots: u16) -> String {
    let address = running.address();
    let mut text =
        format!("{level} with {bots} bots: open this in a browser\n\n  http://{address}/\n\n");
    if let Some(path) = running.recording() {
        text.push_str("recording ");
        text.push_str(&path.display().to_string());
        text.push('\n');
    }
    if !Site::is_whole() {
        text += "built without the page; `cargo xtask play` builds it\n";
    }
    text + "ctrl-c ends it\n"
}

fn on_port(mut settings: Settings, port: u16) -> Settings {
    settings.listen = SocketAddr::new(settings.listen.ip(), port);
    settings
}

fn start_on_free_port(chosen: &Chosen, base: &Settings, bots: u16) -> Result<Running, Failure> {
    for port in PORTS {
        let taken = |error: &ServeError| {
            matches!(error, ServeError::Listen { error, .. }
                if error.kind() == io::ErrorKind::AddrInUse)
        };
        match try_start(chosen, on_port(base.clone(), port), bots)? {
            Err(error) if taken(&error) => {}
            started => return started.map_err(Failure::server),
        }
    }
    start(chosen, on_port(base.clone(), 0), bots)
}

/// Starts the arena with these settings of the server.
pub fn start(chosen: &Chosen, settings: Settings, bots: u16) -> Result<Running, Failure> {
    try_start(chosen, settings, bots)?.map_err(Failure::server)
}

fn try_start(
    chosen: &Chosen,
    settings: Settings,
    bots: u16,
) -> Result<Result<Running, ServeError>, Failure> {
    match &chosen.scene {
        Scene::Flat(level) => start_flat(chosen, level, settings, bots),
        Scene::Hills(level) => hills::start(&chosen.text, level, settings, bots),
    }
}

fn start_flat(
    chosen: &Chosen,
    level: &Level,
    settings: Settings,
    bots: u16,
) -> Result<Result<Running, ServeError>, Failure> {
    let base = reckoning_server::host_config(&settings);
    let mut host = host_config(base, level).map_err(Failure::server)?;
    let mut config = ArenaHostConfig::default();
    let model = match &settings.replication.learned {
        Some(path) => Some(learned(path)?),
        None => trained().filter(|_| level.name() == TRAINED_ON),
    };
    if let Some(model) = model {
        host = with_learned(host, &model).map_err(Failure::server)?;
        config.learned = Some(Arc::new(model));
        config.tuning.model = ModelChoice::Learned;
    }
    config.bots = bots;
    config.demo = settings.is_demo();
    config.newcomers_near = true;
    config.seed = unix_seconds();
    config.trends = trend_map(level).map(Arc::new);
    // Those who may see the truth may see the accounts as well.
    host.accounts |= config.demo;
    let stage = ArenaHost::new(level.clone(), &config);
    let site = site(chosen, level, &settings, (&config, &stage));
    let game = Arena::new(stage, site.players());
    let mut server = Server::new(settings);
    server.set_host(host);
    server.set_recording_info(recording_info::from_level(level));
    server.set_page(site.router());
    Ok(server.start(game))
}

/// The trained predictor in a file.
fn learned(path: &Path) -> Result<LearnedModel, Failure> {
    let wrong = |error| Failure::Learned { path: path.to_path_buf(), error };
    LearnedModel::from_bytes(&read(path, MAX_MODEL_BYTES)?).map_err(wrong)
}

fn site(
    chosen: &Chosen,
    level: &Level,
    settings: &Settings,
    (config, stage): (&ArenaHostConfig, &ArenaHost),
) -> Site {
    let mut site = Site::new();
    site.put("/level.toml", "text/plain; charset=utf-8", chosen.text.clone());
    site.put("/level.bin", "application/octet-stream", level.to_bytes());
    let mut about = about_server(level.name(), config.bots, settings);
    about["game"] = "arena".into();
    about["zones_px"] = zones_px(level).into();
    about["world"] = about_world(&config.tuning);
    about["trend"] = config.trends.is_some().into();
    about["world"]["missing"] = missing(stage);
    site.describe(about);
    if let Some(trends) = &config.trends {
        site.put("/trend.bin", "application/octet-stream", trends.to_bytes());
    }
    site
}

/// What this server lacks for planners, by their numbers.
fn missing(stage: &ArenaHost) -> Value {
    let of = |choice| stage.missing(choice).map(|why| ((choice as u8).to_string(), why.into()));
    Value::Object(ModelChoice::ALL.into_iter().filter_map(of).collect())
}

/// What every game's page needs to know of its server.
pub(super) fn about_server(level: &str, bots: u16, settings: &Settings) -> Value {
    json!({
        "level": level,
        "bots": bots,
        "record": settings.recording.folder.is_some(),
        "recording": false,
        "demo": settings.is_demo(),
        "clock": settings.replication.clock.name(),
        "version": env!("CARGO_PKG_VERSION"),
        "link": {
            "most_delay_ms": LinkChoice::MAX_DELAY_MS,
            "most_jitter_ms": LinkChoice::MAX_JITTER_MS,
            "most_loss_percent": LinkChoice::MAX_LOSS_PERCENT,
            "most_burst": LinkChoice::MAX_BURST,
        },
    })
}

fn about_world(tuning: &ServerTuning) -> Value {
    json!({
        "model": tuning.model as u8,
        "models": ModelChoice::ALL.map(ModelChoice::name),
        "policies": PolicyChoice::ALL.map(|it| format!("{it:?}").to_lowercase()),
        "least_threshold_px": ServerTuning::THRESHOLDS_PX[0],
        "most_threshold_px": ServerTuning::THRESHOLDS_PX[1],
        "threshold_px": tuning.threshold_px,
        "least_budget_percent": ServerTuning::BUDGETS_PERCENT[0],
        "most_budget_percent": ServerTuning::BUDGETS_PERCENT[1],
        "weights": WeightsChoice::ALL.map(|it| format!("{it:?}").to_lowercase()),
    })
}
