//! A recording of a real server says how tanks stood on their slope and where they aimed.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, process, thread};

use reckoning::orientation::shortest_turn_rad;
use reckoning::{DQuat, DVec3, Kinematics, SimTime};
use reckoning_net::{EntityId, Host, HostEvent, Owner};
use reckoning_recording::{Recording, load_file};
use reckoning_server::{Game, Server, Settings};

const KINDS: &str = "listen = '127.0.0.1:0'\nlog = 'error'\n\
    [[kind]]\nname = 'tank'\n[[kind.joint]]\nname = 'turret'\n[[kind.joint]]\nname = 'barrel'\n\
    [[kind]]\nname = 'bird'\n";
/// How steep the slope is, and how fast tank and turret turn on it.
const SLOPE_RAD: f64 = 0.3;
const TURN_RADPS: f64 = 0.5;
const AIM_RADPS: f64 = -0.8;

/// A tank that goes round in a circle on a slope, and a bird above it.
#[derive(Default)]
struct Slope {
    tank: Option<EntityId>,
}

fn slope() -> DQuat {
    DQuat::from_rotation_y(-SLOPE_RAD)
}

fn tank_at(now: SimTime) -> Kinematics {
    let turned = DQuat::from_rotation_z(TURN_RADPS * now.as_secs_f64());
    let mut seen = Kinematics::at_rest(now, DVec3::new(1.0, 2.0, 3.0));
    seen.orientation = slope() * turned;
    seen.angular_velocity = slope() * DVec3::Z * TURN_RADPS;
    seen
}

impl Game for Slope {
    fn event(&mut self, _: SimTime, _: &HostEvent, _: &mut Host) {}

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        let tank = *self.tank.get_or_insert_with(|| {
            let kind = |name| host.config().kinds.named(name).unwrap();
            let (tank, bird) = (kind("tank"), kind("bird"));
            let above = Kinematics::at_rest(now, DVec3::Z * 50.0);
            host.spawn_kind(now, bird, Owner::Host, &[], &above).unwrap();
            host.spawn_kind(now, tank, Owner::Host, &[], &tank_at(now)).unwrap()
        });
        host.observe(tank, &tank_at(now));
        host.aim(now, tank, "turret", AIM_RADPS * now.as_secs_f64(), AIM_RADPS);
    }
}

fn record(folder: &Path) -> Recording {
    let mut settings = Settings::from_toml(KINDS).unwrap();
    settings.recording.folder = Some(folder.to_path_buf());
    let server = Server::new(settings).start(Slope::default()).unwrap();
    let path = server.recording().unwrap().to_path_buf();
    thread::sleep(Duration::from_millis(1_500));
    server.stop();
    load_file(&path).unwrap()
}

fn folder() -> PathBuf {
    let folder = env::temp_dir().join(format!("reckoning-poses-{}", process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn a_server_records_orientation_joints_and_kinds_of_its_bodies() {
    let folder = folder();
    let recording = record(&folder);
    fs::remove_dir_all(folder).unwrap();
    let kind_of =
        |name: &str| recording.tracks.iter().find(|track| track.last_kind() == Some(name)).unwrap();
    let (tank, bird) = (kind_of("tank"), kind_of("bird"));
    assert!(tank.samples.len() > 10, "{}", tank.samples.len());
    for (sample, seen) in tank.samples.iter().enumerate() {
        let truth = tank_at(seen.at).orientation;
        let off_rad = tank.orientation(sample).angle_between(truth);
        // What the host publishes may be off by its threshold; the truth is a tick old at most.
        assert!(off_rad < 0.06, "{off_rad} at {}", seen.at);
        let aimed = tank.joint_rad("turret", sample).unwrap();
        let off_rad = shortest_turn_rad(aimed, AIM_RADPS * seen.at.as_secs_f64()).abs();
        assert!(off_rad < 0.09, "{off_rad} at {}", seen.at);
    }
    assert_eq!(tank.joint_rad("barrel", 0), None, "it is never aimed");
    assert!(!bird.has_orientation(), "its yaw says it all");
    assert_eq!(bird.samples[0].position.z, 50.0);
}
