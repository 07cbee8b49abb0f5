//! An owner that cheats, the host that guards, and a listener: from bytes to the picture.

use std::time::Duration;

use reckoning::dis::{DisAlgorithm, DisModel};
use reckoning::guard::{Envelope, GuardConfig};
use reckoning::model::{Ballistic, Landing};
use reckoning::{
    AimConfig, Curve, CurveBasis, DVec3, Kinematics, Model, Quantiser, SimTime, Update, UpdateKind,
};
use reckoning_net::wire::{
    Ack, Header, Message, PacketReader, PacketWriter, UpdateBody, UpdateSeq, VERSION,
};
use reckoning_net::{
    EntityId, Format, Host, HostConfig, HostEvent, Kind, KindId, Owner, PeerId, Registry, Session,
    SessionConfig, SessionEvent,
};

/// What bodies can do.
pub const SPEED_MPS: f64 = 8.0;
pub const TOLERANCE_M: f64 = 0.5;
/// A body's way in a second, by its envelope.
pub const SECOND_M: f64 = SPEED_MPS + TOLERANCE_M;

/// The loop's step; pictures are looked at this often.
const FRAME: Duration = Duration::from_millis(10);
const FRAMES_IN_SECOND: usize = 100;
const CHEAT: PeerId = PeerId(1);
const LISTENER: PeerId = PeerId(2);

/// Motions that a cheat may promise, by what `promise` of an act is.
pub const PROMISES: usize = 8;

/// One thing that a cheat does: it waits, and then says something.
#[derive(Clone, Copy, Debug)]
pub struct Act {
    pub wait_ms: f64,
    /// How old the stamp is; negative lies in the future.
    pub age_ms: f64,
    /// Its way by the stamps, as a share of top speed, and something more in metres.
    pub pace: f64,
    pub step_m: f64,
    pub velocity_mps: f64,
    pub promise: usize,
    /// Acceleration, gravity or push of the promise.
    pub push: f64,
    /// How late it acknowledges what the host sent.
    pub ack_ms: f64,
}

/// A cheat: whether it obeys corrections, and what it does.
#[derive(Clone, Debug)]
pub struct Attack {
    pub obeys: bool,
    pub acts: Vec<Act>,
}

/// How far the picture got within a second at most, as a share of the envelope.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gained {
    /// By what the host believes, which is what it sends.
    pub believed: f64,
    /// On a listener's screen, blended.
    pub drawn: f64,
    pub put_out_s: Option<f64>,
}

/// By which rules the body is guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    Plain,
    /// Those of a kind whose owners publish aimed lines: they may begin beside the truth, with a
    /// velocity of later, as much later as for the longest delay that is aimed for.
    Aimed,
}

fn aimed_kind() -> Kind {
    let mut kind = Kind::default();
    let mut aim = AimConfig::for_delay(Duration::MAX);
    aim.max_offset = 0.5;
    kind.aim = Some(aim);
    kind
}

fn models() -> Vec<Model> {
    let fall = Ballistic::new(9.81, -1e6, Landing::Run).expect("sound");
    vec![
        Model::Linear,
        Model::Hold,
        Model::Accelerating { trust: Duration::from_millis(500) },
        Model::Damped { fade: Duration::from_millis(700) },
        Model::Decaying { fade: Duration::from_millis(700) },
        Model::Curve(Curve::still(CurveBasis::FOUR)),
        Model::Ballistic(fall),
        Model::Dis(DisModel::new(DisAlgorithm::Fvw)),
    ]
}

pub fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(false, 1_000, steps, &models(), Registry::default()).expect("sound")
}

/// The model of a promise, and the acceleration that goes with it.
fn promised(act: &Act) -> (Model, DVec3) {
    let push = DVec3::X * act.push;
    let model = match models()[act.promise % PROMISES] {
        Model::Curve(curve) => {
            let coefficients = [push, push * -0.5, push * 0.25, DVec3::X * act.velocity_mps];
            Model::Curve(Curve::new(*curve.basis(), &coefficients).unwrap_or(curve))
        }
        Model::Ballistic(fall) => {
            let fall = Ballistic::new(act.push.abs(), -1e6, Landing::Run).unwrap_or(fall);
            Model::Ballistic(fall)
        }
        other => other,
    };
    (model, push)
}

/// The chain while an attack runs.
struct Chain {
    host: Host,
    format: Format,
    listener: Session,
    body: Option<EntityId>,
    /// A body of the host's that keeps turning, so that there is something to acknowledge.
    other: Option<EntityId>,
    now: SimTime,
    sequence: u16,
    number: u16,
    /// Host's datagrams that the cheat has not acknowledged yet: number and arrival.
    received: Vec<(u16, SimTime)>,
    claimed: (SimTime, f64),
    /// What the host believes and what is drawn, frame by frame.
    pictures: Vec<(DVec3, DVec3)>,
    put_out: Option<SimTime>,
    kind: KindId,
}

impl Chain {
    fn start(rules: Rules) -> Self {
        let mut config = HostConfig::new(format());
        let mut envelope = Envelope::of_speed(SPEED_MPS, 50.0);
        if rules == Rules::Aimed {
            // So that what an owner may foresee matters.
            envelope.kick_mps = 1.0;
            config.kinds.add("aimed", aimed_kind()).expect("sound");
        }
        config.guard = Some(GuardConfig::new(envelope, TOLERANCE_M));
        let kind = config.kinds.named("aimed").unwrap_or(KindId::NONE);
        let mut chain = Self {
            host: Host::new(config).expect("sound"),
            format: format(),
            listener: Session::new(SessionConfig::default()).expect("sound"),
            body: None,
            other: None,
            now: SimTime::ZERO,
            sequence: 0,
            number: 0,
            received: Vec::new(),
            claimed: (SimTime::ZERO, 0.0),
            pictures: Vec::new(),
            put_out: None,
            kind,
        };
        let turning = Kinematics::at_rest(chain.now, DVec3::Y * 30.0);
        chain.other = chain.host.spawn(chain.now, Owner::Host, b"", &turning).ok();
        chain.host.connect(chain.now, CHEAT);
        chain.host.connect(chain.now, LISTENER);
        chain.say(0.0, &[Message::Join { version: VERSION, token: b"cheat" }]);
        for _ in 0..80 {
            chain.frame();
            chain.say(0.0, &[Message::Ping { sent_us: 0 }]);
        }
        chain.claimed = (chain.now, 0.0);
        chain.pictures.clear();
        chain
    }

    /// A datagram of the cheat, which acknowledges what it received at least `ack_ms` ago.
    fn say(&mut self, ack_ms: f64, messages: &[Message]) {
        let due = self.now - Duration::from_micros((ack_ms.max(0.0) * 1e3) as u64);
        let newest = self.received.iter().rev().find(|(_, at)| *at <= due).copied();
        let ack = newest.map(|(newest, at)| {
            let received_ms = (at.as_micros() / 1_000) as u16;
            Ack { newest, before: !0, received_ms }
        });
        let sent_ms = self.now.as_micros() / 1_000;
        let header = Header { sequence: self.sequence, sent_ms, ack };
        self.sequence = self.sequence.wrapping_add(1);
        let mut buf = [0; 1_000];
        let mut out = PacketWriter::new(&mut buf, &header);
        for message in messages {
            out.push(Some(&self.format), message);
        }
        if let Some(length) = out.finish() {
            self.host.handle_datagram(self.now, CHEAT, &buf[..length]);
        }
    }

    /// One frame of host and listener; the picture is looked at.
    fn frame(&mut self) {
        self.now += FRAME;
        let (sin, cos) = libm::sincos(3.0 * self.now.as_secs_f64());
        let turning = Kinematics::moving(
            self.now,
            DVec3::new(2.0 * cos, 30.0 + 2.0 * sin, 0.0),
            DVec3::new(-6.0 * sin, 6.0 * cos, 0.0),
        );
        if let Some(other) = self.other {
            self.host.observe(other, &turning);
        }
        self.host.handle_timeout(self.now);
        while let Some(event) = self.host.poll_event() {
            match event {
                HostEvent::JoinRequested { peer, .. } => {
                    self.host.admit(self.now, peer);
                    if peer == CHEAT {
                        let start = Kinematics::at_rest(self.now, DVec3::ZERO);
                        let owner = Owner::Peer(CHEAT);
                        let spawned = self.host.spawn_kind(self.now, self.kind, owner, b"", &start);
                        self.body = spawned.ok();
                    }
                }
                HostEvent::Left { peer: CHEAT, .. } => self.put_out = Some(self.now),
                _ => {}
            }
        }
        self.carry();
        self.look();
    }

    fn carry(&mut self) {
        let mut buf = [0; 1_500];
        while let Some((peer, length)) = self.host.poll_datagram(self.now, &mut buf) {
            if peer == LISTENER {
                self.listener.handle_datagram(self.now, &buf[..length]);
            } else if let Ok(reader) = PacketReader::new(&buf[..length]) {
                self.received.push((reader.header().sequence, self.now));
            }
        }
        self.listener.handle_timeout(self.now);
        while let Some(length) = self.listener.poll_datagram(self.now, &mut buf) {
            self.host.handle_datagram(self.now, LISTENER, &buf[..length]);
        }
        while let Some(event) = self.listener.poll_event() {
            assert!(!matches!(event, SessionEvent::Lost), "the listener stays");
        }
    }

    fn look(&mut self) {
        let known = self.body.and_then(|body| self.host.entities().find(|it| it.0 == body));
        let Some((body, owner, known)) = known else { return };
        if owner != Owner::Peer(CHEAT) {
            return; // it was put out; the body waits for whoever comes back
        }
        let believed = known.position_at(self.now);
        let drawn = self.listener.shown(body, self.now).map_or(believed, |pose| pose.position);
        self.pictures.push((believed, drawn));
    }

    fn carry_out(&mut self, act: &Act, obeys: bool) {
        for _ in 0..((act.wait_ms / 10.0).round() as usize).max(1) {
            self.frame();
        }
        let Some(body) = self.body else { return };
        let known = self.host.entities().find(|it| it.0 == body).map(|it| *it.2.kinematics());
        if let (true, Some(known)) = (obeys, known)
            && known.at >= self.claimed.0
            && known.velocity == DVec3::ZERO
        {
            self.claimed = (known.at, known.position.x); // it was put there
        }
        let at = SimTime::from_micros(self.now.as_micros() - (act.age_ms * 1e3) as i64);
        let run_s = at.secs_since(self.claimed.0).max(0.0);
        let x = self.claimed.1 + act.pace * SPEED_MPS * run_s + act.step_m;
        let (model, acceleration) = promised(act);
        let seen = Kinematics {
            acceleration,
            ..Kinematics::moving(at, DVec3::X * x, DVec3::X * act.velocity_mps)
        };
        let Ok(update) = Update::new(seen, model, UpdateKind::Partial) else { return };
        let update = self.format.round(&update);
        let body_bits = UpdateBody::new(&self.format, None, &update);
        let seq = UpdateSeq::Full(self.number);
        self.number = self.number.wrapping_add(1);
        let message = Message::Update { entity: body, seq, class: 0, body: body_bits };
        self.say(act.ack_ms, &[message]);
        if at > self.claimed.0 {
            self.claimed = (at, x);
        }
    }
}

/// Runs an attack through the chain and sees how far its picture got.
pub fn gained(attack: &Attack, rules: Rules) -> Gained {
    let mut chain = Chain::start(rules);
    let began = chain.now;
    for act in &attack.acts {
        chain.carry_out(act, attack.obeys);
        if chain.put_out.is_some() {
            break;
        }
    }
    for _ in 0..FRAMES_IN_SECOND {
        chain.frame();
    }
    let farthest = |of: &dyn Fn(&(DVec3, DVec3)) -> DVec3| {
        let pairs = chain.pictures.windows(FRAMES_IN_SECOND + 1);
        let within = pairs.map(|window| {
            let from = of(&window[0]);
            window.iter().map(|it| of(it).distance(from)).fold(0.0, f64::max)
        });
        within.fold(0.0, f64::max) / SECOND_M
    };
    Gained {
        believed: farthest(&|it| it.0),
        drawn: farthest(&|it| it.1),
        put_out_s: chain.put_out.map(|at| at.secs_since(began)),
    }
}
