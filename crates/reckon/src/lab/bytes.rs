//! `reckon lab bytes`: what a recording costs in bytes, by kind, field and receiver.

use std::path::Path;

use reckoning_lab::report::{to_text, traffic_html, traffic_json, traffic_tables};
use reckoning_lab::traffic::{TrafficConfig, TrafficProfile, traffic_profile};
use reckoning_recording::Recording;
use reckoning_server::settings::{self, Settings};

use super::load_parts;
use crate::args::{BoardFormat, Bytes};
use crate::failure::{Failure, read, write};
use crate::progress::Progress;
use crate::say;

pub fn run(command: &Bytes) -> Result<(), Failure> {
    let paths = [command.file.clone()];
    let recordings = load_parts(&paths, command.part, command.memory_mib)?;
    let Some(recording) = recordings.first() else { return Err(Failure::NoSessions) };
    let mut config = TrafficConfig { bound: command.bound, ..TrafficConfig::default() };
    if !command.links.is_empty() {
        config.receivers.clone_from(&command.links);
    }
    if let Some(path) = &command.settings {
        config.kinds = kinds(path)?;
    }
    let profile = profile(&config, recording)?;
    if let Some(path) = &command.out {
        write(path, traffic_html(&profile).as_bytes())?;
    }
    say(&match command.format {
        BoardFormat::Json => traffic_json(&profile),
        BoardFormat::Table => {
            traffic_tables(&profile).iter().map(to_text).collect::<Vec<_>>().join("\n")
        }
    })
}

/// The profile of a recording, with progress.
pub fn profile(config: &TrafficConfig, recording: &Recording) -> Result<TrafficProfile, Failure> {
    let progress = Progress::start("profiling bytes");
    let show = |done, of| progress.show(done, of);
    traffic_profile(config, recording, &show).map_err(Failure::lab)
}

fn kinds(path: &Path) -> Result<reckoning_net::Kinds, Failure> {
    let wrong = |error| Failure::Settings { path: Some(path.to_path_buf()), error };
    let text = read(path, settings::MAX_FILE_BYTES as u64)?;
    let text = String::from_utf8_lossy(&text);
    Settings::from_toml(&text).and_then(|it| it.kinds()).map_err(wrong)
}
