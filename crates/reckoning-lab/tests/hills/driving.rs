//! A person's client drives, and the guard has nothing to say against it.

use reckoning_arena::hills::protocol::HillsTuning;
use reckoning_lab::hills::{HillsClient, link_config};

use super::{MOBILE, chain};

#[test]
fn an_honest_driver_is_believed() {
    let mut chain = chain(6, 9, HillsTuning::default());
    chain.join(link_config(MOBILE, 3), false).unwrap();
    (0..3_600).for_each(|_| chain.frame(HillsClient::play));
    let stats = chain.hills.stats();
    let body = chain.clients[0].driver.body().unwrap();
    assert_eq!((stats.corrected, stats.expelled, stats.malformed), (0, 0, 0));
    assert!(body.deaths == 0 || chain.clients[0].driver.lives() > 0);
    let id = chain.hills.body_of(chain.clients[0].peer).unwrap();
    let there = chain.hills.world().body(id).unwrap();
    let off_m = there.position.distance(body.position);
    assert!(off_m < 6.0, "the host has it {off_m} m from where it is");
}
