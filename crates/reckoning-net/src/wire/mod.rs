//! Wire protocol: messages in, datagrams out, and back.
//!
//! ```text
//! Update --Format::round--> on the grid --UpdateBody::new(baseline)--> whole steps from the
//!   baseline's own prediction --PacketWriter--> bits
//! ```
//!
//! The rest of the crate relies on these properties:
//! - an update on the grid comes back bit-identical, with and without a baseline;
//! - a datagram can be parsed without any baseline ([`UpdateBody`] is read first and
//!   [resolved](UpdateBody::resolve) later), so a missing one costs one update only;
//! - no bytes make a reader panic or allocate.
//!
//! Which peer is sent what, when, and against which baseline is decided by the host and the
//! session, not here.

mod baseline_prediction;
mod bits;
mod body;
mod codes;
mod encoded_body;
mod error;
mod exp_golomb;
mod fields;
mod format;
mod ids;
mod message;
mod model_codec;
mod packet;
mod picture;
mod quantized_update;
mod ride;

pub use bits::{BitReader, BitWriter, Mark};
pub use body::{UpdateBody, read_update, write_update};
pub use codes::Codes;
pub(crate) use encoded_body::EncodedBody;
pub(crate) use error::check_words;
pub use error::{DecodeError, FormatError, WordsError};
pub use fields::{FieldBits, UpdateField};
pub use format::Format;
pub use ids::{EntityId, Owner, PeerId, UpdateSeq};
pub use message::{Ack, DisconnectReason, ExitReason, Header, Message};
pub(crate) use packet::WriterMark;
pub use packet::{PacketReader, PacketWriter};
pub use picture::{MAX_VIEW_BYTES, decode_shown, decode_view, encode_shown, encode_view};

pub use reckoning::bytes::Registry;

/// The protocol version of this crate; a [`Message::Join`] carries it.
pub const VERSION: u16 = 5;
/// The longest datagram in bytes: every browser and network path that was tried carries it.
pub const MAX_DATAGRAM_BYTES: usize = 1_000;
/// The longest [`Message::Join`] token.
pub const MAX_TOKEN_BYTES: usize = 512;
/// The longest tag of a [`Message::Enter`] and config of a [`Message::Welcome`].
pub const MAX_TAG_BYTES: usize = 255;
/// The longest piece of reliable bytes in one message.
pub const MAX_RELIABLE_BYTES: usize = 900;
/// The longest [`Message::Command`].
pub const MAX_COMMAND_BYTES: usize = 255;
/// The longest words of a [`Message::Kick`] in bytes.
pub const MAX_KICK_BYTES: usize = 200;
/// The longest description of a [`Format`].
pub const MAX_FORMAT_BYTES: usize = 700;
/// The longest description of a property.
pub const MAX_PROPERTY_BYTES: usize = 64;
/// The most bytes in a [`Message::Values`].
pub const MAX_VALUES_BYTES: usize = crate::kinds::MAX_VALUES_BYTES;
/// The farthest distance class that travels, and how often one may double the steps.
pub const MAX_CLASS: u8 = 15;
/// How many update numbers a baseline can lie behind the update.
pub const MAX_BASELINE_AGE: u16 = 31;
/// Prefix of an out-of-band datagram; see [`is_out_of_band`].
pub const OUT_OF_BAND_PREFIX: [u8; 7] = [0; 7];

/// Whether a datagram is out of band: not of this protocol, for the server and client around it
/// to use as they like. It begins with seven zero bytes, which no header does.
#[must_use]
pub fn is_out_of_band(datagram: &[u8]) -> bool {
    datagram.starts_with(&OUT_OF_BAND_PREFIX)
}

/// The most models a [`Format`] lists.
pub const MAX_MODELS: usize = 8;
