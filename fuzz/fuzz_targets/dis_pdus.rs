#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reckoning_fuzz_targets::dis_pdus(bytes));
