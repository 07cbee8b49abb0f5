//! Debug datagrams beside the protocol, for the demonstration only: the truth, and what a game
//! without dead reckoning would send.

use reckoning::SimTime;
use reckoning_net::wire::{MAX_DATAGRAM_BYTES, OUT_OF_BAND_PREFIX};

use super::ProtocolError;
use super::bytes::{ByteReader, Put};

/// Prefix, kind, moment and count.
const HEAD_BYTES: usize = 18;
const TRUTH_BODY_BYTES: usize = 20;
const SNAPSHOT_BODY_BYTES: usize = 12;
/// Bodies in one [`Truth`] at most; more need several.
pub const MAX_TRUTH_BODIES: usize = (MAX_DATAGRAM_BYTES - HEAD_BYTES) / TRUTH_BODY_BYTES;
/// Bodies in one [`PositionSnapshot`] at most; more need several.
pub const MAX_SNAPSHOT_BODIES: usize = (MAX_DATAGRAM_BYTES - HEAD_BYTES) / SNAPSHOT_BODY_BYTES;

/// One body of a [`Truth`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruthBody {
    /// The entity's id.
    pub entity: u32,
    /// Where it truly is.
    pub at: [f32; 2],
    /// How fast, in pixels per second.
    pub velocity: [f32; 2],
}

/// Where bodies truly are: sixty times a second, past the simulated link.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// The host's time.
    pub at: SimTime,
    /// At most [`MAX_TRUTH_BODIES`]; the rest is not written.
    pub bodies: Vec<TruthBody>,
}

/// One body of a [`PositionSnapshot`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnapshotBody {
    /// The entity's id.
    pub entity: u32,
    /// Where it is.
    pub at: [f32; 2],
}

/// What a game without dead reckoning sends: all positions, twenty times a second, through the
/// simulated link.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionSnapshot {
    /// The host's time.
    pub at: SimTime,
    /// At most [`MAX_SNAPSHOT_BODIES`]; the rest is not written.
    pub bodies: Vec<SnapshotBody>,
}

/// Where a client's own body truly is, past the simulated link, so that others can be sent
/// the truth. The game does not use it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnState {
    /// The host's time.
    pub at: SimTime,
    /// Where.
    pub place: [f32; 2],
    /// Pixels per second.
    pub velocity: [f32; 2],
}

/// A datagram beside the protocol.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DebugDatagram {
    /// From the server.
    Truth(Truth),
    /// From the server.
    Snapshot(PositionSnapshot),
    /// From a client.
    OwnState(OwnState),
}

impl DebugDatagram {
    /// Its bytes, the prefix included.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = OUT_OF_BAND_PREFIX.to_vec();
        match self {
            Self::Truth(truth) => {
                let bodies = truth.bodies.get(..MAX_TRUTH_BODIES).unwrap_or(&truth.bodies);
                out.put_u8(1).put_time(truth.at).put_u16(bodies.len() as u16);
                for body in bodies {
                    out.put_u32(body.entity).put_pair(body.at).put_pair(body.velocity);
                }
            }
            Self::Snapshot(snapshot) => {
                let bodies = snapshot.bodies.get(..MAX_SNAPSHOT_BODIES).unwrap_or(&snapshot.bodies);
                out.put_u8(2).put_time(snapshot.at).put_u16(bodies.len() as u16);
                for body in bodies {
                    out.put_u32(body.entity).put_pair(body.at);
                }
            }
            Self::OwnState(own) => {
                out.put_u8(3).put_time(own.at).put_pair(own.place).put_pair(own.velocity);
            }
        }
        out
    }

    /// What the bytes say.
    ///
    /// # Errors
    /// When they are not exactly one of these.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let rest = bytes
            .strip_prefix(&OUT_OF_BAND_PREFIX)
            .ok_or(ProtocolError::Value { name: "prefix" })?;
        let mut from = ByteReader::new(rest);
        let datagram = match from.u8()? {
            1 => {
                let at = from.time()?;
                Self::Truth(Truth {
                    at,
                    bodies: take_list(&mut from, MAX_TRUTH_BODIES, truth_body)?,
                })
            }
            2 => {
                let at = from.time()?;
                Self::Snapshot(PositionSnapshot {
                    at,
                    bodies: take_list(&mut from, MAX_SNAPSHOT_BODIES, snapshot_body)?,
                })
            }
            3 => Self::OwnState(OwnState {
                at: from.time()?,
                place: from.pair("place")?,
                velocity: from.pair("velocity")?,
            }),
            got => return Err(ProtocolError::Kind { got }),
        };
        from.end(()).map(|()| datagram)
    }
}

fn take_list<T>(
    from: &mut ByteReader<'_>,
    most: usize,
    take: fn(&mut ByteReader<'_>) -> Result<T, ProtocolError>,
) -> Result<Vec<T>, ProtocolError> {
    let count = usize::from(from.u16()?);
    if count > most {
        return Err(ProtocolError::Value { name: "count" });
    }
    (0..count).map(|_| take(from)).collect()
}

fn truth_body(from: &mut ByteReader<'_>) -> Result<TruthBody, ProtocolError> {
    Ok(TruthBody { entity: from.u32()?, at: from.pair("at")?, velocity: from.pair("velocity")? })
}

fn snapshot_body(from: &mut ByteReader<'_>) -> Result<SnapshotBody, ProtocolError> {
    Ok(SnapshotBody { entity: from.u32()?, at: from.pair("at")? })
}
