//! Writer of session files.

use std::io::{self, Write};

use super::chunk::{self, ChunkKind};
use super::events::EventCodec;
use super::samples;
use crate::{
    Birth, Death, Input, ItemEvent, Level, Meta, Player, Recording, Sample, Snapshot, Track,
    write_level, write_meta,
};

/// Samples in one chunk: 32 s of 64 Hz. Longer chunks save less than a hundredth.
const SAMPLES_PER_CHUNK: usize = 8_192;
/// Events in one chunk.
const EVENTS_PER_CHUNK: usize = 16_384;

/// Appends to a session file, chunk by chunk.
///
/// Every call writes whole chunks and flushes them, so a crash loses nothing but what was not
/// yet handed over. A live server hands over a second at a time or so.
#[derive(Clone, Debug)]
pub struct SessionWriter<W: Write> {
    out: W,
    offset: u64,
    chunks: u64,
}

impl<W: Write> SessionWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn start(mut out: W, source: &str, session: &str, meta: &Meta) -> io::Result<Self> {
        let header = chunk::file_header();
        out.write_all(&header)?;
        let mut writer = Self { out, offset: header.len() as u64, chunks: 0 };
        writer.append(ChunkKind::Meta, &write_meta(source, session, meta))?;
        Ok(writer)
    }

    /// Writes the level; the last one counts.
    ///
    /// # Errors
    /// When `out` fails, or the level is larger than a chunk may be.
    pub fn level(&mut self, level: &Level) -> io::Result<()> {
        self.append(ChunkKind::Level, &write_level(level))
    }

    /// Notes people who joined.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn players(&mut self, players: &[Player]) -> io::Result<()> {
        self.events(ChunkKind::Player, players)
    }

    /// Writes the next stretch of a track. Where a stretch lacks a column that others have, its
    /// values are unknown. A word of a column keeps its place among the labels in all stretches.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn samples(&mut self, track: &Track) -> io::Result<()> {
        if track.samples.is_empty() {
            return self.append(ChunkKind::Samples, &samples::encode(track, 0..0));
        }
        let mut start = 0;
        let one_side = |a: &Sample, b: &Sample| track.team_at(a.at) == track.team_at(b.at);
        for stretch in track.samples.chunk_by(one_side) {
            for part in stretch.chunks(SAMPLES_PER_CHUNK) {
                let range = start..start + part.len();
                start = range.end;
                self.append(ChunkKind::Samples, &samples::encode(track, range))?;
            }
        }
        Ok(())
    }

    /// Writes what was pressed.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn inputs(&mut self, inputs: &[Input]) -> io::Result<()> {
        self.events(ChunkKind::Inputs, inputs)
    }

    /// Writes who came to life.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn births(&mut self, births: &[Birth]) -> io::Result<()> {
        self.events(ChunkKind::Births, births)
    }

    /// Writes who died.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn deaths(&mut self, deaths: &[Death]) -> io::Result<()> {
        self.events(ChunkKind::Deaths, deaths)
    }

    /// Writes what was taken and came back.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn item_events(&mut self, events: &[ItemEvent]) -> io::Result<()> {
        self.events(ChunkKind::ItemEvents, events)
    }

    /// Writes a state of the game.
    ///
    /// # Errors
    /// When `out` fails, or the snapshot is larger than a chunk may be (64 MiB).
    pub fn snapshot(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let mut raw = Vec::new();
        snapshot.put(&mut raw);
        self.append(ChunkKind::Snapshot, &raw)
    }

    /// Marks the file as complete and hands `out` back.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.end()?;
        Ok(self.out)
    }

    /// Marks the file as complete; nothing is to be written after it.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn end(&mut self) -> io::Result<()> {
        let count = self.chunks;
        self.append(ChunkKind::End, &count.to_le_bytes())
    }

    /// Where chunks are written to. With a `Vec` one may take out what is in it: offsets are kept
    /// here.
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    fn events<E: EventCodec>(&mut self, kind: ChunkKind, events: &[E]) -> io::Result<()> {
        for part in events.chunks(EVENTS_PER_CHUNK) {
            let mut raw = Vec::new();
            for event in part {
                event.put(&mut raw);
            }
            self.append(kind, &raw)?;
        }
        Ok(())
    }

    fn append(&mut self, kind: ChunkKind, raw: &[u8]) -> io::Result<()> {
        if raw.len() > chunk::MAX_CHUNK_BYTES as usize {
            let message = format!("{kind:?} of {} bytes does not fit a chunk", raw.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let chunk = chunk::encode(kind, raw, self.offset);
        self.out.write_all(&chunk)?;
        self.out.flush()?;
        self.offset += chunk.len() as u64;
        self.chunks += 1;
        Ok(())
    }
}

/// Writes a whole recording and hands `out` back.
///
/// # Errors
/// When `out` fails, or the level or a snapshot is larger than 64 MiB.
pub fn write_session<W: Write>(recording: &Recording, out: W) -> io::Result<W> {
    let mut writer =
        SessionWriter::start(out, &recording.source, &recording.session, &recording.meta)?;
    writer.players(&recording.players)?;
    writer.level(&recording.level)?;
    for track in &recording.tracks {
        writer.samples(track)?;
    }
    writer.inputs(&recording.inputs)?;
    writer.births(&recording.births)?;
    writer.deaths(&recording.deaths)?;
    writer.item_events(&recording.item_events)?;
    for snapshot in &recording.snapshots {
        writer.snapshot(snapshot)?;
    }
    writer.finish()
}
