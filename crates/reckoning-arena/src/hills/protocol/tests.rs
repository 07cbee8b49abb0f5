use reckoning::math::rotation;
use reckoning::orientation::shortest_turn_rad;
use reckoning::random::SplitMix64;
use reckoning::rewind::{ShownAs, ShownUpdate};

use super::*;
use crate::protocol::{ClientMessage, MAX_PICTURES, OUT_OF_BAND_PREFIX, ServerMessage};

const AT: SimTime = SimTime::from_micros(1_234_567_890);

fn tuning() -> HillsTuning {
    HillsTuning {
        threshold_m: 0.5,
        prevents: false,
        joints: JointsChoice::Derived,
        train_on_path: false,
        merchant_delayed: true,
    }
}

fn picture() -> Picture {
    let update = |key: u64| ShownUpdate { key, arrived: AT };
    Picture { entity: 70_000, shown: ShownAs::new(AT, &[3, 9].map(update)) }
}

fn commands() -> Vec<HillsCommand> {
    let (from, aim) = (DVec3::new(1.5, -2.0, 30.25), DVec3::new(0.5, 0.5, -0.25));
    let fire = |pictures| HillsCommand::Fire { shown_at: AT, from, aim, pictures };
    vec![
        fire(Vec::new()),
        fire(vec![picture(); MAX_PICTURES]),
        HillsCommand::Lob,
        HillsCommand::SetTuning(tuning()),
    ]
}

fn notices() -> Vec<HillsNotice> {
    let (from, to) = (DVec3::new(1.5, -2.0, 30.25), DVec3::new(900.5, 0.5, -0.25));
    vec![
        HillsNotice::Tuning(tuning()),
        HillsNotice::Shot { shooter: 9, from, to },
        HillsNotice::Hit { victim: 3, by: 4, part: Part::Turret, damage: 12.5 },
        HillsNotice::Burst { at: to },
    ]
}

fn body(number: u32) -> HillsTruthBody {
    let turned = f64::from(number);
    HillsTruthBody {
        entity: number,
        position: DVec3::new(turned, 512.25, -3.5),
        velocity: DVec3::new(-14.0, 0.5, 2.0),
        orientation: rotation(DVec3::new(0.2, -0.1, turned)),
        aim: Aim { turret_rad: turned * 0.3 - 3.0, barrel_rad: 0.4, ..Aim::default() },
    }
}

fn datagrams(count: u32) -> Vec<HillsDatagram> {
    let bodies: Vec<_> = (0..count).map(body).collect();
    let still = bodies.iter().map(|it| HillsTruthBody { velocity: DVec3::ZERO, ..*it }).collect();
    vec![
        HillsDatagram::Truth { at: AT, bodies },
        HillsDatagram::Snapshot { at: AT, bodies: still },
        HillsDatagram::OwnState { at: AT, body: body(7) },
    ]
}

fn bodies_of(datagram: &HillsDatagram) -> Vec<HillsTruthBody> {
    match datagram {
        HillsDatagram::Truth { bodies, .. } | HillsDatagram::Snapshot { bodies, .. } => {
            bodies.clone()
        }
        HillsDatagram::OwnState { body, .. } => vec![*body],
    }
}

fn all_bytes() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = commands().iter().map(HillsCommand::encode).collect();
    all.extend(notices().iter().map(HillsNotice::encode));
    all.extend(datagrams(3).iter().map(HillsDatagram::encode));
    all
}

fn decode_as_all(bytes: &[u8]) {
    if let Ok(command) = HillsCommand::decode(bytes) {
        assert_eq!(HillsCommand::decode(&command.encode()), Ok(command), "{bytes:?}");
    }
    if let Ok(notice) = HillsNotice::decode(bytes) {
        assert_eq!(HillsNotice::decode(&notice.encode()), Ok(notice), "{bytes:?}");
    }
    if let Ok(datagram) = HillsDatagram::decode(bytes) {
        let fine = |it: &HillsTruthBody| {
            it.position.is_finite() && it.velocity.is_finite() && it.orientation.is_normalized()
        };
        assert!(bodies_of(&datagram).iter().all(fine), "{bytes:?}");
        assert_eq!(datagram.encode().len(), bytes.len());
    }
}

#[test]
fn everything_said_is_understood() {
    for command in commands() {
        assert_eq!(HillsCommand::decode(&command.encode()), Ok(command));
    }
    for notice in notices() {
        assert_eq!(HillsNotice::decode(&notice.encode()), Ok(notice));
    }
    for datagram in datagrams(5) {
        let got = HillsDatagram::decode(&datagram.encode()).unwrap();
        for (got, said) in bodies_of(&got).iter().zip(bodies_of(&datagram)) {
            assert_eq!((got.entity, got.position), (said.entity, said.position));
            assert_eq!(got.velocity, said.velocity);
            assert!(got.orientation.angle_between(said.orientation) < 3e-4);
            let off_rad = shortest_turn_rad(got.aim.turret_rad, said.aim.turret_rad).abs();
            assert!(off_rad < 1e-4 && (got.aim.barrel_rad - 0.4).abs() < 1e-4, "{got:?}");
        }
        assert_eq!(bodies_of(&got).len(), bodies_of(&datagram).len());
    }
}

#[test]
fn the_flat_arena_does_not_take_them_for_its_own() {
    for bytes in commands().iter().map(HillsCommand::encode) {
        assert!(ClientMessage::decode(&bytes).is_err());
    }
    for bytes in notices().iter().map(HillsNotice::encode) {
        assert!(ServerMessage::decode(&bytes).is_err());
    }
    for bytes in datagrams(2).iter().map(HillsDatagram::encode) {
        assert!(crate::protocol::DebugDatagram::decode(&bytes).is_err());
    }
}

/// Neither cut nor with more behind them do the bytes say anything.
fn assert_whole(bytes: &[u8], says: impl Fn(&[u8]) -> bool) {
    assert!(says(bytes));
    assert!((0..bytes.len()).all(|length| !says(&bytes[..length])), "{bytes:?}");
    assert!(!says(&[bytes, &[0]].concat()), "{bytes:?}");
}

#[test]
fn cut_flipped_and_random_bytes_are_refused_or_whole() {
    for command in commands() {
        assert_whole(&command.encode(), |bytes| HillsCommand::decode(bytes).is_ok());
    }
    for notice in notices() {
        assert_whole(&notice.encode(), |bytes| HillsNotice::decode(bytes).is_ok());
    }
    for datagram in datagrams(3) {
        assert_whole(&datagram.encode(), |bytes| HillsDatagram::decode(bytes).is_ok());
    }
    for bytes in all_bytes() {
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            decode_as_all(&flipped);
        }
    }
    let mut random = SplitMix64::new(5);
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..random.below(60)).map(|_| random.below(256) as u8).collect();
        decode_as_all(&bytes);
        bytes.splice(0..0, OUT_OF_BAND_PREFIX);
        decode_as_all(&bytes);
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let refused = Err(crate::protocol::ProtocolError::Value { name: "threshold_m" });
    for threshold_m in [0.0, 0.04, 5.1, f32::NAN, f32::INFINITY] {
        let wild = HillsTuning { threshold_m, ..tuning() };
        let bytes = HillsCommand::SetTuning(wild).encode();
        assert_eq!(HillsCommand::decode(&bytes), refused, "{threshold_m}");
    }
    for threshold_m in HillsTuning::THRESHOLDS_M {
        let fine = HillsCommand::SetTuning(HillsTuning { threshold_m, ..tuning() });
        assert_eq!(HillsCommand::decode(&fine.encode()), Ok(fine));
    }
    for (number, joints) in JointsChoice::ALL.into_iter().enumerate() {
        assert_eq!(joints as usize, number);
    }
}

#[test]
fn no_aside_is_longer_than_a_datagram() {
    for datagram in datagrams(500) {
        let bytes = datagram.encode();
        assert!(bytes.len() <= reckoning_net::wire::MAX_DATAGRAM_BYTES, "{}", bytes.len());
        assert!(HillsDatagram::decode(&bytes).is_ok());
    }
    assert_eq!((MAX_TRUTH_BODIES, MAX_SNAPSHOT_BODIES), (24, 35));
}
