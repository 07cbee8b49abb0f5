//! Messages from the server to a client.

use reckoning::SimTime;

use super::bytes::{ByteReader, Put};
use super::{LinkChoice, ProtocolError, ServerTuning};

/// A message from the server to a client.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerMessage {
    /// Which player and which entity the client is.
    You {
        /// The player's number.
        player: u16,
        /// The entity's id.
        entity: u32,
    },
    /// Which items lie in their places.
    Items {
        /// A bit for each of the first 64 items of the level file, the lowest first.
        bits: u64,
    },
    /// How the round stands; once a second and when it changes.
    Points {
        /// Of team 0 and team 1.
        scores: [u16; 2],
        /// How long the round still lasts.
        round_left_s: u16,
    },
    /// A shot was fired.
    Shot {
        /// Counts shots.
        number: u32,
        /// The shooter; [`A_TURRET`](super::A_TURRET) for a turret.
        shooter: u16,
        /// From where.
        from: [f32; 2],
        /// Pixels per second.
        velocity: [f32; 2],
        /// When, on the host's clock.
        at: SimTime,
    },
    /// A shot struck somebody and is gone.
    Hit {
        /// Of the shot.
        number: u32,
        /// The player that was hit.
        victim: u16,
        /// The health it took.
        damage: f32,
    },
    /// A player died.
    Died {
        /// The player.
        player: u16,
        /// Whose shot it was; [`A_TURRET`](super::A_TURRET) for a turret.
        by: u16,
    },
    /// A round ended; the next one begins at once.
    RoundOver {
        /// The team that won; [`NO_TEAM`](super::NO_TEAM) if several have equal points.
        winner: u8,
    },
    /// How the server reckons now.
    Tuning(ServerTuning),
    /// How the client's own link is simulated now.
    Link(LinkChoice),
    /// Something it asked for is not done, and why. At most once a second.
    Refused(Refusal),
}

/// Why the server does not do what a client asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The server is no demonstration: nobody sets the world or a link, sees the truth or watches.
    NoDemo,
    /// The client asked too often.
    TooOften,
    /// The vehicle is too far away or somebody else's, or the client's player cannot drive now.
    OutOfReach,
}

impl ServerMessage {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match *self {
            Self::You { player, entity } => {
                out.put_u8(1).put_u16(player).put_u32(entity);
            }
            Self::Items { bits } => {
                out.put_u8(2).put_u64(bits);
            }
            Self::Points { scores, round_left_s } => {
                out.put_u8(3).put_u16(scores[0]).put_u16(scores[1]).put_u16(round_left_s);
            }
            Self::Shot { number, shooter, from, velocity, at } => {
                out.put_u8(4).put_u32(number).put_u16(shooter);
                out.put_pair(from).put_pair(velocity).put_time(at);
            }
            Self::Hit { number, victim, damage } => {
                out.put_u8(5).put_u32(number).put_u16(victim).put_f32(damage);
            }
            Self::Died { player, by } => {
                out.put_u8(6).put_u16(player).put_u16(by);
            }
            Self::RoundOver { winner } => {
                out.put_u8(7).put_u8(winner);
            }
            Self::Tuning(tuning) => tuning.put(out.put_u8(8)),
            Self::Link(link) => link.put(out.put_u8(9)),
            Self::Refused(refusal) => {
                out.put_u8(10).put_u8(match refusal {
                    Refusal::NoDemo => 0,
                    Refusal::TooOften => 1,
                    Refusal::OutOfReach => 2,
                });
            }
        }
        out
    }

    /// What the bytes say.
    ///
    /// # Errors
    /// When they are not exactly one of these within its limits.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let mut from = ByteReader::new(bytes);
        let message = match from.u8()? {
            1 => Self::You { player: from.u16()?, entity: from.u32()? },
            2 => Self::Items { bits: from.u64()? },
            3 => Self::Points { scores: [from.u16()?, from.u16()?], round_left_s: from.u16()? },
            4 => Self::Shot {
                number: from.u32()?,
                shooter: from.u16()?,
                from: from.pair("from")?,
                velocity: from.pair("velocity")?,
                at: from.time()?,
            },
            5 => {
                Self::Hit { number: from.u32()?, victim: from.u16()?, damage: from.f32("damage")? }
            }
            6 => Self::Died { player: from.u16()?, by: from.u16()? },
            7 => Self::RoundOver { winner: from.u8()? },
            8 => Self::Tuning(ServerTuning::take(&mut from)?),
            9 => Self::Link(LinkChoice::take(&mut from)?),
            10 => Self::Refused(match from.u8()? {
                0 => Refusal::NoDemo,
                1 => Refusal::TooOften,
                2 => Refusal::OutOfReach,
                _ => return Err(ProtocolError::Value { name: "refusal" }),
            }),
            got => return Err(ProtocolError::Kind { got }),
        };
        from.end(message)
    }
}
