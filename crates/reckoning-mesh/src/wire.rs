//! Messages between servers as bytes.
//!
//! ```text
//!   1        2 + 4  2 + 4  1     ...
//!   version  from   to     kind  the message's fields in their order
//! ```
//!
//! Numbers are little-endian; a payload and a list are preceded by their length in four bytes. Servers trust
//! each other, but bytes that are no message are an error and never a panic.

use std::fmt;

use crate::grid::CellId;
use crate::ids::{BodyId, Epoch, Incarnation, ServerId, Version};
use crate::message::{BodyState, Claim, Envelope, Ground, Message};

/// The version of the protocol between servers.
const VERSION: u8 = 1;
/// No payload of a body is longer, in bytes.
pub const MAX_PAYLOAD_BYTES: usize = 1 << 16;
/// The shortest claim there is, in bytes: no list is longer than its bytes allow.
const MIN_CLAIM_BYTES: usize = 17;

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshDecodeError {
    /// They end too soon.
    Short,
    /// They are of another version of the protocol.
    Version {
        /// Which.
        got: u8,
    },
    /// There is no such kind of message or claim.
    Kind {
        /// Which.
        got: u8,
    },
    /// A length is beyond what is allowed or there.
    TooLong {
        /// Which.
        got: u32,
    },
    /// Something follows the message.
    Trailing {
        /// How many bytes.
        bytes: usize,
    },
}

impl fmt::Display for MeshDecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => f.write_str("message between servers ends too soon"),
            Self::Version { got } => write!(
                f,
                "message between servers is of version {got}, not {VERSION}; run one version on all"
            ),
            Self::Kind { got } => write!(f, "message between servers is of unknown kind {got}"),
            Self::TooLong { got } => write!(f, "message between servers has a length of {got}"),
            Self::Trailing { bytes } => {
                write!(f, "{bytes} bytes follow the message between servers")
            }
        }
    }
}

impl std::error::Error for MeshDecodeError {}

impl Envelope {
    /// The message as bytes. A payload beyond [`MAX_PAYLOAD_BYTES`] does not come back.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(vec![VERSION]);
        out.life(self.from);
        out.life(self.to);
        out.message(&self.message);
        out.0
    }

    /// The message of these bytes.
    ///
    /// # Errors
    /// When they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MeshDecodeError> {
        let mut reader = Reader(bytes);
        match reader.u8()? {
            VERSION => {}
            got => return Err(MeshDecodeError::Version { got }),
        }
        let (from, to) = (reader.life()?, reader.life()?);
        let message = reader.message()?;
        match reader.0.len() {
            0 => Ok(Self { from, to, message }),
            bytes => Err(MeshDecodeError::Trailing { bytes }),
        }
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn u8(&mut self, it: u8) {
        self.0.push(it);
    }

    fn u16(&mut self, it: u16) {
        self.0.extend(it.to_le_bytes());
    }

    fn u32(&mut self, it: u32) {
        self.0.extend(it.to_le_bytes());
    }

    fn u64(&mut self, it: u64) {
        self.0.extend(it.to_le_bytes());
    }

    fn life(&mut self, it: Incarnation) {
        self.u16(it.server.0);
        self.u32(it.epoch.0);
    }

    /// Which kind of message about which body at which version.
    fn head(&mut self, kind: u8, body: BodyId, version: Version) {
        self.u8(kind);
        self.body(body, version);
    }

    fn body(&mut self, body: BodyId, version: Version) {
        self.u64(body.0);
        self.u32(version.term);
        self.u32(version.step);
    }

    fn state(&mut self, it: &BodyState) {
        self.u64(it.stamp);
        self.u32(it.payload.len() as u32);
        self.0.extend(it.payload.iter());
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::Offer { body, version, cell, cell_epoch, state } => {
                self.head(0, *body, *version);
                self.u8(cell.depth);
                self.u32(cell.x);
                self.u32(cell.y);
                self.u32(cell_epoch.0);
                self.state(state);
            }
            Message::Accept { body, version } => self.head(1, *body, *version),
            Message::Refuse { body, version } => self.head(2, *body, *version),
            Message::Commit { body, version, state } => {
                self.head(3, *body, *version);
                self.state(state);
            }
            Message::Ack { body, version } => self.head(4, *body, *version),
            Message::Closed { body, version } => self.head(5, *body, *version),
            Message::Cancel { body, version } => self.head(6, *body, *version),
            Message::CancelAck { body, version } => self.head(7, *body, *version),
            Message::Shadow { body, version, state } => {
                self.head(8, *body, *version);
                self.state(state);
            }
            Message::ShadowAck { body, version, stamp } => {
                self.head(9, *body, *version);
                self.u64(*stamp);
            }
            Message::Release { body, version, stamp } => {
                self.head(10, *body, *version);
                self.u64(*stamp);
            }
            Message::ReleaseAck { body, version } => self.head(11, *body, *version),
            Message::Recover { dead } => {
                self.u8(12);
                self.life(*dead);
            }
            Message::Report { dead, claims } => {
                self.u8(13);
                self.life(*dead);
                self.u32(claims.len() as u32);
                for claim in claims {
                    self.claim(claim);
                }
            }
        }
    }

    fn claim(&mut self, it: &Claim) {
        self.body(it.body, it.version);
        let (kind, state) = match &it.ground {
            Ground::Seen => (0, None),
            Ground::Shadow(state) => (1, Some(state)),
            Ground::Passed(state) => (2, Some(state)),
            Ground::Prepared(state) => (3, Some(state)),
        };
        self.u8(kind);
        if let Some(state) = state {
            self.state(state);
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], MeshDecodeError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(MeshDecodeError::Short)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], MeshDecodeError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(MeshDecodeError::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8, MeshDecodeError> {
        self.take().map(|[it]| it)
    }

    fn u16(&mut self) -> Result<u16, MeshDecodeError> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, MeshDecodeError> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, MeshDecodeError> {
        self.take().map(u64::from_le_bytes)
    }

    fn life(&mut self) -> Result<Incarnation, MeshDecodeError> {
        Ok(Incarnation::new(ServerId(self.u16()?), Epoch(self.u32()?)))
    }

    fn body(&mut self) -> Result<(BodyId, Version), MeshDecodeError> {
        let body = BodyId(self.u64()?);
        Ok((body, Version { term: self.u32()?, step: self.u32()? }))
    }

    fn state(&mut self) -> Result<BodyState, MeshDecodeError> {
        let (stamp, length) = (self.u64()?, self.u32()?);
        if length as usize > MAX_PAYLOAD_BYTES {
            return Err(MeshDecodeError::TooLong { got: length });
        }
        Ok(BodyState { stamp, payload: self.bytes(length as usize)?.into() })
    }

    fn message(&mut self) -> Result<Message, MeshDecodeError> {
        let kind = self.u8()?;
        if kind >= 12 {
            return self.message_of_recovery(kind);
        }
        let (body, version) = self.body()?;
        Ok(match kind {
            0 => {
                let cell = CellId { depth: self.u8()?, x: self.u32()?, y: self.u32()? };
                if cell.depth > crate::grid::MAX_DEPTH {
                    return Err(MeshDecodeError::TooLong { got: cell.depth.into() });
                }
                let cell_epoch = Epoch(self.u32()?);
                Message::Offer { body, version, cell, cell_epoch, state: self.state()? }
            }
            1 => Message::Accept { body, version },
            2 => Message::Refuse { body, version },
            3 => Message::Commit { body, version, state: self.state()? },
            4 => Message::Ack { body, version },
            5 => Message::Closed { body, version },
            6 => Message::Cancel { body, version },
            7 => Message::CancelAck { body, version },
            8 => Message::Shadow { body, version, state: self.state()? },
            9 => Message::ShadowAck { body, version, stamp: self.u64()? },
            10 => Message::Release { body, version, stamp: self.u64()? },
            _ => Message::ReleaseAck { body, version },
        })
    }

    fn message_of_recovery(&mut self, kind: u8) -> Result<Message, MeshDecodeError> {
        match kind {
            12 => Ok(Message::Recover { dead: self.life()? }),
            13 => {
                let (dead, count) = (self.life()?, self.u32()?);
                if count as usize > self.0.len() / MIN_CLAIM_BYTES {
                    return Err(MeshDecodeError::TooLong { got: count });
                }
                let claims = (0..count).map(|_| self.claim()).collect::<Result<_, _>>()?;
                Ok(Message::Report { dead, claims })
            }
            got => Err(MeshDecodeError::Kind { got }),
        }
    }

    fn claim(&mut self) -> Result<Claim, MeshDecodeError> {
        let (body, version) = self.body()?;
        let ground = match self.u8()? {
            0 => Ground::Seen,
            1 => Ground::Shadow(self.state()?),
            2 => Ground::Passed(self.state()?),
            3 => Ground::Prepared(self.state()?),
            got => return Err(MeshDecodeError::Kind { got }),
        };
        Ok(Claim { body, version, ground })
    }
}

#[cfg(test)]
mod tests {
    use reckoning::random::SplitMix64;

    use super::*;

    fn samples() -> Vec<Envelope> {
        let life = |server, epoch| Incarnation::new(ServerId(server), Epoch(epoch));
        let (body, version) = (BodyId(0x0123_4567_89ab_cdef), Version { term: 2, step: 70_000 });
        let state = || BodyState { stamp: 9, payload: [1, 2, 3].into() };
        let cell = CellId { depth: 2, x: 5, y: 1_000 };
        let claim = |ground| Claim { body, version, ground };
        let claims = vec![
            claim(Ground::Seen),
            claim(Ground::Shadow(state())),
            claim(Ground::Passed(state())),
            claim(Ground::Prepared(state())),
        ];
        let messages = [
            Message::Offer { body, version, cell, cell_epoch: Epoch(3), state: state() },
            Message::Accept { body, version },
            Message::Refuse { body, version },
            Message::Commit { body, version, state: state() },
            Message::Ack { body, version },
            Message::Closed { body, version },
            Message::Cancel { body, version },
            Message::CancelAck { body, version },
            Message::Shadow { body, version, state: state() },
            Message::ShadowAck { body, version, stamp: 4 },
            Message::Release { body, version, stamp: 5 },
            Message::ReleaseAck { body, version },
            Message::Recover { dead: life(3, 4) },
            Message::Report { dead: life(3, 4), claims },
        ];
        let envelope = |message| Envelope { from: life(1, 7), to: life(4_095, 1), message };
        messages.into_iter().map(envelope).collect()
    }

    #[test]
    fn every_message_comes_back() {
        for envelope in samples() {
            assert_eq!(Envelope::from_bytes(&envelope.to_bytes()), Ok(envelope));
        }
    }

    #[test]
    fn cut_and_lengthened_messages_are_errors() {
        for envelope in samples() {
            let mut bytes = envelope.to_bytes();
            for length in 0..bytes.len() {
                assert!(Envelope::from_bytes(&bytes[..length]).is_err(), "{envelope:?} {length}");
            }
            bytes.push(0);
            let trailing = Err(MeshDecodeError::Trailing { bytes: 1 });
            assert_eq!(Envelope::from_bytes(&bytes), trailing, "{envelope:?}");
        }
    }

    #[test]
    fn flipped_bits_and_dice_never_panic() {
        let mut random = SplitMix64::new(1);
        for envelope in samples() {
            let bytes = envelope.to_bytes();
            for bit in 0..bytes.len() * 8 {
                let mut flipped = bytes.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                drop(Envelope::from_bytes(&flipped));
            }
        }
        for _ in 0..20_000 {
            let length = random.next_u64() % 80;
            let mut bytes: Vec<u8> = (0..length).map(|_| random.next_u64() as u8).collect();
            if let Some(first) = bytes.first_mut() {
                *first = VERSION;
            }
            drop(Envelope::from_bytes(&bytes));
        }
    }

    #[test]
    fn a_list_that_claims_to_be_huge_takes_no_memory() {
        let dead = Incarnation::new(ServerId(1), Epoch(1));
        let empty = Message::Report { dead, claims: vec![] };
        let mut bytes = Envelope { from: dead, to: dead, message: empty }.to_bytes();
        let end = bytes.len();
        bytes[end - 4..].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(Envelope::from_bytes(&bytes), Err(MeshDecodeError::TooLong { got: u32::MAX }));
    }
}
