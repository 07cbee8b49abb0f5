//! Forms of recordings: session files, csv, json.

use reckoning_lab::write_parquet;
use reckoning_recording::{
    Recording, open_session, parse_csv, parse_level, parse_meta, salvage_session, write_csv,
    write_level, write_meta, write_session,
};

/// Any bytes as a session file: checksums stop nearly all of them, so this is about framing.
pub fn session(bytes: &[u8]) {
    if let Ok((opened, damage)) = salvage_session(bytes) {
        let whole = opened.truncated_at.unwrap_or(bytes.len() as u64);
        assert!(whole <= bytes.len() as u64);
        assert!(damage.is_none() || opened.truncated_at.is_some());
    }
}

/// Any contents in chunks whose checksums are right: `kind u8 | length u16 | payload`, repeated.
pub fn session_chunks(bytes: &[u8]) {
    if let Ok(opened) = open_session(&file(bytes)) {
        let recording = opened.recording;
        let again = write_session(&recording, Vec::new()).expect("memory does not fail");
        let again = open_session(&again).expect("what was written can be read").recording;
        assert_eq!(again.sample_count(), recording.sample_count());
        let _ = (write_csv(&again), write_parquet(&again));
    }
}

fn file(mut bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0x89, b'R', b'E', b'C', b'K', 0x0d, 0x0a, 0x1a, 1, 0, 0, 0];
    file.extend(crc32fast::hash(&file).to_le_bytes());
    while let Some((&[kind, low, high], rest)) = bytes.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
        let (payload, rest) = rest.split_at(length);
        chunk(&mut file, [kind, 0], payload, length as u32);
        bytes = rest;
    }
    file
}

/// Any contents in packed chunks whose checksums are right:
/// `kind u8 | raw length u32 | length u16 | payload`, repeated.
pub fn packed_chunks(mut bytes: &[u8]) {
    let mut file = file(&[]);
    while let Some((head, rest)) = bytes.split_first_chunk::<7>() {
        let [kind, r0, r1, r2, r3, l0, l1] = *head;
        let length = usize::from(u16::from_le_bytes([l0, l1])).min(rest.len());
        let (payload, rest) = rest.split_at(length);
        chunk(&mut file, [kind, 1], payload, u32::from_le_bytes([r0, r1, r2, r3]));
        bytes = rest;
    }
    if let Ok(opened) = open_session(&file) {
        let again = write_session(&opened.recording, Vec::new()).expect("memory does not fail");
        let again = open_session(&again).expect("what was written can be read").recording;
        assert_eq!(again.sample_count(), opened.recording.sample_count());
    }
}

/// Any blocks of a Zstandard frame, as a csv.
pub fn zstd(bytes: &[u8]) {
    let frame = [&[0x28, 0xb5, 0x2f, 0xfd], bytes].concat();
    let _ = parse_csv(&frame);
}

fn chunk(file: &mut Vec<u8>, [kind, packing]: [u8; 2], payload: &[u8], raw: u32) {
    let offset = (file.len() as u64).to_le_bytes();
    let mut header = vec![kind, packing, 0, 0];
    header.extend((payload.len() as u32).to_le_bytes());
    header.extend(raw.to_le_bytes());
    header.extend(crc32fast::hash(payload).to_le_bytes());
    let sum = crc32fast::hash(&[&header[..], &offset].concat());
    file.extend(header);
    file.extend(sum.to_le_bytes());
    file.extend(payload);
}

/// Any text, packed or not; what is read once is read again from what we write.
pub fn csv(bytes: &[u8]) {
    if let Ok(tracks) = parse_csv(bytes) {
        let recording = Recording { tracks, ..Recording::default() };
        let again = parse_csv(&write_csv(&recording)).expect("our own csv is read");
        let count: usize = again.iter().map(|track| track.samples.len()).sum();
        assert_eq!(count, recording.sample_count());
    }
}

/// Any json of a session or a map.
pub fn json(bytes: &[u8]) {
    if let Ok((source, session, meta)) = parse_meta(bytes) {
        let (_, _, again) = parse_meta(&write_meta(&source, &session, &meta)).expect("our own");
        assert_eq!(again.rate_hz.to_bits(), meta.rate_hz.to_bits());
        assert_eq!(again.bounds, meta.bounds);
    }
    if let Ok(level) = parse_level(bytes) {
        assert_eq!(parse_level(&write_level(&level)).expect("our own"), level);
    }
}
