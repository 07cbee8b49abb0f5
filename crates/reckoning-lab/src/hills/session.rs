//! Games of the hills as recordings: heights, orientations, turrets and kinds.
//!
//! Equal arguments give equal recordings, bit for bit.

use reckoning::orientation::heading_rad;
use reckoning::{DVec3, SimTime};
use reckoning_arena::TICKS_PER_S;
use reckoning_arena::hills::{Body, Craft, HillsBots, HillsEvent, HillsLevel, HillsWorld};
use reckoning_recording::{
    Birth, Bounds, Death, Meta, ORIENTATION_COLUMNS, Player, Recording, Sample, Track,
    VELOCITY_COLUMNS, joint_column,
};

/// Lets bots drive tanks and cars on the level that comes with the arena, and writes down all bodies
/// but shells, sixty times a second.
#[must_use]
pub fn session(tanks: u16, cars: u16, seconds: u32, seed: u64) -> Recording {
    let level = HillsLevel::built_in();
    let mut recording = Recording {
        source: "hills".to_owned(),
        session: format!("hills-{tanks}-{cars}-{seed}"),
        meta: meta_of(&level, seconds),
        ..Recording::default()
    };
    let (mut world, mut bots) = (HillsWorld::new(level, seed), HillsBots::new(seed));
    let crafts = (0..tanks).map(|_| Craft::Tank).chain((0..cars).map(|_| Craft::Car));
    for craft in crafts {
        world.try_join(craft, false);
    }
    enter(&mut recording, world.bodies());
    let mut lives = vec![0; recording.tracks.len()];
    for _ in 0..seconds * TICKS_PER_S {
        let inputs = bots.decide(&world);
        world.step(inputs);
        let at = SimTime::from_tick(world.tick().cast_signed(), TICKS_PER_S);
        for ((track, body), life) in recording.tracks.iter_mut().zip(world.bodies()).zip(&mut lives)
        {
            push_body(track, body, at, life);
        }
        push_events(&mut recording, &world, at);
    }
    recording.tidy();
    recording
}

fn meta_of(level: &HillsLevel, seconds: u32) -> Meta {
    let max = DVec3::new(level.size_m(), level.size_m(), 0.0);
    Meta {
        rate_hz: f64::from(TICKS_PER_S),
        units: "m".to_owned(),
        body_width: 2.0 * Craft::Tank.shape().hull_half.y,
        dims: 3,
        team_play: true,
        bounds: Some(Bounds { min: DVec3::ZERO, max }),
        map: HillsLevel::NAME.to_owned(),
        duration_s: f64::from(seconds),
        ..Meta::default()
    }
}

/// Everyone gets a place among the players and a track; nobody comes or leaves later.
fn enter(recording: &mut Recording, bodies: &[Body]) {
    for body in bodies {
        let (id, team) = (i32::from(body.id.0), i32::from(body.team));
        recording.players.push(Player { id, team, name: format!("{} {id}", body.craft.name()) });
        recording.tracks.push(Track::new(id, team, &VELOCITY_COLUMNS));
    }
}

fn push_body(track: &mut Track, body: &Body, at: SimTime, life: &mut u64) {
    let begun = *life != body.since_tick;
    *life = body.since_tick;
    let sample = Sample {
        at,
        position: body.position,
        yaw_rad: Some(heading_rad(body.orientation) as f32),
        health: Some(body.health as f32),
        ammo: None,
        segment: track.last_segment().unwrap_or(0) + u32::from(begun),
        alive: body.is_alive,
        height_known: true,
    };
    let q = body.orientation;
    let velocity = VELOCITY_COLUMNS.into_iter().zip(body.velocity.to_array());
    let turned = ORIENTATION_COLUMNS.into_iter().zip([q.w, q.x, q.y, q.z]);
    let joints = [("turret", body.aim.turret_rad), ("barrel", body.aim.barrel_rad)];
    let joints = joints.map(|(name, angle_rad)| (joint_column(name), angle_rad));
    let has_turret = body.craft.shape().turret.is_some();
    let joints = joints.iter().filter(|_| has_turret).map(|(name, angle)| (name.as_str(), *angle));
    let columns = velocity.chain(turned).chain(joints);
    track.push_named(sample, &columns.map(|(name, it)| (name, it as f32)).collect::<Vec<_>>());
    track.set_last_kind(body.craft.name());
}

fn push_events(recording: &mut Recording, world: &HillsWorld, at: SimTime) {
    for event in world.events() {
        match *event {
            HillsEvent::Born { who } => {
                let body = world.bodies().iter().find(|it| it.id == who);
                let position = body.map_or(DVec3::ZERO, |it| it.position);
                recording.births.push(Birth { at, id: i32::from(who.0), position });
            }
            HillsEvent::Died { who, by } => {
                let killer = Some(i32::from(by.0));
                recording.deaths.push(Death { at, id: i32::from(who.0), killer });
            }
            _ => {}
        }
    }
}
