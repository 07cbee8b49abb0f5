//! Importers of foreign recordings: bzflag, slippi, dis, shi, Rocket League.

use std::time::Duration;

use reckoning::SimTime;
use reckoning_dis::gateway::{Gateway, GatewayConfig};
use reckoning_dis::place::{Geodetic, TangentFrame};
use reckoning_lab::import;
use reckoning_recording::{Recording, RecordingError, open_session, write_session};

/// A BZFlag recording.
pub fn bzflag(bytes: &[u8]) {
    reads(import::bzflag::parse, bytes);
}

/// A Slippi replay.
pub fn slippi(bytes: &[u8]) {
    reads(import::slippi::parse, bytes);
}

/// A capture of DIS traffic.
pub fn dis(bytes: &[u8]) {
    reads(import::dis::parse, bytes);
}

/// A datagram of DIS: what is read is written, and read again as the same bytes.
pub fn dis_pdus(bytes: &[u8]) {
    for pdu in reckoning_dis::wire::pdus(bytes).flatten() {
        let (mut written, mut again) = (Vec::new(), Vec::new());
        pdu.encode(&mut written);
        let (read, length) = reckoning_dis::wire::Pdu::decode(&written).expect("our own bytes");
        assert_eq!(length, written.len());
        read.encode(&mut again);
        assert_eq!(again, written);
    }
}

/// Datagrams of an exercise, a quarter of a second between them: `length u16 | datagram`, again and
/// again. Bounds hold, and what is shown is finite.
pub fn dis_gateway(bytes: &[u8]) {
    let Ok(origin) = Geodetic::degrees(52.5, 13.4, 40.0) else { return };
    let mut config = GatewayConfig::new(1, 7, 3, TangentFrame::new(origin));
    config.max_entities = 8;
    let mut gateway = Gateway::new(config).expect("settings of our own");
    gateway.set_server(1);
    let (mut rest, mut now) = (bytes, SimTime::ZERO);
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*length)).min(after.len());
        let (datagram, after) = after.split_at(length);
        gateway.handle_datagram(now, datagram);
        gateway.handle_timeout(now);
        assert!(gateway.entities().count() <= 8);
        for (_, entity) in gateway.entities() {
            let seen = entity.kinematics_at(now);
            assert!(seen.at == now && seen.orientation.is_finite());
            assert!(entity.joints_at(now).all(|joint| joint.angle_rad.is_finite()));
        }
        rest = after;
        now += Duration::from_millis(250);
    }
}

/// A play log of SHI.
pub fn shi(bytes: &[u8]) {
    reads(import::shi::parse, bytes);
}

/// Any bytes give a recording or an error with an offset inside the file.
fn reads(parse: fn(&[u8], &str) -> Result<Recording, RecordingError>, bytes: &[u8]) {
    match parse(bytes, "fuzz") {
        Ok(recording) => {
            let file = write_session(&recording, Vec::new()).expect("memory does not fail");
            let opened = open_session(&file).expect("what was written can be read");
            assert_eq!(opened.recording.sample_count(), recording.sample_count());
        }
        Err(error) => assert!(error.offset.expect("a place") <= bytes.len() as u64),
    }
}

/// Any header and body of a replay, with the checksums that let them pass:
/// `length of the header u16 | header | body`.
pub fn rocket_league(bytes: &[u8]) {
    let Some((&length, rest)) = bytes.split_first_chunk::<2>() else { return };
    let (header, body) = rest.split_at(usize::from(u16::from_le_bytes(length)).min(rest.len()));
    let file = [section(header), section(body)].concat();
    if let Err(error) = import::rocket_league::parse(&file, "fuzz") {
        assert!(error.offset.is_some());
    }
}

fn section(bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u32).to_le_bytes();
    [&length[..], &checksum(bytes).to_le_bytes(), bytes].concat()
}

/// The game's own checksum.
fn checksum(bytes: &[u8]) -> u32 {
    let table = |index: u32| {
        let step = |crc: u32, _| (crc << 1) ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 };
        (0..8).fold(index << 24, step).swap_bytes()
    };
    let step = |crc: u32, &byte: &u8| (crc >> 8) ^ table((u32::from(byte) ^ crc) & 0xff);
    (!bytes.iter().fold(!0xefcb_f201_u32.swap_bytes(), step)).swap_bytes()
}
