//! Round trips: what is written to the wire is read from it, bit for bit.

mod shared;

use reckoning::{Curve, CurveBasis, DVec3, SimTime, Update, UpdateKind};
use reckoning_net::wire::{
    Ack, BitReader, BitWriter, Codes, DecodeError, EntityId, ExitReason, FieldBits, Format, Header,
    Message, Owner, PacketReader, PacketWriter, PeerId, Registry, UpdateBody, UpdateField,
    UpdateSeq, VERSION, read_update, write_update,
};
use reckoning_net::{KindId, PropertyId};

use shared::{assert_same, disconnect_reasons, format, later, models, registry, seen, update};

fn carried(format: &Format, baseline: Option<&Update>, update: &Update) -> Update {
    let mut bytes = [0; 256];
    let mut out = BitWriter::new(&mut bytes);
    write_update(&mut out, format, baseline, update);
    let length = out.finish().unwrap();
    read_update(&mut BitReader::new(&bytes[..length]), format, baseline).unwrap()
}

#[test]
fn every_model_comes_back_bit_identical() {
    for flat in [false, true] {
        let format = format(flat);
        for model in models() {
            for kind in [UpdateKind::Partial, UpdateKind::Full, UpdateKind::Teleport] {
                let sent = format.round(&update(seen(), model, kind));
                assert_same(&carried(&format, None, &sent), &sent);
            }
        }
    }
}

#[test]
fn every_model_comes_back_off_every_baseline() {
    for flat in [false, true] {
        let format = format(flat);
        for old in models() {
            let baseline = format.coarser(1).round(&update(seen(), old, UpdateKind::Full));
            for new in models() {
                for t_s in [-0.3, 0.0, 0.25, 30.0] {
                    let sent = format.round(&update(later(t_s), new, UpdateKind::Partial));
                    assert_same(&carried(&format, Some(&baseline), &sent), &sent);
                }
            }
        }
    }
}

#[test]
fn rounding_twice_changes_nothing_more() {
    for flat in [false, true] {
        for class in [0, 1, 5, 15] {
            let format = format(flat).coarser(class);
            for model in models() {
                let once = format.round(&update(later(0.7), model, UpdateKind::Full));
                assert_same(&format.round(&once), &once);
            }
        }
    }
}

#[test]
fn a_moved_stamp_takes_the_body_along() {
    let format = Format::new(false, 10, shared::STEPS, &[], registry()).unwrap();
    let sent = update(seen(), reckoning::Model::Linear, UpdateKind::Full);
    let rounded = format.round(&sent);
    assert_eq!(rounded.at(), SimTime::from_millis(12_300));
    let off_m = (rounded.kinematics().position - sent.position_at(rounded.at())).length();
    assert!(off_m <= shared::STEPS.worst_position_m(), "{off_m}");
}

#[test]
fn a_curve_goes_as_fast_as_its_terms_say() {
    for flat in [false, true] {
        let format = format(flat);
        let coefficients = [0.123, -0.456, 7.89, 0.777].map(|x| DVec3::new(x, -x, 2.0 * x));
        let curve = Curve::new(CurveBasis::FOUR, &coefficients).unwrap();
        let mut seen = seen();
        seen.velocity = coefficients.iter().sum();
        let model = reckoning::Model::Curve(curve);
        let rounded = format.round(&update(seen, model, UpdateKind::Partial));
        let off = rounded.kinematics().velocity - rounded.velocity_at(rounded.at());
        assert!(off.length() < 1e-12, "{off}");
    }
}

/// The update of a datagram, and what it took there.
fn bits_in_a_datagram(
    format: &Format,
    baseline: Option<&Update>,
    sent: &Update,
) -> (u32, FieldBits) {
    let body = UpdateBody::new(format, baseline, sent);
    let seq = baseline.map_or(UpdateSeq::Full(7), |_| UpdateSeq::delta(65_535, 3).unwrap());
    let mut bytes = [0; 512];
    let mut out = PacketWriter::new(&mut bytes, &header());
    let message = Message::Update { entity: EntityId(1), seq, class: 0, body };
    assert!(out.push(Some(format), &message));
    let length = out.finish().unwrap();
    let mut reader = PacketReader::new(&bytes[..length]).unwrap();
    let before = reader.bits_left();
    let Ok(Some(Message::Update { body, .. })) = reader.next_message(Some(format)) else {
        panic!("it was written")
    };
    ((before - reader.bits_left()) as u32, reader.bits_by_field(format, &body))
}

#[test]
fn every_bit_of_an_update_belongs_to_a_field_or_says_whose_it_is() {
    for flat in [false, true] {
        let format = format(flat);
        let old = format.round(&update(seen(), models()[1], UpdateKind::Full));
        for model in models() {
            let sent = format.round(&update(later(0.25), model, UpdateKind::Partial));
            for baseline in [None, Some(&old)] {
                let (all, fields) = bits_in_a_datagram(&format, baseline, &sent);
                // One bit says that it is an update; whose and which one take a dozen or two.
                let told = format!("{model:?}: {all} bits, {fields:?}, flat {flat}");
                let head = all.checked_sub(fields.sum()).unwrap_or_else(|| panic!("{told}"));
                assert!((3..=40).contains(&head), "{head} bits of head, {told}");
                let mut bytes = [0; 256];
                let mut out = BitWriter::new(&mut bytes);
                write_update(&mut out, &format, baseline, &sent);
                let stamp = fields.of(UpdateField::Stamp);
                let rest = fields.sum() - stamp;
                assert!(out.bits() as u32 > rest, "the stamp alone counts from elsewhere");
            }
        }
    }
    let format = format(false);
    let linear = format.round(&update(seen(), models()[1], UpdateKind::Partial));
    let (_, fields) = bits_in_a_datagram(&format, None, &linear);
    assert!(fields.of(UpdateField::Position) > 30 && fields.of(UpdateField::Curve) == 0);
}

#[test]
fn priors_come_back_with_their_format() {
    let format = format(true);
    let back = Format::from_bytes(&format.to_bytes(), registry()).unwrap();
    let linear = reckoning::Model::Linear;
    assert!(format.codes_of(&linear).turning && *format.codes_of(&linear) != Codes::default());
    assert_eq!(back.codes_of(&linear), format.codes_of(&linear));
    assert_eq!(back.codes_of_others(), format.codes_of_others());
    let mut far = Codes::default();
    far.spin = 16;
    let refused = format.clone().with_codes(&[], far).unwrap_err().to_string();
    assert!(refused.contains("16") && refused.contains("15"), "{refused}");
    assert!(format.with_codes(&[Codes::default(); 4], Codes::default()).is_err());
}

#[test]
fn a_format_comes_back() {
    for flat in [false, true] {
        let all: Vec<_> = models().into_iter().skip(4).take(8).collect();
        let format = Format::new(flat, 60, shared::STEPS, &all, registry()).unwrap();
        let back = Format::from_bytes(&format.to_bytes(), registry()).unwrap();
        assert_eq!(back, format);
        let unknown = Format::from_bytes(&format.to_bytes(), Registry::default());
        assert!(unknown.is_err(), "paths and custom models must be registered");
    }
}

fn header() -> Header {
    let ack = Ack { newest: 65_535, before: 0x8000_0001, received_ms: 65_000 };
    Header { sequence: 65_534, sent_ms: 12_346, ack: Some(ack) }
}

fn said<'a>(format: &Format, baseline: &Update, new: &Update) -> Vec<Message<'a>> {
    let class = 3;
    let coarse = format.coarser(class);
    let whole = UpdateBody::new(format, None, new);
    let off = UpdateBody::new(format, Some(baseline), new);
    let coarse_off = UpdateBody::new(&coarse, Some(baseline), &coarse.round(new));
    let mut all = vec![
        Message::Join { version: VERSION, token: b"let me in" },
        Message::Leave,
        Message::Ping { sent_us: u64::MAX },
        Message::Welcome { peer: PeerId(7), format: b"not read here", config: &[] },
        Message::Pong { sent_us: 1, received_us: 1 << 63, answered_us: 3 },
        Message::Enter {
            entity: EntityId(4),
            owner: Owner::Peer(PeerId(1_000_000)),
            kind: KindId::NONE,
            number: 65_535,
            class: 0,
            tag: b"red 5",
            body: whole,
        },
        Message::Enter {
            entity: EntityId(6),
            owner: Owner::Host,
            kind: KindId::from_number(32).unwrap(),
            number: 0,
            class: 0,
            tag: b"",
            body: whole,
        },
        Message::Exit { entity: EntityId(u32::MAX), why: ExitReason::Left },
        Message::Exit { entity: EntityId(u32::MAX), why: ExitReason::Despawned },
        Message::Correct { entity: EntityId(0), serial: 513, class: 0, body: whole },
        Message::Grant { entity: EntityId(5), kind: KindId::NONE },
        Message::Grant { entity: EntityId(5), kind: KindId::from_number(1).unwrap() },
        Message::Kind { kind: KindId::from_number(32).unwrap(), bytes: b"not read here" },
        Message::Revoke { entity: EntityId(2) },
        Message::Update { entity: EntityId(9), seq: UpdateSeq::Full(12), class: 0, body: whole },
        Message::Update {
            entity: EntityId(12),
            seq: UpdateSeq::delta(65_535, 3).unwrap(),
            class: 0,
            body: off,
        },
        Message::Update {
            entity: EntityId(13),
            seq: UpdateSeq::delta(8, 39).unwrap(),
            class,
            body: coarse_off,
        },
        Message::Reliable { index: 9, bytes: &[1, 2, 3] },
        Message::ReliableAck { next: 10 },
        Message::Command { index: 65_535, bytes: &[0xff; 255] },
        Message::View { bytes: &[7; 32] },
        Message::Joints { entity: EntityId(6), mask: 0b101, codes: [9, 0, 65_535, 0, 0, 0, 0, 0] },
    ];
    all.extend(property_messages());
    all.extend(farewells());
    all
}

fn farewells<'a>() -> impl Iterator<Item = Message<'a>> {
    disconnect_reasons(512).into_iter().flat_map(|why| {
        let kick = Message::Kick { why, words: "bye – and thanks" };
        [Message::Refused(why), Message::Bye(why), kick]
    })
}

fn property_messages<'a>() -> [Message<'a>; 3] {
    [
        Message::Property { property: PropertyId::from_number(31).unwrap(), bytes: b"nor here" },
        Message::Values { entity: EntityId(2), bytes: &[9; 17] },
        Message::Ask { entity: EntityId(3) },
    ]
}

#[test]
fn every_message_comes_back() {
    let format = format(false);
    let baseline = format.round(&update(seen(), models()[1], UpdateKind::Full));
    let new = format.round(&update(later(0.3), models()[6], UpdateKind::Partial));
    let sent = said(&format, &baseline, &new);
    let mut bytes = [0; 1_000];
    let mut packet = PacketWriter::new(&mut bytes, &header());
    for message in &sent {
        assert!(packet.push(Some(&format), message), "{message:?}");
    }
    let length = packet.finish().unwrap();

    let mut reader = PacketReader::new(&bytes[..length]).unwrap();
    assert_eq!(*reader.header(), header());
    let mut got = Vec::new();
    while let Some(message) = reader.next_message(Some(&format)).unwrap() {
        got.push(message);
    }
    assert_eq!(got, sent);
    let Some(Message::Update { body, .. }) = got.get(15) else { panic!("{:?}", got.get(15)) };
    assert_same(&body.resolve(&format, Some(&baseline)).unwrap(), &new);
    assert_eq!(body.resolve(&format, None), Err(DecodeError::BaselineMismatch));
}

#[test]
fn what_does_not_fit_leaves_the_datagram_as_it_was() {
    let format = format(true);
    let body = UpdateBody::new(
        &format,
        None,
        &format.round(&update(seen(), models()[1], UpdateKind::Full)),
    );
    let sent: Vec<Message> = (0..100)
        .map(|i| Message::Update {
            entity: EntityId(i * 3),
            seq: UpdateSeq::Full(i as u16),
            class: (i % 3) as u8,
            body,
        })
        .collect();
    for size in [60, 61, 62, 63, 64, 100] {
        let mut bytes = vec![0; size];
        let mut packet = PacketWriter::new(&mut bytes, &header());
        let fitted = sent.iter().take_while(|message| packet.push(Some(&format), message)).count();
        assert!(fitted > 1 && fitted < sent.len(), "{fitted}");
        let length = packet.finish().unwrap();
        assert!(length <= size && length > size - 24, "{length} of {size}");
        let mut reader = PacketReader::new(&bytes[..length]).unwrap();
        for message in &sent[..fitted] {
            assert_eq!(reader.next_message(Some(&format)).unwrap().as_ref(), Some(message));
        }
        assert_eq!(reader.next_message(Some(&format)), Ok(None));
    }
}

#[test]
fn bytes_longer_than_allowed_never_fit() {
    let mut bytes = [0; 4_000];
    let mut packet = PacketWriter::new(&mut bytes, &header());
    let long = [0; 1_001];
    assert!(!packet.push(None, &Message::Command { index: 0, bytes: &long[..256] }));
    assert!(!packet.push(None, &Message::Reliable { index: 0, bytes: &long[..901] }));
    assert!(!packet.push(None, &Message::Join { version: 1, token: &long[..513] }));
    assert!(packet.push(None, &Message::Reliable { index: 0, bytes: &long[..900] }));
}

#[test]
fn a_cut_datagram_is_refused_wherever_it_is_cut() {
    let format = format(false);
    let baseline = format.round(&update(seen(), models()[1], UpdateKind::Full));
    let new = format.round(&update(later(0.3), models()[6], UpdateKind::Partial));
    for message in said(&format, &baseline, &new) {
        let mut bytes = [0; 1_000];
        let mut packet = PacketWriter::new(&mut bytes, &header());
        assert!(packet.push(Some(&format), &message));
        let length = packet.finish().unwrap();
        for cut in 0..length {
            let read = PacketReader::new(&bytes[..cut])
                .and_then(|mut reader| reader.next_message(Some(&format)));
            assert_ne!(read, Ok(Some(message)), "cut to {cut} of {length}");
        }
    }
}
