//! What a datagram can say.

use super::{Body, EntityId, Owner, PeerId, UpdateSeq};

/// The beginning of every datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Counts the datagrams of one sender to one receiver; wraps.
    pub sequence: u16,
    /// Host time of sending in milliseconds, as well as the sender knows it; stamps of the
    /// updates inside count from it.
    pub sent_ms: i64,
    /// Which datagrams of the other side came in.
    pub ack: Option<Ack>,
}

/// Which datagrams came in, and when the newest did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The newest one's sequence.
    pub newest: u16,
    /// Bit `i` says that the one `i + 1` before it came in.
    pub before: u32,
    /// Host time at which the newest came in: milliseconds, the lowest 16 bits.
    pub received_ms: u16,
}

/// Why the host ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// It speaks this version only.
    Version(u16),
    /// The token is not good: forged, expired or used.
    Token,
    /// No place is left.
    Full,
    /// Nothing was heard for too long.
    Silent,
    /// The peer broke the rules of the protocol or of the game.
    Conduct,
    /// The host goes down.
    Closing,
    /// A reason of the game's own.
    Game(u16),
}

/// One thing said in a datagram.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message<'a> {
    /// To the host: let me in.
    Join {
        /// The protocol version of the sender.
        version: u16,
        /// What proves that it may, at most [`MAX_TOKEN_BYTES`](super::MAX_TOKEN_BYTES).
        token: &'a [u8],
    },
    /// To the host: I am gone.
    Leave,
    /// To the host: what time is it?
    Ping {
        /// Sender's time in microseconds.
        sent_us: u64,
    },
    /// You are in.
    Welcome {
        /// The host's name for the connection.
        peer: PeerId,
        /// [`Format::to_bytes`](super::Format::to_bytes).
        format: &'a [u8],
        /// What else the session needs, at most [`MAX_TAG_BYTES`](super::MAX_TAG_BYTES).
        config: &'a [u8],
    },
    /// You are not let in.
    Refused(DisconnectReason),
    /// You are put out.
    Bye(DisconnectReason),
    /// The answer to a [`Message::Ping`].
    Pong {
        /// Of the ping.
        sent_us: u64,
        /// Host time at which the ping came in, in microseconds.
        received_us: u64,
        /// Host time at which this answer leaves, in microseconds.
        answered_us: u64,
    },
    /// An entity comes into sight.
    Enter {
        /// Which.
        entity: EntityId,
        /// Who moves it.
        owner: Owner,
        /// The number of its update.
        number: u16,
        /// How often the format's steps were doubled.
        class: u8,
        /// The game's own bytes, at most [`MAX_TAG_BYTES`](super::MAX_TAG_BYTES).
        tag: &'a [u8],
        /// Where it is, without a baseline.
        body: Body,
    },
    /// An entity is out of sight, or gone.
    Exit {
        /// Which.
        entity: EntityId,
    },
    /// To an owner: your entity is here.
    Correct {
        /// Which.
        entity: EntityId,
        /// How often the format's steps were doubled.
        class: u8,
        /// Where it is, without a baseline.
        body: Body,
    },
    /// You own this entity now.
    Grant {
        /// Which.
        entity: EntityId,
    },
    /// You own this entity no longer.
    Revoke {
        /// Which.
        entity: EntityId,
    },
    /// How an entity moves now.
    Update {
        /// Which.
        entity: EntityId,
        /// Which of its updates, and off which.
        seq: UpdateSeq,
        /// How often the format's steps were doubled.
        class: u8,
        /// The update, off its baseline if it has one.
        body: Body,
    },
    /// A piece of the ordered stream, sent until acknowledged.
    Reliable {
        /// Counts the pieces; wraps.
        index: u16,
        /// At most [`MAX_RELIABLE_BYTES`](super::MAX_RELIABLE_BYTES).
        bytes: &'a [u8],
    },
    /// All pieces before this one came in.
    ReliableAck {
        /// The piece awaited.
        next: u16,
    },
    /// A command, sent a few times and never again.
    Command {
        /// Counts the commands; wraps.
        index: u16,
        /// At most [`MAX_COMMAND_BYTES`](super::MAX_COMMAND_BYTES).
        bytes: &'a [u8],
    },
}
