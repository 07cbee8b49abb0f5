//! PLACEHOLDER, replaced on merge: the release run of the checks looks for this file.
use reckoning::SimTime;

#[test]
fn a_tick_is_the_same_moment_in_debug_and_release() {
    assert_eq!(SimTime::from_tick(60, 60).as_micros(), 1_000_000);
}
