//! Damaged files for importers: an answer or an error with a place in the file, never a panic.
#![allow(dead_code)] // each test file uses a part

use reckoning_recording::{Recording, RecordingError};

pub type Importer = fn(&[u8], &str) -> Result<Recording, RecordingError>;

fn judge(read: Importer, bytes: &[u8], what: &str, at: usize) {
    let Err(error) = read(bytes, what) else { return };
    let offset = error.offset.unwrap_or_else(|| panic!("{what} at {at}: {error}: no place"));
    assert!(offset <= bytes.len() as u64, "{what} at {at}: {error}");
}

fn flipped(file: &[u8], bit: usize) -> Vec<u8> {
    let mut damaged = file.to_vec();
    damaged[bit / 8] ^= 1 << (bit % 8);
    damaged
}

/// Cuts after every `step` bytes and flips every `step`th bit.
pub fn survives_every(read: Importer, file: &[u8], step: usize) {
    for length in (0..file.len()).step_by(step) {
        judge(read, &file[..length], "cut", length);
    }
    for bit in (0..file.len() * 8).step_by(step) {
        judge(read, &flipped(file, bit), "flipped", bit);
    }
}

/// Cuts, flips a bit and fills a byte at `times` places, and turns every byte of the first
/// kilobyte, which is all structure.
pub fn survives_many(read: Importer, file: &[u8], times: usize) {
    for part in 0..times {
        let length = file.len() * part / times;
        judge(read, &file[..length], "cut", length);
        let bit = file.len() * 8 * part / times + part % 8;
        let mut damaged = flipped(file, bit);
        judge(read, &damaged, "flipped", bit);
        damaged[bit / 8] = 0xff;
        judge(read, &damaged, "filled", bit);
    }
    for at in 0..file.len().min(1_024) {
        let mut damaged = file.to_vec();
        damaged[at] ^= 0xff;
        judge(read, &damaged, "turned", at);
    }
}
