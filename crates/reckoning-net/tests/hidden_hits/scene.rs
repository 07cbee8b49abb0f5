//! A host, a target that peeks from behind a wall, and a shooter that cheats.

use std::collections::VecDeque;
use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::rewind::{Aim, HitRequest, HitVerdict, RewindConfig};
use reckoning::{DVec3, Kinematics, Model, Quantiser, SimTime};
use reckoning_net::wire::{Ack, Header, Message, PacketReader, PacketWriter, VERSION};
use reckoning_net::{
    EntityId, Format, Host, HostConfig, HostEvent, Owner, PeerId, Registry, Viewpoint,
};

use crate::api::refer;
use crate::attacks::{Attack, Refer, Withhold};

const PEER: PeerId = PeerId(1);
const FRAME_MS: i64 = 10;
/// Each way.
const DELAY_MS: i64 = 30;
const LASTS_MS: i64 = 12_000;
/// Between two shots.
const PAUSE_MS: i64 = 90;
const RUN_MPS: f64 = 8.0;
/// A target further aside than this is behind the wall, seen from the origin.
const COVER_Y: f64 = 2.0;
const HIDES_AT_Y: f64 = 4.0;
/// The latest that an honest client hits a target in cover, if it is as far away as the cap allows:
/// the second row of the table.
const HONEST_LATEST_S: f64 = 0.28;

/// What an attack gains.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gained {
    pub shots: u32,
    pub hits: u32,
    /// Hits on a target that was in cover for longer than honest clients hit it.
    pub hidden: u32,
    /// The longest that a target was in cover when it was hit.
    pub latest_s: f64,
}

impl Gained {
    pub fn score(&self) -> f64 {
        f64::from(self.hidden) + 20.0 * self.latest_s
    }
}

/// Where the target is, and since when it is in cover.
struct Target {
    /// Begin of each peek, how far out, how long it stays.
    peeks: Vec<(f64, f64, f64)>,
}

impl Target {
    fn new() -> Self {
        let mut dice = SplitMix64::new(77);
        let (mut at_s, mut peeks) = (1.5, Vec::new());
        while at_s * 1e3 < LASTS_MS as f64 {
            let (reach_m, stays_s) = (dice.between(3.0, 6.0), dice.between(0.0, 0.5));
            peeks.push((at_s, reach_m, stays_s));
            at_s += 2.0 * reach_m / RUN_MPS + stays_s + dice.between(0.9, 1.6);
        }
        Self { peeks }
    }

    fn at(&self, at: SimTime) -> Kinematics {
        let now_s = at.as_secs_f64();
        let place =
            |y: f64, moves: f64| Kinematics::moving(at, DVec3::new(20.0, y, 0.0), DVec3::Y * moves);
        let Some((from_s, reach_m, stays_s)) =
            self.peeks.iter().rev().find(|(from_s, ..)| *from_s <= now_s)
        else {
            return place(HIDES_AT_Y, 0.0);
        };
        let (passed_s, run_s) = (now_s - from_s, reach_m / RUN_MPS);
        if passed_s < run_s {
            place(HIDES_AT_Y - RUN_MPS * passed_s, -RUN_MPS)
        } else if passed_s < run_s + stays_s {
            place(HIDES_AT_Y - reach_m, 0.0)
        } else if passed_s < 2.0 * run_s + stays_s {
            let back_s = passed_s - run_s - stays_s;
            place(HIDES_AT_Y - reach_m + RUN_MPS * back_s, RUN_MPS)
        } else {
            place(HIDES_AT_Y, 0.0)
        }
    }
}

/// Whether a shot from the origin reaches a place beside the wall.
fn is_open(place: DVec3) -> bool {
    place.y < COVER_Y
}

/// A datagram of the host, as the shooter keeps it.
struct Received {
    sequence: u16,
    sent_ms: i64,
    retreats: bool,
    about_target: bool,
}

struct Scene<'a> {
    attack: &'a Attack,
    host: Host,
    target: EntityId,
    body: EntityId,
    course: Target,
    received: Vec<Received>,
    to_host: VecDeque<(i64, Vec<u8>)>,
    sequence: u16,
    /// The target is in cover, or on its way back there.
    retreats: bool,
    covered_since_ms: Option<i64>,
    gained: Gained,
}

pub fn gained(attack: &Attack) -> Gained {
    let mut scene = Scene::new(attack);
    (1..LASTS_MS / FRAME_MS).for_each(|frame| scene.frame(frame * FRAME_MS));
    scene.gained
}

fn ms(at: i64) -> SimTime {
    SimTime::from_millis(at)
}

fn host() -> Host {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    let format = Format::new(true, 1_000, steps, &[Model::Linear], Registry::default()).unwrap();
    let mut config = HostConfig::new(format);
    config.tick = Duration::from_millis(30);
    config.rewind = Some(RewindConfig::default());
    Host::new(config).unwrap()
}

impl<'a> Scene<'a> {
    fn new(attack: &'a Attack) -> Self {
        let (mut host, course) = (host(), Target::new());
        let target = host.spawn(ms(0), Owner::Host, b"", &course.at(ms(0))).unwrap();
        let stands = Kinematics::at_rest(ms(0), DVec3::ZERO);
        let body = host.spawn(ms(0), Owner::Host, b"", &stands).unwrap();
        host.connect(ms(0), PEER);
        let mut scene = Self {
            attack,
            host,
            target,
            body,
            course,
            received: Vec::new(),
            to_host: VecDeque::new(),
            sequence: 0,
            retreats: true,
            covered_since_ms: Some(0),
            gained: Gained::default(),
        };
        scene.say(0, Some(&Message::Join { version: VERSION, token: b"" }));
        scene
    }

    fn frame(&mut self, now: i64) {
        let truth = self.course.at(ms(now));
        self.covered_since_ms =
            if is_open(truth.position) { None } else { self.covered_since_ms.or(Some(now)) };
        self.retreats = truth.velocity.y > 0.0 || self.covered_since_ms.is_some();
        self.host.observe(self.target, &truth);
        self.host.observe(self.body, &Kinematics::at_rest(ms(now), DVec3::ZERO));
        while let Some((_, bytes)) = self.to_host.pop_front_if(|(at, _)| *at <= now) {
            self.host.handle_datagram(ms(now), PEER, &bytes);
        }
        self.host.handle_timeout(ms(now));
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(ms(now), peer);
                self.host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
        }
        self.receive(now);
        if now % 20 == 0 && now % 1_000 >= self.attack.silent_ms {
            self.say(now, None);
        }
        let together = self.attack.burst.max(1);
        if now > 1_500 && (now / FRAME_MS) % (PAUSE_MS / FRAME_MS * together) == 0 {
            (0..together).for_each(|shot| self.shoot(now, (together - 1 - shot) * 80));
        }
    }

    fn receive(&mut self, now: i64) {
        let mut buf = [0; 1_000];
        while let Some((_, length)) = self.host.poll_datagram(ms(now), &mut buf) {
            let Ok(mut reader) = PacketReader::new(&buf[..length]) else { continue };
            let sequence = reader.header().sequence;
            let format = self.host.config().format.clone();
            let mut about_target = false;
            while let Ok(Some(message)) = reader.next_message(Some(&format)) {
                about_target |= matches!(message, Message::Enter { entity, .. } | Message::Update { entity, .. } if entity == self.target);
            }
            let retreats = self.retreats;
            self.received.push(Received { sequence, sent_ms: now, retreats, about_target });
        }
    }

    fn is_acknowledged(&self, datagram: &Received, now: i64) -> bool {
        let withheld = match self.attack.withhold {
            Withhold::Nothing => false,
            Withhold::All | Withhold::Retreat if datagram.sent_ms < 1_000 => false,
            Withhold::All => true,
            Withhold::Retreat => datagram.retreats,
            Withhold::AsLost => {
                datagram.retreats && datagram.about_target && datagram.sent_ms >= 1_000
            }
        };
        !withheld && datagram.sent_ms + DELAY_MS + self.attack.ack_delay_ms <= now
    }

    /// A datagram of the shooter, with the acknowledgements that suit it.
    fn say(&mut self, now: i64, message: Option<&Message>) {
        let known = |it: &&Received| self.is_acknowledged(it, now);
        let newest = self.received.iter().rev().find(known);
        let ack = newest.map(|newest| {
            let is_set = |back: u16| {
                let sequence = newest.sequence.wrapping_sub(back + 1);
                let it = self.received.iter().rev().find(|it| it.sequence == sequence);
                it.is_some_and(|it| self.is_acknowledged(it, now))
            };
            let before =
                (0..32).filter(|back| is_set(*back)).fold(0, |bits, back| bits | 1 << back);
            let arrived_ms = newest.sent_ms + DELAY_MS.min(DELAY_MS + self.attack.ack_delay_ms);
            let received_ms = (arrived_ms + self.attack.lie_ms).min(now) as u16;
            Ack { newest: newest.sequence, before, received_ms }
        });
        let mut buf = [0; 200];
        let header = Header { sequence: self.sequence, sent_ms: now, ack };
        let mut out = PacketWriter::new(&mut buf, &header);
        let ping = Message::Ping { sent_us: 0 };
        out.push(None, message.unwrap_or(&ping));
        self.sequence = self.sequence.wrapping_add(1);
        let length = out.finish().expect("it fits");
        self.to_host.push_back((now + DELAY_MS, buf[..length].to_vec()));
    }

    /// The updates that a shot refers to.
    fn reference(&self, shown_ms: i64) -> Vec<(u16, SimTime)> {
        let came = |it: &&Received| it.about_target && it.sent_ms + DELAY_MS <= shown_ms;
        let came: Vec<&Received> = self.received.iter().filter(came).collect();
        let named = |back: usize, arrived_ms: Option<i64>| {
            let it = came.len().checked_sub(1 + back).map(|place| came[place]);
            it.map(|it| (it.sequence, ms(arrived_ms.unwrap_or(it.sent_ms + DELAY_MS))))
        };
        match self.attack.refer {
            Refer::Nothing => Vec::new(),
            Refer::Newest => named(0, None).into_iter().collect(),
            Refer::Old(back) => named(back.into(), None).into_iter().collect(),
            Refer::Skip(back) => {
                named(back.into(), None).into_iter().chain(named(0, Some(shown_ms))).collect()
            }
        }
    }

    fn shoot(&mut self, now: i64, earlier_ms: i64) {
        let shown_ms = now - self.attack.age_ms - earlier_ms;
        let (target, body, shown_at) = (self.target, self.body, ms(shown_ms));
        let named = self.reference(shown_ms);
        self.gained.shots += 1;
        if !named.is_empty() && !refer(&mut self.host, ms(now), (PEER, target), shown_at, &named) {
            return;
        }
        let judged_at = shown_at.min(ms(now));
        let shown = self.host.rewind().and_then(|it| it.shown_at(PEER, target, judged_at));
        let Some(place) = shown.map(|pose| pose.position).filter(|place| is_open(*place)) else {
            return;
        };
        let aim = Aim::Circle { center: place, radius_m: 0.1 };
        let request =
            HitRequest { body, stood: DVec3::ZERO, target, target_radius_m: 0.3, shown_at, aim };
        let verdict = self.host.hit_check(ms(now), PEER, &request);
        if matches!(verdict, Some(HitVerdict::Hit { .. })) {
            let hidden_s = self.covered_since_ms.map_or(0.0, |since| (now - since) as f64 * 1e-3);
            self.gained.hits += 1;
            self.gained.hidden += u32::from(hidden_s > HONEST_LATEST_S);
            self.gained.latest_s = self.gained.latest_s.max(hidden_s);
        }
    }
}
