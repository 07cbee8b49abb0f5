use super::*;
use crate::Dice;
use crate::level::BodyKind;
use reckoning::SimTime;

const AT: SimTime = SimTime::from_micros(1_234_567_890_123);

fn link() -> LinkChoice {
    LinkChoice { delay_ms: 150, jitter_ms: 40, loss_percent: 3, burst: 2 }
}

fn world() -> WorldChoice {
    let (model, policy) = (ModelChoice::Damped, PolicyChoice::Deterministic);
    WorldChoice { model, threshold_px: 7.5, policy }
}

fn asks() -> Vec<Ask> {
    vec![
        Ask::Hello { name: "Zoë".into(), watch: true },
        Ask::Hello { name: String::new(), watch: false },
        Ask::Fire { shown_at: AT, aim: [0.6, -0.8] },
        Ask::SetLink(link()),
        Ask::SetWorld(world()),
        Ask::Want { truth: true, plain: false },
    ]
}

fn tells() -> Vec<Tell> {
    vec![
        Tell::You { player: 3, entity: 70_000 },
        Tell::Status { health: 62.5, ammo: 17, alive: true, respawn_ms: 0 },
        Tell::Items { bits: 0x8000_0000_0000_0005 },
        Tell::Points { scores: [4, 9], round_left_s: 170 },
        Tell::Shot {
            number: 9,
            shooter: A_TURRET,
            from: [1.0, 2.0],
            velocity: [-3.0, 4.5],
            at: AT,
        },
        Tell::Hit { number: 9, victim: 2, damage: 10.0 },
        Tell::Born { player: 2, at: [100.0, 250.5] },
        Tell::Died { player: 2, by: A_TURRET },
        Tell::RoundOver { winner: NO_TEAM },
        Tell::World(world()),
        Tell::Link(link()),
        Tell::Side { player: 3, team: 1 },
    ]
}

fn asides(bodies: usize) -> Vec<Aside> {
    let place = |number: usize| [number as f32 + 0.5, 2.0];
    let true_body =
        |number| TrueBody { entity: number as u32, at: place(number), velocity: [-1.0, 440.0] };
    let plain_body = |number| PlainBody { entity: number as u32, at: place(number) };
    vec![
        Aside::Truth(Truth { at: AT, bodies: (0..bodies).map(true_body).collect() }),
        Aside::Plain(Plain { at: AT, bodies: (0..bodies).map(plain_body).collect() }),
        Aside::Mine(Mine { at: AT, place: [5.0, 6.0], velocity: [0.0, -0.0] }),
    ]
}

fn tag() -> Tag {
    let name = "name of 24 bytes, yes ë".to_string();
    Tag { kind: BodyKind::Tank, team: 1, player: 513, is_bot: true, name }
}

/// All messages as bytes.
fn all_bytes() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = asks().iter().map(Ask::encode).collect();
    all.extend(tells().iter().map(Tell::encode));
    all.extend(asides(3).iter().map(Aside::encode));
    all.push(tag().encode());
    all
}

/// Decodes as everything there is; whatever comes out must be within its limits.
fn decode_as_all(bytes: &[u8]) {
    if let Ok(ask) = Ask::decode(bytes) {
        assert_eq!(Ask::decode(&ask.encode()), Ok(ask), "{bytes:?}");
    }
    if let Ok(tell) = Tell::decode(bytes) {
        assert_eq!(Tell::decode(&tell.encode()), Ok(tell), "{bytes:?}");
    }
    if let Ok(aside) = Aside::decode(bytes) {
        assert_eq!(aside.encode(), bytes);
    }
    if let Ok(tag) = Tag::decode(bytes) {
        assert!(tag.name.len() <= MAX_NAME_BYTES, "{bytes:?}");
    }
}

#[test]
fn everything_said_is_understood() {
    for ask in asks() {
        assert_eq!(Ask::decode(&ask.encode()), Ok(ask));
    }
    for tell in tells() {
        assert_eq!(Tell::decode(&tell.encode()), Ok(tell));
    }
    for aside in asides(3) {
        assert_eq!(Aside::decode(&aside.encode()), Ok(aside));
    }
    assert_eq!(Tag::decode(&tag().encode()), Ok(tag()));
}

#[test]
fn the_bytes_are_as_they_were_agreed() {
    assert_eq!(Ask::SetLink(link()).encode(), [3, 150, 0, 40, 0, 3, 2]);
    assert_eq!(Ask::Want { truth: true, plain: false }.encode(), [5, 1, 0]);
    assert_eq!(Tell::You { player: 3, entity: 70_000 }.encode(), [1, 3, 0, 0x70, 0x11, 1, 0]);
    let small = Tag { player: 513, name: "ab".into(), ..tag() };
    assert_eq!(small.encode(), [1, 1, 1, 2, 1, b'a', b'b']);
    let aside =
        Aside::Mine(Mine { at: SimTime::from_micros(1), place: [1.0; 2], velocity: [0.0; 2] });
    assert_eq!(aside.encode()[..12], [0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0]);
}

#[test]
fn cut_messages_are_refused() {
    for bytes in all_bytes() {
        for length in 0..bytes.len() {
            decode_as_all(&bytes[..length]);
        }
    }
    for tell in tells() {
        let bytes = tell.encode();
        for length in 0..bytes.len() {
            assert!(Tell::decode(&bytes[..length]).is_err(), "{tell:?} cut to {length}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(Tell::decode(&longer), Err(TalkError::Long { left_bytes: 1 }));
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
    let mut dice = Dice::new(5);
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..dice.below(40)).map(|_| dice.below(256) as u8).collect();
        decode_as_all(&bytes);
        bytes.splice(0..0, OUT_OF_BAND_PREFIX);
        decode_as_all(&bytes);
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let far = LinkChoice { delay_ms: 1_001, ..link() };
    let refused = Err(TalkError::Value { name: "delay_ms" });
    assert_eq!(Ask::decode(&Ask::SetLink(far).encode()), refused);
    let endless = LinkChoice { burst: 0, ..link() };
    assert!(Ask::decode(&Ask::SetLink(endless).encode()).is_err());
    for threshold_px in [0.0, 101.0, f32::NAN, f32::INFINITY] {
        let wild = WorldChoice { threshold_px, ..world() };
        assert!(Ask::decode(&Ask::SetWorld(wild).encode()).is_err(), "{threshold_px}");
    }
    let aimless = Ask::Fire { shown_at: AT, aim: [f32::NAN, 0.0] };
    assert_eq!(Ask::decode(&aimless.encode()), Err(TalkError::Value { name: "aim" }));
    assert_eq!(Ask::decode(&[77]), Err(TalkError::Kind { got: 77 }));
}

#[test]
fn names_are_cut_between_letters_and_cleaned() {
    assert_eq!(clean_name("  a\nb\u{7}c "), "abc");
    assert_eq!(clean_name(&"ë".repeat(30)), "ë".repeat(12));
    assert!(Ask::decode(&[&[1, 0][..], &[b'a'; 25]].concat()).is_err());
    assert!(Ask::decode(&[1, 0, 0xff]).is_err());
}

#[test]
fn no_aside_is_longer_than_a_datagram() {
    for aside in asides(500) {
        let bytes = aside.encode();
        assert!(bytes.len() <= 1_000, "{}", bytes.len());
        assert!(Aside::decode(&bytes).is_ok());
    }
    assert_eq!((MAX_TRUE, MAX_PLAIN), (49, 81));
}

#[test]
fn every_choice_has_the_number_of_its_place() {
    for (number, model) in ModelChoice::ALL.into_iter().enumerate() {
        assert_eq!(model as usize, number);
        assert!(model.model().check().is_ok());
    }
    for (number, policy) in PolicyChoice::ALL.into_iter().enumerate() {
        assert_eq!(policy as usize, number);
    }
}
