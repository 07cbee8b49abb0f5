//! Messages from a client to the server.

use reckoning::SimTime;

use super::bytes::{ByteReader, Put};
use super::{LinkChoice, Picture, ProtocolError, ServerTuning, clean_name};

/// A message from a client to the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClientMessage {
    /// The first message: introduces the client.
    Hello {
        /// Its name, at most [`MAX_NAME_BYTES`](super::MAX_NAME_BYTES).
        name: String,
        /// It watches and gets no body.
        watch: bool,
    },
    /// It pulls the trigger.
    Fire {
        /// The host's time that its screen shows.
        shown_at: SimTime,
        /// A direction of any length.
        aim: [f32; 2],
        /// How its screen showed the bodies near the line of fire, at most
        /// [`MAX_PICTURES`](super::MAX_PICTURES).
        pictures: Vec<Picture>,
    },
    /// It wants its own link to be like this.
    SetLink(LinkChoice),
    /// It wants the server to reckon like this, for all.
    SetTuning(ServerTuning),
    /// It wants debug datagrams, or no longer.
    Subscribe {
        /// [`Truth`](super::Truth).
        truth: bool,
        /// [`PositionSnapshot`](super::PositionSnapshot).
        snapshots: bool,
    },
    /// It wants to drive a vehicle that is near and empty.
    Enter {
        /// The vehicle's entity.
        vehicle: u32,
    },
    /// It wants to drive no longer.
    Leave,
    /// It pulls the trigger of a naive game: the shot flies among the bodies as they are when this
    /// comes in, whatever its screen shows.
    FireNow {
        /// A direction of any length.
        aim: [f32; 2],
    },
}

impl ClientMessage {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Hello { name, watch } => {
                out.put_u8(1).put_u8(u8::from(*watch)).put(clean_name(name).as_bytes());
            }
            Self::Fire { shown_at, aim, pictures } => {
                Picture::put_all(pictures, out.put_u8(2).put_time(*shown_at).put_pair(*aim));
            }
            Self::SetLink(link) => link.put(out.put_u8(3)),
            Self::SetTuning(tuning) => tuning.put(out.put_u8(4)),
            Self::Subscribe { truth, snapshots } => {
                out.put_u8(5).put_u8(u8::from(*truth)).put_u8(u8::from(*snapshots));
            }
            Self::Enter { vehicle } => {
                out.put_u8(6).put_u32(*vehicle);
            }
            Self::Leave => {
                out.put_u8(7);
            }
            Self::FireNow { aim } => {
                out.put_u8(8).put_pair(*aim);
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
            1 => Self::Hello { watch: from.flag("watch")?, name: from.name()? },
            2 => Self::Fire {
                shown_at: from.time()?,
                aim: from.pair("aim")?,
                pictures: Picture::take_all(&mut from)?,
            },
            3 => Self::SetLink(LinkChoice::take(&mut from)?),
            4 => Self::SetTuning(ServerTuning::take(&mut from)?),
            5 => Self::Subscribe { truth: from.flag("truth")?, snapshots: from.flag("snapshots")? },
            6 => Self::Enter { vehicle: from.u32()? },
            7 => Self::Leave,
            8 => Self::FireNow { aim: from.pair("aim")? },
            got => return Err(ProtocolError::Kind { got }),
        };
        from.end(()).map(|()| message)
    }
}
