//! The hills through the whole chain: host, game and sessions over simulated links, with the truth
//! known.

mod driving;
mod ground;
mod joints;
mod shells;
mod shots;
mod train;

use reckoning_arena::hills::HillsLevel;
use reckoning_arena::hills::host::HillsHostConfig;
use reckoning_arena::hills::protocol::HillsTuning;
use reckoning_arena::protocol::LinkChoice;
use reckoning_lab::hills::{HillsChain, HillsClient, link_config};

/// 150 ms one way, give or take 40, with losses.
const MOBILE: LinkChoice = LinkChoice { delay_ms: 150, jitter_ms: 40, loss_percent: 3, burst: 2 };
/// 150 ms one way, as it is with cables.
const STEADY: LinkChoice = LinkChoice { delay_ms: 150, jitter_ms: 5, loss_percent: 0, burst: 1 };

/// The hills with so many bots, before the first frame.
fn chain(bots: u16, seed: u64, tuning: HillsTuning) -> HillsChain {
    let mut config = HillsHostConfig::default();
    (config.bots, config.seed, config.demo, config.tuning) = (bots, seed, true, tuning);
    HillsChain::new(HillsLevel::built_in(), &config).unwrap()
}

/// With somebody who watches everything through that link.
fn watched(bots: u16, seed: u64, link: LinkChoice) -> HillsChain {
    let mut chain = chain(bots, seed, HillsTuning::default());
    chain.join(link_config(link, seed), true).unwrap();
    chain
}

fn idle(_: &mut HillsClient, _: reckoning::SimTime) {}

fn frames(chain: &mut HillsChain, count: u32) {
    (0..count).for_each(|_| chain.frame(idle));
}
