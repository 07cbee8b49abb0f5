//! `reckon dis record`: an exercise as a session file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::thread;
use std::time::Duration;

use reckoning_dis::wire::EntityId;
use reckoning_recording::{
    Meta, ORIENTATION_COLUMNS, Player, Sample, SessionWriter, Track, VELOCITY_COLUMNS, joint_column,
};
use reckoning_server::Clock;

use super::exercise::Exercise;
use crate::args::DisRecord;
use crate::failure::Failure;
use crate::say;

const WRITE_EVERY: Duration = Duration::from_secs(1);

pub fn run(command: &DisRecord) -> Result<(), Failure> {
    let named = |error| Failure::File { path: command.file.clone(), error };
    let file = File::create_new(&command.file).map_err(named)?;
    let mut meta = Meta::default();
    (meta.rate_hz, meta.dims, meta.body_width) = (f64::from(command.rate), 3, 3.0);
    meta.units = "m".to_string();
    let session = format!("exercise {}", command.exercise.number);
    let mut writer =
        SessionWriter::start(BufWriter::new(file), "dis", &session, &meta).map_err(named)?;
    let clock = Clock::start();
    let mut exercise = Exercise::join(&command.exercise, clock.now())?;
    let (mut tracks, mut numbers) = (BTreeMap::new(), BTreeMap::new());
    let (mut samples, mut due, mut written) = (0_u64, clock.now(), clock.now());
    loop {
        let now = clock.now();
        exercise.receive(now)?;
        while exercise.gateway.poll_event().is_some() {}
        if now >= due {
            due += Duration::from_secs(1) / command.rate;
            let joined = sample(&exercise, now, (&mut tracks, &mut numbers));
            writer.players(&joined).map_err(named)?;
        }
        if now.saturating_since(written) >= WRITE_EVERY || exercise.is_over(now) {
            written = now;
            for (_, track) in std::mem::take(&mut tracks) {
                samples += track.samples.len() as u64;
                writer.samples(&track).map_err(named)?;
            }
        }
        if exercise.is_over(now) {
            writer.finish().map_err(named)?;
            let bodies = numbers.len();
            say(&format!("{}: {bodies} entities, {samples} samples\n", command.file.display()))?;
            return say(&exercise.summary());
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Adds a sample of each entity, and tells who is new.
fn sample(
    exercise: &Exercise,
    now: reckoning::SimTime,
    (tracks, numbers): (&mut BTreeMap<EntityId, Track>, &mut BTreeMap<EntityId, i32>),
) -> Vec<Player> {
    let mut joined = Vec::new();
    for (id, entity) in exercise.gateway.entities() {
        let count = i32::try_from(numbers.len()).unwrap_or(i32::MAX);
        let team = entity.team().map_or(-1, i32::from);
        let number = *numbers.entry(id).or_insert_with(|| {
            let marking = entity.state().marking.text();
            let name = if marking.is_empty() { id.to_string() } else { marking };
            joined.push(Player { id: count, team, name });
            count
        });
        let track = tracks.entry(id).or_insert_with(|| Track::new(number, team, &[]));
        let is = entity.kinematics_at(now);
        let ahead = is.orientation * reckoning::DVec3::X;
        let sample = Sample {
            at: now,
            position: is.position,
            yaw_rad: Some(reckoning::math::atan2(ahead.y, ahead.x) as f32),
            alive: !entity.state().is_destroyed(),
            height_known: true,
            ..Sample::default()
        };
        let turn = [is.orientation.w, is.orientation.x, is.orientation.y, is.orientation.z];
        let mut extras: Vec<(String, f32)> = Vec::new();
        for (name, value) in VELOCITY_COLUMNS.iter().zip(is.velocity.to_array()) {
            extras.push(((*name).to_string(), value as f32));
        }
        for (name, value) in ORIENTATION_COLUMNS.iter().zip(turn) {
            extras.push(((*name).to_string(), value as f32));
        }
        for joint in entity.joints_at(now) {
            extras.push((joint_column(&joint.name), joint.angle_rad as f32));
        }
        let extras: Vec<(&str, f32)> =
            extras.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        track.push_named(sample, &extras);
        track.set_last_kind(entity.kind());
    }
    joined
}
