//! Datagrams beside the protocol as bytes. Positions are 32-bit floats, orientations four 16-bit
//! shares of one, angles 16-bit shares of half a turn.

use std::f64::consts::PI;

use reckoning::DQuat;
use reckoning::orientation::wrap_rad;
use reckoning_net::wire::{MAX_DATAGRAM_BYTES, OUT_OF_BAND_PREFIX};

use super::message::{put_vector, take_vector};
use super::{HillsDatagram, HillsTruthBody};
use crate::hills::body::Aim;
use crate::protocol::ProtocolError;
use crate::protocol::bytes::{ByteReader, Put};

/// Prefix, kind, moment and count.
const HEAD_BYTES: usize = 18;
/// Entity, place, orientation, turret and barrel.
const POSE_BYTES: usize = 4 + 12 + 8 + 4;
/// And the velocity.
const TRUTH_BODY_BYTES: usize = POSE_BYTES + 12;
/// Bodies in one [`HillsDatagram::Truth`] at most; the rest is not written.
pub const MAX_TRUTH_BODIES: usize = (MAX_DATAGRAM_BYTES - HEAD_BYTES) / TRUTH_BODY_BYTES;
/// Bodies in one [`HillsDatagram::Snapshot`] at most; the rest is not written.
pub const MAX_SNAPSHOT_BODIES: usize = (MAX_DATAGRAM_BYTES - HEAD_BYTES) / POSE_BYTES;

const TRUTH: u8 = 32;
const SNAPSHOT: u8 = 33;
const OWN_STATE: u8 = 34;

/// Steps of one, and of half a turn.
const STEPS: f64 = 32_767.0;

impl HillsDatagram {
    /// Its bytes, the prefix included.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = OUT_OF_BAND_PREFIX.to_vec();
        match self {
            Self::Truth { at, bodies } => {
                let bodies = bodies.get(..MAX_TRUTH_BODIES).unwrap_or(bodies);
                out.put_u8(TRUTH).put_time(*at).put_u16(bodies.len() as u16);
                for body in bodies {
                    put_body(&mut out, body);
                }
            }
            Self::Snapshot { at, bodies } => {
                let bodies = bodies.get(..MAX_SNAPSHOT_BODIES).unwrap_or(bodies);
                out.put_u8(SNAPSHOT).put_time(*at).put_u16(bodies.len() as u16);
                for body in bodies {
                    put_pose(&mut out, body);
                }
            }
            Self::OwnState { at, body } => put_body(out.put_u8(OWN_STATE).put_time(*at), body),
        }
        out
    }

    /// What the bytes say.
    ///
    /// # Errors
    /// When they are not exactly one of these.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let wrong = ProtocolError::Value { name: "prefix" };
        let mut from = ByteReader::new(bytes.strip_prefix(&OUT_OF_BAND_PREFIX).ok_or(wrong)?);
        let datagram = match from.u8()? {
            TRUTH => {
                let at = from.time()?;
                Self::Truth { at, bodies: take_list(&mut from, MAX_TRUTH_BODIES, take_body)? }
            }
            SNAPSHOT => {
                let at = from.time()?;
                Self::Snapshot { at, bodies: take_list(&mut from, MAX_SNAPSHOT_BODIES, take_pose)? }
            }
            OWN_STATE => Self::OwnState { at: from.time()?, body: take_body(&mut from)? },
            got => return Err(ProtocolError::Kind { got }),
        };
        from.end(()).map(|()| datagram)
    }
}

fn put_body(out: &mut Vec<u8>, body: &HillsTruthBody) {
    put_pose(out, body);
    put_vector(out, body.velocity);
}

fn put_pose(out: &mut Vec<u8>, body: &HillsTruthBody) {
    put_vector(out.put_u32(body.entity), body.position);
    for part in body.orientation.to_array() {
        out.put_u16(steps(part));
    }
    for angle_rad in [body.aim.turret_rad, body.aim.barrel_rad] {
        out.put_u16(steps(wrap_rad(angle_rad) / PI));
    }
}

fn take_body(from: &mut ByteReader<'_>) -> Result<HillsTruthBody, ProtocolError> {
    let pose = take_pose(from)?;
    Ok(HillsTruthBody { velocity: take_vector(from, "velocity")?, ..pose })
}

fn take_pose(from: &mut ByteReader<'_>) -> Result<HillsTruthBody, ProtocolError> {
    let (entity, position) = (from.u32()?, take_vector(from, "position")?);
    let mut parts = [0.0; 4];
    for part in &mut parts {
        *part = share(from.u16()?);
    }
    let orientation = DQuat::from_array(parts);
    // What is far from one was no orientation.
    if !(0.5..=1.5).contains(&orientation.length()) {
        return Err(ProtocolError::Value { name: "orientation" });
    }
    let (turret_rad, barrel_rad) = (share(from.u16()?) * PI, share(from.u16()?) * PI);
    let aim = Aim { turret_rad, barrel_rad, ..Aim::default() };
    let (orientation, velocity) = (orientation.normalize(), reckoning::DVec3::ZERO);
    Ok(HillsTruthBody { entity, position, velocity, orientation, aim })
}

/// A number from -1 to 1 in steps; what is no number is 0.
fn steps(share: f64) -> u16 {
    (libm::round(share.clamp(-1.0, 1.0) * STEPS) as i16).cast_unsigned()
}

fn share(steps: u16) -> f64 {
    f64::from(steps.cast_signed()) / STEPS
}

fn take_list(
    from: &mut ByteReader<'_>,
    most: usize,
    take: fn(&mut ByteReader<'_>) -> Result<HillsTruthBody, ProtocolError>,
) -> Result<Vec<HillsTruthBody>, ProtocolError> {
    let count = usize::from(from.u16()?);
    if count > most {
        return Err(ProtocolError::Value { name: "count" });
    }
    (0..count).map(|_| take(from)).collect()
}
