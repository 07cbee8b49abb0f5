//! Hostile input: no bytes make an end panic or grow, and honest peers are served on.

#[path = "shared/linear_format.rs"]
mod linear_format;

use core::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use reckoning::guard::{Envelope, GuardConfig};
use reckoning::rewind::RewindConfig;
use reckoning::{DVec3, Kinematics, Model, SimTime};
use reckoning_net::wire::{
    Ack, EntityId, ExitReason, Header, Message, OUT_OF_BAND_PREFIX, PacketReader, PacketWriter,
    UpdateBody, UpdateSeq, VERSION, is_out_of_band,
};
use reckoning_net::{
    Delivery, Host, HostConfig, HostEvent, KindId, MAX_HOST_EVENTS, MAX_SESSION_EVENTS, Owner,
    PeerId, SendError, Session, SessionConfig,
};

use linear_format::format;

/// A synchronised clock, no kinds, and eight classes, each twice as coarse as the one before.
const WELCOME: &[u8] = &[0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7];

fn guarded() -> HostConfig {
    let mut config = HostConfig::new(format(false));
    config.guard = Some(GuardConfig::new(Envelope::of_speed(10.0, 50.0), 0.5));
    config.rewind = Some(RewindConfig::default());
    config
}

const PEER: PeerId = PeerId(1);

/// One thing a hostile end says: mostly well formed, with wrong numbers.
#[derive(Clone, Debug)]
enum Blow {
    Bytes(Vec<u8>),
    Said { skip: u16, sent_ms: i64, ack: Option<(u16, u32, u16)>, words: Vec<Word> },
    Wait(u32),
}

#[derive(Clone, Debug)]
enum Word {
    Join(u16, Vec<u8>),
    Leave,
    Ping(u64),
    Pong([u64; 3]),
    Welcome(u32, bool),
    Enter(u32, u16, u8),
    Update(u32, Option<u8>, u16, u8, i64, [f64; 3]),
    Exit(u32),
    Grant(u32),
    Revoke(u32),
    Correct(u32, u8),
    Reliable(u16, Vec<u8>),
    Command(u16, Vec<u8>),
    View(Vec<u8>),
}

fn word() -> impl Strategy<Value = Word> {
    let id = 0..6_u32;
    prop_oneof![
        2 => (prop_oneof![Just(VERSION), any::<u16>()], vec(any::<u8>(), 0..20))
            .prop_map(|(version, token)| Word::Join(version, token)),
        1 => Just(Word::Leave),
        2 => any::<u64>().prop_map(Word::Ping),
        2 => prop_oneof![any::<[u64; 3]>(), [0..3_000_000_u64, 0..3_000_000_u64, 0..3_000_000_u64]]
            .prop_map(Word::Pong),
        2 => (any::<u32>(), any::<bool>()).prop_map(|(peer, good)| Word::Welcome(peer, good)),
        2 => (id.clone(), any::<u16>(), 0..16_u8).prop_map(|(id, number, class)| Word::Enter(id, number, class)),
        8 => (id.clone(), proptest::option::of(0..32_u8), any::<u16>(), 0..16_u8, any::<i64>(), any::<[i32; 3]>())
            .prop_map(|(id, low, number, class, at, place)| {
                Word::Update(id, low, number, class, at, place.map(f64::from))
            }),
        2 => id.clone().prop_map(Word::Exit),
        2 => id.clone().prop_map(Word::Grant),
        2 => id.clone().prop_map(Word::Revoke),
        2 => (id, 0..16_u8).prop_map(|(id, class)| Word::Correct(id, class)),
        2 => (any::<u16>(), vec(any::<u8>(), 0..30)).prop_map(|(index, bytes)| Word::Reliable(index, bytes)),
        2 => (any::<u16>(), vec(any::<u8>(), 0..30)).prop_map(|(index, bytes)| Word::Command(index, bytes)),
        1 => vec(0..3_u8, 24..30).prop_map(Word::View),
    ]
}

fn blow() -> impl Strategy<Value = Blow> {
    let ack = proptest::option::of((any::<u16>(), any::<u32>(), any::<u16>()));
    prop_oneof![
        1 => vec(any::<u8>(), 0..200).prop_map(Blow::Bytes),
        6 => (0..40_u16, prop_oneof![0..20_000_i64, any::<i64>()], ack, vec(word(), 0..6))
            .prop_map(|(skip, sent_ms, ack, words)| Blow::Said { skip, sent_ms, ack, words }),
        2 => (0..2_000_000_u32).prop_map(Blow::Wait),
    ]
}

fn update_at(at: i64, place: [f64; 3]) -> reckoning::Update {
    let seen = Kinematics::moving(SimTime::from_micros(at), place.into(), DVec3::X);
    reckoning::Update::new(seen, Model::Linear, reckoning::UpdateKind::Partial).unwrap()
}

fn put(out: &mut PacketWriter, word: &Word) {
    let format = format(false);
    let rounded = |class: u8, at, place| format.coarser(class).round(&update_at(at, place));
    let body =
        |class: u8| UpdateBody::new(&format.coarser(class), None, &rounded(class, 0, [1.0; 3]));
    let bytes = format.to_bytes();
    let message = match word {
        Word::Join(version, token) => Message::Join { version: *version, token },
        Word::Leave => Message::Leave,
        Word::Ping(sent_us) => Message::Ping { sent_us: *sent_us },
        Word::Pong([sent_us, received_us, answered_us]) => {
            let (sent_us, received_us, answered_us) = (*sent_us, *received_us, *answered_us);
            Message::Pong { sent_us, received_us, answered_us }
        }
        Word::Welcome(peer, good) => {
            let format = if *good { &bytes[..] } else { &bytes[..bytes.len() / 2] };
            Message::Welcome { peer: PeerId(*peer), format, config: WELCOME }
        }
        Word::Enter(id, number, class) => Message::Enter {
            entity: EntityId(*id),
            owner: Owner::Host,
            kind: KindId::NONE,
            number: *number,
            class: *class,
            tag: b"tag",
            body: body(*class),
        },
        Word::Update(id, low, number, class, at, place) => {
            let update = rounded(*class, *at, *place);
            let base = rounded(*class, 0, [0.0; 3]);
            let seq = match low {
                Some(low) => UpdateSeq::Delta { low: *low, ahead: (*number % 31 + 1) as u8 },
                None => UpdateSeq::Full(*number),
            };
            let body = UpdateBody::new(&format.coarser(*class), low.map(|_| &base), &update);
            Message::Update { entity: EntityId(*id), seq, class: *class, body }
        }
        Word::Exit(id) => Message::Exit { entity: EntityId(*id), why: ExitReason::Left },
        Word::Grant(id) => Message::Grant { entity: EntityId(*id), kind: KindId::NONE },
        Word::Revoke(id) => Message::Revoke { entity: EntityId(*id) },
        Word::Correct(id, class) => {
            Message::Correct { entity: EntityId(*id), serial: 1, class: *class, body: body(*class) }
        }
        Word::Reliable(index, bytes) => Message::Reliable { index: *index, bytes },
        Word::Command(index, bytes) => Message::Command { index: *index, bytes },
        Word::View(bytes) => Message::View { bytes },
    };
    out.push(Some(&format), &message);
}

/// The datagram of a blow, if it is one.
fn datagram(blow: &Blow, sequence: &mut u16) -> Option<Vec<u8>> {
    match blow {
        Blow::Bytes(bytes) => Some(bytes.clone()),
        Blow::Said { skip, sent_ms, ack, words } => {
            *sequence = sequence.wrapping_add(*skip);
            let ack = ack.map(|(newest, before, received_ms)| {
                // Mostly about what was really sent.
                Ack { newest: newest % 64, before, received_ms }
            });
            let mut buf = [0; 1000];
            let header = Header { sequence: *sequence, sent_ms: *sent_ms, ack };
            let mut out = PacketWriter::new(&mut buf, &header);
            for word in words {
                put(&mut out, word);
            }
            let length = out.finish()?;
            Some(buf[..length].to_vec())
        }
        Blow::Wait(_) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_said_makes_a_session_panic(blows in vec(blow(), 1..60)) {
        let mut session = Session::new(SessionConfig::default()).unwrap();
        let (mut now, mut sequence, mut buf) = (SimTime::ZERO, 0, [0; 1000]);
        // Half of the time it gets a proper welcome first.
        if blows.len() % 2 == 0 {
            let welcome = Blow::Said { skip: 0, sent_ms: 0, ack: None, words: vec![Word::Welcome(1, true)] };
            session.handle_datagram(now, &datagram(&welcome, &mut sequence).unwrap());
        }
        for blow in &blows {
            if let Blow::Wait(micros) = blow {
                now += Duration::from_micros(u64::from(*micros));
            }
            if let Some(bytes) = datagram(blow, &mut sequence) {
                session.handle_datagram(now, &bytes);
            }
            session.handle_timeout(now);
            let own: Vec<EntityId> = session.owned().collect();
            for entity in own {
                session.observe(entity, &Kinematics::at_rest(now, DVec3::ONE));
            }
            let mut sent = 0;
            while let Some(length) = session.poll_datagram(now, &mut buf) {
                prop_assert!(length <= 1000);
                sent += 1;
                prop_assert!(sent < 50, "it says ever more");
            }
            for (id, _) in session.ghosts() {
                prop_assert!(session.shown(id, now).is_none_or(|pose| pose.is_finite()));
            }
            prop_assert!(session.ghosts().count() <= 6);
            if blows.len() % 3 == 0 {
                while session.poll_event().is_some() {}
            }
        }
        prop_assert!(core::iter::from_fn(|| session.poll_event()).count() <= MAX_SESSION_EVENTS);
    }

    #[test]
    fn nothing_said_makes_a_host_panic(blows in vec(blow(), 1..60)) {
        let mut host = Host::new(guarded()).unwrap();
        let (mut now, mut sequence, mut buf) = (SimTime::ZERO, 0, [0; 1000]);
        host.connect(now, PEER);
        host.spawn(now, Owner::Host, b"", &Kinematics::default()).unwrap();
        if blows.len() % 2 == 0 {
            let join = Blow::Said { skip: 0, sent_ms: 0, ack: None, words: vec![Word::Join(VERSION, vec![1])] };
            host.handle_datagram(now, PEER, &datagram(&join, &mut sequence).unwrap());
        }
        for blow in &blows {
            if let Blow::Wait(micros) = blow {
                now += Duration::from_micros(u64::from(*micros));
            }
            if let Some(bytes) = datagram(blow, &mut sequence) {
                host.handle_datagram(now, PEER, &bytes);
            }
            host.handle_timeout(now);
            while let Some(event) = host.poll_event() {
                if let HostEvent::JoinRequested { peer, .. } = event {
                    host.admit(now, peer);
                    for _ in 0..3 {
                        host.spawn(now, Owner::Peer(peer), b"own", &Kinematics::at_rest(now, DVec3::ONE)).ok();
                    }
                }
            }
            let mut sent = 0;
            while let Some((peer, length)) = host.poll_datagram(now, &mut buf) {
                prop_assert!(peer == PEER && length <= 1000);
                sent += 1;
                prop_assert!(sent < 50, "it says ever more");
            }
            prop_assert!(host.entities().count() <= 4);
            prop_assert!(host.entities().all(|(_, _, known)| known.position_at(now).is_finite()));
        }
    }
}

#[test]
fn a_flood_is_cut_off_and_counted() {
    let mut host = Host::new(guarded()).unwrap();
    host.connect(SimTime::ZERO, PEER);
    let mut sequence = 0;
    for n in 0..100_000_i64 {
        let now = SimTime::from_micros(n * 10);
        let words = vec![Word::Ping(1), Word::Command(n as u16, vec![0; 20])];
        let blow = Blow::Said { skip: 1, sent_ms: 0, ack: None, words };
        host.handle_datagram(now, PEER, &datagram(&blow, &mut sequence).unwrap());
    }
    let stats = host.stats();
    assert!(stats.traffic.flooded > 99_000, "{stats:?}");
    assert_eq!(stats.traffic.datagrams_in, 100_000);
    host.handle_datagram(SimTime::ZERO, PeerId(99), b"who is this");
    assert_eq!(host.stats().unknown_peer, 1);
}

#[test]
fn queues_have_ends() {
    let mut host = Host::new(guarded()).unwrap();
    let mut config = guarded();
    config.max_peers = 3;
    let mut small = Host::new(config).unwrap();
    for n in 0..5 {
        small.connect(SimTime::ZERO, PeerId(n));
    }
    assert_eq!(small.stats().peers_refused, 2);

    host.connect(SimTime::ZERO, PEER);
    let mut sequence = 0;
    let join =
        Blow::Said { skip: 0, sent_ms: 0, ack: None, words: vec![Word::Join(VERSION, vec![])] };
    host.handle_datagram(SimTime::ZERO, PEER, &datagram(&join, &mut sequence).unwrap());
    assert_eq!(host.send(PEER, b"early", Delivery::Reliable), Err(SendError::NotJoined));
    assert!(host.admit(SimTime::ZERO, PEER));
    let taken = (0..10_000).filter(|_| host.send(PEER, b"hm", Delivery::Reliable).is_ok()).count();
    assert_eq!(taken, 256);
    assert!(matches!(
        host.send(PEER, &[0; 901], Delivery::Reliable),
        Err(SendError::TooLong { .. })
    ));
    // Commands for a game that never polls.
    for n in 0..20_000_i64 {
        let words = vec![Word::Command(n as u16, vec![1])];
        let blow = Blow::Said { skip: 1, sent_ms: 0, ack: None, words };
        let bytes = datagram(&blow, &mut sequence).unwrap();
        host.handle_datagram(SimTime::from_millis(n * 10), PEER, &bytes);
    }
    let events = core::iter::from_fn(|| host.poll_event()).count();
    assert_eq!(events, MAX_HOST_EVENTS);
    assert!(host.stats().events_dropped > 10_000);
}

/// A session that was welcomed and then hears these datagrams, by sequence, in this order.
fn after(said: &[(u16, Word)]) -> Session {
    let mut session = Session::new(SessionConfig::default()).unwrap();
    let welcome = [(0, Word::Welcome(1, true))];
    for (sequence, word) in welcome.iter().chain(said) {
        let mut buf = [0; 1000];
        let header = Header { sequence: *sequence, sent_ms: 0, ack: None };
        let mut out = PacketWriter::new(&mut buf, &header);
        put(&mut out, word);
        let length = out.finish().unwrap();
        session.handle_datagram(SimTime::ZERO, &buf[..length]);
    }
    session
}

#[test]
fn what_was_said_before_an_end_does_not_undo_it() {
    let enter = || Word::Enter(5, 0, 0);
    let shown = |said: &[(u16, Word)]| after(said).ghosts().count();
    assert_eq!(shown(&[(1, enter()), (2, Word::Exit(5))]), 0);
    assert_eq!(shown(&[(2, Word::Exit(5)), (1, enter())]), 0, "the entry is older");
    assert_eq!(shown(&[(2, enter()), (1, Word::Exit(5))]), 1, "the exit is older");
    assert_eq!(shown(&[(2, Word::Exit(5)), (3, enter())]), 1, "it came again");

    let owned = |said: &[(u16, Word)]| after(said).owned().count();
    assert_eq!(owned(&[(2, Word::Revoke(5)), (1, Word::Grant(5))]), 0);
    assert_eq!(owned(&[(2, Word::Grant(5)), (1, Word::Revoke(5))]), 1);
}

proptest! {
    #[test]
    fn what_begins_with_seven_zeros_is_not_of_this_protocol(
        tail in vec(any::<u8>(), 0..100),
        sequence in any::<u16>(),
        sent_ms in any::<i64>(),
    ) {
        let bytes = [&OUT_OF_BAND_PREFIX[..], &tail].concat();
        prop_assert!(is_out_of_band(&bytes));
        prop_assert!(PacketReader::new(&bytes).is_err());

        let mut buffer = [0; 100];
        let header = Header { sequence, sent_ms, ack: None };
        let length = PacketWriter::new(&mut buffer, &header).finish().unwrap_or_default();
        prop_assert!(length > 0 && !is_out_of_band(&buffer));
    }
}
