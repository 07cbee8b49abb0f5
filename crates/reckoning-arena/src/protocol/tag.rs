//! The tag of a player's entity: what never changes about it.

use super::ProtocolError;
use super::bytes::{ByteReader, Put};

/// The tag of a player's entity. What changes are [`Properties`](super::Properties), and how it
/// moves says its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Which player it is.
    pub player: u16,
    /// Nobody sits behind it.
    pub is_bot: bool,
}

impl Tag {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.put_u16(self.player).put_u8(u8::from(self.is_bot));
        out
    }

    /// What the bytes say.
    ///
    /// # Errors
    /// When they are no tag of a player.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let mut from = ByteReader::new(bytes);
        let tag = Self { player: from.u16()?, is_bot: from.flag("is_bot")? };
        from.end(tag)
    }
}
