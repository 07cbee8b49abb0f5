//! Byte form of everything that is not a sample: each event in turn, its fields in order.

use reckoning::{DVec3, SimTime};

use crate::{
    Birth, Cursor, Death, Input, ItemEvent, MemoryBudget, Player, RecordingError, Snapshot,
};

/// Something stored one after the other in a chunk.
pub(super) trait EventCodec: Sized {
    /// Appends its bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// What it keeps elsewhere than in itself.
    fn heap_bytes(&self) -> usize {
        0
    }
    /// Reads them back.
    fn take(cursor: &mut Cursor<'_>) -> Result<Self, RecordingError>;
}

/// Reads events to the end of the chunk and adds those that are wanted.
pub(super) fn take_all<E: EventCodec>(
    events: &mut Vec<E>,
    cursor: &mut Cursor<'_>,
    budget: &mut MemoryBudget,
    is_wanted: impl Fn(&E) -> bool,
) -> Result<(), RecordingError> {
    while cursor.left() > 0 {
        let event = E::take(cursor)?;
        if !is_wanted(&event) {
            continue;
        }
        budget.reserve(events, 1)?;
        budget.hold(event.heap_bytes() as u64)?;
        events.push(event);
    }
    Ok(())
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    let mut length = text.len().min(usize::from(u16::MAX));
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    out.extend((length as u16).to_le_bytes());
    out.extend(&text.as_bytes()[..length]);
}

/// A text within a budget.
pub(super) fn text_within(
    cursor: &mut Cursor<'_>,
    budget: &mut MemoryBudget,
) -> Result<String, RecordingError> {
    let text = text(cursor)?;
    budget.hold((text.capacity() + size_of::<String>()) as u64)?;
    Ok(text)
}

fn text(cursor: &mut Cursor<'_>) -> Result<String, RecordingError> {
    let length = usize::from(cursor.u16_le()?);
    Ok(String::from_utf8_lossy(cursor.slice(length)?).into_owned())
}

fn put_at(out: &mut Vec<u8>, at: SimTime) {
    out.extend(at.as_micros().to_le_bytes());
}

fn at(cursor: &mut Cursor<'_>) -> Result<SimTime, RecordingError> {
    Ok(SimTime::from_micros(cursor.i64_le()?))
}

fn put_option(out: &mut Vec<u8>, id: Option<i32>) {
    out.push(u8::from(id.is_some()));
    out.extend(id.unwrap_or_default().to_le_bytes());
}

fn option(cursor: &mut Cursor<'_>) -> Result<Option<i32>, RecordingError> {
    let known = cursor.u8()? != 0;
    let id = cursor.i32_le()?;
    Ok(known.then_some(id))
}

impl EventCodec for Player {
    fn heap_bytes(&self) -> usize {
        self.name.capacity()
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.id.to_le_bytes());
        out.extend(self.team.to_le_bytes());
        put_text(out, &self.name);
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, RecordingError> {
        Ok(Self { id: cursor.i32_le()?, team: cursor.i32_le()?, name: text(cursor)? })
    }
}

impl EventCodec for Input {
    fn put(&self, out: &mut Vec<u8>) {
        put_at(out, self.at);
        out.extend(self.id.to_le_bytes());
        out.extend(self.buttons.to_le_bytes());
        out.extend(self.stick.iter().flat_map(|axis| axis.to_le_bytes()));
        out.push(u8::from(self.pointer.is_some()));
        let pointer = self.pointer.unwrap_or_default();
        out.extend(pointer.iter().flat_map(|axis| axis.to_le_bytes()));
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, RecordingError> {
        let (at, id, buttons) = (at(cursor)?, cursor.i32_le()?, cursor.u32_le()?);
        let stick = [cursor.f32_le()?, cursor.f32_le()?];
        let known = cursor.u8()? != 0;
        let pointer = [cursor.f32_le()?, cursor.f32_le()?];
        Ok(Self { at, id, buttons, stick, pointer: known.then_some(pointer) })
    }
}

impl EventCodec for Birth {
    fn put(&self, out: &mut Vec<u8>) {
        put_at(out, self.at);
        out.extend(self.id.to_le_bytes());
        out.extend(self.position.to_array().iter().flat_map(|axis| axis.to_le_bytes()));
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, RecordingError> {
        let (at, id) = (at(cursor)?, cursor.i32_le()?);
        let position = DVec3::new(cursor.f64_le()?, cursor.f64_le()?, cursor.f64_le()?);
        Ok(Self { at, id, position })
    }
}

impl EventCodec for Death {
    fn put(&self, out: &mut Vec<u8>) {
        put_at(out, self.at);
        out.extend(self.id.to_le_bytes());
        put_option(out, self.killer);
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, RecordingError> {
        Ok(Self { at: at(cursor)?, id: cursor.i32_le()?, killer: option(cursor)? })
    }
}

impl EventCodec for ItemEvent {
    fn put(&self, out: &mut Vec<u8>) {
        put_at(out, self.at);
        out.extend(self.item.to_le_bytes());
        put_option(out, self.taken_by);
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, RecordingError> {
        Ok(Self { at: at(cursor)?, item: cursor.u32_le()?, taken_by: option(cursor)? })
    }
}

impl EventCodec for Snapshot {
    fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_at(out, self.at);
        out.extend((self.bytes.len() as u32).to_le_bytes());
        out.extend(&self.bytes);
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, RecordingError> {
        let (at, length) = (at(cursor)?, cursor.u32_le()?);
        Ok(Self { at, bytes: cursor.slice(length as usize)?.to_vec() })
    }
}
