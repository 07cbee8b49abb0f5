//! Datagrams beside the protocol, for the demonstration only: what is true, and what a game
//! without dead reckoning would send.

use super::TalkError;
use super::bytes::{Put, Reader};
use reckoning::SimTime;
use reckoning_net::wire::{MAX_DATAGRAM_BYTES, OUT_OF_BAND_PREFIX};

/// Prefix, kind, moment and count.
const HEAD_BYTES: usize = 18;
const TRUE_BYTES: usize = 20;
const PLAIN_BYTES: usize = 12;
/// Bodies in one [`Truth`] at most; more need several.
pub const MAX_TRUE: usize = (MAX_DATAGRAM_BYTES - HEAD_BYTES) / TRUE_BYTES;
/// Bodies in one [`Plain`] at most; more need several.
pub const MAX_PLAIN: usize = (MAX_DATAGRAM_BYTES - HEAD_BYTES) / PLAIN_BYTES;

/// One body of a [`Truth`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrueBody {
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
    /// At most [`MAX_TRUE`]; the rest is not written.
    pub bodies: Vec<TrueBody>,
}

/// One body of a [`Plain`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainBody {
    /// The entity's id.
    pub entity: u32,
    /// Where it is.
    pub at: [f32; 2],
}

/// What a game without dead reckoning sends: all positions, twenty times a second, through the
/// simulated link.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// The host's time.
    pub at: SimTime,
    /// At most [`MAX_PLAIN`]; the rest is not written.
    pub bodies: Vec<PlainBody>,
}

/// Where a client's own body truly is, past the simulated link, so that others can be told
/// the truth. The game does not use it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mine {
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
pub enum Aside {
    /// From the server.
    Truth(Truth),
    /// From the server.
    Plain(Plain),
    /// From a client.
    Mine(Mine),
}

impl Aside {
    /// Its bytes, the prefix included.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = OUT_OF_BAND_PREFIX.to_vec();
        match self {
            Self::Truth(truth) => {
                let bodies = truth.bodies.get(..MAX_TRUE).unwrap_or(&truth.bodies);
                out.put_u8(1).put_time(truth.at).put_u16(bodies.len() as u16);
                for body in bodies {
                    out.put_u32(body.entity).put_pair(body.at).put_pair(body.velocity);
                }
            }
            Self::Plain(plain) => {
                let bodies = plain.bodies.get(..MAX_PLAIN).unwrap_or(&plain.bodies);
                out.put_u8(2).put_time(plain.at).put_u16(bodies.len() as u16);
                for body in bodies {
                    out.put_u32(body.entity).put_pair(body.at);
                }
            }
            Self::Mine(mine) => {
                out.put_u8(3).put_time(mine.at).put_pair(mine.place).put_pair(mine.velocity);
            }
        }
        out
    }

    /// What the bytes say.
    ///
    /// # Errors
    /// When they are not exactly one of these.
    pub fn decode(bytes: &[u8]) -> Result<Self, TalkError> {
        let rest =
            bytes.strip_prefix(&OUT_OF_BAND_PREFIX).ok_or(TalkError::Value { name: "prefix" })?;
        let mut from = Reader::new(rest);
        let aside = match from.u8()? {
            1 => {
                let at = from.time()?;
                Self::Truth(Truth { at, bodies: take_list(&mut from, MAX_TRUE, true_body)? })
            }
            2 => {
                let at = from.time()?;
                Self::Plain(Plain { at, bodies: take_list(&mut from, MAX_PLAIN, plain_body)? })
            }
            3 => Self::Mine(Mine {
                at: from.time()?,
                place: from.pair("place")?,
                velocity: from.pair("velocity")?,
            }),
            got => return Err(TalkError::Kind { got }),
        };
        from.end(()).map(|()| aside)
    }
}

fn take_list<T>(
    from: &mut Reader<'_>,
    most: usize,
    take: fn(&mut Reader<'_>) -> Result<T, TalkError>,
) -> Result<Vec<T>, TalkError> {
    let count = usize::from(from.u16()?);
    if count > most {
        return Err(TalkError::Value { name: "count" });
    }
    (0..count).map(|_| take(from)).collect()
}

fn true_body(from: &mut Reader<'_>) -> Result<TrueBody, TalkError> {
    Ok(TrueBody { entity: from.u32()?, at: from.pair("at")?, velocity: from.pair("velocity")? })
}

fn plain_body(from: &mut Reader<'_>) -> Result<PlainBody, TalkError> {
    Ok(PlainBody { entity: from.u32()?, at: from.pair("at")? })
}
