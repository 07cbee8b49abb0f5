//! Any header and body of a replay, with the checksums that let them pass:
//! `length of the header u16 | header | body`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning_lab::import::rocket_league;

/// The game's own checksum.
fn checksum(bytes: &[u8]) -> u32 {
    let table = |index: u32| {
        let step = |crc: u32, _| crc << 1 ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 };
        (0..8).fold(index << 24, step).swap_bytes()
    };
    let step = |crc: u32, &byte: &u8| crc >> 8 ^ table((u32::from(byte) ^ crc) & 0xff);
    (!bytes.iter().fold(!0xefcb_f201_u32.swap_bytes(), step)).swap_bytes()
}

fn section(bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u32).to_le_bytes();
    [&length[..], &checksum(bytes).to_le_bytes(), bytes].concat()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&length, rest)) = bytes.split_first_chunk::<2>() else { return };
    let (header, body) = rest.split_at(usize::from(u16::from_le_bytes(length)).min(rest.len()));
    let file = [section(header), section(body)].concat();
    if let Err(error) = rocket_league::parse(&file, "fuzz") {
        assert!(error.offset.is_some());
    }
});
