//! What clients of a server that is no demonstration get, and what they do not.

use std::time::Duration;

use reckoning::{Quantiser, SimTime};
use reckoning_arena::host::{
    ArenaHost, ArenaHostConfig, ArenaRequest, host_config, session_config,
};
use reckoning_arena::protocol::{ClientMessage, LinkChoice, Refusal, ServerMessage, ServerTuning};
use reckoning_arena::{Level, MAX_PLAYERS, Mode, World};
use reckoning_net::{
    Delivery, Format, Host, HostConfig, HostEvent, PeerId, Registry, Session, SessionEvent,
};

const FRAME: Duration = Duration::from_micros(16_667);
const PEER: PeerId = PeerId(1);

/// A server and one client without a network between them.
struct Play {
    now: SimTime,
    host: Host,
    arena: ArenaHost,
    session: Session,
    heard: Vec<ServerMessage>,
    requests: Vec<ArenaRequest>,
}

impl Play {
    fn new(demo: bool) -> Self {
        let level = Level::built_in("tank-field").unwrap();
        let steps = Quantiser {
            position_m: 0.25,
            velocity_mps: 1.0,
            acceleration_mps2: 8.0,
            angular_velocity_radps: 0.05,
            orientation: 0.01,
        };
        let format = Format::new(true, 1_000, steps, &[], Registry::default()).unwrap();
        let base = HostConfig::new(format);
        let mut host = Host::new(host_config(base, &level).unwrap()).unwrap();
        let mut config = ArenaHostConfig::default();
        assert!(!config.demo, "whoever says nothing grants nothing");
        (config.bots, config.demo) = (3, demo);
        let arena = ArenaHost::new(level, &config);
        let session = Session::new(session_config()).unwrap();
        host.connect(SimTime::ZERO, PEER);
        let (now, heard, requests) = (SimTime::ZERO, Vec::new(), Vec::new());
        let mut play = Self { now, host, arena, session, heard, requests };
        play.run(60);
        play
    }

    fn run(&mut self, frames: u32) {
        let mut buffer = [0; 1_200];
        for _ in 0..frames {
            self.now += FRAME;
            let now = self.now;
            self.session.handle_timeout(now);
            while let Some(length) = self.session.poll_datagram(now, &mut buffer) {
                self.host.handle_datagram(now, PEER, &buffer[..length]);
            }
            while let Some(event) = self.host.poll_event() {
                if let HostEvent::JoinRequested { peer, .. } = event {
                    self.host.admit(now, peer);
                }
                self.arena.handle_event(now, &event, &mut self.host);
            }
            self.arena.tick(now, &mut self.host);
            self.requests.extend(std::iter::from_fn(|| self.arena.poll_request()));
            self.host.handle_timeout(now);
            while let Some((_, length)) = self.host.poll_datagram(now, &mut buffer) {
                self.session.handle_datagram(now, &buffer[..length]);
            }
            while let Some(event) = self.session.poll_event() {
                if let SessionEvent::Message(bytes) | SessionEvent::Command(bytes) = event {
                    self.heard.push(ServerMessage::decode(&bytes).unwrap());
                }
            }
        }
    }

    fn say(&mut self, message: &ClientMessage) {
        self.session.send(&message.encode(), Delivery::Reliable).unwrap();
        self.run(30);
    }

    fn ask_for_everything(&mut self) {
        let link = LinkChoice { delay_ms: 100, jitter_ms: 0, loss_percent: 0, burst: 1 };
        let tuning = ServerTuning { threshold_px: 40.0, ..ServerTuning::default() };
        self.say(&ClientMessage::Hello { name: "Eve".into(), watch: true });
        self.say(&ClientMessage::SetTuning(tuning));
        self.say(&ClientMessage::SetLink(link));
        self.say(&ClientMessage::Subscribe { truth: true, snapshots: true });
        self.run(60);
    }

    fn refusals(&self, reason: Refusal) -> usize {
        self.heard.iter().filter(|it| **it == ServerMessage::Refused(reason)).count()
    }
}

#[test]
fn a_server_that_is_no_demonstration_grants_no_powers_and_says_why() {
    let mut play = Play::new(false);
    assert_eq!(play.session.ghosts().count(), 0, "who has not said hello sees nothing");

    play.ask_for_everything();

    assert_eq!(play.arena.tuning(), ServerTuning::default());
    assert_eq!(play.requests, [], "no link, no truth, no snapshots");
    assert!(play.arena.player_of(PEER).is_some(), "it plays: nobody only watches");
    assert_eq!(play.session.ghosts().count(), 3, "and sees what players see");
    assert!(play.refusals(Refusal::NoDemo) >= 1);
    assert_eq!(play.arena.stats().refused_powers, 4);
}

#[test]
fn a_demonstration_grants_them() {
    let mut play = Play::new(true);
    play.ask_for_everything();

    assert_eq!(play.arena.tuning().threshold_px, 40.0);
    assert!(play.requests.iter().any(|it| matches!(it, ArenaRequest::Link { .. })));
    assert!(play.requests.iter().any(|it| matches!(it, ArenaRequest::OutOfBand { .. })));
    assert_eq!((play.arena.player_of(PEER), play.session.ghosts().count()), (None, 3));
    assert_eq!(play.arena.stats().refused_powers, 0);
}

#[test]
fn a_demonstration_grants_them_so_often() {
    let mut play = Play::new(true);
    play.say(&ClientMessage::Hello { name: "Eve".into(), watch: false });
    let before = play.requests.len();
    for number in 0..1_000 {
        let link = LinkChoice { delay_ms: number, ..LinkChoice::NONE };
        play.session.send(&ClientMessage::SetLink(link).encode(), Delivery::Reliable).ok();
        if number % 10 == 9 {
            play.run(6);
        }
    }
    play.run(60);

    // Ten seconds of a hundred a second.
    let granted = play.requests.len() - before;
    assert!((90..=90 + 30 * 12).contains(&granted), "{granted}");
    let told = play.refusals(Refusal::TooOften);
    assert!((1..=12).contains(&told), "{told}");
}

#[test]
fn ids_go_round_without_meeting_the_living_or_the_turret() {
    let mut world = World::new(Level::built_in("tank-field").unwrap(), Mode::TwoTeams, 1);
    let stays: Vec<_> = (0..3).map(|_| world.join()).collect();
    let mut given = std::collections::BTreeSet::new();
    for _ in 0..2 * 65_536 {
        let id = world.try_join_free().unwrap();
        assert!(!stays.contains(&id) && usize::from(id.0) < MAX_PLAYERS, "{id:?}");
        assert!(world.player(id).unwrap().moves_itself);
        given.insert(id);
        assert!(world.leave(id));
    }
    assert_eq!(given.len(), MAX_PLAYERS - stays.len(), "all the others were used");
    let ids: Vec<_> = world.players().iter().map(|it| it.id).collect();
    assert_eq!(ids, stays);
}
