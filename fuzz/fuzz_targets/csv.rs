//! Any text, packed or not; what is read once is read again from what we write.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning_recording::{parse_csv, Recording, write_csv};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(tracks) = parse_csv(bytes) {
        let recording = Recording { tracks, ..Recording::default() };
        let again = parse_csv(&write_csv(&recording)).expect("our own csv is read");
        let count: usize = again.iter().map(|track| track.samples.len()).sum();
        assert_eq!(count, recording.sample_count());
    }
});
