use std::time::Duration;

use reckoning::SimTime;
use reckoning::random::SplitMix64;
use reckoning::rewind::{ShownAs, ShownUpdate};

use super::*;

const AT: SimTime = SimTime::from_micros(1_234_567_890_123);

fn link() -> LinkChoice {
    LinkChoice { delay_ms: 150, jitter_ms: 40, loss_percent: 3, burst: 2 }
}

fn world() -> ServerTuning {
    let (model, policy) = (ModelChoice::Damped, PolicyChoice::Deterministic);
    ServerTuning {
        model,
        threshold_px: 7.5,
        policy,
        budget_percent: 20,
        weights: WeightsChoice::Errors,
        near_delayed: false,
        far_delayed: true,
    }
}

fn picture() -> Picture {
    let update = |key: u64| ShownUpdate { key, arrived: AT - Duration::from_millis(900 - key) };
    Picture { entity: 70_000, shown: ShownAs::new(AT, &[3, 9, 40].map(update)) }
}

fn client_messages() -> Vec<ClientMessage> {
    vec![
        ClientMessage::Hello { name: "Zoë".into(), watch: true },
        ClientMessage::Hello { name: String::new(), watch: false },
        ClientMessage::Fire { shown_at: AT, aim: [0.6, -0.8], pictures: Vec::new() },
        ClientMessage::Fire {
            shown_at: AT,
            aim: [1.0, 0.0],
            pictures: vec![picture(); MAX_PICTURES],
        },
        ClientMessage::SetLink(link()),
        ClientMessage::SetTuning(world()),
        ClientMessage::Subscribe { truth: true, snapshots: false },
        ClientMessage::Enter { vehicle: 70_000 },
        ClientMessage::Leave,
        ClientMessage::FireNow { aim: [0.6, -0.8] },
    ]
}

fn server_messages() -> Vec<ServerMessage> {
    vec![
        ServerMessage::You { player: 3, entity: 70_000 },
        ServerMessage::Items { bits: 0x8000_0000_0000_0005 },
        ServerMessage::Points { scores: [4, 9], round_left_s: 170 },
        ServerMessage::Shot {
            number: 9,
            shooter: A_TURRET,
            from: [1.0, 2.0],
            velocity: [-3.0, 4.5],
            at: AT,
        },
        ServerMessage::Hit { number: 9, victim: 2, damage: 10.0 },
        ServerMessage::Died { player: 2, by: A_TURRET },
        ServerMessage::RoundOver { winner: NO_TEAM },
        ServerMessage::Tuning(world()),
        ServerMessage::Link(link()),
        ServerMessage::Refused(Refusal::TooOften),
        ServerMessage::Refused(Refusal::OutOfReach),
    ]
}

fn datagrams(bodies: usize) -> Vec<DebugDatagram> {
    let place = |number: usize| [number as f32 + 0.5, 2.0];
    let truth_body =
        |number| TruthBody { entity: number as u32, at: place(number), velocity: [-1.0, 440.0] };
    let snapshot_body = |number| SnapshotBody { entity: number as u32, at: place(number) };
    vec![
        DebugDatagram::Truth(Truth { at: AT, bodies: (0..bodies).map(truth_body).collect() }),
        DebugDatagram::Snapshot(PositionSnapshot {
            at: AT,
            bodies: (0..bodies).map(snapshot_body).collect(),
        }),
        DebugDatagram::OwnState(OwnState { at: AT, place: [5.0, 6.0], velocity: [0.0, -0.0] }),
        DebugDatagram::Worth(PlannerWorth {
            planners: vec![None, Some(PlannerFigures { error_px: 3.5, updates_per_s: 4.25 })],
        }),
        DebugDatagram::Accounts(ErrorAccounts {
            confirmed: 12.5,
            estimated: 0.5,
            listeners: 3,
            spread: [9.0, 12.0, 20.0],
        }),
    ]
}

fn tag() -> Tag {
    Tag { player: 513, is_bot: true }
}

/// All messages as bytes.
fn all_bytes() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = client_messages().iter().map(ClientMessage::encode).collect();
    all.extend(server_messages().iter().map(ServerMessage::encode));
    all.extend(datagrams(3).iter().map(DebugDatagram::encode));
    all.push(tag().encode());
    all
}

/// Decodes as everything there is; whatever comes out must be within its limits.
fn decode_as_all(bytes: &[u8]) {
    if let Ok(message) = ClientMessage::decode(bytes) {
        assert_eq!(ClientMessage::decode(&message.encode()), Ok(message), "{bytes:?}");
    }
    if let Ok(message) = ServerMessage::decode(bytes) {
        assert_eq!(ServerMessage::decode(&message.encode()), Ok(message), "{bytes:?}");
    }
    if let Ok(datagram) = DebugDatagram::decode(bytes) {
        assert_eq!(datagram.encode(), bytes);
    }
    if let Ok(tag) = Tag::decode(bytes) {
        assert_eq!(tag.encode(), bytes);
    }
}

#[test]
fn everything_said_is_understood() {
    for message in client_messages() {
        assert_eq!(ClientMessage::decode(&message.encode()), Ok(message));
    }
    for message in server_messages() {
        assert_eq!(ServerMessage::decode(&message.encode()), Ok(message));
    }
    for datagram in datagrams(3) {
        assert_eq!(DebugDatagram::decode(&datagram.encode()), Ok(datagram));
    }
    assert_eq!(Tag::decode(&tag().encode()), Ok(tag()));
}

#[test]
fn the_bytes_are_as_they_were_agreed() {
    assert_eq!(ClientMessage::SetLink(link()).encode(), [3, 150, 0, 40, 0, 3, 2]);
    assert_eq!(ClientMessage::Subscribe { truth: true, snapshots: false }.encode(), [5, 1, 0]);
    assert_eq!(
        ServerMessage::You { player: 3, entity: 70_000 }.encode(),
        [1, 3, 0, 0x70, 0x11, 1, 0]
    );
    let naive = ClientMessage::FireNow { aim: [1.0, 0.0] };
    assert_eq!(naive.encode(), [8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0]);
    assert_eq!(tag().encode(), [1, 2, 1]);
    let datagram = DebugDatagram::OwnState(OwnState {
        at: SimTime::from_micros(1),
        place: [1.0; 2],
        velocity: [0.0; 2],
    });
    assert_eq!(datagram.encode()[..12], [0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0]);
}

#[test]
fn cut_messages_are_refused() {
    for bytes in all_bytes() {
        for length in 0..bytes.len() {
            decode_as_all(&bytes[..length]);
        }
    }
    for message in server_messages() {
        let bytes = message.encode();
        for length in 0..bytes.len() {
            assert!(
                ServerMessage::decode(&bytes[..length]).is_err(),
                "{message:?} cut to {length}"
            );
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(ServerMessage::decode(&longer), Err(ProtocolError::Long { left_bytes: 1 }));
    }
}

#[test]
fn flipped_and_random_bytes_never_panic() {
    for bytes in all_bytes() {
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            decode_as_all(&flipped);
        }
    }
    let mut random = SplitMix64::new(5);
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..random.below(40)).map(|_| random.below(256) as u8).collect();
        decode_as_all(&bytes);
        bytes.splice(0..0, OUT_OF_BAND_PREFIX);
        decode_as_all(&bytes);
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let far = LinkChoice { delay_ms: 1_001, ..link() };
    let refused = Err(ProtocolError::Value { name: "delay_ms" });
    assert_eq!(ClientMessage::decode(&ClientMessage::SetLink(far).encode()), refused);
    let endless = LinkChoice { burst: 0, ..link() };
    assert!(ClientMessage::decode(&ClientMessage::SetLink(endless).encode()).is_err());
    for threshold_px in [0.0, 101.0, f32::NAN, f32::INFINITY] {
        let wild = ServerTuning { threshold_px, ..world() };
        assert!(
            ClientMessage::decode(&ClientMessage::SetTuning(wild).encode()).is_err(),
            "{threshold_px}"
        );
    }
    for budget_percent in [0, 4, 101] {
        let wild = ServerTuning { budget_percent, ..world() };
        let refused = Err(ProtocolError::Value { name: "budget_percent" });
        assert_eq!(ClientMessage::decode(&ClientMessage::SetTuning(wild).encode()), refused);
    }
    let aimless = ClientMessage::Fire { shown_at: AT, aim: [f32::NAN, 0.0], pictures: vec![] };
    assert_eq!(ClientMessage::decode(&aimless.encode()), Err(ProtocolError::Value { name: "aim" }));
    assert_eq!(ClientMessage::decode(&[77]), Err(ProtocolError::Kind { got: 77 }));
}

#[test]
fn names_are_cut_between_letters_and_cleaned() {
    assert_eq!(clean_name("  a\nb\u{7}c "), "abc");
    assert_eq!(clean_name(&"ë".repeat(30)), "ë".repeat(12));
    assert!(ClientMessage::decode(&[&[1, 0][..], &[b'a'; 25]].concat()).is_err());
    assert!(ClientMessage::decode(&[1, 0, 0xff]).is_err());
}

#[test]
fn no_aside_is_longer_than_a_datagram() {
    for datagram in datagrams(500) {
        let bytes = datagram.encode();
        assert!(bytes.len() <= 1_000, "{}", bytes.len());
        assert!(DebugDatagram::decode(&bytes).is_ok());
    }
    assert_eq!((MAX_TRUTH_BODIES, MAX_SNAPSHOT_BODIES), (49, 81));
}

#[test]
fn every_choice_has_the_number_of_its_place() {
    for (number, model) in ModelChoice::ALL.into_iter().enumerate() {
        assert_eq!(model as usize, number);
        assert!(model.model().validate().is_ok());
    }
    for (number, policy) in PolicyChoice::ALL.into_iter().enumerate() {
        assert_eq!(policy as usize, number);
        let tuning = ServerTuning { policy, ..ServerTuning::default() };
        assert_eq!(tuning.policy().budget().is_some(), policy.has_weights(), "{policy:?}");
    }
    for (number, weights) in WeightsChoice::ALL.into_iter().enumerate() {
        assert_eq!(weights as usize, number);
    }
}

#[test]
fn a_clean_name_stays_as_it_is() {
    let long = format!("{} b", "a".repeat(super::MAX_NAME_BYTES - 1));
    for name in ["\0 \0Ada", " Ada\t ", "\u{1} ", &long, "Ada Lovelace"] {
        let clean = super::clean_name(name);
        assert_eq!(super::clean_name(&clean), clean, "{name:?}");
    }
    assert_eq!(super::clean_name("\0 \0Ada"), "Ada");
}
