//! DIS traffic: Entity State PDUs (IEEE 1278.1) in a network capture.
//!
//! Entities become tracks in order of first appearance. The sender's timestamp is free of
//! network jitter, but wraps every hour and may mean anything; so time runs by it from the
//! capture time of an entity's first PDU on, and starts over from the capture when the two
//! drift apart. Positions are geocentric metres. Orientation is about geocentric axes too, so
//! it is kept as angles in columns of their own and no yaw is claimed.

use std::collections::BTreeMap;

use reckoning::SimTime;
use reckoning_dis::wire::{DecodeError, EntityId, EntityState, Pdu, PduBody, Timestamp};
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
        while let Some((stamp, body)) = next_pdu(&mut payload)? {
            if let PduBody::EntityState(state) = body {
                reader.entity(datagram.at, stamp, &state);
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

/// A datagram may hold several PDUs; anything that does not look like one ends it.
fn next_pdu(payload: &mut Cursor<'_>) -> Result<Option<(Timestamp, PduBody)>, RecordingError> {
    let bytes = payload.clone().slice(payload.left())?;
    match Pdu::decode(bytes) {
        Ok((pdu, length)) => {
            payload.skip(length)?;
            if let PduBody::EntityState(state) = &pdu.body
                && !state.location.is_finite()
            {
                return Err(payload.fault(length as u64, "location", state.location, "finite"));
            }
            Ok(Some((pdu.header.timestamp, pdu.body)))
        }
        Err(error @ DecodeError::CutOff { .. }) => {
            Err(payload.fault(0, "PDU", error, "one as long as what it holds"))
        }
        Err(_) => Ok(None),
    }
}

struct DisReader {
    recording: Recording,
    entities: BTreeMap<EntityId, DisEntity>,
    /// Capture time of the first PDU.
    began: Option<SimTime>,
}

struct DisEntity {
    track: usize,
    /// A moment and the timestamp that belongs to it.
    anchor: (SimTime, Timestamp),
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

    fn entity(&mut self, captured: SimTime, stamp: Timestamp, state: &EntityState) {
        let began = *self.began.get_or_insert(captured);
        let captured = SimTime::from_micros(captured.as_micros().saturating_sub(began.as_micros()));
        let team = match state.force {
            0 => -1,
            force => i32::from(force),
        };
        let tracks = &mut self.recording.tracks;
        let entity = self.entities.entry(state.id).or_insert_with(|| {
            let number = i32::try_from(tracks.len()).unwrap_or(i32::MAX);
            tracks.push(Track::new(number, team, &COLUMNS));
            self.recording.players.push(player(state, number, team));
            DisEntity { track: tracks.len() - 1, anchor: (captured, stamp) }
        });
        let at = entity.time(captured, stamp);
        if let Some(track) = tracks.get_mut(entity.track) {
            track.change_team(at, team);
            push(track, at, state);
        }
    }
}

impl DisEntity {
    fn time(&mut self, captured: SimTime, stamp: Timestamp) -> SimTime {
        let (moment, then) = self.anchor;
        // Late PDUs lie a little in the past.
        let secs = stamp.secs_since(then);
        let at = SimTime::from_micros(
            moment.as_micros().saturating_add(SimTime::from_secs_f64(secs).as_micros()),
        );
        let stands_still = stamp.0 >> 1 == then.0 >> 1 && captured > moment;
        if stands_still || at.secs_since(captured).abs() > CLOCK_SLACK_S {
            self.anchor = (captured, stamp);
            return captured;
        }
        at
    }
}

fn player(state: &EntityState, number: i32, team: i32) -> Player {
    let marking = state.marking.text();
    let name = if marking.is_empty() { state.id.to_string() } else { marking };
    Player { id: number, team, name }
}

fn push(track: &mut Track, at: SimTime, state: &EntityState) {
    let sample = Sample {
        at,
        position: state.location,
        alive: !state.is_destroyed() && !state.is_deactivated(),
        height_known: true,
        ..Sample::default()
    };
    track.push(sample, &extras(state));
}

/// As [`COLUMNS`].
fn extras(state: &EntityState) -> [f32; COLUMNS.len()] {
    let ([vx, vy, vz], [psi, theta, phi]) = (state.velocity, state.orientation);
    let ([ax, ay, az], [wx, wy, wz]) =
        (state.reckoning.acceleration, state.reckoning.angular_velocity);
    let algorithm = f32::from(state.reckoning.algorithm);
    let appearance = state.appearance as f32;
    [vx, vy, vz, psi, theta, phi, ax, ay, az, wx, wy, wz, algorithm, appearance]
}
