//! What the decoder of a replay may take at worst, reckoned from its tables before it decodes.
//!
//! `boxcars` has no limits, and two things in a short file become large. Updates: the table of classes
//! says how many bits name an attribute, none at all in a made one, and a truth value has one bit; so
//! two bits of the file are a value of some fifty bytes. Tables: each object gets all attributes of its
//! ancestors, so half a megabyte of objects and attributes multiply to gigabytes. Neither can be
//! stopped midway. But the tables can be read alone, cheaply, and they tell the most there can be.

use std::mem::size_of;

use boxcars::{Frame, ParserBuilder, Replay, UpdatedAttribute};
use reckoning_recording::{Fault, RecordingError};

use super::rocket_league::refuse;

/// What reading a replay may take at worst.
pub(super) const MAX_MEMORY_BYTES: u64 = 2 << 30;

/// How often a list of updates is there at worst: twice in room that grew by doubling, once or twice
/// in the room that is made ready for the next frame, and once more in the report of an error.
const COPIES: u64 = 5;
/// The same of frames, whose room is made at once.
const FRAME_COPIES: u64 = 2;
/// An attribute of an object, in a hash map at its emptiest, twice for the report of an error.
const ATTRIBUTE_BYTES: u64 = 64;
/// The tables that every object has, twice.
const OBJECT_BYTES: u64 = 2_048;
/// What each byte becomes at most in all other ways: strings, the lists of the footer, samples.
const OTHER_BYTES_PER_BYTE: u64 = 64;

/// Refuses a replay that might take more memory than [`MAX_MEMORY_BYTES`].
pub(super) fn check_memory(bytes: &[u8]) -> Result<(), RecordingError> {
    let tables = ParserBuilder::new(bytes)
        .always_check_crc()
        .never_parse_network_data()
        .parse()
        .map_err(|error| refuse(bytes, &error))?;
    let (got, limit) = (most_bytes(&tables, bytes.len() as u64), MAX_MEMORY_BYTES);
    if got <= limit {
        return Ok(());
    }
    let fault = Fault::TooLarge { field: "decoded replay", got, limit };
    Err(RecordingError::at(0, fault))
}

fn most_bytes(tables: &Replay, length: u64) -> u64 {
    let updates = length * 8 / bits_of_shortest_update(tables);
    let said = tables.properties.iter().find(|(key, _)| key == "NumFrames");
    let frames = said.and_then(|(_, value)| value.as_i32()).and_then(|it| u64::try_from(it).ok());
    let properties = tables.net_cache.iter().map(|it| it.properties.len() as u64).sum::<u64>();
    let objects = tables.objects.len() as u64;
    let parts = [
        (updates, COPIES * size_of::<UpdatedAttribute>() as u64),
        (frames.unwrap_or(0).min(length), FRAME_COPIES * size_of::<Frame>() as u64),
        (objects.saturating_mul(properties), ATTRIBUTE_BYTES),
        (objects, OBJECT_BYTES),
        (length, OTHER_BYTES_PER_BYTE),
    ];
    parts.iter().fold(0, |sum, (count, each)| sum.saturating_add(count.saturating_mul(*each)))
}

/// One bit says that there is one, some name its attribute, and a truth value has one.
fn bits_of_shortest_update(tables: &Replay) -> u64 {
    let own = |highest: i32| u64::from(highest.max(0).cast_unsigned().saturating_add(1).ilog2());
    let highest = tables
        .net_cache
        .iter()
        .filter_map(|class| class.properties.iter().map(|property| property.stream_id).max());
    2 + highest.map(own).min().unwrap_or(0)
}
