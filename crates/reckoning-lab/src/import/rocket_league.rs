//! Rocket League replays (`.replay`), decoded by the crate `boxcars`.
//!
//! A replay is a log of actors that come, change and go. Cars are found by their type, their
//! driver and side by the links between actors; the ball is id −1. Time is that of the frame
//! that carried an update: it jitters by some 15 ms against the physics, which the prepared
//! sessions have removed and this reader has not.
//!
//! Replays from before the game's network version 7 have other units (see `modern`), which
//! `boxcars` leaves to its caller.

use std::collections::BTreeMap;

use boxcars::{
    ActorId, Attribute, Frame, ParseError, ParserBuilder, Quaternion, Replay, RigidBody, Vector3f,
};
use reckoning::{DQuat, DVec3, SimTime};
use reckoning_recording::{
    Bounds, Cursor, Fault, Meta, Player, Recording, RecordingError, Sample, Track,
};

use super::finish;
use super::rocket_league_memory::check_memory;

const COLUMNS: [&str; 8] = ["vx", "vy", "vz", "qx", "qy", "qz", "qw", "sleeping"];
const BALL: i32 = -1;
/// Cars send about fifteen times a second; a longer silence is a demolition or a replayed goal.
const GAP_S: f64 = 1.0;
/// Faster than any car or ball, in units a second: a jump of this kind is a reset.
const TELEPORT_UU_PER_S: f64 = 8_000.0;

/// Reads a Rocket League replay.
///
/// # Errors
/// Names the byte where it is known: `boxcars` tells it for the header and the footer. For a
/// wrong checksum and for the bit stream it is where that section begins, with the frame.
pub fn parse(bytes: &[u8], session: &str) -> Result<Recording, RecordingError> {
    check_sizes(bytes)?;
    check_memory(bytes)?;
    let replay = ParserBuilder::new(bytes)
        .always_check_crc()
        .must_parse_network_data()
        .parse()
        .map_err(|error| refuse(bytes, &error))?;
    let mut reader = ReplayReader::new(&replay, session);
    for frame in replay.network_frames.iter().flat_map(|frames| &frames.frames) {
        reader.frame(frame);
    }
    Ok(finish(reader.recording))
}

/// Longest replay that is read; real ones have one to three megabytes.
pub const MAX_REPLAY_BYTES: usize = 8 << 20;
/// Lists and structures in the header: the decoder calls itself for each that is inside another,
/// and makes room for what a list claims.
const MAX_NESTED: usize = 256;
const NESTING: [&[u8]; 2] = [b"ArrayProperty", b"StructProperty"];

/// Refuses what would take the decoder's stack or memory before it reads it.
fn check_sizes(bytes: &[u8]) -> Result<(), RecordingError> {
    let refuse = |field, got: usize, limit: usize| {
        let fault = Fault::TooLarge { field, got: got as u64, limit: limit as u64 };
        Err(RecordingError::at(0, fault))
    };
    if bytes.len() > MAX_REPLAY_BYTES {
        return refuse("replay", bytes.len(), MAX_REPLAY_BYTES);
    }
    let length = Cursor::new(bytes).u32_le().unwrap_or(0) as usize;
    let header = bytes.get(SECTION_HEAD..).unwrap_or_default();
    let header = header.get(..length).unwrap_or(header);
    let is_nesting = |at: &usize| NESTING.iter().any(|name| header[*at..].starts_with(name));
    let nested = (0..header.len()).filter(is_nesting).count();
    if nested > MAX_NESTED { refuse("lists in the header", nested, MAX_NESTED) } else { Ok(()) }
}

/// Each of the two sections begins with its length and its checksum.
const SECTION_HEAD: usize = 8;

pub(super) fn refuse(bytes: &[u8], error: &ParseError) -> RecordingError {
    let mut head = Cursor::new(bytes);
    let (length, checksum) = (head.u32_le().unwrap_or(0), head.u32_le().unwrap_or(0));
    let body = 2 * SECTION_HEAD + length as usize;
    let offset = match error {
        ParseError::ParseError(_, at, _) => usize::try_from(*at).unwrap_or_default(),
        ParseError::CrcMismatch(expected, _) if *expected == checksum => SECTION_HEAD,
        ParseError::CrcMismatch(..) | ParseError::NetworkError(_) => body,
        _ => 0,
    };
    let fault = Fault::Decoder { format: "a Rocket League replay", reason: error.to_string() };
    RecordingError::at(offset.min(bytes.len()) as u64, fault)
}

struct ReplayReader<'a> {
    replay: &'a Replay,
    recording: Recording,
    actors: BTreeMap<i32, ReplayActor>,
    /// The player's name to the id of its track: cars are new actors after each demolition.
    ids: BTreeMap<String, i32>,
}

#[derive(Clone, Default)]
struct ReplayActor {
    kind: String,
    /// A car's driver, a driver's team, a component's car.
    link: Option<i32>,
    name: String,
    boost: Option<u8>,
}

impl<'a> ReplayReader<'a> {
    fn new(replay: &'a Replay, session: &str) -> Self {
        let map = replay.properties.iter().find(|(key, _)| key == "MapName");
        let map = map.and_then(|(_, value)| value.as_string()).unwrap_or_default();
        let corner = DVec3::new(4_096.0, 5_120.0, 0.0);
        let meta = Meta {
            units: "Unreal units (1 uu ~ 1 cm); velocity uu/s".into(),
            body_width: 84.0,
            dims: 3,
            bounds: Some(Bounds { min: -corner, max: corner + DVec3::Z * 2_044.0 }),
            map: map.into(),
            ..Meta::default()
        };
        let recording = Recording {
            source: "rocketleague".into(),
            session: session.into(),
            meta,
            ..Recording::default()
        };
        Self { replay, recording, actors: BTreeMap::new(), ids: BTreeMap::new() }
    }

    fn object(&self, id: boxcars::ObjectId) -> &'a str {
        let index = usize::try_from(id.0).ok();
        index.and_then(|index| self.replay.objects.get(index)).map_or("", String::as_str)
    }

    fn frame(&mut self, frame: &Frame) {
        let at = SimTime::from_secs_f64(f64::from(frame.time));
        for deleted in &frame.deleted_actors {
            self.actors.remove(&deleted.0);
        }
        for new in &frame.new_actors {
            let kind = self.object(new.object_id).to_string();
            self.actors.insert(new.actor_id.0, ReplayActor { kind, ..ReplayActor::default() });
        }
        // A key frame makes all actors anew, and a car may come before its driver's name.
        for update in &frame.updated_actors {
            let name = self.object(update.object_id);
            self.update(update.actor_id, name, &update.attribute);
        }
        for update in &frame.updated_actors {
            if let Attribute::RigidBody(body) = &update.attribute {
                self.moved(at, update.actor_id.0, body);
            }
        }
    }

    fn update(&mut self, actor: ActorId, name: &str, attribute: &Attribute) {
        let Some(known) = self.actors.get_mut(&actor.0) else { return };
        match (name, attribute) {
            (
                "Engine.Pawn:PlayerReplicationInfo"
                | "Engine.PlayerReplicationInfo:Team"
                | "TAGame.CarComponent_TA:Vehicle",
                Attribute::ActiveActor(link),
            ) => known.link = link.active.then_some(link.actor.0),
            ("Engine.PlayerReplicationInfo:PlayerName", Attribute::String(name)) => {
                known.name.clone_from(name);
            }
            ("TAGame.CarComponent_Boost_TA:ReplicatedBoostAmount", Attribute::Byte(boost)) => {
                known.boost = Some(*boost);
            }
            (_, Attribute::ReplicatedBoost(boost)) => known.boost = Some(boost.boost_amount),
            _ => {}
        }
    }

    fn moved(&mut self, at: SimTime, actor: i32, body: &RigidBody) {
        let Some(kind) = self.actors.get(&actor).map(|actor| actor.kind.as_str()) else { return };
        let (id, team, name) = if kind.contains("Ball_") {
            (BALL, -1, "ball".to_string())
        } else if kind.contains("Car_") {
            let Some((name, team)) = self.driver(actor) else { return };
            let next = i32::try_from(self.ids.len()).unwrap_or(i32::MAX);
            (*self.ids.entry(name.clone()).or_insert(next), team, name)
        } else {
            return;
        };
        let body = if self.replay.net_version.unwrap_or(0) < 7 { modern(*body) } else { *body };
        let position = vector(body.location);
        if !position.is_finite() {
            return;
        }
        let ammo = self.boost(actor).map(f32::from);
        let tracks = &mut self.recording.tracks;
        let index = tracks.iter().position(|track| track.id == id).unwrap_or_else(|| {
            self.recording.players.push(Player { id, team, name });
            tracks.push(Track::new(id, team, &COLUMNS));
            tracks.len() - 1
        });
        if let Some(track) = tracks.get_mut(index) {
            track.change_team(at, team);
            push(track, at, position, ammo, &body);
        }
    }

    /// Name and side of a car's driver, by way of the links between actors.
    fn driver(&self, car: i32) -> Option<(String, i32)> {
        let driver = self.actors.get(&self.actors.get(&car)?.link?)?;
        if driver.name.is_empty() {
            return None; // whose it is shows a moment later, or the replay does not tell
        }
        let team = driver.link.and_then(|team| self.actors.get(&team));
        let side = team.map_or(-1, |team| match team.kind.as_str() {
            kind if kind.ends_with("Team0") => 0,
            kind if kind.ends_with("Team1") => 1,
            _ => -1,
        });
        Some((driver.name.clone(), side))
    }

    fn boost(&self, car: i32) -> Option<u8> {
        self.actors.values().find(|part| part.link == Some(car) && part.boost.is_some())?.boost
    }
}

/// Old replays hold whole units and tenths of units a second, where newer ones hold hundredths
/// of both, and pitch, yaw and roll in place of a quaternion.
fn modern(body: RigidBody) -> RigidBody {
    // As `boxcars` gives it, −1 is no turn and 1 nearly a whole one.
    let angle = |turn: f32| (f64::from(turn) * 32_767.0 / 32_768.0 + 1.0) * std::f64::consts::PI;
    let angles = body.rotation;
    let q = DQuat::from_rotation_z(angle(angles.y))
        * DQuat::from_rotation_y(-angle(angles.x))
        * DQuat::from_rotation_x(-angle(angles.z));
    let [x, y, z, w] = q.to_array().map(|part| part as f32);
    RigidBody {
        // The file has whole numbers here, and `boxcars` has divided them.
        location: each(body.location, |axis| (axis * 100.0).round()),
        linear_velocity: body.linear_velocity.map(|velocity| each(velocity, |axis| axis * 10.0)),
        rotation: Quaternion { x, y, z, w },
        ..body
    }
}

fn each(v: Vector3f, change: fn(f32) -> f32) -> Vector3f {
    Vector3f { x: change(v.x), y: change(v.y), z: change(v.z) }
}

fn vector(v: Vector3f) -> DVec3 {
    DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

fn push(track: &mut Track, at: SimTime, position: DVec3, ammo: Option<f32>, body: &RigidBody) {
    let last = track.samples.last().copied();
    let broken = last.is_some_and(|last| {
        let secs = at.secs_since(last.at);
        secs > GAP_S || position.distance(last.position) > TELEPORT_UU_PER_S * secs.max(0.05)
    });
    let q = body.rotation;
    let forward = f64::from(2.0 * (q.w * q.z + q.x * q.y));
    let yaw = libm::atan2(forward, f64::from(1.0 - 2.0 * (q.y * q.y + q.z * q.z)));
    let sample = Sample {
        at,
        position,
        yaw_rad: Some(yaw as f32),
        health: None,
        ammo,
        segment: last.map_or(0, |last| last.segment.saturating_add(broken.into())),
        alive: true,
        height_known: true,
    };
    let velocity = body.linear_velocity.map_or([f32::NAN; 3], |v| [v.x, v.y, v.z]);
    let sleeping = f32::from(u8::from(body.sleeping));
    let [vx, vy, vz] = velocity;
    track.push(sample, &[vx, vy, vz, q.x, q.y, q.z, q.w, sleeping]);
}
