//! Recordings on disks that fill up, fail and lose power.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard};

use reckoning_recording::{Recording, open_session};

use super::columns::BodyColumns;
use super::part::Naming;
use super::tests::step;
use super::write::RecordingWriter;
use super::*;
use crate::clock::Clock;
use crate::health::{HealthState, ThreadFailure};
use crate::settings::Settings;

/// A disk that does what a test wants.
#[derive(Clone, Default)]
struct FaultyDisk(Arc<Mutex<Disk>>);

#[derive(Default)]
struct Disk {
    files: BTreeMap<String, Vec<u8>>,
    /// Bytes of each file that are synced.
    synced: BTreeMap<String, usize>,
    /// Bytes that fit; `None` while there is no end of it.
    room: Option<usize>,
    bad_sync: bool,
    bad_truncate: bool,
    panics: bool,
}

impl Disk {
    fn used(&self) -> usize {
        self.files.values().map(Vec::len).sum()
    }
}

impl FaultyDisk {
    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Everything in all files, as they are after a crash of the process.
    fn recordings(&self) -> Vec<Recording> {
        let disk = self.disk();
        disk.files.values().map(|bytes| open_session(bytes).unwrap().recording).collect()
    }
}

fn no_space() -> io::Error {
    io::Error::from(io::ErrorKind::StorageFull)
}

impl Store for FaultyDisk {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Storage>> {
        let mut disk = self.disk();
        if disk.files.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        disk.files.insert(name.to_string(), Vec::new());
        Ok(Box::new(FaultyFile { disk: self.clone(), name: name.to_string() }))
    }

    fn remove(&mut self, name: &str) {
        self.disk().files.remove(name);
    }
}

struct FaultyFile {
    disk: FaultyDisk,
    name: String,
}

impl Storage for FaultyFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut disk = self.disk.disk();
        assert!(!disk.panics, "the disk is on fire");
        let room = disk.room.map_or(usize::MAX, |room| room.saturating_sub(disk.used()));
        let fits = bytes.len().min(room);
        disk.files.get_mut(&self.name).unwrap().extend(&bytes[..fits]);
        if fits < bytes.len() { Err(no_space()) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut disk = self.disk.disk();
        if disk.bad_sync {
            return Err(io::Error::other("input/output error"));
        }
        let length = disk.files[&self.name].len();
        disk.synced.insert(self.name.clone(), length);
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut disk = self.disk.disk();
        if disk.bad_truncate {
            return Err(io::Error::other("input/output error"));
        }
        disk.files.get_mut(&self.name).unwrap().truncate(length as usize);
        Ok(())
    }
}

/// A writer that the test drives by hand, and what it counts.
struct Bench {
    disk: FaultyDisk,
    writer: RecordingWriter,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
    offered: u64,
}

impl Bench {
    fn new(change: impl FnOnce(&mut RecordingSettings)) -> Self {
        let disk = FaultyDisk::default();
        let mut settings = Settings::default().recording;
        change(&mut settings);
        let (metrics, health) = (Arc::<Metrics>::default(), Arc::new(Health::new(Clock::start())));
        let writer = RecordingWriter::start(
            Box::new(disk.clone()),
            Naming::new(&RecordingInfo::default(), settings.rate_hz),
            BodyColumns::default(),
            &settings,
            metrics.clone(),
            health.clone(),
        );
        Self { disk, writer: writer.unwrap(), metrics, health, offered: 0 }
    }

    /// Two bodies for another half second, then a write.
    fn half_second(&mut self) {
        for _ in 0..10 {
            let mut step = step(self.offered.cast_signed() * 50, &[1, 2]);
            if self.offered == 0 {
                step.names.push((1, "Ada".to_string()));
            }
            self.offered += 1;
            self.writer.take(&step);
            self.check_counts();
        }
        self.writer.write();
        self.check_counts();
    }

    /// Nothing is lost without a count, nothing counts twice, and what counts is on the disk.
    fn check_counts(&self) {
        let it = &self.metrics;
        let (recorded, failed) = (it.recorded_steps.get(), it.recording_failed.get());
        let accounted = recorded + failed + it.recording_waiting.get();
        assert_eq!(self.offered, accounted, "recorded {recorded}, failed {failed}");
        assert_eq!(self.on_disk(), recorded);
    }

    /// Steps of body 1 that every power cut leaves.
    fn on_disk(&self) -> u64 {
        let disk = self.disk.disk();
        let steps = disk.files.iter().map(|(name, bytes)| {
            let synced = disk.synced.get(name).copied().unwrap_or(0).min(bytes.len());
            if synced == 0 { 0 } else { steps_in(&bytes[..synced]) }
        });
        steps.sum()
    }
}

/// Steps of body 1 in a file.
fn steps_in(bytes: &[u8]) -> u64 {
    let opened =
        open_session(bytes).unwrap_or_else(|error| panic!("{} bytes: {error}", bytes.len()));
    opened.recording.track(1).map_or(0, |track| track.samples.len() as u64)
}

#[test]
fn a_power_cut_at_any_byte_leaves_everything_up_to_the_last_sync() {
    let mut bench = Bench::new(|_| {});
    let length = |bench: &Bench| bench.disk.disk().files.values().next().unwrap().len();
    let mut synced = vec![(length(&bench), 0)];
    for _ in 0..6 {
        bench.half_second();
        synced.push((length(&bench), bench.metrics.recorded_steps.get()));
    }
    let bytes = bench.disk.disk().files.values().next().unwrap().clone();

    let mut cuts = 0;
    for window in synced.windows(2) {
        let [(from, steps), (to, _)] = *window else { unreachable!() };
        for cut in from..to {
            // Part of what came after it may be there as well.
            assert!(steps_in(&bytes[..cut]) >= steps, "cut at {cut}");
            // The length may reach the disk before the bytes do.
            let mut torn = bytes[..cut].to_vec();
            torn.resize(to.max(cut + 128), 0);
            assert!(steps_in(&torn) >= steps, "zeros from {cut}");
            cuts += 2;
        }
    }
    println!("{cuts} cuts");
    assert!(cuts > 2_000, "{cuts}");
}

#[test]
fn a_full_disk_loses_what_it_must_by_count_and_recording_goes_on_when_space_is_freed() {
    let mut bench = Bench::new(|recording| recording.queued_steps = 25);
    bench.half_second();
    let used = bench.disk.disk().used();
    for room in [used, used + 1, used + 200] {
        bench.disk.disk().room = Some(room);
        bench.half_second();
        let HealthState::Degraded(said) = bench.health.state() else { panic!("it says ok") };
        assert!(said.contains("recording: "), "{said}");
        assert!(bench.disk.disk().used() <= used, "half a write is taken back");
    }
    assert_eq!((bench.metrics.recorded_steps.get(), bench.metrics.recording_failed.get()), (10, 5));
    assert_eq!(bench.metrics.recording_errors.get(), 3);

    bench.disk.disk().room = None;
    bench.half_second();
    bench.half_second();
    assert_eq!(bench.health.state(), HealthState::Ok);
    // Ten before, 25 that were kept; of the ten steps after that none fitted.
    assert_eq!(
        (bench.metrics.recorded_steps.get(), bench.metrics.recording_failed.get()),
        (45, 15)
    );
    let recordings = bench.disk.recordings();
    assert_eq!(recordings.len(), 1);
    let segments: Vec<usize> = recordings[0].track(1).unwrap().segments().map(<[_]>::len).collect();
    assert_eq!(segments, [35, 10], "no motion goes on across the gap");
}

#[test]
fn a_disk_that_cannot_sync_is_never_trusted_again_and_the_next_file_goes_on() {
    for bad_truncate in [false, true] {
        let mut bench = Bench::new(|_| {});
        bench.half_second();
        (bench.disk.disk().bad_sync, bench.disk.disk().bad_truncate) = (true, bad_truncate);
        bench.half_second();
        bench.half_second();
        assert!(matches!(bench.health.state(), HealthState::Degraded(_)));
        (bench.disk.disk().bad_sync, bench.disk.disk().bad_truncate) = (false, false);
        bench.half_second();

        assert_eq!(bench.metrics.recorded_steps.get(), 40);
        assert_eq!(bench.metrics.recording_unclosed.get(), 1);
        let recordings = bench.disk.recordings();
        assert_eq!(recordings.len(), 2);
        assert_eq!(recordings[1].players[0].name, "Ada", "each file names everyone");
        let first = recordings[1].track(1).unwrap().samples[0].at;
        assert_eq!(first, SimTime::from_millis(500), "what was in doubt is there again");
    }
}

#[test]
fn files_rotate_by_size_and_by_time_and_each_opens_alone() {
    let long = Duration::from_secs(1_000);
    for (bytes, after, files) in [(2_000, long, 3..9), (1 << 40, Duration::from_secs(2), 4..5)] {
        let mut bench = Bench::new(|it| (it.rotate_bytes, it.rotate_after) = (bytes, after));
        for _ in 0..16 {
            bench.half_second();
        }
        let recordings = bench.disk.recordings();
        assert!(files.contains(&recordings.len()), "{} files", recordings.len());
        let steps: usize = recordings.iter().map(|it| it.track(1).unwrap().samples.len()).sum();
        assert_eq!(steps, 160);
        assert!(recordings.iter().all(|it| it.players.iter().any(|it| it.name == "Ada")));
        let sessions: Vec<&str> = recordings.iter().map(|it| it.session.as_str()).collect();
        assert!(sessions.is_sorted() && sessions[1].ends_with("-00001"), "{sessions:?}");
        assert_eq!(bench.metrics.recording_files.get() as usize, recordings.len());
    }
}

#[test]
fn a_recorder_that_panics_fails_the_health_check_and_its_steps_are_counted() {
    let (disk, metrics) = (FaultyDisk::default(), Arc::<Metrics>::default());
    let health = Arc::new(Health::new(Clock::start()));
    let mut settings = Settings::default().recording;
    settings.write_every = Duration::from_millis(50);
    let (store, info) = (Box::new(disk.clone()), RecordingInfo::default());
    let recorder = Recorder::start_in(
        store,
        &settings,
        &info,
        RecordedKinds::default(),
        metrics.clone(),
        health.clone(),
    );
    let mut recorder = recorder.unwrap();
    disk.disk().panics = true;
    for tick in 0..5 {
        recorder.record(step(tick * 50, &[1]));
    }
    recorder.finish();

    let HealthState::Failed(ThreadFailure::Panicked { thread, message }) = health.state() else {
        panic!("{}", health.state())
    };
    assert_eq!((thread, message.as_str()), (Worker::Recording, "the disk is on fire"));
    assert_eq!((metrics.recording_offered.get(), metrics.recording_failed.get()), (5, 5));
}
