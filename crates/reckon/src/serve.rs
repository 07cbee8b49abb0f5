//! `reckon serve` and `reckon token`: files and flags in; the work is in `reckoning-server`.

use std::error::Error;
use std::path::Path;

use reckoning_recording::read_text_file;
use reckoning_server::guests::Guests;
use reckoning_server::settings::{self, Settings};
use reckoning_server::token::{TokenKey, TokenScope, new_key_hex, to_hex, write_new_key};
use reckoning_server::{Relay, Running, Server, logs, unix_seconds};

use crate::arena::{Chosen, play};
use crate::args::{Serve, Token};
use crate::failure::Failure;
use crate::say;

/// Serves until it is told to stop.
pub fn run(command: &Serve) -> Result<(), Failure> {
    if command.print_config {
        return say(settings::DEFAULT_FILE);
    }
    let settings = settings(command)?;
    if command.level.is_none() && settings.replication.learned.is_some() {
        return Err(Failure::NothingToPlan);
    }
    logs::start(settings.log, settings.log_format);
    let running = if let Some(level) = &command.level {
        play::start(&Chosen::load(level)?, settings, 0)?
    } else {
        let relay = Relay::of_kind(&settings.relay_kind);
        let game = Guests::new(relay, settings.limits.guest_bodies);
        Server::new(settings).start(game).map_err(Failure::server)?
    };
    say(&greeting(&running))?;
    running.run_reloading(|| reread(command)).map_err(Failure::server)
}

fn greeting(running: &Running) -> String {
    let operators = running.operator_address();
    let operators = operators.map(|it| format!("health and metrics on http://{it}/\n"));
    format!("listening on {}\n{}", running.address(), operators.unwrap_or_default())
}

/// The settings as file and flags say them now.
fn reread(command: &Serve) -> Result<Settings, Box<dyn Error>> {
    settings(command).map_err(|failure| failure.to_string().into())
}

fn settings(command: &Serve) -> Result<Settings, Failure> {
    let path = command.config.as_deref();
    let wrong = |error| Failure::Settings { path: path.map(Path::to_path_buf), error };
    let limit = settings::MAX_FILE_BYTES as u64;
    let text = path.map_or(Ok(String::new()), |path| read(path, limit))?;
    let mut table = settings::parse(&text).map_err(wrong)?;
    let demo = command.demo.then(|| "demo=\"on\"".to_string());
    for assignment in command.assignments.0.iter().chain(&demo) {
        settings::set(&mut table, assignment)
            .map_err(|error| Failure::Settings { path: None, error })?;
    }
    Settings::from_table(table).map_err(wrong)
}

fn read(path: &Path, limit: u64) -> Result<String, Failure> {
    read_text_file(path, limit).map_err(|error| Failure::File { path: path.to_path_buf(), error })
}

/// Prints a new key or a new token.
pub fn token(command: &Token) -> Result<(), Failure> {
    let made = match &command.key {
        Some(key) if command.new_key => return write_new_key(key).map_err(Failure::server),
        Some(key) => mint(command, key)?,
        None => new_key_hex().map_err(Failure::server)?,
    };
    say(&format!("{made}\n"))
}

fn mint(command: &Token, key: &Path) -> Result<String, Failure> {
    let scope = TokenScope { server: command.server.clone(), audience: command.audience.clone() };
    let key = TokenKey::from_file(key).map_err(Failure::server)?;
    let key = key.for_scope(scope).map_err(Failure::server)?;
    let expires = unix_seconds().saturating_add(command.minutes.saturating_mul(60));
    let entities = command.entities.as_deref().unwrap_or_default();
    let token = key.mint(entities, expires).map_err(Failure::server)?;
    Ok(to_hex(&token))
}
