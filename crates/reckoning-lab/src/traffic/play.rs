//! A host that moves the bodies of a recording, and sessions that watch behind their links.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use reckoning::{ConfigError, DVec3, Kinematics, Model, Quantiser, SimTime, Threshold};
use reckoning_net::wire::{EntityId, Format, PeerId, Registry};
use reckoning_net::{
    Host, HostConfig, HostEvent, Kind, KindId, Kinds, Owner, Session, SessionConfig, Viewpoint,
    ZoneConfig,
};
use reckoning_netsim::{Jitter, Link, LinkConfig, Loss};
use reckoning_recording::Recording;

use super::tap::{HEADER_BYTES, account};
use super::{BODIES, Moment, ReceiverTraffic, TrafficConfig, TrafficError, TrafficProfile};
use crate::compare::{BodyCourse, Prepared};
use crate::frontier::lives;

/// More receivers than anybody reads rows of.
pub const MAX_RECEIVERS: usize = 16;
/// Clocks and delays are known before the first body is there.
const SETTLES: Duration = Duration::from_secs(8);
const SETTLING_STEP: Duration = Duration::from_micros(16_667);
/// A host does not tick more often than this, however finely a recording was sampled.
const SHORTEST_TICK: Duration = Duration::from_millis(16);
/// Steps of the grid per bound: of position, and of velocity per second.
const POSITION_STEPS: f64 = 32.0;
const VELOCITY_STEPS: f64 = 4.0;
/// Models that updates name in a bit or two.
const MAX_MODELS: usize = 6;

/// One life of a body, moved to after the links have settled.
struct Life {
    kind: String,
    states: Vec<Kinematics>,
}

impl Life {
    /// Where it is by what is known at a moment, if it lives then.
    fn truth_at(&self, at: SimTime) -> Option<Kinematics> {
        let (first, last) = (self.states.first()?, self.states.last()?);
        if at < first.at || at > last.at {
            return None;
        }
        let next = self.states.partition_point(|state| state.at <= at);
        let state = self.states[next - 1];
        let position = match self.states.get(next) {
            Some(after) => {
                let share = at.secs_since(state.at) / after.at.secs_since(state.at);
                state.position.lerp(after.position, share)
            }
            None => state.position,
        };
        Some(Kinematics { at, position, ..state })
    }
}

/// The end of a receiver.
struct Receiver {
    session: Session,
    up: Link<Vec<u8>>,
    down: Link<Vec<u8>>,
    traffic: ReceiverTraffic,
}

impl Receiver {
    fn new(link: LinkConfig) -> Result<Self, TrafficError> {
        let up = LinkConfig { seed: link.seed ^ 0x5555, ..link };
        let traffic = ReceiverTraffic { receiver: name_of(&link), ..ReceiverTraffic::default() };
        let session = Session::new(SessionConfig::default())?;
        Ok(Self { session, up: Link::new(up)?, down: Link::new(link)?, traffic })
    }
}

/// A receiver by its link.
fn name_of(link: &LinkConfig) -> String {
    let mut name = format!("{} ms", link.delay.as_millis());
    if let Jitter::Normal { deviation } = link.jitter {
        let _ = write!(name, " +- {}", deviation.as_millis());
    }
    match link.loss {
        Loss::Independent { share } if share > 0.0 => {
            let _ = write!(name, ", {:.0} % lost", 100.0 * share);
        }
        Loss::Bursts { .. } => name.push_str(", lost in bursts"),
        _ => {}
    }
    name
}

struct Play {
    /// The tick before.
    before: SimTime,
    host: Host,
    receivers: Vec<Receiver>,
    format: Format,
    kinds: BTreeMap<EntityId, String>,
    /// When the first body is there; nothing is counted before.
    begins: SimTime,
}

pub(super) fn run(
    config: &TrafficConfig,
    recording: &Recording,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<TrafficProfile, TrafficError> {
    let got = config.receivers.len();
    if got == 0 || got > MAX_RECEIVERS {
        return Err(TrafficError::Receivers { got });
    }
    let prepared = Prepared::with_own_velocities(recording);
    let lives = lives_of(recording, &prepared);
    let frames = frames(&prepared);
    let (Some(first), Some(last)) = (frames.first(), frames.last()) else {
        return Err(TrafficError::Nobody);
    };
    if lives.is_empty() {
        return Err(TrafficError::Nobody);
    }
    let bound = config.bound.unwrap_or(prepared.body_width);
    let mut play = Play::new(config, &lives, recording.meta.dims == 2, bound)?;
    let (mut entities, of) = (BTreeMap::new(), frames.len() as u64);
    for (done, now) in (0..).zip(&frames) {
        progress(done, of);
        play.tick(*now, &lives, &mut entities);
    }
    progress(of, of);
    let receivers = play.receivers.into_iter().map(|it| it.traffic).collect();
    Ok(TrafficProfile {
        session: recording.session.clone(),
        seconds: last.secs_since(*first),
        units: recording.meta.units.clone(),
        bound,
        receivers,
    })
}

fn begins() -> SimTime {
    SimTime::ZERO + SETTLES
}

fn shifted(prepared: &Prepared, at: SimTime) -> SimTime {
    let first = prepared.frames.first().copied().unwrap_or(SimTime::ZERO);
    begins() + at.saturating_since(first)
}

/// The moments at which the host ticks: those of the recording, thinned out.
fn frames(prepared: &Prepared) -> Vec<SimTime> {
    let mut found: Vec<SimTime> = Vec::new();
    for &frame in &prepared.frames {
        let at = shifted(prepared, frame);
        if found.last().is_none_or(|last| at.saturating_since(*last) >= SHORTEST_TICK) {
            found.push(at);
        }
    }
    found
}

fn lives_of(recording: &Recording, prepared: &Prepared) -> Vec<Life> {
    let life = |course: &BodyCourse, places: Vec<usize>| {
        let state = |place: &usize| {
            let mut seen = course.states[*place].kinematics;
            (seen.at, seen.acceleration) = (shifted(prepared, seen.at), DVec3::ZERO);
            seen
        };
        let kind = places.first().and_then(|place| recording.track(course.id)?.kind(*place));
        let states = places.iter().map(state).collect();
        Life { kind: kind.unwrap_or(BODIES).to_owned(), states }
    };
    let of_body = |course| lives(course).into_iter().map(move |places| (course, places));
    prepared.courses.iter().flat_map(of_body).map(|(course, it)| life(course, it)).collect()
}

impl Play {
    fn new(
        config: &TrafficConfig,
        lives: &[Life],
        flat: bool,
        bound: f64,
    ) -> Result<Self, TrafficError> {
        let threshold = Threshold::metres(bound).map_err(ConfigError::from)?;
        let kinds = kinds_of(config, lives, threshold)?;
        let finest_m = finest_m(&kinds, bound);
        let steps = Quantiser {
            position_m: finest_m / POSITION_STEPS,
            velocity_mps: finest_m / VELOCITY_STEPS,
            acceleration_mps2: finest_m,
            angular_velocity_radps: 1.0 / 64.0,
            orientation: 1.0 / 256.0,
        };
        let format = Format::new(flat, 1_000, steps, &models(&kinds), Registry::default())?;
        let mut host = HostConfig::new(format.clone());
        host.kinds = kinds;
        host.max_entities = host.max_entities.max(lives.len());
        host.zones.classes[0].threshold = threshold;
        let mut play = Self {
            host: Host::new(host)?,
            receivers: config
                .receivers
                .iter()
                .map(|it| Receiver::new(*it))
                .collect::<Result<_, _>>()?,
            format,
            kinds: BTreeMap::new(),
            begins: begins(),
            before: begins(),
        };
        for peer in play.peers() {
            play.host.connect(SimTime::ZERO, peer);
        }
        let settled = (1..480).map(|step| SimTime::ZERO + SETTLING_STEP * step);
        settled.for_each(|now| play.exchange(now));
        for receiver in &mut play.receivers {
            // What it takes to join is not what a recording costs.
            let receiver = &mut receiver.traffic;
            *receiver = ReceiverTraffic {
                receiver: receiver.receiver.clone(),
                ..ReceiverTraffic::default()
            };
        }
        Ok(play)
    }

    fn peers(&self) -> impl Iterator<Item = PeerId> + use<> {
        (1..=self.receivers.len() as u32).map(PeerId)
    }

    /// Moves everyone, exchanges datagrams, and looks.
    fn tick(&mut self, now: SimTime, lives: &[Life], entities: &mut BTreeMap<usize, EntityId>) {
        let mut truths = Vec::new();
        for (number, life) in lives.iter().enumerate() {
            let Some(truth) = life.truth_at(now) else {
                if let Some(entity) = entities.remove(&number) {
                    self.host.despawn(entity);
                }
                continue;
            };
            let entity = if let Some(entity) = entities.get(&number) {
                self.host.observe(*entity, &truth);
                *entity
            } else {
                let kind = self.host.config().kinds.named(&life.kind).unwrap_or(KindId::NONE);
                let spawned = self.host.spawn_kind(now, kind, Owner::Host, b"", &truth);
                // There are as many places as lives.
                let Ok(entity) = spawned else { continue };
                entities.insert(number, entity);
                self.kinds.insert(entity, life.kind.clone());
                entity
            };
            truths.push((entity, number, truth.position));
        }
        self.exchange(now);
        self.look(now, lives, &truths);
    }

    fn exchange(&mut self, now: SimTime) {
        let second = now.saturating_since(self.begins).as_secs() as usize;
        for (peer, receiver) in self.peers().zip(&mut self.receivers) {
            while let Some((at, bytes)) = receiver.up.poll(now) {
                self.host.handle_datagram(at, peer, &bytes);
            }
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
                self.host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
        }
        let mut buffer = [0; 1_200];
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buffer) {
            let receiver = &mut self.receivers[peer.0 as usize - 1];
            let datagram = &buffer[..length];
            account(datagram, &self.format, &self.kinds, &mut receiver.traffic, second);
            let weight = length as u32 + HEADER_BYTES as u32;
            receiver.down.send(now, weight, datagram.to_vec());
        }
        for receiver in &mut self.receivers {
            while let Some((at, bytes)) = receiver.down.poll(now) {
                receiver.session.handle_datagram(at, &bytes);
            }
            receiver.session.handle_timeout(now);
            while receiver.session.poll_event().is_some() {}
            while let Some(length) = receiver.session.poll_datagram(now, &mut buffer) {
                let weight = length as u32 + HEADER_BYTES as u32;
                receiver.up.send(now, weight, buffer[..length].to_vec());
            }
        }
    }

    /// How far off every receiver shows everyone whom it knows of.
    fn look(&mut self, now: SimTime, lives: &[Life], truths: &[(EntityId, usize, DVec3)]) {
        let second = now.saturating_since(self.begins).as_secs() as usize;
        let tick_s = now.secs_since(self.before);
        self.before = now;
        for receiver in &mut self.receivers {
            let traffic = &mut receiver.traffic;
            let seconds = traffic.moments.len().max(second + 1);
            traffic.moments.resize(seconds, Moment::default());
            for (entity, number, truth) in truths {
                let kind = traffic.kinds.entry(lives[*number].kind.clone()).or_default();
                kind.body_seconds += tick_s;
                let Some(shown) = receiver.session.shown(*entity, now) else { continue };
                let error = shown.position.distance(*truth);
                kind.error.add(error);
                traffic.moments[second].error.add(error);
            }
        }
    }
}

/// The kinds that are declared, and those of the recording that are not.
fn kinds_of(
    config: &TrafficConfig,
    lives: &[Life],
    threshold: Threshold,
) -> Result<Kinds, TrafficError> {
    let mut kinds = Kinds::default();
    for (_, name, kind) in config.kinds.iter() {
        kinds.add(name, as_published(kind))?;
    }
    for name in lives.iter().map(|life| life.kind.as_str()) {
        if kinds.named(name).is_none() {
            let mut kind = Kind::default();
            kind.publisher.threshold = threshold;
            kinds.add(name, as_published(&kind))?;
        }
    }
    Ok(kinds)
}

/// The tightest of all thresholds.
fn finest_m(kinds: &Kinds, bound: f64) -> f64 {
    let of_kind = |kind: &Kind| {
        let zones = kind.zones.iter().flat_map(|it| &it.classes).map(|it| it.threshold);
        zones.chain([kind.publisher.threshold]).map(|it| it.max_error_m()).fold(bound, f64::min)
    };
    kinds.iter().map(|(_, _, kind)| of_kind(kind)).fold(bound, f64::min)
}

/// A kind whose bodies the host moves as their owners would: by the thresholds of its publisher,
/// unless it has distance classes of its own.
fn as_published(kind: &Kind) -> Kind {
    let mut kind = kind.clone();
    if kind.zones.is_none() {
        let (mut zones, publisher) = (ZoneConfig::default(), &kind.publisher);
        let class = &mut zones.classes[0];
        (class.threshold, class.angle_threshold) = (publisher.threshold, publisher.angle_threshold);
        (class.heartbeat, class.min_interval) = (publisher.heartbeat, publisher.min_interval);
        kind.zones = Some(zones);
    }
    kind
}

/// The usual models, and those of the kinds.
fn models(kinds: &Kinds) -> Vec<Model> {
    let mut models = vec![Model::Linear, Model::Hold];
    for (_, _, kind) in kinds.iter() {
        let model = kind.publisher.model;
        if !models.contains(&model) && models.len() < MAX_MODELS {
            models.push(model);
        }
    }
    models
}

#[cfg(test)]
mod tests {
    use super::super::{CONNECTION, TrafficField, traffic_profile};
    use super::*;
    use reckoning_net::wire::UpdateField;
    use reckoning_recording::{Sample, Track};

    /// A walker who winds about and a post; both for half a minute, twenty times a second.
    fn recording() -> Recording {
        let mut recording = Recording { session: "two".into(), ..Recording::default() };
        (recording.meta.body_width, recording.meta.dims) = (0.5, 2);
        for (id, kind) in [(0, "walker"), (1, "post")] {
            let mut track = Track::new(id, id, &[]);
            for tick in 0..600 {
                let at = SimTime::from_tick(tick, 20);
                let t = at.as_secs_f64() * f64::from(1 - id);
                let position = DVec3::new(3.0 * t, 2.0 * libm::sin(1.3 * t), 0.0);
                track.push_named(Sample { at, position, alive: true, ..Sample::default() }, &[]);
                track.set_last_kind(kind);
            }
            recording.tracks.push(track);
        }
        recording.tidy();
        recording
    }

    fn profile(receivers: &[&str]) -> TrafficProfile {
        let receivers = receivers.iter().map(|it| it.parse().unwrap()).collect();
        let config = TrafficConfig { receivers, ..TrafficConfig::default() };
        traffic_profile(&config, &recording(), &|_, _| {}).unwrap()
    }

    #[test]
    fn every_byte_that_was_sent_is_put_down_once() {
        for receiver in &profile(&["delay=80", "delay=200,loss=0.1"]).receivers {
            let own = receiver.counted_bytes + HEADER_BYTES * receiver.datagrams;
            assert!((receiver.bytes() - own as f64).abs() < 1e-6, "{}", receiver.receiver);
            let by_second: f64 = receiver.moments.iter().map(Moment::bytes).sum();
            assert!((receiver.bytes() - by_second).abs() < 1e-6, "{}", receiver.receiver);
        }
    }

    #[test]
    fn who_winds_about_takes_the_bytes_and_a_post_only_heartbeats() {
        let profile = profile(&["delay=80"]);
        let [receiver] = profile.receivers.as_slice() else { panic!("one link, one receiver") };
        let [walker, post] = ["walker", "post"].map(|kind| &receiver.kinds[kind]);
        assert!(walker.updates > 2 * post.updates, "{} {}", walker.updates, post.updates);
        let velocity = TrafficField::Update(UpdateField::Velocity);
        assert!(walker.bytes_of(velocity) > 4.0 * post.bytes_of(velocity), "{receiver:?}");
        assert!(walker.error.mean().unwrap() > post.error.mean().unwrap());
        assert!(post.error.worst() < 0.1, "{:?}", post.error);
        assert!(receiver.kinds[CONNECTION].bytes_of(TrafficField::Udp) > 0.0);
    }

    #[test]
    fn a_longer_way_shows_more_error() {
        let profile = profile(&["delay=20", "delay=400"]);
        let [near, far] = [0, 1].map(|it| profile.receivers[it].error().mean().unwrap());
        assert!(far > 1.5 * near, "{near} {far}");
    }

    #[test]
    fn nobody_and_nobody_to_send_to_are_refused_by_name() {
        let nobody = traffic_profile(&TrafficConfig::default(), &Recording::default(), &|_, _| {});
        assert!(nobody.unwrap_err().to_string().contains("nobody moves"));
        let config = TrafficConfig { receivers: Vec::new(), ..TrafficConfig::default() };
        let refused = traffic_profile(&config, &recording(), &|_, _| {}).unwrap_err();
        assert!(refused.to_string().starts_with("0 receivers"), "{refused}");
    }
}
