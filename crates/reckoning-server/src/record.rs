//! Recorder of sessions that never blocks the tick loop.
//!
//! The loop hands over one step at a time into a bounded queue and never waits: a full queue loses
//! the step and counts it. A thread of its own gathers steps and appends whole chunks to a session
//! file of the lab (`.reck`) several times a second, each flushed, so a killed server loses no more
//! than the time between two writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use reckoning::{DVec3, SimTime};
use reckoning_recording::{Birth, Death, Player, Sample, SessionWriter, Track, VELOCITY_COLUMNS};

use crate::clock::{instant, unix_seconds};
use crate::metrics::Metrics;
use crate::settings::RecordingSettings;

pub use reckoning_recording::{Level, Meta};

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
}

impl Recorder {
    /// Begins a file in the folder, if the settings name one.
    ///
    /// # Errors
    /// When the folder or the file cannot be made.
    pub(crate) fn start(
        settings: &RecordingSettings,
        info: &RecordingInfo,
        metrics: Arc<Metrics>,
    ) -> io::Result<Option<Self>> {
        let Some(folder) = &settings.folder else { return Ok(None) };
        let (path, writer) = begin(folder, settings.rate_hz, info)?;
        let (steps, queue) = sync_channel(settings.queued_steps);
        let mut recording = RecordingWriter {
            writer,
            metrics: metrics.clone(),
            ..RecordingWriter::new(settings.write_every)
        };
        let thread = thread::Builder::new()
            .name("recording".to_string())
            .spawn(move || recording.run(&queue))?;
        let every = Duration::from_secs(1) / settings.rate_hz;
        let (steps, thread, named) = (Some(steps), Some(thread), BTreeMap::new());
        Ok(Some(Self { steps, thread, metrics, every, next: SimTime::ZERO, path, named }))
    }

    /// The file that is written.
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

    /// Hands over a step. Never waits.
    pub(crate) fn record(&mut self, step: RecordedStep) {
        // On the grid of the rate, so that a step a little late does not shift the rest.
        let since = step.at.saturating_since(self.next);
        let missed = (since.as_micros() / self.every.as_micros().max(1)) as u32;
        self.next += self.every * missed.saturating_add(1);
        let Some(steps) = &self.steps else { return };
        match steps.try_send(step) {
            Ok(()) => {
                self.metrics.recorded_steps.inc();
            }
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.metrics.recording_drops.inc();
            }
        }
    }

    /// Writes what waits and marks the file as complete.
    pub(crate) fn finish(mut self) {
        self.close();
    }

    fn close(&mut self) {
        self.steps = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the writer was counted nowhere else.
            if thread.join().is_err() {
                self.metrics.recording_errors.inc();
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.close();
    }
}

/// A new file; the name of the second is not enough when two servers start in it.
fn begin(folder: &Path, rate_hz: u32, info: &RecordingInfo) -> io::Result<(PathBuf, SessionFile)> {
    fs::create_dir_all(folder)?;
    let started = unix_seconds();
    for number in 0..1_000 {
        let session = format!("session-{started}-{number}");
        let path = folder.join(format!("{session}.reck"));
        let file = match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            file => file?,
        };
        let mut meta = info.meta.clone();
        meta.rate_hz = f64::from(rate_hz);
        let out = BufWriter::new(file);
        let mut writer = SessionWriter::start(out, &info.source, &session, &meta)?;
        if let Some(level) = &info.level {
            writer.level(level)?;
        }
        return Ok((path, Some(writer)));
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "a thousand sessions began in one second"))
}

type SessionFile = Option<SessionWriter<BufWriter<File>>>;

/// The writing thread's side.
struct RecordingWriter {
    /// `None` once writing failed; what comes later is counted as an error.
    writer: SessionFile,
    metrics: Arc<Metrics>,
    write_every: Duration,
    tracks: BTreeMap<u32, Track>,
    /// Who lives.
    present: BTreeSet<u32>,
    players: Vec<Player>,
    births: Vec<Birth>,
    deaths: Vec<Death>,
}

impl RecordingWriter {
    fn new(write_every: Duration) -> Self {
        Self {
            writer: None,
            metrics: Arc::default(),
            write_every,
            tracks: BTreeMap::new(),
            present: BTreeSet::new(),
            players: Vec::new(),
            births: Vec::new(),
            deaths: Vec::new(),
        }
    }

    fn run(&mut self, queue: &Receiver<RecordedStep>) {
        let mut due = instant() + self.write_every;
        loop {
            match queue.recv_timeout(due.saturating_duration_since(instant())) {
                Ok(step) => self.gather(&step),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if instant() >= due {
                self.write();
                due = instant() + self.write_every;
            }
        }
        self.write();
        let finished = self.writer.take().map(SessionWriter::finish);
        if let Some(Err(error)) = finished {
            self.fail(&error);
        }
    }

    fn gather(&mut self, step: &RecordedStep) {
        if self.writer.is_none() {
            return; // nothing to gather for once writing failed
        }
        let living = step.bodies.iter().filter(|body| body.alive);
        let now: BTreeSet<u32> = living.map(|body| body.id).collect();
        for body in &step.bodies {
            let id = body.id.cast_signed();
            if body.alive && !self.present.contains(&body.id) {
                self.births.push(Birth { at: step.at, id, position: body.position });
            }
            let begin = || Track::new(id, body.team, &VELOCITY_COLUMNS);
            let track = self.tracks.entry(body.id).or_insert_with(begin);
            track.change_team(step.at, body.team);
            track.push(sample(step.at, body), &body.velocity.as_vec3().to_array());
        }
        for (id, name) in &step.names {
            let team = step.bodies.iter().find(|body| body.id == *id).map_or(-1, |body| body.team);
            self.players.push(Player { id: id.cast_signed(), team, name: name.clone() });
        }
        for gone in self.present.difference(&now) {
            self.deaths.push(Death { at: step.at, id: gone.cast_signed(), killer: None });
        }
        self.present = now;
    }

    fn write(&mut self) {
        let Some(writer) = &mut self.writer else { return };
        let written = writer
            .players(&self.players)
            .and_then(|()| append(writer, &self.births, &self.tracks, &self.deaths));
        self.players.clear();
        self.births.clear();
        self.deaths.clear();
        self.tracks.clear();
        if let Err(error) = written {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &io::Error) {
        tracing::error!(%error, "recording failed, the rest of the session is not recorded");
        self.metrics.recording_errors.inc();
        self.writer = None;
    }
}

fn append(
    writer: &mut SessionWriter<BufWriter<File>>,
    births: &[Birth],
    tracks: &BTreeMap<u32, Track>,
    deaths: &[Death],
) -> io::Result<()> {
    writer.births(births)?;
    tracks.values().try_for_each(|track| writer.samples(track))?;
    writer.deaths(deaths)
}

fn sample(at: SimTime, body: &RecordedBody) -> Sample {
    Sample {
        at,
        position: body.position,
        yaw_rad: Some(body.yaw_rad),
        segment: body.segment,
        alive: body.alive,
        height_known: true,
        ..Sample::default()
    }
}

#[cfg(test)]
mod tests {
    use reckoning_recording::open_session;

    use super::*;
    use crate::settings::Settings;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("reckoning-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn settings(folder: &Path, queued_steps: usize) -> RecordingSettings {
        let mut recording = Settings::default().recording;
        recording.folder = Some(folder.to_path_buf());
        recording.queued_steps = queued_steps;
        recording
    }

    fn step(millis: i64, ids: &[u32]) -> RecordedStep {
        let at = SimTime::from_millis(millis);
        let position = DVec3::X * at.as_secs_f64();
        let (yaw_rad, segment, team, alive) = (0.5, 0, -1, true);
        let velocity = DVec3::X * 2.0;
        let body =
            |id: &u32| RecordedBody { id: *id, position, velocity, yaw_rad, segment, team, alive };
        RecordedStep { at, bodies: ids.iter().map(body).collect(), names: Vec::new() }
    }

    #[test]
    fn a_recorded_session_opens_in_the_lab() {
        let folder = folder("opens");
        let mut recorder = start(&folder, 256, Arc::default());
        for tick in 0..20 {
            let now = SimTime::from_millis(tick * 50);
            assert!(recorder.wants(now), "{now}");
            recorder.record(step(tick * 50, if tick < 10 { &[1, 2] } else { &[2] }));
            assert!(!recorder.wants(now + Duration::from_millis(16)));
        }
        let path = recorder.path().to_path_buf();
        recorder.finish();

        let opened = open_session(&fs::read(path).unwrap()).unwrap();
        let recording = opened.recording;
        assert_eq!(opened.truncated_at, None);
        assert_eq!(recording.track(1).unwrap().samples.len(), 10);
        assert_eq!(recording.track(2).unwrap().samples.len(), 20);
        let speeds = &recording.track(2).unwrap().column("vx").unwrap().values;
        assert_eq!(*speeds, [2.0; 20]);
        assert_eq!((recording.births.len(), recording.deaths.len()), (2, 1));
        assert_eq!(recording.deaths[0].at, SimTime::from_millis(500));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_full_queue_loses_steps_and_counts_them() {
        let folder = folder("full");
        let metrics = Arc::new(Metrics::default());
        let recorder = start(&folder, 2, metrics.clone());
        // A recorder whose thread reads nothing.
        let (steps, _unread) = sync_channel(2);
        let mut stuck = stuck_copy(&recorder, steps);
        for tick in 0..5 {
            stuck.record(step(tick * 50, &[1]));
        }
        assert_eq!((metrics.recorded_steps.get(), metrics.recording_drops.get()), (2, 3));
        recorder.finish();
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn sides_names_lives_and_places_are_recorded_as_the_game_tells_them() {
        let folder = folder("roles");
        let mut recorder = start(&folder, 256, Arc::default());
        for tick in 0..9 {
            let mut step = step(tick * 50, &[4]);
            // It dies in the fourth step and lives elsewhere from the seventh on.
            step.bodies[0].alive = !(3..6).contains(&tick);
            step.bodies[0].segment = u32::from(tick >= 3) + u32::from(tick >= 6);
            step.bodies[0].team = 1;
            if recorder.is_new(4, "Ada") {
                step.names.push((4, "Ada".to_string()));
            }
            recorder.record(step);
        }
        let path = recorder.path().to_path_buf();
        recorder.finish();

        let recording = open_session(&fs::read(path).unwrap()).unwrap().recording;
        let named = Player { id: 4, team: 1, name: "Ada".to_string() };
        assert_eq!(recording.players, [named]);
        let track = recording.track(4).unwrap();
        assert_eq!((track.team, track.segments().count()), (1, 3));
        assert_eq!(track.samples.iter().filter(|sample| sample.alive).count(), 6);
        assert_eq!((recording.births.len(), recording.deaths.len()), (2, 1));
        assert_eq!(recording.births[1].at, SimTime::from_millis(300));
        fs::remove_dir_all(folder).unwrap();
    }

    fn start(folder: &Path, queued_steps: usize, metrics: Arc<Metrics>) -> Recorder {
        let settings = settings(folder, queued_steps);
        Recorder::start(&settings, &RecordingInfo::default(), metrics).unwrap().unwrap()
    }

    fn stuck_copy(it: &Recorder, steps: SyncSender<RecordedStep>) -> Recorder {
        let (metrics, path, steps) = (it.metrics.clone(), it.path.clone(), Some(steps));
        let named = BTreeMap::new();
        Recorder { steps, thread: None, metrics, every: it.every, next: it.next, path, named }
    }
}
