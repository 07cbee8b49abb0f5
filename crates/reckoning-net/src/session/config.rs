//! Settings of a session.

use alloc::vec::Vec;
use core::time::Duration;

use reckoning::clock::ClockConfig;
use reckoning::error::SettingError;
use reckoning::{ConfigError, GhostConfig, PublisherConfig};

use crate::kinds::{PlanningAssets, Show};
use crate::wire::{MAX_DATAGRAM_BYTES, MAX_TOKEN_BYTES, Registry};

/// Settings of a [`Session`](crate::Session). The default suits a player in a 60 Hz game over the
/// Internet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionConfig {
    /// Token that authorises the join, at most [`MAX_TOKEN_BYTES`]. Whoever comes back with the
    /// same one, unless it is empty, gets its entities back. Default: empty.
    pub token: Vec<u8>,
    /// Custom models and paths that the host's format names. Default: none.
    pub registry: Registry,
    /// What the planners of kinds look at: level, trend map, trained networks. Default: nothing.
    pub planning: PlanningAssets,
    /// When updates of owned entities without a kind are exported; the host's format sets the rounding, and its
    /// thresholds are raised to that if need be
    /// ([`SessionEvent::ThresholdRaised`](crate::SessionEvent)). The seed is mixed with entity and
    /// peer. Default: [`PublisherConfig::default`] with a `heartbeat_spread` of a tenth.
    pub publisher: PublisherConfig,
    /// How entities of others without a kind are shown. Default: [`GhostConfig::default`].
    pub ghost: GhostConfig,
    /// How entities of others are shown by their distance class, in place of what kinds and
    /// `ghost` say: the first for the nearest, the last for all that are farther. The host is not
    /// told. Default: none, as kinds and `ghost` say.
    pub class_shows: Vec<Show>,
    /// How the host's clock is estimated. Default: [`ClockConfig::default`].
    pub clock: ClockConfig,
    /// Time between two attempts to join. Not zero. Default: 250 ms.
    pub join_retry: Duration,
    /// How long an acknowledgement waits for a datagram that carries it. Default: 50 ms.
    pub ack_delay: Duration,
    /// A host of which nothing was received for this long counts as gone. It is pinged 60 times in
    /// this span once a third of it has passed; time in which the session was not driven does not
    /// count. Not zero. Default: 3 s.
    pub timeout: Duration,
    /// How many datagrams carry each command, 1 to 16. Default: 3.
    pub command_repeats: u8,
    /// The longest datagram in bytes, 600 to [`MAX_DATAGRAM_BYTES`]. Default:
    /// [`MAX_DATAGRAM_BYTES`].
    pub max_datagram_bytes: usize,
    /// Entities of others shown at most, and entities owned at most. Default: 4096.
    pub max_ghosts: usize,
}

impl Default for SessionConfig {
    /// A player in a 60 Hz game over the Internet.
    fn default() -> Self {
        let mut publisher = PublisherConfig::default();
        publisher.heartbeat_spread = 0.1;
        Self {
            token: Vec::new(),
            registry: Registry::default(),
            planning: PlanningAssets::default(),
            publisher,
            ghost: GhostConfig::default(),
            class_shows: Vec::new(),
            clock: ClockConfig::default(),
            join_retry: Duration::from_millis(250),
            ack_delay: Duration::from_millis(50),
            timeout: Duration::from_secs(3),
            command_repeats: 3,
            max_datagram_bytes: MAX_DATAGRAM_BYTES,
            max_ghosts: 4096,
        }
    }
}

impl SessionConfig {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        SettingError::in_range(
            "token bytes",
            self.token.len() as f64,
            0.0,
            MAX_TOKEN_BYTES as f64,
        )?;
        let max = MAX_DATAGRAM_BYTES as f64;
        // A join with the longest token fits.
        SettingError::in_range("max_datagram_bytes", self.max_datagram_bytes as f64, 600.0, max)?;
        SettingError::in_range("command_repeats", f64::from(self.command_repeats), 1.0, 16.0)?;
        self.class_shows.iter().try_for_each(|show| show.settled().validate())?;
        let spans = [("join_retry", self.join_retry), ("timeout", self.timeout)];
        match spans.into_iter().find(|(_, span)| span.is_zero()) {
            Some((name, _)) => Err(SettingError::SpanZero { name }.into()),
            None => Ok(()),
        }
    }
}
