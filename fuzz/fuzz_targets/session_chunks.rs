//! Any contents in chunks whose checksums are right: `kind u8 | length u16 | payload`, repeated.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning_lab::write_parquet;
use reckoning_recording::{open_session, write_csv, write_session};

fn file(mut bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0x89, b'R', b'E', b'C', b'K', 0x0d, 0x0a, 0x1a, 1, 0, 0, 0];
    file.extend(crc32fast::hash(&file).to_le_bytes());
    while let Some((&[kind, low, high], rest)) = bytes.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
        let (payload, rest) = rest.split_at(length);
        let offset = (file.len() as u64).to_le_bytes();
        let mut header = vec![kind, 0, 0, 0];
        header.extend((length as u32).to_le_bytes());
        header.extend((length as u32).to_le_bytes());
        header.extend(crc32fast::hash(payload).to_le_bytes());
        let sum = crc32fast::hash(&[&header[..], &offset].concat());
        file.extend(header);
        file.extend(sum.to_le_bytes());
        file.extend(payload);
        bytes = rest;
    }
    file
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(opened) = open_session(&file(bytes)) {
        let recording = opened.recording;
        let again = write_session(&recording, Vec::new()).expect("memory does not fail");
        let again = open_session(&again).expect("what was written can be read").recording;
        assert_eq!(again.sample_count(), recording.sample_count());
        let _ = (write_csv(&again), write_parquet(&again));
    }
});
