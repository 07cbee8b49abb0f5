//! `reckon dis replay`: a recording as entities of an exercise.

use std::thread;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, Model, SimTime};
use reckoning_dis::gateway::{BodyState, JointAngle};
use reckoning_recording::{Recording, Track, load_file};
use reckoning_server::Clock;

use super::exercise::Exercise;
use super::failed;
use crate::args::DisReplay;
use crate::failure::Failure;
use crate::say;

const FRAME: Duration = Duration::from_micros(16_667);
/// Bits 3 and 4 of the appearance of platforms: destroyed.
const DESTROYED: u32 = 3 << 3;

pub fn run(command: &DisReplay) -> Result<(), Failure> {
    let recording = load_file(&command.file).map_err(|error| failed(error.to_string()))?;
    let Some((first, last)) = recording.span() else {
        return Err(Failure::NothingInPart { path: command.file.clone() });
    };
    let clock = Clock::start();
    let mut exercise = Exercise::join(&command.exercise, clock.now())?;
    loop {
        let now = clock.now();
        let at = first + now.saturating_since(SimTime::ZERO);
        exercise.receive(now)?;
        while exercise.gateway.poll_event().is_some() {}
        let is_over = at > last || exercise.is_over(now);
        for (number, track) in (0_u32..).zip(&recording.tracks) {
            match place(track, at).filter(|_| !is_over) {
                Some(row) => {
                    publish(&mut exercise, (number, row), track, (at, now), command, &recording);
                }
                None => exercise.gateway.withdraw(now, number),
            }
        }
        exercise.send();
        if is_over {
            return say(&exercise.summary());
        }
        thread::sleep(FRAME);
    }
}

/// The sample before that moment, if the next one continues it.
fn place(track: &Track, at: SimTime) -> Option<usize> {
    let row = track.samples.partition_point(|sample| sample.at <= at).checked_sub(1)?;
    let (this, next) = (track.samples.get(row)?, track.samples.get(row + 1)?);
    (this.segment == next.segment).then_some(row)
}

fn publish(
    exercise: &mut Exercise,
    (number, row): (u32, usize),
    track: &Track,
    (at, now): (SimTime, SimTime),
    command: &DisReplay,
    recording: &Recording,
) {
    let (this, next) = (&track.samples[row], &track.samples[row + 1]);
    let (span_s, since_s) = (next.at.secs_since(this.at), at.secs_since(this.at));
    let share = since_s / span_s.max(1e-6);
    let velocity =
        if span_s > 0.0 { (next.position - this.position) / span_s } else { DVec3::ZERO };
    let truth = Kinematics {
        at: now,
        position: this.position + velocity * since_s,
        velocity,
        orientation: track.orientation(row).slerp(track.orientation(row + 1), share),
        ..Kinematics::default()
    };
    let joints: Vec<JointAngle> = track
        .joints()
        .filter_map(|(name, _)| {
            let (from, to) = (track.joint_rad(name, row)?, track.joint_rad(name, row + 1)?);
            let turn = reckoning::orientation::shortest_turn_rad(from, to);
            let (angle_rad, rate_radps) = (from + turn * share, turn / span_s.max(1e-6));
            Some(JointAngle { name: name.to_string(), angle_rad, rate_radps })
        })
        .collect();
    let player = recording.players.iter().find(|player| player.id == track.id);
    let team = u8::try_from(track.team_at(at)).ok();
    let body = BodyState {
        kind: track.kind(row).unwrap_or(&command.kind),
        truth,
        model: Model::Linear,
        team,
        marking: player.map_or("", |player| player.name.as_str()),
        appearance: if this.alive { 0 } else { DESTROYED },
        joints: &joints,
    };
    exercise.gateway.publish(number, &body);
}
