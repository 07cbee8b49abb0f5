//! A host with a stage, and clients behind simulated links, without sockets.

use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_arena::host::{
    ArenaHost, ArenaHostConfig, BUGGY, host_config, session_config, with_learned,
};
use reckoning_arena::protocol::{ClientMessage, Picture, ServerMessage};
use reckoning_arena::{Input, Level, Player, RemoteBot};
use reckoning_net::{
    ClockMode, Delivery, EntityId, Format, Host, HostConfig, HostEvent, PeerId, Registry, Session,
    SessionEvent,
};
use reckoning_netsim::{Jitter, Link, LinkConfig, Loss};

pub const FRAME: Duration = Duration::from_micros(16_667);

/// One client.
pub struct StageClient {
    pub peer: PeerId,
    pub session: Session,
    pub mirror: RemoteBot,
    pub tells: Vec<ServerMessage>,
    /// What it drives, as it was granted or put right last.
    pub vehicle: Option<(EntityId, Kinematics)>,
    pub watch: bool,
    up: Link<Vec<u8>>,
    down: Link<Vec<u8>>,
    level: Level,
}

impl StageClient {
    fn new(peer: PeerId, token: &[u8], level: &Level, link: LinkConfig) -> Self {
        let mut config = session_config();
        config.token = token.to_vec();
        let mut other = link;
        other.seed += 1;
        Self {
            peer,
            session: Session::new(config).unwrap(),
            mirror: RemoteBot::new(level.clone(), u64::from(peer.0)),
            tells: Vec::new(),
            vehicle: None,
            watch: false,
            up: Link::new(link).unwrap(),
            down: Link::new(other).unwrap(),
            level: level.clone(),
        }
    }

    /// Takes in what came and sends what is due.
    fn frame(&mut self, now: SimTime) {
        while let Some((at, bytes)) = self.down.poll(now) {
            self.session.handle_datagram(at, &bytes);
        }
        self.session.handle_timeout(now);
        while let Some(event) = self.session.poll_event() {
            self.note(event);
        }
        self.mirror.look(&self.session);
        let mut buffer = [0; 1_000];
        while let Some(length) = self.session.poll_datagram(now, &mut buffer) {
            self.up.send(now, length as u32, buffer[..length].to_vec());
        }
    }

    fn note(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Joined { .. } => {
                self.say(&ClientMessage::Hello { name: "Tess".into(), watch: self.watch });
            }
            SessionEvent::Entered { entity, tag, .. } => self.mirror.handle_entered(entity.0, &tag),
            SessionEvent::Exited { entity, .. } => self.mirror.handle_exited(entity.0),
            SessionEvent::Corrected { entity, state } if self.is_vehicle(entity) => {
                self.vehicle = Some((entity, state));
            }
            SessionEvent::Corrected { state, .. } => self.mirror.handle_corrected(&state),
            SessionEvent::Revoked(entity) if self.vehicle.is_some_and(|it| it.0 == entity) => {
                self.vehicle = None;
            }
            SessionEvent::Message(bytes) | SessionEvent::Command(bytes) => {
                let tell = ServerMessage::decode(&bytes).unwrap();
                self.mirror.handle_message(&tell);
                self.tells.push(tell);
            }
            _ => {}
        }
    }

    pub fn is_vehicle(&self, entity: EntityId) -> bool {
        let kinds = self.session.kinds();
        self.session.kind(entity).and_then(|kind| kinds.name(kind)) == Some(BUGGY)
    }

    pub fn say(&mut self, ask: &ClientMessage) {
        self.session.send(&ask.encode(), Delivery::Reliable).unwrap();
    }

    /// Fires along `aim`, as its screen is now.
    pub fn fire(&mut self, now: SimTime, aim: DVec3) {
        // Without a common clock there is nothing to say of when.
        let shown_at = self.session.host_time(now).unwrap_or(SimTime::MAX);
        let Some(from) = self.mirror.body().map(|body| body.position) else { return };
        let pictures = Picture::along(&self.session, now, from, aim);
        let aim = [aim.x as f32, aim.y as f32];
        self.say(&ClientMessage::Fire { shown_at, aim, pictures });
    }

    /// Fires along `aim` as in a naive game.
    pub fn fire_now(&mut self, aim: DVec3) {
        self.say(&ClientMessage::FireNow { aim: [aim.x as f32, aim.y as f32] });
    }

    /// Moves its own body by an input and publishes it; a body comes from the mirror.
    pub fn act(&mut self, now: SimTime, body: &mut Player, input: &Input) {
        body.advance(input, &self.level);
        let truth = body.kinematics(now, self.level.file().body.kind);
        self.publish(&truth);
    }

    pub fn publish(&mut self, truth: &Kinematics) {
        if let Some(entity) = self.mirror.entity() {
            self.session.observe(EntityId(entity), truth);
        }
    }

    /// Where it shows an entity, and how fast.
    pub fn shown(&self, entity: u32, now: SimTime) -> Option<(DVec3, DVec3)> {
        let at = self.session.timeline_at(now)?;
        let ghost = self.session.ghosts().find(|it| it.0.0 == entity)?.1.ghost();
        Some((ghost.position_at(at), ghost.velocity_at(at)))
    }

    pub fn count(&self, like: impl Fn(&ServerMessage) -> bool) -> usize {
        self.tells.iter().filter(|tell| like(tell)).count()
    }
}

/// Everything in one loop.
pub struct StagePlay {
    pub host: Host,
    pub stage: ArenaHost,
    pub clients: Vec<StageClient>,
    pub now: SimTime,
    level: Level,
}

pub fn link(delay_ms: u64, jitter_ms: u64, loss: f64, seed: u64) -> LinkConfig {
    let mut link = LinkConfig::default();
    link.delay = Duration::from_millis(delay_ms);
    if jitter_ms > 0 {
        link.jitter = Jitter::Normal { deviation: Duration::from_millis(jitter_ms) };
    }
    link.loss = Loss::Independent { share: loss };
    link.seed = seed;
    link
}

impl StagePlay {
    pub fn new(level: Level, bots: u16) -> Self {
        let mut settings = ArenaHostConfig::default();
        settings.demo = true;
        settings.bots = bots;
        Self::with(level, &settings)
    }

    pub fn with(level: Level, settings: &ArenaHostConfig) -> Self {
        Self::by_clock(level, settings, ClockMode::Synchronised)
    }

    pub fn by_clock(level: Level, settings: &ArenaHostConfig, clock_mode: ClockMode) -> Self {
        // The stage chooses its own; this one is only there to begin with.
        let steps = reckoning::Quantiser {
            position_m: 1.0,
            velocity_mps: 1.0,
            acceleration_mps2: 1.0,
            angular_velocity_radps: 1.0,
            orientation: 0.1,
        };
        let format = Format::new(true, 1_000, steps, &[], Registry::default()).unwrap();
        let mut config = host_config(HostConfig::new(format), &level).unwrap();
        if let Some(model) = &settings.learned {
            config = with_learned(config, model).unwrap();
        }
        config.clock_mode = clock_mode;
        let mut host = Host::new(config).unwrap();
        let stage = ArenaHost::new(level.clone(), settings);
        stage.apply_tuning(SimTime::ZERO, &mut host);
        Self { host, stage, clients: Vec::new(), now: SimTime::ZERO, level }
    }

    /// A client comes; returns its place.
    pub fn come(&mut self, number: u32, token: &[u8], link: LinkConfig) -> usize {
        let peer = PeerId(number);
        self.host.connect(self.now, peer);
        self.clients.push(StageClient::new(peer, token, &self.level, link));
        self.clients.len() - 1
    }

    /// One sixtieth of a second.
    pub fn frame(&mut self) {
        let now = self.now;
        self.receive(now);
        self.stage.tick(now, &mut self.host);
        self.send(now);
    }

    /// The same, but the game stands still and only datagrams go to and fro.
    pub fn rest(&mut self) {
        let now = self.now;
        self.receive(now);
        self.send(now);
    }

    fn receive(&mut self, now: SimTime) {
        for client in &mut self.clients {
            client.frame(now);
            while let Some((at, bytes)) = client.up.poll(now) {
                self.host.handle_datagram(at, client.peer, &bytes);
            }
        }
        self.tell(now);
    }

    fn send(&mut self, now: SimTime) {
        self.host.handle_timeout(now);
        self.tell(now);
        let mut buffer = [0; 1_000];
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buffer) {
            if let Some(client) = self.clients.iter_mut().find(|it| it.peer == peer) {
                client.down.send(now, length as u32, buffer[..length].to_vec());
            }
        }
        self.now += FRAME;
    }

    fn tell(&mut self, now: SimTime) {
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
            } else {
                self.stage.handle_event(now, &event, &mut self.host);
            }
        }
    }

    /// Frames until all clients have a living player.
    pub fn until_all_live(&mut self) {
        for _ in 0..1_200 {
            self.frame();
            let lives = |it: &StageClient| it.mirror.is_alive() && it.mirror.body().is_some();
            if self.clients.iter().all(lives) {
                return;
            }
        }
        panic!("not everyone was born within 20 s");
    }
}
