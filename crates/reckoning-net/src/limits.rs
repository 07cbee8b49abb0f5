//! Limits on what one end keeps because of the other: the bounds of a peer's memory.
//!
//! Whatever arrives, a host keeps for one peer no more than this:
//!
//! | what | at most |
//! |---|---|
//! | datagrams sent and not acknowledged | [`MAX_SENT_PACKETS`] |
//! | reliable messages to be acknowledged | [`MAX_QUEUED_MESSAGES`], [`MAX_QUEUED_BYTES`] |
//! | reliable messages received too early | [`MAX_EARLY_MESSAGES`] |
//! | commands to be repeated | [`MAX_REDUNDANT_COMMANDS`] |
//! | grants, revocations and corrections | [`MAX_CONTROL_MESSAGES`] |
//! | entities it owns, each with the last [`HISTORY`](crate::history::HISTORY) updates | [`MAX_OWNED_ENTITIES`] |
//! | values of properties of each entity it owns | [`MAX_PROPERTIES`](crate::MAX_PROPERTIES) of [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES) |
//! | states of entities in its interest set | [`HostConfig::max_entities`](crate::HostConfig) |
//! | entities that the game shows it or hides from it | [`HostConfig::max_entities`](crate::HostConfig) |
//!
//! Beside these, events wait for the game up to [`MAX_HOST_EVENTS`]; datagrams beyond
//! [`HostConfig::max_datagrams_per_s`](crate::HostConfig) are dropped unread. A session keeps the
//! same queues, [`SessionConfig::max_ghosts`](crate::SessionConfig) entities of others and as many
//! of its own, each with as many values of properties, a planner of fixed size for each that it owns
//! and whose kind has one,
//! [`MAX_TOMBSTONES`] and [`MAX_SESSION_EVENTS`].

/// Events that wait to be polled from a [`Host`](crate::Host) at most; later ones are dropped and
/// counted.
pub const MAX_HOST_EVENTS: usize = 8192;
/// Events that wait to be polled from a [`Session`](crate::Session) at most; later ones are
/// dropped and counted.
pub const MAX_SESSION_EVENTS: usize = 4096;

/// Datagrams remembered until they are acknowledged or given up; at 60 a second, four seconds.
pub(crate) const MAX_SENT_PACKETS: usize = 256;

/// Reliable messages that wait in an outbox at most, sent ones included.
pub(crate) const MAX_QUEUED_MESSAGES: usize = 256;
/// Bytes that wait in an outbox at most.
pub(crate) const MAX_QUEUED_BYTES: usize = 65_536;
/// Reliable messages in flight at most, counted from the oldest that is not acknowledged.
pub(crate) const MAX_IN_FLIGHT: usize = 32;
/// Reliable messages that an inbox holds until the one before them arrives. More than
/// [`MAX_IN_FLIGHT`], so that what an honest outbox sends always fits.
pub(crate) const MAX_EARLY_MESSAGES: usize = 64;

/// Commands that are repeated at the same time; the oldest is dropped for a new one.
pub(crate) const MAX_REDUNDANT_COMMANDS: usize = 16;

/// Grants, revocations and corrections that wait to be acknowledged at most.
pub(crate) const MAX_CONTROL_MESSAGES: usize = 1024;

/// Entities that one peer can own.
pub(crate) const MAX_OWNED_ENTITIES: usize = 256;

/// Tombstones of a session at most; beyond it the oldest is dropped.
pub(crate) const MAX_TOMBSTONES: usize = 2048;
