//! The committed datagrams are what is written today, and another decoder reads the same.

#[path = "shared/declared.rs"]
mod declared;
mod shared;

use std::path::{Path, PathBuf};
use std::process::Command;

use reckoning::model::Landing;
use reckoning::{DVec3, Kinematics, Model, SimTime, Update, UpdateKind};
use reckoning_net::wire::{
    Ack, DisconnectReason, EntityId, ExitReason, Format, Header, Message, Owner, PacketReader,
    PacketWriter, PeerId, UpdateBody, UpdateSeq, VERSION,
};
use reckoning_net::{KindId, PropertyId};
use serde_json::{Value, json};

use shared::{disconnect_reasons, format, later, models, path, seen, update};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_committed_vectors_are_current() {
    let file = root().join("testdata/vectors/wire.json");
    let new = vectors();
    if std::env::var_os("RECKONING_WRITE_VECTORS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &new).unwrap();
    }
    let old = std::fs::read_to_string(&file).unwrap_or_default();
    let first = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert!(
        old == new,
        "testdata/vectors/wire.json is not what is written now, first difference: {first:#?}\n\
         A change of the bytes needs a new version in PROTOCOL.md. Then write the file with \
         `RECKONING_WRITE_VECTORS=1 cargo test -p reckoning-net --test vectors` and commit it."
    );
}

#[test]
fn a_decoder_that_follows_the_document_reads_the_vectors() {
    let decoder = root().join("tools/decode_wire.py");
    let vectors = root().join("testdata/vectors/wire.json");
    let run = match Command::new("python3").arg(decoder).arg(vectors).output() {
        Ok(run) => run,
        Err(error) => {
            let test = "a_decoder_that_follows_the_document_reads_the_vectors";
            return reckoning_testing::skip(test, &format!("no python3 ({error})"));
        }
    };
    let said = String::from_utf8_lossy(&run.stdout);
    let complaint = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}\n{complaint}");
    assert!(said.contains("every field is as expected"), "{said}");
}

/// All datagrams, one line each, so that a change shows as a diff.
fn vectors() -> String {
    let (space, flat) = (format(false), format(true));
    let points = [DVec3::ZERO, DVec3::X * 10.0, DVec3::new(10.0, 8.0, 1.0), DVec3::Y * 8.0];
    let head = json!({
        "version": VERSION,
        "formats": { "space": hex(&space.to_bytes()), "flat": hex(&flat.to_bytes()) },
        "paths": [{ "id": path().id(), "points": points.map(|p| p.to_array()), "closed": true }],
        "customs": [{ "id": 9, "position": "p + v * (t / (1 + t))" }],
    });
    let mut lines = vec![format!("{{\"about\": {head},"), "\"declared\": {".to_owned()];
    lines.extend(declared::declared());
    lines.extend(["},".to_owned(), "\"datagrams\": [".to_owned()]);
    let mut all = control_messages(&space);
    for (name, format) in [("space", &space), ("flat", &flat)] {
        all.extend(motion(name, format));
    }
    let last = all.len() - 1;
    let ends = all.iter().enumerate().map(|(i, _)| if i == last { "" } else { "," });
    lines.extend(all.iter().zip(ends).map(|(datagram, end)| format!("{datagram}{end}")));
    lines.push("]}\n".to_owned());
    lines.join("\n")
}

/// One datagram with what it says. `updates` are those of its messages that carry one.
fn datagram(
    name: &str,
    format: &Format,
    header: &Header,
    said: &[(Message, Option<Update>)],
) -> Value {
    let mut bytes = [0; 1_000];
    let mut packet = PacketWriter::new(&mut bytes, header);
    for (message, _) in said {
        assert!(packet.push(Some(format), message), "{message:?}");
    }
    let length = packet.finish().unwrap();
    let mut reader = PacketReader::new(&bytes[..length]).unwrap();
    for (message, _) in said {
        assert_eq!(reader.next_message(Some(format)).unwrap().as_ref(), Some(message));
    }
    let messages: Vec<Value> =
        said.iter().map(|(message, update)| message_json(message, update.as_ref())).collect();
    json!({
        "format": name,
        "bytes": hex(&bytes[..length]),
        "header": header_json(header),
        "messages": messages,
    })
}

/// Everything that is not about motion, two messages a datagram.
fn control_messages(format: &Format) -> Vec<Value> {
    let bytes = format.to_bytes();
    let long: Vec<u8> = (0..=255).collect();
    let reasons = disconnect_reasons(65_535);
    let mut said = vec![
        Message::Join { version: VERSION, token: b"token" },
        Message::Join { version: 65_535, token: b"" },
        Message::Leave,
        Message::Ping { sent_us: u64::MAX },
        Message::Welcome { peer: PeerId(u32::MAX), format: &bytes, config: b"{}" },
        Message::Pong { sent_us: 1, received_us: 1 << 63, answered_us: 0xffff_ffff },
        Message::Exit { entity: EntityId(u32::MAX), why: ExitReason::Left },
        Message::Exit { entity: EntityId(0), why: ExitReason::Despawned },
        Message::Grant { entity: EntityId(77), kind: KindId::NONE },
        Message::Grant { entity: EntityId(78), kind: KindId::from_number(32).unwrap() },
        Message::Kind { kind: KindId::from_number(1).unwrap(), bytes: b"car" },
        Message::Revoke { entity: EntityId(5) },
        Message::Reliable { index: 65_535, bytes: &long },
        Message::ReliableAck { next: 0 },
        Message::Command { index: 1, bytes: &long[1..] },
        Message::Command { index: 2, bytes: b"" },
        Message::View { bytes: &long[..48] },
        Message::Joints {
            entity: EntityId(9),
            mask: 0b1000_0001,
            codes: [0xfc01, 0, 0, 0, 0, 0, 0, 7],
        },
        Message::Joints { entity: EntityId(10), mask: 0xff, codes: [1, 2, 3, 4, 5, 6, 7, 65_535] },
        Message::Joints { entity: EntityId(3), mask: 0, codes: [0; 8] },
    ];
    said.extend(reasons.map(Message::Refused));
    said.extend(reasons.map(Message::Bye));
    said.extend([
        Message::Property { property: PropertyId::from_number(31).unwrap(), bytes: b"health" },
        Message::Values { entity: EntityId(7), bytes: &[1, 200] },
        Message::Values { entity: EntityId(3), bytes: &long },
        Message::Values { entity: EntityId(4), bytes: b"" },
        Message::Ask { entity: EntityId(7) },
        Message::Kick {
            why: DisconnectReason::Game(7),
            words: "Bis zum nächsten Mal: das Spiel ist aus.",
        },
        Message::Kick { why: DisconnectReason::Conduct, words: "" },
    ]);
    let acks = [
        None,
        Some(Ack { newest: 65_535, before: u32::MAX, received_ms: 65_535 }),
        Some(Ack { newest: 0, before: 0x8000_0001, received_ms: 0 }),
    ];
    let mut all = Vec::new();
    for (i, pair) in said.chunks(2).enumerate() {
        let sent_ms = [0, -1, 1 << 41, -(1 << 41), 123_456_789][i % 5];
        let header =
            Header { sequence: 65_530_u16.wrapping_add(i as u16), sent_ms, ack: acks[i % 3] };
        let pair: Vec<_> = pair.iter().map(|message| (*message, None)).collect();
        all.push(datagram("space", format, &header, &pair));
    }
    all
}

/// Every model without a baseline, then every model off others, of every age.
fn motion(name: &str, format: &Format) -> Vec<Value> {
    let models = models();
    let mut all = Vec::new();
    for (i, &old) in models.iter().enumerate() {
        let entity = EntityId(i as u32 * 3);
        let class = (i % 3) as u8;
        let first_number = 65_530_u16.wrapping_add(i as u16);
        let coarse = format.coarser(class);
        // Counts of teleports: none, some, and those about to turn round.
        let teleports = [0, 3, u32::MAX][i % 3];
        let first = update(start(i), old, UpdateKind::Full).with_teleports(teleports);
        let first = coarse.round(&first);
        let body = UpdateBody::new(&coarse, None, &first);
        let owner = if i % 2 == 0 { Owner::Host } else { Owner::Peer(PeerId(i as u32)) };
        let (kind, number) = (KindId::from_number(i as u8 % 4).unwrap(), first_number);
        let enter = Message::Enter { entity, owner, kind, number, class, tag: b"red", body };
        let correct = Message::Correct { entity, serial: 65_535 - i as u16, class, body };
        let header = Header { sequence: i as u16, sent_ms: 12_350, ack: None };
        let said = [(enter, Some(first)), (correct, Some(first))];
        all.push(datagram(name, format, &header, &said));

        // Three updates off the first one, so that every kind of model follows every other
        // kind sooner or later, and time runs backwards, stands and leaps.
        for (k, t_s) in [(0, 0.25), (3, 7.5), (7, -0.2), (11, 0.0)] {
            let new = models[(i + k) % models.len()];
            let kind = if k == 7 { UpdateKind::Teleport } else { UpdateKind::Partial };
            let count = teleports.wrapping_add(u32::from(k > 3));
            let next = format.round(&update(moved(i, t_s), new, kind).with_teleports(count));
            let seq =
                UpdateSeq::delta(first_number, first_number.wrapping_add(1 + k as u16)).unwrap();
            let off = Message::Update {
                entity,
                seq,
                class: 0,
                body: UpdateBody::new(format, Some(&first), &next),
            };
            let whole = Message::Update {
                entity: EntityId(entity.0 + 1),
                seq: UpdateSeq::Full(k as u16),
                class: 0,
                body: UpdateBody::new(format, None, &next),
            };
            let sent_ms = next.at().as_micros().div_euclid(1_000) + 21;
            let header = Header { sequence: 100, sent_ms, ack: None };
            all.push(datagram(name, format, &header, &[(off, Some(next)), (whole, Some(next))]));
        }
    }
    all
}

/// Bodies that start in all directions, some at negative times.
fn start(i: usize) -> Kinematics {
    let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let mut body = seen();
    body.position *= sign;
    body.velocity = DVec3::new(body.velocity.y, body.velocity.x * sign, body.velocity.z);
    body.angular_velocity *= [1.0, 0.0, 9.0][i % 3];
    body.at = SimTime::from_micros(12_345_678 - 20_000_000 * i64::from(i.is_multiple_of(5)));
    body
}

/// The same bodies `t_s` later, astray.
fn moved(i: usize, t_s: f64) -> Kinematics {
    let (before, stray) = (start(i), later(t_s));
    Kinematics {
        at: SimTime::from_secs_f64(before.at.as_secs_f64() + t_s),
        position: before.position + before.velocity * t_s + DVec3::new(0.3, -0.2, 0.1),
        angular_velocity: if i.is_multiple_of(4) {
            before.angular_velocity
        } else {
            stray.angular_velocity
        },
        orientation: if i.is_multiple_of(4) { before.orientation } else { stray.orientation },
        ..stray
    }
}

fn header_json(header: &Header) -> Value {
    let ack = header.ack.map(
        |ack| json!({ "newest": ack.newest, "before": ack.before, "received_ms": ack.received_ms }),
    );
    json!({ "sequence": header.sequence, "sent_ms": header.sent_ms, "ack": ack })
}

fn exit_json(entity: EntityId, why: ExitReason) -> Value {
    let despawned = why == ExitReason::Despawned;
    json!({ "kind": "Exit", "entity": entity.0, "despawned": despawned })
}

fn message_json(message: &Message, update: Option<&Update>) -> Value {
    let mut value = match message {
        Message::Join { version, token } => {
            json!({ "kind": "Join", "version": version, "token": hex(token) })
        }
        Message::Leave => json!({ "kind": "Leave" }),
        Message::Ping { sent_us } => json!({ "kind": "Ping", "sent_us": sent_us }),
        Message::Welcome { peer, format, config } => json!({
            "kind": "Welcome", "peer": peer.0, "format": hex(format), "config": hex(config),
        }),
        Message::Refused(why) => refusal_json("Refused", *why),
        Message::Bye(why) => refusal_json("Bye", *why),
        Message::Pong { sent_us, received_us, answered_us } => json!({
            "kind": "Pong", "sent_us": sent_us, "received_us": received_us,
            "answered_us": answered_us,
        }),
        Message::Enter { entity, owner, kind, number, class, tag, .. } => {
            let owner = match owner {
                Owner::Host => Value::Null,
                Owner::Peer(peer) => json!(peer.0),
            };
            json!({
                "kind": "Enter", "entity": entity.0, "owner": owner, "body_kind": kind.number(),
                "number": number, "class": class, "tag": hex(tag),
            })
        }
        Message::Exit { entity, why } => exit_json(*entity, *why),
        Message::Correct { entity, serial, class, .. } => {
            json!({ "kind": "Correct", "entity": entity.0, "serial": serial, "class": class })
        }
        Message::Grant { entity, kind } => {
            json!({ "kind": "Grant", "entity": entity.0, "body_kind": kind.number() })
        }
        Message::Kind { kind, bytes } => {
            json!({ "kind": "Kind", "body_kind": kind.number(), "bytes": hex(bytes) })
        }
        Message::Joints { entity, mask, codes } => {
            json!({ "kind": "Joints", "entity": entity.0, "mask": mask, "codes": codes })
        }
        Message::Revoke { entity } => json!({ "kind": "Revoke", "entity": entity.0 }),
        Message::Update { entity, seq, class, .. } => {
            let number = match seq {
                UpdateSeq::Full(number) => json!(number),
                UpdateSeq::Delta { low, ahead } => json!({ "low": low, "ahead": ahead }),
            };
            json!({ "kind": "Update", "entity": entity.0, "number": number, "class": class })
        }
        Message::Reliable { index, bytes } => {
            json!({ "kind": "Reliable", "index": index, "bytes": hex(bytes) })
        }
        Message::ReliableAck { next } => json!({ "kind": "ReliableAck", "next": next }),
        Message::Command { index, bytes } => {
            json!({ "kind": "Command", "index": index, "bytes": hex(bytes) })
        }
        Message::View { bytes } => json!({ "kind": "View", "bytes": hex(bytes) }),
        other => property_json(other),
    };
    if let Some(update) = update {
        value["update"] = update_json(update);
    }
    value
}

fn property_json(message: &Message) -> Value {
    match message {
        Message::Property { property, bytes } => {
            json!({ "kind": "Property", "property": property.number(), "bytes": hex(bytes) })
        }
        Message::Values { entity, bytes } => {
            json!({ "kind": "Values", "entity": entity.0, "bytes": hex(bytes) })
        }
        Message::Ask { entity } => json!({ "kind": "Ask", "entity": entity.0 }),
        Message::Kick { why, words } => {
            let mut value = refusal_json("Kick", *why);
            value["words"] = json!(words);
            value
        }
        other => panic!("{other:?} has no vector yet"),
    }
}

fn refusal_json(kind: &str, why: DisconnectReason) -> Value {
    let (code, detail) = match why {
        DisconnectReason::Version(version) => (0, version),
        DisconnectReason::Token => (1, 0),
        DisconnectReason::Full => (2, 0),
        DisconnectReason::Silent => (3, 0),
        DisconnectReason::Conduct => (4, 0),
        DisconnectReason::Closing => (5, 0),
        DisconnectReason::Game(detail) => (6, detail),
        DisconnectReason::Format => (7, 0),
        other => panic!("{other:?} has no vector yet"),
    };
    json!({ "kind": kind, "code": code, "detail": detail })
}

fn update_json(update: &Update) -> Value {
    let seen = update.kinematics();
    json!({
        "at_us": seen.at.as_micros(),
        "kind": format!("{:?}", update.kind()),
        "teleports": update.teleports(),
        "position": seen.position.to_array(),
        "velocity": seen.velocity.to_array(),
        "acceleration": seen.acceleration.to_array(),
        "orientation": seen.orientation.to_array(),
        "angular_velocity": seen.angular_velocity.to_array(),
        "model": model_json(update.model()),
    })
}

fn model_json(model: &Model) -> Value {
    match model {
        Model::Hold => json!({ "kind": 0 }),
        Model::Linear => json!({ "kind": 1 }),
        Model::Accelerating { trust } => json!({ "kind": 2, "span_us": trust.as_micros() as u64 }),
        Model::Damped { fade } => json!({ "kind": 3, "span_us": fade.as_micros() as u64 }),
        Model::Decaying { fade } => json!({ "kind": 4, "span_us": fade.as_micros() as u64 }),
        Model::Curve(curve) => {
            let terms: Vec<_> = curve.coefficients().iter().map(DVec3::to_array).collect();
            json!({ "kind": 5, "tau_s": curve.basis().tau_s(), "coefficients": terms })
        }
        Model::Arc => json!({ "kind": 6 }),
        Model::Ballistic(fall) => json!({
            "kind": 7, "gravity": fall.gravity_mps2(), "floor": fall.floor_m(),
            "runs": fall.landing() == Landing::Run,
        }),
        Model::Path(ride) => json!({
            "kind": 8, "id": ride.path.id(), "progress": ride.progress_m, "rate": ride.rate_mps,
        }),
        Model::Dis(dis) => json!({
            "kind": 9, "algorithm": dis.algorithm.number(),
            "inertial": dis.acceleration == reckoning::dis::BodyAcceleration::Inertial,
        }),
        Model::Custom(custom) => json!({ "kind": 10, "id": custom.id }),
        other => panic!("{other:?} has no vector yet"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
