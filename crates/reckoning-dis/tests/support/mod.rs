//! PDUs to try the codec with, and programs of others to read them.
#![allow(dead_code, reason = "each test takes its part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reckoning::DVec3;
use reckoning_dis::wire::{
    ClockTime, DeadReckoning, Detonation, EntityId, EntityState, EntityType, EntityUpdate, Fire,
    Header, Marking, Munition, PartRecord, Pdu, PduBody, Request, StartResume, StopFreeze,
    Timestamp,
};

/// One PDU of each type, every field another value.
#[allow(clippy::too_many_lines, reason = "a table of fields")]
pub fn one_of_each(version: u8) -> Vec<Pdu> {
    let id = EntityId::new(7, 3, 42);
    let other = EntityId::new(8, 4, 43);
    let kind = EntityType {
        kind: 1,
        domain: 1,
        country: 225,
        category: 1,
        subcategory: 2,
        specific: 3,
        extra: 4,
    };
    let turret =
        PartRecord::Articulated { change: 5, attached_to: 0, parameter: 4107, value: 0.75 };
    let parts = vec![turret, PartRecord::Other { kind: 1, bytes: [9; 15] }];
    let velocity = [30.5, -0.25, 12.0];
    let location = DVec3::new(-2_710_000.125, -4_353_000.25, 3_782_000.5);
    let orientation = [0.25, -0.5, 1.5];
    let descriptor = Munition { kind, warhead: 1000, fuse: 2000, quantity: 3, rate: 4 };
    let event = EntityId::new(7, 3, 99);
    let (from, to, request) = (id, other, 0xdead_beef);
    let real_time = ClockTime { hour: 473_000, past: 0x1234_5678 };
    let simulation_time = ClockTime { hour: -3, past: 5 };
    let bodies = vec![
        PduBody::EntityState(EntityState {
            id,
            force: 2,
            kind,
            alternative_kind: EntityType { extra: 77, ..kind },
            velocity,
            location,
            orientation,
            appearance: 0x0020_0018,
            reckoning: DeadReckoning {
                algorithm: 4,
                parameters: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
                acceleration: [0.5, 1.5, -2.5],
                angular_velocity: [0.01, 0.02, -0.03],
            },
            marking: Marking::new("RECKON-1"),
            capabilities: 0x0000_000e,
            parts: parts.clone(),
        }),
        PduBody::EntityUpdate(EntityUpdate {
            id,
            velocity,
            location,
            orientation,
            appearance: 0x18,
            parts: parts.clone(),
        }),
        PduBody::Fire(Fire {
            firing: id,
            target: other,
            munition: EntityId::new(7, 3, 44),
            event,
            mission: 6,
            location,
            descriptor,
            velocity,
            range_m: 1500.0,
        }),
        PduBody::Detonation(Detonation {
            firing: id,
            target: other,
            munition: EntityId::new(7, 3, 44),
            event,
            velocity,
            location,
            descriptor,
            place_on_target: [1.0, 2.0, 3.0],
            result: 1,
            parts: Vec::new(),
        }),
        PduBody::Create(Request { from, to, request }),
        PduBody::Remove(Request { from, to, request }),
        PduBody::StartResume(StartResume { from, to, real_time, simulation_time, request }),
        PduBody::StopFreeze(StopFreeze {
            from,
            to,
            real_time,
            reason: 2,
            frozen_behaviour: 3,
            request,
        }),
    ];
    let status = if version == 7 { 0x10 } else { 0 };
    let timestamp = Timestamp::new(1234.5, true);
    let header = Header { version, exercise: 3, timestamp, status };
    bodies.into_iter().map(|body| Pdu { header, body }).collect()
}

pub fn encoded(pdu: &Pdu) -> Vec<u8> {
    let mut bytes = Vec::new();
    pdu.encode(&mut bytes);
    bytes
}

/// A capture of these datagrams, on UDP port 3000 of 127.0.0.1, written by the format's description.
pub fn pcap(datagrams: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    let numbers = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 101];
    for number in numbers {
        file.extend(number.to_le_bytes());
    }
    for (number, payload) in datagrams.iter().enumerate() {
        let udp = payload.len() + 8;
        let ip = udp + 20;
        for it in [1_700_000_000 + number as u32, 0, ip as u32, ip as u32] {
            file.extend(it.to_le_bytes());
        }
        file.extend([0x45, 0]);
        file.extend((ip as u16).to_be_bytes());
        file.extend([0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]);
        for it in [3000, 3000, udp as u16, 0] {
            file.extend(it.to_be_bytes());
        }
        file.extend(payload);
    }
    file
}

/// Runs a program on this input; `None` where it is not there.
pub fn run(program: &str, words: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(input).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// What `tests/peers/opendis_peer.py` answers; `None` without Python or its package.
pub fn opendis(mode: &str, input: &str) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/opendis_peer.py");
    run("python3", &["-c", "import opendis"], b"")?;
    let output = run("python3", &[script.to_str()?, mode], input.as_bytes());
    Some(String::from_utf8(output.expect("the script runs where the package is")).unwrap())
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

pub fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.trim().as_bytes().chunks(2);
    digits.map(|it| u8::from_str_radix(std::str::from_utf8(it).unwrap(), 16).unwrap()).collect()
}

/// `shared/dis` beside the repository; without it the test is skipped.
pub fn vectors(test: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/dis");
    if path.is_dir() {
        return Some(path);
    }
    reckoning_testing::skip(test, "no shared/dis beside the repository");
    None
}
