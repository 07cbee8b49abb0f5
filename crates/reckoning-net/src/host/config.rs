//! Settings of a host.

use core::time::Duration;

use alloc::vec::Vec;

use reckoning::error::SettingError;
use reckoning::{ConfigError, GuardConfig, Model, Policy, RewindConfig};
use reckoning_predict::Walls;

use crate::wire::{Format, MAX_DATAGRAM_BYTES, MAX_FORMAT_BYTES, MAX_TAG_BYTES};
use crate::zones::ZoneConfig;

/// The game's part of a welcome; the first byte is the protocol's.
pub const MAX_WELCOME_BYTES: usize = MAX_TAG_BYTES - 1;
/// The least a receiver's budget can be: a datagram every few seconds.
const LEAST_BYTES_PER_S: f64 = 100.0;
/// The smallest datagram that still carries an entry with the longest tag.
const LEAST_DATAGRAM_BYTES: f64 = 400.0;

/// How the ends agree on time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Clocking {
    /// Clients learn the host's clock and stamp by it.
    #[default]
    Synchronised,
    /// No common clock: each receiver adds up the delays of the ways an update took, which it
    /// takes to be half of the way there and back (THESIS 4.5.1). Less exact, nothing to learn.
    PerHop,
}

/// Settings for a [`Host`](crate::Host).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HostConfig {
    /// The grid updates are rounded to, and the models they carry.
    pub format: Format,
    /// Who hears of what, and how finely.
    pub zones: ZoneConfig,
    /// Which receivers are served when not all are: see [`Policy`]. With anything but
    /// [`Policy::Base`] an account is kept for every entity and receiver.
    pub fairness: Policy,
    /// How entities of the host itself are carried on.
    pub model: Model,
    /// Between two rounds of sending.
    pub tick: Duration,
    /// Between two looks at who is near whom; a spawn or an end is seen at once.
    pub zone_interval: Duration,
    /// What each receiver is sent at most, headers of UDP and IP included.
    pub bytes_per_s: u32,
    /// The longest datagram, at most [`MAX_DATAGRAM_BYTES`].
    pub max_datagram_bytes: usize,
    /// Datagrams a second taken from one peer.
    pub max_datagrams_per_s: u32,
    /// Each command rides in this many datagrams.
    pub command_repeats: u8,
    /// A peer that connects must join within this.
    pub join_within: Duration,
    /// A peer that is silent for this long is gone.
    pub timeout: Duration,
    /// How long the entities of a peer that is gone wait for it to come back.
    pub grace: Duration,
    /// Peers at most, those that have not joined included.
    pub max_peers: usize,
    /// Entities at most.
    pub max_entities: usize,
    /// How updates of clients are judged; `None` believes everything that is finite.
    pub guard: Option<GuardConfig>,
    /// Walls that clients may not pass, for the guard.
    pub walls: Option<Walls>,
    /// Remembers what each client was shown, for hit checks; `None` does not.
    pub rewind: Option<RewindConfig>,
    /// Only bodies of these classes, the nearest ones, are remembered for hit checks.
    pub rewind_classes: u8,
    /// How the ends agree on time.
    pub clocking: Clocking,
    /// The game's own bytes for everyone who joins, at most [`MAX_WELCOME_BYTES`].
    pub welcome: Vec<u8>,
    /// Seeds the chance of fairness policies.
    pub seed: u64,
}

impl HostConfig {
    /// A game of people or cars with twenty rounds a second and some hundred bodies, at the
    /// given format.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self {
            format,
            zones: ZoneConfig::default(),
            fairness: Policy::Base,
            model: Model::Linear,
            tick: Duration::from_millis(50),
            zone_interval: Duration::from_millis(200),
            bytes_per_s: 128_000,
            max_datagram_bytes: MAX_DATAGRAM_BYTES,
            max_datagrams_per_s: 200,
            command_repeats: 3,
            join_within: Duration::from_secs(5),
            timeout: Duration::from_secs(10),
            grace: Duration::from_secs(30),
            max_peers: 256,
            max_entities: 16_384,
            guard: None,
            walls: None,
            rewind: None,
            rewind_classes: 1,
            clocking: Clocking::Synchronised,
            welcome: Vec::new(),
            seed: 0,
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        self.zones.check()?;
        self.model.check()?;
        let spans = [
            ("tick", self.tick),
            ("zone_interval", self.zone_interval),
            ("join_within", self.join_within),
            ("timeout", self.timeout),
        ];
        if let Some((name, _)) = spans.into_iter().find(|(_, span)| span.is_zero()) {
            return Err(SettingError::SpanZero { name }.into());
        }
        let most = MAX_DATAGRAM_BYTES as f64;
        SettingError::in_range(
            "max_datagram_bytes",
            self.max_datagram_bytes as f64,
            LEAST_DATAGRAM_BYTES,
            most,
        )?;
        SettingError::in_range(
            "bytes_per_s",
            f64::from(self.bytes_per_s),
            LEAST_BYTES_PER_S,
            f64::MAX,
        )?;
        SettingError::in_range(
            "max_datagrams_per_s",
            f64::from(self.max_datagrams_per_s),
            1.0,
            f64::MAX,
        )?;
        SettingError::in_range("command_repeats", f64::from(self.command_repeats), 1.0, 16.0)?;
        SettingError::in_range(
            "welcome bytes",
            self.welcome.len() as f64,
            0.0,
            MAX_WELCOME_BYTES as f64,
        )?;
        let format = self.format.to_bytes().len() as f64;
        SettingError::in_range("format bytes", format, 0.0, MAX_FORMAT_BYTES as f64)?;
        Ok(())
    }
}
