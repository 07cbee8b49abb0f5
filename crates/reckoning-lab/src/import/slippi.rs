//! Super Smash Bros. Melee: Slippi replays (`.slp`).
//!
//! A UBJSON wrapper around a log of events, each of a length that the first event declares.
//! Read here without the crate `peppi`, which brings 109 crates and 174 s of CPU time for the
//! whole of the format; five events are all a recording needs. Newer versions append fields
//! and events, so what is unknown is passed over.
//!
//! Time zero is "GO" (frame −39), as in the prepared sessions. After a rollback the last
//! version of a frame counts. The follower of the Ice Climbers has its leader's id plus ten.

use std::collections::BTreeMap;

use reckoning::{DVec3, SimTime};
use reckoning_recording::{
    Cursor, Fault, Input, Meta, Player, Recording, RecordingError, Sample, Track,
};

use super::{finish, foreign};

const START: &[u8] = b"{U\x03raw[$U#l";
const COLUMNS: [&str; 8] =
    ["damage", "stocks", "action", "airborne", "facing", "joy_x", "joy_y", "follower"];
const FIRST_FRAME: i32 = -39;
const HZ: u32 = 60;
/// Action states up to this one are kinds of being dead, or out of the game.
const LAST_DEAD_ACTION: u16 = 11;
/// The kind of player of a port without one.
const EMPTY_PORT: u8 = 3;
/// Action state of a fighter that is put back into the game.
const REBIRTH: u16 = 12;

/// Reads a Slippi replay.
///
/// # Errors
/// Names the byte at which the file is not what it should be. A replay whose game never
/// ended is read as far as it goes.
pub fn parse(bytes: &[u8], session: &str) -> Result<Recording, RecordingError> {
    if !bytes.starts_with(START) {
        return Err(foreign("a Slippi replay (.slp)"));
    }
    let mut cursor = Cursor::new(bytes);
    cursor.skip(START.len())?;
    // A length of zero is a placeholder: the recorder did not live to fill it in.
    let (mut events, unfinished) = match cursor.u32_be()? as usize {
        0 => (cursor.part(cursor.left())?, true),
        length => (cursor.part(length)?, false),
    };
    let sizes = payload_sizes(&mut events)?;
    let mut reader = SlippiReader::default();
    while events.left() > 0 {
        match reader.event(&mut events, &sizes) {
            Ok(()) => {}
            Err(_) if unfinished => break,
            Err(error) => return Err(error),
        }
    }
    if reader.ports.is_empty() {
        let fault = Fault::NoField { field: "game start event".into() };
        return Err(RecordingError::at(START.len() as u64 + 4, fault));
    }
    // A recorder that died during the start of a game leaves such a file.
    if reader.fighters.is_empty() {
        let fault = Fault::NoField { field: "every frame of the game".into() };
        return Err(RecordingError::at(events.offset(), fault));
    }
    Ok(reader.recording(session))
}

/// Lengths of all events' payloads, from the event that must come first.
fn payload_sizes(events: &mut Cursor<'_>) -> Result<BTreeMap<u8, usize>, RecordingError> {
    let code = events.u8()?;
    if code != 0x35 {
        return Err(events.fault(1, "first event", code, "the list of event sizes"));
    }
    let length = usize::from(events.u8()?);
    let mut list = events.part(length.saturating_sub(1))?;
    let mut sizes = BTreeMap::new();
    while list.left() >= 3 {
        let (code, size) = (list.u8()?, list.u16_be()?);
        sizes.insert(code, usize::from(size));
    }
    Ok(sizes)
}

#[derive(Default)]
struct SlippiReader {
    /// Team and character of each port in use.
    ports: BTreeMap<u8, Port>,
    stage: u16,
    teams: bool,
    /// By port and whether it is the follower, then by frame.
    fighters: BTreeMap<(u8, bool), BTreeMap<i32, FrameState>>,
}

struct Port {
    team: u8,
    character: u8,
}

#[derive(Clone, Copy, Default)]
struct FrameState {
    stick: [f32; 2],
    buttons: u32,
    position: [f32; 2],
    facing: f32,
    damage: f32,
    stocks: u8,
    action: u16,
    airborne: Option<u8>,
    /// Whether the state after the frame was seen, not the inputs before it alone.
    complete: bool,
}

impl SlippiReader {
    fn event(
        &mut self,
        events: &mut Cursor<'_>,
        sizes: &BTreeMap<u8, usize>,
    ) -> Result<(), RecordingError> {
        let code = events.u8()?;
        let Some(&size) = sizes.get(&code) else {
            return Err(events.fault(1, "event", code, "one whose size was declared"));
        };
        let mut payload = events.part(size)?;
        match code {
            0x36 => self.game_start(&mut payload),
            0x37 => self.before_frame(&mut payload),
            0x38 => self.after_frame(&mut payload),
            _ => Ok(()),
        }
    }

    fn game_start(&mut self, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        payload.skip(0x0c)?;
        self.teams = payload.u8()? != 0;
        payload.skip(5)?;
        self.stage = payload.u16_be()?;
        payload.skip(0x50)?;
        for port in 0..4 {
            let mut block = payload.part(0x24)?;
            let (character, kind) = (block.u8()?, block.u8()?);
            block.skip(7)?;
            let team = block.u8()?;
            if kind != EMPTY_PORT {
                let team = if self.teams { team } else { port };
                self.ports.insert(port, Port { team, character });
            }
        }
        Ok(())
    }

    /// Frame, port and follower flag begin both kinds of frame events.
    fn row(&mut self, payload: &mut Cursor<'_>) -> Result<&mut FrameState, RecordingError> {
        let frame = payload.i32_be()?;
        let port = payload.u8()?;
        if port > 3 {
            return Err(payload.fault(1, "port", port, "one of four"));
        }
        let follower = payload.u8()? != 0;
        Ok(self.fighters.entry((port, follower)).or_default().entry(frame).or_default())
    }

    fn before_frame(&mut self, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        let row = self.row(payload)?;
        payload.skip(18)?;
        row.stick = [payload.f32_be()?, payload.f32_be()?];
        payload.skip(12)?;
        row.buttons = payload.u32_be()?;
        Ok(())
    }

    fn after_frame(&mut self, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        let row = self.row(payload)?;
        payload.skip(1)?;
        row.action = payload.u16_be()?;
        row.position = [payload.f32_be()?, payload.f32_be()?];
        row.facing = payload.f32_be()?;
        row.damage = payload.f32_be()?;
        if !row.position.iter().all(|axis| axis.is_finite()) {
            return Err(payload.fault(16, "position", "NaN", "finite"));
        }
        payload.skip(7)?;
        row.stocks = payload.u8()?;
        row.airborne = payload.skip(13).and_then(|()| payload.u8()).ok(); // since version 2.0
        row.complete = true;
        Ok(())
    }

    fn recording(self, session: &str) -> Recording {
        let meta = Meta {
            rate_hz: f64::from(HZ),
            units: "Melee world units (Final Destination ground is 171.1 wide)".into(),
            body_width: 8.0,
            dims: 2,
            map: format!("stage {}", self.stage),
            ..Meta::default()
        };
        let mut recording = Recording {
            source: "slippi".into(),
            session: session.into(),
            meta,
            ..Recording::default()
        };
        for ((port, follower), rows) in &self.fighters {
            let id = i32::from(*port) + if *follower { 10 } else { 0 };
            let Some(Port { team, character }) = self.ports.get(port) else { continue };
            let (team, name) = (i32::from(*team), format!("character {character}"));
            recording.players.push(Player { id, team, name });
            recording.tracks.push(track(id, team, rows, *follower, &mut recording.inputs));
        }
        recording.derive_events();
        let mut recording = finish(recording);
        // A leader and its follower are one side without being a team.
        recording.meta.team_play = self.teams;
        recording.meta.other.insert("teams".into(), self.teams.into());
        recording
    }
}

fn track(
    id: i32,
    team: i32,
    rows: &BTreeMap<i32, FrameState>,
    follower: bool,
    inputs: &mut Vec<Input>,
) -> Track {
    let mut track = Track::new(id, team, &COLUMNS);
    let (mut segment, mut last) = (0_u32, None::<(bool, u16)>);
    for (&frame, row) in rows.range(FIRST_FRAME..).filter(|(_, row)| row.complete) {
        let at = SimTime::from_tick(i64::from(frame) - i64::from(FIRST_FRAME), HZ);
        let alive = row.action > LAST_DEAD_ACTION;
        if let Some((was_alive, action)) = last {
            let reborn = row.action == REBIRTH && action != REBIRTH;
            segment = segment.saturating_add((was_alive != alive || reborn).into());
        }
        last = Some((alive, row.action));
        let [x, y] = row.position.map(f64::from);
        let sample = Sample {
            at,
            position: DVec3::new(x, y, 0.0),
            yaw_rad: Some(if row.facing < 0.0 { std::f32::consts::PI } else { 0.0 }),
            health: Some(f32::from(row.stocks)),
            segment,
            alive,
            ..Sample::default()
        };
        track.push(sample, &row.extras(follower));
        let (buttons, stick) = (row.buttons, row.stick);
        inputs.push(Input { at, id, buttons, stick, pointer: None });
    }
    track
}

impl FrameState {
    /// As [`COLUMNS`].
    fn extras(&self, follower: bool) -> [f32; 8] {
        [
            self.damage,
            f32::from(self.stocks),
            f32::from(self.action),
            self.airborne.map_or(f32::NAN, f32::from),
            self.facing,
            self.stick[0],
            self.stick[1],
            f32::from(u8::from(follower)),
        ]
    }
}
