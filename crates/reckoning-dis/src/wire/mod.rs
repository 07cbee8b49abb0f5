//! PDUs of DIS as bytes and as values, versions 1 to 7.
//!
//! ```
//! use reckoning_dis::wire::{EntityId, EntityState, Header, Pdu, PduBody, pdus};
//!
//! let state = EntityState { id: EntityId::new(7, 3, 1), ..EntityState::default() };
//! let pdu = Pdu { header: Header::default(), body: PduBody::EntityState(state) };
//! let mut datagram = Vec::new();
//! pdu.encode(&mut datagram);
//! assert_eq!(datagram.len(), 144);
//! let read: Result<Vec<Pdu>, _> = pdus(&datagram).collect();
//! assert_eq!(read, Ok(vec![pdu]));
//! ```
//!
//! Users may rely on these properties:
//! - any bytes give a value or an error, and take no more memory than a few times their length;
//! - a PDU reads no byte beyond its own length, whatever follows in the datagram;
//! - what is read is written again as the same bytes, but for padding, and bytes after the last record;
//! - numbers are as they came: whether they make sense, [`EntityState::fields`] says.

mod bytes;
mod entity;
mod events;
mod ids;
mod timestamp;

pub use entity::{
    DeadReckoning, EntityState, EntityUpdate, MARKING_CHARS, MAX_RECORDS, Marking, PartRecord,
};
pub use events::{ClockTime, Detonation, Fire, Munition, Request, StartResume, StopFreeze};
pub use ids::{EntityId, EntityType};
pub use timestamp::Timestamp;

use core::fmt;

use bytes::{Put, Reader};

/// Bytes of the header that all PDUs have.
pub const HEADER_BYTES: usize = 12;
/// The longest datagram that an exercise sends.
pub const MAX_DATAGRAM_BYTES: usize = 8_192;
/// The version that has a status in place of padding.
const WITH_STATUS: u8 = 7;
/// Newer versions are not known.
const VERSIONS: core::ops::RangeInclusive<u8> = 1..=7;

/// Why bytes are no PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// Not even a header.
    NoHeader {
        /// Bytes that are there.
        got: usize,
    },
    /// Another version, or no DIS at all.
    Version {
        /// Which.
        got: u8,
    },
    /// Shorter than a header, or longer than the bytes that are there.
    Length {
        /// What the PDU says.
        got: u16,
        /// Bytes that are there.
        left: usize,
    },
    /// The PDU's length is less than what it has to hold.
    CutOff {
        /// At this byte of the PDU
        at: usize,
        /// so many are needed
        needed: usize,
        /// and so many are left.
        left: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHeader { got } => write!(f, "{got} bytes are no header of {HEADER_BYTES}"),
            Self::Version { got } => write!(f, "protocol version {got} is none of 1 to 7"),
            Self::Length { got, left } => {
                write!(
                    f,
                    "length {got} is not within the header's {HEADER_BYTES} and the {left} bytes that are there"
                )
            }
            Self::CutOff { at, needed, left } => {
                write!(f, "byte {at}: {needed} bytes are needed and {left} are left")
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// What all PDUs begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Of the protocol: 5 is IEEE 1278.1-1995, 6 1278.1A-1998, 7 1278.1-2012.
    pub version: u8,
    /// The exercise; 0 in none.
    pub exercise: u8,
    /// When its contents were true.
    pub timestamp: Timestamp,
    /// Bits of version 7; not there before.
    pub status: u8,
}

impl Default for Header {
    /// Version 7 of exercise 1.
    fn default() -> Self {
        Self { version: 7, exercise: 1, timestamp: Timestamp::default(), status: 0 }
    }
}

/// A PDU.
#[derive(Clone, Debug, PartialEq)]
pub struct Pdu {
    /// What all have.
    pub header: Header,
    /// What it says.
    pub body: PduBody,
}

/// What a PDU says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each says itself what it is")]
pub enum PduBody {
    EntityState(EntityState),
    EntityUpdate(EntityUpdate),
    Fire(Fire),
    Detonation(Detonation),
    Create(Request),
    Remove(Request),
    StartResume(StartResume),
    StopFreeze(StopFreeze),
    /// Any other: its bytes after the header.
    Other {
        /// Its type.
        kind: u8,
        /// Its family.
        family: u8,
        /// What it holds, at most as long as a PDU can be.
        bytes: Vec<u8>,
    },
}

const ENTITY_STATE: u8 = 1;
const FIRE: u8 = 2;
const DETONATION: u8 = 3;
const CREATE: u8 = 11;
const REMOVE: u8 = 12;
const START_RESUME: u8 = 13;
const STOP_FREEZE: u8 = 14;
const ENTITY_UPDATE: u8 = 67;

const ENTITY_FAMILY: u8 = 1;
const WARFARE_FAMILY: u8 = 2;
const MANAGEMENT_FAMILY: u8 = 5;

impl PduBody {
    /// The type's number.
    #[must_use]
    pub const fn kind(&self) -> u8 {
        match self {
            Self::EntityState(_) => ENTITY_STATE,
            Self::EntityUpdate(_) => ENTITY_UPDATE,
            Self::Fire(_) => FIRE,
            Self::Detonation(_) => DETONATION,
            Self::Create(_) => CREATE,
            Self::Remove(_) => REMOVE,
            Self::StartResume(_) => START_RESUME,
            Self::StopFreeze(_) => STOP_FREEZE,
            Self::Other { kind, .. } => *kind,
        }
    }

    const fn family(&self) -> u8 {
        match self {
            Self::EntityState(_) | Self::EntityUpdate(_) => ENTITY_FAMILY,
            Self::Fire(_) | Self::Detonation(_) => WARFARE_FAMILY,
            Self::Create(_) | Self::Remove(_) | Self::StartResume(_) | Self::StopFreeze(_) => {
                MANAGEMENT_FAMILY
            }
            Self::Other { family, .. } => *family,
        }
    }

    /// What its type is called; other types by their number.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::EntityState(_) => "Entity State".into(),
            Self::EntityUpdate(_) => "Entity State Update".into(),
            Self::Fire(_) => "Fire".into(),
            Self::Detonation(_) => "Detonation".into(),
            Self::Create(_) => "Create Entity".into(),
            Self::Remove(_) => "Remove Entity".into(),
            Self::StartResume(_) => "Start/Resume".into(),
            Self::StopFreeze(_) => "Stop/Freeze".into(),
            Self::Other { kind, .. } => format!("PDU type {kind}"),
        }
    }
}

impl Pdu {
    /// Reads the PDU that `bytes` begin with, and says how many of them it takes.
    ///
    /// # Errors
    /// When there is none, or it contradicts its own length.
    pub fn decode(bytes: &[u8]) -> Result<(Self, usize), DecodeError> {
        let (raw, length) = frame(bytes)?;
        let mut from = Reader::new(raw);
        let [version, exercise, kind, family] = from.array()?;
        let timestamp = Timestamp(from.u32()?);
        from.skip::<2>()?;
        let [status, _] = from.array()?;
        let status = if version == WITH_STATUS { status } else { 0 };
        let header = Header { version, exercise, timestamp, status };
        let from = &mut from;
        let body = match kind {
            ENTITY_STATE => PduBody::EntityState(EntityState::read(from)?),
            ENTITY_UPDATE => PduBody::EntityUpdate(EntityUpdate::read(from)?),
            FIRE => PduBody::Fire(Fire::read(from)?),
            DETONATION => PduBody::Detonation(Detonation::read(from)?),
            CREATE => PduBody::Create(Request::read(from)?),
            REMOVE => PduBody::Remove(Request::read(from)?),
            START_RESUME => PduBody::StartResume(StartResume::read(from)?),
            STOP_FREEZE => PduBody::StopFreeze(StopFreeze::read(from)?),
            _ => {
                let bytes = raw.get(HEADER_BYTES..).unwrap_or_default().to_vec();
                PduBody::Other { kind, family, bytes }
            }
        };
        Ok((Self { header, body }, length))
    }

    /// Appends its bytes; of a body that is too long for a PDU, what fits.
    pub fn encode(&self, to: &mut Vec<u8>) {
        let begin = to.len();
        let Header { version, exercise, timestamp, status } = self.header;
        to.put(&[version, exercise, self.body.kind(), self.body.family()]);
        to.put_u32(timestamp.0);
        to.put(&[0, 0, if version == WITH_STATUS { status } else { 0 }, 0]);
        match &self.body {
            PduBody::EntityState(body) => body.write(to),
            PduBody::EntityUpdate(body) => body.write(to),
            PduBody::Fire(body) => body.write(to),
            PduBody::Detonation(body) => body.write(to),
            PduBody::Create(body) | PduBody::Remove(body) => body.write(to),
            PduBody::StartResume(body) => body.write(to),
            PduBody::StopFreeze(body) => body.write(to),
            PduBody::Other { bytes, .. } => to.put(bytes),
        }
        to.truncate(begin + usize::from(u16::MAX));
        let length = (to.len() - begin) as u16;
        if let Some(place) = to.get_mut(begin + 8..begin + 10) {
            place.copy_from_slice(&length.to_be_bytes());
        }
    }
}

/// The bytes of the first PDU, by its own length.
fn frame(bytes: &[u8]) -> Result<(&[u8], usize), DecodeError> {
    let left = bytes.len();
    let Some(&[version, _, _, _, _, _, _, _, high, low, ..]) = bytes.first_chunk::<HEADER_BYTES>()
    else {
        return Err(DecodeError::NoHeader { got: left });
    };
    if !VERSIONS.contains(&version) {
        return Err(DecodeError::Version { got: version });
    }
    let got = u16::from_be_bytes([high, low]);
    let length = usize::from(got);
    let found = bytes.get(..length).filter(|_| length >= HEADER_BYTES);
    found.map(|pdu| (pdu, length)).ok_or(DecodeError::Length { got, left })
}

/// The PDUs of a datagram. A broken one is told of and passed over, if its length can be believed;
/// else nothing follows.
pub fn pdus(datagram: &[u8]) -> impl Iterator<Item = Result<Pdu, DecodeError>> + '_ {
    let mut rest = datagram;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let read = Pdu::decode(rest).map(|(pdu, _)| pdu);
        let length = frame(rest).map_or(rest.len(), |(_, length)| length);
        rest = rest.get(length..).unwrap_or_default();
        Some(read)
    })
}
