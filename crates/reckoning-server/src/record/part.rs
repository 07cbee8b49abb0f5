//! One file of a recording, from its first chunk to its last.
//!
//! A long recording is cut into parts by size and time. Each part is a session file of its own, with
//! the description, the level and the names of everyone, so that any of them opens without the rest.

use std::io;

use reckoning::SimTime;
use reckoning_recording::{Birth, Death, ItemEvent, Player, SessionWriter, Track};

use super::{RecordingInfo, Storage, Store};
use crate::clock::unix_seconds;

/// Names of the parts of one recording, and what each begins with.
#[derive(Debug)]
pub(super) struct Naming {
    info: RecordingInfo,
    started: u64,
    /// Two servers may start in one second.
    number: u32,
    part: u32,
}

const MAX_NUMBER: u32 = 1_000;

impl Naming {
    pub(super) fn new(info: &RecordingInfo, rate_hz: u32) -> Self {
        let mut info = info.clone();
        info.meta.rate_hz = f64::from(rate_hz);
        Self { info, started: unix_seconds(), number: 0, part: 0 }
    }

    fn session(&self) -> String {
        format!("session-{}-{}-{:05}", self.started, self.number, self.part)
    }

    /// Begins the next part; `known` are those who were named before.
    pub(super) fn begin(&mut self, store: &mut dyn Store, known: &[Player]) -> io::Result<Part> {
        let (session, storage) = self.create(store)?;
        let name = file_name(&session);
        let begun = self.head(&session, known).and_then(|writer| {
            let mut part = Part { name: name.clone(), storage, writer, on_disk: 0, first: None };
            part.commit().map_err(CommitError::into_io)?;
            Ok(part)
        });
        match &begun {
            Ok(_) => self.part += 1,
            Err(_) => store.remove(&name),
        }
        begun
    }

    fn create(&mut self, store: &mut dyn Store) -> io::Result<(String, Box<dyn Storage>)> {
        loop {
            let session = self.session();
            match store.create(&file_name(&session)) {
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && self.number < MAX_NUMBER =>
                {
                    self.number += 1;
                }
                made => return made.map(|storage| (session, storage)),
            }
        }
    }

    fn head(&self, session: &str, known: &[Player]) -> io::Result<SessionWriter<Vec<u8>>> {
        let mut meta = self.info.meta.clone();
        meta.other.insert("part".to_string(), self.part.into());
        let mut writer = SessionWriter::start(Vec::new(), &self.info.source, session, &meta)?;
        if let Some(level) = &self.info.level {
            writer.level(level)?;
        }
        writer.players(known)?;
        Ok(writer)
    }
}

fn file_name(session: &str) -> String {
    format!("{session}.reck")
}

/// What could not be done.
#[derive(Debug)]
pub(super) enum CommitError {
    /// Bytes could not be written, and none of them are there.
    Write(io::Error),
    /// Nobody knows what is on the disk from the last sync on.
    Unknown(io::Error),
}

impl CommitError {
    pub(super) fn into_io(self) -> io::Error {
        match self {
            Self::Write(error) | Self::Unknown(error) => error,
        }
    }

    pub(super) const fn io(&self) -> &io::Error {
        match self {
            Self::Write(error) | Self::Unknown(error) => error,
        }
    }
}

/// What is written together.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) tracks: std::collections::BTreeMap<u32, Track>,
    pub(super) players: Vec<Player>,
    pub(super) births: Vec<Birth>,
    pub(super) deaths: Vec<Death>,
    pub(super) item_events: Vec<ItemEvent>,
    /// Steps that it is made of.
    pub(super) steps: u64,
    /// The moment of the last of them.
    pub(super) last: SimTime,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.steps == 0 && self.players.is_empty()
    }

    fn put(&self, writer: &mut SessionWriter<Vec<u8>>) -> io::Result<()> {
        writer.players(&self.players)?;
        writer.births(&self.births)?;
        self.tracks.values().try_for_each(|track| writer.samples(track))?;
        writer.deaths(&self.deaths)?;
        writer.item_events(&self.item_events)
    }
}

/// A file that is being written.
pub(super) struct Part {
    pub(super) name: String,
    storage: Box<dyn Storage>,
    /// Chunks are put together here, and written in one go.
    writer: SessionWriter<Vec<u8>>,
    /// Bytes that are synced.
    on_disk: u64,
    /// The moment of the first step in it.
    first: Option<SimTime>,
}

impl Part {
    /// Writes and syncs a batch; after [`CommitError::Write`] it may be tried again.
    pub(super) fn write(&mut self, batch: &Batch) -> Result<(), CommitError> {
        let before = self.writer.clone();
        let written = batch.put(&mut self.writer).map_err(CommitError::Write);
        let written = written.and_then(|()| self.commit());
        if written.is_err() {
            self.writer = before;
        } else if batch.steps > 0 {
            self.first.get_or_insert(batch.last);
        }
        written
    }

    /// Marks the file as complete; after an error it is as it was before.
    pub(super) fn finish(&mut self) -> Result<(), CommitError> {
        let before = self.writer.clone();
        let written = self.writer.end().map_err(CommitError::Write).and_then(|()| self.commit());
        if written.is_err() {
            self.writer = before;
        }
        written
    }

    fn commit(&mut self) -> Result<(), CommitError> {
        let bytes = std::mem::take(self.writer.get_mut());
        if let Err(error) = self.storage.append(&bytes) {
            // A part of it may be there.
            return Err(match self.storage.truncate(self.on_disk) {
                Ok(()) => CommitError::Write(error),
                Err(_) => CommitError::Unknown(error),
            });
        }
        if let Err(error) = self.storage.sync() {
            // What the system failed to write it may call clean now: never trust a second sync.
            let _ = self.storage.truncate(self.on_disk);
            return Err(CommitError::Unknown(error));
        }
        self.on_disk += bytes.len() as u64;
        Ok(())
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.on_disk
    }

    /// The moment of its first step, or `now` before that.
    pub(super) fn first(&self, now: SimTime) -> SimTime {
        self.first.unwrap_or(now)
    }
}
