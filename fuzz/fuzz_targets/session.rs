//! Any bytes: checksums stop nearly all of them, so this is about framing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning_recording::salvage_session;

fuzz_target!(|bytes: &[u8]| {
    if let Ok((opened, damage)) = salvage_session(bytes) {
        let whole = opened.truncated_at.unwrap_or(bytes.len() as u64);
        assert!(whole <= bytes.len() as u64);
        assert!(damage.is_none() || opened.truncated_at.is_some());
    }
});
