//! The codec's chain: encoder, link, decoder and a buffer of snapshots for each body.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::{DQuat, DVec3, SimTime};
use reckoning_netsim::{Link, LinkConfig};

use super::FrontierError;
use super::run::Outcome;
use super::stream::{lives, ticks, turn_at};
use super::tally::Look;
use super::viewer::PlaybackBuffer;
use super::wire_price::StreamPrice;
use crate::codec::{BodyPose, CodecConfig, HEADER_BYTES, Poses, SnapshotDecoder, SnapshotEncoder};
use crate::compare::{BodyCourse, Prepared};

/// One life of one player.
type LifeKey = (usize, usize);

/// A body at the moment of a snapshot.
#[derive(Clone, Copy, Debug)]
struct Observed {
    key: LifeKey,
    position: DVec3,
    turn: DQuat,
}

/// A position of a life as a receiver has it: of when, since when, where.
#[derive(Clone, Copy, Debug)]
struct Received {
    at: SimTime,
    arrival: SimTime,
    position: DVec3,
}

/// Runs all bodies of a session through the codec and shows them.
pub(crate) fn run(
    prepared: &Prepared,
    flat: bool,
    config: CodecConfig,
    interval: Duration,
    link: LinkConfig,
) -> Result<Outcome, FrontierError> {
    let mut chain = Chain::new(config, link)?;
    for (at, bodies) in snapshots(prepared, flat, interval) {
        chain.send(at, &bodies)?;
    }
    let mut outcome = Outcome::default();
    outcome.price.bits = chain.bits;
    let received = chain.finish()?;
    for (player, course) in prepared.courses.iter().enumerate() {
        for (number, places) in lives(course).iter().enumerate() {
            let list = received.get(&(player, number)).map_or(&[][..], Vec::as_slice);
            let looks = looks(course, places, flat, interval, list);
            outcome.shown.add_life(&looks, prepared.body_width);
            outcome.price.merge(StreamPrice {
                bits: 0.0,
                updates: (ticks(course, places, interval).len() - 1) as f64,
                seconds: looks.last().map_or(0.0, |last| last.at.secs_since(looks[0].at)),
            });
        }
    }
    Ok(outcome)
}

/// Bodies by the moment of their snapshot. The first sample of a life is known to all from the
/// start, as it is with the other methods.
fn snapshots(
    prepared: &Prepared,
    flat: bool,
    interval: Duration,
) -> BTreeMap<SimTime, Vec<Observed>> {
    let mut snapshots: BTreeMap<SimTime, Vec<Observed>> = BTreeMap::new();
    for (player, course) in prepared.courses.iter().enumerate() {
        for (number, places) in lives(course).iter().enumerate() {
            for (at, position) in ticks(course, places, interval).into_iter().skip(1) {
                let position = if flat { position.with_z(0.0) } else { position };
                let turn = turn_at(course, places, at);
                let observed = Observed { key: (player, number), position, turn };
                snapshots.entry(at).or_default().push(observed);
            }
        }
    }
    snapshots
}

/// What is under way of a snapshot.
#[derive(Clone, Debug)]
struct Flight {
    at: SimTime,
    bytes: Vec<u8>,
    lives: Vec<LifeKey>,
}

struct Chain {
    config: CodecConfig,
    encoder: SnapshotEncoder,
    decoder: SnapshotDecoder,
    link: Link<Flight>,
    back: Duration,
    /// Numbers by when they are acknowledged.
    acks: BTreeMap<SimTime, Vec<u16>>,
    received: BTreeMap<LifeKey, Vec<Received>>,
    bits: f64,
}

impl Chain {
    fn new(config: CodecConfig, link: LinkConfig) -> Result<Self, FrontierError> {
        Ok(Self {
            config,
            encoder: SnapshotEncoder::new(config),
            decoder: SnapshotDecoder::new(config),
            back: link.delay,
            link: Link::new(link)?,
            acks: BTreeMap::new(),
            received: BTreeMap::new(),
            bits: 0.0,
        })
    }

    fn send(&mut self, at: SimTime, bodies: &[Observed]) -> Result<(), FrontierError> {
        self.receive(at)?;
        while let Some(due) = self.acks.first_entry().filter(|due| *due.key() <= at) {
            due.remove().into_iter().for_each(|number| self.encoder.handle_ack(number));
        }
        let step = self.config.step;
        let pose = |body: &Observed| {
            let (player, life) = body.key;
            (player as u16, BodyPose::new(life as u8, body.position, body.turn, step))
        };
        let poses: Poses = bodies.iter().map(pose).collect();
        let bytes = self.encoder.encode(&poses);
        // The header is counted with those of the datagrams, as that of our own wire is.
        self.bits += 8.0 * (bytes.len() - HEADER_BYTES) as f64;
        let lives = bodies.iter().map(|body| body.key).collect();
        self.link.send(at, 0, Flight { at, bytes, lives });
        Ok(())
    }

    fn receive(&mut self, now: SimTime) -> Result<(), FrontierError> {
        while let Some((arrival, flight)) = self.link.poll(now) {
            let (number, poses) = self.decoder.decode(&flight.bytes)?;
            self.acks.entry(arrival + self.back).or_default().push(number);
            for key in flight.lives {
                let Some(pose) = poses.get(&(key.0 as u16)) else { continue };
                let position = pose.position(self.config.step);
                let list = self.received.entry(key).or_default();
                list.push(Received { at: flight.at, arrival, position });
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<BTreeMap<LifeKey, Vec<Received>>, FrontierError> {
        while let Some(next) = self.link.next_arrival() {
            self.receive(next)?;
        }
        Ok(self.received)
    }
}

/// What a buffer shows of a life; `received` is in order of arrival.
fn looks(
    course: &BodyCourse,
    places: &[usize],
    flat: bool,
    interval: Duration,
    received: &[Received],
) -> Vec<Look> {
    let level = |position: DVec3| if flat { position.with_z(0.0) } else { position };
    let first = &course.states[places[0]].kinematics;
    let mut buffer = PlaybackBuffer::new(first.at, level(first.position), interval);
    let mut coming = received.iter().peekable();
    let look = |&place: &usize| {
        let state = &course.states[place].kinematics;
        while let Some(one) = coming.next_if(|one| one.arrival <= state.at) {
            buffer.accept(one.at, one.position, one.arrival);
        }
        Look { at: state.at, shown: buffer.shown(state.at), truth: level(state.position) }
    };
    places.iter().map(look).collect()
}
