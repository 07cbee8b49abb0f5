//! Header and messages of a datagram.

use crate::kinds::{KindId, MAX_SENT_JOINTS, PropertyId};

use super::{EntityId, Owner, PeerId, UpdateBody, UpdateSeq};

/// The beginning of every datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Sequence number: counts the datagrams of one sender to one receiver; wraps.
    pub sequence: u16,
    /// Host time of sending in milliseconds, as well as the sender knows it; stamps of the
    /// updates inside count from it.
    pub sent_ms: i64,
    /// Acknowledgement of the other side's datagrams, once one was received.
    pub ack: Option<Ack>,
}

/// Acknowledgement: which datagrams were received, and when the newest was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Sequence number of the newest one.
    pub newest: u16,
    /// Bit `i` says that the one `i + 1` before it was received.
    pub before: u32,
    /// Host time at which the newest was received: milliseconds, the lowest 16 bits.
    pub received_ms: u16,
}

/// Reason for which a host refuses a join or disconnects a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// The host speaks this protocol version only.
    Version(u16),
    /// The token is not valid: forged, expired or used.
    Token,
    /// The host is full.
    Full,
    /// Nothing was received from the peer for too long.
    Silent,
    /// The peer broke the rules of the protocol or of the game.
    Conduct,
    /// The host shuts down.
    Closing,
    /// A reason of the game's own.
    Game(u16),
    /// The peer cannot read the host's format or settings, or lacks a path or custom model that
    /// the format names: see [`SessionConfig::registry`](crate::SessionConfig::registry). A session
    /// says so to its game.
    Format,
}

/// Why an entity left an interest set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// It went out of reach, was hidden, or is ours from now on. What becomes of it while it is out
    /// of sight is not told, not even its end.
    Left,
    /// It was despawned while it was in the interest set.
    Despawned,
}

/// One message of a datagram.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message<'a> {
    /// To the host: request to join.
    Join {
        /// The protocol version of the sender.
        version: u16,
        /// What authorises it, at most [`MAX_TOKEN_BYTES`](super::MAX_TOKEN_BYTES).
        token: &'a [u8],
    },
    /// To the host: the peer leaves.
    Leave,
    /// To the host: request for its time.
    Ping {
        /// Sender's time in microseconds.
        sent_us: u64,
    },
    /// The peer has joined.
    Welcome {
        /// The host's id of the connection.
        peer: PeerId,
        /// [`Format::to_bytes`](super::Format::to_bytes).
        format: &'a [u8],
        /// What else the session needs: see `PROTOCOL.md`; at most
        /// [`MAX_TAG_BYTES`](super::MAX_TAG_BYTES).
        config: &'a [u8],
    },
    /// One of the kinds that the host declared.
    Kind {
        /// Its number, from 1.
        kind: KindId,
        /// Its description, at most [`MAX_KIND_BYTES`](crate::MAX_KIND_BYTES).
        bytes: &'a [u8],
    },
    /// One of the properties that the host declared.
    Property {
        /// Its number.
        property: PropertyId,
        /// Its description, at most [`MAX_PROPERTY_BYTES`](super::MAX_PROPERTY_BYTES).
        bytes: &'a [u8],
    },
    /// The join is refused.
    Refused(DisconnectReason),
    /// The peer is disconnected.
    Bye(DisconnectReason),
    /// The join is refused or the peer disconnected, with words for its player.
    Kick {
        /// The reason.
        why: DisconnectReason,
        /// At most [`MAX_KICK_BYTES`](super::MAX_KICK_BYTES), without control characters.
        words: &'a str,
    },
    /// The answer to a [`Message::Ping`].
    Pong {
        /// Copied from the ping.
        sent_us: u64,
        /// Host time at which the ping was received, in microseconds.
        received_us: u64,
        /// Host time at which this answer is sent, in microseconds.
        answered_us: u64,
    },
    /// An entity enters the receiver's interest set.
    Enter {
        /// The entity.
        entity: EntityId,
        /// Its owner.
        owner: Owner,
        /// Its kind.
        kind: KindId,
        /// The number of this update.
        number: u16,
        /// The distance class among those of its kind.
        class: u8,
        /// The game's own bytes, at most [`MAX_TAG_BYTES`](super::MAX_TAG_BYTES).
        tag: &'a [u8],
        /// Where it is, without a baseline.
        body: UpdateBody,
    },
    /// An entity left the receiver's interest set, or was despawned.
    Exit {
        /// The entity.
        entity: EntityId,
        /// Which of the two.
        why: ExitReason,
    },
    /// To an owner: the state of its entity according to the host.
    Correct {
        /// The entity.
        entity: EntityId,
        /// Counts the corrections to this receiver; the same when one is sent again.
        serial: u16,
        /// Always 0: corrections are never coarse.
        class: u8,
        /// Where it is, without a baseline.
        body: UpdateBody,
    },
    /// The receiver owns this entity from now on.
    Grant {
        /// The entity.
        entity: EntityId,
        /// Its kind.
        kind: KindId,
    },
    /// The receiver no longer owns this entity.
    Revoke {
        /// The entity.
        entity: EntityId,
    },
    /// Movement of an entity.
    Update {
        /// The entity.
        entity: EntityId,
        /// Which of its updates, and coded against which.
        seq: UpdateSeq,
        /// The distance class among those of its kind; 0 to the host.
        class: u8,
        /// The update, coded against its baseline if it has one.
        body: UpdateBody,
    },
    /// Joints of an entity, as they are at the moment at which the datagram is sent.
    Joints {
        /// The entity.
        entity: EntityId,
        /// A bit for each of them, by its place among those of the kind that are sent.
        mask: u8,
        /// Angle and rate of each; zero and meaningless for those whose bit is not set.
        codes: [u16; MAX_SENT_JOINTS],
    },
    /// Values of properties of an entity: of one in the receiver's interest set or of one it owns;
    /// to the host, of one that the sender owns.
    Values {
        /// The entity.
        entity: EntityId,
        /// A mask and the values, by what was declared: see `PROTOCOL.md`; at most
        /// [`MAX_VALUES_BYTES`](super::MAX_VALUES_BYTES).
        bytes: &'a [u8],
    },
    /// To the host: request for all values of an entity.
    Ask {
        /// The entity.
        entity: EntityId,
    },
    /// A piece of the ordered stream, sent until acknowledged.
    Reliable {
        /// Counts the pieces; wraps.
        index: u16,
        /// At most [`MAX_RELIABLE_BYTES`](super::MAX_RELIABLE_BYTES).
        bytes: &'a [u8],
    },
    /// All pieces before this one were received.
    ReliableAck {
        /// The piece awaited.
        next: u16,
    },
    /// A command, carried by a few datagrams and never retransmitted.
    Command {
        /// Counts the commands; wraps.
        index: u16,
        /// At most [`MAX_COMMAND_BYTES`](super::MAX_COMMAND_BYTES).
        bytes: &'a [u8],
    },
    /// To the host: how the peer shows others.
    View {
        /// [`encode_view`](super::encode_view), at most
        /// [`MAX_VIEW_BYTES`](super::MAX_VIEW_BYTES).
        bytes: &'a [u8],
    },
}
