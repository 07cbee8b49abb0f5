//! DIS traffic: Entity State PDUs (IEEE 1278.1) in a network capture.
//!
//! Entities become tracks in order of first appearance. The sender's timestamp is free of
//! network jitter, but wraps every hour and may mean anything; so time runs by it from the
//! capture time of an entity's first PDU on, and starts over from the capture when the two
//! drift apart. Positions are geocentric metres. Orientation is about geocentric axes too, so
//! it is kept as angles in columns of their own and no yaw is claimed.

use std::collections::BTreeMap;

use reckoning::{DVec3, SimTime};
use reckoning_recording::{Cursor, Meta, Player, Recording, RecordingError, Sample, Track};

use super::{finish, foreign, pcap};

const COLUMNS: [&str; 14] = [
    "vx",
    "vy",
    "vz",
    "psi",
    "theta",
    "phi",
    "ax",
    "ay",
    "az",
    "wx",
    "wy",
    "wz",
    "algorithm",
    "appearance",
];
const ENTITY_STATE: u8 = 1;
const HEADER_BYTES: usize = 12;
/// Units of the timestamp in an hour.
const TICKS_PER_HOUR: f64 = 2_147_483_648.0;
/// Sender and capture clock may differ by this much, network delay included.
const CLOCK_SLACK_S: f64 = 1.0;
/// The standard's time-out: 2.4 heartbeats of 5 s.
const GAP_S: f64 = 12.0;

/// Reads the Entity State PDUs of a capture.
///
/// # Errors
/// Names the byte at which the capture is broken, or a PDU contradicts its own length.
/// Packets that are no DIS are passed over; a capture without a single PDU is refused.
pub fn parse(bytes: &[u8], session: &str) -> Result<Recording, RecordingError> {
    let mut reader = DisReader::new(session);
    for datagram in pcap::datagrams(bytes)? {
        let mut payload = datagram.payload;
        while payload.left() >= HEADER_BYTES {
            match next_pdu(&mut payload) {
                Pdu::Entity(pdu) => reader.entity(datagram.at, pdu)?,
                Pdu::Other => {}
                Pdu::None => break,
            }
        }
    }
    if reader.recording.tracks.is_empty() {
        return Err(foreign("a capture with DIS Entity State PDUs"));
    }
    let mut recording = finish(reader.recording);
    recording.tracks.iter_mut().for_each(number_segments);
    Ok(recording)
}

/// Counts segments once the samples are in order: late PDUs have found their place by then.
fn number_segments(track: &mut Track) {
    let (mut segment, mut last) = (0, track.samples.first().copied());
    for sample in &mut track.samples {
        let broken = last.is_some_and(|last| {
            last.alive != sample.alive || sample.at.secs_since(last.at) > GAP_S
        });
        segment += u32::from(broken);
        sample.segment = segment;
        last = Some(*sample);
    }
}

enum Pdu<'a> {
    /// An Entity State PDU, its header taken off but for the timestamp.
    Entity(Cursor<'a>),
    Other,
    None,
}

/// A datagram may hold several PDUs; anything that does not look like one ends it.
fn next_pdu<'a>(payload: &mut Cursor<'a>) -> Pdu<'a> {
    let mut peek = payload.clone();
    let (Ok([version, _, kind, _]), Ok(_), Ok(length)) =
        (peek.array::<4>(), peek.u32_be(), peek.u16_be())
    else {
        return Pdu::None;
    };
    if !(1..=7).contains(&version) || usize::from(length) < HEADER_BYTES {
        return Pdu::None;
    }
    match payload.part(usize::from(length)) {
        Ok(pdu) if kind == ENTITY_STATE => Pdu::Entity(pdu),
        Ok(_) => Pdu::Other,
        Err(_) => Pdu::None,
    }
}

struct DisReader {
    recording: Recording,
    entities: BTreeMap<[u16; 3], DisEntity>,
    /// Capture time of the first PDU.
    began: Option<SimTime>,
}

struct DisEntity {
    track: usize,
    /// A moment and the timestamp that belongs to it.
    anchor: (SimTime, u32),
}

impl DisReader {
    fn new(session: &str) -> Self {
        let meta = Meta {
            units: "metres, geocentric (WGS-84)".into(),
            body_width: 3.0,
            dims: 3,
            ..Meta::default()
        };
        let recording = Recording {
            source: "dis".into(),
            session: session.into(),
            meta,
            ..Recording::default()
        };
        Self { recording, entities: BTreeMap::new(), began: None }
    }

    fn entity(&mut self, captured: SimTime, mut pdu: Cursor<'_>) -> Result<(), RecordingError> {
        let began = *self.began.get_or_insert(captured);
        let captured = SimTime::from_micros(captured.as_micros().saturating_sub(began.as_micros()));
        pdu.skip(4)?;
        let stamp = pdu.u32_be()? >> 1;
        pdu.skip(4)?;
        let id = [pdu.u16_be()?, pdu.u16_be()?, pdu.u16_be()?];
        let team = match pdu.u8()? {
            0 => -1,
            force => i32::from(force),
        };
        let state = EntityState::take(&mut pdu)?;
        let tracks = &mut self.recording.tracks;
        let entity = self.entities.entry(id).or_insert_with(|| {
            let number = i32::try_from(tracks.len()).unwrap_or(i32::MAX);
            tracks.push(Track::new(number, team, &COLUMNS));
            self.recording.players.push(state.player(number, team, id));
            DisEntity { track: tracks.len() - 1, anchor: (captured, stamp) }
        });
        let at = entity.time(captured, stamp);
        if let Some(track) = tracks.get_mut(entity.track) {
            track.change_team(at, team);
            push(track, at, &state);
        }
        Ok(())
    }
}

impl DisEntity {
    fn time(&mut self, captured: SimTime, stamp: u32) -> SimTime {
        let (moment, then) = self.anchor;
        // The signed distance on a ring of 31 bits: late PDUs lie a little in the past.
        let ticks = (stamp.wrapping_sub(then) << 1).cast_signed() >> 1;
        let secs = f64::from(ticks) * 3_600.0 / TICKS_PER_HOUR;
        let at = SimTime::from_micros(
            moment.as_micros().saturating_add(SimTime::from_secs_f64(secs).as_micros()),
        );
        let stands_still = ticks == 0 && captured > moment;
        if stands_still || at.secs_since(captured).abs() > CLOCK_SLACK_S {
            self.anchor = (captured, stamp);
            return captured;
        }
        at
    }
}

/// What an Entity State PDU says after entity and force.
struct EntityState {
    position: DVec3,
    alive: bool,
    marking: String,
    /// As [`COLUMNS`].
    extras: [f32; COLUMNS.len()],
}

impl EntityState {
    fn take(pdu: &mut Cursor<'_>) -> Result<Self, RecordingError> {
        pdu.skip(17)?; // count of records, type, alternative type
        let mut extras = [f32::NAN; COLUMNS.len()];
        let (velocity, rest) = extras.split_at_mut(3);
        let (orientation, rest) = rest.split_at_mut(3);
        let (motion, last) = rest.split_at_mut(6);
        floats(pdu, velocity)?;
        let position = DVec3::new(pdu.f64_be()?, pdu.f64_be()?, pdu.f64_be()?);
        if !position.is_finite() {
            return Err(pdu.fault(24, "location", position, "finite"));
        }
        floats(pdu, orientation)?;
        let appearance = pdu.u32_be()?;
        let algorithm = pdu.u8()?;
        pdu.skip(15)?;
        floats(pdu, motion)?;
        pdu.skip(1)?;
        let marking = pdu.text(11)?;
        last.copy_from_slice(&[f32::from(algorithm), appearance as f32]);
        // Bits 3-4 of the appearance: 3 is destroyed. Bit 23: deactivated.
        let alive = appearance >> 3 & 3 != 3 && appearance >> 23 & 1 == 0;
        Ok(Self { position, alive, marking, extras })
    }

    fn player(&self, number: i32, team: i32, id: [u16; 3]) -> Player {
        let [site, application, entity] = id;
        let name = if self.marking.is_empty() {
            format!("{site}:{application}:{entity}")
        } else {
            self.marking.clone()
        };
        Player { id: number, team, name }
    }
}

fn floats(pdu: &mut Cursor<'_>, into: &mut [f32]) -> Result<(), RecordingError> {
    for value in into {
        *value = pdu.f32_be()?;
    }
    Ok(())
}

fn push(track: &mut Track, at: SimTime, state: &EntityState) {
    let sample = Sample {
        at,
        position: state.position,
        alive: state.alive,
        height_known: true,
        ..Sample::default()
    };
    track.push(sample, &state.extras);
}
