//! The tag of an entity: kind, team, player and name.

use super::bytes::{ByteReader, Put};
use super::{ProtocolError, clean_name};
use crate::level::BodyKind;

/// The tag of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// How it moves.
    pub kind: BodyKind,
    /// Its side.
    pub team: u8,
    /// Which player it is.
    pub player: u16,
    /// Nobody sits behind it.
    pub is_bot: bool,
    /// What to call it, at most [`MAX_NAME_BYTES`](super::MAX_NAME_BYTES).
    pub name: String,
}

impl Tag {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let kind = match self.kind {
            BodyKind::Walker => 0,
            BodyKind::Tank => 1,
        };
        out.put_u8(kind).put_u8(self.team).put_u16(self.player);
        out.put_u8(u8::from(self.is_bot)).put(clean_name(&self.name).as_bytes());
        out
    }

    /// What the bytes say.
    ///
    /// # Errors
    /// When they are no tag of the arena.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let mut from = ByteReader::new(bytes);
        let kind = match from.u8()? {
            0 => BodyKind::Walker,
            1 => BodyKind::Tank,
            got => return Err(ProtocolError::Kind { got }),
        };
        let (team, player, is_bot) = (from.u8()?, from.u16()?, from.flag("is_bot")?);
        Ok(Self { kind, team, player, is_bot, name: from.name()? })
    }
}
