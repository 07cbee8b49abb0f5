//! Any bytes give a recording or an error with an offset inside the file, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reckoning_lab::import::bzflag;
use reckoning_recording::{open_session, write_session};

fuzz_target!(|bytes: &[u8]| match bzflag::parse(bytes, "fuzz") {
    Ok(recording) => {
        let file = write_session(&recording, Vec::new()).expect("memory does not fail");
        let opened = open_session(&file).expect("what was written can be read");
        assert_eq!(opened.recording.sample_count(), recording.sample_count());
    }
    Err(error) => assert!(error.offset.expect("a place") <= bytes.len() as u64),
});
