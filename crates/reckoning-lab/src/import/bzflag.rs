//! BZFlag server recordings (`.rec`, protocol 0221).
//!
//! A header, then every packet the server handled, each with the server's time. Tanks report
//! their state with a time of their own clock; that one is used, moved to the server's
//! timeline by the offset of the tank's first report, because it is free of network jitter.
//! The world in the header is not read: walls are known for separate map files only.

use std::collections::BTreeMap;

use reckoning::{DVec3, SimTime};
use reckoning_recording::{
    Birth, Bounds, Cursor, Death, Fault, Input, Meta, Player, Recording, RecordingError, Sample,
    Track,
};

use super::{finish, foreign};

const MAGIC: u32 = 0x7272_425a;
const COLUMNS: [&str; 4] = ["vx", "vy", "vz", "turn_rate"];
/// The mode of packets that restate what is known already.
const STATE_PACKET: u16 = 1;
const ALIVE: u16 = 1;
const TELEPORTING: u16 = 8;
/// A clock that is off by more was reset.
const CLOCK_SLACK_S: f64 = 1.0;

/// Reads a BZFlag recording.
///
/// # Errors
/// Names the byte at which the file is not what it should be.
pub fn parse(bytes: &[u8], session: &str) -> Result<Recording, RecordingError> {
    let mut header = Cursor::new(bytes);
    if header.u32_be().ok() != Some(MAGIC) {
        return Err(foreign("a BZFlag recording (.rec)"));
    }
    let version = header.u32_be()?;
    if version != 1 {
        let fault = Fault::Version { got: u64::from(version), newest: 1 };
        return Err(RecordingError::at(4, fault));
    }
    let start = header.u32_be()?;
    let mut packets = Cursor::new(bytes);
    packets.skip(start as usize)?;
    let mut reader = BzflagReader::new(session);
    let padding = padding(&packets)?;
    while packets.left() > 0 {
        reader.packet(&mut packets, padding)?;
    }
    Ok(finish(reader.recording))
}

/// Packets are C structs: how many unused bytes follow the time depends on the machine that
/// wrote them, and shows in the distance to the next packet.
fn padding(packets: &Cursor<'_>) -> Result<usize, RecordingError> {
    let mut first = packets.clone();
    let start = first.offset();
    first.skip(4)?;
    let (length, next) = (u64::from(first.u32_be()?), u64::from(first.u32_be()?));
    match next.checked_sub(start + 24 + length) {
        Some(padding @ 0..=16) => Ok(padding as usize),
        _ => Err(first.fault(4, "next packet", next, "the end of the first packet")),
    }
}

struct BzflagReader {
    recording: Recording,
    tanks: BTreeMap<u8, Tank>,
    /// The server's time of the first packet.
    began: Option<u64>,
}

#[derive(Default)]
struct Tank {
    track: Option<usize>,
    team: i32,
    /// Server time minus the tank's own, in seconds.
    offset_s: Option<f64>,
    /// The next report begins a new segment.
    broken: bool,
    alive: bool,
}

impl BzflagReader {
    fn new(session: &str) -> Self {
        let meta = Meta {
            units: "BZFlag units (tank 6.0 x 2.8 x 2.05)".into(),
            body_width: 2.8,
            dims: 3,
            ..Meta::default()
        };
        let recording = Recording {
            source: "bzflag".into(),
            session: session.into(),
            meta,
            ..Recording::default()
        };
        Self { recording, tanks: BTreeMap::new(), began: None }
    }

    fn packet(&mut self, packets: &mut Cursor<'_>, padding: usize) -> Result<(), RecordingError> {
        let (mode, code) = (packets.u16_be()?, packets.array::<2>()?);
        let length = packets.u32_be()? as usize;
        packets.skip(8)?;
        let micros = packets.u64_be()?;
        packets.skip(padding)?;
        let mut payload = packets.part(length)?;
        let began = *self.began.get_or_insert(micros);
        let at = SimTime::from_micros(micros.wrapping_sub(began).cast_signed());
        match &code {
            b"ps" | b"pu" => self.update(at, &mut payload, code == *b"ps"),
            b"ap" => self.add_player(&mut payload),
            b"al" if mode != STATE_PACKET => self.born(at, &mut payload),
            b"kl" => self.killed(at, &mut payload),
            b"tp" => self.teleported(&mut payload),
            b"sb" => self.fired(at, &mut payload),
            b"sv" => self.variables(&mut payload),
            _ => Ok(()),
        }
    }

    fn add_player(&mut self, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        let id = payload.u8()?;
        payload.skip(2)?;
        let team = i32::from(payload.i16_be()?);
        payload.skip(6)?;
        let name = payload.text(32)?;
        self.tanks.entry(id).or_default().team = team;
        let known = |player: &&mut Player| player.id == i32::from(id);
        match self.recording.players.iter_mut().find(known) {
            Some(player) => (player.team, player.name) = (team, name),
            None => self.recording.players.push(Player { id: i32::from(id), team, name }),
        }
        Ok(())
    }

    fn born(&mut self, at: SimTime, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        let id = payload.u8()?;
        let axis = |payload: &mut Cursor<'_>| payload.f32_be().map(f64::from);
        let position = DVec3::new(axis(payload)?, axis(payload)?, axis(payload)?);
        self.tanks.entry(id).or_default().broken = true;
        self.recording.births.push(Birth { at, id: i32::from(id), position });
        Ok(())
    }

    fn killed(&mut self, at: SimTime, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        let (victim, killer) = (payload.u8()?, payload.u8()?);
        self.tanks.entry(victim).or_default().broken = true;
        let death = Death { at, id: i32::from(victim), killer: Some(i32::from(killer)) };
        self.recording.deaths.push(death);
        Ok(())
    }

    fn teleported(&mut self, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        self.tanks.entry(payload.u8()?).or_default().broken = true;
        Ok(())
    }

    /// A shot is the one press of a button that the server sees.
    fn fired(&mut self, at: SimTime, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        payload.skip(4)?;
        let id = i32::from(payload.u8()?);
        self.recording.inputs.push(Input { at, id, buttons: 1, ..Input::default() });
        Ok(())
    }

    /// Settings of the server; the size of the world and of a tank are of interest.
    fn variables(&mut self, payload: &mut Cursor<'_>) -> Result<(), RecordingError> {
        for _ in 0..payload.u16_be()? {
            let length = usize::from(payload.u8()?);
            let name = payload.text(length)?;
            let length = usize::from(payload.u8()?);
            let value = payload.text(length)?;
            let Ok(number) = value.parse::<f64>() else { continue };
            match name.as_str() {
                "_worldSize" if number.is_finite() => {
                    let corner = DVec3::new(number, number, 0.0) / 2.0;
                    self.recording.meta.bounds = Some(Bounds { min: -corner, max: corner });
                }
                "_tankWidth" if number > 0.0 => self.recording.meta.body_width = number,
                _ => {}
            }
        }
        Ok(())
    }

    fn update(
        &mut self,
        at: SimTime,
        payload: &mut Cursor<'_>,
        small: bool,
    ) -> Result<(), RecordingError> {
        let sent_s = f64::from(payload.f32_be()?);
        let id = payload.u8()?;
        payload.skip(4)?;
        let status = payload.u16_be()?;
        let motion = TankMotion::take(payload, small)?;
        let tank = self.tanks.entry(id).or_default();
        let at = tank.own_time(at, sent_s);
        let alive = status & ALIVE != 0;
        tank.broken |= alive != tank.alive || status & TELEPORTING != 0;
        tank.alive = alive;
        let tracks = &mut self.recording.tracks;
        let index = *tank.track.get_or_insert(tracks.len());
        if index == tracks.len() {
            tracks.push(Track::new(i32::from(id), tank.team, &COLUMNS));
        }
        let Some(track) = tracks.get_mut(index) else { return Ok(()) };
        let fresh = std::mem::take(&mut tank.broken);
        let segment = track.last_segment().map_or(0, |last| last.saturating_add(fresh.into()));
        let sample = Sample {
            at,
            position: motion.position,
            yaw_rad: Some(motion.azimuth_rad as f32),
            segment,
            alive,
            height_known: true,
            ..Sample::default()
        };
        track.push(sample, &motion.extras);
        Ok(())
    }
}

impl Tank {
    fn own_time(&mut self, server: SimTime, sent_s: f64) -> SimTime {
        let server_s = server.as_secs_f64();
        let offset_s = *self.offset_s.get_or_insert(server_s - sent_s);
        let own_s = sent_s + offset_s;
        if (own_s - server_s).abs() <= CLOCK_SLACK_S {
            return SimTime::from_secs_f64(own_s);
        }
        self.broken = true;
        self.offset_s = Some(server_s - sent_s);
        server
    }
}

struct TankMotion {
    position: DVec3,
    azimuth_rad: f64,
    /// As [`COLUMNS`].
    extras: [f32; 4],
}

impl TankMotion {
    /// Position, velocity, azimuth and turn rate: floats, or 16-bit steps of 2 cm, 1 cm/s,
    /// π/32766 and 0.001 rad/s.
    fn take(payload: &mut Cursor<'_>, small: bool) -> Result<Self, RecordingError> {
        let turn = std::f64::consts::PI / 32_766.0;
        let steps = [0.02, 0.02, 0.02, 0.01, 0.01, 0.01, turn, 0.001];
        let mut v = [0.0; 8];
        for (value, step) in v.iter_mut().zip(steps) {
            *value = if small {
                f64::from(payload.i16_be()?) * step
            } else {
                f64::from(payload.f32_be()?)
            };
        }
        if v.iter().any(|value| !value.is_finite()) {
            return Err(payload.fault(32, "player update", "NaN", "finite numbers"));
        }
        let extras = [v[3] as f32, v[4] as f32, v[5] as f32, v[7] as f32];
        Ok(Self { position: DVec3::new(v[0], v[1], v[2]), azimuth_rad: v[6], extras })
    }
}
