//! Settings of a session, and what it tells its game.

use alloc::vec::Vec;
use core::time::Duration;

use reckoning::error::SettingError;
use reckoning::{ClockConfig, ConfigError, GhostConfig, Kinematics, PublisherConfig};

use crate::wire::{
    EntityId, MAX_DATAGRAM_BYTES, MAX_TOKEN_BYTES, Owner, PeerId, Refusal, Registry,
};

/// Settings for a [`Session`](crate::Session).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionConfig {
    /// What is shown to be let in, at most [`MAX_TOKEN_BYTES`]. Whoever comes back with the
    /// same one, unless it is empty, gets its entities back.
    pub token: Vec<u8>,
    /// Custom models and paths that the host's format names.
    pub registry: Registry,
    /// When entities of our own are exported; the host's format sets the rounding.
    pub publisher: PublisherConfig,
    /// How entities of others are shown.
    pub ghost: GhostConfig,
    /// How the host's clock is learnt.
    pub clock: ClockConfig,
    /// Between two attempts to join.
    pub join_retry: Duration,
    /// An acknowledgement waits this long for a datagram to ride on.
    pub ack_delay: Duration,
    /// A host that is silent for this long is gone. It is asked every 60th part of that once a
    /// third has passed; time in which the session was not driven does not count.
    pub timeout: Duration,
    /// Each command rides in this many datagrams.
    pub command_repeats: u8,
    /// The longest datagram, at most [`MAX_DATAGRAM_BYTES`].
    pub max_datagram_bytes: usize,
    /// Entities shown at most.
    pub max_ghosts: usize,
}

impl Default for SessionConfig {
    /// A player in a 60 Hz game over the Internet.
    fn default() -> Self {
        Self {
            token: Vec::new(),
            registry: Registry::default(),
            publisher: PublisherConfig::default(),
            ghost: GhostConfig::default(),
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
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        SettingError::in_range(
            "token bytes",
            self.token.len() as f64,
            0.0,
            MAX_TOKEN_BYTES as f64,
        )?;
        let most = MAX_DATAGRAM_BYTES as f64;
        // A join with the longest token fits.
        SettingError::in_range("max_datagram_bytes", self.max_datagram_bytes as f64, 600.0, most)?;
        SettingError::in_range("command_repeats", f64::from(self.command_repeats), 1.0, 16.0)?;
        let spans = [("join_retry", self.join_retry), ("timeout", self.timeout)];
        match spans.into_iter().find(|(_, span)| span.is_zero()) {
            Some((name, _)) => Err(SettingError::SpanZero { name }.into()),
            None => Ok(()),
        }
    }
}

/// Something the game should know. Poll them all after every call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// We are in.
    Joined {
        /// The host's number for us.
        peer: PeerId,
        /// The game's own bytes for everyone who joins.
        welcome: Vec<u8>,
    },
    /// We are not let in, or put out. The session is over.
    Refused(Refusal),
    /// The host was silent for too long. The session is over; join with a new one.
    Lost,
    /// An entity is ours to move; a [`Corrected`](Self::Corrected) with its state follows.
    Granted(EntityId),
    /// An entity is no longer ours.
    Revoked(EntityId),
    /// An entity came into sight.
    Entered {
        /// Which.
        entity: EntityId,
        /// Who moves it.
        owner: Owner,
        /// The game's own bytes about it.
        tag: Vec<u8>,
    },
    /// An entity is out of sight, or gone.
    Exited {
        /// Which.
        entity: EntityId,
    },
    /// An entity of ours is here, says the host: go on from there.
    Corrected {
        /// Which.
        entity: EntityId,
        /// Its state, by our clock.
        state: Kinematics,
    },
    /// A message, sent reliably.
    Message(Vec<u8>),
    /// A command, sent repeatedly.
    Command(Vec<u8>),
}
