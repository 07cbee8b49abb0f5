//! The example game, played over loopback.

#[expect(dead_code, reason = "its command line is for people")]
#[path = "../examples/coins.rs"]
mod coins;

#[test]
fn a_coin_is_taken_a_shot_hits_and_a_spectator_sees_both() {
    coins::demo().unwrap();
}
