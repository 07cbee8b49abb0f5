//! Matches of the arena's bots as recordings, for use without data of your own.
//!
//! The bots pursue goals, with characters and imperfect senses; nothing in them was written
//! from a predictor's formula. Equal arguments give equal recordings, bit for bit.

use reckoning::DVec3;
use reckoning_arena::{
    BodyKind, Event, FilePoint, ItemKind, Level as Arena, LevelError, Match, MatchConfig,
    MatchFrame, Mode, Player as Bot, Shooter, TICKS_PER_S,
};
use reckoning_recording::{
    Birth, BlockKind, Bounds, Death, Input, ItemEvent, Level, LevelBlock, LevelItem, LevelShape,
    Meta, Player, Recording, Sample, Snapshot, Track, VELOCITY_COLUMNS,
};

/// Walls have no height in the arena; bodies are at 0 and this is above them.
const WALL_HEIGHT_PX: f64 = 100.0;
/// SHI takes a snapshot of every player this often, so that a replay that goes wrong is put right.
const SNAPSHOT_TICKS: usize = 300;
/// The bit of a pulled trigger in [`Input::buttons`].
const FIRE: u32 = 1;

/// A few short sessions: two of two teams on the proving grounds, one of tanks.
#[must_use]
pub fn sessions() -> Vec<Recording> {
    let plans = [
        ("proving-grounds", 10, Mode::TwoTeams, 1),
        ("proving-grounds", 15, Mode::TwoTeams, 2),
        ("tank-field", 6, Mode::FreeForAll, 3),
    ];
    let play = |(level, bots, mode, seed)| session(level, bots, 120, mode, seed).ok();
    plans.into_iter().filter_map(play).collect()
}

/// Longer sessions to learn from: two teams of several sizes on the proving grounds.
#[must_use]
pub fn lessons() -> Vec<Recording> {
    let teams = (11..).zip([8, 10, 12, 14, 16]);
    let play = |(seed, bots)| session("proving-grounds", bots, 180, Mode::TwoTeams, seed).ok();
    teams.filter_map(play).collect()
}

/// Lets bots play on one of the built-in levels.
///
/// # Errors
/// [`LevelError::NoSuchLevel`] when there is no level of that name.
pub fn session(
    level: &str,
    bots: u16,
    seconds: u32,
    mode: Mode,
    seed: u64,
) -> Result<Recording, LevelError> {
    let mut config = MatchConfig::default();
    config.bots = bots;
    config.seconds = seconds;
    config.mode = mode;
    config.seed = seed;
    Ok(record(Arena::built_in(level)?, &config))
}

/// Plays a match to its end and writes everything down.
#[must_use]
pub fn record(level: Arena, config: &MatchConfig) -> Recording {
    let mut recording = Recording {
        source: "arena".to_owned(),
        session: format!("{}-{}-{}", level.name(), config.bots, config.seed),
        meta: meta_of(&level, config),
        level: level_of(&level),
        ..Recording::default()
    };
    let is_tank = level.file().body.kind == BodyKind::Tank;
    let mut since: Vec<u64> = Vec::new();
    for (tick, frame) in Match::start(level, config).enumerate() {
        if tick % SNAPSHOT_TICKS == 0 {
            let bytes = frame.players.iter().flat_map(|it| BotSnapshot::from(it).to_bytes());
            recording.snapshots.push(Snapshot { at: frame.at, bytes: bytes.collect() });
        }
        if since.is_empty() {
            since = vec![0; frame.players.len()];
            enter(&mut recording, &frame);
        }
        for ((track, bot), since) in recording.tracks.iter_mut().zip(&frame.players).zip(&mut since)
        {
            let begun = *since != bot.since_tick;
            *since = bot.since_tick;
            let segment = track.last_segment().unwrap_or(0) + u32::from(begun);
            let velocity = bot.velocity.as_vec3().to_array();
            track.push(sample_of(&frame, bot, segment, is_tank), &velocity);
        }
        push_inputs(&mut recording, &frame);
        push_events(&mut recording, &frame);
    }
    recording.tidy();
    recording
}

/// One bot as a snapshot holds it, one after the other: what SHI keeps of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BotSnapshot {
    /// Who.
    pub id: i32,
    /// Where, in pixels.
    pub position: [f32; 2],
    /// How fast, in pixels a second.
    pub velocity: [f32; 2],
    /// Health left; the dead have none.
    pub health: f32,
    /// Shots left.
    pub ammo: f32,
}

impl BotSnapshot {
    /// Bytes of one bot.
    pub const BYTES: usize = 28;

    /// Every bot of a snapshot; bytes that are no whole bot at the end are left out.
    #[must_use]
    pub fn read_all(bytes: &[u8]) -> Vec<Self> {
        let (bots, _) = bytes.as_chunks::<{ Self::BYTES }>();
        bots.iter().map(Self::from_bytes).collect()
    }

    fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let word = |k: usize| [0, 1, 2, 3].map(|byte| bytes[4 * k + byte]);
        let number = |k: usize| f32::from_le_bytes(word(k));
        Self {
            id: i32::from_le_bytes(word(0)),
            position: [number(1), number(2)],
            velocity: [number(3), number(4)],
            health: number(5),
            ammo: number(6),
        }
    }

    fn to_bytes(self) -> Vec<u8> {
        let [x, y] = self.position;
        let [vx, vy] = self.velocity;
        let numbers = [x, y, vx, vy, self.health, self.ammo];
        let numbers = numbers.into_iter().flat_map(f32::to_le_bytes);
        self.id.to_le_bytes().into_iter().chain(numbers).collect()
    }
}

impl From<&Bot> for BotSnapshot {
    fn from(bot: &Bot) -> Self {
        let flat = |v: DVec3| [v.x as f32, v.y as f32];
        Self {
            id: i32::from(bot.id.0),
            position: flat(bot.position),
            velocity: flat(bot.velocity),
            health: bot.health as f32,
            ammo: bot.ammo as f32,
        }
    }
}

pub(crate) fn meta_of(level: &Arena, config: &MatchConfig) -> Meta {
    Meta {
        rate_hz: f64::from(TICKS_PER_S),
        units: "px".to_owned(),
        body_width: 2.0 * level.file().body.radius_px,
        dims: 2,
        team_play: config.mode == Mode::TwoTeams,
        bounds: Some(bounds_of(level)),
        map: level.name().to_owned(),
        duration_s: f64::from(config.seconds),
        ..Meta::default()
    }
}

fn bounds_of(level: &Arena) -> Bounds {
    Bounds { min: DVec3::ZERO, max: level.size_px() }
}

/// Everyone of the first frame gets a place among the players and a track.
fn enter(recording: &mut Recording, frame: &MatchFrame) {
    for bot in &frame.players {
        let (id, team) = (i32::from(bot.id.0), i32::from(bot.team.0));
        recording.players.push(Player { id, team, name: format!("bot {id}") });
        recording.tracks.push(Track::new(id, team, &VELOCITY_COLUMNS));
    }
}

fn sample_of(frame: &MatchFrame, bot: &Bot, segment: u32, is_tank: bool) -> Sample {
    let facing = if is_tank { bot.heading } else { bot.aim };
    Sample {
        at: frame.at,
        position: bot.position,
        yaw_rad: Some(libm::atan2(facing.y, facing.x) as f32),
        health: Some(bot.health as f32),
        ammo: Some(bot.ammo as f32),
        segment,
        alive: bot.is_alive,
        height_known: false,
    }
}

fn push_inputs(recording: &mut Recording, frame: &MatchFrame) {
    recording.inputs.extend(frame.inputs.iter().map(|(id, input)| Input {
        at: frame.at,
        id: i32::from(id.0),
        buttons: if input.fire { FIRE } else { 0 },
        stick: [input.go.x as f32, input.go.y as f32],
        pointer: None,
    }));
}

fn push_events(recording: &mut Recording, frame: &MatchFrame) {
    let at = frame.at;
    for event in &frame.events {
        match *event {
            Event::Born { who, at: position } => {
                recording.births.push(Birth { at, id: i32::from(who.0), position });
            }
            Event::Died { who, by, .. } => {
                let killer = match by {
                    Shooter::Player(killer) => Some(i32::from(killer.0)),
                    Shooter::Turret(_) => None,
                };
                recording.deaths.push(Death { at, id: i32::from(who.0), killer });
            }
            Event::Took { who, item } => {
                let taken_by = Some(i32::from(who.0));
                recording.item_events.push(ItemEvent { at, item: item as u32, taken_by });
            }
            Event::Returned { item } => {
                let item = item as u32;
                recording.item_events.push(ItemEvent { at, item, taken_by: None });
            }
            _ => {}
        }
    }
}

pub(crate) fn level_of(arena: &Arena) -> Level {
    let file = arena.file();
    let boxes = file.boxes.iter().map(|it| block(it.at, it.size));
    let lines = file.segments.iter().map(|it| wall(it.from, it.to));
    let outlines = file.polygons.iter().flat_map(|it| ring(&it.points));
    let [width, height] = file.size_px;
    let border = ring(&[[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]]);
    let kind = |kind| match kind {
        ItemKind::Health => "health",
        ItemKind::Ammo => "ammo",
    };
    let items = file.items.iter().map(|it| LevelItem {
        kind: kind(it.kind).to_owned(),
        class: format!("{} {}", kind(it.kind), it.amount),
        position: place(it.at),
    });
    Level {
        name: arena.name().to_owned(),
        bounds: Some(bounds_of(arena)),
        shapes: boxes.chain(lines).chain(outlines).chain(border).collect(),
        items: items.collect(),
    }
}

fn place([x, y]: FilePoint) -> DVec3 {
    DVec3::new(x, y, 0.0)
}

fn wall(from: FilePoint, to: FilePoint) -> LevelShape {
    LevelShape::Wall { from: place(from), to: place(to), top: WALL_HEIGHT_PX }
}

/// A wall from each point to the next, and from the last to the first.
fn ring(points: &[FilePoint]) -> Vec<LevelShape> {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(from, to)| wall(*from, *to)).collect()
}

fn block(corner: FilePoint, size: FilePoint) -> LevelShape {
    let half = place(size) * 0.5;
    LevelShape::Block(LevelBlock {
        kind: BlockKind::Box,
        base: place(corner) + half,
        size: half.with_z(WALL_HEIGHT_PX),
        yaw_rad: 0.0,
    })
}
