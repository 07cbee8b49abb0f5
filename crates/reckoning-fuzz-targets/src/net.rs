//! Hosts and sessions against any peer: inputs are sequences of datagrams and pauses.

use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig};
use reckoning::rewind::RewindConfig;
use reckoning::{DVec3, Kinematics, Model, Quantiser, SimTime};
use reckoning_net::wire::{Header, Message, PacketWriter, VERSION};
use reckoning_net::{
    DisconnectReason, Format, Host, HostConfig, HostEvent, MAX_SESSION_EVENTS, Owner, PeerId,
    Registry, Session, SessionConfig,
};

/// Whatever a host says, and whenever: a session neither panics nor grows.
pub fn net_session(input: &[u8]) {
    let mut session = Session::new(SessionConfig::default()).expect("defaults are sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; 1000]);
    session.handle_datagram(now, &welcome(&format()));
    for step in steps(input) {
        match step {
            Step::Wait(millis) => now += Duration::from_millis(millis),
            Step::Datagram(bytes) => session.handle_datagram(now, bytes),
        }
        session.handle_timeout(now);
        for entity in session.owned().collect::<Vec<_>>() {
            session.observe(entity, &Kinematics::at_rest(now, DVec3::ONE));
        }
        while session.poll_datagram(now, &mut buf).is_some() {}
        for (id, _) in session.ghosts() {
            assert!(session.shown(id, now).is_none_or(|pose| pose.is_finite()));
        }
        assert!(session.ghosts().count() <= SessionConfig::default().max_ghosts);
    }
    assert!(std::iter::from_fn(|| session.poll_event()).count() <= MAX_SESSION_EVENTS);
}

/// Whatever a client that is in says, and whenever: a host neither panics nor grows.
pub fn net_host(input: &[u8]) {
    let peer = PeerId(1);
    let mut config = HostConfig::new(format());
    config.guard = Some(GuardConfig::new(Envelope::of_speed(10.0, 50.0), 0.5));
    config.rewind = Some(RewindConfig::default());
    let mut host = Host::new(config).expect("sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; 1000]);
    let place = Kinematics::at_rest(now, DVec3::ONE);
    host.spawn(now, Owner::Host, b"rock", &place).expect("room");
    host.connect(now, peer);
    host.handle_datagram(now, peer, &join(b"token"));
    host.admit(now, peer);
    host.spawn(now, Owner::Peer(peer), b"own", &place).expect("admitted");
    for step in steps(input) {
        match step {
            Step::Wait(millis) => now += Duration::from_millis(millis),
            Step::Datagram(bytes) => host.handle_datagram(now, peer, bytes),
        }
        host.handle_timeout(now);
        while host.poll_datagram(now, &mut buf).is_some() {}
        assert!(host.entities().count() <= 2);
        assert!(host.entities().all(|(_, _, known)| known.position_at(now).is_finite()));
    }
    while let Some(event) = host.poll_event() {
        assert!(!matches!(event, HostEvent::Joined { before: Some(_), .. }), "nobody was away");
    }
}

/// Whatever strangers say before they are in: nobody gets in without being admitted.
pub fn net_join(input: &[u8]) {
    let mut host = Host::new(HostConfig::new(format())).expect("sound");
    let (mut now, mut buf) = (SimTime::ZERO, [0; 1000]);
    for n in 0..4 {
        host.connect(now, PeerId(n));
    }
    for (turn, step) in steps(input).enumerate() {
        let peer = PeerId(turn as u32 % 5);
        match step {
            Step::Wait(millis) => now += Duration::from_millis(millis),
            Step::Datagram(bytes) => host.handle_datagram(now, peer, bytes),
        }
        host.handle_timeout(now);
        while let Some(event) = host.poll_event() {
            match event {
                // Peers with odd numbers are not welcome.
                HostEvent::JoinRequested { peer, .. } if peer.0 % 2 == 1 => {
                    host.refuse(now, peer, DisconnectReason::Token);
                }
                // It may have left in the same datagram.
                HostEvent::JoinRequested { peer, .. } => {
                    host.admit(now, peer);
                }
                HostEvent::Joined { peer, .. } => assert_eq!(peer.0 % 2, 0),
                _ => {}
            }
        }
        assert!(host.peers().all(|peer| peer.0 % 2 == 0));
        while host.poll_datagram(now, &mut buf).is_some() {}
    }
}

/// One turn of an input.
enum Step<'a> {
    Wait(u64),
    Datagram(&'a [u8]),
}

/// A zero and a byte is a pause of so many times 20 ms; any other byte is the length of the
/// datagram that follows.
fn steps(input: &[u8]) -> impl Iterator<Item = Step<'_>> {
    let mut rest = input;
    std::iter::from_fn(move || {
        let (&first, tail) = rest.split_first()?;
        if first == 0 {
            let (&pause, tail) = tail.split_first()?;
            rest = tail;
            return Some(Step::Wait(u64::from(pause) * 20));
        }
        let (bytes, tail) = tail.split_at(usize::from(first).min(tail.len()));
        rest = tail;
        Some(Step::Datagram(bytes))
    })
}

fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(false, 1000, steps, &[Model::Linear], Registry::default()).expect("sound")
}

fn datagram(message: &Message) -> Vec<u8> {
    let mut buf = [0; 1000];
    let mut out = PacketWriter::new(&mut buf, &Header { sequence: 0, sent_ms: 0, ack: None });
    out.push(None, message);
    let length = out.finish().expect("it fits");
    buf[..length].to_vec()
}

fn welcome(format: &Format) -> Vec<u8> {
    datagram(&Message::Welcome { peer: PeerId(1), format: &format.to_bytes(), config: &[0] })
}

fn join(token: &[u8]) -> Vec<u8> {
    datagram(&Message::Join { version: VERSION, token })
}
