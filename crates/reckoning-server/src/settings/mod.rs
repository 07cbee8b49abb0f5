//! Settings of a server: a TOML file, overridden by flags, every value documented and validated.
//!
//! The documented file `default.toml` is the one source of the defaults: a setting without a
//! line and a comment there does not exist. The user's values are merged over it one by one, so a
//! misspelt name or a wrong type is reported together with what is accepted.

mod error;
mod kind_parts;
mod kinds;
mod listen;
mod merge;
mod reload;
mod validate;
mod warnings;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use reckoning_net::{ClockMode, Kinds};
use serde::{Deserialize, Deserializer};
pub use toml::Table;

use crate::networks::Network;
pub use error::SettingsError;
pub use kind_parts::{FacingName, FootprintName, JointSettings, JointSourceName};
pub use kinds::{KindClassSettings, KindSettings, ModelName, PlannerName, PropertySettings};
pub use reload::CHANGEABLE;

/// The documented default file, as `reckon serve --print-config` prints it.
pub const DEFAULT_FILE: &str = include_str!("default.toml");

/// Longest settings file. A section in it takes hundreds of bytes for each of its own.
pub const MAX_FILE_BYTES: usize = 128 << 10;

/// Settings of a server. The default suits local play; see [`DEFAULT_FILE`] for every value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// Where to listen, UDP and TCP; in a file also by name. Default: `127.0.0.1:4433`.
    #[serde(deserialize_with = "listen::deserialize")]
    pub listen: SocketAddr,
    /// Where `/health` and `/metrics` are answered. Default: `auto`.
    pub operator_listen: OperatorListen,
    /// What the TCP port speaks. Default: `auto`.
    pub http: Http,
    /// Steps of the game in a second. Default: 60.
    pub tick_hz: u32,
    /// Origins of pages that may connect; `*` is all. Without, that of the server itself. Default:
    /// none.
    pub origins: Vec<String>,
    /// Who may join. Default: `open`.
    pub access: Access,
    /// Whether it is meant that everyone may join who reaches the server. Default: false.
    pub allow_open: bool,
    /// File with the key that signs tokens, in hexadecimal. Default: none.
    #[serde(deserialize_with = "optional_path")]
    pub token_key_file: Option<PathBuf>,
    /// Name of this server, which tokens must bear. Default: `reckoning`.
    pub token_server: String,
    /// Whom this server is for, which tokens must bear. Default: `players`.
    pub token_audience: String,
    /// File of tokens that are taken no more. Default: none.
    #[serde(deserialize_with = "optional_path")]
    pub token_revoked_file: Option<PathBuf>,
    /// Whether clients of the arena have the powers of its demonstration. Default: `auto`.
    pub demo: Demo,
    /// The kinds of bodies of the game. Default: none.
    pub kind: Vec<KindSettings>,
    /// What else is known of bodies, whatever their kind. Default: none.
    pub property: Vec<PropertySettings>,
    /// The kind of the bodies of the game without rules. Default: none.
    pub relay_kind: String,
    /// What is logged. Default: `info`.
    pub log: LogLevel,
    /// How it is written. Default: `text`.
    pub log_format: LogFormat,
    /// The certificate of the server.
    pub certificate: Certificate,
    /// Limits on what clients may use.
    pub limits: Limits,
    /// Proxies that tell whom they speak for.
    pub proxies: Proxies,
    /// How bodies are replicated.
    pub replication: Replication,
    /// Which movement of clients is believed.
    pub guard: Guarding,
    /// What is recorded.
    pub recording: RecordingSettings,
    /// When a server gives itself up.
    pub watchdog: Watchdog,
    /// How the server shuts down.
    pub shutdown: Shutdown,
}

/// Where `/health` and `/metrics` are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum OperatorListen {
    /// On loopback, on the port after that of the players, or on a free one when that is taken.
    Auto,
    /// At this address.
    At(SocketAddr),
    /// On the players' port, to everyone.
    Public,
    /// Nowhere.
    Nowhere,
}

impl TryFrom<String> for OperatorListen {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "auto" => Ok(Self::Auto),
            "public" => Ok(Self::Public),
            "" => Ok(Self::Nowhere),
            address => address.parse().map(Self::At).map_err(|_| {
                format!("operator_listen = {text:?} is neither auto, public nor an IP address with a port")
            }),
        }
    }
}

/// Whether clients of the arena have the powers of its demonstration: to change how the server
/// reckons, to simulate their links, to see the truth, to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Demo {
    /// On a server that listens on loopback, without proxies that bring others there.
    Auto,
    /// Whoever may join has them.
    On,
    /// Nobody has them.
    Off,
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

/// What the TCP port speaks: the page, the WebSocket, `/metrics` and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Http {
    /// Plain HTTP on loopback with a made certificate, which browsers would warn of; else TLS.
    Auto,
    /// TLS.
    Tls,
    /// Plain HTTP, for a proxy in front that speaks TLS.
    Plain,
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

/// How logs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// The certificate of a server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// PEM file of the chain; without it a certificate is made. Default: none.
    #[serde(deserialize_with = "optional_path")]
    pub chain_file: Option<PathBuf>,
    /// PEM file of the private key. Default: none.
    #[serde(deserialize_with = "optional_path")]
    pub key_file: Option<PathBuf>,
    /// Names that a made certificate is good for. Default: `localhost, 127.0.0.1, ::1`.
    pub names: Vec<String>,
    /// Days that a made certificate is good for. Default: 13.
    pub days: u32,
}

/// Limits on what clients may use.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Clients that play at once. Default: 256.
    pub peers: usize,
    /// Those of them that only holders of a token may be, on open servers with a key. Default: 32.
    pub reserved_peers: usize,
    /// Connections of one address. Default: 64.
    pub connections_per_address: usize,
    /// New connections of one address in a second. Default: 32.
    pub connects_per_s_per_address: u32,
    /// Addresses that accounts are kept for. Default: 4096.
    pub addresses: usize,
    /// Handshakes under way at once. Default: 128.
    pub pending_handshakes: usize,
    /// A handshake and a request must be through by then. Default: 5 s.
    #[serde(rename = "handshake_timeout_s", deserialize_with = "seconds")]
    pub handshake_timeout: Duration,
    /// A client must have joined by then. Default: 5 s.
    #[serde(rename = "join_timeout_s", deserialize_with = "seconds")]
    pub join_timeout: Duration,
    /// A connection without a sign of life ends after this. Default: 10 s.
    #[serde(rename = "idle_timeout_s", deserialize_with = "seconds")]
    pub idle_timeout: Duration,
    /// HTTP and WebSocket connections open at once. Default: 512.
    pub http_connections: usize,
    /// Requests for pages of one address in a second. Default: 64.
    pub requests_per_s_per_address: u32,
    /// Connections in a second that are not thought too many. Default: 256.
    pub connects_per_s: u32,
    /// Datagrams of one client in a second. Default: 240.
    pub datagrams_per_s: u32,
    /// Datagrams of one address in a second. Default: 8000.
    pub datagrams_per_s_per_address: u32,
    /// Datagrams of one client that wait for the next step. Default: 64.
    pub queued_datagrams: usize,
    /// Bodies that one client may bring along, as gateways do. Default: 0.
    pub guest_bodies: usize,
    /// Longest datagram. Default: 1000.
    pub datagram_bytes: usize,
    /// Bytes that wait on the way out to one client. Default: 20000.
    pub send_buffer_bytes: usize,
    /// Datagrams over the allowance within a second that end a connection. Default: 2000.
    pub flood_datagrams: u32,
    /// How long new connections from the address of a flood are rejected. Default: 10 s.
    #[serde(rename = "flood_ban_s", deserialize_with = "seconds")]
    pub flood_ban: Duration,
}

/// Proxies that tell whom they speak for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proxies {
    /// Addresses and networks of proxies that are believed. Default: none.
    pub trusted: Vec<Block>,
    /// The header in which they tell it. Default: `x-forwarded-for`.
    pub header: ForwardedHeader,
}

/// An address, or a network such as `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Block(pub(crate) Network);

impl TryFrom<String> for Block {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("{text:?} is neither an address nor a network such as 10.0.0.0/8");
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| wrong())?)),
            None => (text.as_str(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        if bits > most { Err(wrong()) } else { Ok(Self(Network::new(address, bits))) }
    }
}

/// The header in which proxies tell whom they speak for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardedHeader {
    /// `X-Forwarded-For: 203.0.113.7`, which nearly all of them write.
    XForwardedFor,
    /// `Forwarded: for=203.0.113.7`, of RFC 7239.
    Forwarded,
}

/// How bodies are replicated.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replication {
    /// Rounds of sending in a second. Default: 20.
    pub rounds_hz: u32,
    /// Bytes a second to one client. Default: 64000.
    pub budget_bytes_per_s: u32,
    /// A client that sends nothing for so long counts as gone. Default: 5 s.
    #[serde(rename = "peer_timeout_s", deserialize_with = "seconds")]
    pub peer_timeout: Duration,
    /// How long the bodies of a client that is gone wait for it. Default: 10 s.
    #[serde(rename = "grace_s", deserialize_with = "seconds")]
    pub grace: Duration,
    /// Bodies at most, of all clients and the server. Default: 16384.
    pub entities: usize,
    /// Of the bodies that have no zones of their own, so many are sent to a client, the nearest; 0
    /// sends all in reach. Default: 0.
    pub nearest: usize,
    /// How server and clients agree on time. Default: `common`.
    pub clock: ClockSetting,
    /// Which clients are sent a body's changes. Default: `base`.
    pub fairness: FairnessPolicy,
    /// One change in so many is sent, for [`FairnessPolicy::EveryKth`]. Default: 3.
    pub fairness_k: u32,
    /// The share of a body's changes that each client is sent on average, for
    /// [`FairnessPolicy::Probabilistic`] and [`FairnessPolicy::Deterministic`]. Default: 0.333.
    pub fairness_budget: f64,
    /// What these may cost as a share of what [`FairnessPolicy::Base`] would: thresholds are lowered
    /// until they do; 0 leaves them. Default: 1.
    pub fairness_cost: f64,
    /// What makes a client's claim on their budget: the error since it joined, the error since the
    /// last arrival it acknowledged, the time since it was last served. The sum is 1. Default: 0.75,
    /// 0, 0.25.
    pub fairness_weights: [f64; 3],
    /// Whether accounts of clients' errors are kept under every policy. Default: false.
    pub accounts: bool,
    /// Whether the metrics tell the errors of single clients. Default: false.
    pub client_errors: bool,
    /// File of a trained predictor that plans the bodies the server itself moves. Default: none.
    #[serde(deserialize_with = "optional_path")]
    pub learned: Option<PathBuf>,
}

/// How server and clients agree on time: see [`ClockMode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockSetting {
    /// Clients estimate the server's clock.
    Common,
    /// Nobody does: the delays of the hops that an update took are added up.
    PerHop,
}

impl ClockSetting {
    /// As settings files call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::PerHop => "per-hop",
        }
    }

    /// The host's.
    #[must_use]
    pub const fn mode(self) -> ClockMode {
        match self {
            Self::Common => ClockMode::Synchronised,
            Self::PerHop => ClockMode::PerHop,
        }
    }
}

/// Which clients are sent a body's changes: see [`Policy`](reckoning::fairness::Policy).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the engine's policies say it")]
pub enum FairnessPolicy {
    Base,
    EveryKth,
    ScheduledDropped,
    Scheduled,
    Probabilistic,
    Deterministic,
}

/// Which movement of clients is believed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guarding {
    /// Top speed of an honest body; 0 believes everything. Default: 0.
    pub top_speed_mps: f64,
    /// What it accelerates at most. Default: 50.
    pub top_acceleration_mps2: f64,
    /// Distances may be exceeded by this much. Default: 0.5.
    pub tolerance_m: f64,
    /// How far a body may be ahead of what others are shown of it before it is put back, in time.
    /// Default: 2 s.
    #[serde(rename = "max_trail_s", deserialize_with = "seconds")]
    pub max_trail: Duration,
    /// Motion models that clients may promise. Default: `plain`.
    pub models: GuardedModels,
}

/// Which motion models clients may promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardedModels {
    /// Those that only use the body's own motion.
    Plain,
    /// Also what falls, rides a path, is of DIS or the game's own.
    All,
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingSettings {
    /// Folder of the recordings; without it nothing is recorded. Default: none.
    #[serde(deserialize_with = "optional_path")]
    pub folder: Option<PathBuf>,
    /// Samples of each body in a second. Default: 20.
    pub rate_hz: u32,
    /// Steps that may wait for the disk. Default: 256.
    pub queued_steps: usize,
    /// Time between two writes. Default: 0.5 s.
    #[serde(rename = "write_every_s", deserialize_with = "seconds")]
    pub write_every: Duration,
    /// A file that is longer is closed and the next one begins. Default: 134217728.
    pub rotate_bytes: u64,
    /// A file that spans more is closed and the next one begins. Default: 900 s.
    #[serde(rename = "rotate_after_s", deserialize_with = "seconds")]
    pub rotate_after: Duration,
}

/// When a server gives itself up.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watchdog {
    /// A thread that gives no sign of life for so long ends the process. Default: 10 s.
    #[serde(rename = "hang_s", deserialize_with = "seconds")]
    pub hang: Duration,
}

/// How the server shuts down.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shutdown {
    /// How long those who play may go on once the server is told to stop. Default: 0 s.
    #[serde(rename = "drain_s", deserialize_with = "seconds")]
    pub drain: Duration,
    /// How long clients are told that the server shuts down. Default: 0.5 s.
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

    /// Merges a user's values over the defaults and validates the whole.
    ///
    /// # Errors
    /// Names the setting, what it is and what would do.
    pub fn from_table(user: Table) -> Result<Self, SettingsError> {
        let mut table = parse(DEFAULT_FILE)?;
        merge::merge(&mut table, user, "")?;
        let settings: Self =
            table.try_into().map_err(|error| SettingsError::Syntax(Box::new(error)))?;
        settings.validate()?;
        Ok(settings)
    }

    /// Whether clients of the arena have the powers of its demonstration.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        let is_local = self.listen.ip().to_canonical().is_loopback();
        match self.demo {
            Demo::Auto => is_local && self.proxies.trusted.is_empty(),
            Demo::On => true,
            Demo::Off => false,
        }
    }

    /// Whether the TCP port speaks TLS.
    #[must_use]
    pub const fn is_https(&self) -> bool {
        let is_local = self.listen.ip().to_canonical().is_loopback();
        match self.http {
            Http::Auto => !is_local || self.certificate.chain_file.is_some(),
            Http::Tls => true,
            Http::Plain => false,
        }
    }

    /// The kinds of bodies and the properties that are declared.
    ///
    /// # Errors
    /// Names the first one that is refused, and why.
    pub fn kinds(&self) -> Result<Kinds, SettingsError> {
        kinds::kinds(&self.kind, &self.property).map_err(SettingsError::Kinds)
    }

    /// Names of the settings that differ from those of `other`.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        reload::differences(self, other)
    }

    /// What is allowed and may not be meant. A server logs it when it starts.
    #[must_use]
    pub fn warnings(&self) -> Vec<&'static str> {
        warnings::all(self)
    }

    /// Checks every range and every combination. A server does so when it starts.
    ///
    /// # Errors
    /// Names the setting, what it is and what would do.
    pub fn validate(&self) -> Result<(), SettingsError> {
        validate::all(self)
    }
}

/// Reads TOML without validating the values.
///
/// # Errors
/// Names line and column.
pub fn parse(text: &str) -> Result<Table, SettingsError> {
    if text.len() > MAX_FILE_BYTES {
        return Err(SettingsError::TooLong { got_bytes: text.len() });
    }
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
