//! The arena and the hills: their messages, their levels, and servers with a client that says anything.

use std::sync::OnceLock;
use std::time::Duration;

use reckoning::{DVec3, Quantiser, SimTime};
use reckoning_arena::Level;
use reckoning_arena::hills::host::{HillsHost, HillsHostConfig};
use reckoning_arena::hills::protocol::{HillsCommand, HillsDatagram, HillsNotice};
use reckoning_arena::hills::{self, HillsLevel};
use reckoning_arena::host::{ArenaHost, ArenaHostConfig, host_config};
use reckoning_arena::protocol::{ClientMessage, DebugDatagram, ServerMessage, Tag};
use reckoning_net::{Format, Host, HostConfig, HostEvent, PeerId, Registry};

use crate::net::{InputStep, admitted, steps};

/// Any bytes as each kind of message: refused, or the same again once written.
pub fn arena_messages(bytes: &[u8]) {
    if let Ok(message) = ClientMessage::decode(bytes) {
        assert_eq!(ClientMessage::decode(&message.encode()), Ok(message));
    }
    if let Ok(message) = ServerMessage::decode(bytes) {
        assert_eq!(ServerMessage::decode(&message.encode()), Ok(message));
    }
    if let Ok(datagram) = DebugDatagram::decode(bytes) {
        assert_eq!(DebugDatagram::decode(&datagram.encode()), Ok(datagram));
    }
    if let Ok(tag) = Tag::decode(bytes) {
        assert_eq!(Tag::decode(&tag.encode()), Ok(tag));
    }
    hills_messages(bytes);
}

fn hills_messages(bytes: &[u8]) {
    if let Ok(command) = HillsCommand::decode(bytes) {
        assert_eq!(HillsCommand::decode(&command.encode()), Ok(command));
    }
    if let Ok(notice) = HillsNotice::decode(bytes) {
        assert_eq!(HillsNotice::decode(&notice.encode()), Ok(notice));
    }
    // Orientations are made whole, so that they may move by a step.
    if let Ok(datagram) = HillsDatagram::decode(bytes) {
        assert!(HillsDatagram::decode(&datagram.encode()).is_ok());
    }
}

/// Whatever a client of the hills says: the game goes on, and without a demonstration nothing is
/// sent beside the protocol. The first byte chooses.
pub fn hills_host(input: &[u8]) {
    let Some((&first, input)) = input.split_first() else { return };
    let is_demo = first & 1 == 1;
    let mut config = HillsHostConfig::default();
    (config.bots, config.demo) = (2, is_demo);
    let mut game = HillsHost::new(hills_level().clone(), &config);
    let base = HostConfig::new(format());
    let config = hills::host::host_config(base, hills_level()).expect("sound");
    let host = &mut Host::new(config).expect("sound");
    let peer = PeerId(1);
    let mut now = SimTime::ZERO;
    admitted(host, peer);
    for (turn, step) in steps(input).enumerate() {
        match step {
            InputStep::Wait(millis) => now += Duration::from_millis(millis.min(100)),
            InputStep::Datagram(bytes) if turn % 2 == 0 => {
                let event = HostEvent::Message { peer, bytes: bytes.to_vec() };
                game.handle_event(now, &event, host);
            }
            InputStep::Datagram(bytes) => game.handle_out_of_band(now, peer, bytes),
        }
        while let Some(event) = host.poll_event() {
            game.handle_event(now, &event, host);
        }
        game.tick(now, host);
        let requests = std::iter::from_fn(|| game.poll_request()).count();
        assert!(is_demo || requests == 0, "{requests} powers were granted");
        assert!(game.world().bodies().iter().all(|it| it.position.is_finite()));
    }
}

/// The level of the hills with some of its file replaced, from the place that the first two bytes
/// name: refused, or one with ground under its first driver.
pub fn hills_level_file(bytes: &[u8]) {
    let Some((place, new)) = bytes.split_first_chunk() else { return };
    let mut file = HillsLevel::built_in_text().as_bytes().to_vec();
    let place = usize::from(u16::from_le_bytes(*place)).min(file.len());
    let end = (place + new.len()).min(file.len());
    file.splice(place..end, new.iter().copied());
    let Ok(text) = std::str::from_utf8(&file) else { return };
    if let Ok(level) = HillsLevel::parse(text) {
        let [x, y] = level.file().spawns[0].at;
        assert!(level.height_m(x, y).is_finite());
    }
}

fn hills_level() -> &'static HillsLevel {
    static LEVEL: OnceLock<HillsLevel> = OnceLock::new();
    LEVEL.get_or_init(HillsLevel::built_in)
}

/// Whatever a client that is in says, by message or beside the protocol: the game goes on, and
/// without a demonstration nothing is sent beside the protocol. The first byte chooses.
pub fn arena_host(input: &[u8]) {
    let Some((&first, input)) = input.split_first() else { return };
    let is_demo = first & 1 == 1;
    let level = small_level();
    let mut config = ArenaHostConfig::default();
    (config.bots, config.demo) = (2, is_demo);
    let mut arena = ArenaHost::new(level.clone(), &config);
    let mut host = Host::new(arena_config(level)).expect("sound");
    let peer = PeerId(1);
    let mut now = SimTime::ZERO;
    admitted(&mut host, peer);
    for (turn, step) in steps(input).enumerate() {
        match step {
            InputStep::Wait(millis) => now += Duration::from_millis(millis.min(100)),
            InputStep::Datagram(bytes) if turn % 2 == 0 => {
                let event = HostEvent::Message { peer, bytes: bytes.to_vec() };
                arena.handle_event(now, &event, &mut host);
            }
            InputStep::Datagram(bytes) => arena.handle_out_of_band(now, peer, bytes),
        }
        while let Some(event) = host.poll_event() {
            arena.handle_event(now, &event, &mut host);
        }
        arena.tick(now, &mut host);
        let requests = std::iter::from_fn(|| arena.poll_request()).count();
        assert!(is_demo || requests == 0, "{requests} powers were granted");
        let players = arena.world().players();
        assert!(players.len() <= 3 && players.iter().all(|it| it.position.is_finite()));
    }
}

/// Any text as a level: refused, or one that can be played.
pub fn level(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(level) = Level::parse(text) {
        assert!(level.walls().room_at(birth_place(&level)) > 0.0);
    }
}

/// Where the first player of a level is born.
fn birth_place(level: &Level) -> DVec3 {
    let [x, y] = level.file().spawns[0].at;
    DVec3::new(x, y, 0.0)
}

fn small_level() -> &'static Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    LEVEL.get_or_init(|| Level::built_in("tank-field").expect("it comes with the crate"))
}

fn arena_config(level: &Level) -> HostConfig {
    host_config(HostConfig::new(format()), level).expect("sound")
}

fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.25,
        velocity_mps: 1.0,
        acceleration_mps2: 8.0,
        angular_velocity_radps: 0.05,
        orientation: 0.01,
    };
    Format::new(true, 1_000, steps, &[], Registry::default()).expect("sound")
}
