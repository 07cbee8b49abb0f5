//! The writing thread of a recording.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use reckoning::SimTime;
use reckoning_net::EntityId;
use reckoning_recording::{Birth, Death, ItemEvent, Player, Sample};

use super::columns::BodyColumns;
use super::part::{Batch, CommitError, Naming, Part};
use super::{RecordedBody, RecordedStep, Store};
use crate::clock::instant;
use crate::game::RecordedEvent;
use crate::health::{Health, Worker};
use crate::metrics::Metrics;
use crate::settings::RecordingSettings;

/// Tries to write what is left when the server stops.
const LAST_TRIES: u32 = 4;
const LAST_TRY_AFTER: Duration = Duration::from_millis(100);

/// Gathers steps and writes them.
pub(super) struct RecordingWriter {
    store: Box<dyn Store>,
    naming: Naming,
    columns: BodyColumns,
    settings: RecordingSettings,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    /// `None` between two files, and after one could not be trusted any more.
    part: Option<Part>,
    /// The name of the first file.
    name: String,
    /// What the disk does not have yet.
    batch: Batch,
    /// Everyone who was named so far, for the next file.
    known: BTreeMap<i32, Player>,
    /// Who lives.
    present: BTreeSet<u32>,
    /// Holes in the recording so far: bodies begin a new segment after each.
    gaps: u32,
    /// Whether steps were left out since the last that was gathered.
    gap: bool,
    failing: bool,
}

impl RecordingWriter {
    /// Begins the first file.
    pub(super) fn start(
        mut store: Box<dyn Store>,
        mut naming: Naming,
        columns: BodyColumns,
        settings: &RecordingSettings,
        metrics: Arc<Metrics>,
        health: Arc<Health>,
    ) -> io::Result<Self> {
        let part = naming.begin(store.as_mut(), &[])?;
        metrics.recording_files.inc();
        Ok(Self {
            store,
            naming,
            columns,
            settings: settings.clone(),
            metrics,
            health,
            name: part.name.clone(),
            part: Some(part),
            batch: Batch::default(),
            known: BTreeMap::new(),
            present: BTreeSet::new(),
            gaps: 0,
            gap: false,
            failing: false,
        })
    }

    pub(super) fn file_name(&self) -> &str {
        &self.name
    }

    pub(super) fn run(&mut self, queue: &Receiver<RecordedStep>) {
        let mut due = instant() + self.settings.write_every;
        loop {
            let wait = due.saturating_duration_since(instant());
            self.health.beat(Worker::Recording, self.health.now() + wait);
            match queue.recv_timeout(wait) {
                Ok(step) => self.take(&step),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if instant() >= due {
                self.write();
                due = instant() + self.settings.write_every;
            }
        }
        self.finish();
    }

    /// Gathers a step, unless too many wait for the disk already.
    pub(super) fn take(&mut self, step: &RecordedStep) {
        self.name_players(step);
        self.gap |= step.after_gap;
        if self.batch.steps >= self.settings.queued_steps as u64 {
            self.metrics.recording_failed.inc();
            self.gap = true;
        } else {
            if std::mem::take(&mut self.gap) {
                self.gaps += 1;
            }
            self.gather(step);
        }
        self.metrics.recording_waiting.set(self.batch.steps);
    }

    fn name_players(&mut self, step: &RecordedStep) {
        for (id, name) in &step.names {
            let team = step.bodies.iter().find(|body| body.id == *id).map_or(-1, |body| body.team);
            let player = Player { id: id.cast_signed(), team, name: name.clone() };
            self.known.insert(player.id, player.clone());
            self.batch.players.push(player);
        }
    }

    fn gather(&mut self, step: &RecordedStep) {
        let living = step.bodies.iter().filter(|body| body.alive);
        let now: BTreeSet<u32> = living.map(|body| body.id).collect();
        let batch = &mut self.batch;
        for body in &step.bodies {
            let id = body.id.cast_signed();
            if body.alive && !self.present.contains(&body.id) {
                batch.births.push(Birth { at: step.at, id, position: body.position });
            }
            let begin = || self.columns.track(body);
            let track = batch.tracks.entry(body.id).or_insert_with(begin);
            track.change_team(step.at, body.team);
            self.columns.push(track, sample(step.at, body, self.gaps), body);
        }
        for gone in self.present.difference(&now) {
            let (id, killer) = (gone.cast_signed(), killer_of(*gone, &step.events));
            batch.deaths.push(Death { at: step.at, id, killer });
        }
        batch.item_events.extend(step.events.iter().filter_map(|event| item_event(step.at, event)));
        self.present = now;
        batch.steps += 1;
        batch.last = step.at;
    }

    /// Writes what waits, and begins a new file when this one is long enough.
    pub(super) fn write(&mut self) {
        self.health.beat_now(Worker::Recording);
        if self.batch.is_empty() {
            return;
        }
        match self.try_write() {
            Ok(()) => self.handle_written(),
            Err(error) => self.handle_failure(&error),
        }
    }

    fn try_write(&mut self) -> Result<(), CommitError> {
        if self.part.is_none() {
            let known: Vec<Player> = self.known.values().cloned().collect();
            let begun = self.naming.begin(self.store.as_mut(), &known);
            self.part = Some(begun.map_err(CommitError::Write)?);
            self.metrics.recording_files.inc();
        }
        let Some(part) = &mut self.part else { return Ok(()) };
        part.write(&self.batch)
    }

    fn handle_written(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.metrics.recorded_steps.inc_by(batch.steps);
        self.metrics.recording_waiting.set(0);
        if std::mem::take(&mut self.failing) {
            let failed = self.metrics.recording_failed.get();
            tracing::warn!(failed, "recording goes on");
            self.health.set_trouble(None);
        }
        let full = self.part.as_ref().is_some_and(|part| {
            let span = batch.last.saturating_since(part.first(batch.last));
            part.bytes() >= self.settings.rotate_bytes || span >= self.settings.rotate_after
        });
        if full {
            self.rotate();
        }
    }

    fn rotate(&mut self) {
        let Some(mut part) = self.part.take() else { return };
        match part.finish() {
            Ok(()) => {}
            // It stays the current one, and is closed after the next write.
            Err(CommitError::Write(error)) => {
                self.part = Some(part);
                self.note(&error);
            }
            Err(error @ CommitError::Unknown(_)) => self.give_up_part(part, error.io()),
        }
    }

    fn handle_failure(&mut self, error: &CommitError) {
        self.note(error.io());
        if matches!(error, CommitError::Unknown(_))
            && let Some(part) = self.part.take()
        {
            self.give_up_part(part, error.io());
        }
    }

    /// Leaves a file behind as it was synced last.
    fn give_up_part(&mut self, part: Part, error: &io::Error) {
        tracing::error!(%error, file = part.name, "file left unclosed, the next one goes on");
        self.metrics.recording_unclosed.inc();
        drop(part);
    }

    /// Counts and tells a failure, once for all that follow without a success between.
    fn note(&mut self, error: &io::Error) {
        self.metrics.recording_errors.inc();
        self.health.set_trouble(Some(format!("recording: {error}")));
        if !std::mem::replace(&mut self.failing, true) {
            tracing::error!(%error, "recording failed, it is tried again");
        }
    }

    /// Writes what is left and closes the file, as far as the disk allows.
    fn finish(&mut self) {
        for left in (0..LAST_TRIES).rev() {
            self.write();
            if self.batch.is_empty() || left == 0 {
                break;
            }
            thread::sleep(LAST_TRY_AFTER);
        }
        self.metrics.recording_failed.inc_by(self.batch.steps);
        self.metrics.recording_waiting.set(0);
        self.batch = Batch::default();
        let Some(mut part) = self.part.take() else { return };
        if let Err(error) = part.finish() {
            self.note(error.io());
            self.give_up_part(part, error.io());
        }
    }
}

fn killer_of(entity: u32, events: &[RecordedEvent]) -> Option<i32> {
    events.iter().find_map(|event| match event {
        RecordedEvent::Killed { entity: EntityId(of), by } if *of == entity => {
            Some(by.0.cast_signed())
        }
        _ => None,
    })
}

fn item_event(at: SimTime, event: &RecordedEvent) -> Option<ItemEvent> {
    let (item, taken_by) = match *event {
        RecordedEvent::ItemTaken { item, by } => (item, Some(by.0.cast_signed())),
        RecordedEvent::ItemReturned { item } => (item, None),
        RecordedEvent::Killed { .. } => return None,
    };
    Some(ItemEvent { at, item, taken_by })
}

fn sample(at: SimTime, body: &RecordedBody, gaps: u32) -> Sample {
    Sample {
        at,
        position: body.position,
        yaw_rad: Some(body.yaw_rad),
        health: body.health,
        ammo: body.ammo,
        segment: body.segment.wrapping_add(gaps),
        alive: body.alive,
        height_known: true,
    }
}
