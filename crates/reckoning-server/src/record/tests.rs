use std::fs;

use reckoning_recording::{Player, open_session};

use super::*;
use crate::clock::Clock;
use crate::settings::Settings;
use reckoning::DQuat;
use reckoning_net::{
    EntityId, JointKind, JointSource, Kind, KindId, Kinds, MAX_SENT_JOINTS, SentJoint,
};

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

/// Of no kind, as it stands in a flat game.
pub(crate) fn upright() -> RecordedPose {
    let joints_rad = [f32::NAN; MAX_SENT_JOINTS];
    RecordedPose { orientation: DQuat::IDENTITY, kind: KindId::NONE, joints_rad }
}

pub(super) fn step(millis: i64, ids: &[u32]) -> RecordedStep {
    let at = SimTime::from_millis(millis);
    let position = DVec3::X * at.as_secs_f64();
    let (yaw_rad, segment, team, alive) = (0.5, 0, -1, true);
    let velocity = DVec3::X * 2.0;
    let (health, ammo) = (None, None);
    let body = |id: &u32| {
        let id = *id;
        let pose = upright();
        RecordedBody { id, position, velocity, yaw_rad, segment, team, alive, health, ammo, pose }
    };
    RecordedStep { at, bodies: ids.iter().map(body).collect(), ..RecordedStep::default() }
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
fn health_ammunition_items_and_killers_are_in_the_recording() {
    let folder = folder("events");
    let mut recorder = start(&folder, 256, Arc::default());
    for tick in 0..4 {
        let mut step = step(tick * 50, if tick < 2 { &[1, 2] } else { &[2] });
        for body in &mut step.bodies {
            (body.health, body.ammo) = (Some(90.0 - tick as f32), Some(3.0));
        }
        match tick {
            1 => recorder.note(RecordedEvent::ItemTaken { item: 4, by: EntityId(1) }),
            2 => recorder.note(RecordedEvent::Killed { entity: EntityId(1), by: EntityId(2) }),
            3 => recorder.note(RecordedEvent::ItemReturned { item: 4 }),
            _ => {}
        }
        recorder.record(step);
    }
    let path = recorder.path().to_path_buf();
    recorder.finish();

    let recording = open_session(&fs::read(path).unwrap()).unwrap().recording;
    let samples = &recording.track(2).unwrap().samples;
    assert_eq!(samples.iter().map(|it| it.health).collect::<Vec<_>>()[3], Some(87.0));
    assert!(samples.iter().all(|it| it.ammo == Some(3.0)));
    let takers: Vec<_> = recording.item_events.iter().map(|it| (it.item, it.taken_by)).collect();
    assert_eq!(takers, [(4, Some(1)), (4, None)]);
    assert_eq!((recording.deaths[0].id, recording.deaths[0].killer), (1, Some(2)));
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
    assert_eq!((metrics.recording_offered.get(), metrics.recording_drops.get()), (5, 3));
    recorder.finish();
    assert_eq!((metrics.recorded_steps.get(), metrics.recording_failed.get()), (0, 2));
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
    let health = Arc::new(Health::new(Clock::start()));
    let info = RecordingInfo::default();
    let kinds = RecordedKinds::new(&tank_and_car());
    Recorder::start(&settings, &info, kinds, metrics, health).unwrap().unwrap()
}

fn stuck_copy(it: &Recorder, steps: SyncSender<RecordedStep>) -> Recorder {
    let (metrics, path, steps) = (it.metrics.clone(), it.path.clone(), Some(steps));
    let (named, events, lost, every) = (BTreeMap::new(), Vec::new(), false, it.every);
    Recorder { steps, thread: None, metrics, every, next: it.next, path, named, events, lost }
}

/// A car without joints and a tank with two that are sent and one that is not.
fn tank_and_car() -> Kinds {
    let mut kinds = Kinds::default();
    kinds.add("car", Kind::default()).unwrap();
    let wheel = JointSource::Wheel { hub: DVec3::X, radius_m: 0.4 };
    let mut tank = Kind::default();
    tank.joints = vec![
        JointKind::sent("turret", SentJoint::default()),
        JointKind::derived("wheel", wheel),
        JointKind::sent("barrel", SentJoint::default()),
    ];
    kinds.add("tank", tank).unwrap();
    kinds
}

/// It rolls on level ground, climbs from the third step on and is a tank from the fifth on; each
/// step is a chunk of its own.
#[test]
fn a_body_that_tilts_and_becomes_another_keeps_what_was_known_before() {
    let folder = folder("tilts");
    let mut settings = settings(&folder, 256);
    settings.write_every = Duration::ZERO;
    let health = Arc::new(Health::new(Clock::start()));
    let (info, metrics) = (RecordingInfo::default(), Arc::new(Metrics::default()));
    let kinds = tank_and_car();
    let recorded = RecordedKinds::new(&kinds);
    let recorder = Recorder::start(&settings, &info, recorded, metrics.clone(), health);
    let mut recorder = recorder.unwrap().unwrap();
    for tick in 0..8 {
        let mut step = step(tick * 50, &[1]);
        let pose = &mut step.bodies[0].pose;
        pose.kind = kinds.named(if tick < 4 { "car" } else { "tank" }).unwrap();
        pose.orientation = DQuat::from_rotation_y(if tick < 2 { 0.0 } else { -0.3 });
        pose.joints_rad[0] = if tick < 4 { f32::NAN } else { 0.5 };
        recorder.record(step);
        let written = || metrics.recorded_steps.get() > tick as u64;
        while !written() {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let path = recorder.path().to_path_buf();
    recorder.finish();

    let recording = open_session(&fs::read(path).unwrap()).unwrap().recording;
    let track = recording.track(1).unwrap();
    let up = |sample| (track.orientation(sample) * DVec3::X).z;
    let yaw_only = (up(0), up(1));
    assert!(yaw_only.0.abs() < 1e-9 && yaw_only.1.abs() < 1e-9, "{yaw_only:?}");
    assert!((2..8).all(|sample| (up(sample) - 0.295_52).abs() < 1e-4), "{}", up(2));
    let words: Vec<_> = (0..8).filter_map(|sample| track.kind(sample)).collect();
    assert_eq!(words, ["car", "car", "car", "car", "tank", "tank", "tank", "tank"]);
    let turret: Vec<_> = (0..8).filter_map(|sample| track.joint_rad("turret", sample)).collect();
    assert_eq!(turret, [0.5; 4]);
    assert_eq!(track.joint_rad("barrel", 7), None, "it was never aimed");
    assert!(track.column("joint:wheel").is_none(), "watchers derive it");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn upright_bodies_of_no_kind_have_the_columns_they_had() {
    let folder = folder("upright");
    let mut recorder = start(&folder, 256, Arc::default());
    recorder.record(step(0, &[1]));
    let path = recorder.path().to_path_buf();
    recorder.finish();
    let recording = open_session(&fs::read(path).unwrap()).unwrap().recording;
    let names: Vec<_> = recording.tracks[0].extras.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["vx", "vy", "vz"]);
    fs::remove_dir_all(folder).unwrap();
}
