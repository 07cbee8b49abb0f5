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

/// Planners in one [`PlannerWorth`] at most.
const MAX_PLANNERS: usize = 32;

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

/// What a planner makes of the bots, by the measure of one listener.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannerFigures {
    /// Mean distance between the guess and the truth, over the delay of the listener's link.
    pub error_px: f32,
    /// Updates of one bot.
    pub updates_per_s: f32,
}

/// What every planner is worth, once a second: see
/// [`ModelChoice::ALL`](super::ModelChoice::ALL) for the order. Empty while it is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannerWorth {
    /// `None` for a planner that the server cannot run.
    pub planners: Vec<Option<PlannerFigures>>,
}

/// Export errors as the server keeps account of them, in pixel-seconds, once a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorAccounts {
    /// The client's own, until the latest arrivals that it acknowledged (CEE).
    pub confirmed: f32,
    /// From there until now, as far as the server can guess (EEE).
    pub estimated: f32,
    /// How many clients there are.
    pub listeners: u16,
    /// The least, the mean and the largest of all clients' errors, both parts together (AEE).
    pub spread: [f32; 3],
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
    /// From the server.
    Worth(PlannerWorth),
    /// From the server.
    Accounts(ErrorAccounts),
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
            Self::Worth(worth) => {
                let planners = worth.planners.get(..MAX_PLANNERS).unwrap_or(&worth.planners);
                out.put_u8(4).put_u16(planners.len() as u16);
                for planner in planners {
                    out.put_u8(u8::from(planner.is_some()));
                    if let Some(it) = planner {
                        out.put_f32(it.error_px).put_f32(it.updates_per_s);
                    }
                }
            }
            Self::Accounts(it) => {
                out.put_u8(5).put_f32(it.confirmed).put_f32(it.estimated).put_u16(it.listeners);
                out.put_f32(it.spread[0]).put_f32(it.spread[1]).put_f32(it.spread[2]);
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
            4 => Self::Worth(PlannerWorth {
                planners: take_list(&mut from, MAX_PLANNERS, planner_figures)?,
            }),
            5 => Self::Accounts(ErrorAccounts {
                confirmed: from.f32("confirmed")?,
                estimated: from.f32("estimated")?,
                listeners: from.u16()?,
                spread: [from.f32("least")?, from.f32("mean")?, from.f32("most")?],
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

fn planner_figures(from: &mut ByteReader<'_>) -> Result<Option<PlannerFigures>, ProtocolError> {
    if !from.flag("planner")? {
        return Ok(None);
    }
    let [error_px, updates_per_s] = from.pair("figures")?;
    Ok(Some(PlannerFigures { error_px, updates_per_s }))
}

fn truth_body(from: &mut ByteReader<'_>) -> Result<TruthBody, ProtocolError> {
    Ok(TruthBody { entity: from.u32()?, at: from.pair("at")?, velocity: from.pair("velocity")? })
}

fn snapshot_body(from: &mut ByteReader<'_>) -> Result<SnapshotBody, ProtocolError> {
    Ok(SnapshotBody { entity: from.u32()?, at: from.pair("at")? })
}
