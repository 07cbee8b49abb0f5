//! Pictures of bodies that a shot was aimed past or at, so that the server judges the very screen.

use reckoning::rewind::ShownAs;
use reckoning::{DVec3, SimTime};
use reckoning_net::Session;
use reckoning_net::wire::{decode_shown, encode_shown};

use super::ProtocolError;
use super::bytes::{ByteReader, Put};

/// Pictures that come with a shot at most.
pub const MAX_PICTURES: usize = 4;

/// How a client saw one body when it fired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// The body.
    pub entity: u32,
    /// Of what its picture was made.
    pub shown: ShownAs,
}

impl Picture {
    /// The bodies of a client's screen that are nearest to the line of a shot.
    #[must_use]
    pub fn along(session: &Session, now: SimTime, from: DVec3, aim: DVec3) -> Vec<Self> {
        let way = aim.normalize_or_zero();
        let aside = |place: DVec3| {
            let gap = place - from;
            (gap - way * gap.dot(way).max(0.0)).length()
        };
        let shown = session
            .ghosts()
            .filter_map(|(entity, _)| Some((aside(session.shown(entity, now)?.position), entity)));
        let mut nearest: Vec<_> = shown.collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        nearest.truncate(MAX_PICTURES);
        let picture = |entity: reckoning_net::EntityId| {
            Some(Self { entity: entity.0, shown: session.shown_as(entity, now)? })
        };
        nearest.into_iter().filter_map(|(_, entity)| picture(entity)).collect()
    }

    pub(crate) fn put_all(pictures: &[Self], out: &mut Vec<u8>) {
        let taken = &pictures[..pictures.len().min(MAX_PICTURES)];
        out.put_u8(taken.len() as u8);
        for picture in taken {
            out.put_u32(picture.entity);
            encode_shown(&picture.shown, out);
        }
    }

    pub(crate) fn take_all(from: &mut ByteReader<'_>) -> Result<Vec<Self>, ProtocolError> {
        let count = usize::from(from.u8()?);
        if count > MAX_PICTURES {
            return Err(ProtocolError::Value { name: "pictures" });
        }
        let one = |_| {
            let entity = from.u32()?;
            let shown = from.with(decode_shown).ok_or(ProtocolError::Value { name: "picture" })?;
            Ok(Self { entity, shown })
        };
        (0..count).map(one).collect()
    }
}
