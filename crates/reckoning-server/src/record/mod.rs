//! Recorder of sessions that never blocks the tick loop.
//!
//! The loop hands over one step at a time into a bounded queue and never waits: a full queue loses
//! the step and counts it. A thread of its own gathers steps and appends them as whole chunks to a
//! session file of the lab (`.reck`) several times a second.
//!
//! **What is on the disk.** Each of these writes is synced before its steps count as recorded, and a
//! new file is synced together with its folder. So a killed server and a power cut lose no more than
//! the time between two writes, and whatever is cut, the file opens and holds everything up to the
//! last sync.
//!
//! **What is not.** A write that fails (a full disk, a bad one) is taken back, kept and tried again
//! with the next; recording goes on as soon as the disk does. Steps that come when too many wait
//! already are counted as failed, so that always
//!
//! ```text
//!   offered = recorded + dropped (the queue was full) + failed (not written) + waiting
//! ```
//!
//! and nothing waits any more once the recorder is finished.

mod columns;
mod part;
mod store;
mod write;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use reckoning::{DVec3, SimTime};

use crate::game::RecordedEvent;
use crate::health::{Health, Worker};
use crate::metrics::Metrics;
use crate::settings::RecordingSettings;

use columns::BodyColumns;
pub(crate) use columns::{RecordedKinds, RecordedPose};
use part::Naming;
pub(crate) use store::{Folder, Storage, Store};
use write::RecordingWriter;

pub use reckoning_recording::{Level, Meta};

/// Events between two steps at most; far more than happen.
const MAX_EVENTS: usize = 4_096;

/// One body at one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RecordedBody {
    /// Its entity.
    pub(crate) id: u32,
    /// Where it is.
    pub(crate) position: DVec3,
    /// How fast it is.
    pub(crate) velocity: DVec3,
    /// Where it faces, counter-clockwise from +x.
    pub(crate) yaw_rad: f32,
    /// Counts up when it is put elsewhere.
    pub(crate) segment: u32,
    /// Its side; -1 is neutral.
    pub(crate) team: i32,
    /// Whether it lives.
    pub(crate) alive: bool,
    /// In the game's own points, if it has such.
    pub(crate) health: Option<f32>,
    pub(crate) ammo: Option<f32>,
    /// How it stands, and what turns on it.
    pub(crate) pose: RecordedPose,
}

/// All bodies at one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RecordedStep {
    /// The moment, on the server's timeline.
    pub(crate) at: SimTime,
    /// Everyone who is there.
    pub(crate) bodies: Vec<RecordedBody>,
    /// The names of those who are new, or have a new one.
    pub(crate) names: Vec<(u32, String)>,
    /// What happened since the step before.
    pub(crate) events: Vec<RecordedEvent>,
    /// Whether the step before it was lost: no motion goes on across the gap.
    pub(crate) after_gap: bool,
}

/// Description of the game in a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingInfo {
    /// Which game.
    pub source: String,
    /// Units, sizes and bounds; the rate is the recorder's own.
    pub meta: Meta,
    /// Walls and items, if the game has such.
    pub level: Option<Level>,
}

impl Default for RecordingInfo {
    /// Bodies of a metre in three dimensions.
    fn default() -> Self {
        let mut meta = Meta::default();
        meta.units = "m".to_string();
        meta.body_width = 1.0;
        meta.dims = 3;
        Self { source: "reckoning-server".to_string(), meta, level: None }
    }
}

/// Hands steps to the thread that writes them.
#[derive(Debug)]
pub(crate) struct Recorder {
    steps: Option<SyncSender<RecordedStep>>,
    thread: Option<JoinHandle<()>>,
    metrics: Arc<Metrics>,
    every: Duration,
    next: SimTime,
    path: PathBuf,
    named: BTreeMap<u32, String>,
    /// What happened since the last step that was handed over.
    events: Vec<RecordedEvent>,
    /// Whether the last step was lost.
    lost: bool,
}

impl Recorder {
    /// Begins a file in the folder, if the settings name one.
    ///
    /// # Errors
    /// When the folder or the file cannot be made.
    pub(crate) fn start(
        settings: &RecordingSettings,
        info: &RecordingInfo,
        kinds: RecordedKinds,
        metrics: Arc<Metrics>,
        health: Arc<Health>,
    ) -> io::Result<Option<Self>> {
        let Some(folder) = &settings.folder else { return Ok(None) };
        let store = Box::new(Folder::create(folder)?);
        Self::start_in(store, settings, info, kinds, metrics, health).map(Some)
    }

    /// As [`Recorder::start`], with files wherever `store` puts them.
    pub(crate) fn start_in(
        store: Box<dyn Store>,
        settings: &RecordingSettings,
        info: &RecordingInfo,
        kinds: RecordedKinds,
        metrics: Arc<Metrics>,
        health: Arc<Health>,
    ) -> io::Result<Self> {
        let naming = Naming::new(info, settings.rate_hz);
        let (steps, queue) = sync_channel(settings.queued_steps);
        let beats = health.clone();
        let columns = BodyColumns::new(kinds, info.meta.dims);
        let mut writer =
            RecordingWriter::start(store, naming, columns, settings, metrics.clone(), health)?;
        let path = settings.folder.clone().unwrap_or_default().join(writer.file_name());
        let thread = thread::Builder::new()
            .name(Worker::Recording.to_string())
            .spawn(move || beats.run(Worker::Recording, || writer.run(&queue)))?;
        let every = Duration::from_secs(1) / settings.rate_hz;
        let (steps, thread, named) = (Some(steps), Some(thread), BTreeMap::new());
        let (next, lost, events) = (SimTime::ZERO, false, Vec::new());
        Ok(Self { steps, thread, metrics, every, next, path, named, events, lost })
    }

    /// The first file that is written.
    #[must_use]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a step at `now` would be recorded, so that nobody gathers one in vain.
    #[must_use]
    pub(crate) fn wants(&self, now: SimTime) -> bool {
        now >= self.next
    }

    /// Whether a step must name this body: it was not there before, or had another name.
    pub(crate) fn is_new(&mut self, id: u32, name: &str) -> bool {
        let known = self.named.get(&id).is_some_and(|known| known == name);
        if !known {
            self.named.insert(id, name.to_string());
        }
        !known
    }

    /// Keeps what happened for the next step; what does not fit is not in the recording.
    pub(crate) fn note(&mut self, event: RecordedEvent) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }

    /// Hands over a step. Never waits.
    pub(crate) fn record(&mut self, mut step: RecordedStep) {
        // On the grid of the rate, so that a step a little late does not shift the rest.
        let since = step.at.saturating_since(self.next);
        let missed = (since.as_micros() / self.every.as_micros().max(1)) as u32;
        self.next += self.every * missed.saturating_add(1);
        let Some(steps) = &self.steps else { return };
        step.after_gap = self.lost;
        step.events = std::mem::take(&mut self.events);
        self.metrics.recording_offered.inc();
        let refused = match steps.try_send(step) {
            Ok(()) => {
                self.lost = false;
                return;
            }
            Err(TrySendError::Full(step)) => {
                self.metrics.recording_drops.inc();
                step
            }
            Err(TrySendError::Disconnected(step)) => {
                self.metrics.recording_failed.inc();
                step
            }
        };
        // Who was named in it must be named again, and an item that was taken stays so.
        self.lost = true;
        self.events = refused.events;
        for (id, _) in &refused.names {
            self.named.remove(id);
        }
    }

    /// Writes what waits and marks the file as complete.
    pub(crate) fn finish(mut self) {
        self.close();
    }

    fn close(&mut self) {
        self.steps = None;
        let Some(thread) = self.thread.take() else { return };
        // A panic was noted by the thread; what waited then is counted here.
        let _ = thread.join();
        let count = &self.metrics;
        let known = count.recorded_steps.get() + count.recording_drops.get();
        let rest = count.recording_offered.get().saturating_sub(known);
        count.recording_failed.inc_by(rest.saturating_sub(count.recording_failed.get()));
        count.recording_waiting.set(0);
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod faults;
#[cfg(test)]
pub(crate) mod tests;
