//! Settings: a TOML file, overridden by flags, every value documented and checked.
//!
//! The documented file `default.toml` is the one source of the defaults: a setting without a
//! line and a comment there does not exist. What a user gives is laid over it, value by value,
//! so a misspelt name or a wrong kind of value is named together with what would do.

mod error;
mod merge;
mod validate;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use toml::Table;

pub use error::SettingsError;

/// The documented default file, as `reckon serve --print-config` prints it.
pub const DEFAULT_FILE: &str = include_str!("default.toml");

/// Settings of a server. The default suits local play; see [`DEFAULT_FILE`] for every value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// Where to listen, UDP and TCP.
    pub listen: SocketAddr,
    /// Steps of the game in a second.
    pub tick_hz: u32,
    /// Who may join.
    pub access: Access,
    /// File with the key that signs tokens, in hexadecimal.
    #[serde(deserialize_with = "optional_path")]
    pub token_key_file: Option<PathBuf>,
    /// What is logged.
    pub log: LogLevel,
    /// The certificate of the server.
    pub certificate: Certificate,
    /// What clients may ask of us.
    pub limits: Limits,
    /// How bodies are replicated.
    pub replication: Replication,
    /// What clients are believed.
    pub guard: Guarding,
    /// What is recorded.
    pub recording: Recording,
    /// How the server goes.
    pub shutdown: Shutdown,
}

/// Who may join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Whoever comes.
    Open,
    /// Holders of a signed token.
    Token,
}

/// What is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// The certificate of a server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// PEM file of the chain; without it a certificate is made.
    #[serde(deserialize_with = "optional_path")]
    pub chain_file: Option<PathBuf>,
    /// PEM file of the private key.
    #[serde(deserialize_with = "optional_path")]
    pub key_file: Option<PathBuf>,
    /// Names that a made certificate is good for.
    pub names: Vec<String>,
    /// Days that a made certificate is good for.
    pub days: u32,
}

/// What clients may ask of us.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Clients that play at once.
    pub peers: usize,
    /// Connections of one address.
    pub connections_per_address: usize,
    /// New connections of one address in a second.
    pub connects_per_s_per_address: u32,
    /// Addresses that accounts are kept for.
    pub addresses: usize,
    /// Handshakes under way at once.
    pub pending_handshakes: usize,
    /// A handshake and a request must be through by then.
    #[serde(rename = "handshake_timeout_s", deserialize_with = "seconds")]
    pub handshake_timeout: Duration,
    /// A client must have joined by then.
    #[serde(rename = "join_timeout_s", deserialize_with = "seconds")]
    pub join_timeout: Duration,
    /// A connection without a sign of life ends after this.
    #[serde(rename = "idle_timeout_s", deserialize_with = "seconds")]
    pub idle_timeout: Duration,
    /// HTTP and WebSocket connections open at once.
    pub http_connections: usize,
    /// Datagrams of one client in a second.
    pub datagrams_per_s: u32,
    /// Datagrams of one address in a second.
    pub datagrams_per_s_per_address: u32,
    /// Datagrams of one client that wait for the next step.
    pub queued_datagrams: usize,
    /// Longest datagram.
    pub datagram_bytes: usize,
    /// Bytes that wait on the way out to one client.
    pub send_buffer_bytes: usize,
    /// Datagrams over the allowance within a second that end a connection.
    pub flood_datagrams: u32,
    /// So long nobody else is let in from where a flood came.
    #[serde(rename = "flood_ban_s", deserialize_with = "seconds")]
    pub flood_ban: Duration,
}

/// How bodies are replicated.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replication {
    /// Rounds of sending in a second.
    pub rounds_hz: u32,
    /// Bytes a second to one client.
    pub budget_bytes_per_s: u32,
    /// A silent client is gone after this.
    #[serde(rename = "peer_timeout_s", deserialize_with = "seconds")]
    pub peer_timeout: Duration,
    /// How long the bodies of a client that is gone wait for it.
    #[serde(rename = "grace_s", deserialize_with = "seconds")]
    pub grace: Duration,
    /// Bodies at most.
    pub entities: usize,
    /// Who is told of a body's changes.
    pub fairness: Fairness,
    /// One change in so many is told, for [`Fairness::EveryKth`].
    pub fairness_k: u32,
    /// Updates per change, for [`Fairness::Probabilistic`] and [`Fairness::Deterministic`].
    pub fairness_budget: f64,
    /// File of a trained predictor that plans the bodies the server itself moves.
    #[serde(deserialize_with = "optional_path")]
    pub learned: Option<PathBuf>,
}

/// Who is told of a body's changes: see [`Policy`](reckoning::Policy).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the engine's policies say it")]
pub enum Fairness {
    Base,
    EveryKth,
    Scheduled,
    Probabilistic,
    Deterministic,
}

/// What clients are believed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guarding {
    /// Top speed of an honest body; 0 believes everything.
    pub top_speed_mps: f64,
    /// What it accelerates at most.
    pub top_acceleration_mps2: f64,
    /// Distances may be exceeded by this much.
    pub tolerance_m: f64,
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Folder of the recordings; without it nothing is recorded.
    #[serde(deserialize_with = "optional_path")]
    pub folder: Option<PathBuf>,
    /// Samples of each body in a second.
    pub rate_hz: u32,
    /// Steps that may wait for the disk.
    pub queued_steps: usize,
    /// Time between two writes.
    #[serde(rename = "write_every_s", deserialize_with = "seconds")]
    pub write_every: Duration,
}

/// How the server goes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shutdown {
    /// How long clients are told that the server goes.
    #[serde(rename = "farewell_s", deserialize_with = "seconds")]
    pub farewell: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self::from_table(Table::new()).expect("a test reads the committed default file")
    }
}

impl Settings {
    /// Reads a settings file; what it leaves out keeps its default.
    ///
    /// # Errors
    /// Names the setting, what it is and what would do.
    pub fn from_toml(text: &str) -> Result<Self, SettingsError> {
        Self::from_table(parse(text)?)
    }

    /// Lays a user's values over the defaults and checks the whole.
    ///
    /// # Errors
    /// Names the setting, what it is and what would do.
    pub fn from_table(user: Table) -> Result<Self, SettingsError> {
        let mut table = parse(DEFAULT_FILE)?;
        merge::merge(&mut table, user, "")?;
        let settings: Self =
            table.try_into().map_err(|error| SettingsError::Syntax(Box::new(error)))?;
        validate::all(&settings)?;
        Ok(settings)
    }
}

/// Reads TOML without judging what it says.
///
/// # Errors
/// Names line and column.
pub fn parse(text: &str) -> Result<Table, SettingsError> {
    text.parse().map_err(|error| SettingsError::Syntax(Box::new(error)))
}

/// Notes `--set section.name=value` in a table of a user's values.
///
/// # Errors
/// When it is not of that form.
pub fn set(table: &mut Table, assignment: &str) -> Result<(), SettingsError> {
    merge::set(table, assignment)
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(from)?;
    // What is out of range is named by the check that follows; -1 s must not pass as 0 s.
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

fn optional_path<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    let path = String::deserialize(from)?;
    Ok((!path.is_empty()).then(|| path.into()))
}

#[cfg(test)]
mod tests;
