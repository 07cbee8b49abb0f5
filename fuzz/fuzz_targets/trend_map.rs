//! Any bytes as a trend map: refused with a place inside them, or read, asked and written back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning::DVec3;
use reckoning_predict::TrendMap;

fuzz_target!(|bytes: &[u8]| {
    let Ok(map) = TrendMap::from_bytes(bytes) else { return };
    assert_eq!(map.to_bytes(), bytes, "what is read is written back");
    for (place, side_m, _) in map.cells() {
        let threshold_m = map.threshold_m(place, DVec3::X * side_m, 0.5, 1.0);
        assert!((0.5..=1.0).contains(&threshold_m), "{threshold_m}");
    }
});
