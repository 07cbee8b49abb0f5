//! Any json of a session or a map.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning_recording::{parse_level, parse_meta, write_level, write_meta};

fuzz_target!(|bytes: &[u8]| {
    if let Ok((source, session, meta)) = parse_meta(bytes) {
        let (_, _, again) = parse_meta(&write_meta(&source, &session, &meta)).expect("our own");
        assert_eq!(again.rate_hz.to_bits(), meta.rate_hz.to_bits());
        assert_eq!(again.bounds, meta.bounds);
    }
    if let Ok(level) = parse_level(bytes) {
        assert_eq!(parse_level(&write_level(&level)).expect("our own"), level);
    }
});
