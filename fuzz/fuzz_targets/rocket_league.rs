//! Any bytes as a replay. Its checksums stop nearly all of them; the crate behind the reader is
//! fuzzed by its own authors.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning_lab::import::rocket_league;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = rocket_league::parse(bytes, "fuzz") {
        assert!(error.offset.is_some());
    }
});
